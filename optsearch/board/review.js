"use strict";
// Review: what each shot gave away.

async function review(isMine) {
  const shots = shotsText(place.shots);
  if (reviewed.shots !== shots) {
    reviewed = [];
    reviewed.shots = shots;
    element("pasted").value = place.shots.map(([cell, reply]) => `${cell} ${reply.replace(":", " ")}`).join(", ");
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

const points = (given) => given < 0.00005 ? "nothing" : (100 * given).toFixed(given < 0.001 ? 2 : 1);
const percentagePoints = (given) => given < 0.00005 ? "nothing" : `${points(given)} percentage points`;
const lossOf = (one) => one.optimum ? one.loss : null;

function lossText([lower, upper]) {
  const text = (loss) => loss === 0 ? "no shot" : loss < 0.0005 ? "less than 0.001 shots" : `${loss.toFixed(3)} shots`;
  return lower === upper ? text(lower) : `${text(lower)} to ${text(upper)}`;
}

function showReview() {
  const {shots} = place, at = Math.min(place.at, reviewed.length), one = at ? reviewed[at - 1] : null, before = one ? shots.slice(0, at - 1) : shots;
  const wrecks = (one ?? reviewed.at(-1))?.wrecks ?? [];
  showCells(one, before, {next: one ? board.named(shots[at - 1][0]) : null, end: one, wrecks});
  board.ships([...wrecks, ...board.shipsOf(before)]);
  element("rows-place").hidden = shots.length === 0;
  element("branch").hidden = !at;
  element("branch").textContent = `Advise before shot ${at}`;
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
    button.addEventListener("click", () => goTo({at: i + 1}, false));
    const isBad = loss ? loss[0] > 0 : away >= 0.00005;
    const line = made("tr", [
      made("td", button), made("td", `${percent(row.chance, 1, 1)}\u00a0%`),
      made("td", `${row.best[0].cells.slice(0, 3).join(" ")}${row.best[0].cells.length > 3 ? " …" : ""} ${percent(row.most, 1, 1)}\u00a0%`),
      made("td", made("span", [points(Math.max(0, away)), ...(loss ? [`, ${lossText(loss)}`] : [])], {class: isBad ? "bad" : "good"})),
    ]);
    if (i + 1 === at) line.setAttribute("aria-current", "true");
    return line;
  }));
  keepInView(body.querySelector("[aria-current]"));
  showGraph(at);
  if (had) body.querySelector(`[data-at="${had}"]`)?.focus();
}

/** Scroll the rows, and not the page, until one is seen below their head. */
function keepInView(row) {
  if (!row) return;
  const box = element("rows-place"), head = element("rows").tHead.offsetHeight;
  box.scrollTop = Math.max(Math.min(box.scrollTop, row.offsetTop - head), row.offsetTop + row.offsetHeight - box.clientHeight);
}

/** A bar per shot, as high as what it gave away. */
function showGraph(at) {
  const away = reviewed.map(({most, chance}) => Math.max(0, most - chance)), most = Math.max(...away, 0);
  const worst = away.indexOf(most), scale = most || 1;
  element("graph").hidden = reviewed.length === 0;
  element("graph-says").textContent = most ? `The most was ${percentagePoints(most)}, by shot ${worst + 1}, ${place.shots[worst]?.[0]}.` : "No shot gave anything away.";
  if (!at) element("graph-says").textContent += " Tap a bar or a shot: the board shows what was known before it, and advice goes on from there.";
  element("bars").replaceChildren(drawn("svg", {viewBox: `0 0 ${place.shots.length} 1`, preserveAspectRatio: "none", "aria-hidden": "true"}, away.map((given, i) => {
    const high = .03 + .97 * given / scale;
    const bar = drawn("g", {class: i + 1 === at ? "now" : ""}, [
      drawn("rect", {x: i, y: 0, width: 1, height: 1, class: "back"}),
      drawn("rect", {x: i + .12, y: 1 - high, width: .76, height: high, class: given < 0.00005 ? "good" : "bad"}),
      drawn("title", {}, `${i + 1}. ${place.shots[i][0]}: ${points(given)}`),
    ]);
    bar.addEventListener("click", () => goTo({at: i + 1}, false));
    return bar;
  })));
}

async function pasted() {
  document.body.classList.add("busy");
  try {
    const {shots} = await ask("shots", {text: element("pasted").value});
    goTo({shots: parsed(shots)});
  } catch (error) {
    document.body.classList.remove("busy");
    trouble(error.message);
  }
}
