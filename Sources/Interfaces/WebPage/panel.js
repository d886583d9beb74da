// panel.js: the selected node: switches, presets, plots, controls, readouts, files and connections.
import { el, button, byId, fillWith } from "./dom.js";
import { icon, iconButton, familyOf } from "./icons.js";
import { groups, shortName, formatted, typedValue, isTrigger } from "./format.js";
import { controlFor, toggle } from "./controls.js";
import { askText, openDialog, choiceList } from "./dialogs.js";
import { readoutsFor } from "./readouts.js";
import { plotFor } from "./plotview.js";
import { links } from "./layout.js";
import { chooseFile } from "./files.js";

const WET = { symbol: "wet", name: "Wet level", minimum: 0, maximum: 100, default: 100, unit: "%", scale: "linear" };
const GAIN = { minimum: -60, maximum: 24, default: 0, unit: "dB", scale: "linear" };

export class Panel {
  name; #controls = new Map(); #root = byId("panel"); #views = []; #serial = 0; #extras = {}; #drawn;

  /** @param actions `remove(name)`, `replace(name)`, `move(name, direction)`, `focus(name)`; `learn` is a `Learn`. */
  constructor(session, actions, learn) {
    this.session = session;
    this.actions = actions;
    this.learn = learn;
    session.onSettled = (node, symbol) => {
      const control = this.#controls.get(node === this.name ? symbol : `gain ${node}`);
      if (control) control.element.ariaBusy = null;
      if (node === this.name) this.#show(symbol);
    };
  }

