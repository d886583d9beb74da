// icons.js: line icons, 24 by 24, and the family of a plugin category, which gives icon and colour.
import { button, svg } from "./dom.js";

const PATHS = {
  undo: "M9 7 4 12l5 5M4 12h10a6 6 0 0 1 6 6",
  redo: "m15 7 5 5-5 5M20 12H10a6 6 0 0 0-6 6",
  save: "M5 4h11l3 3v13H5zM8 4v5h7V4M8 20v-6h8v6",
  more: "M5 11.5a.5.5 0 1 0 0 1 .5.5 0 0 0 0-1M12 11.5a.5.5 0 1 0 0 1 .5.5 0 0 0 0-1M19 11.5a.5.5 0 1 0 0 1 .5.5 0 0 0 0-1",
  close: "M6 6l12 12M18 6 6 18",
  plus: "M12 5v14M5 12h14",
  power: "M12 4v8M7.5 7a7 7 0 1 0 9 0",
  chain: "M3 12h4m10 0h4M7 8h4v8H7zM13 8h4v8h-4zM11 12h2",
  scenes: "M4 5h7v6H4zM13 5h7v6h-7zM4 13h7v6H4zM13 13h7v6h-7z",
  tape: "M4 6h16v12H4zM8.5 10.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3M15.5 10.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3M8.5 18l1-2h5l1 2",
  meter: "M5 19V11M10 19V5M15 19v-9M20 19v-5",
  folder: "M3 6h6l2 2h10v11H3z",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16 16l4 4",
  previous: "m14 6-6 6 6 6", next: "m10 6 6 6-6 6", left: "M20 12H5m6-6-6 6 6 6", right: "M4 12h15m-6-6 6 6-6 6",
  trash: "M5 7h14M10 4h4M7 7l1 13h8l1-13",
  swap: "M5 9h13l-4-4M19 15H6l4 4", midi: "M5 5h14v14H5zM9 5v8M15 5v8M12 13v6",
  // Families of plugins.
  time: "M3 17V7m4 10v-7m4 7v-4.5m4 4.5v-2.5m4 2.5v-1",
  dynamics: "M4 20 12 12l8-3M12 12V4",
  filter: "M3 14c4 0 4-7 7-7s3 9 6 9 3-4 5-4",
  modulation: "M3 12c2-8 4-8 6 0s4 8 6 0 4-8 6 0",
  drive: "M3 17c2 0 2-10 5-10h3c3 0 2 10 5 10h5",
  pitch: "M9 18V6l10-2v12M9 18a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0M19 16a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0",
  mix: "M6 4v16M12 4v16M18 4v16M4 9h4M10 15h4M16 7h4",
  source: "M12 5a7 7 0 1 0 0 14 7 7 0 0 0 0-14M8 12c1.3-4 2.7-4 4 0s2.7 4 4 0",
  tool: "M5 5h14v14H5zM9 12h6",
};

export const icon = (name) => svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" },
  svg("path", { d: PATHS[name] ?? PATHS.tool }));

/** A button with an icon and a label. */
export const iconButton = (name, label, onclick) => button({ class: "icon-button", "aria-label": label, title: label, onclick }, icon(name));

const FAMILIES = [
  ["time", /reverb|delay|spatial/i], ["dynamics", /compress|limit|gate|dynamics|expand|envelope/i],
  ["filter", /equali|filter|pass|comb|spectral/i], ["modulation", /chorus|flang|phas|modulat/i],
  ["drive", /distort|waveshap|simulat/i], ["pitch", /pitch|voice/i], ["tape", /recorder|player/i],
  ["meter", /analy|meter/i], ["mix", /mixer|amplifier|converter/i], ["source", /generat|oscillat|instrument/i],
];

/** The family of a category: the name of an icon and of a colour. */
export const familyOf = (category) => FAMILIES.find(([, pattern]) => pattern.test(category ?? ""))?.[0] ?? "tool";
