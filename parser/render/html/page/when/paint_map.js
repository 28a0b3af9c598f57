// The map of the run over time: the colours of states and those between the ground and a state,
// and the cells. For time_chart.js and its lens.
import {
  differenceOf,
  hatchColours,
  isHatched,
  medianSplit,
  strengthOf,
  strongestOf,
  timeStates,
} from "./time_states.js";
import { mixedColours } from "../charts/scales.js";
import { channels, colour } from "../theme.js";

/** @typedef {import("./time_states.js").State} State */
/** @typedef {import("./time_frame.js").TimeFrame} TimeFrame */
/** @typedef {import("./time_states.js").Split} Split */

/** Of each state from the ground on. @returns {Record<State, Uint8ClampedArray>} */
export function stateColours() {
  const ground = channels(colour("--ground"));
  return /** @type {any} */ (
    Object.fromEntries(
      timeStates.map((state) => [state, mixedColours(ground, channels(colour(`--${state}`)))]),
    )
  );
}

/**
 * Of a difference from the median row, from the ground on. Computing has no colour in a map that
 * shows what holds it up, and the strongest one in a map that shows who computes longest. Less of a
 * state is blue, or orange where blue is near the state's own colour.
 * @returns {{more: Record<State, Uint8ClampedArray>, less: Record<State, Uint8ClampedArray>}}
 */
export function differenceColours() {
  const ground = channels(colour("--ground"));
  const [blue, orange] = ["--transfer", "--wait"].map((name) =>
    mixedColours(ground, channels(colour(name))),
  );
  const isBlue = (/** @type {State} */ state) => state === "wait" || state === "compute";
  const less = timeStates.map((state) => [state, isBlue(state) ? blue : orange]);
  const busy = mixedColours(ground, channels(colour("--busy")));
  return { more: { ...stateColours(), compute: busy }, less: Object.fromEntries(less) };
}

/**
 * A colour between ground and state.
 * @param {Uint8ClampedArray} colours @param {number} strength
 */
export function mixedColour(colours, strength) {
  const i = 3 * Math.round(100 * strength);
  return `rgb(${colours[i]},${colours[i + 1]},${colours[i + 2]})`;
}

// The rows of ranks: as cells that show how a row differs from the median row of its bin, as cells
// of the strongest state beside computing, or, where rows are few, as all states of each bin. The
// map is drawn with a pixel per cell and then enlarged by whole numbers. Hatches run through
// neighbouring cells.

/** @typedef {CanvasRenderingContext2D} Context */
/** @typedef {Uint8ClampedArray} Shades from the ground on */
/** @typedef {{image: HTMLCanvasElement, hatched: (State | null)[][]}} Heat */

const hatchStep = 6;
/** A lower part of a stack has no room for a hatch. In pixels. */
const leastHatched = 3;

/** Lines of a state's own direction. @param {Context} context @param {State} state */
function hatchOf(context, state) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = hatchStep;
  const lines = /** @type {Context} */ (tile.getContext("2d"));
  lines.strokeStyle = colour(`--${hatchColours[state]}`);
  lines.lineWidth = 1.2;
  lines.beginPath();
  for (const shift of [-hatchStep, 0, hatchStep]) {
    const up = state === "contend";
    lines.moveTo(shift, up ? hatchStep : 0);
    lines.lineTo(shift + hatchStep, up ? 0 : hatchStep);
  }
  lines.stroke();
  return context.createPattern(tile, "repeat") ?? "";
}

/** @param {Context} context */
function hatches(context) {
  return new Map(timeStates.filter(isHatched).map((state) => [state, hatchOf(context, state)]));
}

/** The bins of a drawn cell. @param {TimeFrame} chart @param {number} cell */
export function binsOf(chart, cell) {
  const { view, grid } = chart;
  const from = view.x + cell * grid.shared;
  return { from, to: Math.min(from + grid.shared, view.x + view.across) };
}

/** What of the map stays while nothing of this changes. @param {TimeFrame} chart */
function heatKey({ view, grid, shown, order, isCompared }) {
  const { x, across } = view;
  return [x, across, grid.shared, shown, order, isCompared, colour("--ground")].join(" ");
}

/**
 * What a cell of each column shows, and the colours for it.
 * @param {TimeFrame} chart
 * @returns {(cell: number, split: Split) => {state: State, strength: number, shades: Shades}}
 */
function showerOf(chart) {
  const { grid, shown, peers } = chart;
  if (!chart.isCompared) {
    const colours = stateColours();
    return (_cell, split) => {
      const { state, strength } = strongestOf(split, shown);
      return { state, strength, shades: colours[state] };
    };
  }
  const { more, less } = differenceColours();
  const medians = Array.from({ length: grid.count }, (_, cell) => {
    const { from, to } = binsOf(chart, cell);
    return medianSplit(peers, from, to);
  });
  return (cell, split) => {
    const median = /** @type {Split} */ (medians[cell]);
    const { state, strength, isMore } = differenceOf(split, median, shown);
    // What it has less of is not hatched as that state.
    return { state: isMore ? state : "compute", strength, shades: (isMore ? more : less)[state] };
  };
}

