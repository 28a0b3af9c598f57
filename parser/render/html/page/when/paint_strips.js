// The strips above and below the rows of ranks: phases, the average rank, steps, the axis. A name
// stands in its area where it fits, above it where there is room, and else in tooltip and table.
import { binsOf, paintStack } from "./paint_map.js";
import { shortNames, textColours, timeStates } from "./time_states.js";
import { momentText, timeUnit } from "./time_words.js";
import { write } from "../charts/canvas_chart.js";
import { niceStep, ticksBetween } from "../charts/scales.js";
import { secondsText, shareText } from "../format.js";
import { marks } from "../tables/table_columns.js";
import { colour } from "../theme.js";

/** @typedef {import("./time_chart.js").TimeChart} TimeChart */
/** @typedef {import("./time_data.js").PhaseRow} PhaseRow */
/** @typedef {import("./time_states.js").State} State */
/** @typedef {CanvasRenderingContext2D} Context */

const lineOfText = 13;
const tickGap = 78;

/** @param {Context} context @param {number} size @param {number} [weight] */
export function setFont(context, size, weight = 400) {
  context.font = context.font.replace(/^.*?[\d.]+px/, `${weight} ${size}px`);
}

/** @param {Context} context @param {TimeChart} chart @param {PhaseRow} phase */
function paintPhase(context, chart, phase) {
  const { top, height } = chart.bands.phases;
  const left = chart.xOfTime(phase.from_s);
  const width = chart.xOfTime(phase.to_s) - left - 1.5;
  if (width <= 0) return null;
  context.fillStyle = colour(phase.state === "good" ? "--strip" : `--${phase.state}-back`);
  context.beginPath();
  context.roundRect(left, top, Math.max(width, 1), height, Math.min(4, width / 2));
  context.fill();
  return { phase, left, width };
}

/**
 * Whether it fits. The share goes first, then the name.
 * @param {Context} context @param {TimeChart} chart @param {PhaseRow} phase @param {number} left
 * @param {number} width
 */
function nameInside(context, chart, phase, left, width) {
  const y = chart.bands.phases.top + chart.bands.phases.height / 2 + 0.5;
  const ink = phase.state === "good" ? "--text" : `--${phase.state}`;
  const mark = phase.state === "good" ? "" : (marks[phase.state] ?? "");
  const words = `${mark} ${phase.name}`.trim();
  const share = shareText(phase.share);
  const pad = chart.isNarrow ? 3 : 7;
  setFont(context, chart.isNarrow ? 11 : 12.5, 650);
  const room = width - 2 * pad;
  const taken = context.measureText(words).width;
  if (taken > room) {
    if (mark && width > 12) write(context, mark, left + width / 2, y, "center", "middle", ink);
    return false;
  }
  write(context, words, left + pad, y, "left", "middle", ink);
  setFont(context, 12);
  if (taken + 7 + context.measureText(share).width <= room)
    write(context, share, left + taken + pad + 7, y, "left", "middle", "--muted");
  return true;
}

/** @param {Context} context @param {TimeChart} chart */
export function paintPhases(context, chart) {
  const { top } = chart.bands.phases;
  let behind = 0;
  for (const phase of chart.time.phases) {
    const drawn = paintPhase(context, chart, phase);
    if (!drawn || nameInside(context, chart, phase, drawn.left, drawn.width) || chart.isNarrow)
      continue;
    setFont(context, 12);
    const half = context.measureText(phase.name).width / 2;
    const wanted = Math.max(drawn.left + drawn.width / 2, chart.margins.left + half);
    const middle = Math.min(wanted, chart.width - half);
    if (middle - half < behind) continue;
    behind = middle + half + 8;
    write(context, phase.name, middle, top - 11, "center", "middle");
    context.fillStyle = colour("--muted");
    context.fillRect(Math.round(drawn.left + drawn.width / 2), top - 4, 1, 3);
  }
  setFont(context, 11);
}

/**
 * Where a state's area is highest over the width of its name.
 * @param {TimeChart} chart @param {{low: number, high: number}[]} edges by cell
 * @param {number} cells
 */
function roomiest(chart, edges, cells) {
  let best = { first: 0, last: 0, height: 0, y: 0 };
  for (let first = 0; first + cells <= chart.grid.count; first++) {
    let low = 0;
    let high = 1;
    for (let cell = first; cell < first + cells && high > low; cell++) {
      low = Math.max(low, edges[cell]?.low ?? 1);
      high = Math.min(high, edges[cell]?.high ?? 0);
    }
    const height = high - low;
    if (height > best.height + 0.02) best = { first, last: first, height, y: (low + high) / 2 };
    else if (height > best.height - 0.02 && first === best.last + 1) best.last = first;
  }
  return { ...best, middle: (best.first + best.last + cells) / 2 };
}

/** @param {Context} context @param {TimeChart} chart */
function nameAreas(context, chart) {
  const { top, height } = chart.bands.average;
  const splits = Array.from({ length: chart.grid.count }, (_, cell) => {
    const { from, to } = binsOf(chart, cell);
    return chart.time.meanOver(null, from, to);
  });
  setFont(context, 11.5, 650);
  timeStates.forEach((state, i) => {
    const below = timeStates.slice(0, i);
    const edges = splits.map((split) => {
      const low = below.reduce((sum, other) => sum + split[other], 0);
      return { low, high: low + split[state] };
    });
    const width = context.measureText(shortNames[state]).width + 10;
    const best = roomiest(chart, edges, Math.ceil(width / chart.grid.size));
    if (best.height * height < lineOfText) return;
    const x = chart.margins.left + best.middle * chart.grid.size;
    const y = top + height * (1 - best.y);
    write(context, shortNames[state], x, y + 0.5, "center", "middle", textColours[state]);
  });
  setFont(context, 11);
}

