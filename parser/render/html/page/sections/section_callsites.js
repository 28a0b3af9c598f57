// Where in the code? A row per function and call path; a row unfolds to its path and all its
// figures.
import { functionCell, mpiBarCell, rankCell } from "../tables/cells.js";
import { largestOf, ratio } from "../tables/columns.js";
import { element } from "../dom.js";
import {
  bytesText,
  countText,
  percentText,
  plural,
  rankSecondsText,
  secondsText,
  unknown,
} from "../format.js";
import { absentSection, factList, section, tableWithTools } from "../panel.js";
import { barColumn, numberColumn, textColumn } from "../tables/table_columns.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("../report_data.js").CallsiteRow} CallsiteRow */

/**
 * A function's name that can go on in the next line behind ::.
 * @param {string | null | undefined} name
 */
function breakable(name) {
  if (!name) return unknown;
  return element(
    "span",
    {},
    ...name.split("::").flatMap((part, i) => (i === 0 ? [part] : ["::", element("wbr"), part])),
  );
}

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
            ? "... unsure: calls of several callers may be in this row"
            : "... and frames around it",
        ),
    ),
    factList({
      "Over ranks": element(
        "span",
        {},
        `mean ${secondsText(row.mean_s)}, least ${secondsText(row.min_s)} (`,
        rankCell(row.min_rank),
        `), most ${secondsText(row.max_s)} (`,
        rankCell(row.max_rank),
        `), on ${plural(row.ranks, "rank")}`,
      ),
      Requests:
        row.completions > 0
          ? `${countText(row.completions)} completed, ` +
            `which took ${rankSecondsText(row.completion_s)}; ` +
            (typeof row.overlapped_s !== "number"
              ? "on another thread, so what was overlapped is not known"
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
      textColumn("Call site", place, { show: (row) => element("code", {}, place(row)) }),
      textColumn("Function", symbol, { priority: 3, show: (row) => breakable(symbol(row)) }),
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
