// The data that render/html_data.cc put into the page, and its types. The names are those of the JSON
// report (share/doc/report-json.md), which explains them; what a profile lacks is null or missing.
import { rowsOf } from "./columns.js";
import { byId } from "./dom.js";

/** @typedef {import("./columns.js").RawColumns} RawColumns */
/** @typedef {number | null | undefined} Maybe */
/** @typedef {string | null | undefined} Text */

/** @typedef {{function: string, family: number, calls: number, bytes: number, time_s: number, max_s: Maybe, wait_s: Maybe, mpi_percent: number, wall_percent: number, max_over_mean: number, max_rank: number}} FunctionRow */
/** @typedef {{function: number, bin: number, calls: number, bytes: number, time_s: number}} SizeRow function: row of functions; bin: sizes from 2^(bin-1) on, 0 = none, -1 = not known */
/** @typedef {Record<string, Maybe> & {rank: number, host: number, compute_s: number, mpi_s: number, cpu?: any}} RankRow host: number in hosts; f0 ... times in functions, c0 ... counters, m0 ... metrics */
/** @typedef {{rank: number, host: Text, caused_wait_s: number, last_percent: number, over_mean: number, place: Text, segment: Text, reason: Text}} CauseRow */
/** @typedef {{function: string, site: number, calls: number, bytes: number, time_s: number, ranks: number, mean_s: number, min_s: number, max_s: number, min_rank: number, max_rank: number, mpi_percent: number, wait_s: Maybe, size: Maybe, region: Text, communicator: Text, completions: number, completion_s: number, span_s: number, overlapped_s: number, last_rank: Maybe, last_percent: Maybe, caused_wait_s: Maybe, top_partner: Maybe, top_partner_s: Maybe, path_cut: boolean, path: number[]}} CallsiteRow site, path: rows of frames */
/** @typedef {{place: Text, symbol: Text, file: number, module: number, offset: string, inlined: boolean}} FrameRow file, module: numbers in texts */
/** @typedef {{from_function: Text, to_function: Text, from: number, to: number, count: number, mean_s: number, max_s: number, max_rank: number}} SegmentRow */
/** @typedef {{region: Text, visits: number, time_s: number, compute_s: number, mpi_s: number, wait_s: Maybe, load_balance: number, max_rank: number}} RegionRow */
/** @typedef {{name: Text, kind: Text, size: number, remote_size: number, made_by: Text, made_at: Text, created: number, calls: number, bytes: number, time_s: number, wait_s: Maybe}} CommunicatorRow */
/** @typedef {{distance: number, pairs: number, messages: number, bytes: number}} DistanceRow */
/** @typedef {{locality: Text, low_bytes: number, high_bytes: number, messages: number, observed_s: number, possible_s: number, source: Text}} TransferRow */
/** @typedef {Record<string, any> & {host: Text, first_rank: number, ranks: number, compute_s: number, slowest_rank: Maybe, facts: number}} NodeRow m0 ...: means of metrics */
/** @typedef {{unit: Text, mean: number, min: number, max: number, min_rank: number, max_rank: number}} Spread */
/** @typedef {Spread & {counter: string, source: Text, multiplexed: boolean, total: number, in_mpi: number, outside_mpi: number}} CounterRow */
/** @typedef {Spread & {metric: string, formula: Text, value: number}} MetricRow */
/** @typedef {{world: number, ranks: number, command: Text, wallclock_s: number, comm_percent: number, end: Text, remark: Text}} WorldRow */
/** @typedef {{ranks: number, where: string, first_rank: Maybe, state: Text, function: Text, place: Text, communicator: Text, peer: Maybe, longest_s: number}} StandingRow ranks that have not ended and stand at the same place */
/** @typedef {{low: number, high: number, cells: string} | null} GridFigure */
/** @typedef {{source: number, destination: number, bytes: number, messages: number}} Pair */
/**
 * @typedef {object} RawMatrix
 * @property {"pairs" | "grid"} form
 * @property {number} side
 * @property {number} pairs
 * @property {number[]} [starts]
 * @property {number[]} [destinations]
 * @property {number[]} [values]
 * @property {number[] | GridFigure} [messages]
 * @property {number[] | GridFigure} [bytes]
 * @property {number[] | GridFigure} [times]
 * @property {number} [cells_per_side]
 * @property {string} [gaps]
 * @property {Record<string, number>} [totals]
 * @property {RawColumns} [top]
 */
