// plotview.js: draws the curves of equalisers and compressors. The points of an equaliser can be dragged.
import { el, svg } from "./dom.js";
import { bandsOf, equaliserDecibels, compressedLevel, levelAtReduction, frequencyShare, frequencyAt } from "./plots.js";
import { clamp } from "./format.js";

/** The plot of a plugin: `{element, update(symbol, value), showLevels(levels)}`; undefined if it has none. */
export function plotFor(plugin, initial, change) {
  const values = new Map(initial);
  if (values.has("band_1_frequency") && values.has("band_1_type")) return equaliser(values, plugin, change);
  if (values.has("threshold") && values.has("ratio") && /compressor/i.test(plugin.category) && values.has("knee")) return compressor(values);
  return undefined;
}

const W = 600, H = 220, RANGE = 24;
const x = (hertz) => frequencyShare(hertz) * W;
const y = (decibels) => H / 2 - (clamp(decibels, -RANGE, RANGE) / RANGE) * (H / 2 - 8);
const lineThrough = (points) => `M${points.map((one) => one.map((n) => n.toFixed(1)).join(" ")).join(" L")}`;

function equaliser(values, plugin, change) {
  const curve = svg("path", { class: "curve" }), area = svg("path", { class: "curve-area" });
  const handles = bandsOf(values).map((band) => {
    const handle = svg("g", { class: "handle" }, svg("circle", { class: "handle-touch", r: 24 }), svg("circle", { class: "handle-dot", r: 9 }),
      svg("text", { y: 4 }, String(band.number)));
    dragHandle(handle, band.number);
    return handle;
  });
  const grid = [50, 100, 200, 500, 1000, 2000, 5000, 10000].map((f) => svg("line", { class: "grid", x1: x(f), x2: x(f), y1: 0, y2: H }));
  const rows = [-18, -12, -6, 0, 6, 12, 18].map((d) => svg("line", { class: d ? "grid" : "grid zero", x1: 0, x2: W, y1: y(d), y2: y(d) }));
  const labels = [[100, "100"], [1000, "1k"], [10000, "10k"]].map(([f, text]) => svg("text", { class: "grid-text", x: x(f) + 4, y: H - 6 }, text));
  const picture = svg("svg", { class: "plot-picture", viewBox: `0 0 ${W} ${H}` }, grid, rows, labels, area, curve, handles);

  function dragHandle(handle, number) {
    let isHeld = false;
    handle.addEventListener("pointerdown", (e) => { isHeld = true; handle.setPointerCapture(e.pointerId); handle.classList.add("held"); });
    handle.addEventListener("pointermove", (e) => {
      if (!isHeld) return;
      const box = picture.getBoundingClientRect();
      const hertz = frequencyAt(clamp((e.clientX - box.left) / box.width, 0, 1));
      change(`band_${number}_frequency`, Number(hertz.toPrecision(3)));
      const height = (H / 2 - 8) / H * box.height;
      const decibels = clamp(((box.top + box.height / 2 - e.clientY) / height) * RANGE, -RANGE, RANGE);
      if (["bell", "lowShelf", "highShelf"].includes(bandsOf(values)[number - 1].type)) change(`band_${number}_gain`, Math.round(decibels * 10) / 10);
    });
    for (const end of ["pointerup", "pointercancel"]) {
      handle.addEventListener(end, () => { isHeld = false; handle.classList.remove("held"); });
    }
  }

  function draw() {
    const points = Array.from({ length: 151 }, (_, i) => [(i / 150) * W, y(equaliserDecibels(values, frequencyAt(i / 150)))]);
    curve.setAttribute("d", lineThrough(points));
    area.setAttribute("d", `${lineThrough(points)} L${W} ${y(0)} L0 ${y(0)} Z`);
    bandsOf(values).forEach((band, i) => {
      const hasGain = ["bell", "lowShelf", "highShelf"].includes(band.type);
      handles[i].setAttribute("transform", `translate(${x(band.hertz).toFixed(1)} ${y(hasGain ? band.decibels : 0).toFixed(1)})`);
      handles[i].classList.toggle("hidden", band.type === "off");
    });
  }
  draw();
  return { element: el("figure", { class: "plot", role: "img", "aria-label": `Frequency response of ${plugin.name}, 20 Hz to 20 kHz` }, picture),
    update(symbol, value) { values.set(symbol, value); draw(); } };
}

const FLOOR = -60, SIZE = 240;
const at = (decibels) => ((clamp(decibels, FLOOR, 0) - FLOOR) / -FLOOR) * SIZE;

function compressor(values) {
  const curve = svg("path", { class: "curve" }), dot = svg("circle", { class: "dot", r: 7, cx: -20, cy: -20 });
  const grid = [-48, -36, -24, -12].flatMap((d) => [svg("line", { class: "grid", x1: at(d), x2: at(d), y1: 0, y2: SIZE }),
    svg("line", { class: "grid", x1: 0, x2: SIZE, y1: SIZE - at(d), y2: SIZE - at(d) })]);
  const settings = () => ({ threshold: values.get("threshold"), ratio: values.get("ratio"), knee: values.get("knee") });
  const draw = () => curve.setAttribute("d", lineThrough(Array.from({ length: 61 }, (_, i) => {
    const input = FLOOR + i;
    return [at(input), SIZE - at(compressedLevel(settings(), input))];
  })));
  draw();
  const picture = svg("svg", { class: "plot-picture square", viewBox: `0 0 ${SIZE} ${SIZE}` }, grid,
    svg("line", { class: "grid zero", x1: 0, y1: SIZE, x2: SIZE, y2: 0 }), curve, dot);
  return {
    element: el("figure", { class: "plot square", role: "img", "aria-label": "Output level over input level, -60 to 0 dB" }, picture),
    update(symbol, value) { values.set(symbol, value); draw(); },
    showLevels(levels) {
      const reduction = Math.abs((levels.readouts ?? []).find((one) => one.symbol === "reduction")?.value);
      const peak = Math.max(-120, ...[levels.peakDBFS ?? []].flat().filter(Number.isFinite));
      if (Number.isNaN(reduction)) return;
      const input = reduction > 0.05 ? levelAtReduction(settings(), reduction) : Math.min(peak, values.get("threshold"));
      dot.classList.toggle("hidden", input <= FLOOR);
      dot.setAttribute("cx", at(input).toFixed(1));
      dot.setAttribute("cy", (SIZE - at(compressedLevel(settings(), input))).toFixed(1));
    },
  };
}
