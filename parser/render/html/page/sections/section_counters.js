// What ranks use of the machine: the hardware counters, a small chart per metric and counter,
// their memory, and threads of OpenMP.
import { mean } from "../charts/rank_axis.js";
import { RankBars } from "../charts/rank_bars.js";
import { figureLayer, figureTip } from "../charts/rank_tips.js";
import { element } from "../dom.js";
import { bytesText, countText, figureText, percentText, secondsText, textOf } from "../format.js";
import { absentSection, dataTools, factList, section, tableWithTools } from "../panel.js";
import { ratio } from "../tables/columns.js";
import { barsTable, placementTable } from "../tables/rank_table.js";
import { judged, numberColumn, rankCell, textColumn } from "../tables/table_columns.js";

/** @typedef {import("../charts/rank_axis.js").RankAxis} RankAxis */
/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("../report_data.js").ParallelRow} ParallelRow */

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

// How much memory does each rank use, and where did it run?

/** @param {import("../charts/rank_axis.js").RankAxis} axis */
export function memorySection(axis) {
  const question = "How much memory does each rank use?";
  if (!axis.has("memory_bytes"))
    return absentSection(
      "memory",
      question,
      "Memory is recorded when a rank finishes; none of these did.",
    );
  const average = mean(axis.values("memory_bytes"));
  const bars = new RankBars(
    {
      axis,
      label: "Largest memory of each rank",
      height: 170,
      yTitle: "peak",
      format: bytesText,
      tipOf: (bar) => figureTip(axis, bar, "memory_bytes", "peak memory", bytesText),
    },
    {
      layers: [figureLayer(axis, "memory_bytes", "Peak memory", "--memory")],
      line: { value: average, label: `average ${bytesText(average)}` },
      envelope: axis.envelope("memory_bytes"),
    },
  );
  const hasPlacement = ["cpus_allowed", "migrations", "shared_memory_bytes", "major_faults"].some(
    (name) => axis.data.raw.ranks.columns[name] !== undefined,
  );
  return section(
    {
      id: "memory",
      question,
      hint:
        "Largest resident memory of each rank; " +
        `${bytesText(axis.data.totals.memory_bytes)} on all ranks together.`,
    },
    bars.node,
    hasPlacement
      ? element(
          "div.below",
          {},
          element("h3", {}, "Memory, placement and scheduling"),
          tableWithTools("memory", placementTable(axis)),
        )
      : dataTools("memory", () => placementTable(axis)),
  ).node;
}

// How busy are the threads? OpenMP, and each place with a parallel region.

/** @typedef {import("../report_types.js").Fields["openmp"]} OpenmpFacts */

/** @param {number | null | undefined} share */
const wholeText = (share) => percentText(100 * (share ?? NaN));

/** @param {OpenmpFacts} facts */
function openmpFacts(facts) {
  const known = typeof facts.hybrid_efficiency === "number";
  return factList({
    "First thread":
      `${secondsText(facts.parallel_s)} computing and ` +
      `${secondsText(facts.parallel_mpi_s)} MPI in parallel regions, ` +
      `${secondsText(facts.serial_s)} and ${secondsText(facts.serial_mpi_s)} ` +
      "outside them, on the average rank",
    "Hybrid efficiency":
      known &&
      `${wholeText(facts.hybrid_efficiency)} = MPI ${wholeText(facts.mpi_efficiency)} × ` +
        `OpenMP ${wholeText(facts.openmp_efficiency)} (POP)`,
    "Thread balance": known && `${wholeText(facts.thread_balance)} (mean / longest busy time)`,
  });
}

/** @param {ReportData} data @returns {import("../tables/table.js").TableSpec<ParallelRow>} */
export function parallelTable(data) {
  const { parallel_regions: rows } = data.lists;
  return {
    caption: "Parallel regions",
    rows,
    shown: 10,
    sortBy: "Time per rank",
    columns: [
      textColumn("Place", "place"),
      textColumn("Function", "function", { priority: 2 }),
      numberColumn("Runs", "regions", countText, { priority: 2 }),
      numberColumn("Threads", "threads", countText),
      numberColumn("Time per rank", (row) => data.perRank(row.time_s), secondsText),
      numberColumn("Busy threads", "busy_threads", figureText, {
        hint: "how many compute at a time: neither waiting at a barrier nor in MPI",
      }),
      numberColumn("Balance", (row) => 100 * (row.thread_balance ?? NaN), percentText, {
        hint: "mean / longest busy time of a region's threads",
      }),
      numberColumn("Lost by it", (row) => data.perRank(row.imbalance_s), secondsText, {
        hint: "the busiest thread computes that much longer than the average one, per rank",
        priority: 2,
      }),
    ],
    filterText: (row) => `${row.place} ${row.function}`,
  };
}

/** @param {ReportData} data */
export function openmpSection(data) {
  const question = "How busy are the threads?";
  const { openmp } = data.raw;
  if (data.lists.parallel_regions.length === 0)
    return absentSection(
      "openmp",
      question,
      openmp.sentence || "The program ran no parallel region of OpenMP.",
    );
  return section(
    {
      id: "openmp",
      title: "Threads",
      question,
      long: true,
      hint: "A row per place with a parallel region of OpenMP.",
    },
    element("p", {}, openmp.sentence ?? ""),
    openmpFacts(openmp),
    tableWithTools("parallel_regions", parallelTable(data)),
  ).node;
}
