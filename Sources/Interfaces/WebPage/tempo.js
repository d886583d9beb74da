// tempo.js: tempo and transport of the session.
import { el, button, setText } from "./dom.js";
import { askText } from "./dialogs.js";

const CLOCKS = { waiting: "waits for", locking: "locks to", locked: "is locked to", lost: "has lost" };

/** The tempo as text, such as `120 BPM, rolling. It is locked to the MIDI clock of Digitakt.` */
export function tempoText({ tempo, rolling, clock }) {
  const state = `${+tempo.toFixed(2)} BPM, ${rolling ? "rolling" : "stopped"}`;
  if (!clock) return state;
  const source = clock.peers === undefined ? `the MIDI clock of ${clock.device}` : `Ableton Link (${clock.peers} ${clock.peers === 1 ? "peer" : "peers"})`;
  return `${state}. It ${CLOCKS[clock.state] ?? "follows"} ${source}.`;
}

export class TempoView {
  #state = el("p", { class: "device-state", role: "status", "aria-live": "off" });
  #roll;

  constructor(session) { this.session = session; }

  /** The section, with the present state. */
  element() {
    // The pointer counts when it goes down, because a tap has a duration.
    const tap = button({ class: "pad", "data-action": "tap", "aria-label": "Tap the tempo", "aria-keyshortcuts": "Enter",
      onpointerdown: () => this.#send({ action: "tap" }), onkeydown: (e) => this.#key(e) }, "Tap");
    this.#roll = button({ class: "pad start", onclick: () => this.#send({ action: this.#transport?.rolling ? "stop" : "start" }) });
    const root = el("section", { class: "device tempo", "aria-label": "Tempo" },
      el("h3", {}, el("i", { class: "lamp", "aria-hidden": "true" }), "Tempo"), this.#state,
      el("div", { class: "device-buttons" }, tap, this.#roll,
        button({ class: "pad", onclick: () => this.#send({ action: "rewind" }) }, "Rewind"),
        button({ class: "pad", onclick: () => this.#ask() }, "Set")));
    this.update();
    return root;
  }

  get #transport() { return this.session.store.state.transport; }

  update() {
    const transport = this.#transport;
    if (!transport || !this.#roll) return;
    setText(this.#state, tempoText(transport));
    setText(this.#roll, transport.rolling ? "Stop" : "Start");
    this.#state.parentElement?.classList.toggle("running", transport.rolling);
  }

  #key(e) {
    if ((e.key !== "Enter" && e.key !== " ") || e.repeat) return;
    e.preventDefault();
    this.#send({ action: "tap" });
  }

  #send(change) { return this.session.run({ command: "transport", ...change }); }

  #ask() {
    askText("Set the tempo", { label: "Beats per minute", value: String(this.#transport?.tempo ?? ""), action: "Set", inputmode: "decimal",
      accept: (text) => {
        const tempo = Number(text.replace(",", "."));
        return tempo > 0 ? this.session.attempt({ command: "transport", tempo }) : "Enter a number, such as 120.";
      } });
  }
}
