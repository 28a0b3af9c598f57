// Where does the computing happen? Between which two MPI calls, and in which functions, as far as
// samples of the CPU were taken.
import { element } from "../dom.js";
import { countText, percentText, ratioText, secondsText } from "../format.js";
import { absentSection, choices, factList, section, tableWithTools } from "../panel.js";
import { placesIn } from "../selection.js";
import { sourceView } from "../source_lines.js";
import { largestOf, ratio } from "../tables/columns.js";
import { createTable } from "../tables/table.js";
import {
  barCell,
  barColumn,
  numberColumn,
  rankColumn,
  spreadWords,
  textColumn,
} from "../tables/table_columns.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("../report_data.js").SegmentRow} SegmentRow */
/** @typedef {import("../report_data.js").HotSpotRow} HotSpotRow */
/** @typedef {import("../report_data.js").HotPlaceRow} HotPlaceRow */
/** @typedef {{name: string, where: string, spots: HotSpotRow[], samples: number, time_s: number}}
 *   FunctionSpots the samples of one function in all segments */

/** @param {ReportData} data @param {number} number of a frame */
function moduleName(data, number) {
  const path = data.raw.frames.texts[data.lists.frames[number]?.module ?? -1] ?? "";
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * A function without a name is called after its library.
 * @param {ReportData} data @param {number} number of a frame
 */
function functionName(data, number) {
  return data.lists.frames[number]?.symbol || moduleName(data, number);
}

/** @param {ReportData} data @param {SegmentRow} row */
function endsOf(data, row) {
  /** @param {import("../report_data.js").Text} call @param {number} frame */
  const place = (call, frame) =>
    call ? `${data.placeName(frame) ?? ""} ${call}`.trim() : "begin";
  return { from: place(row.from_function, row.from), to: place(row.to_function, row.to) };
}

/** @param {SegmentRow} row */
function cpuParts({ time_s, contention_s, blocked_s }) {
  return [
    { value: time_s - contention_s - blocked_s, kind: "compute" },
    { value: contention_s, kind: "contend" },
    { value: blocked_s, kind: "blocked" },
  ];
}

/** "71% update (heat.c:88)" @param {SegmentRow} row */
function mostlyIn(row) {
  return row.mostly_in ? `${percentText(row.mostly_percent)} ${row.mostly_in}` : "";
}

/** The functions of a segment. @param {ReportData} data @param {HotSpotRow[]} spots */
function spotsTable(data, spots) {
  return createTable({
    caption: "Functions that the CPU was in, by samples",
    rows: spots,
    sortBy: "Share",
    columns: [
      textColumn("Function", (row) => functionName(data, row.site)),
      textColumn("Where most", (row) => data.placeName(row.site)),
      textColumn("Called by", "called_by", { priority: 3, hint: "most often, by fewer samples" }),
      numberColumn("Per rank", (row) => data.perRank(row.time_s), secondsText, {
        hint: "CPU time",
      }),
      numberColumn("Share", "percent", percentText, { hint: "of the samples" }),
      numberColumn("Max ÷ avg", (row) => ratio(row.max_s, row.mean_s), ratioText, { priority: 2 }),
      rankColumn("at rank", "max_rank", { priority: 2 }),
    ],
  });
}

/** @param {ReportData} data @param {SegmentRow} row */
function segmentDetails(data, row) {
  const index = data.lists.segments.indexOf(row);
  const spots = data.lists.hotspots.filter(({ segment }) => segment === index);
  return element(
    "div",
    {},
    spots.length > 0 && spotsTable(data, spots),
    factList({
      Time: spreadWords(row),
      "Without a CPU": row.contention_s > 0 && secondsText(data.perRank(row.contention_s)),
      Blocked: row.blocked_s > 0 && secondsText(data.perRank(row.blocked_s)),
      Samples: row.samples > 0 && countText(row.samples),
    }),
  );
}

/**
 * @param {ReportData} data @returns {import("../tables/table.js").TableSpec<SegmentRow>}
 */
export function segmentsTable(data) {
  const rows = data.lists.segments;
  const whole = largestOf(rows, (row) => row.time_s);
  return {
    caption: "Computing between two MPI calls",
    rows,
    shown: 8,
    sortBy: "Per rank",
    filterText: (row) => `${endsOf(data, row).from} ${endsOf(data, row).to} ${row.mostly_in ?? ""}`,
    columns: [
      textColumn("From", (row) => endsOf(data, row).from),
      textColumn("To", (row) => endsOf(data, row).to),
      textColumn("Mostly in", mostlyIn, { priority: 2, hint: "by CPU samples" }),
      numberColumn("Per rank", (row) => data.perRank(row.time_s), secondsText, { hint: "time" }),
      barColumn("On a CPU", (row) => row.time_s, (row) => barCell(cpuParts(row), whole), {
        priority: 2,
        hint: "on a CPU, waiting for one, blocked; sorts by time",
      }),
      numberColumn("Longest", "max_s", secondsText, { priority: 3 }),
      rankColumn("at rank", "max_rank", { priority: 2 }),
      numberColumn("Max ÷ avg", (row) => ratio(row.max_s, row.mean_s), ratioText),
      numberColumn("Times", "count", countText, { priority: 3 }),
    ],
    details: (row) => segmentDetails(data, row),
    placesOf: (row) => [placesIn(`${endsOf(data, row).from} ${endsOf(data, row).to}`)],
    rankOf: (row) => row.max_rank,
  };
}

/** @param {ReportData} data */
function functionsOf(data) {
  /** @type {Map<string, FunctionSpots>} */
  const functions = new Map();
  for (const spot of data.lists.hotspots) {
    const name = functionName(data, spot.site);
    const where = moduleName(data, spot.site);
    const key = `${name}\n${where}`;
    const sum = functions.get(key) ?? { name, where, spots: [], samples: 0, time_s: 0 };
    functions.set(key, sum);
    sum.spots.push(spot);
    sum.samples += spot.samples;
    sum.time_s += spot.time_s;
  }
  return [...functions.values()];
}

/** @param {ReportData} data @param {FunctionSpots} row */
function functionDetails(data, { spots }) {
  const where = (/** @type {HotSpotRow} */ spot) => {
    const segment = data.lists.segments[spot.segment ?? -1];
    return segment
      ? `${endsOf(data, segment).from} → ${endsOf(data, segment).to}`
      : "between short calls";
  };
  return createTable({
    caption: "Between which MPI calls",
    rows: spots,
    sortBy: "Per rank",
    columns: [
      textColumn("Between", where),
      textColumn("Where most", (spot) => data.placeName(spot.site)),
      numberColumn("Per rank", (spot) => data.perRank(spot.time_s), secondsText),
    ],
  });
}

/**
 * CPU time by samples, as a number and a bar.
 * @template {{time_s: number}} R
 * @param {ReportData} data @param {R[]} rows
 * @returns {import("../tables/table.js").TableColumn<R>[]}
 */
function timeColumns(data, rows) {
  const whole = largestOf(rows, (row) => row.time_s);
  return [
    numberColumn("Per rank", (row) => data.perRank(row.time_s), secondsText, {
      hint: "CPU time outside MPI",
    }),
    barColumn(
      "Share",
      (row) => row.time_s,
      (row) => barCell([{ value: row.time_s, kind: "compute" }], whole),
      { priority: 2 },
    ),
  ];
}

/** @param {ReportData} data @returns {import("../tables/table.js").TableSpec<FunctionSpots>} */
export function hotFunctionsTable(data) {
  const rows = functionsOf(data);
  const samples = rows.reduce((sum, row) => sum + row.samples, 0);
  return {
    caption: "Functions that the CPU was in, by samples",
    rows,
    shown: 8,
    sortBy: "Per rank",
    filterText: ({ name, where }) => `${name} ${where}`,
    columns: [
      textColumn("Function", "name"),
      textColumn("In", "where"),
      ...timeColumns(data, rows),
      numberColumn("Percent", (row) => (100 * row.samples) / samples, percentText, {
        hint: "of the samples that are listed",
      }),
      numberColumn("Samples", "samples", countText, { priority: 2 }),
    ],
    details: (row) => functionDetails(data, row),
  };
}

/**
 * A table over all call pairs whose rows add up to what was sampled.
 * @param {ReportData} data @param {string} caption @param {HotPlaceRow[]} rows
 * @param {import("../tables/table.js").TableColumn<HotPlaceRow>[]} names
 * @returns {import("../tables/table.js").TableSpec<HotPlaceRow>}
 */
function hotPlacesTable(data, caption, rows, names) {
  return {
    caption,
    rows,
    shown: 12,
    sortBy: "Per rank",
    filterText: (row) => `${functionName(data, row.site)} ${data.placeName(row.site)}`,
    columns: [
      ...names,
      ...timeColumns(data, rows),
      numberColumn("Percent", "percent", percentText, { hint: "of all samples of computing" }),
      numberColumn("Max ÷ avg", (row) => ratio(row.max_s, row.mean_s), ratioText, { priority: 2 }),
      rankColumn("at rank", "max_rank", { priority: 2 }),
    ],
  };
}

/**
 * With --sources a row unfolds to its lines.
 * @param {ReportData} data @returns {import("../tables/table.js").TableSpec<HotPlaceRow>}
 */
export function hotLinesTable(data) {
  const { hot_lines: rows } = data.lists;
  const spec = hotPlacesTable(data, "Source lines that the CPU was in", rows, [
    textColumn("Line", (row) => data.placeName(row.site)),
    textColumn("In", (row) => functionName(data, row.site)),
  ]);
  if (!data.raw.sources) return spec;
  const none = () => element("p.hint", {}, "No source lines: its file is not known.");
  return { ...spec, details: (row) => sourceView(data, row.site) ?? none() };
}

/** @param {ReportData} data */
export function hotLibrariesTable(data) {
  return hotPlacesTable(data, "Libraries that the CPU was in", data.lists.hot_libraries, [
    textColumn("Library", (row) => moduleName(data, row.site)),
    textColumn("For", (row) => (row.kind === "other" ? "" : row.kind)),
  ]);
}

/** @param {ReportData} data */
export function computingSection(data) {
  const question = "Where does the computing happen?";
  const { segments, hotspots } = data.lists;
  if (segments.length === 0 && hotspots.length === 0)
    return absentSection("computing", question, "No two MPI calls are far enough apart.");
  const place = element("div");
  const tables = {
    segments: () => tableWithTools("segments", segmentsTable(data)),
    functions: () => tableWithTools("functions", hotFunctionsTable(data)),
    lines: () => tableWithTools("lines", hotLinesTable(data)),
    libraries: () => tableWithTools("libraries", hotLibrariesTable(data)),
  };
  const { node, controls } = section(
    {
      id: "computing",
      title: "Computing",
      question,
      long: true,
      hint:
        hotspots.length > 0
          ? "Time between two MPI calls. Unfold a row for the functions that the CPU was in there."
          : "Time between two MPI calls. The functions in it were not sampled.",
    },
    place,
  );
  const views = {
    segments: "Per call pair",
    functions: "By function",
    ...(data.lists.hot_lines.length > 0 && { lines: "By line" }),
    libraries: "By library",
  };
  /** @param {keyof typeof tables} view */
  const show = (view) => place.replaceChildren(tables[view]());
  if (hotspots.length > 0) controls.append(choices("View", views, "segments", show));
  show("segments");
  return node;
}
