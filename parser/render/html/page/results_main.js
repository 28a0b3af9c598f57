// The table of contents of the page of mprof diff --results: where two runs stop being the same,
// and which reductions depend on the order of their parts, with what makes them repeatable. The
// answer stands in the head, which needs no script.
import { codeBox, copyButton } from "./export.js";
import { byId, element } from "./dom.js";
import { countText } from "./format.js";
import { startPage } from "./page_frame.js";
import { absentSection, factList, section, tableWithTools } from "./panel.js";
import { numberColumn, textColumn } from "./tables/table_columns.js";
import { rowsOf } from "./tables/columns.js";
import { unpacked } from "./unpack.js";

/**
 * As render_diff_html.cc wrote it.
 * @typedef {{
 *   same: boolean,
 *   first: {kind: string, facts: Record<string, string | null>} | null,
 *   narrow: string | null, ordered: any, settings: {words: string, variables: string}[],
 *   remarks: string[], runs: Record<string, string>
 * }} ResultsData
 */
/** @typedef {import("./report_types.js").ResultsFields["order_dependent"]} OrderedRow */

/** @type {Record<string, string>} */
const meanings = {
  compute:
    "The rank passes different data to MPI, although all that it received before was the same.",
  input: "The rank passes different data to MPI before it received any: it started differently.",
  message: "The data that arrived is not the data that was sent.",
  order: "A reduction with the same inputs on all ranks has a different result.",
};

/** @param {ResultsData} data */
function firstSection(data) {
  const { first } = data;
  const question = "Where do they stop being the same?";
  if (!first)
    return absentSection("first", question, data.same ? "Nowhere." : "That is not known.");
  return section(
    { id: "first", title: "First difference", question, hint: meanings[first.kind] ?? "" },
    factList(first.facts),
    data.narrow &&
      element(
        "div.below",
        {},
        element("p.hint", {}, "To find the call itself, run both again with this option:"),
        codeBox("The option", data.narrow, copyButton("the option", data.narrow)),
      ),
  ).node;
}

/** @param {ResultsData} data */
function orderSection(data) {
  const rows = /** @type {OrderedRow[]} */ (rowsOf(data.ordered));
  const question = "Which results depend on the order in which the MPI adds up?";
  if (rows.length === 0) return absentSection("order", question, "Those of no reduction.");
  return section(
    {
      id: "order",
      title: "Order",
      question,
      hint:
        "Reductions of floating-point numbers, and by operations of the program. A different " +
        "algorithm or a different layout of the ranks may change their results.",
    },
    tableWithTools("order", {
      caption: "Reductions",
      rows,
      sorts: true,
      shown: 12,
      filterText: (row) => `${row.function} ${row.place}`,
      columns: [
        textColumn("Call", /** @param {OrderedRow} row */ (row) => row.function),
        textColumn("Place", /** @param {OrderedRow} row */ (row) => row.place),
        numberColumn("Calls", /** @param {OrderedRow} row */ (row) => row.calls, countText, {
          hint: "of the rank that makes most",
        }),
        textColumn("Result", (row) => (row.differs ? "different in B" : "the same")),
      ],
    }),
    data.settings.length > 0 &&
      element(
        "div.below.stack",
        {},
        element("h3", {}, "Settings that make them repeatable"),
        ...data.settings.flatMap(({ words, variables }) => [
          element("p.hint", {}, `${words}:`),
          codeBox(words, variables, copyButton(`the setting: ${words}`, variables)),
        ]),
      ),
  ).node;
}

/** @param {ResultsData} data */
function runsSection(data) {
  return section(
    { id: "runs", title: "Runs", question: "Which runs are these?" },
    factList(data.runs),
    data.remarks.length > 0 &&
      element("ul.below", {}, ...data.remarks.map((words) => element("li", {}, words))),
  ).node;
}

const data = /** @type {ResultsData} */ (JSON.parse(unpacked("data")));
byId("sections").append(firstSection(data), orderSection(data), runsSection(data));
startPage({ fileName: "mprof-results", ranks: 0 });
