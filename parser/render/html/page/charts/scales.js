// What figures look like in a chart: round numbers for axes, the shade of a cell, and colours that
// are mixed as the eye sees them. Needs nothing of the browser.

/**
 * 1, 2 or 5 times a power of ten.
 * @param {number} span @param {number} count about how many steps
 */
export function niceStep(span, count) {
  const rough = span / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 5].find((factor) => factor * power >= rough * 0.999) ?? 10) * power;
}

/** Ranks come in powers of two. @param {number} span @param {number} count */
export function rankStep(span, count) {
  return 2 ** Math.max(0, Math.ceil(Math.log2(span / Math.max(count, 1))));
}

/**
 * Multiples of a step in [from, to).
 * @param {number} from @param {number} to @param {number} step
 */
export function ticksBetween(from, to, step) {
  const first = Math.ceil(from / step);
  return Array.from(
    { length: Math.max(Math.ceil(to / step) - first, 0) },
    (_, i) => (first + i) * step,
  );
}

/**
 * From 0 to `high`.
 * @param {number} high @param {number} count
 * @param {boolean} [areBytes] round ones are those in KiB, MiB ...
 */
export function ticksTo(high, count, areBytes = false) {
  if (!(high > 0)) return [0];
  const unit = areBytes ? 1024 ** Math.max(0, Math.floor(Math.log2(high) / 10)) : 1;
  return ticksBetween(0, high * (1 + 1e-9), niceStep(high / unit, count) * unit);
}

// Which shade a figure has in a picture of cells: the matrices (matrix_view.js, place_matrix.js)
// and the heat map over ranks (rank_heat.js) ask here. A strong colour always says that a cell is
// unlike others, never only that there is some of it in each. theme.js has the colours.

/** Cells that differ by less than this factor have colours around the middle of the scale. */
const leastFactor = 4;

/**
 * Where a value is on a logarithmic scale, 0 to 1. Equal cells are in the middle of it.
 * @param {number} value @param {number} low @param {number} high the least and the most shown
 */
export function matrixShade(value, low, high) {
  const span = Math.log(high / low);
  const whole = Math.max(span, Math.log(leastFactor));
  return 0.5 + (Math.log(value / low) - span / 2) / whole;
}

/** Parts of the median: nearer to it is noise, farther away is all of the colour. */
export const heatReach = { least: 0.1, full: 0.5 };

/**
 * What a value is beside the median of its row: -1 = far below, 0 = as the others, 1 = far above.
 * @param {number} value @param {number} median @param {number} [floor] of the median, so that
 *   next to nothing does not look like much
 */
export function heatShade(value, median, floor = 0) {
  const whole = Math.max(median, floor);
  const part = whole > 0 ? (value - median) / whole : 0;
  const { least, full } = heatReach;
  const size = Math.min(Math.max((Math.abs(part) - least) / (full - least), 0), 1);
  return Math.sign(part) * size;
}

// Colours in OKLab, in which what is between two colours looks as if it were: in sRGB the middle
// of orange and grey is mud.

/** @typedef {[number, number, number]} Triple */

/** @param {number} value 0 to 255 */
function toLinear(value) {
  const part = value / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

/** @param {number} part */
function fromLinear(part) {
  const clipped = Math.max(0, Math.min(part, 1));
  return 255 * (clipped <= 0.0031308 ? clipped * 12.92 : 1.055 * clipped ** (1 / 2.4) - 0.055);
}

/** Björn Ottosson's OKLab. @param {Triple} rgb 0 to 255 @returns {Triple} */
export function toOklab(rgb) {
  const [r, g, b] = /** @type {Triple} */ (rgb.map(toLinear));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** @param {Triple} lab @returns {Triple} 0 to 255 */
export function fromOklab([lightness, a, b]) {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    fromLinear(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    fromLinear(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    fromLinear(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

/**
 * 101 colours from one to another one, by per cent: red, green, blue, red ...
 * @param {Triple} from @param {Triple} to 0 to 255
 */
export function mixedColours(from, to) {
  const begin = toOklab(from);
  const end = toOklab(to);
  const colours = new Uint8ClampedArray(101 * 3);
  for (let i = 0; i <= 100; i++) {
    const mix = /** @type {Triple} */ (
      begin.map((value, k) => value + ((end[k] ?? 0) - value) * (i / 100))
    );
    colours.set(fromOklab(mix), 3 * i);
  }
  return colours;
}
