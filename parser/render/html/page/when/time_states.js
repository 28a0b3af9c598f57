// The states of a rank's time: their words, and which of them a cell of the map shows how strongly.
// Their colours are in state_colours.js.

/** @typedef {"compute" | "contend" | "blocked" | "wait" | "transfer" | "io" | "mpi"} State */
/** @typedef {Record<State, number>} Split shares, or seconds */
/** @typedef {{state: State, strength: number}} Strongest */

/** From the bottom of a stack upwards, as in the head of the page. @type {State[]} */
export const timeStates = ["compute", "contend", "blocked", "wait", "transfer", "io", "mpi"];

/** @type {Record<State, string>} */
export const stateNames = {
  compute: "compute",
  contend: "off CPU: waiting for one",
  blocked: "off CPU: blocked",
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
  wait: "waiting",
  transfer: "transfer",
  io: "MPI I/O",
  mpi: "start-up",
};

/** Text on an area of this state. @param {State} state */
export function textOn(state) {
  if (state === "contend") return "--on-wait";
  if (state === "blocked") return "--on-blocked";
  return state === "io" ? "--on-transfer" : `--on-${state}`;
}

/** @param {State} state */
export function isOffCpu(state) {
  return state === "contend" || state === "blocked";
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
