// Which MPI calls take the time?
import { isFileCall } from "../charts/palette.js";
import { functionCell, mpiBarCell } from "../tables/cells.js";
import { largestOf, ratio } from "../tables/columns.js";
import { bytesText, countText, percentText, ratioText, secondsText } from "../format.js";
import { absentSection, section, tableWithTools } from "../panel.js";
import { barColumn, numberColumn, rankColumn, textColumn } from "../tables/table_columns.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("../report_data.js").FunctionRow} FunctionRow */

/** @param {ReportData} data @returns {import("../tables/table.js").TableSpec<FunctionRow>} */
export function callsTable(data) {
  const { functions: rows } = data.lists;
  /** @param {FunctionRow} row */
  const time = (row) => data.timePerRank(row);
  /** @param {FunctionRow} row */
  const wait = (row) => data.waitPerRank(row);
  const whole = largestOf(rows, time);
  return {
    caption: "MPI functions",
    rows,
    sortBy: "Time per rank",
    columns: [
      textColumn("Function", "function", { show: (row) => functionCell(row.function) }),
      numberColumn("Time per rank", time, secondsText),
      barColumn(
        data.hasWaiting ? "Waiting and transfer" : "Share",
        (row) => wait(row) ?? time(row),
        (row) => mpiBarCell(time(row), wait(row), whole, row.function),
        { priority: 2, hint: "sorts by waiting" },
      ),
      numberColumn("% MPI", "mpi_percent", percentText),
      numberColumn("% wall", "wall_percent", percentText, { priority: 2 }),
      ...(data.hasWaiting
        ? [
            numberColumn("Waiting", wait, secondsText, {
              priority: 3,
              hint: "per rank; an estimate",
            }),
          ]
        : []),
      numberColumn("Calls", "calls", countText, { priority: 2 }),
      numberColumn("Average", (row) => ratio(row.time_s, row.calls), secondsText, {
        priority: 2,
        hint: "time of one call",
      }),
      numberColumn("Longest", "max_s", secondsText, { priority: 3, hint: "single call" }),
      numberColumn("Bytes", (row) => row.bytes || null, bytesText, { priority: 2 }),
      numberColumn("Max ÷ avg", "max_over_mean", ratioText, {
        priority: 3,
        hint: "time of the rank that spent most in it / average rank",
      }),
      rankColumn("at rank", "max_rank", { priority: 3 }),
    ],
  };
}

/** @param {ReportData} data */
export function callsSection(data) {
  const question = "Which MPI calls take the time?";
  if (data.lists.functions.length === 0)
    return absentSection("calls", question, "The program made no MPI calls.");
  const hasFiles = data.lists.functions.some((row) => isFileCall(row.function));
  return section(
    {
      id: "calls",
      title: "Calls",
      question,
      long: true,
      hint: data.hasWaiting
        ? "Orange is time spent waiting for other ranks, blue is transfer and library work" +
          (hasFiles ? ", green is I/O. " : ". ") +
          "Click a column to sort."
        : "Waiting and transfer were not told apart in this profile. Click a column to sort.",
    },
    tableWithTools("calls", callsTable(data)),
  ).node;
}
