// Stacked bars over the ranks. A bar is a rank or a bin of ranks (rank_axis.js); `order` says
// which bar stands where. Where bars are narrower than a pixel, a pixel shows the mean of its
// bars; but a rank that the others wait for has a bar of its own at any number of ranks.
import { CanvasChart, write, writeUpwards } from "./canvas_chart.js";
import { ticksBetween, ticksTo } from "./scales.js";
import { bytesText, tickText } from "../format.js";
import { pinnedRank } from "../selection.js";
import { colour } from "../theme.js";

/** @typedef {import("./rank_axis.js").Axis} Axis */
/** @typedef {import("./canvas_chart.js").Context} Context */
/** @typedef {import("./canvas_chart.js").Cell} Cell */
/** @typedef {import("./tooltip.js").Tip} Tip */

/**
 * @typedef {{
 *   name: string, colour: () => string, values: Float64Array, ofRank?: (rank: number) => number
 * }} Layer
 */
/**
 * @typedef {object} BarContent
 * @property {Layer[]} layers from the bottom upwards
 * @property {number[] | null} [order] bars from left to right; null = rank order
 * @property {string} [orderTitle]
 * @property {{value: number, label: string} | null} [line] across all bars
 * @property {Float64Array | null} [envelope] a line over the bars: the largest of each bin
 * @property {{at: number, label: string}[]} [limits] lines between bars; `at` counts bars
 */
/**
 * @typedef {object} BarSpec
 * @property {Axis} axis
 * @property {string} label
 * @property {number} height
 * @property {string} [yTitle] without one it is a small chart: no strip of nodes either
 * @property {(value: number) => string} format of the vertical axis
 * @property {(bar: number) => Tip} tipOf
 * @property {number[]} [marked] ranks that the others wait for
 * @property {string} [markLabel]
 */

/** A sheet has room for several charts if each is this much lower than on screen. */
const lowOnSheet = 0.65;
/** In pixels; a chart of few ranks need not fill its place. */
const widestBar = 90;
const smallestPlot = 200;
const leastMargin = 6;

export class RankBars extends CanvasChart {
  /** @param {BarSpec} spec @param {BarContent} content */
  constructor(spec, content) {
    super(
      spec.label,
      spec.axis.count,
      1,
      { left: 60, right: leastMargin, top: spec.marked ? 22 : 8, bottom: spec.yTitle ? 38 : 18 },
      false,
    );
    this.spec = spec;
    this.content = content;
    this.high = 1;
  }

  /** @param {BarContent} content */
  show(content) {
    this.content = content;
    this.draw();
  }

  /** @param {number} width */
  heightFor(width) {
    const room = width - this.margins.left - leastMargin;
    const plot = Math.min(room, Math.max(this.across * widestBar, smallestPlot));
    this.margins.right = leastMargin + room - plot;
    return this.spec.height * (this.onSheet ? lowOnSheet : 1);
  }

  /** @param {number} position */
  barAt(position) {
    return this.content.order?.[position] ?? position;
  }

  /** @param {number} rank */
  positionOf(rank) {
    const bar = this.spec.axis.barOf(rank);
    return this.content.order ? this.content.order.indexOf(bar) : bar;
  }

  /** @param {Cell} cell */
  tipOf(cell) {
    return this.spec.tipOf(this.barAt(cell.x));
  }

  /** @param {Cell} cell */
  rankOf(cell) {
    return this.spec.axis.rankOf(this.barAt(cell.x));
  }

  start() {
    const rank = pinnedRank();
    return { x: rank === null ? this.view.x : this.positionOf(rank), y: 0 };
  }

  /** Height of a value in the chart. @param {number} value */
  level(value) {
    return this.margins.top + this.plotHeight * (1 - value / this.high);
  }

  /** The bars that are shown, from left to right. */
  *shown() {
    for (let position = this.view.x; position < this.view.x + this.view.across; position++)
      yield this.barAt(position);
  }

  highest() {
    const { layers, line, envelope } = this.content;
    let high = line?.value ?? 0;
    for (const bar of this.shown()) {
      high = Math.max(
        high,
        layers.reduce((sum, layer) => sum + (layer.values[bar] || 0), 0),
        envelope?.[bar] || 0,
      );
    }
    return high > 0 ? high * 1.02 : 1;
  }

  /** @param {Context} context */
  paint(context) {
    this.high = this.highest();
    this.paintGrid(context);
    this.paintBars(context);
    paintMarkedBars(this, context);
    if (this.content.envelope) this.paintEnvelope(context, this.content.envelope);
    if (this.content.line) this.paintLine(context, this.content.line);
    this.content.limits?.forEach((limit, i) => this.paintLimit(context, limit, i));
    if (this.spec.yTitle) this.paintStrip(context);
    this.paintTicks(context);
  }

