// What the page of mprof scale draws, as render_scale_html.cc wrote it, and the size that pointer
// or keyboard are at: it is marked in all charts and tables of the page.
import { rowsOf } from "../tables/columns.js";
import { unpacked } from "../unpack.js";

/** @typedef {[value: number, low: number, high: number]} Projected */
/** @typedef {import("../report_types.js").ScaleFields} ScaleFields */
/**
 * @typedef {ScaleFields["sizes"] & {low: number, high: number}} SizeRow low and high: efficiency of
 *   its worst and best run
 */
/** @typedef {ScaleFields["runs"]} ScaledRun */
/**
 * @typedef {{
 *   name: string, isProduct: boolean, isEstimate: boolean, values: (number | null)[]
 * }} FactorRow
 */
/** @typedef {{name: string, gain_s: number[]}} AccountGrowth seconds by size */
/**
 * @typedef {{
 *   kind: "call line" | "compute" | "function" | "phase" | "NCCL", what: string,
 *   place: string | null,
 *   function: string | null, functionKind: number, state: "good" | "watch" | "problem",
 *   law: {text: string, error?: number}, meaning: string | null, time_s: number[],
 *   fitted_s?: number[], projected_s?: Projected[], share: number
 * }} GrowthRow
 */
/** @typedef {{ranks: number, wallclock_s: Projected, speedup: Projected}} ProjectedSize */

export class ScaleData {
  /** @param {any} raw */
  constructor(raw) {
    this.isStrong = raw.kind === "strong";
    /** An efficiency below it is not worth its cores. @type {number} */
    this.worth = raw.worth;
    /** The first size below that. @type {number | null} */
    this.firstBad = raw.firstBad;
    this.runs = /** @type {ScaledRun[]} */ (rowsOf(raw.runs));
    this.sizes = /** @type {SizeRow[]} */ (rowsOf(raw.sizes));
    for (const size of this.sizes) {
      const all = this.runs.filter((run) => run.ranks === size.ranks);
      size.low = Math.min(...all.map((run) => run.efficiency));
      size.high = Math.max(...all.map((run) => run.efficiency));
    }
    this.factors = /** @type {FactorRow[]} */ (raw.factors);
    this.accounts = /** @type {AccountGrowth[]} */ (raw.accounts);
    this.growth = /** @type {GrowthRow[]} */ (raw.growth);
    this.projected = /** @type {ProjectedSize[]} */ (raw.projected);
    /** Why nothing is projected. @type {string | null} */
    this.ahead = raw.ahead ?? null;
    this.memory = /** @type {string | null} */ (raw.memory);
    this.remarks = /** @type {string[]} */ (raw.remarks);
  }

  get first() {
    return /** @type {SizeRow} */ (this.sizes[0]);
  }

  get last() {
    return /** @type {SizeRow} */ (this.sizes.at(-1));
  }

  /** The largest number of ranks that charts go to. */
  get furthest() {
    return this.projected.at(-1)?.ranks ?? this.last.ranks;
  }

  /** Four sizes that tell most, for a narrow screen: numbers of them. @returns {number[]} */
  fewSizes() {
    const end = this.sizes.length - 1;
    const bad = this.firstBad ?? Math.max(Math.round((2 * end) / 3), 1);
    const few = [0, bad - 1, bad, end];
    for (let i = end - 1; new Set(few).size < Math.min(4, end + 1); i--) few.push(i);
    return [...new Set(few)].sort((a, b) => a - b);
  }
}

export function readScale() {
  return new ScaleData(JSON.parse(unpacked("data")));
}

/** 1,024 @param {number} ranks */
export function ranksText(ranks) {
  return Math.round(ranks).toLocaleString("en");
}

/** "1 rank", "1,024 ranks" @param {number} ranks */
export function ranksWords(ranks) {
  return `${ranksText(ranks)} ${ranks === 1 ? "rank" : "ranks"}`;
}

/** Marks what has this data-size. @param {number | null} size */
export function markSize(size) {
  for (const node of document.querySelectorAll("[data-size]"))
    node.classList.toggle("at", node.getAttribute("data-size") === String(size));
}
