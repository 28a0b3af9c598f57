// The colours of states, and those between the ground of a map and a state.
import { channels } from "../charts/palette.js";
import { colour } from "../theme.js";
import { mixedColours } from "./oklab.js";
import { timeStates } from "./time_states.js";

/** @typedef {import("./time_states.js").State} State */

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
