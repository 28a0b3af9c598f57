// The ranks as a table, and the tables behind the charts over ranks.
import { bytesText, countText, secondsText } from "../format.js";
import { numberColumn, rankColumn, textColumn } from "./table_columns.js";

/** @typedef {import("../charts/rank_axis.js").RankAxis} RankAxis */
/** @typedef {import("../report_data.js").RankRow} RankRow */
/**
 * @template R
 * @typedef {import("./table.js").TableSpec<R>} TableSpec
 */
/** @typedef {import("./table_columns.js").NumberText} NumberText */
/** @typedef {[string, string, NumberText]} RankFigure name in the data, title, text */

/** @type {RankFigure[]} */
const times = [
  ["compute_s", "Compute", secondsText],
  ["mpi_thread_s", "MPI", secondsText],
  ["wait_thread_s", "Waiting", secondsText],
  ["caused_wait_s", "Others waited", secondsText],
  ["wallclock_s", "Wallclock", secondsText],
  ["memory_bytes", "Memory", bytesText],
  ["sent_bytes", "Sent", bytesText],
  ["calls", "Calls", countText],
];

/** @type {RankFigure[]} */
const placement = [
  ["memory_bytes", "Peak", bytesText],
  ["shared_memory_bytes", "Shared", bytesText],
  ["init_memory_bytes", "By MPI_Init", bytesText],
  ["numa_other_bytes", "Other NUMA node", bytesText],
  ["numa_node", "NUMA node", countText],
  ["cpus_allowed", "CPUs allowed", countText],
  ["migrations", "Migrations", countText],
  ["minor_faults", "Minor faults", countText],
  ["major_faults", "Major faults", countText],
  ["voluntary_switches", "Voluntary switches", countText],
  ["involuntary_switches", "Involuntary switches", countText],
];

/** @param {RankAxis} axis @param {RankFigure[]} figures @returns {TableSpec<RankRow>} */
function ranksTable(axis, figures) {
  const { ranks: rows } = axis.data.lists;
  const { columns } = axis.data.raw.ranks;
  // What is 0 on all ranks says little.
  const known = figures.filter(([name]) => columns[name] !== undefined && columns[name] !== 0);
  /** @param {RankRow} row */
  const host = (row) => axis.data.host(row.host);
  return {
    caption: axis.bins ? "Slowest, fastest and named ranks" : "Ranks",
    rows,
    shown: figures === placement ? 8 : 16,
    sortBy: known[0]?.[1] ?? "Rank",
    filterText: (row) => `${row.rank} ${host(row)}`,
    rankOf: (row) => row.rank,
    columns: [
      rankColumn("Rank", "rank"),
      textColumn("Node", host, { priority: 2 }),
      ...known.map(([name, title, format], i) =>
        numberColumn(title, (/** @type {RankRow} */ row) => row[name], format, {
          priority: i > 4 ? 3 : i > 2 ? 2 : 0,
        }),
      ),
      ...(figures === placement && columns.cpu !== undefined
        ? [textColumn("CPU", (/** @type {RankRow} */ row) => row.cpu?.toString(), { priority: 3 })]
        : []),
    ],
  };
}

/** @param {RankAxis} axis */
export function timesTable(axis) {
  return ranksTable(axis, times);
}

/** @param {RankAxis} axis */
export function placementTable(axis) {
  return ranksTable(axis, placement);
}

/**
 * What a chart over ranks shows: a row per bar.
 * @param {RankAxis} axis @param {string} caption
 * @param {{name: string, values: Float64Array}[]} series @param {NumberText} format
 * @returns {TableSpec<number>}
 */
export function barsTable(axis, caption, series, format) {
  return {
    caption,
    rows: Array.from({ length: axis.count }, (_, bar) => bar),
    shown: 16,
    ascending: true,
    sortBy: "Rank",
    rankOf: (bar) => axis.first(bar),
    columns: [
      rankColumn("Rank", (/** @type {number} */ bar) => axis.first(bar)),
      ...(axis.bins
        ? [numberColumn("to", (/** @type {number} */ bar) => axis.first(bar + 1) - 1, String)]
        : []),
      textColumn("Node", (/** @type {number} */ bar) => axis.hostName(bar), { priority: 2 }),
      ...series.map(({ name, values }, i) =>
        numberColumn(name, (/** @type {number} */ bar) => values[bar], format, {
          priority: i > 2 ? 3 : 0,
        }),
      ),
    ],
  };
}
