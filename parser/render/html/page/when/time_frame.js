// Where the strips of the chart over time are: above, as rows, and below; and what is under a
// pointer. A bin is a whole number of pixels of the screen wide, and a row as high: else rows that
// are alike would show stripes. What is left is margin.
import { hasPeers } from "./time_states.js";
import { CanvasChart, wholePixels } from "../charts/canvas_chart.js";

/** @typedef {import("../charts/canvas_chart.js").Cell} Cell */
/** @typedef {import("./time_states.js").State} State */
/** @typedef {{top: number, height: number}} Band */
/** @typedef {{phases: Band, average: Band, steps: Band, axis: Band}} Bands */

/** Rows above and below those of ranks, as places of the cursor. */
export const phaseRow = -2;
export const averageRow = -1;
/** Before the first bin: the labels and bars of the rows. */
export const besideBins = -1;
/** Up to so many rows are tall enough to stack all states of a bin. */
export const fewRows = 8;

/** In pixels. */
const narrow = 620;
const mapHeight = 384;
const leastRow = 2;
const tallestRow = 20;
const stackedRow = 42;
const stackedGap = 6;
/** What bars beside the rows should have, and can do with if bins are wider then. */
const barsWidths = [132, 116, 104];

/** Made by its kinds: the map (time_chart.js), and the lens below it (time_lens.js). */
export class TimeFrame extends CanvasChart {
  /**
   * @param {import("./time_data.js").TimeData} time
   * @param {import("../charts/rank_axis.js").RankAxis} axis
   * @param {import("./time_states.js").ChosenWindow} chosen
   * @param {string} label
   */
  constructor(time, axis, chosen, label) {
    super(
      label,
      time.count,
      time.rows.length,
      { left: 60, right: 6, top: 60, bottom: 40 },
      false,
    );
    this.time = time;
    this.axis = axis;
    this.chosen = chosen;
    this.isStacked = time.rows.length <= fewRows;
    /** The states that the map shows: the strongest one of these. @type {State[] | null} */
    this.shown = null;
    /** Whether it shows how rows differ from the median of their bin, or shares as they are. */
    this.isCompared = hasPeers(time);
    /** Rows from top to bottom. */
    this.order = time.rows.map((_, row) => row);
    this.grid = wholePixels(1, 1);
    this.pitch = 1;
    this.isNarrow = false;
    this.barsWidth = 0;
    /** @type {Bands} */
    this.bands = {
      phases: { top: 0, height: 0 },
      average: { top: 0, height: 0 },
      steps: { top: 0, height: 0 },
      axis: { top: 0, height: 0 },
    };
    this.hasFunnel = false;
    chosen.onChange((window) => {
      if ((window !== null) === this.hasFunnel) this.drawOver();
      else this.draw();
    });
  }

  /** Those whose median a row is compared with. */
  get peers() {
    return this.time;
  }

  /** The row at a place from the top. @param {number} y */
  rowAt(y) {
    return this.order[y] ?? 0;
  }

  /** @param {number} width */
  heightFor(width) {
    const { margins } = this;
    this.isNarrow = width < narrow;
    const digits = String(this.axis.ranks).length;
    margins.left = (this.isNarrow ? 14 : 44) + 8 * Math.max(digits, 3);
    const room = width - margins.left - 6;
    const [most = 0, ...others] = this.isNarrow ? [0] : barsWidths;
    this.grid = wholePixels(room - most, this.view.across);
    for (const least of others) {
      const grid = wholePixels(room - least, this.view.across);
      if (grid.count * grid.size > this.grid.count * this.grid.size + most - least)
        this.grid = grid;
    }
    margins.right = width - margins.left - this.grid.count * this.grid.size;
    this.barsWidth = this.isNarrow ? 0 : margins.right;
    this.pitch = this.rowPitch();
    return this.placeBands();
  }

  /** Between rows. @returns {number} */
  get rowGap() {
    return this.isStacked && !this.shown ? stackedGap : 0;
  }

  /** A whole number of pixels of the screen. */
  rowPitch() {
    if (this.isStacked && !this.shown) return stackedRow + stackedGap;
    const high = mapHeight * (this.isNarrow ? 0.67 : this.onSheet ? 0.52 : 1);
    const scale = Math.max(devicePixelRatio || 1, 1);
    const fit = Math.floor((high * scale) / this.down) / scale;
    const tallest = this.down <= fewRows ? tallestRow * 1.5 : tallestRow;
    return Math.max(leastRow, Math.min(fit, tallest));
  }

  /** From top to bottom. @returns {number} the height of all */
  placeBands() {
    const { bands, margins } = this;
    bands.phases = { top: this.isNarrow ? 2 : 20, height: 28 };
    let y = bands.phases.top + bands.phases.height + 8;
    bands.average = { top: y, height: this.isStacked ? 0 : 56 };
    y += this.isStacked ? 0 : bands.average.height + 8;
    margins.top = y;
    y += this.pitch * this.down + 8;
    bands.steps = { top: y, height: this.time.steps ? 40 : 0 };
    y += bands.steps.height;
    bands.axis = { top: y, height: 22 };
    this.hasFunnel = this.chosen.window !== null;
    y += bands.axis.height + (this.hasFunnel ? 18 : 2);
    margins.bottom = y - margins.top - this.pitch * this.down;
    return y;
  }

  /** @param {number} cell */
  xOf(cell) {
    return this.margins.left + ((cell - this.view.x) / this.grid.shared) * this.grid.size;
  }

  /** Of a moment, within what is shown. @param {number} seconds */
  xOfTime(seconds) {
    const x = this.xOf(this.time.binAt(seconds));
    return Math.max(this.margins.left, Math.min(x, this.right));
  }

  get right() {
    return this.margins.left + this.grid.count * this.grid.size;
  }

  /** @param {number} y */
  yOf(y) {
    return this.margins.top + y * this.pitch;
  }

  /** @param {PointerEvent} event @returns {Cell | null} */
  cellUnder(event) {
    const box = this.over.getBoundingClientRect();
    const left = event.clientX - box.left - this.margins.left;
    const y = this.bandAt(event.clientY - box.top);
    const isOutside = left < 0 || left >= this.right - this.margins.left;
    if (!this.drag && isOutside)
      return y >= 0 && y < this.down ? { x: besideBins, y } : null;
    const x = this.view.x + Math.floor(left / this.grid.size) * this.grid.shared;
    const last = this.view.x + this.view.across - 1;
    return { x: Math.max(this.view.x, Math.min(x, last)), y };
  }

  /** The row at a height: of a rank, or of a strip. @param {number} top */
  bandAt(top) {
    const { phases, average } = this.bands;
    if (top < phases.top + phases.height + 4) return phaseRow;
    if (average.height > 0 && top < average.top + average.height + 4) return averageRow;
    return Math.max(0, Math.min(Math.floor((top - this.margins.top) / this.pitch), this.down));
  }
}
