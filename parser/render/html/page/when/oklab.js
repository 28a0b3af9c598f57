// Colours in OKLab, in which what is between two colours looks as if it were: in sRGB the middle of
// orange and grey is mud.

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
