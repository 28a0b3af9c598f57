// Beside the rows: which ranks they are, at the left, and how long each computes, at the right. So
// "who" and "when" meet in one row.
import { setFont } from "./paint_strips.js";
import { write, writeUpwards } from "../charts/canvas_chart.js";
import { rankStep } from "../charts/scales.js";
import { secondsText } from "../format.js";
import { medianOf } from "../tables/columns.js";
import { colour } from "../theme.js";

/** @typedef {import("./time_chart.js").TimeChart} TimeChart */
/** @typedef {CanvasRenderingContext2D} Context */

const labelGap = 13;
/** Between rows and bars. */
export const barsGap = 16;
const barsText = 64;
const nodeWidth = 4;
/** So many have their seconds beside the bar, more have their median. */
const labelledRows = 8;

/** @param {number} rank */
function rankText(rank) {
  return rank.toLocaleString("en");
}

/** Rows of ranks that the report found slow, the slowest one first. @param {TimeChart} chart */
function slowRows(chart) {
  const { time, order } = chart;
  const secondsOf = (/** @type {number} */ row) => time.rows[row]?.compute_s ?? 0;
  return [...time.slowRanks]
    .map((rank) => ({ rank, row: time.rowOf(rank) }))
    .sort((a, b) => secondsOf(b.row) - secondsOf(a.row))
    .map(({ rank, row }) => ({ rank, row, y: order.indexOf(row) }));
}

/** Neighbouring nodes have two shades in turn. @param {Context} context @param {TimeChart} chart */
function paintNodes(context, chart) {
  const { axis, time, margins, pitch } = chart;
  const hosts = time.rows.map(({ first }) => axis.host(axis.barOf(first)));
  if (new Set(hosts).size < 2) return;
  let shade = 0;
  hosts.forEach((host, row) => {
    if (row > 0 && host !== hosts[row - 1]) shade = 1 - shade;
    context.fillStyle = colour(shade ? "--strip-2" : "--strip");
    const height = pitch - chart.rowGap;
    context.fillRect(margins.left - nodeWidth - 2, chart.yOf(row), nodeWidth, height);
  });
}

/** @param {Context} context @param {TimeChart} chart */
export function paintRanks(context, chart) {
  const { time, order, margins, pitch, down } = chart;
  const isInOrder = order.every((row, y) => row === y);
  const x = margins.left - nodeWidth - 5;
  /** @param {number} y */
  const middle = (y) => chart.yOf(y) + (pitch - chart.rowGap) / 2;
  /** @type {number[]} */
  const taken = [];
  setFont(context, 11.5, 650);
  for (const { rank, y } of slowRows(chart)) {
    if (taken.some((other) => Math.abs(other - middle(y)) < labelGap)) continue;
    taken.push(middle(y));
    const words = chart.isNarrow ? rankText(rank) : `${rankText(rank)} ▸`;
    write(context, words, x, middle(y), "right", "middle", "--problem", margins.left - 8);
  }
  setFont(context, 11);
  if (isInOrder) paintNodes(context, chart);
  const step = isInOrder ? rankStep(down, (down * pitch) / (chart.isStacked ? 10 : 32)) : 1;
  for (let y = 0; y < down; y += step) {
    if (taken.some((other) => Math.abs(other - middle(y)) < labelGap)) continue;
    if (!isInOrder) taken.push(middle(y));
    const row = time.rows[order[y] ?? 0];
    write(context, rankText(row?.first ?? 0), x, middle(y), "right", "middle");
  }
  const bottom = margins.top + (down * pitch) / 2;
  const title = time.isSingle ? "rank" : "first rank of each row";
  if (!chart.isNarrow && down * pitch > 60) writeUpwards(context, title, 7, bottom);
}

/** What bins leave. @param {import("./time_frame.js").TimeFrame} chart */
export function barsRoomOf(chart) {
  return Math.max(chart.width - chart.right - barsGap - barsText, 24);
}

/**
 * Beside the bars, as far as they do not touch; those of slow ranks go first.
 * @param {Context} context @param {TimeChart} chart
 * @param {{row: number, y: number, ink: string}[]} rows @param {(row: number) => number} endOf
 */
function writeSeconds(context, chart, rows, endOf) {
  /** @type {number[]} */
  const taken = [];
  for (const { row, y, ink } of rows) {
    const place = chart.yOf(y) + (chart.pitch - chart.rowGap) / 2;
    if (taken.some((other) => Math.abs(other - place) < labelGap)) continue;
    taken.push(place);
    setFont(context, 11.5, ink === "--problem" ? 650 : 400);
    const words = secondsText(chart.time.rows[row]?.compute_s);
    write(context, words, endOf(row) + 4, place, "left", "middle", ink);
  }
  setFont(context, 11);
}

/** @param {Context} context @param {TimeChart} chart @param {number} x @param {number} median */
function paintMedian(context, chart, x, median) {
  const bottom = chart.yOf(chart.down);
  context.strokeStyle = colour("--text");
  context.setLineDash([1, 2]);
  context.beginPath();
  context.moveTo(Math.round(x) + 0.5, chart.yOf(0));
  context.lineTo(Math.round(x) + 0.5, bottom + 3);
  context.stroke();
  context.setLineDash([]);
  const left = chart.right + barsGap;
  write(context, `median ${secondsText(median)}`, left, bottom + 11, "left", "middle");
}

/** @param {Context} context @param {TimeChart} chart */
export function paintBars(context, chart) {
  const { time, order, pitch, down } = chart;
  const left = chart.right + barsGap;
  const seconds = time.rows.map(({ compute_s }) => compute_s);
  const scale = barsRoomOf(chart) / chart.mostSeconds;
  const median = medianOf(seconds);
  const slow = slowRows(chart).filter(({ row }) => (seconds[row] ?? 0) > median);
  const endOf = (/** @type {number} */ row) => left + scale * (seconds[row] ?? 0);
  order.forEach((row, y) => {
    const isSlow = slow.some((other) => other.row === row);
    context.fillStyle = colour(isSlow ? "--problem-bar" : "--compute");
    context.fillRect(left, chart.yOf(y), endOf(row) - left, pitch - chart.rowGap);
  });
  const others = down > labelledRows ? [] : order.map((row, y) => ({ row, y, ink: "--muted" }));
  const marked = slow.map(({ row, y }) => ({ row, y, ink: "--problem" }));
  writeSeconds(context, chart, [...marked, ...others], endOf);
  const top = chart.yOf(0);
  write(context, "compute", left, top - 26, "left", "middle", "--text");
  write(context, "per rank", left, top - 13, "left", "middle");
  if (down > labelledRows) paintMedian(context, chart, left + scale * median, median);
}
