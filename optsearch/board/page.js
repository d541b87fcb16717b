"use strict";
// The board: advice, play and review. What is shown follows from the address and from answers.

let A;  // what does not change: the answer to `about`
let board, own, answers;
let place = {};  // of the address: game, mode, shots (a list of [cell, reply]), match, at, names
let known = null;  // what the server says of the position shown, or null while it is asked
let values = null;  // of the endgame
let togo = null;  // sums over games that were sampled from the position shown
let match = null;  // a game that is played here, or over
let chosen = null;  // the cell that a person shoots instead of the best
let picked = null;  // the number of a shot that may be taken back
let ships = [];  // placed by hand: kind, cells, and the one from which it turns
let refused = null;  // a reply that is impossible, and was given all the same
let looked = null, turn = 0, clock = null;
const tabs = new BroadcastChannel("match");  // is told of a shot in a match, which other tabs may show
let failed = null;  // why there is no answer to wait for, as the server names it

const shotsText = (shots) => shots.map(([cell, reply]) => reply ? `${cell}=${reply}` : cell).join(",");
const parsed = (text) => text.split(/[\s,]+/).filter(Boolean).map((one) => { const [cell, reply = ""] = one.split(/=(.*)/s); return [cell, reply]; });

// The address

function addressOf({game, mode, shots, match, at, names}) {
  const parts = Object.entries({game, mode: mode === "advise" ? "" : mode, match, shots: shotsText(shots), at, names}).filter(([, value]) => value);
  return `/${parts.length ? "?" : ""}${parts.map(([name, value]) => `${name}=${String(value).replace(/[#%&+]/g, encodeURIComponent)}`).join("&")}`;
}

function readPlace() {
  const given = new URLSearchParams(location.search), text = (name) => given.get(name) ?? "", mode = ["play", "review", "choose"].find((one) => one === text("mode"));
  place = {game: text("game"), mode: mode ?? "advise", shots: parsed(text("shots")), match: text("match"), at: Number(text("at")) || 0, names: text("names")};
}

const elsewhere = (next) => addressOf({...place, at: 0, ...next});

/** Go to a place, which the browser's back leaves again; what is not named stays as it is. */
function goTo(next, isNew = true) {
  const from = isNew ? addressOf(place) : history.state?.from;
  place = {...place, at: 0, ...next};
  history[isNew ? "pushState" : "replaceState"]({from}, "", addressOf(place));
  arrive();
}

/** Go to a place without a trace of this one: back where it came from there. */
function returnTo(next) {
  if (history.state?.from !== elsewhere(next)) return goTo(next, false);
  document.body.classList.add("busy");
  history.back();
}

/** Show the place of the address. */
async function arrive() {
  const mine = ++turn;
  [chosen, picked, known, values, refused, togo] = [null, null, null, null, null, null];
  failed = null;
  const given = place.names.split(",");
  if (A) SHIPS = Object.fromEntries([...new Set(A.fleet)].map((kind, i) => [kind, {...A.shape.ships[kind], name: given[i]?.trim() || A.shape.ships[kind].name}]));
  for (const [letter, kind] of Object.entries(A?.kinds ?? {})) SHIPS[letter] = SHIPS[kind];
  document.body.classList.add("busy");
  showTrouble("");
  if (A?.lengths && place.mode === "play") {
    place.mode = "advise";
    showTrouble("The board does not play with ships whose lengths are not known. It gives advice, and reviews shots.");
  }
  const began = Date.now(), seconds = () => Math.round((Date.now() - began) / 1000);
  clearInterval(clock);
  clock = setInterval(() => { element("elapsed").textContent = `Counting, for ${countText(seconds(), "second")} so far`; }, 1000);
  const modes = {choose: chooseGame, advise: advise, play: playOn, review: review};
  try {
    await modes[place.mode](() => mine === turn);
  } catch (error) {
    if (!(error instanceof Said)) throw error;
    if (mine !== turn || error.kind === "GivenUp") return;
    failed = error.kind;
    showTrouble(failed === "TooLong" && place.mode === "advise" ? `${error.message}. Answers are quicker after more shots: tap a cell, then tap the reply.` : error.message);
  }
  if (mine !== turn) return;
  clearInterval(clock);
  element("elapsed").textContent = "";
  document.body.classList.remove("busy");
}

/** Do what asks the server for something; if it refuses, say why. */
async function attempt(work) {
  document.body.classList.add("busy");
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Said)) throw error;
    document.body.classList.remove("busy");
    if (error.kind !== "GivenUp") showTrouble(error.message);
  }
}

function showTrouble(text) {
  element("trouble").textContent = text;
  if (text) show();
}

// What is shown

