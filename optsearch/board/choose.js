"use strict";
// Which game: one that has a name, or any board, fleet and rules.

const PARTS = ["size", "board", "fleet", "contact", "announce", "holes"];
const field = (part) => element(`of-${part}`);
const isSame = (one, other) => PARTS.every((part) => one[part] === other[part]);
let offered = null;  // the games to choose from; each has a name and PARTS

async function chooseGame(isMine) {
  show();
  if (!offered) {
    const found = await ask("games");
    if (!isMine()) return;
    offer(found);
  }
  show();
}

function offer({named, first, contacts, announcements, boards}) {
  const isOther = first && !named.some((game) => isSame(game, first));
  offered = isOther ? [first, ...named] : named;
  element("named").replaceChildren(...offered.map((game) => {
    const input = made("input", [], {type: "radio", name: "named"});
    input.addEventListener("change", () => fill(game));
    return made("label", [input, made("b", game.name || game.text), ` ${game.about} `, made("span", game.name ? game.text : "", {class: "muted"})]);
  }));
  for (const [part, words] of [["contact", contacts], ["announce", announcements], ["board", boards]]) {
    field(part).replaceChildren(...Object.entries(words).map(([value, text]) => made("option", text || "A rectangle.", {value})));
  }
  for (const part of PARTS) field(part).addEventListener("input", compare);
  fill(offered.find((game) => isSame(game, A ?? first ?? named[0])) ?? A);
}

/** Show a game in the form. A board of a file keeps its fleet; what was named elsewhere, its rules. */
function fill(game) {
  element("choose").dataset.base = game.name;
  for (const part of PARTS) {
    if (part === "board" && !game.size) field(part).append(made("option", game.board, {value: game.board}));
    field(part).value = game[part];
    field(part).closest("label").hidden = !game.size && (!game.name || !["contact", "announce"].includes(part));
  }
  compare();
}

const written = () => Object.fromEntries(PARTS.map((part) => [part, field(part).value.replaceAll(" ", "")]));

/** Mark the game of the form where it has a name. */
function compare() {
  const parts = written();
  [...element("named").children].forEach((label, i) => { label.firstChild.checked = isSame(offered[i], parts); });
}

/** The text of the game of the form. */
function composed() {
  const parts = written(), known = offered.find((game) => isSame(game, parts));
  if (known) return known.name;
  const rules = `,contact=${parts.contact},announce=${parts.announce}`;
  if (!parts.size) return element("choose").dataset.base.split(",")[0] + rules;
  const extras = [parts.holes && `,holes=${parts.holes}`, parts.board !== "rectangle" && `,board=${parts.board}`];
  return `${parts.size}:${parts.fleet}${rules}${extras.filter(Boolean).join("")}`;
}

async function chosenGame() {
  const game = composed();
  try {
    const {text} = await ask("about", {game});
    if (A?.text === text) goTo({mode: "advise"});
    else location.href = addressOf({game, mode: "advise", shots: []});
  } catch (error) {
    trouble(error.message);
  }
}
