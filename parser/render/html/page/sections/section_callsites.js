// Where in the code? A row per function and call path; a row unfolds to its path and all its
// figures. Then the regions that the program marked.
import { element } from "../dom.js";
import {
  bytesText,
  countText,
  percentText,
  rankSecondsText,
  ratioText,
  secondsText,
  shareText,
  unknown,
} from "../format.js";
import { absentSection, factList, section, tableWithTools } from "../panel.js";
import { sourceView } from "../source_lines.js";
import { largestOf, ratio } from "../tables/columns.js";
import {
  barCell,
  barColumn,
  functionCell,
  judged,
  mpiBarCell,
  mpiParts,
  numberColumn,
  rankCell,
  rankColumn,
  spreadWords,
  textColumn,
} from "../tables/table_columns.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("../report_data.js").CallsiteRow} CallsiteRow */
/** @typedef {import("../report_data.js").RegionRow} RegionRow */

/** A line of a call path. @param {ReportData} data @param {number} number @param {number} depth */
function frameLine(data, number, depth) {
  const frame = data.lists.frames[number];
  if (!frame) return null;
  const { texts } = data.raw.frames;
  const line = element(
    "li",
    {},
    element("code", {}, frame.place),
    " ",
    frame.symbol,
    " ",
    frame.inlined && element("span.tag", {}, "inlined"),
    element(
      "span.muted",
      {},
      ` ${texts[frame.file] ?? `${texts[frame.module] ?? ""}+${frame.offset}`}`,
    ),
  );
  line.style.setProperty("--depth", String(depth));
  return line;
}

/** @param {ReportData} data @param {CallsiteRow} row */
function details(data, row) {
  return element(
    "div",
    {},
    element(
      "ol.path",
      { "aria-label": "call path" },
      ...row.path.map((frame, depth) => frameLine(data, frame, depth)),
      row.path_cut &&
        element(
          "li.muted",
          {},
          row.path_unsure
            ? "... unsure: this row may hold calls of several callers"
            : "... and frames around it",
        ),
    ),
    sourceView(data, row.site),
    factList({
      "Over ranks": spreadWords(row),
      Requests:
        row.completions > 0
          ? `${countText(row.completions)} completed, ` +
            `which took ${rankSecondsText(row.completion_s)}; ` +
            (typeof row.overlapped_s !== "number"
              ? "on another thread, so the overlap is not known"
              : `${percentText((100 * row.overlapped_s) / row.span_s)} of the ` +
                `${rankSecondsText(row.span_s)} until then were outside MPI`)
          : null,
      "Waited for":
        typeof row.last_rank === "number"
          ? element(
              "span",
              {},
              "rank ",
              rankCell(row.last_rank),
              `: last in ${percentText(row.last_percent)} of the calls; ` +
                `others waited ${rankSecondsText(row.caused_wait_s)} for it`,
            )
          : null,
      "Main partner":
        typeof row.top_partner === "number"
          ? element(
              "span",
              {},
              "rank ",
              rankCell(row.top_partner),
              `, ${rankSecondsText(row.top_partner_s)}`,
            )
          : null,
      Communicator: row.communicator,
      Region: row.region,
    }),
  );
}

/** @param {ReportData} data @returns {import("../tables/table.js").TableSpec<CallsiteRow>} */
export function callsitesTable(data) {
  const { callsites: rows, frames } = data.lists;
  /** @param {CallsiteRow} row */
  const place = (row) => data.placeName(row.site);
  /** @param {CallsiteRow} row */
  const symbol = (row) => frames[row.site]?.symbol;
  /** @param {CallsiteRow} row */
  const time = (row) => data.timePerRank(row);
  /** @param {CallsiteRow} row */
  const wait = (row) => data.waitPerRank(row);
  const whole = largestOf(rows, time);
  return {
    caption: "Call sites",
    rows,
    sortBy: "Time per rank",
    columns: [
      textColumn("Call site", place, { show: (row) => element("code", {}, place(row) || unknown) }),
      textColumn("Function", symbol, { priority: 3 }),
      textColumn("MPI call", "function", { show: (row) => functionCell(row.function) }),
      numberColumn("Size", "size_bytes", bytesText, {
        priority: 3,
        hint: "bytes of one call, where one size has most of the time",
      }),
      ...(rows.some((row) => row.region)
        ? [textColumn("Region", (/** @type {CallsiteRow} */ row) => row.region, { priority: 3 })]
        : []),
      numberColumn("Time per rank", time, secondsText),
      barColumn(
        data.hasWaiting ? "Waiting and transfer" : "Share",
        wait,
        (row) => mpiBarCell(time(row), wait(row), whole, row.function),
        { priority: 2 },
      ),
      numberColumn("% MPI", "mpi_percent", percentText, { priority: 2 }),
      numberColumn("Calls", "calls", countText, { priority: 2 }),
      numberColumn("Average", (row) => ratio(row.time_s, row.calls), secondsText, { priority: 3 }),
    ],
    filterText: (row) =>
      [place(row), symbol(row), row.function, row.region, row.communicator].join(" "),
    details: (row) => details(data, row),
    placesOf: (row) => [[place(row) ?? ""]],
    rankOf: (row) => row.last_rank ?? null,
  };
}

