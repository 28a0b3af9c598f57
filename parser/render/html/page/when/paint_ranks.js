// Beside the rows: which ranks they are, at the left, and how long each computes, at the right. So
// "who" and "when" meet in one row.
import { write, writeUpwards } from "../charts/drawing.js";
import { rankStep } from "../charts/ticks.js";
import { secondsText } from "../format.js";
import { colour } from "../theme.js";
import { setFont } from "./paint_strips.js";

/** @typedef {import("./time_chart.js").TimeChart} TimeChart */
/** @typedef {CanvasRenderingContext2D} Context */

const labelGap = 13;
/** Between rows and bars. */
export const barsGap = 16;
const barsText = 48;
const nodeWidth = 4;

/** @param {number} rank */
function rankText(rank) {
  return rank.toLocaleString("en");
}

/** Rows of ranks that the report found slow. @param {TimeChart} chart */
function slowRows(chart) {
  const { time, order } = chart;
  return [...time.slowRanks].map((rank) => ({ rank, y: order.indexOf(time.rowOf(rank)) }));
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

/** What bins leave. @param {TimeChart} chart */
export function barsRoomOf(chart) {
  return Math.max(chart.width - chart.right - barsGap - barsText, 24);
}

/** @param {number[]} values */
function medianOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** @param {Context} context @param {TimeChart} chart */
export function paintBars(context, chart) {
  const { time, order, pitch, down } = chart;
  const left = chart.right + barsGap;
  const barsRoom = barsRoomOf(chart);
  const seconds = time.rows.map(({ compute_s }) => compute_s);
  const most = Math.max(...seconds, 1e-12);
  const median = medianOf(seconds);
  const slow = new Set(slowRows(chart).map(({ y }) => y));
  const top = chart.yOf(0);
  order.forEach((row, y) => {
    const isSlow = slow.has(y) && (seconds[row] ?? 0) > median;
    context.fillStyle = colour(isSlow ? "--problem-bar" : "--compute");
    const height = Math.max(pitch - chart.rowGap, 1);
    const width = (barsRoom * (seconds[row] ?? 0)) / most;
    context.fillRect(left, chart.yOf(y), width, height);
    if (!isSlow && down > 8) return;
    setFont(context, 11.5, isSlow ? 650 : 400);
    const ink = isSlow ? "--problem" : "--muted";
    const place = chart.yOf(y) + height / 2;
    write(context, secondsText(seconds[row]), left + width + 4, place, "left", "middle", ink);
  });
  setFont(context, 11);
  write(context, "compute", left, top - 26, "left", "middle", "--text");
  write(context, "per rank", left, top - 13, "left", "middle");
  if (down <= 8) return;
  context.strokeStyle = colour("--text");
  context.setLineDash([1, 2]);
  const x = Math.round(left + (barsRoom * median) / most) + 0.5;
  context.beginPath();
  context.moveTo(x, top);
  context.lineTo(x, chart.yOf(down) + 3);
  context.stroke();
  context.setLineDash([]);
  const words = `median ${secondsText(median)}`;
  write(context, words, left, chart.yOf(down) + 11, "left", "middle");
}
