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
  if (match.over) return compare(isMine);
  if (!element("hints").checked) return;
  const found = await ask("advice", {shots: match.shots.replaceAll(" ", ",")});
  if (isMine()) { known = found; show(); }
}

/** Learn what greedy takes against the same ships; nobody waits for it. */
async function compare(isMine) {
  try {
    match.greedy ??= (await ask("greedy", {match: match.match})).greedy;
    if (isMine()) show();
  } catch (error) {
    if (!(error instanceof Said)) throw error;
  }
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

/** The answer to a request that is made until there is one. */
async function insist(name, asked) {
  for (;;) {
    try {
      return await ask(name, asked);
    } catch (error) {
      if (error.kind !== "GivenUp") throw error;
    }
  }
}

/** Shoot at what was tapped, one cell after the other. */
async function shootOn() {
  if (isShooting || isBeginning || !match) return;
  const {match: name} = match;
  isShooting = true;
  while (taps.length && match?.match === name && !match.over) {
    document.body.classList.add("busy");
    try {
      const found = await insist("shoot", {match: name, cell: taps[0]});
      if (match?.match !== name) break;
      match = found;
      taps.shift();
      tabs.postMessage(name);
      show();
    } catch (error) {
      [taps, isShooting] = [[], false];
      document.body.classList.remove("busy");
      return trouble(error.message);
    }
  }
  [taps, isShooting] = [[], false];
  arrive();
}

async function begin() {
  const placed = element("placed").checked && element("against").value !== "";
  const text = placed ? ships.map(([, cells]) => cells.map((cell) => board.names[cell]).join("+")).join(" ") : "";
  document.body.classList.add("busy");
  isBeginning = true;
  try {
    match = await insist("begin", {against: element("against").value, ships: text});
  } catch (error) {
    taps = [];
    document.body.classList.remove("busy");
    return trouble(error.message);
  } finally {
    isBeginning = false;
  }
  ships = [];
  goTo({match: match.match});
  board.elements[board.first()].focus();
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
    const replies = new Map(answered), shotAt = (cell) => replies.has(own.names[cell]);
    const wrecks = new Set(match.own.filter((ship) => ship.every(shotAt)).flat());
    own.elements.forEach((shown, cell) => {
      if (!shown) return;
      const reply = replies.get(own.names[cell]), isShip = match.own.some((ship) => ship.includes(cell));
      const label = [isShip ? "your ship" : "water", reply === undefined ? "" : said(reply)].filter(Boolean).join(", ");
      const classes = ["shot", ...(own.names[cell] === answered.at(-1)?.[0] ? ["last"] : [])];
      own.show(cell, reply === undefined ? {label} : {reply, wreck: wrecks.has(cell), classes, label});
    });
    own.ships(match.own);
  }
  const last = shots.at(-1), back = answered.at(-1), whom = RANKS[match.against] ?? match.against, theirs = whom.charAt(0).toUpperCase() + whom.slice(1);
  element("turn").textContent = match.over ? "The end" : `Shot ${shots.length + 1}${whom ? `, against ${whom}` : ""}`;
  const words = [last ? `You shot ${last[0]}: ${said(last[1])}.` : "Tap a cell to shoot.", back && !match.won ? `${theirs} shot ${back[0]}: ${said(back[1])}.` : ""];
  if (match.over) words.push(match.won ? `You have sunk every ship, in ${counted(shots.length, "shot")}.` : `${theirs} has sunk your ships. The board shows the others.`);
  element("said").textContent = words.filter(Boolean).join(" ");
  element("by-greedy").textContent = !match.over ? "" : match.greedy ? `Shooting a most probable cell each time takes ${counted(match.greedy, "shot")} against the same ships.` : "";
  element("to-review").hidden = !match.over;
  showFleet("fleet", match.sunk, shots);
  if (!board.has(document.activeElement)) board.enter(last ? board.named(last[0]) : board.first());
}