/** @param {ReportData} data */
export function callsitesSection(data) {
  const question = "Where in the code?";
  if (data.lists.callsites.length === 0) {
    return absentSection(
      "callsites",
      question,
      "No call sites in this profile: leave ",
      element("code", {}, "MPROF_CALLSITES"),
      " at 8 to record them.",
    );
  }
  const { other } = data.raw.callsites;
  return section(
    {
      id: "callsites",
      title: "Call sites",
      question,
      long: true,
      hint:
        "A row per MPI call in the program and the path that leads to it. " +
        "Unfold a row for its path, its spread over ranks and what its requests did.",
    },
    tableWithTools("callsites", callsitesTable(data)),
    other &&
      element(
        "p.hint",
        {},
        `and ${countText(other.callsites)} more with ` +
          `${secondsText(data.perRank(other.time_s))} per rank in all: ` +
          "mprof report --csv has them.",
      ),
  ).node;
}

// Which phase? Regions that the program names, as a tree.

/** Indented by depth, with the last name alone. @param {RegionRow} row */
function regionCell({ region }) {
  if (!region) return element("span.muted", {}, "whole program");
  const names = region.split("/");
  return element(
    "span",
    {},
    element("span.muted", {}, names.length > 1 ? `${"\u2003".repeat(names.length - 2)}└ ` : ""),
    names.at(-1),
  );
}

/** @param {ReportData} data @returns {import("../tables/table.js").TableSpec<RegionRow>} */
export function regionsTable(data) {
  const { regions: rows } = data.lists;
  const whole = largestOf(rows, (row) => row.time_s);
  /** @param {RegionRow} row */
  const share = (row) => row.comm_percent;
  /** @param {RegionRow} row */
  const mpi = (row) => (row.comm_percent * row.time_s) / 100;
  /** @param {RegionRow} row */
  const wait = (row) => row.wait_s && (row.mpi_s > 0 ? (row.wait_s * mpi(row)) / row.mpi_s : 0);
  return {
    caption: "Regions",
    rows,
    shown: 14,
    columns: [
      textColumn("Region", "region", { show: regionCell }),
      numberColumn("Time per rank", (row) => data.perRank(row.time_s), secondsText),
      barColumn(
        "Split",
        share,
        (row) =>
          barCell(
            [{ value: row.compute_s, kind: "compute" }, ...mpiParts(mpi(row), wait(row))],
            whole,
          ),
        { priority: 2 },
      ),
      numberColumn("% MPI", share, percentText),
      numberColumn("Balance", "load_balance", ratioText, {
        show: (row) => judged(row.load_balance_state, shareText(row.load_balance)),
      }),
      rankColumn("Slowest", "max_rank", { priority: 3 }),
      numberColumn("Visits", "visits", countText, { priority: 3 }),
    ],
  };
}

/** @param {ReportData} data */
export function regionsSection(data) {
  const question = "Which phase of the program?";
  if (data.lists.regions.length === 0) {
    return absentSection(
      "regions",
      question,
      "The program names no regions: ",
      element("code", {}, 'mprof_region_begin("solve")'),
      " or ",
      element("code", {}, 'MPI_Pcontrol(1, "solve")'),
      " does.",
    );
  }
  return section(
    { id: "regions", title: "Regions", question, half: true },
    tableWithTools("regions", regionsTable(data)),
  ).node;
}