/** @typedef {{program: string, command: Text, start_text: Text, stop_text: Text, wallclock_s: number, nodes: number, host: Text, mpi_library: Text, mpi_abi: Text, end: Text, run_id: Text, world: number, texts: Record<string, string>}} RunFacts */
/** @typedef {{ranks_expected: number, ranks_read: number, missing_ranks: [number, number][], dropped_percent: number, overhead_s: number, overhead_percent: number, clock_resolution_s: number, wait_source: Text, remarks: string[]}} Quality */
/**
 * As it is in the page, as far as it is used.
 * @typedef {object} RawReport
 * @property {RunFacts} run
 * @property {Record<string, Maybe>} totals
 * @property {Quality} quality
 * @property {RawColumns} ranks
 * @property {RawColumns | null} bins
 * @property {RawColumns | null} quantiles
 * @property {RawColumns & {paths: number[][], other?: Record<string, number>}} callsites
 * @property {RawColumns & {headline: Text, ended: Text}} standing
 * @property {RawMatrix | null} matrix
 * @property {string[]} partner_remarks
 * @property {RawMatrix | null} node_matrix
 * @property {RawColumns & {all: number, facts: Text[]}} nodes
 * @property {Text[]} hosts
 * @property {RawColumns & {texts: Text[]}} frames
 * @property {{load_balance: [number, number], overhead_percent: number, dropped_percent: number}} limits
 */
/**
 * @typedef {object} Lists
 * @property {FunctionRow[]} functions
 * @property {SizeRow[]} sizes
 * @property {RankRow[]} ranks all of them, or when there are too many the extreme and named ones
 * @property {CauseRow[]} causes
 * @property {CallsiteRow[]} callsites
 * @property {SegmentRow[]} segments
 * @property {RegionRow[]} regions
 * @property {CommunicatorRow[]} communicators
 * @property {DistanceRow[]} distances
 * @property {TransferRow[]} transfers
 * @property {NodeRow[]} nodes
 * @property {CounterRow[]} counters
 * @property {MetricRow[]} metrics
 * @property {WorldRow[]} worlds
 * @property {StandingRow[]} standing
 * @property {FrameRow[]} frames
 */

/** The lists among these, by rows. @param {Record<string, any>} raw */
function listsOf(raw) {
  return Object.fromEntries(Object.entries(raw).filter(([, value]) => typeof value?.rows === "number").map(([name, value]) => [name, rowsOf(value)]));
}

export class ReportData {
  /** @param {RawReport} raw */
  constructor(raw) {
    this.raw = raw;
    this.run = raw.run;
    this.totals = raw.totals;
    this.quality = raw.quality;
    this.lists = /** @type {Lists} */ (/** @type {unknown} */ (listsOf({ ...raw, bins: null })));
    this.lists.callsites.forEach((row, i) => (row.path = raw.callsites.paths[i] ?? []));
    /** So many functions have times per rank; the others are added up. */
    this.shownFunctions = Object.keys(raw.ranks.columns).filter((name) => /^f\d/.test(name)).length;
    this.hasWaiting = typeof raw.totals.wait_s === "number";
  }

  /** @param {Maybe} number */
  host(number) {
    return this.raw.hosts[number ?? -1] ?? "";
  }

  /** On average over the ranks that were read. @param {Maybe} sum */
  perRank(sum) {
    return sum === null || sum === undefined ? null : sum / Math.max(this.quality.ranks_read, 1);
  }

  /** The whole report as far as the page has it, with a row per object as in mprof report --json. */
  exported() {
    return { ...this.raw, ...listsOf(this.raw), ...this.lists };
  }
}

export function readReport() {
  return new ReportData(JSON.parse(byId("data").textContent ?? ""));
}
