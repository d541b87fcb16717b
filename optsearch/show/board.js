"use strict";
// What every page has: a board of cells with coordinates, its heat, signs and keys; numbers as text.

const element = (id) => document.getElementById(id);

/** An element with text or elements in it. */
function newElement(tag, content = [], attributes = {}) {
  return filled(document.createElement(tag), content, attributes);
}

/** A drawing element of an SVG with text or elements in it. */
function newDrawing(tag, attributes = {}, content = []) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), content, attributes);
}

function filled(result, content, attributes) {
  for (const [name, value] of Object.entries(attributes)) result.setAttribute(name, value);
  result.append(...[content].flat());
  return result;
}

// Numbers as text; exact ones come as integers or as their texts

const groupedDigits = (n) => BigInt(n).toLocaleString("en");
const isOne = (n) => String(n) === "1";
const countText = (n, word) => `${groupedDigits(n)} ${word}${isOne(n) ? "" : "s"}`;

/** A probability in percent; only what never happens is 0, and only what is certain is 100. */
function percent(n, total, digits) {
  if (Number(n) === 0) return "0";
  if (String(n) === String(total)) return "100";
  const least = 10 ** -digits, value = 100 * n / total;
  if (value < least) return `<${least}`;
  if (value > 100 - least) return `>${(100 - least).toFixed(digits)}`;
  return value.toFixed(digits);
}

const meanText = (total, n) => Number.isInteger(total / n) ? String(total / n) : (total / n).toFixed(4);

/** Show the bar of the heat map in an element, from 0 to 100 % or, by its switch, to the greatest that the board shows; return its end. */
function showBar(place, most) {
  if (!place.firstChild) {
    const greatest = newElement("input", [], {type: "checkbox"});
    greatest.addEventListener("change", () => show());
    place.append("probability of a ship: 0 ", newElement("i", [], {class: "bar"}), newElement("span"), newElement("label", [greatest, "colours up to the greatest"]));
  }
  const end = place.querySelector("input").checked && most ? most : 1;
  place.hidden = !most;
  place.children[1].textContent = ` ${percent(end, 1, 1)} % `;
  return end;
}

// Replies and their signs: × is a hit, ○ a miss, ● a hit that sinks

const kindOf = (reply) => reply.split(":")[0];

let SHIPS = {};  // by the text of its kind the name of a ship, and the places of its cells

const nameOf = (kind) => SHIPS[kind]?.name ?? kind;

/** The words of a reply. */
const replyText = (reply) => reply.split(":").map(nameOf).join(" ");

/** The words of a reply, as on its button. */
const replyWords = (reply) => replyText(reply).charAt(0).toUpperCase() + replyText(reply).slice(1);

const shipText = (kind) => /^[a-z]{3}/i.test(nameOf(kind)) ? nameOf(kind) : `ship of ${/^\d+(-\d+)?$/.test(kind) ? "length" : "shape"} ${kind}`;

/** The key that gives a reply: of a ship its length, or the first letter of its name; else none. */
function keyOf(reply) {
  const [kind, ship] = reply.split(":");
  const key = (/^\d$/.test(ship) ? ship : nameOf(ship ?? kind).match(/[a-z]/i)?.[0] ?? "").toUpperCase();
  return ship && "MRTU".includes(key) ? "" : key;
}

/** The left, top, right and bottom of places, with room around them. */
const boundsOf = (cells, room = .5) => [Math.min, Math.max].flatMap((most, i) => [0, 1].map((side) => most(...cells.map((at) => at[side])) + (2 * i - 1) * room));

