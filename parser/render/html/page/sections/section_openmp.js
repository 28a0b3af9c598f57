// How busy are the threads? OpenMP, and each place with a parallel region.
import { element } from "../dom.js";
import { countText, figureText, percentText, secondsText } from "../format.js";
import { absentSection, factList, section, tableWithTools } from "../panel.js";
import { numberColumn, textColumn } from "../tables/table_columns.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("../report_data.js").ParallelRow} ParallelRow */
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
      "outside of them, on the average rank",
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
