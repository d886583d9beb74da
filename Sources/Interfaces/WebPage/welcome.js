// welcome.js: the screen before a session is open: pairing by code, a token that is not valid.
import { el, byId, fillWith } from "./dom.js";

const KEY = "outboard.token";

/** The token of the address, which is removed from the address bar, or the one of an earlier visit. */
export function knownToken() {
  const found = /(?:^#|&)token=([^&]+)/.exec(location.hash);
  if (found) {
    keepToken(decodeURIComponent(found[1]));
    history.replaceState(null, "", location.pathname);
  }
  try { return localStorage.getItem(KEY) ?? undefined; } catch { return found && decodeURIComponent(found[1]); }
}

export function keepToken(token) {
  try { localStorage.setItem(KEY, token); } catch { /* Private windows keep it for this page only. */ }
}

export function forgetToken() {
  try { localStorage.removeItem(KEY); } catch { /* Nothing was kept. */ }
}

export function hideWelcome() { byId("welcome").hidden = true; }

/** Asks for the pairing code. `pair({code, name})`; the problem is a sentence above the form. */
export function showWelcome(problem, pair) {
  const code = el("input", { class: "text code", id: "code", inputmode: "numeric", autocomplete: "one-time-code", maxlength: "8", required: true });
  const name = el("input", { class: "text", id: "device-name", value: deviceName(), maxlength: "60" });
  fillWith(byId("welcome"), el("form", { class: "welcome-card form", onsubmit: (e) => {
    e.preventDefault();
    pair({ code: code.value.replace(/\s/g, ""), name: name.value.trim() || deviceName() });
  } }, el("img", { src: "/icon.svg", alt: "", width: "64", height: "64" }), el("h1", {}, "Outboard"),
  problem && el("p", { class: "field-error", role: "alert" }, problem),
  el("p", {}, "Type the code that the session shows in its terminal. A service shows it in its journal."),
  el("label", { class: "label", for: "code" }, "Code"), code,
  el("label", { class: "label", for: "device-name" }, "Name of this device"), name,
  el("button", { class: "primary", type: "submit" }, "Connect")));
  byId("welcome").hidden = false;
  code.focus();
}

function deviceName() {
  const agent = navigator.userAgent;
  return /iPhone/.test(agent) ? "iPhone" : /iPad/.test(agent) ? "iPad" : /Android/.test(agent) ? "Android phone"
    : /Macintosh/.test(agent) ? "Mac" : /Windows/.test(agent) ? "Windows computer" : "Linux computer";
}
