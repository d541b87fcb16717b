"use strict";
// A new match: against whom, and where the ships of the person lie.

function showSetup() {
  const isSolo = element("against").value === "";
  const isPlaced = element("placed").checked && !isSolo;
  element("hiding").hidden = isSolo;
  for (const radio of document.getElementsByName("strength")) radio.checked = radio.value === element("against").value;
  element("placing").hidden = !isPlaced;
  board.place.classList.toggle("placing", isPlaced);
  const placed = isPlaced ? ships.map(([, cells]) => cells) : [], pairs = touching(placed), touch = new Set(pairs.flat());
  showCells(null, []);
  for (const ship of placed) for (const cell of ship) {
    board.show(cell, {classes: ["own", ...(touch.has(ship) ? ["wrong"] : [])], label: touch.has(ship) ? "your ship, touches another" : "your ship"});
  }
  board.ships(placed);
  element("touching").textContent = pairs.length
    ? `${pairs.slice(0, 3).map((pair) => pair.map(shipName).join(" and ")).join(", ")}${pairs.length > 3 ? ` and ${countText(pairs.length - 3, "more pair")}` : ""} touch, which these rules do not allow.`
    : "";
  const left = shipsLeft();
  element("place-next").textContent = !isPlaced ? "" : left.length ? `Place the ${shipText(left[0])}: ${countText(left.length, "ship")} to place` : "Every ship is placed";
  element("unplace").setAttribute("aria-disabled", ships.length === 0);
  element("begin").setAttribute("aria-disabled", isPlaced && (left.length > 0 || pairs.length > 0));
}

/** Pairs of ships that lie too near to each other. */
const touching = (all) => all.flatMap((ship, i) => all.slice(i + 1)
  .filter((other) => ship.some((cell) => A.near[cell].some((one) => other.includes(one))))
  .map((other) => [ship, other]));

/** The first and the last cell of a straight ship, all cells of another. */
function shipName(cells) {
  const names = cells.map((cell) => board.names[cell]), at = cells.map((cell) => board.at[cell]);
  const isStraight = [0, 1].some((side) => at.every((one) => one[side] === at[0][side]));
  return isStraight && cells.length > 1 ? `${names[0]}-${names.at(-1)}` : names.join("+");
}

function shipsLeft() {
  const left = [...A.fleet];
  for (const [kind] of ships) left.splice(left.indexOf(kind), 1);
  return left;
}

/** Where the cells of a placement lie to each other. */
function formOf(cells) {
  const [x, y] = board.at[cells[0]];
  return cells.map((cell) => [board.at[cell][0] - x, board.at[cell][1] - y].map((n) => n.toFixed(2))).join(" ");
}

/** The free placements of a kind that have a cell, those with it nearest to their beginning first. */
const placementsOn = (kind, cell, except) => A.places[kind].filter((cells) => cells.includes(cell) && isFree(cells, except))
  .sort((one, other) => one.indexOf(cell) - other.indexOf(cell));

/** Place the next ship on a cell, turn the one that was placed from there, or take another off. */
function placeShip(cell) {
  if (!element("placed").checked || dragged?.isMoved) return;
  const i = ships.findIndex(([, cells]) => cells.includes(cell)), [kind] = i < 0 ? shipsLeft() : ships[i];
  showTrouble("");
  if (i < 0) {
    const [cells] = kind ? placementsOn(kind, cell, -1) : [];
    if (cells) ships.push([kind, cells, cell]);
    else showTrouble(kind ? `There is no room for the ${shipText(kind)} on ${board.names[cell]}` : "Every ship is placed");
  } else if (ships[i][2] !== cell) {
    ships.splice(i, 1);
  } else {
    const forms = [...new Set(A.places[kind].map(formOf))], now = forms.indexOf(formOf(ships[i][1]));
    const others = placementsOn(kind, cell, i), turns = [...forms.slice(now + 1), ...forms.slice(0, now)];
    const turned = turns.map((form) => others.find((cells) => formOf(cells) === form)).find(Boolean);
    if (turned) ships[i] = [kind, turned, cell];
    else if (forms.length === 1) ships.splice(i, 1);
    else showTrouble(`There is no room to turn the ${shipText(kind)} on ${board.names[cell]}`);
  }
  show();
}

let dragged = null;  // the ship that a pointer holds, which of its cells, and whether it moved

/** Ships are dragged, with a mouse or a finger: one goes where the cell that is held can go. */
function letDrag() {
  document.addEventListener("pointerdown", (event) => {
    const cell = board.under(event), i = MODES() === "setup" ? ships.findIndex(([, cells]) => cells.includes(cell)) : -1;
    dragged = i < 0 ? null : {i, part: ships[i][1].indexOf(cell), isHeld: true, isMoved: false};
  });
  document.addEventListener("pointermove", (event) => {
    if (!dragged?.isHeld) return;
    const {i, part} = dragged, [kind, cells, from] = ships[i], to = board.under(event);
    if (to < 0 || to === cells[part]) return;
    const moved = A.places[kind].find((one) => one[part] === to && formOf(one) === formOf(cells) && isFree(one, i));
    if (!moved) return;
    ships[i] = [kind, moved, moved[cells.indexOf(from)]];
    dragged.isMoved = true;
    show();
  });
  for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, () => { if (dragged) dragged.isHeld = false; });
}

const isFree = (cells, except) => !ships.some(([, others], i) => i !== except && others.some((cell) => cells.includes(cell)));
