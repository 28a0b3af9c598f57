// The run over time, from the form in which render/html/data/html_data_time.cc stores it: shares of
// bins in bytes, a plane per state. A window of bins is added up here, nothing else is worked out.
import { secondsText } from "../format.js";
import { numbersOf, rowsOf } from "../tables/columns.js";
import { fromBase64, inflate } from "../unpack.js";
import { timeStates } from "./time_states.js";

/** @typedef {import("./time_states.js").State} State */
/** @typedef {import("../tables/columns.js").RawColumns} RawColumns */
/** @typedef {import("./time_states.js").Split} Split */
/** @typedef {{from: number, to: number}} TimeWindow bins; `to` is the first one behind it */
/**
 * @typedef {object} PhaseRow
 * @property {string} name
 * @property {string} source how the name was found
 * @property {number} from_s
 * @property {number} to_s
 * @property {number} share of the run, 0 to 1
 * @property {number} mpi_percent
 * @property {number} wait_s
 * @property {number | null} slowest_rank
 * @property {number} slowest_over its compute time / the median rank's
 * @property {string | null} place
 * @property {string | null} function
 * @property {"good" | "watch" | "problem"} state
 * @property {string | null} headline
 * @property {Split} split seconds, mean over ranks
 * @property {number} [nccl_s] likewise in collectives of NCCL; of it, waiting for the last rank:
 * @property {number} [nccl_wait_s]
 */
/** @typedef {{first: number, ranks: number, outlier: number | null, compute_s: number}} TimeRow */
/** @typedef {{place: string | null, function: string | null}} CallName */
/**
 * @typedef {{
 *   steps: number, place: string | null, first_s: number, last_s: number, mean_s: number
 * }} StepFacts
 */
/**
 * What rows of many ranks hide, in the form of the rows.
 * @typedef {object} RawDetails
 * @property {RawColumns} row_facts
 * @property {string} levels
 * @property {string} [calls]
 * @property {RawColumns} [call_names]
 * @property {RawColumns} hosts
 */
/**
 * @typedef {object} RawTime
 * @property {number} bin_s
 * @property {number} begin_s
 * @property {RawColumns} row_facts
 * @property {RawColumns} [hosts]
 * @property {string} levels
 * @property {string} mean
 * @property {string} [calls]
 * @property {RawColumns} [call_names]
 * @property {RawDetails | null} details
 * @property {RawColumns} bins
 * @property {RawColumns} phases
 * @property {StepFacts | null} steps
 * @property {{
 *   window_s: number, told: number, ranks: (number | null)[],
 *   causes: [words: string, isOfRank: boolean, costs: number[]][]
 * }} costs by window, as long as `window_s`; below the part `told` of a window they are not told
 * @property {string | null} headline
 * @property {string | null} drift
 * @property {number | null} clock_residual_s
 */

/** As the planes stand in the data; computing is the rest, and behind them is what is missing. */
const planes = timeStates.slice(1);
const wholeRow = 100;
const wholeMean = 10000;

/** @param {(state: State) => number} secondsOf @returns {Split} */
function splitBy(secondsOf) {
  const parts = timeStates.map((state) => [state, secondsOf(state)]);
  return /** @type {Split} */ (Object.fromEntries(parts));
}

const empty = splitBy(() => 0);

/** @returns {Split} */
function nothing() {
  return { ...empty };
}

/** @param {Split} split */
export function mpiOf(split) {
  return split.wait + split.transfer + split.io + split.mpi;
}

/** @param {Split} split */
export function sumOf(split) {
  return timeStates.reduce((sum, state) => sum + split[state], 0);
}

/** @param {RawColumns} raw @returns {PhaseRow[]} */
function phasesOf(raw) {
  return rowsOf(raw).map((row) => ({
    ...row,
    slowest_rank: row.slowest_rank ?? null,
    split: splitBy((state) => row[`${state}_split_s`]),
  }));
}

