// The matrix as a picture: row = sender, column = receiver, colour = how much, on a logarithmic
// scale. Where there is no pixel for each cell, a pixel shows the sum of some.
import { CanvasChart, wholePixels, write, writeUpwards } from "./canvas_chart.js";
import { matrixShade, rankStep, ticksBetween } from "./scales.js";
import { pinnedRank } from "../selection.js";
import { colour, colourScale, scaleColour } from "../theme.js";

/** @typedef {import("./canvas_chart.js").Context} Context */
/** @typedef {import("./canvas_chart.js").Cell} Cell */
/** @typedef {import("./matrix_data.js").MatrixData} MatrixData */
/** @typedef {import("./matrix_data.js").Figure} Figure */
/**
 * @typedef {object} MatrixSpec
 * @property {MatrixData} data
 * @property {string} label
 * @property {(row: number, column: number, value: number) => import("./tooltip.js").Tip} tipOf
 * @property {boolean} pins whether rows are ranks
 * @property {((rank: number) => number | null) | null} hostOf for the lines between nodes
 * @property {(low: number, high: number) => void} onScale
 */

/**
 * The least colour is still seen on the empty background; .scale in charts.css begins there, too.
 */
const leastShade = 0.12;

/** In pixels; a matrix of few ranks need not fill its place. */
const largestCell = 70;
const smallestSide = 240;

export class MatrixView extends CanvasChart {
  /** @param {MatrixSpec} spec @param {Figure} figure */
  constructor(spec, figure) {
    super(
      spec.label,
      spec.data.cells,
      spec.data.cells,
      { left: 22 + 7 * String(spec.data.side).length, right: 2, top: 4, bottom: 36 },
      true,
    );
    this.spec = spec;
    this.figure = figure;
    /** Sums of what is shown, by row * count + column of the picture. */
    this.sums = new Float64Array(0);
    this.grid = wholePixels(1, 1);
  }

  /** @param {Figure} figure */
  show(figure) {
    this.figure = figure;
    this.draw();
  }

  /** @param {number} width */
  heightFor(width) {
    const { left, top, bottom } = this.margins;
    const room = Math.min(width - left - 2, Math.max(this.across * largestCell, smallestSide));
    this.grid = wholePixels(room, this.view.across);
    const side = this.grid.count * this.grid.size;
    this.margins.right = width - left - side;
    return side + top + bottom;
  }

  /** @param {Cell} cell */
  tipOf(cell) {
    const { view } = this;
    const { shared, count } = this.grid;
    const y = Math.floor((cell.y - view.y) / shared);
    const x = Math.floor((cell.x - view.x) / shared);
    return this.spec.tipOf(cell.y, cell.x, this.sums[y * count + x] ?? 0);
  }

  /** @param {Cell} cell */
  rankOf(cell) {
    return this.spec.pins ? this.spec.data.first(cell.y) : null;
  }

  addUp() {
    const { rows, columns, figures } = this.spec.data;
    const { x: left, y: top, across } = this.view;
    const values = figures[this.figure];
    const { shared, count } = this.grid;
    this.sums = new Float64Array(count * count);
    for (let i = 0; i < rows.length; i++) {
      const y = (rows[i] ?? 0) - top;
      const x = (columns[i] ?? 0) - left;
      if (x < 0 || y < 0 || x >= across || y >= across) continue;
      const place = Math.floor(y / shared) * count + Math.floor(x / shared);
      this.sums[place] = (this.sums[place] ?? 0) + (values[i] ?? 0);
    }
  }

  /** @param {Context} context */
  paint(context) {
    const { left, top } = this.margins;
    context.fillStyle = colour("--empty");
    context.fillRect(left, top, this.plotWidth, this.plotHeight);
    this.addUp();
    this.paintCells(context);
    this.paintNodes(context);
    this.paintTicks(context);
    context.strokeStyle = colour("--line");
    context.strokeRect(left - 0.5, top - 0.5, this.plotWidth + 1, this.plotHeight + 1);
  }

  /** @param {Context} context */
  paintCells(context) {
    let low = Infinity;
    let high = 0;
    for (const value of this.sums) {
      if (value > 0 && value < low) low = value;
      if (value > high) high = value;
    }
    const scale = colourScale();
    const { count, size } = this.grid;
    const filled = size < 4 ? size : size - 1;
    this.sums.forEach((value, place) => {
      if (!(value > 0)) return;
      const share = matrixShade(value, low, high);
      context.fillStyle = scaleColour(scale, leastShade + (1 - leastShade) * share);
      context.fillRect(
        this.margins.left + (place % count) * size,
        this.margins.top + Math.floor(place / count) * size,
        filled,
        filled,
      );
    });
    this.spec.onScale(low, high);
  }

  /** Lines between nodes, unless they would cover the cells. @param {Context} context */
  paintNodes(context) {
    const { hostOf, data } = this.spec;
    const { x: left, y: top, across } = this.view;
    if (!hostOf) return;
    /** @param {number} first */
    const borders = (first) =>
      Array.from({ length: across - 1 }, (_, i) => first + i + 1).filter(
        (cell) => hostOf(data.first(cell)) !== hostOf(data.first(cell) - 1),
      );
    const lines = borders(left);
    if (lines.length > this.plotWidth / 14) return;
    context.fillStyle = colour("--line");
    for (const cell of lines)
      context.fillRect(this.xOf(cell) - 0.5, this.margins.top, 1, this.plotHeight);
    for (const cell of borders(top))
      context.fillRect(this.margins.left, this.yOf(cell) - 0.5, this.plotWidth, 1);
  }

  /** @param {Context} context */
  paintTicks(context) {
    const { data } = this.spec;
    const { x, y, across } = this.view;
    const { left, top } = this.margins;
    const size = this.plotWidth;
    /** @param {number} first @param {(text: string, at: number) => void} write */
    const ticks = (first, write) => {
      const from = data.first(first);
      const span = data.first(first + across) - from;
      for (const tick of ticksBetween(from, from + span, rankStep(span, size / 70)))
        write(String(tick), ((tick - from + (size / span > 6 ? 0.5 : 0)) / span) * size);
    };
    ticks(x, (text, at) =>
      write(
        context,
        text,
        left + Math.min(at, size - context.measureText(text).width / 2),
        top + size + 5,
        "center",
        "top",
      ),
    );
    write(context, "receiver", left + size / 2, top + size + 21, "center", "top");
    ticks(y, (text, at) =>
      write(context, text, left - 5, top + Math.max(at, 5), "right", "middle"),
    );
    writeUpwards(context, "sender", 7, top + size / 2);
  }

  /** @param {Context} context */
  paintOver(context) {
    const rank = pinnedRank();
    if (!this.spec.pins || rank === null) return;
    const cell = this.spec.data.cellOf(rank);
    this.outline(context, { x: 0, y: cell, across: this.across, down: 1 }, "--wait");
    this.outline(context, { x: cell, y: 0, across: 1, down: this.down }, "--wait");
  }
}
