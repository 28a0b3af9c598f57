// The lens: what a row of many ranks hides. Its nodes, and those of its ranks that compute longest,
// over the time axis of the map above. It shows the row that stands out, and goes to the row of
// whatever rank is pinned.
import { paintHeat } from "./paint_map.js";
import { barsGap, barsRoomOf } from "./paint_ranks.js";
import { TimeData } from "./time_data.js";
import { TimeFrame } from "./time_frame.js";
import { cellTip } from "./time_words.js";
import { write } from "../charts/canvas_chart.js";
import { element } from "../dom.js";
import { plural, secondsText } from "../format.js";
import { onPin, pinnedRank } from "../selection.js";
import { colour } from "../theme.js";

/** @typedef {import("../charts/canvas_chart.js").Context} Context */
/** @typedef {import("../charts/canvas_chart.js").Cell} Cell */
/** @typedef {import("./time_chart.js").TimeChart} TimeChart */

/** In pixels. */
const lensRow = 14;
const lensGap = 2;
const lensMargin = 3;
const shownRanks = 6;

/** The data of the lens, in the form of the map's. @param {TimeData} time */
function detailsOf(time) {
  return new TimeData({ ...time.raw, ...time.raw.details }, time.wallclock_s);
}

/** "rank 7", "ranks 512–1023" @param {{first: number, ranks: number}} row */
function ranksText({ first, ranks }) {
  const text = (/** @type {number} */ rank) => rank.toLocaleString("en");
  return ranks === 1 ? `rank ${text(first)}` : `ranks ${text(first)}–${text(first + ranks - 1)}`;
}

export class TimeLens extends TimeFrame {
  /** @param {TimeChart} chart the map, whose axis it follows */
  constructor(chart) {
    super(detailsOf(chart.time), chart.axis, chart.chosen, "The nodes and slowest ranks of a row");
    this.chart = chart;
    this.isStacked = false;
    /** The row of the map that it shows. @type {number | null} */
    this.row = null;
    this.title = element("h3");
    this.panel = element("div.lens", { hidden: true }, this.title, this.node);
    chart.lens = this;
    onPin((rank) => rank !== null && this.show(chart.time.rowOf(rank)));
    this.show(this.firstRow());
  }

  /** Of slow ranks, or else of those that stand out, the one that computes longest. */
  firstRow() {
    const { time } = this.chart;
    const slow = [...time.slowRanks].map((rank) => time.rowOf(rank));
    const unlike = [...time.rows.keys()].filter((row) => time.rows[row]?.outlier !== null);
    const seconds = (/** @type {number} */ row) => time.rows[row]?.compute_s ?? 0;
    const [first] = (slow.length > 0 ? slow : unlike).sort((a, b) => seconds(b) - seconds(a));
    return first ?? null;
  }

  /** @param {number | null} row */
  show(row) {
    const facts = row === null ? undefined : this.chart.time.rows[row];
    if (!facts || row === this.row) return;
    this.row = row;
    const inside = [...this.time.rows.keys()].filter((detail) => {
      const first = this.time.rows[detail]?.first ?? -1;
      return first >= facts.first && first < facts.first + facts.ranks;
    });
    const isNode = (/** @type {number} */ detail) => (this.time.rows[detail]?.ranks ?? 0) > 1;
    const nodes = inside.filter(isNode);
    const ranks = inside.filter((detail) => !isNode(detail)).slice(0, shownRanks);
    this.order = [...nodes, ...ranks];
    this.down = this.order.length;
    this.title.textContent = this.words(facts, nodes.length, ranks.length);
    this.panel.hidden = false;
    this.node.hidden = this.down === 0;
    this.width = 0; // it was hidden
    this.drawFor(Math.floor(this.node.clientWidth));
    this.chart.drawOver();
  }

  /** @param {{first: number, ranks: number}} facts @param {number} nodes @param {number} ranks */
  words(facts, nodes, ranks) {
    const parts = [
      nodes > 1 ? `${nodes} nodes, the mean of each` : nodes === 1 ? "their mean" : "",
      ranks > 0 ? `the ${ranks === 1 ? "slowest rank" : plural(ranks, "slowest rank")}, exact` : "",
    ];
    const shown = parts.filter(Boolean).join("; below, ");
    return `Lens: ${ranksText(facts)}: ${shown || "the mean only"}`;
  }

  /** A row of the lens is one of few: what is usual, the map knows. */
  get peers() {
    return this.chart.time;
  }

  /** The map was drawn. */
  follow() {
    this.shown = this.chart.shown;
    this.isCompared = this.chart.isCompared;
    this.draw();
  }

  draw() {
    this.view = { ...this.chart.view, y: 0, down: this.down };
    super.draw();
  }

  zoom(/** @type {number} */ x, /** @type {number} */ _y, /** @type {number} */ cells) {
    this.chart.zoom(x, 0, cells);
  }

  /** @param {Cell | null} at */
  released(at) {
    this.drag = null;
    if (at) this.pin(at);
  }

  /** @param {Cell} cell */
  rankOf(cell) {
    return this.time.rankOf(this.rowAt(cell.y));
  }

  /** @param {Cell} cell */
  tipOf(cell) {
    const { time, axis } = this;
    const row = this.rowAt(cell.y);
    const [from, bins] = cell.x < 0 ? [0, time.count] : [cell.x, this.grid.shared];
    return cellTip(time, axis, row, from, bins, this.isCompared ? this.peers : null);
  }

  get rowGap() {
    return lensGap;
  }

  rowPitch() {
    return lensRow + lensGap;
  }

  placeBands() {
    this.margins.top = this.margins.bottom = lensMargin;
    return 2 * lensMargin + this.pitch * this.down;
  }

  /** @param {number} top */
  bandAt(top) {
    return Math.max(0, Math.min(Math.floor((top - lensMargin) / this.pitch), this.down - 1));
  }

  /** @param {Context} context */
  paint(context) {
    paintHeat(context, this);
    const scale = barsRoomOf(this) / this.chart.mostSeconds;
    const left = this.right + barsGap;
    this.order.forEach((row, y) => {
      const facts = this.time.rows[row];
      if (!facts) return;
      const isSlow = [...this.chart.time.slowRanks].some(
        (rank) => rank >= facts.first && rank < facts.first + facts.ranks,
      );
      const middle = this.yOf(y) + lensRow / 2;
      const host = this.time.hosts[row] ?? "";
      const name = facts.ranks > 1 ? host : facts.first.toLocaleString("en");
      const ink = isSlow ? "--problem" : "--muted";
      const x = this.margins.left - 6;
      write(context, name, x, middle, "right", "middle", ink, x - 2);
      context.fillStyle = colour("--card");
      context.fillRect(x + 6, this.yOf(y) + lensRow, this.right - x - 6, lensGap);
      if (this.barsWidth === 0) return;
      const width = scale * facts.compute_s;
      context.fillStyle = colour(isSlow ? "--problem-bar" : "--compute");
      context.fillRect(left, this.yOf(y), width, lensRow);
      write(context, secondsText(facts.compute_s), left + width + 4, middle, "left", "middle", ink);
    });
  }

  /** @param {Context} context */
  paintOver(context) {
    const rank = pinnedRank();
    this.order.forEach((row, y) => {
      const facts = this.time.rows[row];
      if (rank === null || facts?.ranks !== 1 || facts.first !== rank) return;
      context.strokeStyle = colour("--text");
      context.lineWidth = 1.6;
      const { left } = this.margins;
      context.strokeRect(left - 1, this.yOf(y) - 1, this.right - left + 2, lensRow + 2);
    });
  }
}
