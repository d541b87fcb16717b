"use strict";
// Advice in a game that is played elsewhere.

async function advise(isMine) {
  show();
  const shots = shotsText(place.shots);
  const found = await ask("advice", {shots});
  if (!isMine()) return;
  known = found;
  show();
  if (!known.over && isEndgame()) {
    const end = await ask("endgame", {shots});
    if (!isMine()) return;
    values = end;
    show();
  }
  const next = nextShot();
  if (next !== null && known.cell !== board.names[next]) countReplies(board.names[next]); else goOn(isMine);
}

const isEndgame = () => !A.lengths && known && !known.impossible && BigInt(known.configurations) <= A.endgame;

/** Learn what nobody waits for: what shots gave away, and by a sample how many are still to go. */
async function goOn(isMine) {
  if (!known || known.impossible) return;
  try {
    await reviewShots(isMine);
    if (!isMine() || known.over || isEndgame()) return;
    togo ??= {games: 0, total: 0, squares: 0};
    while (isMine() && !isEnough(togo) && !togo.failed) {
      if (document.hidden) await new Promise((seen) => addEventListener("visibilitychange", seen, {once: true}));
      const more = await ask("sample", {shots: shotsText(place.shots), number: togo.games});
      if (!isMine()) return;
      for (const sum of ["games", "total", "squares"]) togo[sum] += more[sum];
      togo.failed = !more.games;
      showToGo();
    }
  } catch (error) {
    if (!(error instanceof Said)) throw error;
    if (!isMine() || error.kind === "GivenUp") return;  // the next answer goes on with it
    togo = {...togo, failed: true};
    showToGo();
  }
}

const GAMES = 400, ENOUGH = .0125;  // at most so many are sampled, and to this share of the mean
const errorOf = ({games, total, squares}) => Math.sqrt(Math.max(0, squares - total * total / games) / (games - 1) / games);
const isEnough = (sums) => sums.games >= GAMES || sums.games > 20 && errorOf(sums) < ENOUGH * sums.total / sums.games;

function showToGo() {
  const games = togo?.games ?? 0, parts = [];
  if (games > 4) parts.push(newElement("b", `${(togo.total / games).toFixed(1)} ± ${errorOf(togo).toFixed(1)}`), newElement("span", ` if you shoot a most probable cell each time: mean and standard error of ${games} sampled games${isEnough(togo) || togo.failed ? "" : " so far"}`, {class: "muted"}));
  else parts.push(togo?.failed || failed ? "takes too long to sample here" : `sampling games: ${games} so far`);
  element("to-go").replaceChildren(...parts);
  for (const part of document.querySelectorAll(".to-go")) part.hidden = !known || known.impossible || known.over || isEndgame();
}

/** Count what a cell may be replied, for the buttons. */
function countReplies(cell) {
  const mine = turn;
  ask("advice", {shots: shotsText(place.shots), cell}).then((found) => {
    if (mine === turn && board.names[nextShot()] === cell) { known = found; show(); }
    goOn(() => mine === turn);
  }, (error) => {
    if (mine === turn && error.kind !== "GivenUp") { failed = error.kind; showTrouble(error.message); }
  });
}

const boundsText = ([lower, upper], weight) => lower === upper
  ? `${meanText(lower, weight)} more ${lower === weight ? "shot" : "shots"} on average (${lower}/${weight})`
  : `${meanText(lower, weight)} to ${meanText(upper, weight)} more shots on average`;

/** The cell of the buttons; null where there is none. */
function nextShot() {
  if (chosen !== null) return chosen;
  if (!known || known.impossible || known.over) return null;
  return board.named((values?.optimum?.cells ?? known.best[0].cells)[0]);
}

/** Why the next shot cannot have a reply. */
function whyNot(reply) {
  const {replies, sunk} = known, [kind, label] = reply.split(":"), ship = A.kinds[label] ?? label, name = label && (A.kinds[label] && nameOf(ship).length < 2 ? `ship ${nameOf(ship)}` : nameOf(ship));
  if (kind === "miss") return "a ship is there for certain";
  if (Object.entries(replies).every(([one, n]) => kindOf(one) === "miss" || n === "0")) return "no ship can be there";
  if (board.shown[reply]) return "no ship can lie there";
  if (ship && sunk.includes(ship) && count(sunk, ship) === count(A.fleet, ship)) return `the ${name} is sunk`;
  if (kind === "sunk") return `${ship ? `no ${name}` : "no ship"} can sink there`;
  return ship ? `no ${name} can be there` : "a hit there sinks a ship";
}

