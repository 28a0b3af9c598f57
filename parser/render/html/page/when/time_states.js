// The states of a rank's time: their words, which of them a cell of the map shows how strongly,
// whether a cell is unlike those of the other ranks, and the window that is brushed. Their colours
// are in paint_map.js. Needs nothing of the browser.
import { medianOf } from "../tables/columns.js";

/** @typedef {import("./time_data.js").TimeData} TimeData */
/** @typedef {import("./time_data.js").TimeWindow} TimeWindow */

/** @typedef {Record<State, number>} Split shares, or seconds */
/** @typedef {{state: State, strength: number}} Strongest */

// states of time: begin
/**
 * @typedef {"compute" | "contend" | "blocked" | "gpu" | "wait" | "transfer" | "io" | "mpi"} State
 */

/** From the bottom of a stack upwards, as in the head of the page. @type {State[]} */
export const timeStates = ["compute", "contend", "blocked", "gpu", "wait", "transfer", "io", "mpi"];

/** @type {Record<State, string>} */
export const stateNames = {
  compute: "compute",
  contend: "off CPU: waiting for one",
  blocked: "off CPU: blocked",
  gpu: "GPU: waiting, copies, other calls",
  wait: "waiting in MPI",
  transfer: "transfer",
  io: "MPI I/O",
  mpi: "start-up",
};

/** For an area of a chart. @type {Record<State, string>} */
export const shortNames = {
  compute: "compute",
  contend: "no CPU",
  blocked: "blocked",
  gpu: "GPU",
  wait: "waiting",
  transfer: "transfer",
  io: "MPI I/O",
  mpi: "start-up",
};

/** Of text on such an area. @type {Record<State, string>} */
export const textColours = {
  compute: "--on-compute",
  contend: "--on-wait",
  blocked: "--on-blocked",
  gpu: "--on-wait",
  wait: "--on-wait",
  transfer: "--on-transfer",
  io: "--on-transfer",
  mpi: "--on-mpi",
};

/** Of states with lines: of which colour these are. @type {Partial<Record<State, State>>} */
export const hatchColours = { contend: "blocked", blocked: "contend" };
// end

/** @param {State} state */
export function isHatched(state) {
  return hatchColours[state] !== undefined;
}

const beside = timeStates.filter((state) => state !== "compute");
/** One state alone is seen from here on. */
const leastShare = 0.01;
/** Below this share of a bin a state is not seen in the map. */
export const groundShare = 0.12;

/**
 * How strong a share looks, 0 to 1: it begins with nothing at the limit, so that noise around it
 * does not sparkle.
 * @param {number} share 0 to 1 @param {number} [limit]
 */
export function strengthOf(share, limit = groundShare) {
  return Math.max(0, Math.min((share - limit) / (1 - limit), 1)) ** 0.85;
}

/**
 * What a cell shows: of some states that with most time.
 * @param {Split} split @param {State[] | null} shown null = all but computing
 * @returns {Strongest}
 */
export function strongestOf(split, shown) {
  const among = shown ?? beside;
  const state = among.reduce(
    (most, other) => (split[other] > split[most] ? other : most),
    /** @type {State} */ (among[0]),
  );
  return { state, strength: strengthOf(split[state], shown ? leastShare : groundShare) };
}

// How a cell of the map differs from the median row of the same bin. Where all ranks do the same,
// nothing is to be seen then, and the one rank that does something else is. The strip of the
// average rank above the map says what all do. The map, its lens and its tooltips ask here;
// colours are in paint_map.js.

/** @typedef {{state: State, strength: number, isMore: boolean}} Difference */

/** Shares of a bin: below the first one nothing is seen, from the other one on all the colour. */
export const differences = { least: 0.04, full: 0.4 };
/** Of two rows, each is as far from the middle: nobody is the usual one. */
const leastRows = 3;

/** Whether there is a usual row. @param {TimeData} time */
export function hasPeers(time) {
  return time.rows.length >= leastRows;
}

/**
 * Of each state the median share over all rows.
 * @param {TimeData} time @param {number} from @param {number} to bins @returns {Split}
 */
export function medianSplit(time, from, to) {
  const splits = time.rows.map((_, row) => time.meanOver(row, from, to));
  return /** @type {Split} */ (
    Object.fromEntries(
      timeStates.map((state) => [state, medianOf(splits.map((split) => split[state]))]),
    )
  );
}

/**
 * The state of which a cell has most more than the median row; if only some states are asked for,
 * the one that differs most, which may be less.
 * @param {Split} split @param {Split} median @param {State[] | null} shown null = all
 * @returns {Difference}
 */
export function differenceOf(split, median, shown) {
  const over = (/** @type {State} */ state) => split[state] - median[state];
  const sizeOf = (/** @type {State} */ state) => (shown ? Math.abs(over(state)) : over(state));
  const among = shown ?? timeStates;
  const state = among.reduce(
    (most, other) => (sizeOf(other) > sizeOf(most) ? other : most),
    /** @type {State} */ (among[0]),
  );
  const { least, full } = differences;
  const strength = strengthOf(Math.min(sizeOf(state) / full, 1), least / full);
  return { state, strength, isMore: over(state) >= 0 };
}

// The window of time that is brushed: one for all strips, the panel and the table of phases.

export class ChosenWindow {
  constructor() {
    /** @type {TimeWindow | null} */
    this.window = null;
    /** @type {((window: TimeWindow | null) => void)[]} */
    this.listeners = [];
  }

  /** @param {(window: TimeWindow | null) => void} listener */
  onChange(listener) {
    this.listeners.push(listener);
  }

  /** @param {TimeWindow | null} window */
  set(window) {
    const is = this.window;
    if (is === window || (is && window && is.from === window.from && is.to === window.to)) return;
    this.window = window;
    for (const listener of this.listeners) listener(window);
  }

  /** The same one again: none. @param {TimeWindow} window */
  toggle(window) {
    this.set(this.isWindow(window) ? null : window);
  }

  /** @param {TimeWindow} window */
  isWindow({ from, to }) {
    return this.window?.from === from && this.window.to === to;
  }
}
