"use strict";
// Trees are walked: what is known after each shot, what the trees shoot, and what that costs.

let D;  // what the page carries
let HIT, MISS, CONFIGURATIONS, nodesOf, board;
let REPLIES;  // the places in D.replies of those that a shot at each cell can have, as a node has its children
let PLACES;  // the places in D.replies of those that show a ship, by its cells
let asking = null;  // where a server answers: what it says of a step and a cell, or of a step

const cellName = (cell) => board.names[cell];

// Replies and configurations

/** The cells of a hexadecimal mask, ascending. */
const cellsOf = (mask) => [...BigInt(`0x${mask}`).toString(2)].reverse().flatMap((bit, cell) => bit === "1" ? [cell] : []);

const weightOf = (family) => family.reduce((sum, {weight}) => sum + weight, 0);

/** The place in D.replies of what a configuration answers to a shot; hits: cells hit before. */
function replyOf({ships}, hits, cell) {
  const number = ships.findIndex((cells) => cells.includes(cell)), ship = ships[number];
  if (!ship) return MISS;
  if (D.announce === "name") return D.replies.indexOf(`hit:${D.fleet[number]}`);
  if (D.announce === "place") return PLACES.get(ship.join());
  const afloat = ship.some((other) => other !== cell && !hits.has(other));
  if (D.announce === "nothing" || afloat) return HIT;
  return D.replies.indexOf(D.announce === "ship" ? `sunk:${D.fleet[number]}` : "sunk");
}

// Steps: what is known, and the node of the tree there; null where the tree has no branch

const isLeaf = (node) => typeof node === "number";

/** The place of a position among those with the same shots in another order. */
const keyOfReplies = (replies) => [...replies].map(([cell, reply]) => `${cell}:${reply}`).sort().join(" ");

/** The nodes of a tree by what was replied on the way; the order counts where sinkings are told. */
function nodesByReplies({root}) {
  let nodes = null;
  const add = (node, replies) => {
    nodes.set(keyOfReplies(replies), node);
    if (isLeaf(node)) return;
    const [cell, , , ...children] = node;
    children.forEach((child, i) => { if (child) add(child, new Map(replies).set(cell, REPLIES[cell][i])); });
  };
  return () => {
    if (!nodes) {
      nodes = new Map();
      if (!["sunk", "ship"].includes(D.announce)) add(root, new Map(D.shots));
    }
    return nodes;
  };
}

function start(tree) {
  const replies = new Map(D.shots);
  const hits = new Set(D.shots.filter(([, reply]) => reply !== MISS).map(([cell]) => cell));
  return {node: D.trees[tree].root, family: CONFIGURATIONS, hits, replies, cell: null};
}

/** The configurations that give a reply to a shot. */
const partOf = (step, cell, reply) => step.family.filter((configuration) => replyOf(configuration, step.hits, cell) === reply);

/** The step after a reply to a shot. */
function after(step, cell, reply) {
  const replies = new Map(step.replies).set(cell, reply);
  const isTrees = step.node !== null && !isLeaf(step.node) && step.node[0] === cell;
  return {
    node: isTrees ? step.node[3 + REPLIES[cell].indexOf(reply)] : nodesOf[tree]().get(keyOfReplies(replies)) ?? null,
    family: partOf(step, cell, reply),
    hits: reply === MISS ? step.hits : new Set(step.hits).add(cell),
    replies, cell,
  };
}

/** Whether every ship is sunk. */
const isOver = ({family, hits}) => family.every(({ships}) => ships.every((cells) => cells.every((cell) => hits.has(cell))));

/** How many of the configurations have a ship on each cell. */
function countsOf(family) {
  const counts = new Array(D.shape.cells.length).fill(0);
  for (const {weight, ships} of family) {
    for (const cells of ships) for (const cell of cells) counts[cell] += weight;
  }
  return counts;
}

/**
 * The cells that greedy chooses from, and the certain hits that are shot before at no cost. Where
 * sinkings are announced, a certain hit may tell something, and is chosen like other cells.
 */
function greedyCells(counts, total, replies) {
  const open = counts.map((_, cell) => cell).filter((cell) => counts[cell] && !replies.has(cell));
  const isFree = (cell) => D.announce === "nothing" && counts[cell] === total;
  const others = open.filter((cell) => !isFree(cell));
  const most = Math.max(0, ...others.map((cell) => counts[cell]));
  return {certain: open.filter(isFree), tied: others.filter((cell) => counts[cell] === most)};
}

