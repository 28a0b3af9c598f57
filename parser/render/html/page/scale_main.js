// The table of contents of the page of mprof scale: how far the program scales, which factor falls,
// what grows, and which runs tell that. The answer and the table of sizes stand in the head, which
// needs no script.
import { byId, element } from "./dom.js";
import { secondsText, unknown } from "./format.js";
import { startPage } from "./page_frame.js";
import { section, tableWithTools } from "./panel.js";
import { factorsSection } from "./scale/factor_table.js";
import { growthSection } from "./scale/growth_rows.js";
import { ranksText, readScale, shareText } from "./scale/scale_data.js";
import { speedSection } from "./scale/speed_charts.js";
import { numberColumn, textColumn } from "./tables/table_columns.js";

/** @typedef {import("./scale/scale_data.js").ScaleData} ScaleData */
/** @typedef {import("./scale/scale_data.js").ScaledRun} ScaledRun */

/** @param {ScaleData} data */
function runsSection(data) {
  return section(
    { id: "runs", title: "Runs", question: "Which runs are these?" },
    tableWithTools("runs", {
      caption: "Runs",
      rows: data.runs,
      shown: 12,
      sorts: true,
      filterText: (row) => row.path,
      columns: [
        textColumn("Profile", /** @param {ScaledRun} row */ (row) => row.path),
        numberColumn("Ranks", "ranks", (value) => ranksText(value ?? 0)),
        numberColumn("Wallclock", "wallclock_s", secondsText),
        numberColumn("Speed-up", "speedup", (value) => value?.toFixed(2) ?? unknown, {
          priority: 2,
        }),
        numberColumn("Efficiency", "efficiency", shareText),
        textColumn("Complete", (row) => (row.complete ? "yes" : "no"), { priority: 3 }),
        textColumn("Start", (row) => row.start, { priority: 3 }),
        textColumn("MPI library", (row) => row.mpi_library, { priority: 3 }),
      ],
    }),
    data.remarks.length > 0
      ? element("ul.remarks.below", {}, ...data.remarks.map((words) => element("li", {}, words)))
      : null,
  ).node;
}

const data = readScale();
byId("sections").append(
  speedSection(data),
  factorsSection(data),
  growthSection(data),
  runsSection(data),
);
startPage({ fileName: "mprof-scale", ranks: 0 });
