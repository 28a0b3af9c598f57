// A row per function, a column per rank: the colour says how far a rank is from the median of its
// row. Where all ranks are alike nothing is seen, and a call in which a rank is different is.
import { CanvasChart, wholePixels, write } from "./canvas_chart.js";
import { mean } from "./rank_axis.js";
import { heatShade } from "./scales.js";
import { pinnedRank } from "../selection.js";
import { medianOf } from "../tables/columns.js";
import { colour, colourScale, scaleColour } from "../theme.js";

/** @typedef {import("./rank_axis.js").Axis} Axis */
/** @typedef {import("./canvas_chart.js").Context} Context */
/** @typedef {import("./canvas_chart.js").Cell} Cell */
/** @typedef {{name: string, values: Float64Array}} HeatRow */

const rowHeight = 20;
const heatMargin = 6;
/** From the least to the most beside the median: variables of base.css. */
const heatColours = ["--transfer", "--ground", "--wait"];
/** A row whose median is a smaller part of all time is compared with that part. */
const leastOfAll = 0.01;

/** The value that is farthest from a median. @param {Float64Array} values @param {number} median */
function farthest(values, median) {
  return values.reduce(
    (far, value) => (Math.abs(value - median) > Math.abs(far - median) ? value : far),
    median,
  );
}

export class RankHeat extends CanvasChart {
  /**
   * @param {Axis} axis @param {string} label @param {HeatRow[]} rows
   * @param {(bar: number, row: HeatRow) => import("./tooltip.js").Tip} tip
   */
  constructor(axis, label, rows, tip) {
    super(label, axis.count, rows.length, { left: 130, right: 6, top: 2, bottom: 18 }, false);
    this.axis = axis;
    this.rows = rows;
    this.tip = tip;
    this.grid = wholePixels(1, 1);
  }

  /** @param {number} width */
  heightFor(width) {
    const room = width - this.margins.left - heatMargin;
    this.grid = wholePixels(room, this.view.across);
    this.margins.right = heatMargin + room - this.grid.count * this.grid.size;
    return this.rows.length * rowHeight + 20;
  }

  /** @param {Cell} cell */
  tipOf(cell) {
    return this.tip(cell.x, /** @type {HeatRow} */ (this.rows[cell.y]));
  }

  /** @param {Cell} cell */
  rankOf(cell) {
    return this.axis.rankOf(cell.x);
  }

  /** @param {Context} context */
  paint(context) {
    const { x: from, across } = this.view;
    const { left } = this.margins;
    const { shared, count, size } = this.grid;
    const scale = colourScale(heatColours);
    const floor = leastOfAll * this.rows.reduce((all, { values }) => all + mean(values), 0);
    this.rows.forEach((row, i) => {
      const median = medianOf(row.values);
      write(
        context,
        row.name.replace(/^MPI_/, ""),
        left - 8,
        this.yOf(i + 0.5),
        "right",
        "middle",
        "--text",
        left - 10,
      );
      for (let cell = 0; cell < count; cell++) {
        const first = from + cell * shared;
        const values = row.values.slice(first, Math.min(first + shared, from + across));
        context.fillStyle = values.every(Number.isNaN)
          ? colour("--strip")
          : scaleColour(scale, (1 + heatShade(farthest(values, median), median, floor)) / 2);
        context.fillRect(left + cell * size, this.yOf(i) + 1, size, rowHeight - 2);
      }
    });
    const right = this.width - this.margins.right;
    write(context, this.axis.title, right, this.height - 8, "right", "middle");
  }

  /** @param {Context} context */
  paintOver(context) {
    const rank = pinnedRank();
    if (rank !== null)
      this.outline(
        context,
        { x: this.axis.barOf(rank), y: 0, across: 1, down: this.down },
        "--wait",
      );
  }
}