const BUTTONS = 12;  // at most, for replies that may be wrong

function showAdvice() {
  const next = nextShot(), shots = place.shots;
  const wrong = new Set((known?.together ?? []).map((text) => text.split("=")[0]));
  showCells(known?.impossible ? null : known, shots, {next, wrong, end: values});
  board.ships([...known?.wrecks ?? [], ...board.shipsOf(shots)]);
  const isOver = Boolean(known?.over);
  element("count").textContent = isOver ? "The end" : known?.impossible ? "A contradiction" : `Shot ${shots.length + 1}`;
  element("ask").textContent = isOver ? "Every ship is sunk" : known?.impossible ? "No placement fits these replies" : next === null ? (failed ? "No advice" : "…") : `Shoot ${board.names[next]}`;
  element("chance").textContent = isOver ? `after ${countText(shots.length, "shot")}` : chanceText(next);
  element("wrong").hidden = !known?.impossible;
  if (known?.impossible) {
    const {together, alone} = known, listed = alone.length ? alone : together;
    element("wrong-why").textContent = together.length === 1
      ? (alone.length ? "This reply is wrong:" : "Several replies are wrong, and this is one of them:")
      : alone.length ? "If only one reply is wrong, it is one of these:" : "Several replies are wrong, at least one of these:";
    const more = listed.length - BUTTONS, others = together.length - alone.length;
    element("wrong-more").textContent = [
      more > 0 ? `and ${more} more, framed on the board.` : "",
      alone.length ? "If changing one reply would resolve the contradiction, only such replies get a button." : "",
      alone.length && others ? "If several replies are wrong, one of them at least is framed on the board." : "",
    ].filter(Boolean).join(" ");
    element("wrong-shots").replaceChildren(...listed.slice(0, BUTTONS).map((text) => {
      const [[cell, reply]] = parsed(text);
      const button = newElement("button", ["Take back ", newElement("b", `${cell} `), mark(reply), ` ${replyText(reply)}`], {type: "button"});
      button.addEventListener("click", () => takeBack(shots.findIndex((shot) => shot[0] === cell)));
      return button;
    }));
  } else {
    for (const id of ["wrong-why", "wrong-more"]) element(id).textContent = "";
  }
  const isCounted = next === null || known?.cell === board.names[next];
  element("replies").hidden = next === null || Boolean(known?.impossible) || !isCounted && !failed;
  if (next !== null) answers.show(next, (reply) => {
    if (!isCounted) return {text: known && !failed ? "…" : "", isNever: false};
    const n = known.replies[reply];
    if (n === "0") return {text: board.shown[reply] ? "" : whyNot(reply), isNever: true};
    if (A.lengths) return {text: `${percent(n, known.total, 1)} %`, isNever: false};
    const text = A.replies.length > 3 ? `${percent(n, known.total, 1)} %` : `leaves ${groupedDigits(n)}`;
    return {text, isNever: false, title: `leaves ${countText(n, "configuration")}`};
  });
  element("refused").hidden = refused === null;
  element("refused-why").textContent = refused === null ? "" : `${replyWords(refused)} is impossible at ${board.names[next]}: ${whyNot(refused)}. If your opponent says so, an earlier reply is wrong.`;
  const back = element("take-back");
  back.hidden = picked === null;
  if (picked !== null) back.replaceChildren("Take back ", newElement("b", shots[picked][0]), ` ${replyText(shots[picked][1])}`);
  element("unchoose").hidden = chosen === null;
  for (const id of ["undo", "restart"]) element(id).setAttribute("aria-disabled", shots.length === 0);
  showRows(momentsHere(), 0);
  element("way").hidden = shots.length === 0;
  showNumbers();
  if (!board.has(document.activeElement)) board.enter(next ?? board.first());
  if (next !== null) board.reveal(next);
}

function chanceText(next) {
  if (next === null || !known || known.impossible) return "";
  const [numbers, total] = weightsOf(known), n = numbers[next];
  return n === total ? "a certain hit" : `hits with probability ${percent(n, total, 2)}\u00a0%${known.counts ? `: ${groupedDigits(n)}/${groupedDigits(total)}` : ""}`;
}

