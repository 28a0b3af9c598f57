// How a cell of the map differs from the median row of the same bin. Where all ranks do the same,
// nothing is to be seen then, and the one rank that does something else is. The strip of the
// average rank above the map says what all do. The map, its lens and its tooltips ask here; colours
// are in state_colours.js.
import { medianOf } from "../tables/columns.js";
import { strengthOf, timeStates } from "./time_states.js";

/** @typedef {import("./time_data.js").TimeData} TimeData */
/** @typedef {import("./time_states.js").State} State */
/** @typedef {import("./time_states.js").Split} Split */
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
