"use strict";
// The board: advice, play and review. What is shown follows from the address and from answers.

let A;  // what does not change: the answer to `about`
let board, own, answers;
let place = {};  // of the address: mode, shots (a list of [cell, reply]), game, at
let known = null;  // what the server says of the position shown, or null while it is asked
let values = null;  // of the endgame
let match = null;  // a game under way, or over
let reviewed = [];  // what was said of each shot
let chosen = null;  // the cell that a person shoots instead of the best
let picked = null;  // the number of a shot that may be taken back
let ships = [];  // placed by hand: [kind, cells]
let looked = null, turn = 0;
let failed = null;  // why there is no answer to wait for, as the server names it

const BUTTONS = 12;  // at most, for replies that may be wrong
const isTooLong = () => failed === "TooLong";
const digits = () => A.shape.cells.some((cell) => cell && cell[1] > 8) ? 0 : 1;
const shotText = ([cell, reply]) => reply ? `${cell}=${reply}` : cell;
const shotsText = (shots) => shots.map(shotText).join(",");
const said = (reply) => replyWords(reply).toLowerCase();
const parsed = (text) => text.split(/[\s,]+/).filter(Boolean).map((one) => { const [cell, reply = ""] = one.split(/=(.*)/s); return [cell, reply]; });

// The address

function addressOf({mode, shots = [], game = null, at = 0}) {
  const parts = [];
  if (mode !== "advise") parts.push(`mode=${mode}`);
  if (game) parts.push(`game=${game}`);
  if (shots.length) parts.push(`shots=${shotsText(shots)}`);
  if (at) parts.push(`at=${at}`);
  return `/${parts.length ? "?" : ""}${parts.join("&")}`;
}

function readPlace() {
  const given = new URLSearchParams(location.search);
  const mode = ["advise", "play", "review"].includes(given.get("mode")) ? given.get("mode") : "advise";
  place = {mode, shots: parsed(given.get("shots") ?? ""), game: given.get("game"), at: Number(given.get("at")) || 0};
}

/** Go to a place, which the browser's back leaves again. */
function goTo(next, isNew = true) {
  place = {shots: [], game: null, at: 0, ...next};
  history[isNew ? "pushState" : "replaceState"](null, "", addressOf(place));
  arrive();
}

/** Show the place of the address. */
async function arrive() {
  const mine = ++turn;
  [chosen, picked, known, values] = [null, null, null, null];
  failed = null;
  document.body.classList.add("busy");
  trouble("");
  const modes = {advise: advise, play: playOn, review: review};
  try {
    await modes[place.mode](() => mine === turn);
  } catch (error) {
    if (!(error instanceof Said)) throw error;
    if (mine !== turn || error.kind === "GivenUp") return;
    failed = error.kind;
    trouble(isTooLong() && place.mode === "advise" ? `${error.message}. Answers are quicker after more shots: tap a cell, then tap the reply.` : error.message);
  }
  if (mine === turn) document.body.classList.remove("busy");
}

function trouble(text) {
  element("trouble").textContent = text;
  if (text) show();
}

// What a mode asks

async function advise(isMine) {
  match = null;
  ships = [];
  show();
  const shots = shotsText(place.shots);
  const found = await ask("advice", {shots});
  if (!isMine()) return;
  known = found;
  show();
  if (!known.impossible && !known.over && BigInt(known.configurations) <= A.endgame) {
    const end = await ask("endgame", {shots});
    if (!isMine()) return;
    values = end;
    show();
  }
}

/** Count what a cell may be replied, for the buttons. */
async function count(cell) {
  const mine = turn;
  try {
    const found = await ask("advice", {shots: shotsText(place.shots), cell});
    if (mine === turn && chosen !== null && board.names[chosen] === cell) { known = found; show(); }
  } catch (error) {
    if (mine === turn && error.kind !== "GivenUp") { failed = error.kind; trouble(error.message); }
  }
}

