// What exactly was run, in which programs, and how good is the measurement?
import { element } from "../dom.js";
import { bytesText, countText, percentText, plural, secondsText } from "../format.js";
import { factList, section, tableWithTools } from "../panel.js";
import { judged, numberColumn, rankCell, textColumn } from "../tables/table_columns.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("../report_data.js").ProgramRow} ProgramRow */
/** @typedef {import("../report_data.js").ProgramWait} ProgramWait */

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

// Which program waits for which? Only in jobs of several programs.

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
        "Times are of the average rank. Waiting for a rank that is itself waiting is passed on; " +
        "that part is estimated.",
    },
    tableWithTools("programs", programsTable(data)),
    data.lists.program_waits.some((row) => row.wait_s > 0) &&
      element("div.below", {}, tableWithTools("program_waits", programWaitsTable(data))),
  ).node;
}

// Can I trust this profile? And where do ranks stand that have not ended?

/**
 * @param {ReportData} data
 * @returns {import("../tables/table.js").TableSpec<import("../report_data.js").StandingRow>}
 */
function standingTable(data) {
  return {
    caption: "Where the ranks are that have not finished",
    rows: data.lists.standing,
    shown: 10,
    sortBy: "Ranks",
    columns: [
      numberColumn("Ranks", "ranks", countText),
      textColumn("Which", "where", {
        show: (row) => (row.ranks === 1 ? rankCell(row.first_rank) : row.where),
      }),
      textColumn(
        "Stand",
        (row) =>
          `${row.state === "in call" ? "in" : "outside MPI, after"} ${row.function ?? "its start"}`,
      ),
      textColumn("At", "place"),
      textColumn("Communicator", "communicator", { priority: 3 }),
      numberColumn("For", "longest_s", secondsText),
    ],
  };
}

/** @param {ReportData} data */
function standing(data) {
  const { headline, ended } = data.raw.standing;
  return (
    data.lists.standing.length > 0 &&
    element(
      "div.below",
      {},
      element("h3", {}, "Where the ranks are that have not finished"),
      headline && element("p", {}, headline),
      tableWithTools("unfinished ranks", standingTable(data)),
      ended && element("p.hint", {}, ended),
    )
  );
}

/** What was checked, with the judgement of the Report where it has one. @param {ReportData} data */
function judgements(data) {
  const { quality } = data.raw;
  const { ranks_read, ranks_expected } = quality;
  const missing = ranks_expected - ranks_read;
  const ranges = quality.missing_ranks.map(([first, last]) =>
    first === last ? String(first) : `${first}–${last}`,
  );
  const absent =
    missing > 0
      ? `; absent: ${ranges.slice(0, 12).join(", ")}${ranges.length > 12 ? " ..." : ""}`
      : "";
  const unfinished = data.lists.standing.reduce((sum, row) => sum + row.ranks, 0);
  const words = {
    "Ranks read": `${countText(ranks_read)} of ${countText(ranks_expected)}${absent}`,
    "Ranks finished":
      unfinished > 0 && `${plural(unfinished, "rank")} did not reach the end of MPI_Finalize`,
    "Detail kept":
      quality.dropped_percent > 0
        ? `size or place of ${percentText(quality.dropped_percent)} of the calls is not exact`
        : "every call with its exact size",
    Overhead: `${quality.overhead}, not part of the MPI time`,
    Clock:
      `${secondsText(quality.clock_resolution_s)} per reading: ` +
      "shorter times cannot be distinguished",
    Waiting: data.hasWaiting
      ? (quality.wait_source ?? "from the durations of calls")
      : "not available in this profile",
  };
  return factList(
    Object.fromEntries(
      Object.entries(words).map(([name, text]) => {
        const check = quality.checks[name];
        return [name, text && check ? element("span", {}, judged(...check), ` ${text}`) : text];
      }),
    ),
  );
}

/** @param {ReportData} data */
export function qualitySection(data) {
  return section(
    { id: "quality", question: "Can I trust this profile?", half: true },
    judgements(data),
    standing(data),
    element("ul.remarks", {}, ...data.quality.remarks.map((remark) => element("li", {}, remark))),
  ).node;
}
