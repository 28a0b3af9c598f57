// What would change the run? A row per cause.
import { element } from "../dom.js";
import { secondsText } from "../format.js";
import { section, tableWithTools } from "../panel.js";
import { numberColumn, textColumn } from "../tables/table_columns.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("../report_data.js").AccountRow} AccountRow */

/** @param {AccountRow} row */
function whoText({ rank, changes }) {
  if (rank !== null) return `rank ${rank}`;
  return changes ? "changes" : null;
}

/** @param {AccountRow} row */
function placeText({ function: name, place }) {
  return name && place ? `${name} (${place})` : (name ?? place);
}

/** @param {AccountRow[]} rows @returns {import("../tables/table.js").TableSpec<AccountRow>} */
function accountsTable(rows) {
  return {
    caption: "What each cause costs",
    rows,
    shown: 12,
    columns: [
      textColumn("Cause", "name"),
      textColumn("Who", whoText),
      numberColumn("Saves", "gain_s", secondsText),
      numberColumn("At least", "gain_low_s", secondsText, { priority: 2 }),
      numberColumn("At most", "gain_high_s", secondsText, {
        hint: "of uneven work: if the surplus need not be done at all",
        priority: 2,
      }),
      numberColumn("Run without", "wall_without_s", secondsText),
      textColumn("Where", placeText, { priority: 2 }),
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
      hint:
        "Each row is what the run would take less without that cause alone. Rows overlap: " +
        "one after the other they save what stands below.",
    },
    tableWithTools("accounts", accountsTable(rows)),
    order && element("p.hint", {}, `What adds up: ${order}.`),
  ).node;
}
