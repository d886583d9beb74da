// format.js: values of parameters as positions, text and speech. Pure functions.

const SPOKEN = {
  dB: "decibels", Hz: "hertz", kHz: "kilohertz", ms: "milliseconds", s: "seconds", "%": "percent", ":1": "to 1",
  ct: "cents", cents: "cents", BPM: "beats per minute", "°": "degrees", oct: "octaves",
};

export const isToggle = (p) => p.scale === "toggle";
export const isTrigger = (p) => (p.traits ?? []).includes("trigger");
export const isChoice = (p) => (p.choices ?? []).length > 0 && !isToggle(p);
export const isInteger = (p) => p.scale === "integer" || isToggle(p);

const isLogarithmic = (p) => p.scale === "logarithmic" && p.minimum > 0 && p.maximum > p.minimum;

export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

/** The position of a value on its scale, 0 to 1. */
export function position(p, value) {
  if (!(p.maximum > p.minimum)) return 0;
  const share = isLogarithmic(p)
    ? Math.log(Math.max(value, p.minimum) / p.minimum) / Math.log(p.maximum / p.minimum)
    : (value - p.minimum) / (p.maximum - p.minimum);
  return clamp(share, 0, 1);
}

/** Rounds to a step that people use: 1, 2 or 5 times a power of ten. */
function roundTo(value, step) {
  const power = 10 ** Math.floor(Math.log10(step));
  const factor = step / power;
  const nice = (factor < 1.5 ? 1 : factor < 3.5 ? 2 : factor < 7.5 ? 5 : 10) * power;
  return Number((Math.round(value / nice) * nice).toPrecision(12));
}

/** The value at a position, rounded to the resolution of a control. */
export function valueAt(p, share) {
  const at = clamp(share, 0, 1);
  if (at === 0) return p.minimum;
  if (at === 1) return p.maximum;
  const raw = isLogarithmic(p)
    ? p.minimum * (p.maximum / p.minimum) ** at
    : p.minimum + at * (p.maximum - p.minimum);
  if (isInteger(p)) return Math.round(raw);
  const value = isLogarithmic(p) ? Number(raw.toPrecision(3)) : roundTo(raw, (p.maximum - p.minimum) / 500);
  return clamp(value, p.minimum, p.maximum);
}

/** The value after some steps. A step is a hundredth of the scale, or 1 for whole numbers. */
export function stepped(p, value, steps) {
  if (isInteger(p)) return clamp(Math.round(value) + Math.sign(steps) * Math.max(1, Math.round(Math.abs(steps))), p.minimum, p.maximum);
  const next = valueAt(p, position(p, value) + steps / 100);
  // A step that is smaller than the resolution still moves.
  return next === value ? valueAt(p, position(p, value) + Math.sign(steps) / 100) : next;
}

export function number(value) {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  const text = Number(value.toFixed(digits)).toString();
  return text.replace("-", "−");
}

/** The value and its unit, apart from each other. */
export function parts(p, value) {
  const choice = (p.choices ?? []).find((one) => Math.abs(one.value - value) < 1e-6);
  if (choice) return { text: choice.name, unit: "" };
  if (isToggle(p)) return { text: value >= 0.5 ? "on" : "off", unit: "" };
  if (p.unit === "Hz" && Math.abs(value) >= 1000) return { text: number(value / 1000), unit: "kHz" };
  if (p.unit === "ms" && Math.abs(value) >= 1000) return { text: number(value / 1000), unit: "s" };
  return { text: number(value), unit: p.unit ?? "" };
}

/** The value with its unit, for the eye. */
export function formatted(p, value) {
  const { text, unit } = parts(p, value);
  return !unit ? text : /^[:°]/.test(unit) ? text + unit : `${text} ${unit}`;
}

/** The value with its unit in words, for screen readers. */
export function spoken(p, value) {
  const { text, unit } = parts(p, value);
  return `${text.replace("−", "minus ").replace("∞", "infinity")} ${SPOKEN[unit] ?? unit}`.trim();
}

/** What people type as a value for `set`: a number gets the unit of the parameter, `1.2k` becomes 1200. */
export function typedValue(p, text) {
  const typed = text.trim().replace(/[−–]/g, "-").replace(",", ".");
  const plain = /^[-+]?(\d+\.?\d*|\.\d+)(k?)$/i.exec(typed);
  if (plain) return Number(plain[1].length ? typed.replace(/k$/i, "") : typed) * (plain[2] ? 1000 : 1);
  return typed;
}

/** A level in dBFS as a share of a meter that begins at -60 dB. */
export const levelShare = (decibels) => (decibels === null || decibels === undefined || !Number.isFinite(decibels)
  ? 0 : clamp((decibels + 60) / 60, 0, 1));

export const levelText = (decibels) => (decibels === null || decibels === undefined || !Number.isFinite(decibels)
  ? "silent" : `${decibels.toFixed(1).replace("-", "−")} dB`);

/** Seconds as 1:23. */
export const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

/** Parameters in groups by the common beginning of their names, such as "Band 1". Singles are in groups without name. */
export function groups(parameters) {
  const key = (p) => /^(.*?\S\s\d+)\s+\S/.exec(p.name)?.[1];
  const result = [];
  for (const p of parameters) {
    const name = key(p) ?? "";
    const last = result.at(-1);
    if (last && last.name === name) last.parameters.push(p);
    else result.push({ name, parameters: [p] });
  }
  return result;
}

/** A parameter's name without the name of its group. */
export function shortName(p, group) {
  if (!group) return p.name;
  const rest = p.name.slice(group.length).trim();
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}
