// How does this run differ from another one? A second page of mprof report is dropped onto this
// one, or chosen with the button Compare; both are laid side by side and subtracted. The file is
// read in the browser and goes nowhere.
import { announce, byId, element } from "../dom.js";
import { codeBox, copyButton } from "../export.js";
import { differenceText, plural, secondsText, unknown } from "../format.js";
import { tableWithTools } from "../panel.js";
import { numberColumn, textColumn } from "../tables/table_columns.js";
import { pairsOfLists, pairsOfTotals, reportInPage } from "./beside_data.js";
import { timesBeside } from "./beside_time.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("./beside_data.js").Pair} Pair */

const diffCommand = "mprof diff A B --html diff.html";

/** @param {Pair} pair */
function pairDifference({ a, b }) {
  return typeof a === "number" && typeof b === "number" ? b - a : null;
}

/** With its sign. @param {Pair} pair */
function differenceCell(pair) {
  const value = pairDifference(pair);
  if (value === null) return unknown;
  if (value === 0) return pair.text(0);
  return `${value > 0 ? "+" : "−"}${pair.text(Math.abs(value))}`;
}

/** @param {Pair} pair */
function besideShare({ a, b }) {
  if (typeof a !== "number" || typeof b !== "number") return unknown;
  if (a === 0) return b === 0 ? unknown : "new";
  return b === 0 ? "gone" : differenceText(b / a);
}

/** @param {string} title @param {string} first @param {Pair[]} rows */
function besideTable(title, first, rows) {
  return element(
    "div",
    {},
    element("h3", {}, title),
    tableWithTools(title, {
      caption: title,
      rows,
      sorts: true,
      shown: title === "Totals" ? 12 : 8,
      columns: [
        textColumn(first, /** @param {Pair} row */ (row) => row.name),
        numberColumn("A", (row) => row.a, secondsText, { show: (row) => row.text(row.a) }),
        numberColumn("B", (row) => row.b, secondsText, { show: (row) => row.text(row.b) }),
        numberColumn("B − A", pairDifference, secondsText, { show: differenceCell }),
        numberColumn("of A", (row) => (row.a ? (row.b ?? 0) / row.a : null), String, {
          priority: 2,
          show: besideShare,
        }),
      ],
    }),
  );
}

/** @param {string} side @param {ReportData} data @param {string} from @param {string} headline */
function besideSide(side, data, from, headline) {
  return element(
    "li",
    {},
    element("strong", {}, `${side} `),
    `${from}: ${data.run.program}, ${plural(data.run.ranks, "rank")} on ` +
      `${plural(data.run.nodes, "node")}, ${data.run.start_text ?? ""}. `,
    element("span.muted", {}, headline),
  );
}

/** What makes the differences hard to read. @param {ReportData} a @param {ReportData} b */
function besideRemarks(a, b) {
  const words = [];
  if (a.run.program !== b.run.program) words.push("These are different programs.");
  if (a.run.ranks !== b.run.ranks)
    words.push("The runs have different numbers of ranks: times are those of the average rank.");
  if (JSON.stringify(a.raw.run) === JSON.stringify(b.raw.run)) words.push("Both are the same run.");
  return words.map((text) => element("p.hint", {}, text));
}

/** @param {ReportData} a @param {ReportData} b @param {string} name @param {string} headline */
function besideParts(a, b, name, headline) {
  const lists = pairsOfLists(a, b);
  const here = document.querySelector("h1")?.textContent ?? "";
  return [
    element(
      "ul.sides-list",
      {},
      besideSide("A", a, "this page", here),
      besideSide("B", b, name, headline),
    ),
    ...besideRemarks(a, b),
    element(
      "p.hint",
      {},
      "Only differences: whether one is more than chance, and what caused it, is not judged " +
        "here. Call sites are matched by their line. This command judges the profiles A and " +
        "B, and finds lines that have moved:",
    ),
    codeBox("command", diffCommand, copyButton("the command", diffCommand)),
    timesBeside(a, b),
    element(
      "div.columns",
      {},
      besideTable("Totals", "Figure", pairsOfTotals(a, b)),
      lists.accounts.length > 0 && besideTable("Causes", "What it costs the run", lists.accounts),
      besideTable("Functions", "MPI function, per rank", lists.functions),
      lists.callsites.length > 0 && besideTable("Call sites beside", "Per rank", lists.callsites),
    ),
  ];
}

/** Takes files that are dropped anywhere on the page. @param {(file: File) => void} open */
function listenForDrops(open) {
  const root = document.documentElement;
  /** @param {DragEvent} event */
  const hasFile = (event) => event.dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragover", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    root.classList.add("dropping");
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) root.classList.remove("dropping");
  });
  addEventListener("drop", (event) => {
    root.classList.remove("dropping");
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    open(file);
  });
}

/**
 * Puts the button that opens a page into the bar. The section is there as long as one is open.
 * @param {ReportData} data
 */
export function offerComparison(data) {
  const content = element("div", {});
  const close = element("button", {}, "Close");
  const node = element(
    "section",
    { id: "beside", class: "card", "aria-labelledby": "beside-title" },
    element(
      "div.section-head",
      {},
      element("div", {}, element("h2", { id: "beside-title" }, "How does another run differ?")),
      element("div.controls", {}, close),
    ),
    content,
  );
  close.addEventListener("click", () => node.remove());

  /** @param {File} file */
  const open = async (file) => {
    try {
      const schema = /** @type {any} */ (data.raw).schema;
      const other = reportInPage(await file.text(), schema);
      const parts = besideParts(data, other.data, file.name, other.headline);
      content.replaceChildren(...parts.filter((part) => part !== null));
      announce(`${file.name} is beside this run`);
    } catch (problem) {
      const words = problem instanceof Error ? problem.message : "cannot be read";
      content.replaceChildren(element("p.answer", { role: "alert" }, `${file.name} ${words}.`));
    }
    byId("sections").prepend(node);
    node.scrollIntoView({ block: "start" });
  };

  const input = element("input", {
    type: "file",
    accept: ".html,text/html",
    hidden: true,
    "aria-label": "Page of another report",
  });
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file) void open(file);
    input.value = "";
  });
  const button = element(
    "button",
    {
      title: "Opens the page of another report beside this one; or drop its file here",
      onclick: () => input.click(),
    },
    "Compare",
  );
  byId("tools").append(button, input);
  listenForDrops((file) => void open(file));
}
