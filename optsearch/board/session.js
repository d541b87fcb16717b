"use strict";
// What the page may ask of its server: the token, kept by the tab alone, and requests with it.

const PAGE = crypto.getRandomValues(new Uint32Array(4)).join("-");
const TOKEN = "token";

/** Take the token off the address, where no link is copied with it. */
function takeToken() {
  const match = location.hash.match(/^#token=([0-9a-f]{32})$/);
  if (!match) return;
  sessionStorage.setItem(TOKEN, match[1]);
  history.replaceState(history.state, "", location.pathname + location.search);
}

/** An error that the server says, with its kind. */
class Said extends Error {
  constructor(reason, kind, status) {
    super(reason);
    Object.assign(this, {kind, status});
  }
}

let asks = 0;
let asksOf = () => "";  // the game of the page
let waits = () => {};  // told that the server is not ready, and when it is

/** The answer to a request, asked again while the server is not ready; Said where there is none. */
async function ask(name, asked = {}) {
  const mine = ++asks;
  for (;;) {
    try {
      const answer = await askOnce(name, asked);
      if (mine === asks) waits(false);
      return answer;
    } catch (error) {
      if (mine !== asks) throw new Said(error.message, "GivenUp", error.status);
      waits(error.kind === "Preparing" && !["sample", "greedy"].includes(name));
      if (error.kind !== "Preparing") throw error;
    }
  }
}

async function askOnce(name, asked) {
  let response;
  try {
    response = await fetch(`/ask/${name}`, {
      method: "POST",
      headers: {"Content-Type": "application/json", "X-Token": sessionStorage.getItem(TOKEN) ?? ""},
      body: JSON.stringify({page: PAGE, game: asksOf(), ...asked}),
    });
  } catch {
    throw new Said("The server has stopped. Games under way are lost; the address of this page keeps the shots of advice and review.", "Gone", 0);
  }
  const answer = await response.json().catch(() => ({error: `The server says ${response.status}`}));
  if (!response.ok) {
    if (response.status === 401) login();
    throw new Said(answer.error, answer.kind, response.status);
  }
  return answer;
}

/** Ask the person for the token, in place of the page. */
function login() {
  if (element("login")) return;
  const field = newElement("input", [], {id: "given", autocomplete: "off", spellcheck: "false"});
  const form = newElement("form", [
    newElement("h1", "This page needs its token"),
    newElement("p", sessionStorage.getItem(TOKEN) ? "The server refuses this page’s token: the server was started again, or the token is wrong." : "", {id: "why-token"}),
    newElement("p", "optsearch serve printed an address when it began. Paste the whole address here, or its token."),
    newElement("label", "Address or token", {for: "given"}), field,
    newElement("div", newElement("button", "Open the board", {class: "primary"}), {class: "tools"}),
    newElement("p", "", {id: "no-token", role: "alert"}),
  ], {id: "login", class: "card"});
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const match = field.value.match(/([0-9a-f]{32})\s*$/);
    if (!match) {
      element("no-token").textContent = "This is no token; a token has 32 characters: digits, and letters from a to f.";
      return;
    }
    sessionStorage.setItem(TOKEN, match[1]);
    location.reload();
  });
  const main = document.querySelector("main"), page = newElement("div", [...main.children]);
  for (const part of [...document.body.children, page]) part.hidden = part !== main;
  main.append(form, page);
  field.focus();
}

takeToken();
addEventListener("hashchange", () => {
  if (location.hash.startsWith("#token=")) { takeToken(); location.reload(); }
});
