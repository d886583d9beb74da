// control.js: a continuous control: a knob where there is space, a bar on a phone. Role `slider` in both forms.
import { el, svg, button, setText } from "./dom.js";
import { position, valueAt, stepped, formatted, parts, spoken } from "./format.js";

const SWEEP = 270, START = -135, RADIUS = 26;
const DRAG_PIXELS = 180, FINE = 0.15, SLOP = 4, DOUBLE_MS = 350;

const point = (share, radius) => {
  const angle = ((START + SWEEP * share) * Math.PI) / 180;
  return [32 + radius * Math.sin(angle), 32 - radius * Math.cos(angle)].map((one) => one.toFixed(2)).join(" ");
};

/** An arc of a knob between two shares of its scale. */
export function arc(from, to) {
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  if (high - low < 0.002) return "";
  return `M${point(low, RADIUS)} A${RADIUS} ${RADIUS} 0 ${(high - low) * SWEEP > 180 ? 1 : 0} 1 ${point(high, RADIUS)}`;
}

/**
 * A control of a parameter.
 * @param actions `change(value)` while it moves, `settle()` when it is let go, `edit()` opens exact entry.
 */
export class Control {
  #held = false; #value; #drag; #lastTap = 0;

  constructor(parameter, name, value, actions) {
    this.parameter = parameter;
    this.actions = actions;
    this.#build(name);
    this.#value = value;
    this.#draw();
  }

  get value() { return this.#value; }
  /** Whether a finger or the mouse holds the control. It is not moved by others then. */
  get isHeld() { return this.#held; }

  /** Shows a value that the session has. */
  update(value) {
    if (this.#held || value === undefined) return;
    this.#value = value;
    this.#draw();
  }

  #build(name) {
    this.track = svg("path", { class: "knob-arc" });
    this.pointer = svg("path", { class: "knob-pointer" });
    this.fillBar = el("span", { class: "bar-fill" });
    this.dial = el("div", {
      class: "dial", role: "slider", tabindex: "0", "aria-label": name,
      "aria-valuemin": this.parameter.minimum, "aria-valuemax": this.parameter.maximum,
      onpointerdown: (e) => this.#down(e), onpointermove: (e) => this.#move(e), onpointerup: (e) => this.#up(e),
      onpointercancel: () => this.#cancel(), onkeydown: (e) => this.#key(e),
      onwheel: (e) => this.#wheel(e),
    }, svg("svg", { class: "knob", viewBox: "0 0 64 64", "aria-hidden": "true" },
      svg("path", { class: "knob-track", d: arc(0, 1) }), this.track,
      svg("circle", { class: "knob-cap", cx: 32, cy: 32, r: 19 }), this.pointer), this.fillBar);
    this.text = el("span", { class: "value-number" });
    this.unit = el("span", { class: "value-unit" });
    this.entry = button({ class: "value", "aria-label": `${name}: type a value`, onclick: () => this.actions.edit() },
      this.text, this.unit);
    this.element = el("div", { class: "control" }, this.dial, el("span", { class: "control-name", "aria-hidden": "true" }, name),
      this.entry);
  }

  #draw() {
    const p = this.parameter, share = position(p, this.#value), { text, unit } = parts(p, this.#value);
    const zero = p.minimum < 0 && p.maximum > 0 && p.scale !== "logarithmic" ? position(p, 0) : 0;
    this.track.setAttribute("d", arc(zero, share));
    this.pointer.setAttribute("d", `M${point(share, 8)} L${point(share, 16)}`);
    this.fillBar.style.left = `${Math.min(zero, share) * 100}%`;
    this.fillBar.style.width = `${Math.abs(share - zero) * 100}%`;
    setText(this.text, text);
    setText(this.unit, unit);
    this.dial.setAttribute("aria-valuenow", this.#value);
    this.dial.setAttribute("aria-valuetext", spoken(p, this.#value));
    this.dial.title = `${p.name}: ${formatted(p, this.#value)}`;
  }

  #choose(value) {
    if (value === this.#value) return;
    this.#value = value;
    this.#draw();
    this.actions.change(value);
  }

  reset() {
    if (this.parameter.default !== undefined) this.#choose(this.parameter.default);
  }

  #down(e) {
    if (e.button > 0 || this.actions.intercept?.()) return;
    this.#drag = { x: e.clientX, y: e.clientY, share: position(this.parameter, this.#value), start: this.#value, moved: false };
    this.dial.setPointerCapture(e.pointerId);
  }

  #move(e) {
    const drag = this.#drag;
    if (!drag) return;
    const isBar = getComputedStyle(this.fillBar).display !== "none";
    const dx = e.clientX - drag.x, dy = isBar ? 0 : drag.y - e.clientY;
    if (!drag.moved && Math.abs(dx) + Math.abs(dy) < SLOP) return;
    drag.moved = this.#held = true;
    this.element.classList.add("held");
    const range = isBar ? this.dial.clientWidth : DRAG_PIXELS;
    drag.share += ((dx + dy) / range) * (e.shiftKey ? FINE : 1);
    [drag.x, drag.y] = [e.clientX, e.clientY];
    this.#choose(valueAt(this.parameter, drag.share));
  }

  #up(e) {
    const drag = this.#drag;
    this.#release();
    if (!drag || drag.moved) return;
    if (e.timeStamp - this.#lastTap < DOUBLE_MS) this.reset();
    this.#lastTap = e.timeStamp;
  }

  // The browser scrolls instead: the value from before the touch returns.
  #cancel() {
    const drag = this.#drag;
    if (drag?.moved) this.#choose(drag.start);
    this.#release();
  }

  #release() {
    const wasHeld = this.#held;
    this.#drag = undefined;
    this.#held = false;
    this.element.classList.remove("held");
    if (wasHeld) this.actions.settle?.();
  }

  #wheel(e) {
    if (document.activeElement !== this.dial || e.ctrlKey) return;
    e.preventDefault();
    this.#choose(stepped(this.parameter, this.#value, (e.shiftKey ? 0.2 : 1) * -Math.sign(e.deltaY || e.deltaX)));
  }

  #key(e) {
    const p = this.parameter, fine = e.shiftKey ? 0.2 : 1;
    const steps = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 }[e.key];
    if (e.altKey || e.ctrlKey || e.metaKey) return;
    if (steps) this.#choose(stepped(p, this.#value, steps * fine));
    else if (e.key === "Home") this.#choose(p.minimum);
    else if (e.key === "End") this.#choose(p.maximum);
    else if (e.key === "Delete" || e.key === "Backspace") this.reset();
    else if (e.key === "Enter") this.actions.edit();
    else if (/^[-0-9.]$/.test(e.key)) this.actions.edit(e.key);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }
}
