// controls.js: switches, menus and pads, and the choice of a control for a parameter.
import { el, button, markBusy } from "./dom.js";
import { isToggle, isTrigger, isChoice } from "./format.js";
import { Control } from "./control.js";

/** The control of a parameter: `{element, update(value)}`. The actions are those of `Control`, and `set(value)`. */
export function controlFor(parameter, name, value, actions) {
  if (isTrigger(parameter)) return pad(name, actions);
  if (isToggle(parameter)) return toggle(name, value >= 0.5, (on) => actions.set(on ? 1 : 0), actions.intercept);
  if (isChoice(parameter)) return menu(parameter, name, value, actions);
  return new Control(parameter, name, value, actions);
}

/** A switch. `set(isOn)` */
export function toggle(name, isOn, set, intercept) {
  const input = el("input", {
    type: "checkbox", role: "switch", class: "switch", "aria-label": name,
    onchange: () => markBusy(element, set(input.checked)),
  });
  input.checked = isOn;
  const element = el("label", { class: "control control-switch", onclick: (e) => { if (intercept?.()) e.preventDefault(); } },
    el("span", { class: "control-name" }, name), input);
  return { element, update: (value) => { input.checked = value === true || value >= 0.5; } };
}

function menu(parameter, name, value, actions) {
  const select = el("select", {
    class: "select", "aria-label": name,
    onpointerdown: (e) => { if (actions.intercept?.()) e.preventDefault(); },
    onchange: () => markBusy(element, actions.set(Number(select.value))),
  }, parameter.choices.map((choice) => el("option", { value: choice.value }, choice.name)));
  const update = (now) => {
    const nearest = parameter.choices.reduce((best, one) => (Math.abs(one.value - now) < Math.abs(best.value - now) ? one : best));
    select.value = String(nearest.value);
  };
  update(value);
  const element = el("label", { class: "control control-menu" }, el("span", { class: "control-name" }, name), select);
  return { element, update };
}

function pad(name, actions) {
  const element = button({
    class: "pad", onclick: () => (actions.intercept?.() ? undefined : actions.set(1)),
  }, name);
  return { element: el("div", { class: "control control-pad" }, element), update() {} };
}