/** @param {Context} context @param {TimeChart} chart */
export function paintAverage(context, chart) {
  const { top, height } = chart.bands.average;
  const { left } = chart.margins;
  paintStack(context, chart, null, top, height);
  nameAreas(context, chart);
  if (chart.isNarrow) {
    write(context, "mean", left - 5, top + height / 2, "right", "middle");
    return;
  }
  write(context, "100%", left - 8, top + 6, "right", "middle");
  write(context, "average", left - 8, top + height / 2 + 2, "right", "middle", "--text");
}

/** Lines through the middle of bins that have a step. @param {TimeChart} chart */
function stepPoints({ time, view, xOf }, /** @type {TimeChart} */ chart) {
  const points = [];
  for (let bin = view.x; bin < view.x + view.across; bin++) {
    const seconds = time.stepSeconds[bin] ?? NaN;
    points.push({ x: xOf.call(chart, bin + 0.5), seconds });
  }
  return points;
}

/** @param {Context} context @param {TimeChart} chart */
export function paintSteps(context, chart) {
  const steps = chart.time.steps;
  if (!steps) return;
  const { top, height } = chart.bands.steps;
  const points = stepPoints(chart, chart);
  const known = points.filter(({ seconds }) => seconds > 0);
  const most = known.reduce((high, { seconds }) => Math.max(high, seconds), steps.first_s);
  // Not from 0 on: a tenth more must be seen, but noise must not.
  const low = 0.7 * Math.min(steps.first_s, ...known.map(({ seconds }) => seconds));
  const bottom = top + height - 4;
  const room = height - 4 - lineOfText - 1; // below the words
  /** @param {number} seconds */
  const yOf = (seconds) => bottom - ((seconds - low) / Math.max(most - low, 1e-12)) * room;
  write(context, "step", chart.margins.left - 8, yOf(steps.first_s), "right", "middle", "--text");
  context.strokeStyle = colour("--muted");
  context.lineWidth = 1;
  context.setLineDash([1, 3]);
  context.beginPath();
  context.moveTo(chart.margins.left, Math.round(yOf(steps.first_s)) + 0.5);
  context.lineTo(chart.right, Math.round(yOf(steps.first_s)) + 0.5);
  context.stroke();
  context.setLineDash([]);
  context.strokeStyle = colour("--text");
  context.lineWidth = 1.5;
  context.beginPath();
  points.forEach(({ x, seconds }, i) => {
    if (!(seconds > 0)) return;
    if ((points[i - 1]?.seconds ?? NaN) > 0) context.lineTo(x, yOf(seconds));
    else context.moveTo(x, yOf(seconds));
  });
  context.stroke();
  nameSteps(context, chart, known);
}

/**
 * How long a step takes, at the first and the last one that are shown, above the curve wherever it
 * goes. Of the whole run that is what the report says, the mean of some.
 * @param {Context} context @param {TimeChart} chart @param {{x: number, seconds: number}[]} known
 */
function nameSteps(context, chart, known) {
  const first = known[0];
  const last = known.at(-1);
  const { steps } = chart.time;
  if (!first || !last || !steps) return;
  const isWhole = chart.view.across === chart.across;
  const begin = secondsText(isWhole ? steps.first_s : first.seconds);
  const words = chart.isNarrow ? begin : `one step takes ${begin}`;
  const y = chart.bands.steps.top + lineOfText / 2;
  write(context, words, first.x, y, "left", "middle", "--text");
  if (last.x - first.x < 200) return;
  const ink = chart.time.raw.drift ? "--problem" : "--text";
  setFont(context, 11.5, 650);
  const end = secondsText(isWhole ? steps.last_s : last.seconds);
  write(context, end, last.x, y, "right", "middle", ink);
  setFont(context, 11);
}

/** @param {Context} context @param {TimeChart} chart */
export function paintAxis(context, chart) {
  const { time, view } = chart;
  const { top } = chart.bands.axis;
  const { factor, name } = timeUnit(time.end_s);
  const from = time.timeOf(view.x) * factor;
  const to = Math.min(time.timeOf(view.x + view.across), time.end_s) * factor;
  const step = niceStep(to - from, (chart.right - chart.margins.left) / tickGap);
  const digits = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  context.fillStyle = colour("--line");
  context.fillRect(chart.margins.left, top, chart.right - chart.margins.left, 1);
  const end = `${momentText(time, to / factor)} ${name}`;
  const room = chart.xOfTime(to / factor) - context.measureText(end).width - 6;
  write(context, end, chart.xOfTime(to / factor), top + 12, "right", "middle");
  for (const tick of ticksBetween(from, to, step)) {
    const x = chart.xOfTime(tick / factor);
    context.fillStyle = colour("--muted");
    context.fillRect(Math.round(x), top, 1, 4);
    const words = tick === 0 ? "0" : tick.toFixed(digits);
    if (x + context.measureText(words).width / 2 < room)
      write(context, words, x, top + 12, "center", "middle");
  }
}