// Optima: pairs of a lower and an upper bound, equal where they are known

const FEW = 16; // sets of cells whose optimum this page finds itself
const asBounds = (bound) => typeof bound === "number" ? [bound, bound] : bound;

/**
 * The least misses over some sets of cells as masks of a few bits, by the definition: the sum over
 * the replies to the best shot, and one for each configuration that it misses.
 */
function searchOf(step) {
  const {family, hits} = step;
  const sets = family.map(({ships}) => new Set(ships.flat().filter((cell) => !hits.has(cell))));
  const having = new Map();
  sets.forEach((cells, i) => cells.forEach((cell) => having.set(cell, having.get(cell) | 1 << i)));
  const weight = (mask) => family.reduce((sum, one, i) => sum + (mask >> i & 1 ? one.weight : 0), 0);
  const known = new Map();
  const afterShot = (mask, has) => least(mask & has) + least(mask & ~has) + weight(mask & ~has);
  function least(mask) {
    if ((mask & mask - 1) === 0) return 0;
    if (!known.has(mask)) {
      let best = Infinity;
      for (const has of having.values()) {
        if (mask & has && mask & ~has) best = Math.min(best, afterShot(mask, has));
      }
      known.set(mask, best);
    }
    return known.get(mask);
  }
  const everything = (1 << sets.length) - 1, certain = weight(everything) * sets[0].size;
  return {
    optimum: certain + least(everything),
    value: (cell) => certain + afterShot(everything, having.get(cell) ?? 0),
  };
}

/** The same for a step, once; null where there are too many sets, or the order of the hits counts. */
function searchResultOf(step) {
  if (step.search === undefined) {
    step.search = D.announce === "nothing" && step.family.length <= FEW ? searchOf(step) : null;
  }
  return step.search;
}

/** What a server says of a step and a cell, or of a step; null where there is none, or as long as it computes. */
function serverBounds(step, cell) {
  if (!asking) return null;
  step.told ??= new Map();
  if (!step.told.has(cell)) {
    step.told.set(cell, null);
    asking(step, cell).then((bounds) => {
      if (bounds === undefined) step.told.delete(cell);  // the page asked for something else
      else step.told.set(cell, bounds);
      if (step === current() && bounds) show();
    });
  }
  return step.told.get(cell);
}

/** The least total from a step; null where nobody computed it. */
function optimumOf(step) {
  if (step.node !== null && !isLeaf(step.node)) return asBounds(step.node[2]);
  const key = keyOfReplies(step.replies);
  for (const nodes of nodesOf) {
    const node = nodes().get(key);
    if (node !== undefined && !isLeaf(node)) return asBounds(node[2]);
  }
  return searchResultOf(step) ? asBounds(searchResultOf(step).optimum) : serverBounds(step, null);
}

/** The least total of strategies that shoot a cell first; null where nobody computed it. */
function valueOf(step, cell) {
  const total = weightOf(step.family), count = countsOf(step.family)[cell];
  if (step.cell === null && D.values[cell]) return D.values[cell];
  if (searchResultOf(step)) return asBounds(searchResultOf(step).value(cell));
  const optimum = optimumOf(step);
  if (optimum && count === 0) return optimum.map((bound) => bound + total);
  if (optimum && count === total && D.announce === "nothing") return optimum;
  if (step.node === null || isLeaf(step.node) || step.node[0] !== cell) return serverBounds(step, cell);
  const parts = step.node.slice(3).filter((child) => !isLeaf(child)).map((child) => asBounds(child[2]));
  return [0, 1].map((side) => parts.reduce((sum, bounds) => sum + bounds[side], total));
}

// Numbers as text

/** A bracket of a total as its mean, or between which means it is. */
const boundsText = ([lower, upper], n) => lower === upper
  ? `${meanText(lower, n)} on average (${lower}/${n})`
  : `between ${meanText(lower, n)} and ${meanText(upper, n)} on average (${lower}/${n} and ${upper}/${n})`;

const chanceText = (n, total) => `${n}/${total}\u00a0=\u00a0${percent(n, total, 2)}\u00a0%`;

// What the page shows

let tree = 0;
let steps = [];
let note = "";
let looked = null; // the cell that is pointed at or focused
let chosen = null; // the cell that a person shoots instead of the tree's

const current = () => steps[steps.length - 1];

/** What is shot next without a choice: by the tree, or off it by greedy; null at the end. */
function suggestion(step) {
  if (isOver(step)) return null;
  if (step.node !== null) return step.node[0];
  const {certain, tied} = greedyCells(countsOf(step.family), weightOf(step.family), step.replies);
  return [...certain, ...tied][0];
}

