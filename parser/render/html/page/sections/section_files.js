// Which file? Those that the program opened with MPI, and those that it reads or writes itself.
import { element } from "../dom.js";
import {
  bytesText,
  countText,
  figureText,
  percentText,
  plural,
  rankSecondsText,
  secondsText,
} from "../format.js";
import { absentSection, factList, section, tableWithTools } from "../panel.js";
import { largestOf } from "../tables/columns.js";
import {
  barCell,
  barColumn,
  numberColumn,
  rankCell,
  rankColumn,
  textColumn,
} from "../tables/table_columns.js";
import { isFileCall } from "../theme.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("../report_data.js").FileRow} FileRow */
/** @typedef {import("../report_data.js").PlainFileRow} PlainFileRow */

/** @param {FileRow} row */
function fileCell(row) {
  return element(
    "span",
    {},
    element("code", {}, row.name),
    row.files > 1 && element("span.muted", {}, ` × ${countText(row.files)}`),
  );
}

/** @param {number | null | undefined} rate bytes per second */
function megabytesText(rate) {
  return figureText(typeof rate === "number" ? rate / 1e6 : rate);
}

/** @param {string | null | undefined} place @param {number} count @param {number} seconds */
function howOften(place, count, seconds) {
  const time = rankSecondsText(seconds);
  return count > 0 && `${countText(count)}, ${time}${place ? `, at ${place}` : ""}`;
}

/** @param {FileRow} row */
function fileDetails(row) {
  const calls = row.read_calls + row.write_calls;
  return factList({
    Ranks:
      `${plural(row.ranks, "rank")} opened it, ` +
      (row.communicator_size === 1
        ? "each alone"
        : `on a communicator of ${plural(row.communicator_size, "rank")}`),
    Opened: howOften(row.open_place, row.opens, row.open_s),
    Reads: howOften(null, row.read_calls, row.read_s),
    Writes: howOften(null, row.write_calls, row.write_s),
    "First at": row.move_place,
    Sizes:
      calls > 0 &&
      `mean ${bytesText(row.mean_bytes)}, least ${bytesText(row.min_bytes)}, ` +
        `most ${bytesText(row.max_bytes)}`,
    "One rank":
      typeof row.rank_rate_bytes_per_s === "number" &&
      `${megabytesText(row.rank_rate_bytes_per_s)} MB/s while it reads or writes`,
    Slowest: typeof row.slowest_rank === "number" && rankCell(row.slowest_rank),
    Synced: howOften(row.sync_place, row.syncs, row.sync_s),
    "Other calls": howOften(null, row.other_calls, row.other_s),
  });
}

/** @param {ReportData} data @returns {import("../tables/table.js").TableSpec<FileRow>} */
export function filesTable(data) {
  const { files: rows } = data.lists;
  /** @param {FileRow} row */
  const time = (row) => data.perRank(row.time_s);
  const whole = largestOf(rows, time);
  return {
    caption: "Files",
    rows,
    shown: 10,
    sortBy: "Time per rank",
    columns: [
      textColumn("File", "name", { show: fileCell }),
      textColumn("How", "mode", { priority: 3 }),
      numberColumn("Ranks", "ranks", countText, { priority: 2 }),
      numberColumn("Time per rank", time, secondsText),
      barColumn("Share", time, (row) => barCell([{ value: time(row) ?? 0, kind: "io" }], whole), {
        priority: 2,
      }),
      numberColumn("Read", (row) => (row.read_calls > 0 ? row.read_bytes : null), bytesText),
      numberColumn("Written", (row) => (row.write_calls > 0 ? row.written_bytes : null), bytesText),
      numberColumn("MB/s", (row) => (row.rate_bytes_per_s ?? NaN) / 1e6, figureText, {
        hint: "of all ranks together, by the time of the rank that reads and writes longest",
      }),
      numberColumn("Calls", (row) => row.read_calls + row.write_calls, countText, { priority: 2 }),
      numberColumn("Mean size", "mean_bytes", bytesText, { priority: 2 }),
      numberColumn("Collective", "collective_percent", percentText, { priority: 3 }),
      numberColumn("Opens", "opens", countText, { priority: 3 }),
      numberColumn("Syncs", "syncs", countText, { priority: 3 }),
      rankColumn("Slowest", "slowest_rank", { priority: 3 }),
    ],
    filterText: (row) => [row.name, row.mode].join(" "),
    details: fileDetails,
  };
}

/** @param {PlainFileRow} row */
function plainFileCell(row) {
  if (!row.name) return element("span.muted", {}, "not known");
  return element(
    "span",
    {},
    element("code", {}, row.name),
    row.files > 1 && element("span.muted", {}, ` × ${countText(row.files)}`),
  );
}

/** @param {ReportData} data @returns {import("../tables/table.js").TableSpec<PlainFileRow>} */
export function plainFilesTable(data) {
  /** @param {PlainFileRow} row */
  const calls = (row) => row.read_calls + row.write_calls;
  return {
    caption: "Without MPI-IO",
    rows: data.lists.plain_files,
    shown: 10,
    sortBy: "Read",
    columns: [
      textColumn("File", "name", { show: plainFileCell }),
      textColumn("How", "mode", { priority: 3 }),
      numberColumn("Ranks", "ranks", countText, { priority: 2 }),
      numberColumn("Read", "read_bytes", bytesText),
      numberColumn("Written", "written_bytes", bytesText),
      numberColumn("MB/s", (row) => (row.rate_bytes_per_s ?? NaN) / 1e6, figureText, {
        hint: "of all ranks together, by the time in which its bytes moved on the busiest rank",
      }),
      numberColumn("Calls", calls, countText, { priority: 2 }),
      numberColumn("Mean size", "mean_bytes", bytesText, { priority: 2 }),
      numberColumn("Likely", (row) => row.likely_bytes || null, bytesText, {
        priority: 3,
        hint: "bytes that moved no file position, or moved before the file was seen open",
      }),
      rankColumn("Most on", "most_rank", { priority: 3 }),
    ],
    filterText: (row) => [row.name, row.mode].join(" "),
  };
}

/**
 * Why there are no rows. Calls for files without a file that is known: a file may have been opened
 * while recording was paused, or its record is missing.
 * @param {ReportData} data
 */
export function noFiles(data) {
  const calls = data.lists.functions.filter((row) => isFileCall(row.function) && row.calls > 0);
  if (calls.length === 0) return "The program opens no file with MPI.";
  const [most] = calls.sort((a, b) => b.bytes - a.bytes);
  const bytes = calls.reduce((sum, row) => sum + row.bytes, 0);
  const others = calls.length > 1 ? ` and ${plural(calls.length - 1, "other call")}` : "";
  return (
    `${most?.function}${others} moved ${bytesText(bytes)}, ` +
    "but the profile does not say in which files."
  );
}

/** @param {ReportData} data */
export function filesSection(data) {
  const question = "Which file?";
  const { files, plain_files } = data.lists;
  if (files.length === 0 && plain_files.length === 0)
    return absentSection("files", question, noFiles(data));
  return section(
    {
      id: "files",
      title: "Files",
      question,
      long: true,
      hint:
        "A row per file that the program opens with MPI, and how; unfold it for its places. " +
        "Below: files that it reads or writes itself, as far as positions of open files show.",
    },
    ...[
      files.length > 0 && tableWithTools("files", filesTable(data)),
      plain_files.length > 0 && tableWithTools("plain_files", plainFilesTable(data)),
    ].filter((table) => table !== false),
  ).node;
}
