"use strict";
// The explorer on a server: trees and values are asked for as they are needed.

const GIVEN = new URLSearchParams(location.search), BASE = GIVEN.get("shots") ?? "", GAME = GIVEN.get("game") ?? "";
asksOf = () => GAME;

asking = (step, cell) => ask("value", {
  shots: [...step.replies].map(([at, reply]) => `${cellName(at)}=${D.replies[reply]}`).join(","),
  cell: cell === null ? "" : cellName(cell),
}).then(({value}) => value && value.map(Number), (error) => error.kind === "GivenUp" ? undefined : null);

element("game").textContent = "Computing optimal and greedy strategies …";
Object.assign(element("way-back"), {hidden: false, href: `/?${GIVEN}`, textContent: "The board at this position"});
ask("walk", {shots: BASE}).then(begin, (error) => {
  if (error.status === 401) return;
  element("game").textContent = "No strategy to walk";
  element("rules").textContent = error.message;
});
