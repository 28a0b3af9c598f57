// What do the hardware counters say? A small chart per metric and counter.
import { judged, rankCell } from "../tables/cells.js";
import { ratio } from "../tables/columns.js";
import { element } from "../dom.js";
import { figureText, percentText, textOf } from "../format.js";
import { absentSection, dataTools, section, tableWithTools } from "../panel.js";
import { RankBars } from "../charts/rank_bars.js";
import { barsTable } from "../tables/rank_table.js";
import { figureLayer, figureTip } from "../charts/rank_tips.js";
import { numberColumn, textColumn } from "../tables/table_columns.js";

/** @typedef {import("../charts/rank_axis.js").RankAxis} RankAxis */

/**
 * @typedef {{
 *   spread: import("../report_data.js").Spread, key: string, name: string,
 *   note: import("../report_data.js").Text
 * }} CounterFigure key: in the ranks
 */

/** How each word of the report is marked. @type {Record<string, string>} */
const evennessStates = { even: "good", "slightly uneven": "watch", uneven: "problem" };

/** @param {RankAxis} axis @param {CounterFigure} figure */
function smallChart(axis, { spread, key, name, note }) {
  const text = textOf(spread.unit);
  return element(
    "div",
    {},
    element(
      "p.chart-head",
      {},
      element("b", {}, name),
      judged(evennessStates[spread.evenness] ?? "watch", spread.evenness),
    ),
    new RankBars(
      {
        axis,
        label: `${name} of each rank`,
        height: 104,
        format: figureText,
        tipOf: (bar) => figureTip(axis, bar, key, name, text),
      },
      { layers: [figureLayer(axis, key, name, "--bar")] },
    ).node,
    element(
      "p.chart-foot",
      {},
      `min ${text(spread.min)} (rank `,
      rankCell(spread.min_rank),
      `), average ${text(spread.mean)}, max ${text(spread.max)} (rank `,
      rankCell(spread.max_rank),
      ") ",
      element("code", {}, note),
    ),
  );
}

/**
 * @param {import("../report_data.js").CounterRow[]} rows
 * @returns {import("../tables/table.js").TableSpec<import("../report_data.js").CounterRow>}
 */
export function countersTable(rows) {
  /**
   * @param {string} title @param {"total" | "in_mpi" | "outside_mpi"} name @param {number} priority
   * @returns {import("../tables/table.js").TableColumn<import("../report_data.js").CounterRow>}
   */
  const figure = (title, name, priority) =>
    numberColumn(title, name, String, { priority, show: (row) => textOf(row.unit)(row[name]) });
  return {
    caption: "Counters",
    rows,
    sortBy: "Counter",
    ascending: true,
    columns: [
      textColumn("Counter", "counter", {
        show: (row) =>
          element(
            "span",
            {},
            element("code", {}, row.counter),
            row.multiplexed && element("span.tag", {}, "estimate: multiplexed"),
          ),
      }),
      figure("Total", "total", 0),
      figure("In MPI", "in_mpi", 2),
      numberColumn("% in MPI", (row) => ratio(100 * row.in_mpi, row.total), percentText),
      figure("Outside MPI", "outside_mpi", 2),
      textColumn("Source", "source", { priority: 3 }),
    ],
  };
}

/** @param {RankAxis} axis */
export function countersSection(axis) {
  const question = "What do the hardware counters say?";
  const { counters, metrics } = axis.data.lists;
  if (counters.length === 0) {
    return absentSection(
      "counters",
      question,
      "None were recorded: ",
      element("code", {}, "mprof run --counters PAPI_TOT_INS,PAPI_TOT_CYC"),
      " or, without PAPI, ",
      element("code", {}, "--counters page-faults,context-switches"),
      " does.",
    );
  }
  const figures = [
    ...metrics.map((row, i) => ({
      spread: row,
      key: `m${i}`,
      name: row.metric,
      note: row.formula,
    })),
    ...counters.map((row, i) => ({
      spread: row,
      key: `c${i}`,
      name: row.counter,
      note: row.source,
    })),
  ].filter(({ key }) => axis.has(key));
  const wholeRun = metrics.map((row) => `${row.metric} ${textOf(row.unit)(row.value)}`);
  return section(
    {
      id: "counters",
      title: "Counters",
      question,
      long: true,
      hint:
        "An uneven count of instructions means uneven work; an even count with uneven clock or " +
        "instructions per cycle means that the hardware differs.",
    },
    element(
      "div.stack",
      {},
      metrics.length > 0 && element("p", {}, `Whole run: ${wholeRun.join(", ")}.`),
      figures.length > 0 &&
        element(
          "div",
          {},
          element("div.small-charts", {}, ...figures.map((figure) => smallChart(axis, figure))),
          dataTools("counters of ranks", () =>
            barsTable(
              axis,
              "Counters of each rank",
              figures.map(({ key, name }) => ({ name, values: axis.values(key) })),
              figureText,
            ),
          ),
        ),
      tableWithTools("counters", countersTable(counters)),
    ),
  ).node;
}