/** @param {TimeFrame} chart @returns {Heat} */
function makeHeat(chart) {
  const { time, grid, down } = chart;
  const image = document.createElement("canvas");
  image.width = grid.count;
  image.height = down;
  const context = /** @type {Context} */ (image.getContext("2d"));
  const pixels = context.createImageData(grid.count, down);
  const show = showerOf(chart);
  const hatched = Array.from({ length: down }, (_, y) =>
    Array.from({ length: grid.count }, (_, cell) => {
      const { from, to } = binsOf(chart, cell);
      const split = time.meanOver(chart.rowAt(y), from, to);
      const { state, strength, shades } = show(cell, split);
      const at = 3 * Math.round(100 * strength);
      pixels.data.set(shades.subarray(at, at + 3), 4 * (y * grid.count + cell));
      pixels.data[4 * (y * grid.count + cell) + 3] = 255;
      return strength > 0 && isHatched(state) ? state : null;
    }),
  );
  context.putImageData(pixels, 0, 0);
  return { image, hatched };
}

/** @type {WeakMap<TimeFrame, {key: string, heat: Heat}>} */
const heats = new WeakMap();

/** @param {TimeFrame} chart */
function heatOf(chart) {
  const key = heatKey(chart);
  const known = heats.get(chart);
  if (known?.key === key) return known.heat;
  const heat = makeHeat(chart);
  heats.set(chart, { key, heat });
  return heat;
}

/** @param {Context} context @param {TimeFrame} chart */
export function paintHeat(context, chart) {
  const { grid, margins, pitch, down } = chart;
  const { image, hatched } = heatOf(chart);
  const width = grid.count * grid.size;
  context.imageSmoothingEnabled = false;
  context.drawImage(image, margins.left, margins.top, width, down * pitch);
  const patterns = hatches(context);
  hatched.forEach((states, y) => {
    for (let cell = 0; cell < states.length; cell++) {
      const state = states[cell];
      const pattern = state && patterns.get(state);
      if (!pattern) continue;
      const first = cell;
      while (states[cell + 1] === state) cell++;
      context.fillStyle = pattern;
      const across = (cell - first + 1) * grid.size;
      context.fillRect(margins.left + first * grid.size, chart.yOf(y), across, pitch);
    }
  });
}

/**
 * All states of each bin, from the bottom upwards. What is missing stays ground.
 * @param {Context} context @param {TimeFrame} chart @param {number | null} row null = the mean
 * @param {number} top @param {number} height
 */
export function paintStack(context, chart, row, top, height) {
  const { grid, margins, time } = chart;
  const scale = Math.max(devicePixelRatio || 1, 1);
  const patterns = hatches(context);
  /** @param {number} part */
  const whole = (part) => Math.round(part * height * scale) / scale;
  context.fillStyle = colour("--ground");
  context.fillRect(margins.left, top, grid.count * grid.size, height);
  for (let cell = 0; cell < grid.count; cell++) {
    const { from, to } = binsOf(chart, cell);
    const split = time.meanOver(row, from, to);
    let sum = 0;
    for (const state of timeStates) {
      const low = whole(sum);
      sum += split[state];
      const high = whole(sum);
      if (high <= low) continue;
      context.fillStyle = colour(`--${state}`);
      const x = margins.left + cell * grid.size;
      context.fillRect(x, top + height - high, grid.size, high - low);
      const pattern = patterns.get(state);
      if (!pattern || high - low < leastHatched) continue;
      context.fillStyle = pattern;
      context.fillRect(x, top + height - high, grid.size, high - low);
    }
  }
}

/** @param {Context} context @param {TimeFrame} chart */
export function paintStacks(context, chart) {
  chart.order.forEach((row, y) => {
    paintStack(context, chart, row, chart.yOf(y), chart.pitch - chart.rowGap);
  });
}

/**
 * The colours of a state as a list of keys shows them; of less than the median row, too.
 * @param {State} state @param {"share" | "more" | "less"} kind @returns {string[]}
 */
export function keyColours(state, kind) {
  if (kind !== "share") {
    const shades = differenceColours()[kind][state];
    return [0.15, 0.4, 0.7, 1].map((strength) => mixedColour(shades, strength));
  }
  if (state === "compute") return [colour("--ground")];
  const colours = stateColours()[state];
  return [0.3, 0.5, 0.7, 0.9].map((share) => mixedColour(colours, strengthOf(share)));
}
