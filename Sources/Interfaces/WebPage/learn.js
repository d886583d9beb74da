// learn.js: MIDI learn: tap a parameter, move a controller. The session keeps the mapping in the rig.
import { el, button, fillWith } from "./dom.js";
import { openDialog, choiceList } from "./dialogs.js";

export class Learn {
  #isOn = false; #mappings = [];
  /** Whether the session has MIDI mappings. Known after the first answer to `map`. */
  canLearn = true;
  /** Called after mappings have changed. */
  onChange = () => {};

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

  /** Waits until a controller moves. The session replies after that, or after 30 s. */
  async start(node, parameter) {
    let isWaiting = true, isCancelled = false;
    const dialog = openDialog("MIDI learn", { className: "small" },
      el("p", { class: "learn-text", role: "status" }, "Move a knob, fader or pedal for ", el("strong", {}, `${node} · ${parameter.name}`), "."),
      el("div", { class: "wait", "aria-hidden": "true" }), el("div", { class: "row" }, button({ class: "secondary", onclick: () => dialog.close() }, "Cancel")));
    dialog.addEventListener("close", () => {
      isCancelled = isWaiting;
      if (isWaiting) this.session.connection.request({ command: "learn" }).catch(() => {});
    });
    try { await this.session.request({ command: "learn", target: targetOf(node, parameter.symbol) }); } catch (error) {
      if (!isCancelled) this.session.say(error.message, true);
    }
    isWaiting = false;
    dialog.close();
    this.refresh();
  }

  /** Reads the mappings, so that controls can show theirs. */
  async refresh() {
    try { this.#take(await this.session.connection.request({ command: "map" })); } catch (error) {
      if (error.kind === "usage") this.canLearn = false;
    }
  }

  #take(reply) {
    this.#mappings = reply.maps ?? [];
    this.onChange();
  }

  /** Marks a control that has a mapping. */
  mark(element, node, symbol) {
    const target = targetOf(node, symbol);
    const found = this.#mappings.filter((one) => one.target === target).map((one) => one.control).join(", ");
    if (found) element.dataset.midi = found;
    else delete element.dataset.midi;
  }

  /** Lists the mappings. A tap removes one. */
  async open() {
    const list = el("div");
    const dialog = openDialog("MIDI mappings", {}, list);
    const draw = () => fillWith(list, this.#mappings.length > 0 && el("p", { class: "hint" }, "Tap a mapping to remove it."),
      choiceList(this.#mappings.map((one) => ({ text: one.target, detail: [one.control, one.options].filter(Boolean).join(" "), icon: "midi",
        run: async () => {
          const reply = await this.session.run({ command: "map", remove: String(one.number) });
          if (reply) await this.refresh();
          draw();
        } })), "Nothing is mapped. Choose “Learn MIDI”, then tap a parameter."));
    await this.refresh();
    if (dialog.open) draw();
  }
}

const targetOf = (node, symbol) => `${node}.${symbol}`;
