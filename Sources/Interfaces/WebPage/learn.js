// learn.js: MIDI learn: tap a parameter, move a controller. The session saves the mapping in the rig.
import { el, button } from "./dom.js";
import { openDialog, choiceList } from "./dialogs.js";

export class Learn {
  #isOn = false; #mappings = [];
  /** Whether the session has MIDI mappings. Known after the first answer to `map`. */
  canLearn = true;

  constructor(session) { this.session = session; }

  get isOn() { return this.#isOn; }

  /** Whether parameters are tapped to be learned, instead of moved. */
  setMode(isOn) {
    this.#isOn = isOn;
    document.body.classList.toggle("learning", isOn);
  }

  /** Starts learning if the mode is on. Returns whether a tap was used for that. */
  intercept(node, parameter) {
    if (!this.#isOn) return false;
    this.setMode(false);
    this.start(node, parameter);
    return true;
  }

  async start(node, parameter) {
    let isDone = false;
    const dialog = openDialog("MIDI learn", { className: "small" },
      el("p", { class: "learn-text", role: "status" }, "Move a knob, fader or pedal for ", el("strong", {}, `${node} · ${parameter.name}`), "."),
      el("div", { class: "wait", "aria-hidden": "true" }), el("div", { class: "row" }, button({ class: "secondary", onclick: () => dialog.close() }, "Cancel")));
    dialog.addEventListener("close", () => { if (!isDone) this.session.connection.request({ command: "learn" }).catch(() => {}); });
    const reply = await this.session.run({ command: "learn", node, symbol: parameter.symbol });
    isDone = true;
    dialog.close();
    if (reply && !(reply.notes ?? []).length) this.session.say(`${parameter.name} is mapped.`);
    this.refresh();
  }

  /** Reads the mappings, so that controls can show theirs. */
  async refresh() {
    try { this.#mappings = (await this.session.connection.request({ command: "map" })).mappings ?? []; } catch (error) {
      if (error.kind === "usage") this.canLearn = false;
    }
  }

  /** Marks a control that has a mapping. */
  mark(element, node, symbol) {
    const found = this.#mappings.find((one) => one.node === node && one.symbol === symbol);
    if (found) element.dataset.midi = describe(found);
  }

  /** Lists the mappings. */
  async open() {
    await this.refresh();
    openDialog("MIDI mappings", {}, choiceList(this.#mappings.map((one) => ({ text: `${one.node ?? ""} ${one.symbol ?? one.target ?? ""}`.trim(),
      detail: describe(one), icon: "midi", run: () => {} })), "Nothing is mapped. Choose “Learn MIDI”, then tap a parameter."));
  }
}

const describe = (mapping) => mapping.text ?? mapping.source ?? (mapping.controller === undefined ? "MIDI" : `CC ${mapping.controller}`);
