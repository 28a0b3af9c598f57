// Which call paths take the time? All ranks together, MPI calls and samples of computing in one
// tree: the same as mprof export --folded. Beside the picture a search and, for who does not see
// it, a table.
import { FlameChart } from "../flame/flame_chart.js";
import {
  flameKind,
  flameNodes,
  flameSearch,
  flameSeconds,
  flameTree,
  ownSeconds,
  pathOf,
} from "../flame/flame_data.js";
import { announce, element } from "../dom.js";
import { percentText, plural, secondsText } from "../format.js";
import { absentSection, choices, dataTools, section } from "../panel.js";
import { numberColumn, textColumn } from "../tables/table_columns.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("../flame/flame_data.js").FlameNode} FlameNode */
/** @typedef {import("../flame/flame_data.js").FlameTime} FlameTime */

/** Told to those who do not see the picture. */
const toldPaths = 3;

/**
 * @param {FlameNode} root @param {FlameTime} time @param {number} ranks
 * @returns {import("../tables/table.js").TableSpec<FlameNode>}
 */
function pathsTable(root, time, ranks) {
  const all = flameSeconds(root, time);
  return {
    caption: "Time by call path",
    rows: flameNodes(root, time),
    filterText: (node) => pathOf(node).join(" "),
    columns: [
      textColumn("Function", (node) => node.name, {
        show: (node) => {
          const cell = element("span.flame-name", {}, node.name);
          cell.style.setProperty("--depth", String(node.depth - 1));
          return cell;
        },
      }),
      textColumn("Called by", (node) => pathOf(node).slice(0, -1).join(" > "), { priority: 3 }),
      numberColumn("Time per rank", (node) => flameSeconds(node, time) / ranks, secondsText),
      numberColumn("Share", (node) => (100 * flameSeconds(node, time)) / all, percentText),
      numberColumn("In itself", (node) => ownSeconds(node, time) / ranks, secondsText, {
        priority: 2,
      }),
    ],
  };
}

/** The paths that take most, in words. @param {FlameNode} root */
function pathWords(root) {
  const all = flameSeconds(root, "all");
  const most = flameNodes(root, "all")
    .filter((node) => flameKind(node) !== "unknown")
    .sort((a, b) => ownSeconds(b, "all") - ownSeconds(a, "all"))
    .slice(0, toldPaths)
    .map((node) => {
      const percent = percentText((100 * ownSeconds(node, "all")) / all);
      return `${percent} in ${pathOf(node).join(", then ")}`;
    });
  return `Most time: ${most.join("; ")}.`;
}

/** @param {FlameNode} root @param {FlameChart} chart */
function searchField(root, chart) {
  const result = element("span.muted", { "aria-live": "polite" });
  const field = element("input.filter", {
    type: "search",
    placeholder: "search functions",
    "aria-label": "Search the call paths",
  });
  const search = () => {
    const text = field.value.trim();
    const { found, share } = flameSearch(root, text, chart.time);
    chart.highlight(text === "" ? null : found);
    result.textContent =
      text === ""
        ? ""
        : found.size === 0
          ? "nothing matches"
          : `${percentText(100 * share)} of all, in ${plural(found.size, "call path")}`;
  };
  field.addEventListener("input", search);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || field.value === "") return;
    field.value = "";
    search();
    event.stopPropagation();
  });
  return { node: element("div.flame-search", {}, field, result), search };
}

/** @param {ReportData} data */
export function flameSection(data) {
  const question = "Which call paths take the time?";
  const { flame } = data.raw;
  if (!flame) return absentSection("flame", question, "No time of the run is known separately.");
  const root = flameTree(data.lists.flame, flame.names);
  const ranks = Math.max(data.quality.ranks_read, 1);
  const chart = new FlameChart(root, ranks);
  const { node: searchNode, search } = searchField(root, chart);
  const { node, controls } = section(
    {
      id: "flame",
      title: "Flame",
      question,
      hint:
        "Width is time of all ranks together. Below a function is what it calls: MPI calls by " +
        "their paths, computing by samples. Click a box to zoom.",
    },
    searchNode,
    element("p.hidden", {}, pathWords(root)),
    chart.node,
    dataTools("call paths", () => pathsTable(root, chart.time, ranks)),
  );
  const titles = { all: "All", mpi: "In MPI", cpu: "Outside MPI" };
  controls.append(
    choices("Which time", titles, /** @type {FlameTime} */ ("all"), (time) => {
      chart.showTime(time);
      search();
      announce(`${secondsText(flameSeconds(root, time) / ranks)} per rank`);
    }),
  );
  return node;
}
