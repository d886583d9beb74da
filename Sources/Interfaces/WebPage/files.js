// files.js: choosing a file of the machine that runs the session, loading rigs, and saving.
import { el, fillWith } from "./dom.js";
import { openDialog, choiceList } from "./dialogs.js";

const parentOf = (path) => path.replace(/\/[^/]*\/?$/, "") || "/";
const join = (directory, name) => `${directory.replace(/\/$/, "")}/${name}`;

// A list of a directory that opens directories in place. `pick(path)` gets a file, `moved(directory)` each directory.
function browser(session, { pick, moved, isFile = () => true }) {
  const list = el("div", { class: "browser" }), path = el("p", { class: "path" });
  async function open(directory) {
    const reply = await session.run({ command: "files", ...(directory ? { directory } : {}) });
    if (!reply) return;
    const { directory: here, entries } = reply.files;
    moved?.(here);
    path.textContent = here;
    const item = (entry) => ({ text: entry.name, icon: entry.directory ? "folder" : "file",
      run: () => (entry.directory ? open(join(here, entry.name)) : pick?.(join(here, entry.name))) });
    const shown = entries.filter((one) => one.directory || isFile(one.name));
    const up = here === "/" ? [] : [{ text: "Parent directory", icon: "previous", run: () => open(parentOf(here)) }];
    fillWith(list, choiceList([...up, ...shown.map(item)], "This directory is empty."));
  }
  return { element: el("div", {}, path, list), open };
}

/** Lets the user choose a file for a property. `choose(path)` */
export function chooseFile(session, title, value, choose) {
  const view = browser(session, { pick: (path) => { dialog.close(); choose(path); } });
  const dialog = openDialog(title, { className: "tall" }, view.element);
  view.open(value ? parentOf(String(value)) : undefined);
}

/** Lists the rigs that can be loaded. */
export async function chooseRig(session) {
  const list = el("div", {}, el("p", { class: "hint" }, "Reading the list of rigs."));
  const dialog = openDialog("Load a rig", { className: "tall" }, list);
  const reply = await session.run({ command: "rigs" });
  if (!reply) return;
  fillWith(list, choiceList(reply.rigs.map((rig) => ({
    text: rig.title ?? rig.name, detail: rig.title ? rig.name : undefined, icon: "chain", mark: rig.title === session.store.state.rig,
    run: () => { dialog.close(); session.run({ command: "load", file: rig.path ?? rig.name }); },
  })), "No rigs are installed."));
}

/** Saves into the rig's own file. If it has none, asks for a file. */
export async function save(session) {
  try {
    await session.request({ command: "save" });
    session.say("Saved.");
  } catch (error) {
    if (error.kind === "usage") saveAs(session);
    else session.say(error.message, true);
  }
}

/** Asks for directory and name, and saves there. */
export function saveAs(session) {
  let directory = "/";
  const error = el("p", { class: "field-error", role: "alert" });
  const name = el("input", { class: "text", "aria-label": "File name", autocomplete: "off", spellcheck: "false",
    value: `${session.store.state.rig.toLowerCase().replace(/[^a-z0-9]+/g, "-") || "rig"}.yaml` });
  const force = el("input", { type: "checkbox", class: "switch", role: "switch" });
  const view = browser(session, { moved: (here) => { directory = here; }, isFile: (one) => /\.ya?ml$/.test(one),
    pick: (path) => { name.value = path.split("/").pop(); } });
  const form = el("form", { class: "form", onsubmit: async (e) => {
    e.preventDefault();
    const file = join(directory, /\.ya?ml$/.test(name.value) ? name.value : `${name.value}.yaml`);
    error.textContent = await session.attempt({ command: "save", file, force: force.checked }) ?? "";
    if (!error.textContent) dialog.close();
  } }, el("label", { class: "label" }, "File name", name), view.element,
  el("label", { class: "control control-switch" }, el("span", { class: "control-name" }, "Replace an existing file"), force), error,
  el("div", { class: "row" }, el("button", { type: "submit", class: "primary" }, "Save")));
  const dialog = openDialog("Save as", { className: "tall" }, form);
  name.focus();
  view.open();
}