const nextShot = () => isOver(current()) ? null : chosen ?? suggestion(current());

let answers;  // the buttons of replies

/** Begin with what a page carries. */
function begin(carried) {
  D = carried;
  [HIT, MISS] = [0, D.replies.length - 1];
  CONFIGURATIONS = D.configurations.map(([weight, ...ships]) => ({weight, ships: ships.map(cellsOf)}));
  nodesOf = D.trees.map(nodesByReplies);
  board = new Board(element("board"), D.shape, "Board, with the probability of a ship on each cell", {look, choose});
  REPLIES = board.names.map((_, cell) => board.repliesAt(cell, D.replies).map((reply) => D.replies.indexOf(reply)));
  PLACES = new Map(Object.entries(board.shown).map(([reply, {cells}]) => [cells.join(), D.replies.indexOf(reply)]));
  steps = [start(tree)];
  build();
  if (location.hash && location.hash !== placeText()) goToPlace(location.hash);
  else show();
}

function build() {
  element("game").textContent = D.title;
  element("rules").textContent = D.rules + startText();
  element("key-sunk").hidden = !D.replies.some((reply) => kindOf(reply) === "sunk");

  D.trees.forEach(({name, root}, i) => {
    const cost = isLeaf(root) ? "nothing left to shoot" : `${meanText(root[1], weightOf(CONFIGURATIONS))} on average`;
    const button = newElement("button", [name, newElement("small", cost)], {type: "button", title: name});
    button.addEventListener("click", () => switchTo(i));
    element("trees").append(button);
  });

  answers = new ReplyButtons(element("replies"), D, board, (reply) => answer(D.replies.indexOf(reply)));
  element("back").addEventListener("click", back);
  element("restart").addEventListener("click", () => goTo(0));
  element("tree-shot").addEventListener("click", () => choose(null));
}

/** What has been shot when the page begins. */
function startText() {
  if (!D.shots.length) return "";
  const hits = D.shots.filter(([, reply]) => reply !== MISS).length;
  return ` After ${D.shots.length > 5 ? `${D.shots.length} shots, ${countText(hits, "hit")}` : D.position}.`;
}

function show() {
  const {family, replies} = current();
  board.ships(board.shipsOf([...replies].map(([cell, reply]) => [cell, D.replies[reply]])));
  const total = weightOf(family), counts = countsOf(family);
  const greedy = greedyCells(counts, total, replies);
  const next = nextShot();
  showBoard(counts, total, greedy, next);
  showQuestion(counts, total, next);
  showPath();
  showNumbers(counts, total, greedy, next);
  look(looked);
  [...element("trees").children].forEach((button, i) => button.setAttribute("aria-pressed", i === tree));
  element("note").textContent = note;
  note = "";
  if (location.hash !== placeText()) {
    const isStep = history.state !== null && history.state !== steps.length;
    history[isStep ? "pushState" : "replaceState"](steps.length, "", placeText());
  }
  element("link").href = new URL(placeText(), location);
  element("live").textContent = ["note", "count", "ask", "chance", "left", "optimum"]
    .map((id) => element(id).textContent).filter(Boolean).join(". ");
}

function showBoard(counts, total, greedy, next) {
  const {replies} = current();
  const most = Math.max(1, ...counts.filter((_, cell) => !replies.has(cell)));
  const end = showBar(element("key-percent"), most / total);
  board.elements.forEach((shown, cell) => {
    if (!shown) return;
    const n = counts[cell], reply = replies.get(cell);
    if (reply !== undefined) {
      board.show(cell, {reply: D.replies[reply], classes: ["shot"], label: replyText(D.replies[reply])});
      return;
    }
    const classes = [];
    let label = chanceText(n, total);
    if (!n) classes.push("never");
    else if (n === total) classes.push("certain");
    if (cell === next) { classes.push("next"); label += ", next shot"; }
    else if (chosen !== null && cell === suggestion(current())) classes.push("tree");
    if (n && n === total) label += ", certain";
    if (greedy.tied.includes(cell)) { classes.push("greedy"); label += ", greedy shot"; }
    board.show(cell, {text: percent(n, total, board.digits), classes, warmth: n / total / end, label});
  });
  if (!board.has(document.activeElement)) board.enter(next ?? board.first());
  if (next !== null) board.reveal(next);
}

