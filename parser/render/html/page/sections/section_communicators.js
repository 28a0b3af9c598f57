// Which communicator?
import { mpiBarCell } from "../tables/cells.js";
import { largestOf, ratio } from "../tables/columns.js";
import { element } from "../dom.js";
import { bytesText, countText, percentText, secondsText } from "../format.js";
import { absentSection, section, tableWithTools } from "../panel.js";
import { barColumn, numberColumn, textColumn } from "../tables/table_columns.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("../report_data.js").CommunicatorRow} CommunicatorRow */

/** @param {CommunicatorRow} row */
function nameOf(row) {
  return row.name || row.made_by || "unnamed";
}

/** @param {CommunicatorRow} row */
function nameCell(row) {
  return element(
    "span",
    {},
    nameOf(row),
    row.kind !== "intra" && row.kind !== "none" && row.kind && element("span.tag", {}, row.kind),
    row.created > 1 && element("span.muted", {}, ` × ${countText(row.created)}`),
  );
}

/** @param {ReportData} data @returns {import("../tables/table.js").TableSpec<CommunicatorRow>} */
export function communicatorsTable(data) {
  const { communicators: rows } = data.lists;
  /** @param {CommunicatorRow} row */
  const time = (row) => data.timePerRank(row);
  /** @param {CommunicatorRow} row */
  const wait = (row) => data.waitPerRank(row);
  const whole = largestOf(rows, time);
  return {
    caption: "Communicators",
    rows,
    shown: 8,
    sortBy: "Time per rank",
    columns: [
      textColumn("Communicator", nameOf, { show: nameCell }),
      numberColumn("Size", "size", countText, {
        show: (row) =>
          row.size > 0 ? `${row.size}${row.remote_size > 0 ? ` + ${row.remote_size}` : ""}` : "–",
      }),
      numberColumn("Time per rank", time, secondsText),
      barColumn(
        "Share",
        (row) => wait(row) ?? time(row),
        (row) => mpiBarCell(time(row), wait(row), whole),
        { priority: 2 },
      ),
      numberColumn("% MPI", (row) => ratio(100 * row.time_s, data.totals.mpi_s), percentText),
      numberColumn("Calls", "calls", countText, { priority: 3 }),
      numberColumn("Bytes", "bytes", bytesText, { priority: 3 }),
      textColumn("Made at", (row) => row.made_at || row.made_by, { priority: 3 }),
    ],
  };
}

/** @param {ReportData} data */
export function communicatorsSection(data) {
  const question = "Which communicator?";
  const { communicators, regions } = data.lists;
  if (communicators.length === 0) return absentSection("communicators", question, "None was used.");
  return section(
    { id: "communicators", question, half: regions.length > 0 },
    tableWithTools("communicators", communicatorsTable(data)),
  ).node;
}
