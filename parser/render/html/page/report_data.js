// The data that render/html/data/html_data.cc put into the page, and its types. The names are those
// of the JSON report (report-json.md), which explains them; what a profile lacks is null
// or missing. Fields of the Report have their types in report_types.d.ts.
import { rowsOf } from "./tables/columns.js";
import { unpacked } from "./unpack.js";

/** @typedef {import("./tables/columns.js").RawColumns} RawColumns */
/** @typedef {number | null | undefined} Maybe */
/** @typedef {string | null | undefined} Text */

/** @typedef {import("./report_types.js").Fields["functions"] & {kind: number}} FunctionRow */
/**
 * @typedef {{
 *   function: number, bin: number, calls: number, bytes: number, time_s: number
 * }} SizeRow function: row of functions; bin: sizes from 2^(bin-1) on, 0 = none, -1 = not known
 */
/**
 * @typedef {Record<string, Maybe>
 *   & Omit<import("./report_types.js").Fields["ranks"], "complete">
 *   & {host: number, cpu?: any}
 * } RankRow host: number in hosts; f0 ... times in functions, c0 ... counters, m0 ... metrics
 */
/** @typedef {import("./report_types.js").Fields["accounts"]} AccountRow */
/** @typedef {import("./report_types.js").Fields["causes"]} CauseRow */
/**
 * @typedef {import("./report_types.js").Fields["callsites"]
 *   & {site: number, path: number[]}} CallsiteRow site, path: rows of frames
 */
/**
 * @typedef {{
 *   place: Text, words: Text, symbol: Text, file: number, module: number, offset: string,
 *   line: Maybe, inlined: boolean
 * }} FrameRow file, module: numbers in texts; words: as sentences call it, if not by its place
 */
/**
 * @typedef {import("./report_types.js").Fields["segments"]
 *   & {from_function: Text, to_function: Text, from: number, to: number}} SegmentRow
 */
/**
 * @typedef {import("./report_types.js").Fields["hotspots"] & {site: number}} HotSpotRow
 *   site: number in frames
 */
/** @typedef {import("./report_types.js").Fields["hot_lines"] & {site: number}} HotPlaceRow */
/** @typedef {import("./report_types.js").Fields["files"]} FileRow */
/** @typedef {import("./report_types.js").Fields["plain_files"]} PlainFileRow */
/** @typedef {import("./report_types.js").Fields["parallel_regions"]} ParallelRow */
/** @typedef {import("./report_types.js").Fields["gpu_sites"]} GpuSiteRow */
/** @typedef {import("./report_types.js").Fields["gpu_buffers"]} GpuBufferRow */
/** @typedef {import("./report_types.js").Fields["gpu_work"]} GpuWorkRow */
/** @typedef {import("./report_types.js").Fields["nccl_communicators"]} NcclCommRow */
/** @typedef {import("./report_types.js").Fields["nccl_calls"]} NcclCallRow */
/** @typedef {import("./report_types.js").Fields["regions"]} RegionRow */
/** @typedef {import("./report_types.js").Fields["communicators"]} CommunicatorRow */
/** @typedef {import("./report_types.js").Fields["distances"]} DistanceRow */
/** @typedef {import("./report_types.js").Fields["transfers"]} TransferRow */
/** @typedef {import("./report_types.js").Fields["machine_times"]} MachineTimeRow */
/** @typedef {import("./report_types.js").Fields["eager_limits"]} EagerLimitRow */
/** @typedef {import("./report_types.js").Fields["touch_rules"]} TouchRow */
/**
 * @typedef {Record<string, any> & import("./report_types.js").Fields["nodes"]
 *   & {slowest_rank: Maybe, facts: number}} NodeRow m0 ...: means of metrics
 */
/**
 * @typedef {{
 *   unit: Text, mean: number, min: number, max: number, min_rank: number, max_rank: number,
 *   evenness: string
 * }} Spread
 */
/** @typedef {import("./report_types.js").Fields["counters"]} CounterRow */
/** @typedef {import("./report_types.js").Fields["metrics"]} MetricRow */
/** @typedef {import("./report_types.js").Fields["worlds"]} WorldRow */
/** @typedef {import("./report_types.js").Fields["lints"]} LintRow */
/** @typedef {import("./report_types.js").Fields["bindings"]} BindingRow */
/** @typedef {import("./report_types.js").Fields["programs"]} ProgramRow */
/** @typedef {import("./report_types.js").Fields["program_waits"]} ProgramWait */
/**
 * @typedef {import("./report_types.js").Fields["standing"]
 *   & {where: string, first_rank: Maybe}
 * } StandingRow ranks that have not ended and stand at the same place
 */
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
/**
 * @typedef {import("./report_types.js").Fields["run"]
 *   & {program: string, start_text: Text, stop_text: Text, texts: Record<string, string>}} RunFacts
 */