function look(cell) {
  looked = cell;
  const step = current(), shown = cell ?? nextShot();
  const value = shown === null || step.replies.has(shown) || isOver(step) ? null : valueOf(step, shown);
  const best = value ? `; if shot next, at best ${boundsText(value, weightOf(step.family))}` : "";
  element("about").textContent = shown === null ? "" : board.label(shown) + best;
}

function showQuestion(counts, total, next) {
  const step = current();
  const shots = steps.length - 1;
  const over = next === null;
  const misses = [...step.replies.values()].filter((reply) => reply === MISS).length;
  document.body.classList.toggle("over", over);
  element("count").textContent = over ? "The end" : `Shot ${shots + 1}`;
  element("ask").textContent = over ? "Every ship is sunk" : `Shoot ${cellName(next)}`;
  element("value").textContent = over ? "" : whyText(step, next, total);
  element("tree-shot").hidden = chosen === null;
  element("chance").textContent = over
    ? `after ${countText(shots, "shot")}${D.shots.length ? ` from the start, ${step.replies.size} in all` : ""}, ${misses === 1 ? "1 miss" : `${misses} misses`} among them`
    : counts[next] === total ? `hits for certain: ${counts[next]}/${total}` : `hits with probability ${chanceText(counts[next], total)}`;
  element("replies").hidden = over;
  if (!over) answers.show(next, (reply) => {
    const n = weightOf(partOf(step, next, D.replies.indexOf(reply)));
    return {text: n ? `leaves ${groupedDigits(n)}` : "no configuration left gives it", isNever: n === 0};
  });
  for (const id of ["back", "restart"]) element(id).setAttribute("aria-disabled", shots === 0);
  if (over && element("replies").contains(document.activeElement)) element("restart").focus();
}

function showPath() {
  const had = element("path").contains(document.activeElement);
  const items = steps.map(({cell, replies}, i) => {
    const reply = i && D.replies[replies.get(cell)], isTold = i && (reply.includes(":") || kindOf(reply) === "sunk");
    const content = i ? [`${cellName(cell)} `, mark(reply), newElement("span", ` ${replyText(reply)}`, {class: isTold ? "" : "unseen"})] : ["Start"];
    const button = newElement("button", content, {type: "button", ...(i === steps.length - 1 ? {"aria-current": "step"} : {})});
    button.addEventListener("click", () => goTo(i));
    return newElement("li", button);
  });
  element("path").replaceChildren(...items);
  if (had) items[items.length - 1].firstChild.focus();
}

/** Who shoots there, and what that is worth; nothing where the tree shoots its own shot. */
function whyText(step, next, total) {
  if (chosen === null && step.node !== null) return "";
  const value = valueOf(step, next);
  const who = chosen === null ? "A most probable cell: this tree has no branch here" : "Your choice";
  return `${who}; ${value ? `at best ${boundsText(value, total)}` : "what it is worth is not computed"}`;
}

/** A cost as elements: its mean, and the exact total. */
function costOf(total, n) {
  return [newElement("b", meanText(total, n)), " on average ", newElement("span", `(${total}/${n}; ${groupedDigits(total)} in total)`, {class: "muted"})];
}

function showNumbers(counts, total, greedy, next) {
  const node = current().node;
  element("left").replaceChildren(
    newElement("b", groupedDigits(total)),
    newElement("span", total === 1 ? " configuration" : " configurations", {class: "unseen"}),
    newElement("span", steps.length > 1 ? ` of ${groupedDigits(weightOf(CONFIGURATIONS))}` : "", {class: "muted"}),
  );
  const name = D.trees[tree].name;
  element("walked").textContent = `This tree (${name}) from here`;
  element("more").hidden = next === null || node === null;
  if (next === null) {
    for (const id of ["optimum", "cost", "greedy"]) element(id).replaceChildren("nothing is left to shoot");
    return;
  }
  const optimum = optimumOf(current());
  const isKnown = optimum && optimum[0] === optimum[1];
  element("optimum").replaceChildren(...(isKnown ? costOf(optimum[0], total) : [optimum ? boundsText(optimum, total) : "not computed here"]));
  if (node === null) {
    element("cost").textContent = "no branch here";
    element("more").textContent = "";
  } else {
    const cost = node[1];
    element("cost").replaceChildren(...costOf(cost, total));
    const more = isKnown ? `${groupedDigits(cost - optimum[0])} over the optimum` : `at most ${groupedDigits(cost - optimum[0])} over the optimum`;
    element("more").textContent = cost > optimum[0] ? more : "optimal";
    element("more").classList.toggle("worse", isKnown && cost > optimum[0]);
  }
  const names = (cells) => newElement("b", cells.map(cellName).join(" "));
  const certain = greedy.certain.length ? [names(greedy.certain), newElement("span", " certain, at no cost", {class: "muted"})] : [];
  const tied = greedy.tied.length ? [names(greedy.tied), newElement("span", `${greedy.tied.length > 1 ? " each" : ""} ${chanceText(counts[greedy.tied[0]], total)}`, {class: "muted"})] : [];
  element("greedy").replaceChildren(...certain, ...(certain.length && tied.length ? ["; of the others "] : []), ...tied);
}

