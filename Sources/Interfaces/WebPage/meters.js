// meters.js: levels of input and output with peak hold and clip lamps, and load, xruns and devices in words.
import { el, button, byId, fillWith, setText } from "./dom.js";
import { levelShare, levelText } from "./format.js";

const HOLD_MS = 1500, CLIP_DBFS = -0.02;

class MeterRow {
  #channels = [];

  constructor(name, reset) {
    this.bars = el("span", { class: "meter-bars", "aria-hidden": "true" });
    this.clip = button({ class: "clip", "aria-label": `${name}: no clipping`, onclick: reset });
    this.text = el("span", { class: "meter-text" });
    this.name = name;
    this.element = el("div", { class: "meter", role: "meter", "aria-label": `${name} level`, "aria-valuemin": "-60", "aria-valuemax": "0" },
      el("span", { class: "meter-name", "aria-hidden": "true" }, name), this.bars, this.text, this.clip);
  }

  reset() {
    this.clip.classList.remove("on");
    this.clip.setAttribute("aria-label", `${this.name}: no clipping`);
  }

  show(peaks, now) {
    if (peaks.length !== this.#channels.length) {
      this.#channels = peaks.map(() => ({ bar: el("i"), hold: el("b"), held: 0, since: 0 }));
      fillWith(this.bars, this.#channels.map(({ bar, hold }) => el("span", {}, bar, hold)));
    }
    this.#channels.forEach((channel, i) => {
      const share = levelShare(peaks[i]);
      if (share >= channel.held || now - channel.since > HOLD_MS) [channel.held, channel.since] = [share, now];
      channel.bar.style.clipPath = `inset(0 ${((1 - share) * 100).toFixed(1)}% 0 0)`;
      channel.hold.style.left = `${(channel.held * 100).toFixed(1)}%`;
    });
    const highest = Math.max(-Infinity, ...peaks.map((one) => one ?? -Infinity));
    if (highest >= CLIP_DBFS) {
      this.clip.classList.add("on");
      this.clip.setAttribute("aria-label", `${this.name} clipped. Reset.`);
    }
    setText(this.text, highest > -60 ? highest.toFixed(0).replace("-", "−") : "");
    this.element.setAttribute("aria-valuenow", Math.max(-60, Math.min(0, highest)).toFixed(0));
    this.element.setAttribute("aria-valuetext", levelText(highest));
  }
}

export class MetersView {
  // A finger covers both lamps, so a tap resets both.
  #reset = () => { for (const row of [this.#input, this.#output]) row.reset(); };
  #input = new MeterRow("In", this.#reset); #output = new MeterRow("Out", this.#reset); #facts = new Map(); #log = []; #devices = new Map();

  constructor() {
    fillWith(byId("meters"), this.#input.element, this.#output.element);
    this.list = el("dl", { class: "facts" });
    this.log = el("ol", { class: "log", "aria-label": "Messages" });
    fillWith(byId("health"), el("header", { class: "card-head" }, el("h2", {}, "Status")), this.list, this.log);
  }

  showLevels(event) {
    const now = performance.now();
    this.#input.show(event.inputPeakDBFS ?? [], now);
    this.#output.show(event.outputPeakDBFS ?? [], now);
    if (event.load !== undefined) this.#fact("Load", `${(event.load * 100).toFixed(0)} %`, event.load > 0.8);
    if (event.xruns !== undefined) this.#xruns(event.xruns);
  }

  #xruns(count) { this.#fact("Interruptions", count === 0 ? "none" : `${count} ${count === 1 ? "xrun" : "xruns"}`, count > 0); }

  showEvent(event) {
    switch (event.event) {
      case "started":
        this.#fact("Device", event.devices.map((one) => one.name || one.device).filter((one, i, all) => all.indexOf(one) === i).join(", "));
        this.#fact("Rate", `${event.sampleRateHz} Hz, ${event.periodFrames} frames`);
        break;
      case "level":
        this.#fact("Load", `${(event.meanLoad * 100).toFixed(0)} %, at most ${(event.worstLoad * 100).toFixed(0)} %`, event.worstLoad > 0.8);
        this.#xruns(event.xruns);
        break;
      case "xrun": this.say(`The audio was interrupted. ${event.lostSeconds.toFixed(2)} s are lost so far.`); break;
      case "rate": this.#fact("Rate", `${event.sampleRateHz} Hz`); break;
      default: if (event.notice) this.say(event.notice);
    }
  }

  #fact(name, text, isBad = false) {
    if (!this.#facts.has(name)) {
      const value = el("dd");
      this.#facts.set(name, value);
      this.list.append(el("div", {}, el("dt", {}, name), value));
    }
    setText(this.#facts.get(name), text);
    this.#facts.get(name).classList.toggle("bad", isBad);
  }

  /** Adds a message to the log, with the time of day. */
  say(text) {
    this.#log = [{ text, time: new Date() }, ...this.#log].slice(0, 20);
    fillWith(this.log, this.#log.map((one) => el("li", {}, el("time", {}, one.time.toTimeString().slice(0, 8)), el("span", {}, one.text))));
  }

  /** Device states, after an event if there is one, as text for the banner; empty if all devices work. */
  deviceMessage(event = {}) {
    const key = `${event.device} ${event.direction ?? ""}`;
    if (event.state === "missing" || event.state === "fallback") this.#devices.set(key, event.reason ?? `The device ${event.device} is missing.`);
    else this.#devices.delete(key);
    if (event.reason) this.say(event.reason);
    return [...new Set(this.#devices.values())].join(" ");
  }
}