  /** Shows a node, a nested rig, or the help for an empty selection. */
  async show(name) {
    const serial = (this.#serial += 1);
    this.name = name;
    this.#controls.clear();
    this.#views = [];
    const node = this.session.store.node(name), rig = this.session.store.nestedRig(name);
    if (rig) return this.#draw(this.#head(rig, "nested rig", undefined, false), this.#mix(rig));
    if (!node) return this.#draw(el("p", { class: "empty" }, "Tap a plugin in the chain to change it, or a plus to add one."));
    let plugin;
    try { plugin = await this.session.describe(node); } catch (error) { plugin = unknown(node, error.message); }
    const current = this.session.store.node(name);
    if (serial !== this.#serial || !current) return undefined;
    this.plugin = plugin;
    return this.#drawNode(current, plugin);
  }

  #draw(...parts) {
    // The focus never passes to a control of another plugin.
    if (this.name !== this.#drawn && this.#root.contains(document.activeElement)) this.actions.focus(this.name);
    this.#drawn = this.name;
    fillWith(this.#root, parts);
  }

  #drawNode(node, plugin) {
    const isTopLevel = !this.session.store.state.nestedRigs.some((rig) => node.name.startsWith(`${rig.name}/`));
    const values = new Map(node.parameters.map((one) => [one.symbol, one.value]));
    const plot = plotFor(plugin, values, (symbol, value) => this.#change(symbol, value));
    const readouts = readoutsFor(plugin, values);
    this.#views = [plot, readouts].filter(Boolean);
    const shown = (plugin.parameters ?? []).filter((one) => values.has(one.symbol));
    this.#draw(this.#head(node, plugin.name, plugin, isTopLevel),
      node.faulty && el("p", { class: "fault" }, `${node.name} had a fault and is bypassed. Switch it on again, or replace it.`),
      plugin.problem && el("p", { class: "fault" }, plugin.problem),
      readouts?.element, plot?.element, this.#files(node, plugin), this.#parameters(shown, values), this.#mix(node),
      isTopLevel && this.#connections(node.name));
  }

  #head(unit, kind, plugin, isTopLevel) {
    const bypass = toggle("Active", !unit.bypass, (on) => this.session.set(unit.name, { bypass: !on }));
    this.#extras.bypass = bypass;
    const menu = [];
    if (isTopLevel || !plugin) menu.push(el("div", { class: "move" }, el("span", { "aria-hidden": "true" }, "Move"),
      iconButton("left", `Move ${unit.name} towards the input`, () => this.actions.move(unit.name, -1)),
      iconButton("right", `Move ${unit.name} towards the output`, () => this.actions.move(unit.name, 1))));
    if (isTopLevel) menu.push(iconButton("swap", `Replace ${unit.name}`, () => this.actions.replace(unit.name)));
    if (isTopLevel || !plugin) menu.push(iconButton("trash", `Remove ${unit.name}`, () => this.actions.remove(unit.name)));
    const presets = (plugin?.presets ?? []).length > 0 && button({ class: "secondary", "aria-haspopup": "dialog",
      onclick: () => this.#presets(unit.name, plugin) }, "Presets");
    return el("header", { class: `panel-head family-${familyOf(plugin?.category || plugin?.name)}` },
      el("div", { class: "panel-title" }, el("h1", {}, unit.name), el("p", { class: "panel-kind" }, kind)), bypass.element,
      (presets || menu.length > 0) && el("div", { class: "panel-tools" }, presets, menu));
  }

  #presets(name, plugin) {
    const dialog = openDialog(`Presets of ${plugin.name}`, {}, choiceList(plugin.presets.map((preset) => ({
      text: preset.name, run: async () => {
        dialog.close();
        await this.session.set(name, { preset: preset.name });
      },
    })), "No presets."));
  }

  #parameters(parameters, values) {
    const pads = parameters.filter(isTrigger);
    const section = (group) => el("section", { class: "group", "aria-label": group.name || "Parameters" },
      group.name && el("h2", {}, group.name),
      el("div", { class: "controls" }, group.parameters.map((one) => this.#control(one, shortName(one, group.name), values))));
    return el("div", { class: "groups" },
      pads.length > 0 && el("div", { class: "pads" }, pads.map((one) => this.#control(one, one.name, values))),
      groups(parameters.filter((one) => !isTrigger(one))).map(section));
  }

  #control(parameter, name, values) {
    const control = controlFor(parameter, name, values.get(parameter.symbol), {
      change: (value) => this.#change(parameter.symbol, value),
      settle: () => this.#show(parameter.symbol),
      set: (value) => this.session.set(this.name, { [parameter.symbol]: value }),
      edit: (typed) => this.#edit(parameter, typed),
      intercept: () => this.learn.intercept(this.name, parameter),
    });
    control.element.dataset.symbol = parameter.symbol;
    this.learn.mark(control.element, this.name, parameter.symbol);
    this.#controls.set(parameter.symbol, control);
    return control.element;
  }

  // Sends a value and shows it in plots at once; the state follows with the reply.
  #change(symbol, value) {
    const control = this.#controls.get(symbol);
    control?.update(value);
    if (control) control.element.ariaBusy = "true";
    for (const view of this.#views) view.update?.(symbol, value);
    this.session.move(this.name, symbol, symbol === "wet" ? `${value} %` : value);
  }

  #edit(parameter, typed) {
    if (this.learn.intercept(this.name, parameter)) return;
    const now = this.#controls.get(parameter.symbol).value, node = this.name;
    const dialog = askText(parameter.name, {
      label: `Value${parameter.unit ? ` in ${parameter.unit}` : ""}`, value: typed ?? String(Number(now.toPrecision(5))),
      hint: `${formatted(parameter, parameter.minimum)} to ${formatted(parameter, parameter.maximum)}`
        + (parameter.default === undefined ? "" : `, default ${formatted(parameter, parameter.default)}`),
      action: "Set", inputmode: parameter.minimum < 0 ? "text" : "decimal",
      accept: (text) => {
        const value = typedValue(parameter, text);
        return this.session.attempt({ command: "set", node, values: { [parameter.symbol]: parameter.symbol === "wet" ? `${value} %` : value } });
      },
      extra: [parameter.default !== undefined && button({ class: "secondary", onclick: () => {
        this.#change(parameter.symbol, parameter.default);
        dialog.close();
      } }, "Default"), this.learn.canLearn && button({ class: "secondary", onclick: () => {
        dialog.close();
        this.learn.start(node, parameter);
      } }, "Learn MIDI")],
    });
  }

  #mix(unit) {
    return el("section", { class: "group", "aria-label": "Mix" }, el("div", { class: "controls" },
      this.#control(WET, WET.name, new Map([["wet", (unit.wet ?? 1) * 100]]))));
  }

  #files(node, plugin) {
    const files = (plugin.properties ?? []).filter((one) => one.type === "path" && one.writable !== false);
    if (!files.length) return undefined;
    return el("div", { class: "files" }, files.map((property) => {
      const key = property.symbol ?? property.uri;
      const value = (node.properties ?? []).find((one) => one.uri === property.uri || one.uri === key)?.value;
      return button({ class: "file", "aria-haspopup": "dialog", onclick: () => chooseFile(this.session, property.name, value,
        (path) => this.session.set(node.name, { [key]: path })) },
      icon("file"), el("span", { class: "control-name" }, property.name),
      el("span", { class: "file-name" }, value ? String(value).split("/").pop() : "Choose a file"));
    }));
  }

  #connections(name) {
    const { state } = this.session.store;
    const near = links(state).filter((link) => link.from === name || link.to === name);
    if (!near.length) return undefined;
    const row = (link) => {
      const control = controlFor({ ...GAIN, symbol: link.name, name: link.name }, link.name.replace(" -> ", " → "), link.gain ?? GAIN.minimum, {
        change: (value) => {
          control.element.ariaBusy = "true";
          this.session.move(link.name, "gain", value <= GAIN.minimum ? "off" : value);
        },
        edit: () => this.#editGain(link),
      });
      this.#controls.set(`gain ${link.name}`, control);
      return control.element;
    };
    return el("details", { class: "group connections" }, el("summary", {}, "Connections"), el("div", { class: "controls" }, near.map(row)));
  }

  #editGain(link) {
    askText(link.name.replace(" -> ", " → "), { label: "Gain in dB, or off", value: String(link.gain ?? "off"), action: "Set",
      accept: (text) => this.session.attempt({ command: "set", node: link.name, values: { gain: typedValue(GAIN, text) } }) });
  }

  // The state's value, unless a newer one of this page is on its way.
  #show(symbol) {
    if (this.session.isMoving(this.name, symbol)) return;
    const unit = this.session.store.node(this.name) ?? this.session.store.nestedRig(this.name);
    const value = symbol === "wet" ? (unit?.wet ?? 1) * 100 : this.session.store.value(this.name, symbol);
    const control = this.#controls.get(symbol);
    if (control?.isHeld || value === undefined) return;
    control?.update(value);
    for (const view of this.#views) view.update?.(symbol, value);
  }

  /** Shows which controls have a MIDI mapping. */
  markMappings() {
    for (const [symbol, control] of this.#controls) this.learn.mark(control.element, this.name, symbol);
  }

  /** Shows a change of the state. */
  apply(change) {
    if (change.change === "gain") this.#controls.get(`gain ${change.connection}`)?.update(change.value ?? GAIN.minimum);
    if (change.node !== this.name) return;
    if (change.change === "parameter") this.#show(change.symbol);
    else if (change.change === "wet") this.#show("wet");
    else if (change.change === "bypass") this.#extras.bypass?.update(!change.value);
    else if (change.change === "property" || change.change === "fault") this.show(this.name);
  }

  showLevels(event) {
    const levels = (event.nodes ?? []).find((one) => one.name === this.name);
    if (levels) for (const view of this.#views) view.showLevels?.(levels);
  }

  showEvent(event) { for (const view of this.#views) view.showEvent?.(event, this.name); }
}

// A plugin that the catalogue does not describe: its values can be seen, and set by exact entry.
const unknown = (node, problem) => ({ id: node.plugin, name: node.plugin, category: "", parameters: [], readouts: [], presets: [],
  properties: [], problem });

