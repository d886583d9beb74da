// transport.js: recorders, players and tempo.
import { el, button, byId, fillWith, setText } from "./dom.js";
import { askText } from "./dialogs.js";
import { TempoView } from "./tempo.js";

const RECORD = [["start", "Record"], ["stop", "Stop"], ["pause", "Pause"], ["resume", "Resume"], ["split", "Split"], ["mark", "Mark"]];
const PLAY = [["start", "Play"], ["stop", "Stop"], ["pause", "Pause"], ["previous", "Previous"], ["next", "Next"], ["seek", "Seek"]];
const POLL_MS = 1000;

export class TransportView {
  #root = byId("transport"); #states = new Map(); #timer;

  constructor(session) {
    this.session = session;
    this.tempo = new TempoView(session);
  }

  render() {
    const nodes = this.session.store.state.nodes.filter((one) => one.plugin === "recorder" || one.plugin === "player");
    this.#states.clear();
    fillWith(this.#root, el("header", { class: "card-head" }, el("h2", {}, "Recorders, players and tempo")),
      nodes.length ? nodes.map((node) => this.#device(node)) : el("p", { class: "empty" }, "The rig has no recorder and no player."),
      this.tempo.element());
    clearInterval(this.#timer);
    if (nodes.length) this.#timer = setInterval(() => this.poll(), POLL_MS);
    if (nodes.length) this.poll();
  }

  #device(node) {
    const isRecorder = node.plugin === "recorder";
    const state = el("p", { class: "device-state", role: "status", "aria-live": "off" });
    this.#states.set(node.name, state);
    return el("section", { class: isRecorder ? "device recorder" : "device player", "aria-label": node.name, "data-device": node.name },
      el("h3", {}, el("i", { class: "lamp", "aria-hidden": "true" }), node.name), state,
      el("div", { class: "device-buttons" }, (isRecorder ? RECORD : PLAY).map(([action, text]) => button({
        class: action === "start" ? "pad start" : "pad", "data-action": action, "aria-label": `${text}: ${node.name}`,
        onclick: () => this.#act(node, action),
      }, text))));
  }

  async #act(node, action) {
    const command = { command: node.plugin === "recorder" ? "record" : "play", node: node.name, action };
    if (action === "mark" || action === "seek") return this.#ask(command, action);
    await this.session.run(command);
    return this.poll();
  }

  #ask(command, action) {
    const isMark = action === "mark";
    askText(isMark ? "Set a marker" : "Seek", { label: isMark ? "Text" : "Position, such as 1:23", action: isMark ? "Mark" : "Seek",
      accept: async (text) => {
        const problem = await this.session.attempt({ ...command, ...(text || !isMark ? { text } : {}) });
        if (!problem) this.poll();
        return problem;
      } });
  }

  /** Asks for the states, which arrive as one sentence for each recorder or player. */
  async poll() {
    if (document.hidden) return;
    for (const command of ["record", "play"]) {
      if (!this.session.store.state.nodes.some((one) => one.plugin === (command === "record" ? "recorder" : "player"))) continue;
      let reply;
      try { reply = await this.session.request({ command }); } catch { return; }
      for (const note of reply.notes ?? []) this.#show(note);
    }
  }

  #show(note) {
    const name = [...this.#states.keys()].filter((one) => note.startsWith(`${one} `)).sort((a, b) => b.length - a.length)[0];
    const state = this.#states.get(name);
    if (!state) return;
    setText(state, withoutDirectories(note.slice(name.length + 1)));
    state.parentElement.classList.toggle("running", /^(records to|plays)\b/.test(note.slice(name.length + 1)));
  }
}

/** A sentence with paths shortened to file names. */
export const withoutDirectories = (text) => text.replace(/(^|\s)\/(?:[^/\n]*\/)+(?=[^/\s])/g, "$1").replace(/^./, (c) => c.toUpperCase());