/** A fleet in a list, with what shots have hit of each kind. */
function showFleet(list, sunk, shots, lengths) {
  const letterOf = Object.fromEntries(Object.entries(A.kinds).map(([letter, kind]) => [kind, letter]));
  element(list).replaceChildren(...fleetRows({fleet: A.fleet, ships: SHIPS, lengths}, sunk, (kind) => count(shots.map((shot) => shot[1]), `hit:${letterOf[kind] ?? kind}`)));
}

function showNumbers() {
  const isKnown = known && !known.impossible, waiting = failed ? "unknown" : "…";
  showFleet("fleet", isKnown ? known.sunk : [], place.shots, known?.lengths);
  for (const part of document.querySelectorAll(".all-sunk")) part.hidden = !A.lengths;
  for (const part of document.querySelectorAll(".optimum")) part.hidden = Boolean(A.lengths);
  element("all-sunk").textContent = isKnown && A.lengths ? `${percent(known.all_sunk, 1, 2)} %` : waiting;
  element("left").replaceChildren(...(isKnown ? [newElement("b", groupedDigits(known.configurations)), newElement("span", `, ${known.bits.toFixed(2)} bits`, {class: "muted"})] : [known ? "none" : waiting]));
  element("best").replaceChildren(...(isKnown ? known.best.flatMap(({by, cells}, i) => [
    ...(i ? [newElement("br")] : []), newElement("b", cells.slice(0, 8).join(" ")), cells.length > 8 ? ` and ${cells.length - 8} more` : "", newElement("span", ` ${by}${i && A.prior ? ", which ignores the prior" : ""}`, {class: "muted"}),
  ]) : [known ? "none" : waiting]));
  if (known?.over) element("best").textContent = "nothing is left to shoot";
  const end = values?.optimum, why = known?.over ? "nothing is left to shoot" : !isKnown ? (known ? "none" : waiting)
    : !isEndgame() ? `searched when at most ${A.endgame} configurations are left` : values ? "not found within the time there is" : waiting;
  element("optimum").replaceChildren(...(end ? [newElement("b", end.cells.join(" ")), ` ${boundsText([end.total, end.total], end.weight)}`] : [why]));
  showToGo();
  const walk = element("walk-these");
  walk.hidden = !isKnown || known.over || BigInt(known.configurations) > A.walk;
  walk.href = `/explorer${elsewhere({match: ""}).slice(1)}`;
}

// Advice: what a person does

function choose(cell) {
  const name = board.names[cell];
  if (place.mode === "review") return;
  if (MODES() === "play" || isBeginning) return shoot(cell);
  if (MODES() === "setup") return placeShip(cell);
  const i = place.shots.findIndex(([shot]) => shot === name);
  if (i >= 0) return pick(i);
  if (known ? known.impossible || known.over : failed !== "TooLong") return;
  [picked, refused] = [null, null];
  chosen = cell;
  show();
  if (known && known.cell !== name) countReplies(name);
  element("question").scrollIntoView({block: "nearest"});
}

function pick(i) {
  [chosen, refused] = [null, null];
  picked = picked === i ? null : i;
  show();
}

/** The shots without one of them; where its reply shows a ship, without all that do. */
const without = (i) => place.shots.filter(([, reply], k) => k !== i && !(board.shown[reply] && reply === place.shots[i][1]));

const takeBack = (i) => goTo({shots: without(i)});
const undo = () => place.mode === "advise" && place.shots.length && returnTo({shots: without(place.shots.length - 1)});

function answer(reply) {
  const next = nextShot();
  if (place.mode !== "advise" || next === null || known?.impossible) return;
  if (known?.cell !== board.names[next] || known.replies[reply] !== "0") return addShot(reply);
  refused = reply;
  show();
}

/** Go on after a reply; a ship that it shows is hit on all its cells. */
function addShot(reply) {
  const next = board.names[nextShot()], ship = board.shown[reply]?.cells.map((cell) => board.names[cell]) ?? [];
  const others = ship.filter((name) => name !== next && !place.shots.some(([shot]) => shot === name));
  goTo({shots: [...place.shots, ...[next, ...others].map((name) => [name, reply])]});
}
