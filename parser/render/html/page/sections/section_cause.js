// Who makes the others wait, and why?
import { placeCell } from "../tables/cells.js";
import { ratio } from "../tables/columns.js";
import { element } from "../dom.js";
import {
  differenceText,
  figureText,
  percentText,
  rankSecondsText,
  secondsText,
} from "../format.js";
import { absentSection, dataTools, factList, section, tableWithTools } from "../panel.js";
import { mean } from "../charts/rank_axis.js";
import { RankBars } from "../charts/rank_bars.js";
import { barsTable } from "../tables/rank_table.js";
import { figureLayer, figureTip, waitedFor } from "../charts/rank_tips.js";
import { placesIn } from "../selection.js";
import { numberColumn, rankColumn, textColumn } from "../tables/table_columns.js";

/** @typedef {import("../charts/rank_axis.js").RankAxis} RankAxis */
/** @typedef {import("../report_data.js").ReportData} ReportData */
/**
 * @template R
 * @typedef {import("../tables/table.js").TableSpec<R>} TableSpec
 */

/** @param {ReportData} data @returns {TableSpec<import("../report_data.js").CauseRow>} */
export function causesTable(data) {
  return {
    caption: "Ranks that others wait for",
    rows: data.lists.causes,
    shown: 8,
    sortBy: "Others waited",
    rankOf: (row) => row.rank,
    placesOf: (row) => [placesIn(row.segment), placesIn(row.place)],
    columns: [
      rankColumn("Rank", "rank"),
      textColumn("Node", "host", { priority: 2 }),
      numberColumn("Others waited", "caused_wait_s", rankSecondsText, {
        hint: "for this rank, summed over those who waited",
      }),
      numberColumn("Was last", "last_percent", percentText, {
        hint: "of the collectives in which anybody waited",
      }),
      numberColumn("Compute", "over_mean", differenceText, { hint: "against the average rank" }),
      textColumn("Shows at", "place", { priority: 3, show: (row) => placeCell(row.place) }),
      textColumn("Slow between", "segment", {
        priority: 3,
        show: (row) => placeCell(row.segment),
      }),
      textColumn("Unusual", "reason", { priority: 2 }),
    ],
  };
}

/** @param {RankAxis} axis @returns {TableSpec<import("../report_data.js").RankRow>} */
function slowestTable(axis) {
  const { data } = axis;
  const average = mean(axis.values("compute_s"));
  return {
    caption: "Slowest ranks",
    rows: data.lists.ranks,
    shown: 6,
    sortBy: "Compute",
    rankOf: (row) => row.rank,
    columns: [
      rankColumn("Rank", "rank"),
      textColumn("Node", (row) => data.host(row.host)),
      numberColumn("Compute", "compute_s", secondsText),
      numberColumn("vs average", (row) => ratio(row.compute_s, average), differenceText),
      numberColumn("MPI", "mpi_thread_s", secondsText),
    ],
  };
}

/** How the rank that is waited for most differs by what counters say. @param {RankAxis} axis */
function byCounters(axis) {
  const { metrics, causes } = axis.data.lists;
  const row = axis.rows.get(causes[0]?.rank ?? -1);
  if (!row || metrics.length === 0) return null;
  return element(
    "div",
    {},
    element("h3", {}, `Rank ${row.rank} by hardware counters`),
    factList(
      Object.fromEntries(
        metrics.map((metric, i) => [
          metric.metric,
          `${figureText(row[`m${i}`])} ${metric.unit ?? ""} ` +
            `(${differenceText(ratio(row[`m${i}`], metric.mean))} against the average)`,
        ]),
      ),
    ),
  );
}

/** @param {RankAxis} axis */
function waitingChart(axis) {
  const layer = figureLayer(axis, "wait_thread_s", "Waiting", "--wait");
  const bars = new RankBars(
    {
      axis,
      label: "Waiting of each rank",
      height: 190,
      yTitle: "waiting",
      format: secondsText,
      tipOf: (bar) => figureTip(axis, bar, "wait_thread_s", "waits", secondsText),
      ...waitedFor(axis),
    },
    { layers: [layer] },
  );
  return element(
    "div",
    {},
    element("h3", {}, "Waiting per rank: those that do not wait are the ones waited for"),
    bars.node,
    dataTools("waiting", () => barsTable(axis, "Waiting of each rank", [layer], secondsText)),
  );
}

/** @param {RankAxis} axis */
export function causeSection(axis) {
  const question = "Who makes the others wait, and why?";
  const { causes, ranks } = axis.data.lists;
  if (ranks.length < 2)
    return absentSection("cause", question, "Nobody: the program ran on one rank.");
  const isKnown = axis.has("wait_thread_s");
  return section(
    {
      id: "cause",
      title: "Cause",
      question,
      long: true,
      hint: isKnown
        ? "Waiting is an estimate from the durations of calls; no clocks were compared."
        : "Waiting was not told apart in this profile; what is known is who computes longest.",
    },
    element(
      "div.stack",
      {},
      element("div.columns.wide-left", {}, isKnown && waitingChart(axis), byCounters(axis)),
      causes.length > 0
        ? element(
            "div",
            {},
            element("h3", {}, "Ranks that the others wait for"),
            tableWithTools("causes", causesTable(axis.data)),
          )
        : element(
            "div",
            {},
            element("h3", {}, "Who computes longest"),
            tableWithTools("slowest ranks", slowestTable(axis)),
          ),
    ),
  ).node;
}