  /** @param {Context} context */
  paintGrid(context) {
    const { left, top } = this.margins;
    const { yTitle, format } = this.spec;
    for (const tick of ticksTo(this.high, this.plotHeight / 45, format === bytesText)) {
      const y = Math.round(this.level(tick));
      context.fillStyle = colour("--grid");
      context.fillRect(left, y, this.plotWidth, 1);
      write(context, tickText(format(tick)), left - 7, y, "right", "middle");
    }
    if (yTitle) writeUpwards(context, yTitle, 7, top + this.plotHeight / 2);
  }

  /** A stack per bar, or per pixel where bars are narrower. @param {Context} context */
  paintBars(context) {
    const { x: from, across } = this.view;
    const count = Math.min(across, Math.floor(this.plotWidth));
    const wide = this.plotWidth / across;
    const gap = wide >= 30 ? Math.min(wide * 0.12, 10) : wide >= 5 ? 1 : 0;
    for (let i = 0; i < count; i++) {
      const first = from + Math.floor((i * across) / count);
      const end = from + Math.floor(((i + 1) * across) / count);
      const x = Math.round(this.margins.left + (i * this.plotWidth) / count);
      const width = Math.max(
        Math.round(this.margins.left + ((i + 1) * this.plotWidth) / count) - x - gap,
        1,
      );
      this.paintStack(context, x, width, first, end);
    }
  }

  /**
   * @param {Context} context @param {number} x @param {number} width @param {number} first
   * @param {number} end positions
   */
  paintStack(context, x, width, first, end) {
    const isKnown = this.paintLayers(context, x, width, ({ values }) => {
      let sum = 0;
      let known = 0;
      for (let position = first; position < end; position++) {
        const part = values[this.barAt(position)] ?? NaN;
        if (Number.isNaN(part)) continue;
        sum += part;
        known++;
      }
      return sum / known;
    });
    if (isKnown || this.content.order) return;
    context.fillStyle = colour("--strip");
    for (let stripe = this.margins.top; stripe < this.level(0); stripe += 6)
      context.fillRect(x, stripe, width, 2);
  }

  /**
   * Whether any layer is known.
   * @param {Context} context @param {number} x @param {number} width
   * @param {(layer: Layer) => number} valueOf
   */
  paintLayers(context, x, width, valueOf) {
    let y = this.level(0);
    let sum = 0;
    let isKnown = false;
    for (const layer of this.content.layers) {
      const value = valueOf(layer);
      if (Number.isNaN(value)) continue;
      isKnown = true;
      sum += value;
      const upper = this.level(sum);
      context.fillStyle = layer.colour();
      context.fillRect(x, upper, width, y - upper);
      y = upper;
    }
    return isKnown;
  }

  /** @param {Context} context @param {Float64Array} envelope */
  paintEnvelope(context, envelope) {
    let position = this.view.x;
    context.beginPath();
    for (const bar of this.shown()) {
      const value = envelope[bar] ?? NaN;
      if (!Number.isNaN(value)) context.lineTo(this.xOf(position + 0.5), this.level(value));
      position++;
    }
    context.strokeStyle = colour("--text");
    context.lineWidth = 1;
    context.stroke();
  }

  /** @param {Context} context @param {{value: number, label: string}} line */
  paintLine(context, line) {
    const { left, top } = this.margins;
    const y = Math.round(this.level(line.value)) + 0.5;
    context.strokeStyle = colour("--text");
    context.lineWidth = 1;
    context.setLineDash([5, 4]);
    context.strokeRect(left, y, this.plotWidth, 0);
    context.setLineDash([]);
    const above = y - 18 > top ? y - 17.5 : y + 2.5;
    const wide = context.measureText(line.label).width + 10;
    const covers = markedPlaces(this).some(({ at }) => this.xOf(at) < left + 4 + wide);
    const x = covers ? left + this.plotWidth - wide - 4 : left + 4;
    context.fillStyle = colour("--card");
    context.fillRect(x, above, wide, 15);
    write(context, line.label, x + 5, above + 8, "left", "middle", "--text");
  }