async function playOn(isMine) {
  if (!place.game) {
    match = null;
    show();
    return;
  }
  if (!match || match.game !== place.game) {
    match = null;
    show();
    try {
      match = await ask("game", {game: place.game});
    } catch (error) {
      if (isMine()) { place = {...place, game: null}; show(); }
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
    match = await ask("shoot", {game: match.game, cell: board.names[cell]});
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
  goTo({mode: "play", game: match.game});
}

async function review(isMine) {
  match = null;
  const shots = shotsText(place.shots);
  if (reviewed.shots !== shots) {
    reviewed = [];
    reviewed.shots = shots;
    element("pasted").value = place.shots.map(([cell, reply]) => `${cell} ${said(reply)}`).join(", ");
  }
  document.body.classList.remove("busy");
  show();
  while (reviewed.length < place.shots.length) {
    const found = await ask("review", {shots, number: reviewed.length + 1});
    if (!isMine()) return;
    reviewed.push(found);
    show();
  }
}

// What is shown

const MODES = () => place.mode === "play" && !match ? "setup" : place.mode;

function show() {
  const mode = MODES();
  for (const part of document.querySelectorAll("[data-mode]")) part.hidden = part.dataset.mode !== mode;
  element("numbers").hidden = mode === "setup";
  for (const name of ["advise", "play", "review"]) {
    const link = element(`mode-${name}`);
    if (name === place.mode) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  }
  for (const id of ["key-next", "key-best", "key-percent"]) element(id).hidden = mode === "setup" || mode === "play" && !known;
  element("key-next").hidden ||= mode === "play";
  element("key-next-is").textContent = mode === "review" ? "shot" : "next shot";
  ({advise: showAdvice, setup: showSetup, play: showPlay, review: showReview})[mode]();
  if (looked === null || board.elements[looked]) look(looked);
  const ids = mode === "advise" ? ["count", "ask", "chance", "wrong-why", "wrong-more", "left"] : mode === "play" ? ["turn", "said"] : mode === "review" ? ["progress", "verdict"] : ["place-next", "touching"];
  const live = ids.map((id) => element(id).textContent).filter(Boolean).join(". ");
  if (element("live").textContent !== live) element("live").textContent = live;
}

/** The cells as an answer has them: shots, and on the others how probable a ship is. */
function showCells(answer, shots, {next = null, wrong = new Set(), end = null} = {}) {
  const replies = new Map(shots);
  const best = new Set(answer?.best?.[0]?.cells ?? []);
  const numbers = answer?.counts ?? answer?.chances ?? null;
  const total = answer?.counts ? answer.configurations : 1;
  const most = numbers ? Math.max(...numbers.filter((_, cell) => !replies.has(board.names[cell])).map(Number), 0) || 1 : 1;
  board.elements.forEach((shown, cell) => {
    if (!shown) return;
    const name = board.names[cell], reply = replies.get(name), classes = [];
    if (cell === next) classes.push("next");
    if (wrong.has(name)) classes.push("wrong");
    if (reply !== undefined) {
      board.show(cell, {reply, classes: [...classes, "shot"], label: said(reply) + (wrong.has(name) ? ", may be wrong" : "")});
    } else if (!numbers) {
      board.show(cell, {classes, label: cell === next ? "next shot" : ""});
    } else {
      const n = numbers[cell];
      let label = `${percent(n, total, 2)}\u00a0%`;
      if (answer.counts) label = `${grouped(n)}/${grouped(total)} = ${label}`;
      if (Number(n) === 0) classes.push("never");
      if (String(n) === String(total)) classes.push("certain");
      if (best.has(name)) { classes.push("greedy"); label += ", most probable"; }
      if (end?.optimum?.cells.includes(name)) label += ", optimal";
      if (cell === next) label += ", next shot";
      board.show(cell, {text: percent(n, total, digits()), classes, warmth: n / most, label});
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

const meanText = (total, weight) => {
  const mean = Number(total) / Number(weight);
  return Number.isInteger(mean) ? String(mean) : mean.toFixed(4);
};
const boundsText = ([lower, upper], weight) => lower === upper
  ? `${meanText(lower, weight)} more ${lower === weight ? "shot" : "shots"} on average (${lower}/${weight})`
  : `${meanText(lower, weight)} to ${meanText(upper, weight)} more shots on average`;

/** The cell of the buttons; null where there is none. */
function nextShot() {
  if (chosen !== null) return chosen;
  if (!known || known.impossible || known.over) return null;
  return board.named((values?.optimum?.cells ?? known.best[0].cells)[0]);
}

function showAdvice() {
  const next = nextShot(), shots = place.shots;
  const wrong = new Set((known?.together ?? []).map((text) => text.split("=")[0]));
  showCells(known?.impossible ? null : known, shots, {next, wrong, end: values});
  board.ships([]);
  const isOver = Boolean(known?.over);
  element("count").textContent = isOver ? "The end" : known?.impossible ? "A contradiction" : `Shot ${shots.length + 1}`;
  element("ask").textContent = isOver ? "Every ship is sunk" : known?.impossible ? "No placement fits these replies" : next === null ? (failed ? "No advice" : "…") : `Shoot ${board.names[next]}`;
  element("chance").textContent = isOver ? `after ${counted(shots.length, "shot")}` : chanceText(next);
  element("wrong").hidden = !known?.impossible;
  element("review-these").hidden = Boolean(known?.impossible);
  if (known?.impossible) {
    const {together, alone} = known, listed = alone.length ? alone : together;
    element("wrong-why").textContent = together.length === 1
      ? (alone.length ? "This reply is wrong:" : "Several replies are wrong, and this is one of them:")
      : alone.length ? "If only one reply is wrong, it is one of these:" : "Several replies are wrong, at least one of these:";
    const more = listed.length - BUTTONS, others = together.length - alone.length;
    element("wrong-more").textContent = [
      more > 0 ? `and ${more} more, framed on the board.` : "",
      alone.length && others ? "If several replies are wrong, one of them at least is framed on the board." : "",
    ].filter(Boolean).join(" ");
    element("wrong-shots").replaceChildren(...listed.slice(0, BUTTONS).map((text) => {
      const [[cell, reply]] = parsed(text);
      const button = made("button", ["Take back ", made("b", `${cell} `), mark(reply), ` ${said(reply)}`], {type: "button"});
      button.addEventListener("click", () => takeBack(shots.findIndex((shot) => shot[0] === cell)));
      return button;
    }));
  } else {
    for (const id of ["wrong-why", "wrong-more"]) element(id).textContent = "";
  }
  element("replies").hidden = next === null || Boolean(known?.impossible);
  answers.forEach((button, i) => {
    const n = known && known.cell === (next === null ? null : board.names[next]) ? known.replies[A.replies[i]] : undefined;
    button.lastChild.textContent = n === undefined ? (known && !failed ? "…" : "") : n === "0" ? "impossible" : `leaves ${grouped(n)}`;
  });
  const back = element("take-back");
  back.hidden = picked === null;
  if (picked !== null) back.replaceChildren("Take back ", made("b", shots[picked][0]), ` ${said(shots[picked][1])}`);
  element("unchoose").hidden = chosen === null;
  for (const id of ["undo", "restart"]) element(id).setAttribute("aria-disabled", shots.length === 0);
  showWay();
  showNumbers();
  for (const [id, text] of [["review-these", {mode: "review", shots}], ["link", {mode: "advise", shots}]]) element(id).href = addressOf(text);
  if (!board.has(document.activeElement)) board.enter(next ?? board.first());
  if (next !== null) board.reveal(next);
}

function chanceText(next) {
  if (next === null || !known || known.impossible) return "";
  if (known.counts) {
    const n = known.counts[next], total = known.configurations;
    return n === total ? "a certain hit" : `hits with probability ${percent(n, total, 2)}\u00a0%: ${grouped(n)}/${grouped(total)}`;
  }
  return `hits with probability ${percent(known.chances[next], 1, 2)}\u00a0%`;
}

function showWay() {
  element("way-none").hidden = place.shots.length > 0;
  element("path").replaceChildren(...place.shots.map(([cell, reply], i) => {
    const button = made("button", [`${cell} `, mark(reply), made("span", ` ${said(reply)}`, {class: kindOf(reply) === "sunk" ? "" : "unseen"})], {type: "button", "aria-pressed": i === picked});
    button.addEventListener("click", () => pick(i));
    return made("li", button);
  }));
}

function showFleet(list, sunk) {
  const left = [...sunk];
  list.replaceChildren(...A.fleet.map((kind) => {
    const i = left.indexOf(kind);
    if (i < 0) return made("li", kind);
    left.splice(i, 1);
    return made("li", [kind, made("span", " sunk", {class: "unseen"})], {class: "sunk"});
  }));
}

function showNumbers() {
  const isKnown = known && !known.impossible, waiting = failed ? "unknown" : "…";
  showFleet(element("fleet"), isKnown ? known.sunk : []);
  element("left").replaceChildren(...(isKnown ? [made("b", grouped(known.configurations)), made("span", `, ${known.bits.toFixed(2)} bits`, {class: "muted"})] : [known ? "none" : waiting]));
  element("best").replaceChildren(...(isKnown ? known.best.flatMap(({by, cells}, i) => [
    ...(i ? [made("br")] : []), made("b", cells.slice(0, 8).join(" ")), cells.length > 8 ? ` and ${cells.length - 8} more` : "", made("span", ` ${by}${i && A.prior ? ", which ignores the prior" : ""}`, {class: "muted"}),
  ]) : [known ? "none" : waiting]));
  if (known?.over) element("best").textContent = "nothing is left to shoot";
  const end = values?.optimum;
  if (end) {
    element("optimum").replaceChildren(made("b", end.cells.join(" ")), ` ${boundsText([end.total, end.total], end.weight)}`);
  } else if (isKnown && !known.over) {
    const isFew = BigInt(known.configurations) <= A.endgame;
    element("optimum").textContent = !isFew ? `searched when at most ${A.endgame} configurations are left` : values ? "not found within the time there is" : waiting;
  } else {
    element("optimum").textContent = known?.over ? "nothing is left to shoot" : known ? "none" : waiting;
  }
  const walk = element("walk-these");
  walk.hidden = !isKnown || known.over || BigInt(known.configurations) > A.walk;
  walk.href = `/explorer?shots=${shotsText(place.shots)}`;
}

// Advice: what a person does

function choose(cell) {
  const name = board.names[cell];
  if (place.mode === "review") return;
  if (MODES() === "play") return shoot(cell);
  if (MODES() === "setup") return placeShip(cell);
  const i = place.shots.findIndex(([shot]) => shot === name);
  if (i >= 0) return pick(i);
  if (known ? known.impossible || known.over : !isTooLong()) return;
  picked = null;
  chosen = cell;
  show();
  if (known && known.cell !== name) count(name);
  element("question").scrollIntoView({block: "nearest"});
}

function pick(i) {
  chosen = null;
  picked = picked === i ? null : i;
  show();
}

function takeBack(i) {
  goTo({mode: "advise", shots: place.shots.filter((_, k) => k !== i)});
}

function undo() {
  if (place.mode === "advise" && place.shots.length) takeBack(place.shots.length - 1);
}

function answer(reply) {
  const next = nextShot();
  if (place.mode !== "advise" || next === null || known?.impossible) return;
  goTo({mode: "advise", shots: [...place.shots, [board.names[next], reply]]});
}

// Play

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

function showPlay() {
  const shots = parsed(match.shots), answered = parsed(match.answers);
  showCells(match.over ? null : known, shots);
  board.ships(match.hidden ?? []);
  element("own-place").hidden = !match.against;
  if (match.against) {
    const replies = new Map(answered);
    own.elements.forEach((shown, cell) => {
      if (!shown) return;
      const reply = replies.get(own.names[cell]), isShip = match.own.some((ship) => ship.includes(cell));
      const label = [isShip ? "your ship" : "water", reply === undefined ? "" : said(reply)].filter(Boolean).join(", ");
      own.show(cell, reply === undefined ? {label} : {reply, classes: ["shot"], label});
    });
    own.ships(match.own);
  }
  const last = shots.at(-1), back = answered.at(-1);
  element("turn").textContent = match.over ? "The end" : `Shot ${shots.length + 1}${match.against ? `, against ${match.against}` : ""}`;
  const words = [last ? `You shot ${last[0]}: ${said(last[1])}.` : "Tap a cell to shoot.", back ? `It shot ${back[0]}: ${said(back[1])}.` : ""];
  if (match.over) words.push(match.won ? `You have sunk every ship, in ${counted(shots.length, "shot")}.` : `${match.against} has sunk your ships. The board shows its ships.`);
  element("said").textContent = words.filter(Boolean).join(" ");
  element("to-review").hidden = !match.over;
  showFleet(element("its-fleet"), match.sunk);
  if (!board.has(document.activeElement)) board.enter(last ? board.named(last[0]) : board.first());
}

// Review

const points = (given) => given < 0.00005 ? "nothing" : `${(100 * given).toFixed(given < 0.001 ? 2 : 1)} points`;
const percentagePoints = (given) => points(given).replace("points", "percentage points");
const lossOf = (one) => one.optimum ? one.loss : null;

function lossText([lower, upper]) {
  const text = (loss) => loss === 0 ? "no shot" : loss < 0.0005 ? "less than 0.001 shots" : `${loss.toFixed(3)} shots`;
  return lower === upper ? text(lower) : `${text(lower)} to ${text(upper)}`;
}

function showReview() {
  const {shots} = place, at = Math.min(place.at, reviewed.length), one = at ? reviewed[at - 1] : null;
  showCells(one, one ? shots.slice(0, at - 1) : shots, {next: one ? board.named(shots[at - 1][0]) : null, end: one});
  board.ships([]);
  element("rows-place").hidden = shots.length === 0;
  element("progress").textContent = reviewed.length < shots.length ? `${reviewed.length} of ${counted(shots.length, "shot")} reviewed${failed ? "" : " …"}` : "";
  const given = reviewed.reduce((sum, {most, chance}) => sum + Math.max(0, most - chance), 0);
  const losses = reviewed.map(lossOf).filter(Boolean);
  const lost = [0, 1].map((side) => losses.reduce((sum, bounds) => sum + bounds[side], 0));
  const isDone = shots.length > 0 && reviewed.length === shots.length;
  const best = reviewed.filter(({most, chance}) => most - chance < 0.00005).length;
  element("verdict").textContent = isDone
    ? `${best} of ${counted(shots.length, "shot")} ${isOne(best) ? "was" : "were"} at a most probable cell${best === shots.length ? "" : `; the others gave away ${percentagePoints(given)} in total`}.${losses.length ? ` In the endgame (${counted(losses.length, "shot")}), ${lost[1] ? `these shots cost ${lossText(lost)} more on average than optimal ones` : "every shot was optimal"}.` : ""}`
    : "";
  const [body] = element("rows").tBodies;
  const had = body.contains(document.activeElement) ? document.activeElement.dataset.at : null;
  body.replaceChildren(...reviewed.map((row, i) => {
    const [cell, reply] = shots[i], away = row.most - row.chance, loss = lossOf(row);
    const button = made("button", [`${i + 1}. ${cell} `, mark(reply), made("span", ` ${said(reply)}`, {class: "unseen"})], {type: "button", "data-at": i + 1});
    button.addEventListener("click", () => goTo({...place, at: i + 1}, false));
    const isBad = loss ? loss[0] > 0 : away >= 0.00005;
    const line = made("tr", [
      made("td", button), made("td", `${percent(row.chance, 1, 1)} %`),
      made("td", `${row.best[0].cells.slice(0, 3).join(" ")}${row.best[0].cells.length > 3 ? " …" : ""} ${percent(row.most, 1, 1)} %`),
      made("td", made("span", [points(Math.max(0, away)), ...(loss ? [`, ${lossText(loss)}`] : [])], {class: isBad ? "bad" : "good"})),
    ]);
    if (i + 1 === at) line.setAttribute("aria-current", "true");
    return line;
  }));
  if (had) body.querySelector(`[data-at="${had}"]`)?.focus();
}

async function pasted() {
  document.body.classList.add("busy");
  try {
    const {shots} = await ask("shots", {text: element("pasted").value});
    goTo({mode: "review", shots: parsed(shots)});
  } catch (error) {
    document.body.classList.remove("busy");
    trouble(error.message);
  }
}

// The beginning

function build() {
  element("game").textContent = A.title;
  element("rules").textContent = A.rules + (A.prior ? ` Configurations are weighted by the prior ${A.prior}.` : "");
  element("key-sunk").hidden = !A.replies.some((reply) => kindOf(reply) === "sunk");
  board = new Board(element("board"), A.shape, "Board, with the probability of a ship on each cell", {look, choose});
  own = new Board(element("own"), A.shape, "Your ships and the shots at them", {});
  for (const part of document.querySelectorAll("[data-sign]")) part.prepend(mark(part.dataset.sign));
  answers = replyButtons(element("replies"), A.replies, answer);
  element("key-sinking").append(...A.replies.flatMap((reply) => kindOf(reply) === "sunk" && keyOf(reply) ? [" ", made("kbd", keyOf(reply)), ` ${said(reply)},`] : []));
  element("against").append(...A.players.map((name) => made("option", name || "nobody", {value: name})));
  const on = (id, event, does) => element(id).addEventListener(event, (happened) => { happened.preventDefault(); does(); });
  for (const name of ["advise", "play", "review"]) {
    const link = element(`mode-${name}`), at = {mode: name};
    link.href = addressOf(at);
    on(link.id, "click", () => goTo(name === "review" && place.mode === "advise" ? {...at, shots: place.shots} : at));
  }
  on("undo", "click", undo);
  on("restart", "click", () => place.shots.length && goTo({mode: "advise"}));
  on("unchoose", "click", () => { chosen = null; show(); });
  on("take-back", "click", () => takeBack(picked));
  on("review-these", "click", () => goTo({mode: "review", shots: place.shots}));
  on("setup", "submit", () => element("begin").getAttribute("aria-disabled") !== "true" && begin());
  on("another", "click", () => goTo({mode: "play"}));
  on("to-review", "click", () => goTo({mode: "review", shots: parsed(match.shots)}));
  on("paste", "submit", pasted);
  on("unplace", "click", () => { ships.pop(); show(); });
  element("hints").addEventListener("change", arrive);
  for (const part of [element("against"), ...document.querySelectorAll("[name=ships]")]) part.addEventListener("change", show);
  onKeys(() => {
    if (place.mode === "review") {
      const to = (at) => () => reviewed.length && goTo({...place, at: Math.max(1, Math.min(reviewed.length, at))}, false);
      return {ArrowLeft: to(place.at - 1), ArrowRight: to(place.at + 1)};
    }
    if (place.mode !== "advise") return {};
    const actions = {U: undo, Backspace: undo, R: () => element("restart").click(), Escape: () => { [chosen, picked] = [null, null]; show(); }};
    A.replies.forEach((reply) => { if (keyOf(reply)) actions[keyOf(reply)] = () => answer(reply); });
    return actions;
  });
}

waits = (isWaiting) => { element("waiting").hidden = !isWaiting; };

async function start() {
  for (const part of document.querySelectorAll("[data-mode], #numbers, #place")) part.hidden = true;
  try {
    A = await ask("about");
  } catch (error) {
    if (error.status !== 401) element("trouble").textContent = error.message;
    return;
  }
  element("place").hidden = false;
  build();
  readPlace();
  addEventListener("popstate", () => { readPlace(); arrive(); });
  arrive();
}

start();
