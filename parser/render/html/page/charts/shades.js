// Which shade a figure has in a picture of cells: the matrices (matrix_view.js, place_matrix.js)
// and the heat map over ranks (rank_heat.js) ask here. A strong colour always says that a cell is
// unlike others, never only that there is some of it in each. palette.js has the colours.

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
