// The table of contents of the page of mprof scale: how far the program scales, which factor falls,
// what grows, and which runs tell that. The answer and the table of sizes stand in the head, which
// needs no script.
import { byId, element } from "./dom.js";
import { ratioText, secondsText, shareText } from "./format.js";
import { startPage } from "./page_frame.js";
import { section, tableWithTools } from "./panel.js";
import { factorsSection } from "./scale/factor_table.js";
import { growthSection } from "./scale/growth_rows.js";
import { ranksText, readScale } from "./scale/scale_data.js";
import { speedSection } from "./scale/speed_charts.js";
import { numberColumn, textColumn } from "./tables/table_columns.js";

/** @typedef {import("./scale/scale_data.js").ScaleData} ScaleData */
/** @typedef {import("./scale/scale_data.js").ScaledRun} ScaledRun */
/** @typedef {import("./scale/scale_data.js").AccountGrowth} AccountGrowth */

/** Nothing where no cause costs anything. @param {ScaleData} data @returns {Node} */
function accountsSection(data) {
  if (data.accounts.length === 0) return document.createDocumentFragment();
  const few = data.fewSizes();
  return section(
    {
      id: "accounts",
      title: "Accounts",
      question: "Which cause costs more with more ranks?",
      hint: "Seconds that a run would save without that cause alone; rows overlap.",
    },
    tableWithTools("accounts", {
      caption: "What each cause costs",
      rows: data.accounts,
      columns: [
        textColumn("Cause", /** @param {AccountGrowth} row */ (row) => row.name),
        ...data.sizes.map((size, i) =>
          numberColumn(
            ranksText(size.ranks),
            /** @param {AccountGrowth} row */ (row) => row.gain_s[i],
            secondsText,
            { priority: few.includes(i) ? 0 : 2 },
          ),
        ),
      ],
    }),
  ).node;
}

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
        numberColumn("Speed-up", "speedup", ratioText, { priority: 2 }),
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
  accountsSection(data),
  growthSection(data),
  runsSection(data),
);
startPage({ fileName: "mprof-scale", ranks: 0 });
