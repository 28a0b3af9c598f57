// Drawing on a canvas: its size, and text.
import { colour } from "../theme.js";

/** @typedef {CanvasRenderingContext2D} Context */

/**
 * Sharp on every screen.
 * @param {HTMLCanvasElement} canvas @param {number} width @param {number} height in CSS pixels
 */
export function fit(canvas, width, height) {
  const scale = Math.max(devicePixelRatio || 1, 1);
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.height = `${height}px`;
  const context = /** @type {Context} */ (canvas.getContext("2d"));
  context.scale(scale, scale);
  context.font = `11px ${getComputedStyle(canvas).fontFamily}`;
  return context;
}

/**
 * Whole pixels of the screen for each of some cells: cells of 2 and 3 pixels in turn would show
 * stripes that are not in the data. Where there is no pixel for each, some cells share one.
 * @param {number} room in CSS pixels @param {number} cells
 * @returns {{shared: number, count: number, size: number}} cells per drawn one, drawn ones, and
 *   their size in CSS pixels
 */
export function wholePixels(room, cells) {
  const scale = Math.max(devicePixelRatio || 1, 1);
  const pixels = Math.max(Math.floor(room * scale), 1);
  const shared = Math.ceil(cells / pixels);
  const count = Math.ceil(cells / shared);
  return { shared, count, size: Math.floor(pixels / count) / scale };
}

/**
 * @param {Context} context @param {string} text @param {number} x @param {number} y
 * @param {CanvasTextAlign} align @param {CanvasTextBaseline} baseline
 * @param {string} [name] of the colour @param {number} [room]
 */
export function write(context, text, x, y, align, baseline, name = "--muted", room) {
  context.fillStyle = colour(name);
  context.textAlign = align;
  context.textBaseline = baseline;
  context.fillText(text, x, y, room);
}

/**
 * Upwards, around a point.
 * @param {Context} context @param {string} text @param {number} x @param {number} y
 */
export function writeUpwards(context, text, x, y) {
  context.save();
  context.translate(x, y);
  context.rotate(-Math.PI / 2);
  write(context, text, 0, 0, "center", "middle");
  context.restore();
}