const MODES = () => place.mode === "play" && !place.match ? "setup" : place.mode;
const LIVE = {
  advise: ["count", "ask", "chance", "wrong-why", "wrong-more", "refused-why", "left"],
  play: ["turn", "said"], review: ["progress", "verdict", "moment"], setup: ["place-next", "touching"], choose: [],
};

function show() {
  const mode = MODES();
  for (const part of document.querySelectorAll("[data-mode]")) part.hidden = !part.dataset.mode.split(" ").includes(mode);
  element("numbers").hidden = ["setup", "choose"].includes(mode);
  element("question").hidden = false;
  element("modes").hidden = !A;
  element("place").hidden = mode === "choose";
  board?.place.classList.remove("placing");
  for (const name of ["advise", "play", "review"]) {
    element(`mode-${name}`).ariaCurrent = name === place.mode ? "page" : null;
    element(`mode-${name}`).href = elsewhere({mode: name});
  }
  element("mode-play").hidden = Boolean(A?.lengths);
  element("link").href = addressOf(place);
  element("names").value = A ? [...new Set(A.fleet)].map(nameOf).join(", ") : "";
  element("change").href = elsewhere({mode: "choose"});
  element("game").textContent = mode === "choose" ? "Which game do you play?" : A.title;
  element("game").title = mode === "choose" ? "" : A.text;
  element("rules").hidden = mode === "choose";
  if (mode === "choose") return;
  element("key-best").hidden = mode === "setup" || mode === "play" && !known;
  element("whose-fleet").textContent = mode === "play" ? "Enemy fleet" : "Fleet";
  element("key-next-is").textContent = mode === "review" ? "shot" : "next shot";
  ({choose: () => {}, advise: showAdvice, setup: showSetup, play: showPlay, review: showReview})[mode]();
  if (looked === null || board.elements[looked]) look(looked);
  const live = LIVE[mode].map((id) => element(id).textContent).filter(Boolean).join(". ");
  if (element("live").textContent !== live) element("live").textContent = live;
}

/** What an answer says of each cell, and what stands for certain; null for none. */
const weightsOf = (answer) => [answer?.counts ?? answer?.chances ?? null, answer?.counts ? answer.configurations : 1];

/** The cells as an answer has them: shots, and on the others how probable a ship is. */
function showCells(answer, shots, {on = board, what = () => "", next = null, wrong = new Set(), end = null, wrecks = answer?.wrecks ?? []} = {}) {
  const replies = new Map(shots), sunk = new Set(wrecks.flat()), last = shots.at(-1)?.[0];
  const best = new Set(answer?.best?.[0]?.cells ?? []);
  const [numbers, total] = weightsOf(answer);
  const most = numbers ? Math.max(...numbers.filter((_, cell) => !replies.has(board.names[cell])).map(Number), 0) || 1 : 0;
  const hottest = on === board && showBar(element("key-percent"), most / Number(total));
  on.elements.forEach((shown, cell) => {
    if (!shown) return;
    const name = on.names[cell], reply = replies.get(name), classes = [];
    if (cell === next) classes.push("next");
    if (wrong.has(name)) classes.push("wrong");
    if (reply !== undefined) {
      const wreck = sunk.has(cell);
      if (name === last) classes.push("last");
      const label = [what(cell), replyText(reply), wreck && kindOf(reply) !== "sunk" && "of a sunk ship", wrong.has(name) && "may be wrong", name === last && "last shot"];
      on.show(cell, {reply, wreck, classes: [...classes, "shot"], label: label.filter(Boolean).join(", ")});
    } else if (!numbers) {
      on.show(cell, {classes, label: cell === next ? "next shot" : what(cell)});
    } else {
      const n = numbers[cell];
      let label = `${percent(n, total, 2)}\u00a0%`;
      if (answer.counts) label = `${groupedDigits(n)}/${groupedDigits(total)} = ${label}`;
      if (Number(n) === 0) classes.push("never");
      if (String(n) === String(total)) classes.push("certain");
      if (best.has(name)) { classes.push("greedy"); label += ", most probable"; }
      if (end?.optimum?.cells.includes(name)) label += ", optimal";
      if (cell === next) label += ", next shot";
      board.show(cell, {text: percent(n, total, board.digits), classes, warmth: n / total / hottest, label});
    }
  });
}

function look(cell) {
  looked = cell;
  const shown = cell ?? (place.mode === "advise" ? nextShot() : null);
  let text = shown === null ? "" : board.label(shown);
  const bounds = shown !== null && values?.values?.[board.names[shown]];
  if (bounds && place.mode === "advise") text += `; if shot next, at best ${boundsText(bounds, values.optimum.weight)}`;
  element("about").textContent = text;
}

// Pictures

const STYLES = ["fill", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "stroke-dasharray", "paint-order", "display",
  "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline"];
const WIDE = 1200;  // pixels of a picture

