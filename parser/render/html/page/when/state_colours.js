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
 * A colour between ground and state.
 * @param {Uint8ClampedArray} colours @param {number} strength
 */
export function mixedColour(colours, strength) {
  const i = 3 * Math.round(100 * strength);
  return `rgb(${colours[i]},${colours[i + 1]},${colours[i + 2]})`;
}