/** A ship by the places of its cells, of which some are filled in or faint; crossed out if it is sunk. */
function shipDrawing(cells, isFilled, isSunk = false, opacity = () => 1) {
  const [left, top, right, bottom] = boundsOf(cells);
  const [wide, high] = [right - left, bottom - top];
  return newDrawing("svg", {class: "ship", viewBox: `${left} ${top} ${wide} ${high}`, width: `${.8 * wide}em`, height: `${.8 * high}em`, "aria-hidden": "true"}, [
    ...cells.map(([x, y], i) => newDrawing("rect", {x: x - .42, y: y - .42, width: .84, height: .84, rx: .25, class: isFilled(i) ? "filled" : "", opacity: opacity(i)})),
    ...(isSunk ? [newDrawing("path", {d: `M${left} ${top + high / 2}h${wide}`})] : []),
  ]);
}

/**
 * The ships of a fleet, a row for each kind. hits -- how many cells of a kind are known to be hit. lengths -- by the kind
 * the probability of each length that its ships can have; a cell is as faint as it is improbable.
 */
function fleetRows({fleet, ships, lengths = {}}, sunk = [], hits = () => 0) {
  return [...new Set(fleet)].map((kind) => {
    const chances = Object.entries(lengths[kind] ?? {}).filter(([, chance]) => chance), has = (k) => chances.length ? chances.filter(([length]) => length > k).reduce((sum, [, chance]) => sum + chance, 0) : 1;
    const cells = ships[kind].cells.filter((_, k) => has(k) > 0), number = count(fleet, kind), gone = count(sunk, kind), filled = Math.max(hits(kind), gone * cells.length);
    const drawings = Array.from({length: number}, (_, i) => shipDrawing(cells, (k) => i * cells.length + k < filled, i < gone, (k) => Math.max(has(k), .2)));
    const told = chances.length > 1 ? [newElement("small", chances.map(([length, chance]) => newElement("span", `${length}: ${percent(chance, 1, 1)} %`)), {class: "lengths"})] : [];
    return newElement("li", [...drawings, newElement("span", ` ${nameOf(kind)}`), newElement("span", gone ? ` ${number > 1 ? gone : ""} sunk` : "", {class: "unseen"}), ...told], {class: gone === number ? "sunk" : ""});
  });
}

const count = (all, one) => all.filter((other) => other === one).length;

/** The sign of a reply around (0, 0), where a cell is 1 wide; a hit may tell its ship, in small. */
function sign(reply, isSunk = kindOf(reply) === "sunk") {
  const [kind, ship] = reply.split(":"), parts = [];
  if (isSunk) parts.push(newDrawing("circle", {r: .27}), newDrawing("circle", {r: .4, class: "ring"}));
  else if (kind === "hit") parts.push(newDrawing("path", {d: "M-.26-.26 .26 .26M-.26 .26 .26-.26"}));
  else parts.push(newDrawing("circle", {r: .27}));
  if (kind === "hit" && ship) parts.push(newDrawing("text", {x: .3, y: .32}, nameOf(ship).length > 2 ? nameOf(ship)[0].toUpperCase() : nameOf(ship)));
  return newDrawing("g", {class: `sign ${isSunk ? "sunk" : kind}`}, parts);
}

/** The sign of a reply among words. */
const mark = (reply) => newDrawing("svg", {class: "mark", viewBox: "-.5 -.5 1 1", "aria-hidden": "true"}, sign(kindOf(reply)));

/**
 * A button in a group for each reply to a shot; it has its words, its key, and room for a word more. Where hits
 * show their ship, it has a picture of the ship, which the board outlines while the button is pointed at; ships
 * of a kind are together, and those that cannot be there are folded away.
 *
 * game -- its replies and its fleet.
 */
class ReplyButtons {
  #buttons = new Map();
  #drawn = "";

  constructor(group, game, board, answer) {
    Object.assign(this, {group, game, board, answer});
  }

