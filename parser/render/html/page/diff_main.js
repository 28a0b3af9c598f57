// The comparison's table of contents: two runs side by side, and what changed, section by section
// as in the report's page. Answer first; rows that did not change beyond noise are behind those
// that did.
import { largestOf } from "./tables/columns.js";
import {
  DiffData,
  changeCell,
  pairCell,
  percentCell,
  ranksChart,
  readDiff,
  totalText,
} from "./tables/diff_rows.js";
import { byId, element } from "./dom.js";
import { countText, secondsText } from "./format.js";
import { startPage } from "./page_frame.js";
import { absentSection, keyList, section, tableWithTools } from "./panel.js";
import { barColumn, numberColumn, textColumn } from "./tables/table_columns.js";

/** @typedef {import("./tables/diff_rows.js").ChangedRow} ChangedRow */
/** @typedef {import("./tables/diff_rows.js").TotalRow} TotalRow */
/** @typedef {import("./tables/diff_rows.js").ListName} ListName */
/**
 * @typedef {{
 *   list: ListName, title: string, question: string, first: string, hint: string
 * }} DiffSection
 */

/** @type {DiffSection[]} */
const diffSections = [
  {
    list: "accounts",
    title: "Accounts",
    question: "Which cause costs more, and which less?",
    first: "Cause",
    hint: "Seconds of the wallclock that a run would save without that cause alone; rows overlap.",
  },
  {
    list: "phases",
    title: "When",
    question: "In which phase of the run is the time lost?",
    first: "Phase",
    hint:
      "Seconds that a phase takes. Phases are found in the time bins of each run, and matched by " +
      "name and order.",
  },
  {
    list: "callsites",
    title: "Call sites",
    question: "Where in the code are MPI calls slower or faster?",
    first: "Call site",
    hint:
      "Seconds per rank in one call at one place, whatever the path. " +
      "Places are found again in B when lines have moved.",
  },
  {
    list: "segments",
    title: "Computing",
    question: "Between which MPI calls does it compute longer?",
    first: "Between",
    hint: "Seconds per rank of computing between two successive MPI calls.",
  },
  {
    list: "functions",
    title: "Calls",
    question: "Which MPI calls take more time?",
    first: "Function",
    hint: "Seconds per rank.",
  },
  {
    list: "sizes",
    title: "Sizes",
    question: "Which message sizes cost more?",
    first: "Messages",
    hint: "Seconds per rank by function and size.",
  },
  {
    list: "regions",
    title: "Regions",
    question: "Which region of the program takes longer?",
    first: "Region",
    hint: "Seconds per rank, with the regions inside.",
  },
];

/** What all tables of rows share. @param {ChangedRow[]} rows @param {string} first */
function changedColumns(rows, first) {
  const whole = largestOf(rows, (row) => Math.max(row.a, row.b));
  return [
    textColumn(first, /** @param {ChangedRow} row */ (row) => row.name || "whole program"),
    numberColumn("A", /** @param {ChangedRow} row */ (row) => row.a, secondsText, { priority: 2 }),
    numberColumn("B", /** @param {ChangedRow} row */ (row) => row.b, secondsText),
    barColumn(
      "A above, B below",
      /** @param {ChangedRow} row */ (row) => Math.max(row.a, row.b),
      (row) => pairCell(row, whole),
      { priority: 2 },
    ),
    numberColumn("Change", /** @param {ChangedRow} row */ (row) => row.b - row.a, secondsText, {
      show: (row) => changeCell(row, secondsText),
    }),
    numberColumn("of A", /** @param {ChangedRow} row */ (row) => row.percent ?? null, countText, {
      show: percentCell,
    }),
    numberColumn("Noise", /** @param {ChangedRow} row */ (row) => row.noise, secondsText, {
      priority: 3,
      hint: "changes up to this may be chance",
    }),
    textColumn("Also", /** @param {ChangedRow} row */ (row) => row.remarks, { priority: 3 }),
  ];
}

/** @param {DiffData} data */
function totalsSection(data) {
  return section(
    {
      id: "totals",
      title: "Totals",
      question: "What changed in the run as a whole?",
      hint: "Seconds per rank; ▲ more and ▼ less beyond noise.",
    },
    tableWithTools("totals", {
      caption: "Totals",
      rows: data.totals,
      columns: [
        textColumn("Figure", /** @param {TotalRow} row */ (row) => row.name),
        numberColumn("A", /** @param {TotalRow} row */ (row) => row.a, countText, {
          priority: 2,
          show: (row) => totalText(row, row.a),
        }),
        numberColumn("B", /** @param {TotalRow} row */ (row) => row.b, countText, {
          show: (row) => totalText(row, row.b),
        }),
        barColumn(
          "A above, B below",
          (row) => Math.max(row.a, row.b),
          (row) => pairCell(row, Math.max(row.a, row.b)),
          { priority: 2 },
        ),
        numberColumn("Change", (row) => row.b - row.a, countText, {
          show: (row) => changeCell(row, (value) => totalText(row, value)),
        }),
        numberColumn("of A", (row) => row.percent ?? null, countText, { show: percentCell }),
        numberColumn("Noise", /** @param {TotalRow} row */ (row) => row.noise, countText, {
          priority: 2,
          show: (row) => totalText(row, row.noise),
        }),
      ],
    }),
  ).node;
}

/** @param {DiffData} data @param {DiffSection} spec */
function listSection(data, { list, title, question, first, hint }) {
  const rows = data.lists[list];
  if (rows.length === 0) return absentSection(list, question, "Neither run has any.");
  return section(
    { id: list, title, question, hint, long: true },
    tableWithTools(title, {
      caption: title,
      rows,
      sorts: true,
      shown: 10,
      filterText: (row) => `${row.name} ${row.remarks ?? ""}`,
      columns: changedColumns(rows, first),
    }),
  ).node;
}

/** @param {DiffData} data */
function ranksSection(data) {
  const question = "Which ranks compute longer?";
  const rows = data.lists.ranks;
  if (rows.length === 0)
    return absentSection(
      "ranks",
      question,
      "The runs have different numbers of ranks, or too many to show each: " +
        "mprof diff --json has them.",
    );
  const changed = [...rows].sort(
    (a, b) =>
      Number(b.outcome !== "same") - Number(a.outcome !== "same") ||
      Math.abs(b.b - b.a) - Math.abs(a.b - a.a),
  );
  const columns = changedColumns(rows, "Rank");
  columns.splice(
    1,
    0,
    textColumn(
      "Node",
      (row) =>
        row.a_host === row.b_host ? row.b_host : `${row.a_host ?? "–"} → ${row.b_host ?? "–"}`,
      { priority: 3 },
    ),
  );
  return section(
    {
      id: "ranks",
      title: "Ranks",
      question,
      hint: "Compute time of every rank, A above, B below, on one scale.",
    },
    ranksChart(rows),
    keyList([
      { name: "unchanged", colour: "var(--compute)" },
      { name: "longer in B", colour: "var(--wait)" },
      { name: "shorter in B", colour: "var(--good-bar)" },
    ]),
    element(
      "div.below",
      {},
      tableWithTools("ranks", { caption: "Ranks", rows: changed, sorts: true, shown: 8, columns }),
    ),
  ).node;
}

const data = readDiff();
byId("sections").append(
  totalsSection(data),
  ...diffSections.map((spec) => listSection(data, spec)),
  ranksSection(data),
);
startPage({ fileName: "mprof-diff", ranks: data.lists.ranks.length });