export class TimeData {
  /** @param {RawTime} raw @param {number} wallclock_s */
  constructor(raw, wallclock_s) {
    this.raw = raw;
    this.wallclock_s = wallclock_s;
    this.bin_s = raw.bin_s;
    this.begin_s = raw.begin_s;
    this.count = raw.bins.rows;
    /** @type {TimeRow[]} */
    this.rows = rowsOf(raw.row_facts).map((row) => ({ ...row, outlier: row.outlier ?? null }));
    /** Of details. @type {string[]} */
    this.hosts = raw.hosts ? rowsOf(raw.hosts).map(({ host }) => host) : [];
    this.phases = phasesOf(raw.phases);
    this.steps = raw.steps;
    this.stepSeconds = numbersOf(raw.bins, "step_s");
    /** @type {CallName[]} */
    this.callNames = raw.call_names ? rowsOf(raw.call_names) : [];
    this.callNumbers = raw.calls ? inflate(fromBase64(raw.calls)) : null;
    this.levels = inflate(fromBase64(raw.levels));
    const bytes = inflate(fromBase64(raw.mean));
    this.mean = Uint16Array.from(
      { length: bytes.length / 2 },
      (_, i) => (bytes[2 * i] ?? 0) + 256 * (bytes[2 * i + 1] ?? 0),
    );
    const end = this.timeOf(this.count);
    /** Of the last rank: in the last bin. */
    this.end_s = wallclock_s > end - this.bin_s && wallclock_s < end ? wallclock_s : end;
    this.isSingle = this.rows.every(({ ranks }) => ranks === 1);
    /** Ranks to look at, by what the report found. */
    this.slowRanks = new Set(
      this.phases.flatMap(({ state, slowest_rank }) =>
        state !== "problem" || slowest_rank === null ? [] : [slowest_rank],
      ),
    );
  }

  /** Seconds at which a bin begins. @param {number} bin */
  timeOf(bin) {
    return this.begin_s + bin * this.bin_s;
  }

  /** The bin that holds a moment, and how far it is in it. @param {number} seconds */
  binAt(seconds) {
    return (seconds - this.begin_s) / this.bin_s;
  }

  /** Shares of a bin, 0 to 1. @param {number} row @param {number} bin */
  shares(row, bin) {
    return this.splitOf(this.levels, this.rows.length, row, bin, wholeRow);
  }

  /** @param {number} bin */
  meanShares(bin) {
    return this.splitOf(this.mean, 1, 0, bin, wholeMean);
  }

  /**
   * @param {Uint8Array | Uint16Array} levels @param {number} rows @param {number} row
   * @param {number} bin @param {number} whole
   */
  splitOf(levels, rows, row, bin, whole) {
    const split = nothing();
    const plane = rows * this.count;
    const at = row * this.count + bin;
    let left = whole - (levels[planes.length * plane + at] ?? 0);
    planes.forEach((state, i) => {
      const level = levels[i * plane + at] ?? 0;
      split[state] = level / whole;
      left -= level;
    });
    split.compute = Math.max(left, 0) / whole;
    return split;
  }

  /**
   * The mean over some bins of a row; null = of all ranks.
   * @param {number | null} row @param {number} from @param {number} to
   */
  meanOver(row, from, to) {
    const sum = nothing();
    for (let bin = from; bin < to; bin++) {
      const split = row === null ? this.meanShares(bin) : this.shares(row, bin);
      for (const state of timeStates) sum[state] += split[state] / (to - from);
    }
    return sum;
  }

  /**
   * Seconds in a window.
   * @param {TimeWindow} window @param {number | null} [row] @returns {Split}
   */
  seconds({ from, to }, row = null) {
    const split = this.meanOver(row, from, to);
    for (const state of timeStates) split[state] *= (to - from) * this.bin_s;
    return split;
  }

  /** The row that shows a rank. @param {number} rank */
  rowOf(rank) {
    const behind = this.rows.findIndex(({ first }) => first > rank);
    return behind < 0 ? this.rows.length - 1 : behind - 1;
  }

  /** The rank that stands for a row. @param {number} row */
  rankOf(row) {
    const facts = this.rows[row];
    return facts ? (facts.outlier ?? facts.first) : 0;
  }

  /** The phase at a moment. @param {number} seconds */
  phaseAt(seconds) {
    return this.phases.find(({ from_s, to_s }) => seconds >= from_s && seconds < to_s) ?? null;
  }

