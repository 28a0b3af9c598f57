// Who makes the others wait, and why? What each cause costs, and what the program does wrong.
import { mean } from "../charts/rank_axis.js";
import { RankBars } from "../charts/rank_bars.js";
import { figureLayer, figureTip, waitedFor } from "../charts/rank_tips.js";
import { element } from "../dom.js";
import {
  countText,
  differenceText,
  figureText,
  percentText,
  rankSecondsText,
  secondsText,
} from "../format.js";
import { absentSection, dataTools, factList, section, tableWithTools } from "../panel.js";
import { placesIn } from "../selection.js";
import { ratio } from "../tables/columns.js";
import { barsTable } from "../tables/rank_table.js";
import { numberColumn, placeCell, rankColumn, textColumn } from "../tables/table_columns.js";

/** @typedef {import("../charts/rank_axis.js").RankAxis} RankAxis */
/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("../report_data.js").AccountRow} AccountRow */
/** @typedef {import("../report_data.js").LintRow} LintRow */

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
        hint: "of the collectives in which any rank waited",
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
    element("h3", {}, "Waiting per rank: those that do not wait are the ones that others wait for"),
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
        : "This profile does not separate waiting; only who computes longest is known.",
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

// What would change the run? A row per cause.

/** @param {AccountRow[]} rows @returns {import("../tables/table.js").TableSpec<AccountRow>} */
function accountsTable(rows) {
  return {
    caption: "What each cause costs",
    rows,
    shown: 12,
    columns: [
      textColumn("Cause", "name"),
      textColumn("Who", ({ rank, changes }) =>
        typeof rank === "number" ? `rank ${rank}` : changes ? "changes" : null,
      ),
      numberColumn("Saves", "gain_s", secondsText),
      numberColumn("At least", "gain_low_s", secondsText, { priority: 2 }),
      numberColumn("At most", "gain_high_s", secondsText, { priority: 2 }),
      numberColumn("Run without", "wall_without_s", secondsText),
      textColumn("Where", (row) => row.cause_words ?? row.function ?? row.place, { priority: 2 }),
      textColumn("Try first", "step", { priority: 2 }),
    ],
  };
}

/** Nothing where no cause costs anything. @param {ReportData} data @returns {Node} */
export function accountsSection(data) {
  const rows = data.lists.accounts;
  if (rows.length === 0) return document.createDocumentFragment();
  const { order } = data.raw.accounts;
  return section(
    {
      id: "accounts",
      title: "Accounts",
      question: "What would change the run?",
      hint: "Without that cause alone; rows overlap.",
    },
    tableWithTools("accounts", accountsTable(rows)),
    order && element("p.hint", {}, `What adds up: ${order}.`),
  ).node;
}

// What does the program do wrong with MPI? Only where something is.

/** @param {ReportData} data @returns {import("../tables/table.js").TableSpec<LintRow>} */
function lintsTable(data) {
  return {
    caption: "Findings",
    rows: data.lists.lints,
    shown: 8,
    columns: [
      textColumn("Severity", "severity"),
      textColumn("Rule", "rule"),
      textColumn("Call", "function", { priority: 2 }),
      textColumn("Place", "place"),
      textColumn("What is wrong", "message", { priority: 2 }),
      rankColumn("First rank", "rank", { priority: 3 }),
      numberColumn("Ranks", "ranks", countText, { priority: 3 }),
      numberColumn("Count", "count", countText),
      numberColumn("Cost", "cost_s", rankSecondsText, { hint: "summed over ranks", priority: 3 }),
      textColumn("Standard", "standard", { priority: 3 }),
    ],
  };
}

/** Nothing without findings. @param {ReportData} data @returns {Node} */
export function lintsSection(data) {
  if (data.lists.lints.length === 0) return document.createDocumentFragment();
  return section(
    {
      id: "lints",
      title: "Mistakes",
      question: "What does the program do wrong?",
      hint: "Rules of the MPI standard that it breaks. mprof lint says the same, and more.",
    },
    tableWithTools("lints", lintsTable(data)),
  ).node;
}