  /** Those for a shot at a cell. says(reply) -- the word more, whether it cannot be, and the title. */
  show(cell, says) {
    const {shown} = this.board, kinds = this.game.kinds ?? {}, place = (reply) => reply === "miss" ? Infinity : this.game.fleet.indexOf(kinds[reply.split(":")[1]] ?? reply.split(":")[1]);
    const replies = this.board.repliesAt(cell, this.game.replies).sort((one, other) => place(one) - place(other)), told = new Map(replies.map((reply) => [reply, says(reply)]));
    const [possible, never] = [false, true].map((isNever) => replies.filter((reply) => told.get(reply).isNever === isNever));
    const isShown = replies.some((reply) => shown[reply]), key = JSON.stringify([isShown && cell, possible.map(replyText), never.map(replyText)]);
    if (this.#drawn !== key) {
      const had = this.group.contains(document.activeElement) ? document.activeElement.value : null;
      this.#drawn = key;
      this.#buttons = new Map();
      const [buttons, others] = [possible, never].map((some) => isShown ? this.#byKind(some, cell) : some.map((reply) => this.#button(reply, cell)));
      const folded = newElement("details", [newElement("summary", `${isOne(never.length) ? "1 reply is" : `${never.length} replies are`} impossible: why?`), newElement("div", others, {class: `replies${isShown ? " ships" : ""}`})]);
      this.group.replaceChildren(...buttons, ...(never.length ? [folded] : []));
      this.group.classList.toggle("ships", isShown);
      if (had !== null) this.#buttons.get(possible.includes(had) ? had : possible[0])?.focus();
    }
    if (possible.length === 1 && document.activeElement === document.body) this.#buttons.get(possible[0]).focus();
    for (const [reply, {text, isNever, title = ""}] of told) {
      const button = this.#buttons.get(reply);
      button.lastChild.textContent = text;
      button.title = title;
      button.setAttribute("aria-disabled", isNever);
    }
  }

  /** What keys do: of ships that are shown the first nine have a digit. */
  get keys() {
    return Object.fromEntries([...this.#buttons].reverse().map(([reply, {dataset}]) => [dataset.key, () => this.answer(reply)]));
  }

  /** The replies that show no ship, and under the name of its kind each ship that is shown, those across first. */
  #byKind(replies, cell) {
    const {shown} = this.board, ships = replies.filter((reply) => shown[reply]), others = replies.filter((reply) => !shown[reply]);
    const far = (reply) => shown[reply].cells.at(-1) - shown[reply].cells[0];
    return [...others.map((reply) => this.#button(reply, cell)), ...[...new Set(this.game.fleet)].flatMap((kind) => {
      const own = ships.filter((reply) => shown[reply].kind === kind).sort((one, other) => far(one) - far(other));
      return own.length ? [newElement("p", shipText(kind), {class: "muted"}), ...own.map((reply) => this.#button(reply, cell))] : [];
    })];
  }

  #button(reply, cell) {
    const ship = this.board.shown[reply], [, place] = reply.split(":"), number = this.#buttons.size;
    const key = ship ? (number < 10 ? String(number) : "") : keyOf(reply);
    const words = ship ? [newElement("span", `Hit, ${shipText(ship.kind)} on ${place}`, {class: "unseen"}), newElement("b", place.replace(/\+.*\+/, "…"), {"aria-hidden": "true"})] : newElement("b", replyWords(reply));
    const button = newElement("button", [ship ? shipDrawing(ship.cells.map((one) => this.board.at[one]), (i) => ship.cells[i] === cell) : mark(reply), " ", words, " "].flat(), {type: "button", class: kindOf(reply), value: reply, "data-key": key});
    if (key) button.append(newElement("kbd", key, {"aria-hidden": "true"}));
    button.append(newElement("small"));
    button.addEventListener("click", () => this.answer(reply));
    for (const event of ["pointerenter", "focus"]) button.addEventListener(event, () => this.board.outline(ship?.cells ?? []));
    for (const event of ["pointerleave", "blur"]) button.addEventListener(event, () => this.board.outline([]));
    this.#buttons.set(reply, button);
    return button;
  }
}

/** What keys do: actions by the name of the key, a letter as a capital. */
function onKeys(actions) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input:not([type=range]), textarea, select")) return;
    const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
    const all = actions();
    if (!Object.hasOwn(all, key)) return;
    event.preventDefault();
    all[key](event);
  });
}

