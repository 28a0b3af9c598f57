// Which phase? Regions that the program names, as a tree.
import { barCell, judged, mpiParts } from "../tables/cells.js";
import { largestOf } from "../tables/columns.js";
import { element } from "../dom.js";
import { countText, percentText, ratioText, secondsText } from "../format.js";
import { absentSection, section, tableWithTools } from "../panel.js";
import { barColumn, numberColumn, rankColumn, textColumn } from "../tables/table_columns.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("../report_data.js").RegionRow} RegionRow */

/** Indented by depth, with the last name alone. @param {RegionRow} row */
function regionCell({ region }) {
  if (!region) return element("span.muted", {}, "whole program");
  const names = region.split("/");
  return element(
    "span",
    {},
    element("span.muted", {}, names.length > 1 ? `${"\u2003".repeat(names.length - 2)}└ ` : ""),
    names.at(-1),
  );
}

/** @param {ReportData} data @returns {import("../tables/table.js").TableSpec<RegionRow>} */
export function regionsTable(data) {
  const { regions: rows } = data.lists;
  const whole = largestOf(rows, (row) => row.time_s);
  /** @param {RegionRow} row */
  const share = (row) => row.comm_percent;
  /** @param {RegionRow} row */
  const mpi = (row) => (row.comm_percent * row.time_s) / 100;
  /** @param {RegionRow} row */
  const wait = (row) => row.wait_s && (row.mpi_s > 0 ? (row.wait_s * mpi(row)) / row.mpi_s : 0);
  return {
    caption: "Regions",
    rows,
    shown: 14,
    columns: [
      textColumn("Region", "region", { show: regionCell }),
      numberColumn("Time per rank", (row) => data.perRank(row.time_s), secondsText),
      barColumn(
        "Split",
        share,
        (row) =>
          barCell(
            [{ value: row.compute_s, kind: "compute" }, ...mpiParts(mpi(row), wait(row))],
            whole,
          ),
        { priority: 2 },
      ),
      numberColumn("% MPI", share, percentText),
      numberColumn("Balance", "load_balance", ratioText, {
        show: (row) => judged(row.load_balance_state, `${Math.round(100 * row.load_balance)}%`),
      }),
      rankColumn("Slowest", "max_rank", { priority: 3 }),
      numberColumn("Visits", "visits", countText, { priority: 3 }),
    ],
  };
}

/** @param {ReportData} data */
export function regionsSection(data) {
  const question = "Which phase of the program?";
  if (data.lists.regions.length === 0) {
    return absentSection(
      "regions",
      question,
      "The program names no regions: ",
      element("code", {}, 'mprof_region_begin("solve")'),
      " or ",
      element("code", {}, 'MPI_Pcontrol(1, "solve")'),
      " does.",
    );
  }
  return section(
    { id: "regions", title: "Regions", question, half: true },
    tableWithTools("regions", regionsTable(data)),
  ).node;
}
