// main.js: connects the views with the session.
import { el, button, byId, fillWith, setText } from "./dom.js";
import { icon, iconButton } from "./icons.js";
import { Connection } from "./connection.js";
import { Session } from "./session.js";
import { ChainView } from "./chain.js";
import { Panel } from "./panel.js";
import { ScenesView } from "./scenes.js";
import { TransportView } from "./transport.js";
import { MetersView } from "./meters.js";
import { Learn } from "./learn.js";
import { openCatalogue } from "./catalogue.js";
import { chooseRig, save, saveAs } from "./files.js";
import { openDialog, choiceList, toast } from "./dialogs.js";
import { knownToken, keepToken, forgetToken, showWelcome, hideWelcome } from "./welcome.js";

const connection = new Connection(`${location.origin.replace("http", "ws")}/socket`);
const session = new Session(connection);
const learn = new Learn(session);
const actions = { select, add, remove, replace, move: (name, direction) => chain.move(name, direction), focus: (name) => chain.focus(name) };
const chain = new ChainView(session, actions), panel = new Panel(session, actions, learn);
const scenes = new ScenesView(session), transport = new TransportView(session), meters = new MetersView();

session.say = (text, isError) => { toast(text, isError); if (isError) meters.say(text); };

// Selection and nodes.

function select(name) {
  chain.select(name);
  panel.show(name);
  showView("chain");
}

function add(place) {
  openCatalogue(session, "Add a plugin", async (plugin) => {
    const before = new Set(session.store.state.nodes.map((one) => one.name));
    if (!await session.run({ command: "insert", plugin, ...place })) return;
    const added = session.store.state.nodes.find((one) => !before.has(one.name));
    if (!added) return;
    select(added.name);
    chain.focus(added.name);
  });
}

async function remove(name) {
  if (await session.run({ command: "remove", node: name })) toastUndo(`Removed ${name}.`);
}

function replace(name) {
  openCatalogue(session, `Replace ${name}`, (plugin) => session.run({ command: "replace", node: name, plugin }));
}

function toastUndo(text) { toast(`${text} Undo restores it.`); }

session.store.listen((change) => {
  if (change.change === "rig") renderRig();
  else if (change.change === "scenes") scenes.render();
  else if (change.change === "maps") learn.refresh();
  else if (change.change === "transport") transport.tempo.update();
  else {
    if (change.change === "bypass" || change.change === "fault") chain.update(change.node);
    if (change.change === "gain") chain.render();
    panel.apply(change);
  }
});

function renderRig() {
  const { store } = session;
  setText(byId("rig-name"), store.state.rig || "Untitled");
  document.title = `${store.state.rig || "Outboard"} · Outboard`;
  if (!store.node(panel.name) && !store.nestedRig(panel.name)) panel.name = chain.survivor(panel.name) ?? store.state.nodes[0]?.name;
  chain.selected = panel.name;
  chain.render();
  panel.show(panel.name);
  scenes.render();
  transport.render();
}

learn.onChange = () => panel.markMappings();

// Levels and events.

// Every event is shown, because a clip may be in one alone.
session.onLevels = (event) => {
  meters.showLevels(event);
  if (document.hidden) return;
  chain.showLevels(event);
  panel.showLevels(event);
};

session.onEvent = (event) => {
  meters.showEvent(event);
  panel.showEvent(event);
  if (event.event === "device") banner(meters.deviceMessage(event), "warning");
  else if (event.event === "failure") toast(event.failure, true);
  else if (event.event === "refused" || event.event === "midi" || event.event === "notice") toast(event.notice);
  else if (event.event === "xrun") document.body.classList.add("xrun");
  else if (event.event === "stopped") banner(event.failure ? `The session has ended: ${event.failure}` : "The session has ended.", "error");
};

function banner(text, kind = "error") {
  byId("banner").className = text ? `banner shown ${kind}` : "banner";
  setText(byId("banner"), text);
}

// Connection.

