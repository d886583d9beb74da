// plots.js: curves of equalisers and compressors from their parameters. Pure functions.
// Filters: R. Bristow-Johnson, "Cookbook formulae for audio equalizer biquad filter coefficients".

const RATE = 96000;
const TYPES = ["off", "bell", "lowShelf", "highShelf", "highPass", "lowPass", "bandPass", "notch"];

function coefficients(type, hertz, decibels, q) {
  const a = 10 ** (decibels / 40), w = (2 * Math.PI * hertz) / RATE, c = Math.cos(w), alpha = Math.sin(w) / (2 * q);
  const root = 2 * Math.sqrt(a) * alpha;
  switch (type) {
    case "bell": return [1 + alpha * a, -2 * c, 1 - alpha * a, 1 + alpha / a, -2 * c, 1 - alpha / a];
    case "lowShelf": return [a * (a + 1 - (a - 1) * c + root), 2 * a * (a - 1 - (a + 1) * c), a * (a + 1 - (a - 1) * c - root),
      a + 1 + (a - 1) * c + root, -2 * (a - 1 + (a + 1) * c), a + 1 + (a - 1) * c - root];
    case "highShelf": return [a * (a + 1 + (a - 1) * c + root), -2 * a * (a - 1 + (a + 1) * c), a * (a + 1 + (a - 1) * c - root),
      a + 1 - (a - 1) * c + root, 2 * (a - 1 - (a + 1) * c), a + 1 - (a - 1) * c - root];
    case "highPass": return [(1 + c) / 2, -(1 + c), (1 + c) / 2, 1 + alpha, -2 * c, 1 - alpha];
    case "lowPass": return [(1 - c) / 2, 1 - c, (1 - c) / 2, 1 + alpha, -2 * c, 1 - alpha];
    case "bandPass": return [alpha, 0, -alpha, 1 + alpha, -2 * c, 1 - alpha];
    case "notch": return [1, -2 * c, 1, 1 + alpha, -2 * c, 1 - alpha];
    default: return [1, 0, 0, 1, 0, 0];
  }
}

/** The gain of one filter in dB at a frequency. */
export function filterDecibels(type, hertz, decibels, q, at) {
  const [b0, b1, b2, a0, a1, a2] = coefficients(type, hertz, decibels, q);
  const w = (2 * Math.PI * at) / RATE;
  const power = (x, y, z) => (x + y * Math.cos(w) + z * Math.cos(2 * w)) ** 2 + (y * Math.sin(w) + z * Math.sin(2 * w)) ** 2;
  return 10 * Math.log10(Math.max(1e-12, power(b0, b1, b2) / power(a0, a1, a2)));
}

/** The bands of the parametric equaliser in a map of values. */
export function bandsOf(values) {
  const bands = [];
  for (let n = 1; values.has(`band_${n}_frequency`); n += 1) {
    const one = (name) => values.get(`band_${n}_${name}`);
    bands.push({ number: n, type: TYPES[Math.round(one("type"))] ?? "off", hertz: one("frequency"), decibels: one("gain"), q: one("q") });
  }
  return bands;
}

/** The response of all bands in dB at a frequency. */
export const equaliserDecibels = (values, at) => bandsOf(values)
  .reduce((sum, one) => sum + (one.type === "off" ? 0 : filterDecibels(one.type, one.hertz, one.decibels, one.q, at)),
    values.get("output_gain") ?? 0);

/** The output level in dB of a compressor with a soft knee, without make-up gain, for an input level in dB. */
export function compressedLevel({ threshold, ratio, knee }, input) {
  const over = input - threshold;
  if (2 * over <= -knee) return input;
  if (2 * over >= knee) return threshold + over / ratio;
  return input + (1 / ratio - 1) * (over + knee / 2) ** 2 / (2 * knee);
}

/** The input level at which a compressor reduces the level by so many dB. */
export function levelAtReduction(settings, reduction) {
  let low = -90, high = 24;
  for (let i = 0; i < 30; i += 1) {
    const middle = (low + high) / 2;
    if (middle - compressedLevel(settings, middle) < reduction) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Frequency in Hz to a share of the logarithmic axis from 20 Hz to 20 kHz, and back. */
export const frequencyShare = (hertz) => Math.log10(hertz / 20) / 3;
export const frequencyAt = (share) => 20 * 1000 ** share;
