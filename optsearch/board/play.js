"use strict";
// A match under way, or over.

async function playOn(isMine) {
  if (match?.match !== place.match) match = null;
  show();
  if (!place.match) return;
  if (!match) {
    try {
      match = await ask("match", {match: place.match});
    } catch (error) {
      if (isMine()) { place = {...place, match: ""}; show(); }
      throw error;
    }
  }
  if (!isMine()) return;
  if (taps.length) return shootOn();
  show();
  if (match.over) ask("greedy", {match: match.match}).then(({greedy}) => { if (isMine()) { match.greedy = greedy; show(); } }, () => {});  // which may take too long
  if (match.over || !element("hints").checked) return;
  const found = await ask("advice", {shots: match.shots.replaceAll(" ", ",")});
  if (isMine()) { known = found; show(); }
}

let taps = [], isShooting = false, isBeginning = false;  // the cells to be shot, the first one next

/** Shoot at a cell, after those that were tapped before. */
function shoot(cell) {
  const name = board.names[cell];
  if (match?.over || taps.includes(name) || match && parsed(match.shots).some(([shot]) => shot === name)) return;
  taps.push(name);
  show();
  shootOn();
}

/** The answer to a request that is made again if it was given up or, a few times, if its process was ended. */
const insist = (name, asked, tries = 3) => ask(name, asked).catch((error) => {
  if (!["GivenUp", "TooLong", "WorkerLost"].includes(error.kind) || !tries) throw error;
  return insist(name, asked, tries - (error.kind !== "GivenUp"));
});

/** Shoot at what was tapped, one cell after the other. */
async function shootOn() {
  if (isShooting || isBeginning || !match) return;
  const {match: name} = match;
  isShooting = true;
  await attempt(async () => {
    while (taps.length && match && !match.over) {
      document.body.classList.add("busy");
      const found = await insist("shoot", {match: name, cell: taps[0]});
      if (match?.match !== name) break;
      match = found;
      taps.shift();
      tabs.postMessage(name);
      show();
    }
    taps = [];
    arrive();
  });
  [taps, isShooting] = [[], false];
}

async function begin() {
  const placed = element("placed").checked && element("against").value !== "";
  const text = placed ? ships.map(([, cells]) => cells.map((cell) => board.names[cell]).join("+")).join(" ") : "";
  isBeginning = true;
  await attempt(async () => {
    match = await insist("begin", {against: element("against").value, ships: text});
    [ships, isBeginning] = [[], false];
    goTo({match: match.match});
    board.elements[board.first()].focus();
  });
  if (isBeginning) [taps, isBeginning] = [[], false];
}

const RANKS = {easy: "the Cadet", hard: "the Captain", exact: "the Admiral"};

function showPlay() {
  if (!match) return;
  const shots = parsed(match.shots), answered = parsed(match.answers);
  showCells(match.over ? null : known, shots, {wrecks: match.wrecks});
  for (const name of taps) board.show(board.named(name), {classes: ["next"], label: "to be shot"});
  board.ships(match.hidden ?? [...match.wrecks, ...board.shipsOf(shots)]);
  element("own-place").hidden = !match.against;
  if (match.against) {
    const hit = new Set(answered.map(([name]) => own.named(name))), wrecks = match.own.filter((ship) => ship.every((cell) => hit.has(cell)));
    showCells(null, answered, {on: own, wrecks, what: (cell) => match.own.flat().includes(cell) ? "your ship" : "water"});
    own.ships(match.own);
  }
  const last = shots.at(-1), back = answered.at(-1), whom = RANKS[match.against] ?? match.against, theirs = whom.charAt(0).toUpperCase() + whom.slice(1);
  element("turn").textContent = match.over ? "The end" : `Shot ${shots.length + 1}${whom ? `, against ${whom}` : ""}`;
  const words = [last ? `You shot ${last[0]}: ${replyText(last[1])}.` : "Tap a cell to shoot.", back && !match.won ? `${theirs} shot ${back[0]}: ${replyText(back[1])}.` : ""];
  if (match.over) words.push(match.won ? `You have sunk every ship, in ${countText(shots.length, "shot")}.` : `${theirs} has sunk your ships. The board shows the others.`);
  if (match.greedy) words.push(`Shooting a most probable cell each time takes ${countText(match.greedy, "shot")} against the same ships.`);
  element("said").textContent = words.filter(Boolean).join(" ");
  element("to-review").hidden = !match.over;
  showFleet("fleet", match.sunk, shots);
  if (!board.has(document.activeElement)) board.enter(last ? board.named(last[0]) : board.first());
}