// What a person does

function answer(reply) {
  const step = current(), cell = nextShot();
  if (cell === null) return;
  if (partOf(step, cell, reply).length) [steps, chosen] = [[...steps, after(step, cell, reply)], null];
  else note = `“${replyWords(D.replies[reply])}” cannot happen at ${cellName(cell)}`;
  show();
}

/** Shoot a cell next instead of the tree's; null for the tree's again. */
function choose(cell) {
  if (isOver(current())) return;
  if (current().replies.has(cell)) note = `${cellName(cell)} has been shot`;
  else chosen = cell === suggestion(current()) ? null : cell;
  show();
  if (cell !== null) element("question").scrollIntoView({block: "nearest"});
}

function goTo(i) {
  steps.length = i + 1;
  chosen = null;
  show();
}

// The place as the fragment of an address

function placeText() {
  const shots = steps.slice(1).map(({cell, replies}) => `${cellName(cell)}=${D.replies[replies.get(cell)]}`);
  const parts = [`tree=${encodeURIComponent(D.trees[tree].name)}`];
  if (shots.length) parts.push(`shots=${shots.join(",")}`);
  if (chosen !== null) parts.push(`shoot=${cellName(chosen)}`);
  return `#${parts.join("&")}`;
}

/** A part of a fragment as it was before it was encoded; as it stands if it never was. */
function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

/** Go to the place that a fragment tells, as far as it can be; say where it cannot. */
function goToPlace(fragment) {
  if (fragment === placeText()) return;
  const given = new Map(fragment.slice(1).split("&").map((part) => part.split(/=(.*)/s).map(decoded)));
  const name = given.get("tree");
  tree = Math.max(0, D.trees.findIndex((one) => one.name === name));
  if (name !== undefined && D.trees[tree].name !== name) note = `This page has no tree ${name}`;
  steps = [start(tree)];
  chosen = null;
  for (const text of (given.get("shots") ?? "").split(",").filter(Boolean)) {
    const [place, told = ""] = text.split(/=(.*)/s);
    const cell = board.named(place), reply = D.replies.indexOf(told);
    if (cell < 0 || reply < 0 || current().replies.has(cell) || isOver(current()) || partOf(current(), cell, reply).length === 0) {
      note = `The link says ${text}, which cannot be here`;
      break;
    }
    steps.push(after(current(), cell, reply));
  }
  const cell = board.named(given.get("shoot") ?? "");
  if (!note && cell >= 0 && !current().replies.has(cell) && !isOver(current()) && cell !== suggestion(current())) chosen = cell;
  show();
}

const back = () => goTo(Math.max(0, steps.length - 2));

/** Walk another tree: as far along the path as it shoots the same cells. */
function switchTo(other) {
  const path = steps.slice(1).map(({cell, replies}) => [cell, replies.get(cell)]);
  tree = other;
  steps = [start(tree)];
  chosen = null;
  for (const [cell, reply] of path) {
    if (current().node === null || isLeaf(current().node) || current().node[0] !== cell) break;
    steps.push(after(current(), cell, reply));
  }
  const kept = steps.length - 1;
  if (kept < path.length) {
    note = kept ? `This tree shares the first ${kept} of the ${path.length} shots` : "This tree begins with another shot";
  }
  show();
}

onKeys(() => {
  if (!D) return {};
  const actions = {
    Escape: () => choose(null),
    ArrowLeft: () => answer(REPLIES[nextShot() ?? 0].find((reply) => partOf(current(), nextShot(), reply).length) ?? HIT),
    ArrowRight: () => answer(MISS),
    Backspace: back,
    U: back,
    R: () => goTo(0),
    T: () => switchTo((tree + 1) % D.trees.length),
  };
  return {...answers.keys, ...actions};
});
addEventListener("popstate", () => D && goToPlace(location.hash));
const carried = JSON.parse(element("data").textContent);
if (carried) begin(carried);
