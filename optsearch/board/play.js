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
  show();
  if (element("hints").checked && !match.over) {
    const found = await ask("advice", {shots: match.shots.replaceAll(" ", ",")});
    if (isMine()) { known = found; show(); }
  }
}

async function shoot(cell) {
  if (!match || match.over || document.body.classList.contains("busy")) return;
  document.body.classList.add("busy");
  try {
    match = await ask("shoot", {match: match.match, cell: board.names[cell]});
    tabs.postMessage(match.match);
  } catch (error) {
    trouble(error.message);
    document.body.classList.remove("busy");
    return;
  }
  arrive();
}

async function begin() {
  const placed = element("placed").checked && element("against").value !== "";
  const text = placed ? ships.map(([, cells]) => cells.map((cell) => board.names[cell]).join("+")).join(" ") : "";
  document.body.classList.add("busy");
  try {
    match = await ask("begin", {against: element("against").value, ships: text});
  } catch (error) {
    trouble(error.message);
    document.body.classList.remove("busy");
    return;
  }
  ships = [];
  goTo({match: match.match});
  board.elements[board.first()].focus();
}

function showPlay() {
  if (!match) return;
  const shots = parsed(match.shots), answered = parsed(match.answers);
  showCells(match.over ? null : known, shots, {wrecks: match.wrecks});
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
  const last = shots.at(-1), back = answered.at(-1);
  element("turn").textContent = match.over ? "The end" : `Shot ${shots.length + 1}${match.against ? `, against ${match.against}` : ""}`;
  const words = [last ? `You shot ${last[0]}: ${said(last[1])}.` : "Tap a cell to shoot.", back && !match.won ? `It shot ${back[0]}: ${said(back[1])}.` : ""];
  if (match.over) words.push(match.won ? `You have sunk every ship, in ${counted(shots.length, "shot")}.` : `${match.against} has sunk your ships. The board shows its ships.`);
  element("said").textContent = words.filter(Boolean).join(" ");
  element("to-review").hidden = !match.over;
  showFleet("its-fleet", match.sunk, shots);
  if (!board.has(document.activeElement)) board.enter(last ? board.named(last[0]) : board.first());
}