/** The board as it is shown, as the text of an SVG that needs no style from elsewhere. */
function picture() {
  const shown = element("board").querySelector("svg"), copy = shown.cloneNode(true), {width, height} = shown.viewBox.baseVal;
  const parts = [...shown.querySelectorAll("*")];
  [...copy.querySelectorAll("*")].forEach((part, i) => {
    const style = getComputedStyle(parts[i]);
    for (const name of STYLES) part.style.setProperty(name, style.getPropertyValue(name));
  });
  for (const [name, value] of [["width", WIDE], ["height", Math.round(WIDE * height / width)]]) copy.setAttribute(name, value);
  copy.style.background = getComputedStyle(document.body).backgroundColor;
  return new XMLSerializer().serializeToString(copy);
}

async function savePicture(kind) {
  let address = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture())}`;
  if (kind === "png") {
    const image = newElement("img"), canvas = newElement("canvas");
    image.src = address;
    await image.decode();
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d").drawImage(image, 0, 0);
    address = canvas.toDataURL();
  }
  newElement("a", [], {href: address, download: `board.${kind}`}).click();
}

// The beginning

function build() {
  element("rules").firstChild.textContent = A.rules + (A.prior ? ` Configurations are weighted by the prior ${A.prior}. ` : " ");
  element("key-sunk").hidden = A.announce === "nothing";
  board = new Board(element("board"), A.shape, "Board, with the probability of a ship on each cell", {look, choose});
  own = new Board(element("own"), A.shape, "Your ships and the shots at them", {});
  answers = new ReplyButtons(element("replies"), A, board, answer);
  element("against").append(...A.players.map((name) => newElement("option", name || "nobody", {value: name})));
  const on = (id, event, does) => element(id).addEventListener(event, (happened) => { happened.preventDefault(); does(); });
  for (const mode of ["advise", "play", "review"]) on(`mode-${mode}`, "click", () => goTo({mode}));
  on("change", "click", () => goTo({mode: "choose"}));
  on("undo", "click", undo);
  on("restart", "click", () => place.shots.length && goTo({shots: []}));
  on("unchoose", "click", () => { [chosen, refused] = [null, null]; show(); });
  on("take-back", "click", () => takeBack(picked));
  on("refused-add", "click", () => addShot(refused));
  on("print", "click", () => print());
  on("names", "change", () => goTo({names: element("names").value}));
  for (const [id, to] of [["first", () => 1], ["back", () => (place.at || place.shots.length + 1) - 1], ["on", () => (place.at || Infinity) + 1], ["last", () => Infinity]]) on(id, "click", () => stepTo(to()));
  on("setup", "submit", () => element("begin").getAttribute("aria-disabled") !== "true" && begin());
  on("another", "click", () => goTo({match: ""}));
  on("to-review", "click", () => goTo({mode: "review", shots: parsed(match.shots)}));
  on("branch", "click", () => goTo({mode: "advise", shots: place.shots.slice(0, place.at - 1)}));
  on("paste", "submit", pasted);
  letDrag();
  for (const kind of ["svg", "png"]) on(`save-${kind}`, "click", () => savePicture(kind));
  on("unplace", "click", () => { ships.pop(); show(); });
  element("hints").addEventListener("change", arrive);
  for (const part of document.getElementsByName("strength")) part.addEventListener("change", () => { element("against").value = part.value; show(); });
  for (const part of [element("against"), ...document.getElementsByName("ships")]) part.addEventListener("change", show);
  onKeys(() => {
    if (place.mode === "review") {
      const press = (id) => () => element(id).click();
      return {ArrowLeft: press("back"), ArrowRight: press("on"), Home: press("first"), End: press("last")};
    }
    if (place.mode !== "advise") return {};
    return {...answers.keys, U: undo, Backspace: undo, R: () => element("restart").click(), Escape: () => { [chosen, picked, refused] = [null, null, null]; show(); }};
  });
}

element("choose").addEventListener("submit", (event) => { event.preventDefault(); chosenGame(); });
waits = (isWaiting) => { element("waiting").hidden = !isWaiting; };

async function start() {
  for (const part of document.querySelectorAll("[data-mode], main > .card, #place, #modes")) part.hidden = true;
  readPlace();
  asksOf = () => place.game;
  try {
    A = await ask("about");
    build();
  } catch (error) {
    if (error.status === 401) return;
    if (error.kind !== "NoGame") showTrouble(error.message);
    place.mode = "choose";
  }
  tabs.addEventListener("message", ({data}) => {
    if (match?.match !== data || isShooting) return;
    match = null;
    if (place.mode === "play") arrive();
  });
  addEventListener("popstate", () => {
    const {game} = place;
    readPlace();
    if (place.game !== game) location.reload(); else arrive();
  });
  arrive();
}

start();