// The board

/**
 * The cells of a board in an element. Nothing here knows of rows and columns: a cell has a name, a
 * place and an outline.
 *
 * shape.cells -- each [name, x, y], or null for an index that is no cell; shape.outline -- the
 * corners of a cell around its place; shape.labels -- each [text, x, y]; shape.ships -- SHIPS; shape.shown -- the
 * ships that hits show, a kind and cells by the texts of these replies.
 * does.look(cell or null) -- when a cell is pointed at or has the focus; does.choose(cell).
 */
class Board {
  constructor(place, shape, label, does) {
    this.place = place;
    this.names = shape.cells.map((cell) => cell && cell[0]);
    this.at = shape.cells.map((cell) => cell && cell.slice(1));
    this.shown = shape.shown;
    SHIPS = shape.ships;
    const known = this.at.filter(Boolean);
    const corners = known.flatMap(([x, y]) => shape.outline.map(([dx, dy]) => [x + dx, y + dy]));
    const [left, top, right, bottom] = boundsOf([...corners, ...shape.labels.map(([, x, y]) => [x - .35, y - .35])], .04);
    const rows = new Map();
    this.elements = shape.cells.map((cell, i) => cell && this.#cell(i, cell, shape.outline, does));
    known.map(([, y]) => y).sort((a, b) => a - b).forEach((y) => rows.set(y, newDrawing("g", {role: "row"})));
    this.at.forEach((at, i) => { if (at) rows.get(at[1]).append(this.elements[i]); });
    const labels = shape.labels.map(([text, x, y]) => newDrawing("text", {x, y, class: "label"}, text));
    const picture = newDrawing(
      "svg", {viewBox: `${left} ${top} ${right - left} ${bottom - top}`, role: "presentation"},
      [newDrawing("g", {"aria-hidden": "true"}, labels), ...rows.values(), newDrawing("path", {class: "seam", d: shape.seams})],
    );
    place.classList.add("board");
    place.setAttribute("role", "grid");
    place.setAttribute("aria-label", label);
    document.body.style.setProperty("--across", right - left);
    document.body.style.setProperty("--down", bottom - top);
    place.append(picture);
    this.unit = Math.min(...known.slice(1).map(([x, y]) => Math.hypot(x - known[0][0], y - known[0][1])), 2);
    this.digits = known.some(([x]) => x > 8) ? 0 : 1;
    for (const part of document.querySelectorAll("[data-sign]")) if (!part.querySelector("svg")) part.prepend(mark(part.dataset.sign));
    this.enter(this.first());
  }

  #cell(i, [name, x, y], outline, {look = () => {}, choose = () => {}}) {
    const path = `M${outline.map(([dx, dy]) => `${dx * .94} ${dy * .94}`).join("L")}Z`;
    const cell = newDrawing("g", {class: "cell", role: "gridcell", tabindex: -1, transform: `translate(${x} ${y})`, "aria-label": name}, [
      newDrawing("path", {class: "shape", d: path}), newDrawing("g"), newDrawing("g", {class: "content"}), newDrawing("path", {class: "corner", d: "M.33-.43 .43-.33 .33-.23 .23-.33Z"}),
    ]);
    for (const event of ["pointerenter", "focus"]) cell.addEventListener(event, () => look(i));
    for (const event of ["pointerleave", "blur"]) cell.addEventListener(event, () => look(null));
    cell.addEventListener("click", () => choose(i));
    cell.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const ways = {ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0]};
      if (Object.hasOwn(ways, event.key)) this.#move(i, ways[event.key]);
      else if (event.key === "Enter" || event.key === " ") choose(i);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    return cell;
  }

  /** Go to the nearest cell in a direction, over what is no cell. */
  #move(from, [dx, dy]) {
    let best = null, least = Infinity;
    this.at.forEach((at, i) => {
      if (!at) return;
      const x = at[0] - this.at[from][0], y = at[1] - this.at[from][1];
      const ahead = x * dx + y * dy, aside = Math.abs(x * dy) + Math.abs(y * dx);
      const far = ahead + 1.5 * aside;
      if (ahead > aside && far < least) [best, least] = [i, far];
    });
    if (best === null) return;
    this.enter(best);
    this.elements[best].focus();
  }

  /** The cell under a pointer; -1 if there is none. */
  under({clientX, clientY}) { return this.elements.indexOf(document.elementFromPoint(clientX, clientY)?.closest(".cell") ?? 0); }

  /** Those of some replies that a shot at a cell can have: of ships that hits show, those that lie there. */
  repliesAt(cell, replies) { return replies.filter((reply) => this.shown[reply]?.cells.includes(cell) ?? true); }

  /** The ships that shots, each a cell and its reply, have shown. */
  shipsOf(shots) { return [...new Set(shots.flatMap(([, reply]) => this.shown[reply]?.cells ? [this.shown[reply].cells] : []))]; }

  first() { return this.elements.findIndex(Boolean); }

  /** The cell of a name; -1 if none has it. */
  named(name) { return this.names.indexOf(name.toUpperCase()); }

  has(target) { return this.elements.includes(target); }

  /** Make a cell the one that the tab key reaches. */
  enter(cell) {
    this.elements.forEach((shown, i) => shown && shown.setAttribute("tabindex", i === cell ? 0 : -1));
  }

  /**
   * What a cell shows: a text or a reply's sign, its classes, how warm it is from 0 to 1, and what
   * is said of it after its name. wreck -- whether its ship is known to be sunk.
   */
  show(cell, {text = "", reply = null, wreck = false, classes = [], warmth = 0, label = ""}) {
    const shown = this.elements[cell];
    const content = reply !== null ? sign(this.shown[reply] ? kindOf(reply) : reply, wreck || undefined) : newDrawing("text", {class: text.length > 3 || text.includes(".") ? "long" : ""}, text);
    shown.setAttribute("class", ["cell", ...(wreck ? ["wreck"] : []), ...classes].join(" "));
    shown.style.setProperty("--warmth", warmth);
    shown.setAttribute("aria-label", label ? `${this.names[cell]}: ${label}` : this.names[cell]);
    shown.children[2].replaceChildren(...(text || reply !== null ? [content] : []));
  }

  label(cell) { return this.elements[cell].getAttribute("aria-label"); }

  /** Bring a cell of a board that is wider than the screen to its middle. */
  reveal(cell) {
    const place = this.place.getBoundingClientRect(), at = this.elements[cell].getBoundingClientRect();
    this.place.scrollLeft += at.left + at.width / 2 - place.left - place.width / 2;
  }

  /** Ships under what the cells show, each a list of cells; neighbours are joined. */
  ships(ships) {
    for (const shown of this.elements) shown?.children[1].replaceChildren();
    for (const cells of ships) for (const cell of cells) this.elements[cell].children[1].append(...this.#hull(cell, cells));
  }

  /** The part of a ship on one of its cells, around that. */
  #hull(cell, cells) {
    const [x, y] = this.at[cell];
    const arms = cells.map((other) => [this.at[other][0] - x, this.at[other][1] - y])
      .filter(([dx, dy]) => Math.hypot(dx, dy) < this.unit * 1.01)
      .map(([dx, dy]) => `M0 0L${dx / 2} ${dy / 2}`);
    return [newDrawing("path", {class: "hull", d: arms.join("")}), newDrawing("circle", {class: "hull", r: .37})];
  }

  /** Outline some cells, and no others. */
  outline(cells) {
    this.elements.forEach((shown, cell) => shown?.classList.toggle("outlined", cells.includes(cell)));
  }
}
