"use strict";
// Which game: one that has a name, or any board, fleet and rules.

const PARTS = ["size", "board", "fleet", "contact", "announce", "holes"];
const field = (part) => element(`of-${part}`);
const isSame = (one, other) => PARTS.every((part) => one[part] === other[part]);
let offered = null;  // the games to choose from; each has a name and PARTS

async function chooseGame(isMine) {
  show();
  offered ?? offer(await ask("games"));
  if (isMine()) show();
}

function offer({named, first, contacts, announcements, boards}) {
  const isOther = first && !named.some((game) => isSame(game, first));
  offered = isOther ? [first, ...named] : named;
  element("named").replaceChildren(...offered.map(cardOf));
  for (const [part, words] of [["contact", contacts], ["announce", announcements], ["board", boards]]) {
    field(part).replaceChildren(...Object.entries(words).map(([value, text]) => newElement("option", text || "A rectangle.", {value})));
  }
  const game = A ?? first ?? named[0], known = offered.find((one) => isSame(one, game));
  element("other").open = !known;
  fill(known ?? game);
}

/** A game to choose: its board and its fleet drawn, who plays it, its rules, and its text. */
function cardOf(game) {
  const {shape, name, title, players, rules, text, ships} = game, cells = shape.cells.filter(Boolean);
  const path = cells.map(([, x, y]) => `M${shape.outline.map(([dx, dy]) => `${x + dx} ${y + dy}`).join("L")}Z`).join("");
  const [left, top, right, bottom] = boundsOf(cells.map((cell) => cell.slice(1)));
  const picture = newDrawing("svg", {viewBox: `${left - .1} ${top - .1} ${right - left + .2} ${bottom - top + .2}`, "aria-hidden": "true"}, newDrawing("path", {d: path}));
  const href = A && isSame(game, A) ? elsewhere({mode: "advise"}) : addressOf({game: name, mode: "advise", shots: []});
  return newElement("li", [
    picture, newElement("div", [newElement("h2", title), newElement("p", players, {class: "muted"})]), newElement("p", rules), newElement("code", text, {title: text}),
    newElement("ul", fleetRows({fleet: ships, ships: shape.ships}), {class: "fleet", "aria-label": "Fleet"}), newElement("a", "Open", {class: "primary", href, "aria-label": `Open: ${title}`}),
  ], {class: "card"});
}

/** Show a game in the form. A board of a file keeps its fleet; what was named elsewhere, its rules. */
function fill(game) {
  element("choose").dataset.base = game.name;
  for (const part of PARTS) {
    if (part === "board" && !game.size) field(part).append(newElement("option", game.board, {value: game.board}));
    field(part).value = game[part];
    field(part).closest("label").hidden = !game.size && (!game.name || !["contact", "announce"].includes(part));
  }
}

const written = () => Object.fromEntries(PARTS.map((part) => [part, field(part).value.replaceAll(" ", "")]));

/** The text of the game of the form. */
function composed() {
  const parts = written(), known = offered.find((game) => isSame(game, parts));
  if (known) return known.name;
  const rules = `,contact=${parts.contact},announce=${parts.announce}`;
  if (!parts.size) return element("choose").dataset.base.split(",")[0] + rules;
  const extras = [parts.holes && `,holes=${parts.holes}`, parts.board !== "rectangle" && `,board=${parts.board}`];
  return `${parts.size}:${parts.fleet}${rules}${extras.filter(Boolean).join("")}`;
}

const chosenGame = () => attempt(async () => {
  const game = composed(), {text} = await ask("about", {game});
  if (A?.text === text) goTo({mode: "advise"});
  else location.href = addressOf({game, mode: "advise", shots: []});
});
