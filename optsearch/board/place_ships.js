"use strict";
// A new match: against whom, and where the ships of the person lie.

function showSetup() {
  const isSolo = element("against").value === "";
  const isPlaced = element("placed").checked && !isSolo;
  element("hiding").hidden = isSolo;
  element("whose").textContent = {easy: "shoots at random", hard: "plays by version 5 of Battleship Heuristics", exact: "shoots at a most probable cell, counted exactly", "": "only you shoot"}[element("against").value] ?? "";
  element("placing").hidden = !isPlaced;
  const placed = isPlaced ? ships.map(([, cells]) => cells) : [], pairs = touching(placed), touch = new Set(pairs.flat());
  showCells(null, []);
  for (const ship of placed) for (const cell of ship) {
    board.show(cell, {classes: touch.has(ship) ? ["wrong"] : [], label: touch.has(ship) ? "your ship, touches another" : "your ship"});
  }
  board.ships(placed);
  element("touching").textContent = pairs.length
    ? `${pairs.slice(0, 3).map((pair) => pair.map(shipName).join(" and ")).join(", ")}${pairs.length > 3 ? ` and ${counted(pairs.length - 3, "more pair")}` : ""} touch, which these rules do not allow.`
    : "";
  const left = shipsLeft();
  element("place-next").textContent = !isPlaced ? "" : left.length ? `Place the ${shipText(left[0])}: ${counted(left.length, "ship")} to place` : "Every ship is placed";
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

const shipText = (kind) => `ship of ${/^\d+$/.test(kind) ? "length" : "shape"} ${kind}`;

function shipsLeft() {
  const placed = ships.map(([kind]) => kind);
  return A.fleet.filter((kind) => {
    const i = placed.indexOf(kind);
    if (i >= 0) placed.splice(i, 1);
    return i < 0;
  });
}

/** Place the next ship with its first cell here, turn the one that begins here, or take one off. */
function placeShip(cell) {
  if (!element("placed").checked) return;
  const i = ships.findIndex(([, cells]) => cells.includes(cell));
  if (i >= 0) {
    const [kind, cells] = ships[i], ways = A.places[kind].filter((one) => one[0] === cells[0]);
    const others = ways.slice(ways.findIndex((one) => String(one) === String(cells)) + 1);
    const free = others.find((one) => isFree(one, i));
    if (cell === cells[0] && free) ships[i] = [kind, free]; else ships.splice(i, 1);
  } else {
    const [kind] = shipsLeft();
    const way = kind && A.places[kind].find((one) => one[0] === cell && isFree(one, -1));
    if (way) ships.push([kind, way]);
    else trouble(kind ? `The ${shipText(kind)} does not fit with ${board.names[cell]} as its top left cell` : "Every ship is placed");
    if (!way) return;
  }
  trouble("");
  show();
}

const isFree = (cells, except) => !ships.some(([, others], i) => i !== except && others.some((cell) => cells.includes(cell)));
