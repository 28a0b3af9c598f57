// What does the program do wrong with MPI? Only where something is.
import { countText, rankSecondsText } from "../format.js";
import { section, tableWithTools } from "../panel.js";
import { numberColumn, rankColumn, textColumn } from "../tables/table_columns.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("../report_data.js").LintRow} LintRow */

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
