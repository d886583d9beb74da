// readouts.js: values that plugins report: a large tuner, spectrum, gain reduction, and lists of others.
import { el, svg, setText } from "./dom.js";
import { formatted, position, levelShare, clock } from "./format.js";

/** The view of a plugin's readouts: `{element, showLevels(levels), showEvent(event, node)}`; undefined if it has none. */
export function readoutsFor(plugin) {
  const readouts = plugin.readouts ?? [];
  const has = (symbol) => readouts.some((one) => one.symbol === symbol);
  if (has("cents") && has("note")) return tuner(readouts);
  if (plugin.id === "analyser" || plugin.id === "meter") return eventSpectrum();
  const bands = readouts.filter((one) => /^band_/.test(one.symbol) && one.unit === "dB");
  if (bands.length >= 8) return spectrum(bands);
  if (has("state") && has("length")) return looper(readouts);
  return readouts.length ? list(readouts) : undefined;
}

const valuesOf = (levels) => new Map((levels.readouts ?? []).map((one) => [one.symbol, one.value]));

function tuner(readouts) {
  const note = el("output", { class: "tuner-note", "aria-live": "off" }, "–");
  const words = el("p", { class: "tuner-words" }, "Play one note.");
  const needle = svg("line", { class: "tuner-needle", x1: 150, y1: 26, x2: 150, y2: 62 });
  const scale = svg("svg", { class: "tuner-scale", viewBox: "0 0 300 70", "aria-hidden": "true" },
    Array.from({ length: 21 }, (_, i) => svg("line", { class: i === 10 ? "tick centre" : "tick", x1: 10 + 14 * i, x2: 10 + 14 * i,
      y1: i % 5 ? 38 : 30, y2: 58 })), needle);
  const element = el("section", { class: "tuner", "aria-label": "Tuner" }, note, scale, words);
  const parameter = readouts.find((one) => one.symbol === "note");
  return {
    element,
    showLevels(levels) {
      const values = valuesOf(levels), cents = values.get("cents") ?? 0, value = values.get("note") ?? 0;
      const isSilent = value === 0 || (values.get("clarity") ?? 100) < 30;
      element.classList.toggle("silent", isSilent);
      element.classList.toggle("in-tune", !isSilent && Math.abs(cents) <= 3);
      setText(note, isSilent ? "–" : formatted(parameter, Math.round(value)));
      needle.setAttribute("transform", `translate(${isSilent ? 0 : cents * 2.8} 0)`);
      setText(words, isSilent ? "Play one note." : Math.abs(cents) <= 3 ? "In tune"
        : `${Math.abs(cents).toFixed(0)} cents too ${cents > 0 ? "high" : "low"}`);
    },
  };
}

function bars(names) {
  const rects = names.map((name) => el("i", { title: name }));
  const element = el("section", { class: "spectrum", "aria-label": "Spectrum" },
    el("div", { class: "spectrum-bars", "aria-hidden": "true" }, rects.map((one) => el("span", {}, one))),
    el("div", { class: "spectrum-scale", "aria-hidden": "true" }, el("span", {}, names[0]), el("span", {}, names[names.length >> 1]),
      el("span", {}, names.at(-1))));
  return { element, set: (index, share) => { rects[index].style.transform = `scaleY(${share.toFixed(3)})`; } };
}

function spectrum(bands) {
  const view = bars(bands.map((one) => one.name));
  return {
    element: view.element,
    showLevels(levels) {
      const values = valuesOf(levels);
      bands.forEach((band, i) => view.set(i, levelShare((values.get(band.symbol) ?? -120) + 0)));
    },
  };
}

// Spectrum of the built-in analyser or meter, from the events `analysis` and `meter`.
function eventSpectrum() {
  let view;
  const element = el("div", {}, el("p", { class: "hint" }, "Waiting for the first values."));
  const hertz = (value) => (value >= 1000 ? `${value / 1000} kHz` : `${value} Hz`);
  const show = (bands) => {
    if (!view) {
      view = bars(bands.map((one) => hertz(one.hz)));
      element.replaceChildren(view.element);
    }
    bands.forEach((band, i) => view.set(i, levelShare(Number(band.level ?? -120))));
  };
  return {
    element,
    showEvent(event, node) {
      if (event.event === "analysis" && event.analysis.node === node) {
        show(event.analysis.bands.map((one) => ({ hz: one.centreHz, level: one.decibels })));
      }
      if (event.event === "meter" && event.meter.name === node && event.meter.bands.length) show(event.meter.bands);
    },
  };
}

function looper(readouts) {
  const state = readouts.find((one) => one.symbol === "state");
  const word = el("p", { class: "looper-state" }, "–"), time = el("p", { class: "looper-time" }, "0:00");
  const bar = el("i");
  const element = el("section", { class: "looper", "aria-label": "Loop" }, word, time, el("span", { class: "progress" }, bar));
  return {
    element,
    showLevels(levels) {
      const values = valuesOf(levels), length = values.get("length") ?? 0, at = values.get("position") ?? 0;
      const text = formatted(state, values.get("state") ?? 0);
      setText(word, text);
      element.classList.toggle("recording", /record|overdub/i.test(text));
      setText(time, length > 0 ? `${clock(at)} of ${clock(length)}` : clock(at));
      bar.style.transform = `scaleX(${length > 0 ? Math.min(1, at / length).toFixed(3) : 0})`;
    },
  };
}

// A bar for each readout with a range; a reduction grows from the right, as on hardware.
function list(readouts) {
  const rows = readouts.slice(0, 24).map((readout) => {
    const bar = el("i"), text = el("span", { class: "readout-value" }, "–");
    const isReduction = /reduction/i.test(readout.symbol + readout.name);
    return { readout, bar, text, element: el("div", { class: isReduction ? "readout reduction" : "readout" },
      el("span", { class: "readout-name" }, readout.name), el("span", { class: "readout-bar", "aria-hidden": "true" }, bar), text) };
  });
  return {
    element: el("section", { class: "readouts", "aria-label": "Readouts" }, rows.map((one) => one.element)),
    showLevels(levels) {
      const values = valuesOf(levels);
      for (const { readout, bar, text } of rows) {
        const value = values.get(readout.symbol);
        if (value === undefined) continue;
        const range = /reduction/i.test(readout.symbol) ? { ...readout, maximum: Math.min(readout.maximum, 24) } : readout;
        setText(text, formatted(readout, value));
        bar.style.transform = `scaleX(${position(range, value).toFixed(3)})`;
      }
    },
  };
}
