// Which program waits for which? Only in jobs of several programs.
import { element } from "../dom.js";
import { percentText, secondsText } from "../format.js";
import { section, tableWithTools } from "../panel.js";
import { numberColumn, textColumn } from "../tables/table_columns.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("../report_data.js").ProgramRow} ProgramRow */
/** @typedef {import("../report_data.js").ProgramWait} ProgramWait */

/** @param {ReportData} data @returns {import("../tables/table.js").TableSpec<ProgramRow>} */
function programsTable(data) {
  return {
    caption: "Programs, per rank",
    rows: data.lists.programs,
    shown: 16,
    columns: [
      textColumn("Program", "program"),
      textColumn("Ranks", "ranks_text"),
      numberColumn("Computing", "compute_s", secondsText),
      numberColumn("MPI", "mpi_s", secondsText, { priority: 2 }),
      numberColumn("Waiting", "wait_s", secondsText),
      numberColumn("% MPI", "comm_percent", percentText, { priority: 2 }),
      numberColumn("Balance", (row) => 100 * row.load_balance, percentText, {
        hint: "mean / longest compute time of its own ranks",
        priority: 2,
      }),
      textColumn("Alone", "class", { priority: 2 }),
    ],
  };
}

/** @param {ReportData} data @returns {import("../tables/table.js").TableSpec<ProgramWait>} */
function programWaitsTable(data) {
  return {
    caption: "Which program waits for which, per rank",
    rows: data.lists.program_waits.filter((row) => row.wait_s > 0),
    shown: 12,
    sortBy: "Waiting",
    columns: [
      textColumn("Program", "program"),
      textColumn("Waits for", (row) =>
        row.waits_for === row.program ? "its own ranks" : row.waits_for,
      ),
      numberColumn("Waiting", "wait_s", secondsText),
      numberColumn("% of its run", "percent", percentText, { priority: 2 }),
    ],
  };
}

/** Nothing in a job with one program. @param {ReportData} data @returns {Node} */
export function programsSection(data) {
  if (data.lists.programs.length === 0) return document.createDocumentFragment();
  return section(
    {
      id: "programs",
      title: "Programs",
      question: "Which program waits for which?",
      hint:
        "Times are of the average rank. Waiting for a rank that waits itself is passed on; " +
        "that part is estimated.",
    },
    tableWithTools("programs", programsTable(data)),
    data.lists.program_waits.some((row) => row.wait_s > 0) &&
      element("div.below", {}, tableWithTools("program_waits", programWaitsTable(data))),
  ).node;
}