/**
 * @typedef {{
 *   ranks_expected: number, ranks_read: number, missing_ranks: [number, number][],
 *   dropped_percent: number, overhead: string,
 *   clock_resolution_s: number, wait_source: Text, checks: Record<string, [string, string]>,
 *   remarks: string[]
 * }} Quality checks: state and badge, by name
 */
/**
 * As it is in the page, as far as it is used.
 * @typedef {object} RawReport
 * @property {RunFacts} run
 * @property {import("./report_types.js").Fields["totals"]} totals
 * @property {import("./report_types.js").Fields["openmp"]} openmp
 * @property {Quality} quality
 * @property {{
 *   file: Text, mpi_library: Text, ranks: number, nodes: number, sentences: string[],
 *   remarks: string[]
 * }} machine
 * @property {RawColumns & {order: Text}} accounts
 * @property {RawColumns} ranks
 * @property {RawColumns | null} bins
 * @property {RawColumns | null} quantiles
 * @property {RawColumns & {paths: number[][], other?: Record<string, number>}} callsites
 * @property {RawColumns & {headline: Text, ended: Text}} standing
 * @property {RawMatrix | null} matrix
 * @property {string[]} partner_remarks
 * @property {RawMatrix | null} node_matrix
 * @property {RawMatrix} [nccl_matrix] of messages of NCCL
 * @property {RawColumns & {
 *   all: number, facts: Text[], far_percent: number,
 *   figures: Record<
 *     string, [median: number | null, standOut: number, slower: Record<number, number>]
 *   >
 * }} nodes figures: slower: percent by row, of nodes that differ
 * @property {import("./when/time_data.js").RawTime | null} time
 * @property {Text[]} hosts
 * @property {RawColumns & {texts: Text[]}} frames
 * @property {(RawColumns & {names: string[]}) | null} flame
 * @property {import("./source_lines.js").SourceFile[] | null} sources null: without --sources
 */
/**
 * @typedef {object} Lists
 * @property {FunctionRow[]} functions of MPI, then those of NCCL
 * @property {SizeRow[]} sizes
 * @property {RankRow[]} ranks all of them, or when there are too many the extreme and named ones
 * @property {AccountRow[]} accounts
 * @property {CauseRow[]} causes
 * @property {CallsiteRow[]} callsites
 * @property {SegmentRow[]} segments
 * @property {HotSpotRow[]} hotspots
 * @property {HotPlaceRow[]} hot_lines
 * @property {HotPlaceRow[]} hot_libraries
 * @property {FileRow[]} files
 * @property {PlainFileRow[]} plain_files
 * @property {ParallelRow[]} parallel_regions
 * @property {GpuSiteRow[]} gpu_sites
 * @property {GpuBufferRow[]} gpu_buffers
 * @property {GpuWorkRow[]} gpu_work
 * @property {NcclCommRow[]} nccl_communicators
 * @property {NcclCallRow[]} nccl_calls
 * @property {RegionRow[]} regions
 * @property {CommunicatorRow[]} communicators
 * @property {DistanceRow[]} distances
 * @property {TransferRow[]} transfers
 * @property {MachineTimeRow[]} machine_times
 * @property {EagerLimitRow[]} eager_limits
 * @property {TouchRow[]} touch_rules
 * @property {NodeRow[]} nodes
 * @property {CounterRow[]} counters
 * @property {MetricRow[]} metrics
 * @property {WorldRow[]} worlds
 * @property {ProgramRow[]} programs empty if all ranks run the same one
 * @property {ProgramWait[]} program_waits
 * @property {LintRow[]} lints
 * @property {BindingRow[]} bindings
 * @property {StandingRow[]} standing
 * @property {FrameRow[]} frames
 * @property {import("./flame/flame_data.js").FlameRow[]} flame
 */

/** The lists among these, by rows. @param {Record<string, any>} raw */
function listsOf(raw) {
  return Object.fromEntries(
    Object.entries(raw)
      .filter(([, value]) => typeof value?.rows === "number")
      .map(([name, value]) => [name, rowsOf(value)]),
  );
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

  /** What sentences and tables call a frame alike. @param {Maybe} number @returns {Text} */
  placeName(number) {
    const frame = this.lists.frames[number ?? -1];
    return frame?.words ?? frame?.place;
  }

  /** Time in the row's calls, of the average rank. @param {{mpi_thread_s: number}} row */
  timePerRank(row) {
    return this.perRank(row.mpi_thread_s);
  }

  /**
   * Of that, waiting: the part that it is of all threads' time.
   * @param {{time_s: number, mpi_thread_s: number, wait_s?: number | null}} row
   */
  waitPerRank({ time_s, mpi_thread_s, wait_s }) {
    if (typeof wait_s !== "number") return null;
    return this.perRank(time_s > 0 ? (wait_s * mpi_thread_s) / time_s : 0);
  }

  /** On average over the ranks that were read. @param {Maybe} sum */
  perRank(sum) {
    return sum === null || sum === undefined ? null : sum / Math.max(this.quality.ranks_read, 1);
  }
}

export function readReport() {
  return new ReportData(JSON.parse(unpacked("data")));
}
