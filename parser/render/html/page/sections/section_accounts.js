// What would change the run? A row per cause.
import { element } from "../dom.js";
import { secondsText } from "../format.js";
import { section, tableWithTools } from "../panel.js";
import { numberColumn, textColumn } from "../tables/table_columns.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("../report_data.js").AccountRow} AccountRow */

/** @param {AccountRow[]} rows @returns {import("../tables/table.js").TableSpec<AccountRow>} */
function accountsTable(rows) {
  return {
    caption: "What each cause costs",
    rows,
    shown: 12,
    columns: [
      textColumn("Cause", "name"),
      textColumn("Who", ({ rank, changes }) =>
        typeof rank === "number" ? `rank ${rank}` : changes ? "changes" : null,
      ),
      numberColumn("Saves", "gain_s", secondsText),
      numberColumn("At least", "gain_low_s", secondsText, { priority: 2 }),
      numberColumn("At most", "gain_high_s", secondsText, { priority: 2 }),
      numberColumn("Run without", "wall_without_s", secondsText),
      textColumn("Where", (row) => row.function ?? row.place, { priority: 2 }),
      textColumn("Try first", "step", { priority: 2 }),
    ],
  };
}

/** Nothing where no cause costs anything. @param {ReportData} data @returns {Node} */
export function accountsSection(data) {
  const rows = data.lists.accounts;
  if (rows.length === 0) return document.createDocumentFragment();
  const { order } = data.raw.accounts;
  return section(
    {
      id: "accounts",
      title: "Accounts",
      question: "What would change the run?",
      hint: "Without that cause alone; rows overlap.",
    },
    tableWithTools("accounts", accountsTable(rows)),
    order && element("p.hint", {}, `What adds up: ${order}.`),
  ).node;
}
