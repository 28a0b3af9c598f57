// What exactly was run?
import { element } from "../dom.js";
import { bytesText, percentText, secondsText } from "../format.js";
import { factList, section, tableWithTools } from "../panel.js";
import { numberColumn, textColumn } from "../tables/table_columns.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */

/**
 * @param {ReportData} data
 * @returns {import("../tables/table.js").TableSpec<import("../report_data.js").WorldRow>}
 */
function worldsTable(data) {
  return {
    caption: "Other worlds",
    rows: data.lists.worlds,
    shown: 8,
    sortBy: "World",
    ascending: true,
    columns: [
      numberColumn("World", "world", String),
      numberColumn("Ranks", "ranks", String),
      numberColumn("Wallclock", "wallclock_s", secondsText),
      numberColumn("% MPI", "comm_percent", percentText, { priority: 2 }),
      textColumn("Command", "command"),
      textColumn("End", (row) => row.remark || row.end, { priority: 3 }),
    ],
  };
}

/** Facts that have a line of their own. */
const named = ["mprof_version", "command", "program", "host", "mpi_library"];

/** @param {ReportData} data */
export function runSection(data) {
  const { run } = data;
  /** @type {Record<string, Node | string | null | undefined>} */
  const facts = {
    Command: run.command && element("code", {}, run.command),
    Ended: run.end,
    "Start and stop": `${run.start_text ?? "unknown"} – ${run.stop_text ?? "unknown"}`,
    Wallclock: secondsText(run.wallclock_s),
    "MPI library": run.mpi_library ?? run.mpi_abi,
    "First node": run.host,
    World: run.world > 0 ? String(run.world) : null,
    Run: run.run_id,
  };
  for (const [key, value] of Object.entries(run.texts)) {
    const variable = /^environment\.(.*)/.exec(key);
    if (!named.includes(key))
      facts[variable?.[1] ?? key.replace(/_bytes$/, "").replaceAll("_", " ")] = key.endsWith(
        "_bytes",
      )
        ? bytesText(Number(value))
        : value;
  }
  return section(
    { id: "run", title: "Run", question: "What exactly was run?", half: true },
    factList(facts),
    data.lists.worlds.length > 0 &&
      element(
        "div.below",
        {},
        element("h3", {}, "Other worlds of this run: mprof report --world N"),
        tableWithTools("worlds", worldsTable(data)),
      ),
  ).node;
}