connection.onSilence = (isSilent) => {
  document.body.classList.toggle("silent", isSilent);
  if (isSilent) banner("The session does not respond.");
  else banner(meters.deviceMessage(), "warning");
};
connection.onPaired = keepToken;
connection.onState = async (state, problem) => {
  document.body.dataset.connection = state;
  if (state === "refused") {
    forgetToken();
    banner("");
    showWelcome(problem ?? "The token is not valid. Open the address that the session printed last.", pair);
  } else if (state === "lost") banner("The connection is lost. Trying again.");
  else if (state === "open") {
    hideWelcome();
    banner("");
    await learn.refresh();
    try { await session.subscribe(); } catch (error) { if (error.kind !== "lost") toast(error.message, true); }
  }
};

const pair = (credentials) => connection.open(credentials);

function start() {
  const token = knownToken();
  if (token) connection.open({ token });
  else showWelcome(undefined, pair);
}

window.addEventListener("online", () => connection.retryNow());
window.addEventListener("hashchange", start);
document.addEventListener("visibilitychange", () => { if (!document.hidden) connection.retryNow(); });

// Toolbar, tabs and keys.

const undo = () => session.run({ command: "undo" });
const redo = () => session.run({ command: "redo" });
fillWith(byId("actions"), iconButton("undo", "Undo", undo), iconButton("redo", "Redo", redo),
  iconButton("save", "Save", () => save(session)), iconButton("more", "More", more));
byId("rig").addEventListener("click", () => chooseRig(session));

function more() {
  const item = (text, name, run) => ({ text, icon: name, run: () => { dialog.close(); run(); } });
  const dialog = openDialog("More", {}, choiceList([
    item("Load a rig", "folder", () => chooseRig(session)), item("Save as", "save", () => saveAs(session)),
    ...(learn.canLearn ? [item("Learn MIDI", "midi", () => { learn.setMode(true); toast("Tap a parameter to learn a MIDI control for it."); }),
      item("MIDI mappings", "midi", () => learn.open())] : []),
    item("Keys", "more", keys),
  ]));
}

const KEYS = [["/", "add a plugin before the output"], ["Ctrl Z", "undo"], ["Ctrl Shift Z", "redo"], ["Ctrl S", "save"], ["← →", "next plugin of the chain"],
  ["Alt ← →", "move the plugin"], ["B", "bypass the plugin"], ["Delete", "remove the plugin, or reset a knob"], ["↑ ↓", "turn a knob; with Shift in small steps"],
  ["Page ↑ ↓", "turn a knob by a tenth"], ["Enter or digits", "type a value"], ["Double tap", "reset a knob"]];

function keys() {
  openDialog("Keys", {}, el("dl", { class: "facts" }, KEYS.map(([key, text]) => el("div", {}, el("dt", {}, el("kbd", {}, key)), el("dd", {}, text)))));
}

document.addEventListener("keydown", (e) => {
  if (document.querySelector("dialog[open]") || e.target.matches("input, select")) return;
  const isCommand = e.ctrlKey || e.metaKey, key = e.key.toLowerCase();
  if (isCommand && key === "z") (e.shiftKey ? redo : undo)();
  else if (isCommand && key === "s") save(session);
  else if (key === "/" && !isCommand) add({ before: "out" });
  else if (key === "escape" && learn.isOn) learn.setMode(false);
  else return;
  e.preventDefault();
});

// The element that had the focus before a dialog may be gone.
document.addEventListener("close", () => { if (document.activeElement === document.body) chain.focus(panel.name); }, true);

const VIEWS = [["chain", "Chain", "chain"], ["scenes", "Scenes", "scenes"], ["transport", "Record", "tape"], ["health", "Status", "meter"]];

function showView(view) {
  document.body.dataset.view = view;
  for (const tab of byId("tabs").children) tab.setAttribute("aria-current", String(tab.dataset.tab === view));
}

fillWith(byId("tabs"), VIEWS.map(([view, text, name]) => button({ class: "tab", "data-tab": view, onclick: () => showView(view) }, icon(name), text)));
showView("chain");
start();
