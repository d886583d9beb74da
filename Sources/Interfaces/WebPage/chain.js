// chain.js: the chain as cards with lines: selection, bypass, adding, moving by drag and by keyboard.
import { el, svg, button, byId, fillWith } from "./dom.js";
import { icon, familyOf } from "./icons.js";
import { arrange, readingOrder, neighbour } from "./layout.js";
import { levelShare } from "./format.js";
import { DragMove } from "./drag.js";

export class ChainView {
  #meters = new Map(); #cards = new Map(); #families = new Map(); #root = byId("chain");

  /** @param actions `select(name)`, `add(place)`, `remove(name)` */
  constructor(session, actions) {
    this.session = session;
    this.actions = actions;
    this.selected = undefined;
  }

  /** Draws everything anew after nodes or connections have changed. Scroll position and focus stay. */
  render() {
    const { state } = this.session.store;
    const active = this.#root.contains(document.activeElement) && document.activeElement.closest("[data-unit]")?.dataset.unit;
    const next = this.survivor(active);
    const left = this.#root.firstChild?.scrollLeft ?? 0;
    const { width, height, boxes, lines } = arrange(state);
    this.#meters.clear();
    this.#cards.clear();
    const canvas = el("div", { class: "chain-canvas", role: "list" });
    canvas.style.width = `${width + 44}px`;
    canvas.style.height = `${height}px`;
    canvas.append(svg("svg", { class: "wires", width: width + 44, height, "aria-hidden": "true" },
      lines.map(({ path, link }) => svg("path", { d: path, class: link.gain === undefined ? "wire off" : "wire" }))));
    for (const box of readingOrder(boxes)) {
      canvas.append(this.#place(box, this.#unit(box.unit)));
      if (box.unit.kind !== "out" && lines.some(({ link }) => link.from === box.unit.name)) canvas.append(this.#plus(box));
    }
    if (!boxes.length) canvas.append(el("p", { class: "empty" }, "The rig has no nodes."));
    const scroller = el("div", { class: "chain-scroll" }, canvas);
    fillWith(this.#root, scroller);
    scroller.scrollLeft = left;
    this.drag = new DragMove(scroller, (name, after) => this.#drop(name, after));
    if (active && next !== active) this.focus(next);
    this.select(this.selected);
  }

  /** The card with a name, or the nearest one that the rig still has. */
  survivor(name) {
    const { store } = this.session, names = [...this.#cards.keys()], at = Math.max(0, names.indexOf(name));
    return [...names.slice(at), ...names.slice(0, at).reverse()].find((one) => store.node(one) ?? store.nestedRig(one));
  }

  /** Gives a card the focus, so that the keys for it work. */
  focus(name) { (this.#cards.get(name) ?? this.#root).querySelector(".slot-open, .plus")?.focus({ preventScroll: true }); }

  #place(box, element) {
    element.style.left = `${box.x}px`;
    element.style.top = `${box.y}px`;
    element.style.width = `${box.w}px`;
    element.style.height = `${box.h}px`;
    return element;
  }

  #unit(unit) {
    if (unit.kind === "in" || unit.kind === "out") {
      const meter = el("span", { class: "end-meter" }, el("i"));
      this.#meters.set(unit.name, meter.firstChild);
      return el("div", { class: "end", role: "listitem" }, meter, el("span", {}, unit.kind === "in" ? "In" : "Out"));
    }
    return unit.kind === "rig" ? this.#nested(unit) : this.#slot(unit.nodes[0], true);
  }

  #nested(unit) {
    const { store } = this.session;
    const rig = store.nestedRig(unit.name);
    const element = el("div", { class: "nest", role: "listitem", "data-unit": unit.name },
      el("div", { class: "nest-head" }, button({ class: "slot-open nest-open", onclick: () => this.actions.select(unit.name),
        onkeydown: (e) => this.#key(e, unit.name) }, unit.name, el("span", { class: "nest-kind" }, "nested rig")),
      this.#power(unit.name, rig?.bypass)),
      el("div", { class: "nest-slots", role: "list" }, unit.nodes.map((node) => this.#slot(node, false))));
    element.classList.toggle("bypassed", rig?.bypass === true);
    this.#cards.set(unit.name, element);
    return element;
  }

  #slot(node, isTopLevel) {
    const family = this.#families.get(node.plugin) ?? "tool";
    const title = isTopLevel ? node.name : node.name.split("/").slice(1).join("/");
    const meter = el("i");
    const glyph = el("span", { class: "slot-icon" }, icon(family));
    const kind = el("span", { class: "slot-kind" }, shortPlugin(node.plugin));
    const element = el("div", { class: `slot family-${family}`, role: "listitem", "data-unit": node.name,
      "data-movable": isTopLevel || undefined },
    button({ class: "slot-open", onclick: () => this.actions.select(node.name), onkeydown: (e) => this.#key(e, node.name) },
      glyph, el("span", { class: "slot-name" }, title), kind, el("span", { class: "slot-state" })),
    this.#power(node.name, node.bypass), el("span", { class: "slot-meter", "aria-hidden": "true" }, meter));
    this.#meters.set(node.name, meter);
    this.#cards.set(node.name, element);
    this.#showState(element, node);
    this.session.describe(node).then((plugin) => {
      const found = familyOf(plugin.category || plugin.name);
      this.#families.set(node.plugin, found);
      element.classList.replace(`family-${family}`, `family-${found}`);
      glyph.replaceChildren(icon(found));
      kind.textContent = plugin.name;
    }, () => {});
    return element;
  }

  #power(name, isBypassed) {
    return button({
      class: "power", role: "switch", "aria-checked": String(!isBypassed), "aria-label": `${name}: active`,
      onclick: () => this.session.set(name, { bypass: "toggle" }),
    }, icon("power"));
  }

  #showState(element, node) {
    element.classList.toggle("bypassed", node.bypass === true);
    element.classList.toggle("faulty", node.faulty === true);
    element.querySelector(".slot-state").textContent = node.faulty ? "Faulty, bypassed" : node.bypass ? "Bypassed" : "";
  }

  #plus(box) {
    const name = box.unit.name === "in" ? "the input" : box.unit.name;
    const element = button({ class: "plus", "aria-label": `Add a plugin after ${name}`, "data-after": box.unit.name,
      onclick: () => this.actions.add({ after: box.unit.name }) }, icon("plus"));
    element.style.left = `${box.x + box.w + 2}px`;
    element.style.top = `${box.y + box.h / 2 - 22}px`;
    return element;
  }

  /** Shows a change of bypass or of a fault without drawing everything. */
  update(name) {
    const element = this.#cards.get(name), { store } = this.session;
    const node = store.node(name), unit = node ?? store.nestedRig(name);
    if (!element || !unit) return;
    element.querySelector(".power").setAttribute("aria-checked", String(!unit.bypass));
    if (node) this.#showState(element, node);
    else element.classList.toggle("bypassed", unit.bypass === true);
  }

  select(name) {
    this.selected = name;
    for (const [one, element] of this.#cards) {
      element.classList.toggle("selected", one === name);
      element.querySelector(".slot-open").setAttribute("aria-current", String(one === name));
    }
    const element = this.#cards.get(name);
    element?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  showLevels(event) {
    this.#meters.get("in")?.style.setProperty("transform", `scaleY(${share(event.inputPeakDBFS)})`);
    this.#meters.get("out")?.style.setProperty("transform", `scaleY(${share(event.outputPeakDBFS)})`);
    for (const node of event.nodes ?? []) {
      const peak = Array.isArray(node.peakDBFS) ? node.peakDBFS : [node.peakDBFS];
      this.#meters.get(node.name)?.style.setProperty("transform", `scaleX(${share(peak)})`);
    }
  }

  #key(e, name) {
    const names = [...this.#cards.keys()], at = names.indexOf(name);
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (direction && e.altKey) this.move(name, direction);
    else if (direction) this.#cards.get(names[at + direction])?.querySelector(".slot-open").focus();
    else if (e.key === "Delete") this.actions.remove(name);
    else if (e.key === "b") this.session.set(name, { bypass: "toggle" });
    else return;
    e.preventDefault();
  }

  /** Moves a node or nested rig one place along the signal. */
  move(name, direction) {
    const place = neighbour(this.session.store.state, name, direction);
    if (place) this.session.run({ command: "move", node: name, ...place });
    else this.session.say(`${name} is at the ${direction < 0 ? "beginning" : "end"} of the chain.`);
  }

  #drop(name, after) {
    if (after !== name) this.session.run({ command: "move", node: name, after });
  }
}

const share = (peaks) => Math.max(0, ...(peaks ?? []).map(levelShare)).toFixed(3);
const shortPlugin = (plugin) => plugin.replace(/^outboard\./, "").replace(/^.*[/#:]/, "");
