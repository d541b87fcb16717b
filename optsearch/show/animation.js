"use strict";
// A game is played shot by shot: the board after each, and how probable a ship was on each cell.

const HELD = 5;  // times a frame that the end is shown
const D = JSON.parse(element("data").textContent);
const END = D.shots.length;
const board = new Board(element("board"), D.shape, "Board after the shot", {look});
let number = 0, timer = null, looked = null;

function look(cell) {
  looked = cell;
  element("about").textContent = cell === null ? "" : board.label(cell);
}

function show() {
  const replies = new Map(D.shots.slice(0, number)), last = number ? D.shots[number - 1][0] : null;
  const chances = D.chances ? D.chances[number] : [];
  const most = Math.max(...chances.filter((_, cell) => !replies.has(cell)), 0) || 1;
  const end = showBar(element("key-percent"), D.chances ? most : 0);
  board.elements.forEach((shown, cell) => {
    if (!shown) return;
    const reply = replies.get(cell), chance = chances[cell];
    const classes = cell === last ? ["next"] : [];
    if (reply !== undefined) board.show(cell, {reply, classes: [...classes, "shot"], label: replyText(reply)});
    else if (chance === undefined) board.show(cell, {});
    else board.show(cell, {text: percent(chance, 1, board.digits), classes: chance ? [] : ["never"], warmth: chance / end, label: `${percent(chance, 1, 2)}\u00a0%`});
  });
  board.ships(number === END ? D.ships : board.shipsOf([...replies]));
  const hits = [...replies.values()].filter((reply) => kindOf(reply) !== "miss").length;
  const shot = last === null ? "Start" : `${countText(number, "shot")}, ${countText(hits, "hit")}: ${board.names[last]} ${replyText(D.shots[number - 1][1])}`;
  element("said").textContent = shot + (D.left ? `; ${countText(D.left[number], "configuration")} left` : "");
  element("shot").value = number;
  element("shot").setAttribute("aria-valuetext", element("said").textContent);
  element("play").textContent = timer === null ? "Play" : "Pause";
  look(looked);
}

/** Show the board after so many shots. */
function goTo(to) {
  number = Math.max(0, Math.min(END, to));
  show();
}

function pause() {
  clearTimeout(timer);
  timer = null;
}

function play() {
  const step = () => {
    goTo(number === END ? 0 : number + 1);
    timer = setTimeout(step, (number === END ? HELD : 1) * 1000 / D.rate);
  };
  timer = setTimeout(step, 1000 / D.rate);
  show();
}

const moves = {first: () => goTo(0), back: () => goTo(number - 1), on: () => goTo(number + 1), last: () => goTo(END)};
const halting = (move) => () => { pause(); move(); };
const toggle = () => { if (timer === null) play(); else { pause(); show(); } };
for (const [name, move] of Object.entries(moves)) element(name).addEventListener("click", halting(move));
element("play").addEventListener("click", toggle);
element("shot").max = END;
element("shot").addEventListener("input", () => { pause(); goTo(Number(element("shot").value)); });
onKeys(() => ({
  " ": (event) => event.target.matches("button") ? event.target.click() : toggle(),
  ArrowLeft: halting(moves.back), ArrowRight: halting(moves.on), Home: halting(moves.first), End: halting(moves.last),
}));
element("game").textContent = D.game;
element("player").textContent = `${D.player}: ${countText(END, "shot")}`;
element("key-sunk").hidden = !D.shots.some(([, reply]) => kindOf(reply) === "sunk");
show();
if (!matchMedia("(prefers-reduced-motion: reduce)").matches) play();
