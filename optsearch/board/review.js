"use strict";
// Review: what each shot gave away.

const moments = new Map();  // what is said of a shot, by the shots up to it
const momentsHere = () => place.shots.map((_, i) => moments.get(shotsText(place.shots.slice(0, i + 1))));

async function review(isMine) {
  const {shots} = place;
  element("pasted").value = shots.map(([cell, reply]) => `${cell} ${reply.replace(":", " ")}`).join(", ");
  element("enter").open = shots.length === 0;
  document.body.classList.remove("busy");
  show();
  await reviewShots(isMine);
  if (!isMine() || !shots.length) return;
  known = await ask("advice", {shots: shotsText(shots)});
  if (isMine()) show();
}

/** Learn what each shot gave away, the first one first. */
async function reviewShots(isMine) {
  const {shots} = place;
  for (let number = 1; number <= shots.length && isMine(); number++) {
    const key = shotsText(shots.slice(0, number));
    if (moments.has(key)) continue;
    const found = await ask("review", {shots: shotsText(shots), number});
    moments.set(key, found);
    if (isMine()) show();
  }
}

/** Go to the moment before a shot; after the last one to the end. */
function stepTo(number) {
  if (place.shots.length) goTo({at: number > place.shots.length ? 0 : Math.max(1, number)}, false);
}

const chanceGivenAway = (one) => one ? Math.max(0, one.most - one.chance) : 0;
const annotation = (away) => away > .1 ? " ?" : away > .03 ? " ?!" : "";
const points = (given) => given < 0.00005 ? "nothing" : (100 * given).toFixed(given < 0.001 ? 2 : 1);
const percentagePoints = (given) => given < 0.00005 ? "nothing" : `${points(given)} percentage points`;
const lossOf = (one) => one.optimum ? one.loss : null;

function lossText([lower, upper]) {
  const text = (loss) => loss === 0 ? "no shot" : loss < 0.0005 ? "less than 0.001 shots" : `${loss.toFixed(3)} shots`;
  return lower === upper ? text(lower) : `${text(lower)} to ${text(upper)}`;
}

function showReview() {
  const {shots} = place, reviewed = momentsHere(), at = Math.min(place.at, shots.length), one = at ? reviewed[at - 1] : null, before = at ? shots.slice(0, at - 1) : shots;
  const shown = at ? one : known, wrecks = (shown ?? reviewed.at(-1))?.wrecks ?? [];
  showCells(shown ?? null, before, {next: at ? board.named(shots[at - 1][0]) : null, end: one, wrecks});
  board.ships([...wrecks, ...board.shipsOf(before)]);
  showFleet("fleet", shown?.sunk ?? [], before, shown?.lengths);
  element("way").hidden = element("steps").hidden = shots.length === 0;
  element("branch").hidden = !at;
  element("branch").textContent = `Advise before shot ${at}`;
  const done = reviewed.filter(Boolean), best = done.filter((found) => chanceGivenAway(found) < 0.00005).length;
  element("progress").textContent = !shots.length ? "A finished game, or one under way" : done.length < shots.length ? `${done.length} of ${countText(shots.length, "shot")} reviewed${failed ? "" : " …"}` : `${countText(shots.length, "shot")} reviewed`;
  const given = done.reduce((sum, found) => sum + chanceGivenAway(found), 0), losses = done.map(lossOf).filter(Boolean);
  const lost = [0, 1].map((side) => losses.reduce((sum, bounds) => sum + bounds[side], 0));
  element("verdict").textContent = shots.length && done.length === shots.length
    ? `${best} of ${countText(shots.length, "shot")} ${isOne(best) ? "was" : "were"} at a most probable cell${best === shots.length ? "" : `; the others gave away ${percentagePoints(given)} in total`}.${losses.length ? ` In the endgame (${countText(losses.length, "shot")}), ${lost[1] ? `these shots cost ${lossText(lost)} more on average than optimal ones` : "every shot was optimal"}.` : ""}`
    : "";
  element("moment").textContent = at ? `Before shot ${at}, ${shots[at - 1][0]}: ${replyText(shots[at - 1][1])}. ${one ? `It gave away ${percentagePoints(chanceGivenAway(one))}.` : ""}` : shots.length ? "The board at the end." : "";
  showRows(reviewed, at);
  showBars(reviewed, at);
}

/** Put what is new in the place of what was there; what stays alike keeps a tap that is under way. */
const refresh = (old, made) => old.outerHTML === made.outerHTML || old.replaceWith(made);