  /**
   * @param {Context} context @param {{at: number, label: string}} limit
   * @param {number} row of its label
   */
  paintLimit(context, { at, label }, row) {
    if (at < this.view.x || at > this.view.x + this.view.across) return;
    const { left, top } = this.margins;
    const x = Math.round(this.xOf(at)) + 0.5;
    context.strokeStyle = colour("--text");
    context.lineWidth = 1;
    context.setLineDash([5, 4]);
    context.strokeRect(x, top, 0, this.plotHeight);
    context.setLineDash([]);
    const wide = context.measureText(label).width + 10;
    const begin = x + 3 + wide > left + this.plotWidth ? x - 3 - wide : x + 3;
    context.fillStyle = colour("--card");
    context.fillRect(begin, top + 16 * row, wide, 15);
    write(context, label, begin + 5, top + 16 * row + 8, "left", "middle", "--text");
  }

  /** Below the bars, a strip that changes its shade with the node. @param {Context} context */
  paintStrip(context) {
    if (this.content.order) return;
    let position = this.view.x;
    for (const bar of this.shown()) {
      const host = this.spec.axis.host(bar);
      const x = this.xOf(position++);
      if (host === null) continue;
      context.fillStyle = colour(host % 2 === 0 ? "--strip" : "--strip-2");
      context.fillRect(x, this.level(0) + 2, this.xOf(position) - x, 5);
    }
  }

  /** @param {Context} context */
  paintTicks(context) {
    const { axis, yTitle } = this.spec;
    const { order, orderTitle } = this.content;
    const { view } = this;
    const y = this.level(0) + (yTitle ? 11 : 5);
    if (yTitle)
      write(
        context,
        (order && orderTitle) || axis.title,
        this.width - this.margins.right,
        y + 14,
        "right",
        "top",
      );
    if (order) return;
    const first = axis.first(view.x);
    const end = axis.first(view.x + view.across);
    const step = this.plotWidth / (end - first);
    for (const tick of ticksBetween(first, end, axis.step(end - first, this.plotWidth / 60))) {
      const x = this.margins.left + (tick - first + (step > 4 ? 0.5 : 0)) * step;
      if (x < this.width - 16) write(context, axis.tick(tick), x, y, "center", "top");
    }
  }

  /** @param {Context} context */
  paintOver(context) {
    paintMarks(this, context);
    const rank = pinnedRank();
    if (rank !== null)
      this.outline(context, { x: this.positionOf(rank), y: 0, across: 1, down: 1 }, "--link");
  }
}

// Ranks that the others wait for, in bars over ranks: a mark above each, and a bar of its own that
// is wide enough to be seen at any number of ranks.

/** In pixels; narrower bars would not be seen. */
const markedWidth = 5;

/**
 * Where the marked ranks stand that are shown, the most important one first.
 * @param {RankBars} bars
 */
export function markedPlaces(bars) {
  const { view } = bars;
  return (bars.spec.marked ?? [])
    .map((rank) => ({ rank, at: bars.positionOf(rank) }))
    .filter(({ at }) => at >= view.x && at < view.x + view.across);
}

/** Where bars are too narrow, or means of ranks. @param {RankBars} bars @param {Context} context */
export function paintMarkedBars(bars, context) {
  if (bars.plotWidth / bars.view.across >= markedWidth && !bars.spec.axis.isGrouped) return;
  /** @type {number[]} */
  const done = [];
  for (const { rank, at } of markedPlaces(bars)) {
    const x = Math.round(Math.max(bars.xOf(at + 0.5) - markedWidth / 2, bars.margins.left + 1));
    if (done.some((other) => Math.abs(other - x) <= markedWidth)) continue;
    done.push(x);
    context.fillStyle = colour("--card");
    context.fillRect(x - 1, bars.margins.top, markedWidth + 2, bars.plotHeight);
    bars.paintLayers(
      context,
      x,
      markedWidth,
      ({ ofRank, values }) => ofRank?.(rank) ?? values[bars.barAt(at)] ?? NaN,
    );
  }
}

/** Above the bars, with words beside them. @param {RankBars} bars @param {Context} context */
export function paintMarks(bars, context) {
  const { markLabel = "" } = bars.spec;
  const places = markedPlaces(bars).map(({ at }) => bars.xOf(at + 0.5));
  if (places.length === 0) return;
  const { top } = bars.margins;
  context.fillStyle = colour("--problem");
  for (const x of places) {
    context.beginPath();
    context.moveTo(x - 4, top - 9);
    context.lineTo(x + 4, top - 9);
    context.lineTo(x, top - 3);
    context.fill();
  }
  const width = context.measureText(markLabel).width;
  const behind = Math.max(...places) + 8;
  const x = behind + width < bars.width ? behind : Math.max(Math.min(...places) - width - 8, 0);
  write(context, markLabel, x, top - 7, "left", "middle", "--problem");
}