  /** The phase that most of a window is in. @param {TimeWindow} window */
  phaseOf({ from, to }) {
    const begin = this.timeOf(from);
    const end = this.timeOf(to);
    /** @param {PhaseRow} phase */
    const common = (phase) => Math.min(phase.to_s, end) - Math.max(phase.from_s, begin);
    return this.phases.reduce(
      (most, phase) =>
        common(phase) > (most ? common(most) : 0) ? phase : most,
      /** @type {PhaseRow | null} */ (null),
    );
  }

  /** The phase that the window is, from begin to end: of a part of it its sentence may be wrong.
   * @param {TimeWindow} window */
  wholePhase({ from, to }) {
    const is = (/** @type {PhaseRow} */ phase) => {
      const whole = this.windowOf(phase);
      return whole.from === from && whole.to === to;
    };
    return this.phases.find(is) ?? null;
  }

  /** The bins of a phase, at least one. @param {PhaseRow} phase @returns {TimeWindow} */
  windowOf({ from_s, to_s }) {
    const from = Math.max(0, Math.min(Math.round(this.binAt(from_s)), this.count - 1));
    return { from, to: Math.max(from + 1, Math.min(Math.round(this.binAt(to_s)), this.count)) };
  }

  /** The call with most MPI time of a bin of a row. @param {number} row @param {number} bin */
  callOf(row, bin) {
    return this.callNames[(this.callNumbers?.[row * this.count + bin] ?? 0) - 1] ?? null;
  }

  /** Those of single ranks: a mean has no calls. */
  rowsWithCalls() {
    const rows = Array.from(this.rows.keys());
    const { callNumbers, count } = this;
    if (!callNumbers) return [];
    return rows.filter((row) =>
      callNumbers.subarray(row * count, (row + 1) * count).some((number) => number > 0),
    );
  }

  /**
   * Calls that took most of the MPI time of bins in a window, and the MPI time of these bins, of
   * the average row that has calls.
   * @param {TimeWindow} window
   */
  callsIn({ from, to }) {
    /** @type {Map<CallName, {mpi: number, wait: number, io: number}>} */
    const seconds = new Map();
    const rows = this.rowsWithCalls();
    rows.forEach((row) => {
      for (let bin = from; bin < to; bin++) {
        const name = this.callOf(row, bin);
        if (!name) continue;
        const split = this.shares(row, bin);
        const sum = seconds.get(name) ?? { mpi: 0, wait: 0, io: 0 };
        sum.mpi += (mpiOf(split) * this.bin_s) / rows.length;
        sum.wait += (split.wait * this.bin_s) / rows.length;
        sum.io += (split.io * this.bin_s) / rows.length;
        seconds.set(name, sum);
      }
    });
    return [...seconds].map(([name, sum]) => ({ ...name, ...sum })).sort((a, b) => b.mpi - a.mpi);
  }

  /**
   * The cause that costs most in a window, with its seconds; of windows in part, that part.
   * @param {TimeWindow} window @returns {string | null}
   */
  costIn({ from, to }) {
    const { window_s, told, ranks, causes } = this.raw.costs;
    const begin = this.timeOf(from);
    const end = this.timeOf(to);
    const parts = ranks.map((_, i) =>
      Math.max(0, Math.min(end, (i + 1) * window_s) - Math.max(begin, i * window_s)) / window_s,
    );
    const costs = causes.map(([words, isOfRank, seconds]) => {
      const own = seconds.map((value, i) => (parts[i] ?? 0) * value);
      const rank = isOfRank ? ranks[own.indexOf(Math.max(...own))] : null;
      const who = typeof rank === "number" ? `: rank ${rank} works longest` : "";
      return { seconds: own.reduce((sum, value) => sum + value, 0), words: words + who };
    });
    const most = costs.sort((a, b) => b.seconds - a.seconds)[0];
    if (!most || most.seconds < told * (end - begin)) return null;
    return `It would take ${secondsText(most.seconds)} less ${most.words}.`;
  }

  /** Steps of a window, and how long one takes. @param {TimeWindow} window */
  stepsIn({ from, to }) {
    let bins = 0;
    let steps = 0;
    for (let bin = from; bin < to; bin++) {
      const seconds = this.stepSeconds[bin] ?? NaN;
      if (!(seconds > 0)) continue;
      bins++;
      steps += this.bin_s / seconds;
    }
    return steps >= 1 ? { steps, seconds: (bins * this.bin_s) / steps } : null;
  }
}