/** A row for each shot, with what it gave away. at -- the number of the shot that is looked at, or 0. */
function showRows(reviewed, at) {
  const [body] = element("rows").tBodies, {shots, mode} = place;
  const had = body.contains(document.activeElement) ? document.activeElement.dataset.at : null;
  const lines = shots.flatMap(([cell, reply], i) => {
    if (mode === "advise" && board.shown[reply] && shots.findIndex((shot) => shot[1] === reply) < i) return [];  // one for a ship that is shown
    const found = reviewed[i], away = chanceGivenAway(found), loss = found && lossOf(found), isNamed = reply.includes(":") || kindOf(reply) === "sunk";
    const words = [`${i + 1}. ${cell} `, mark(reply), newElement("span", ` ${reply.includes(":") ? replyText(reply).replace("hit ", "") : replyText(reply)}`, {class: isNamed ? "" : "unseen"})];
    const button = mode === "review" ? newElement("a", words, {href: addressOf({...place, at: i + 1})}) : newElement("button", words, {type: "button", "aria-pressed": i === picked});
    button.dataset.at = i + 1;
    button.addEventListener("click", (event) => {
      event.preventDefault();
      if (mode === "review") goTo({at: i + 1}, false); else pick(i);
    });
    const line = newElement("tr", [newElement("td", button), ...(found ? [
      newElement("td", `${percent(found.chance, 1, 1)}\u00a0%`),
      newElement("td", `${found.best[0].cells[0] ?? ""}${found.best[0].cells.length > 1 ? " …" : ""} ${percent(found.most, 1, 1)}\u00a0%`),
      newElement("td", newElement("span", [points(away), ...(loss ? [`, ${lossText(loss)}`] : []), annotation(away)], {class: (loss ? loss[0] > 0 : away >= 0.00005) ? "bad" : "good"})),
    ] : [newElement("td"), newElement("td"), newElement("td")])]);
    if (i + 1 === at) line.setAttribute("aria-current", "true");
    return line;
  });
  for (const gone of [...body.rows].slice(lines.length)) gone.remove();
  lines.forEach((line, i) => { if (body.rows[i]) refresh(body.rows[i], line); else body.append(line); });
  keepInView(body.querySelector("[aria-current]") ?? (mode === "advise" ? body.lastChild : null));
  if (had) body.querySelector(`[data-at="${had}"]`)?.focus();
}

/** Scroll the rows, and not the page, until one is seen below their head. */
function keepInView(row) {
  if (!row) return;
  const box = element("rows-place"), head = element("rows").tHead.offsetHeight;
  box.scrollTop = Math.max(Math.min(box.scrollTop, row.offsetTop - head), row.offsetTop + row.offsetHeight - box.clientHeight);
}

/** A bar for each shot, as high as the percentage points that it gave away, on an axis. */
function showBars(reviewed, at) {
  const away = reviewed.map((one) => 100 * chanceGivenAway(one)), top = [5, 10, 20, 50, 100].find((most) => most >= Math.max(...away));
  const [left, high, wide] = [28, 80, 332 / away.length], every = away.length > 12 ? 5 : 1, y = (n) => 12 + high * (1 - n / top);
  const axis = [0, top / 2, top].flatMap((n) => [newDrawing("path", {d: `M${left} ${y(n)}H360`}), newDrawing("text", {x: left - 5, y: y(n) + 4, class: "end"}, String(n))]);
  const bars = away.map((given, i) => {
    const x = left + i * wide, bar = newDrawing("g", {class: i + 1 === at ? "now" : ""}, [
      newDrawing("rect", {x, y: 12, width: wide, height: high, class: "back"}),
      newDrawing("rect", {x: x + .12 * wide, y: y(given) - 1, width: .76 * wide, height: high + 13 - y(given), class: given < 0.005 ? "good" : "bad"}),
      newDrawing("text", {x: x + wide / 2, y: y(given) - 4}, annotation(given / 100)), newDrawing("title", {}, `${i + 1}. ${place.shots[i][0]}: ${points(given / 100)}`),
      newDrawing("text", {x: x + wide / 2, y: high + 26}, i && (i + 1) % every ? "" : String(i + 1)),
    ]);
    bar.addEventListener("click", () => stepTo(i + 1));
    return bar;
  });
  refresh(element("bars").lastChild, newDrawing("svg", {viewBox: `0 0 362 ${high + 30}`, "aria-hidden": "true"}, [...bars, ...axis]));
}

const pasted = () => attempt(async () => {
  const {shots} = await ask("shots", {text: element("pasted").value});
  goTo({shots: parsed(shots)});
});
