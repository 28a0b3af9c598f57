// Can I trust this profile? And where do ranks stand that have not ended?
import { judged, rankCell } from "../tables/cells.js";
import { element } from "../dom.js";
import { countText, percentText, plural, secondsText } from "../format.js";
import { factList, section, tableWithTools } from "../panel.js";
import { numberColumn, textColumn } from "../tables/table_columns.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */

/**
 * @param {ReportData} data
 * @returns {import("../tables/table.js").TableSpec<import("../report_data.js").StandingRow>}
 */
function standingTable(data) {
  return {
    caption: "Where ranks stand that have not ended",
    rows: data.lists.standing,
    shown: 10,
    sortBy: "Ranks",
    columns: [
      numberColumn("Ranks", "ranks", countText),
      textColumn("Which", "where", {
        show: (row) => (row.ranks === 1 ? rankCell(row.first_rank) : row.where),
      }),
      textColumn(
        "Stand",
        (row) =>
          `${row.state === "in call" ? "in" : "outside MPI, after"} ${row.function ?? "its begin"}`,
      ),
      textColumn("At", "place"),
      textColumn("Communicator", "communicator", { priority: 3 }),
      numberColumn("For", "longest_s", secondsText),
    ],
  };
}

/** @param {ReportData} data */
function standing(data) {
  const { headline, ended } = data.raw.standing;
  return (
    data.lists.standing.length > 0 &&
    element(
      "div.below",
      {},
      element("h3", {}, "Where ranks stand that have not ended"),
      headline && element("p", {}, headline),
      tableWithTools("standing ranks", standingTable(data)),
      ended && element("p.hint", {}, ended),
    )
  );
}

/** What was checked, with the judgement of the Report where it has one. @param {ReportData} data */
function judgements(data) {
  const { quality } = data.raw;
  const { ranks_read, ranks_expected } = quality;
  const missing = ranks_expected - ranks_read;
  const ranges = quality.missing_ranks.map(([first, last]) =>
    first === last ? String(first) : `${first}–${last}`,
  );
  const absent =
    missing > 0
      ? `; absent: ${ranges.slice(0, 12).join(", ")}${ranges.length > 12 ? " ..." : ""}`
      : "";
  const unfinished = data.lists.standing.reduce((sum, row) => sum + row.ranks, 0);
  const words = {
    "Ranks read": `${countText(ranks_read)} of ${countText(ranks_expected)}${absent}`,
    "Ranks finished":
      unfinished > 0 && `${plural(unfinished, "rank")} did not reach the end of MPI_Finalize`,
    "Detail kept":
      quality.dropped_percent > 0
        ? `size or place of ${percentText(quality.dropped_percent)} of the calls is not exact`
        : "every call with its exact size",
    Overhead:
      `${secondsText(data.perRank(quality.overhead_s))} per rank ` +
      `(${percentText(quality.overhead_percent)}), not part of the MPI time`,
    Clock:
      `${secondsText(quality.clock_resolution_s)} per reading: ` +
      "shorter times cannot be told apart",
    Waiting: data.hasWaiting
      ? (quality.wait_source ?? "from the durations of calls")
      : "not available in this profile",
  };
  return factList(
    Object.fromEntries(
      Object.entries(words).map(([name, text]) => {
        const check = quality.checks[name];
        return [name, text && check ? element("span", {}, judged(...check), ` ${text}`) : text];
      }),
    ),
  );
}

/** @param {ReportData} data */
export function qualitySection(data) {
  return section(
    { id: "quality", question: "Can I trust this profile?", half: true },
    judgements(data),
    standing(data),
    element("ul.remarks", {}, ...data.quality.remarks.map((remark) => element("li", {}, remark))),
  ).node;
}
