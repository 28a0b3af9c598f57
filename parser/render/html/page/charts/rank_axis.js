// The ranks as charts show them, from left to right: one bar per rank, or per bin of contiguous
// ranks when there are too many. A figure of a rank that was not read is NaN.
import { rankStep } from "./scales.js";
import { numbersOf } from "../tables/columns.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */
/**
 * What bars need of an axis.
 * @typedef {object} Axis
 * @property {number} count of bars
 * @property {string} title
 * @property {(bar: number) => number} first what the bar begins with: a rank
 * @property {(rank: number) => number} barOf
 * @property {(bar: number) => number | null} rankOf what a click pins
 * @property {(bar: number) => number | null} host its number
 * @property {boolean} [isGrouped] whether bars are means of ranks
 * @property {(at: number) => string} tick
 * @property {(span: number, count: number) => number} step between ticks
 */

/** @implements {Axis} */
export class RankAxis {
  title = "rank";
  step = rankStep;

  /** @param {ReportData} data */
  constructor(data) {
    this.data = data;
    this.ranks = data.quality.ranks_expected;
    this.bins = data.raw.bins;
    this.count = this.bins?.rows ?? this.ranks;
    this.isGrouped = this.bins !== null;
    /** What is known of single ranks. */
    this.rows = new Map(data.lists.ranks.map((row) => [row.rank, row]));
    this.firsts = this.bins && numbersOf(this.bins, "first");
    this.hosts = this.bins && numbersOf(this.bins, "host");
    /** @type {Map<string, Float64Array>} */
    this.columns = new Map();
  }

  /** @param {number} bar */
  first(bar) {
    return this.firsts ? (this.firsts[bar] ?? this.ranks) : bar;
  }

  /** @param {number} bar */
  rankOf(bar) {
    return this.first(bar);
  }

  /** @param {number} rank */
  barOf(rank) {
    return this.bins ? Math.floor((rank * this.count) / this.ranks) : rank;
  }

  /** @param {number} bar */
  label(bar) {
    const first = this.first(bar);
    const last = this.first(bar + 1) - 1;
    return first >= last ? `Rank ${first}` : `Ranks ${first}–${last}`;
  }

  /** @param {number} rank */
  tick(rank) {
    return String(rank);
  }

  /** @param {number} bar */
  host(bar) {
    return (this.hosts ? this.hosts[bar] : this.rows.get(bar)?.host) ?? null;
  }

  /** @param {number} bar */
  hostName(bar) {
    return this.data.host(this.host(bar));
  }

  /** @param {string} name */
  has(name) {
    return (this.bins ?? this.data.raw.ranks).columns[name] !== undefined;
  }

  /**
   * One value per bar: of the rank, or the mean of its ranks.
   * @param {string} name "compute_s", "wait_s.max"
   */
  values(name) {
    let values = this.columns.get(name);
    if (!values) {
      values = this.bins
        ? numbersOf(this.bins, name)
        : Float64Array.from(
            { length: this.count },
            (_, rank) => this.rows.get(rank)?.[name] ?? NaN,
          );
      this.columns.set(name, values);
    }
    return values;
  }

  /** Of a rank that the page knows by itself, also where its bar is a bin. @param {string} name */
  known(name) {
    return (/** @type {number} */ rank) => this.rows.get(rank)?.[name] ?? NaN;
  }

  /** The largest of each bin; null where each rank has its bar. @param {string} name */
  envelope(name) {
    return this.bins ? this.values(`${name}.max`) : null;
  }
}

/**
 * An axis of something else than ranks, for the same charts.
 * @param {string} title @param {number} count @param {(bar: number) => string} tick
 * @param {(span: number, count: number) => number} [step]
 * @returns {Axis}
 */
export function plainAxis(title, count, tick, step = rankStep) {
  return {
    title,
    count,
    tick,
    step,
    first: (bar) => bar,
    barOf: () => -1,
    rankOf: () => null,
    host: () => null,
  };
}

/** @param {Float64Array} values */
function knownOf(values) {
  return values.filter((value) => !Number.isNaN(value));
}

/** @param {Float64Array} values @returns {number} of those that are known */
export function mean(values) {
  const known = knownOf(values);
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** @param {Float64Array} values Largest of those that are known, at least 0. */
export function largest(values) {
  return knownOf(values).reduce((most, value) => Math.max(most, value), 0);
}
