// What lies over the chart: the pinned rank, the window that is brushed with its handles and the
// funnel that leads to the panel below, and the bin under pointer or cursor.
import { barsGap, barsRoomOf } from "./paint_ranks.js";
import { pinnedRank } from "../selection.js";
import { colour } from "../theme.js";

/** @typedef {import("./time_chart.js").TimeChart} TimeChart */
/** @typedef {CanvasRenderingContext2D} Context */

const handle = { width: 9, height: 26 };
/** Behind the bins, before the bars. */
const lensLine = 9;

/** @param {Context} context @param {TimeChart} chart */
export function paintPinned(context, chart) {
  const rank = pinnedRank();
  if (rank === null) return;
  const y = chart.order.indexOf(chart.time.rowOf(rank));
  context.strokeStyle = colour("--text");
  context.lineWidth = 1.6;
  const { left } = chart.margins;
  const top = chart.yOf(y) - 1;
  const height = chart.pitch - chart.rowGap + 2;
  context.strokeRect(left - 1, top, chart.right - left + 2, height);
  if (chart.barsWidth === 0) return;
  context.strokeRect(chart.right + barsGap - 1, top, barsRoomOf(chart) + 2, height);
}

/** From a row to the lens below the chart. @param {Context} context @param {TimeChart} chart */
export function paintLensLine(context, chart) {
  const { lens, margins } = chart;
  if (lens?.row === null || !lens || chart.hasFunnel || chart.barsWidth === 0) return;
  const row = chart.order.indexOf(lens.row);
  const y = Math.round(chart.yOf(row) + chart.pitch / 2) + 0.5;
  const x = chart.right + lensLine;
  context.strokeStyle = colour("--focus");
  context.lineWidth = 1.2;
  context.beginPath();
  context.moveTo(chart.right + 2, y);
  context.lineTo(x, y);
  context.lineTo(x, chart.height);
  context.stroke();
  context.strokeRect(margins.left - 3, chart.yOf(row) - 0.5, 2, chart.pitch + 1);
}

/** @param {Context} context @param {TimeChart} chart @param {number} x */
function paintHandle(context, chart, x) {
  const middle = chart.margins.top + (chart.pitch * chart.down) / 2;
  context.fillStyle = colour("--card");
  context.beginPath();
  const { width, height } = handle;
  context.roundRect(x - width / 2, middle - height / 2, width, height, 4);
  context.fill();
  context.stroke();
  for (const shift of [-1.5, 1.5]) {
    context.beginPath();
    context.moveTo(x + shift, middle - 6);
    context.lineTo(x + shift, middle + 6);
    context.stroke();
  }
}

/** @param {Context} context @param {TimeChart} chart @param {number} left @param {number} right */
function paintFunnel(context, chart, left, right) {
  const { top, height } = chart.bands.axis;
  context.globalAlpha = 0.1;
  context.fillStyle = colour("--focus");
  context.fillRect(left, chart.bands.steps.top, right - left, top - chart.bands.steps.top);
  context.beginPath();
  context.moveTo(left, top + height - 2);
  context.lineTo(right, top + height - 2);
  context.lineTo(chart.width - 1, chart.height);
  context.lineTo(1, chart.height);
  context.fill();
  context.globalAlpha = 1;
  context.lineWidth = 1;
  for (const [x, end] of [
    [left, 1],
    [right, chart.width - 1],
  ]) {
    context.beginPath();
    context.moveTo(x ?? 0, top + height - 2);
    context.lineTo(end ?? 0, chart.height);
    context.stroke();
  }
}

/** @param {Context} context @param {TimeChart} chart */
export function paintWindow(context, chart) {
  const { window } = chart.chosen;
  if (!window) return;
  const { view, bands } = chart;
  if (window.to <= view.x || window.from >= view.x + view.across) return;
  const left = Math.max(chart.xOf(window.from), chart.margins.left);
  const right = Math.min(chart.xOf(window.to), chart.right);
  context.strokeStyle = colour("--focus");
  paintFunnel(context, chart, left, right);
  const top = bands.average.height > 0 ? bands.average.top : chart.margins.top;
  context.lineWidth = 1.6;
  for (const x of [left, right]) {
    context.beginPath();
    context.moveTo(x, top - 2);
    context.lineTo(x, bands.axis.top + bands.axis.height - 2);
    context.stroke();
    paintHandle(context, chart, x);
  }
  paintPhaseFrame(context, chart);
}

/** Around the phase that holds the window. @param {Context} context @param {TimeChart} chart */
function paintPhaseFrame(context, chart) {
  const phase = chart.chosen.window && chart.time.phaseOf(chart.chosen.window);
  if (!phase) return;
  const { top, height } = chart.bands.phases;
  const left = chart.xOfTime(phase.from_s);
  const width = chart.xOfTime(phase.to_s) - left - 1.5;
  if (width < 3) return;
  context.beginPath();
  context.roundRect(left + 0.5, top + 0.5, width - 1, height - 1, 4);
  context.stroke();
}

/**
 * @param {Context} context @param {TimeChart} chart
 * @param {import("../charts/canvas_chart.js").Cell} at
 */
export function paintCursor(context, chart, at) {
  const { size } = chart.grid;
  const isMap = at.y >= 0 && at.y < chart.down;
  const x = chart.xOf(at.x);
  context.strokeStyle = colour("--text");
  if (at.x < 0) return;
  if (isMap) {
    context.lineWidth = 1.6;
    const height = chart.pitch - chart.rowGap;
    context.strokeRect(x - 0.8, chart.yOf(at.y) - 0.8, size + 1.6, height + 1.6);
    return;
  }
  const { average, axis } = chart.bands;
  context.lineWidth = 1;
  context.globalAlpha = 0.5;
  context.beginPath();
  context.moveTo(x + size / 2, average.height > 0 ? average.top : chart.margins.top);
  context.lineTo(x + size / 2, axis.top);
  context.stroke();
  context.globalAlpha = 1;
}
