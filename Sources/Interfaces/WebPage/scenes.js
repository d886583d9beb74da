// scenes.js: recalling and storing scenes.
import { el, button, byId, fillWith, uniqueId } from "./dom.js";
import { iconButton } from "./icons.js";
import { askText } from "./dialogs.js";

export class ScenesView {
  #root = byId("scenes");

  constructor(session) {
    this.session = session;
    const id = uniqueId("over");
    this.list = el("div", { class: "scene-list", role: "group", "aria-label": "Scenes" });
    this.over = el("input", { class: "text short", id, inputmode: "decimal", placeholder: "as stored", "aria-describedby": `${id}-unit` });
    fillWith(this.#root, el("header", { class: "card-head" }, el("h2", {}, "Scenes"),
      el("div", { class: "row" }, iconButton("previous", "Previous scene", () => this.#step(-1)),
        iconButton("next", "Next scene", () => this.#step(1)),
        button({ class: "secondary", "aria-haspopup": "dialog", onclick: () => this.#store() }, "Store"))),
    this.list, el("div", { class: "field" }, el("label", { for: id }, "Time"), this.over, el("span", { id: `${id}-unit` }, "seconds")));
  }

  render() {
    const { scenes } = this.session.store.state;
    fillWith(this.list, scenes.length ? scenes.map((scene) => button({ class: "scene", "aria-pressed": String(scene.current === true),
      onclick: () => this.#recall(scene.name) }, scene.name))
      : el("p", { class: "empty" }, "No scenes yet. Set the values, then store them."));
  }

  // The scene after the current one, and from the last on to the first.
  #step(direction) {
    const { scenes } = this.session.store.state, at = scenes.findIndex((one) => one.current);
    if (!scenes.length) return this.session.say("The rig has no scenes.");
    const next = at < 0 ? (direction > 0 ? 0 : scenes.length - 1) : (at + direction + scenes.length) % scenes.length;
    return this.#recall(scenes[next].name);
  }

  #recall(scene) {
    const text = this.over.value.trim().replace(",", ".");
    const over = Number(text);
    if (text && !(over >= 0)) return this.session.say("The time is a number of seconds, such as 1.5.", true);
    return this.session.run({ command: "scene", scene, ...(text ? { over } : {}) });
  }

  #store() {
    const current = this.session.store.state.scenes.find((one) => one.current)?.name ?? "";
    askText("Store a scene", { label: "Name", value: current, hint: "A scene of the same name is replaced.", action: "Store",
      accept: async (name) => {
        if (!name.trim()) return "Type a name for the scene.";
        const problem = await this.session.attempt({ command: "scene", scene: name.trim(), store: true });
        if (!problem) this.session.say(`Stored ${name.trim()}.`);
        return problem;
      } });
  }
}
