// Where do ranks sit? A box per socket, NUMA node and cache, and in it a field per core with the
// ranks that are bound to it; the text report draws the same (text_groups.cc).
import { numbersIn, seatLines } from "./binding_groups.js";
import { element } from "../dom.js";
import { plural, unknown } from "../format.js";
import { section, tableWithTools } from "../panel.js";
import { numberColumn, rankCell, textColumn } from "../tables/table_columns.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("../report_data.js").BindingRow} BindingRow */

/** So many kinds of nodes, and ranks beside each other, are drawn; the table has all. */
const shownKinds = 6;
const namedRanks = 4;
/** So many kinds, and lines of a part, are seen at first. */
const openKinds = 2;
const openLines = 4;

/** The first ones, and the rest behind a line to open. @param {Node[]} nodes @param {number} open
 * @param {(count: number) => string} words @returns {Node[]} */
function firstOpen(nodes, open, words) {
  if (nodes.length <= open + 1) return nodes;
  const rest = nodes.slice(open);
  const summary = element("summary", {}, words(rest.length));
  return [...nodes.slice(0, open), element("details.more-seats", {}, summary, ...rest)];
}

/** Ranks that may use the same CPUs. @param {number[]} ranks */
function rankWords(ranks) {
  const named = ranks.length > namedRanks ? ranks.slice(0, namedRanks - 1) : ranks;
  const more = ranks.length - named.length;
  return [
    ...named.flatMap((rank) => [rankCell(rank), " "]),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}

/**
 * A field per core, by its first CPU. All cores of a part have as many threads, and these are as
 * far apart as those of a core that is known.
 * @param {string} cpus of the part @param {BindingRow[]} bound to one core
 */
function coreCells(cpus, bound) {
  /** @type {Map<number, {core: number[], ranks: number[]}>} */
  const known = new Map();
  for (const row of bound) {
    const core = numbersIn(row.core_cpus);
    const first = core[0] ?? 0;
    const ranks = [...(known.get(first)?.ranks ?? []), ...numbersIn(row.rank_list)];
    known.set(first, { core, ranks });
  }
  const example = [...known.values()][0]?.core ?? [0];
  const apart = (example[1] ?? (example[0] ?? 0) + 1) - (example[0] ?? 0);
  const left = new Set(numbersIn(cpus));
  const cells = [];
  for (const cpu of left) {
    const ranks = known.get(cpu)?.ranks ?? [];
    for (let i = 1; i < example.length; i += 1) left.delete(cpu + i * apart);
    const kind = ranks.length > 1 ? ".shared" : ranks.length === 0 ? ".free" : "";
    const who = ranks.length === 0 ? "no rank" : plural(ranks.length, "rank");
    const title = `core of CPU ${cpu}: ${who}`;
    cells.push(element(`li.core${kind}`, { title }, ...rankWords(ranks)));
  }
  return element("ul.cores", {}, ...cells);
}

/** @param {string} words @param {number[]} ranks */
function seatNode(words, ranks) {
  return element("p.wide", {}, `on ${words}`, ...rankWords(ranks));
}

/**
 * The rows in boxes, from the largest part to the smallest.
 * @param {BindingRow[]} rows @param {[keyof BindingRow, string][]} parts
 * @param {string} around CPUs of the box that they are in
 * @returns {Node[]}
 */
function boxes(rows, [part, ...smaller], around) {
  if (part === undefined) {
    const bound = rows.filter((row) => row.level === "core");
    const wide = rows.filter((row) => row.level !== "core");
    const anywhere = wide.filter((row) => row.cpus === around);
    const lines = seatLines(wide.filter((row) => row.cpus !== around));
    const nodes = [
      ...anywhere.map((row) => seatNode("any of its cores: ", numbersIn(row.rank_list))),
      ...lines.map(({ words, ranks }) => seatNode(words, ranks)),
    ];
    return [
      ...(bound.length > 0 ? [coreCells(around, bound)] : []),
      ...firstOpen(nodes, openLines, (count) => `${count} more groups of CPUs`),
    ];
  }
  const [key, name] = part;
  /** @type {Map<string, BindingRow[]>} */
  const groups = new Map();
  for (const row of rows) {
    const cpus = String(row[key] ?? "");
    groups.set(cpus, [...(groups.get(cpus) ?? []), row]);
  }
  return [...groups].flatMap(([cpus, inside]) => {
    // A part that is the same as the one around it is not drawn twice.
    if (cpus === "" || cpus === around) return boxes(inside, smaller, around);
    return [
      element(
        "div.seats",
        {},
        element("div.seat-name", {}, `${name} ${cpus}`),
        ...boxes(inside, smaller, cpus),
      ),
    ];
  });
}

/** @param {ReportData} data */
function kindsOf(data) {
  /** @type {Map<string, BindingRow[]>} */
  const kinds = new Map();
  for (const row of data.lists.bindings)
    kinds.set(row.host, [...(kinds.get(row.host) ?? []), row]);
  return [...kinds.values()];
}

/** With a place for a line to end behind each comma. @param {string | null | undefined} list */
function spacedList(list) {
  return list ? list.replaceAll(",", ", ") : unknown;
}

/** @param {ReportData} data @returns {import("../tables/table.js").TableSpec<BindingRow>} */
function bindingsTable(data) {
  return {
    caption: "Ranks and the CPUs that they may run on",
    rows: data.lists.bindings,
    shown: 4,
    columns: [
      textColumn("Node", "host"),
      numberColumn("Alike", "nodes", String, { hint: "nodes", priority: 2 }),
      textColumn("CPUs", "cpus"),
      textColumn("Within a", "level", { priority: 2 }),
      textColumn("Core", "core_cpus", { priority: 3 }),
      textColumn("Cache", "cache_cpus", { priority: 3 }),
      textColumn("NUMA node", "numa_cpus", { priority: 3 }),
      textColumn("Socket", "socket_cpus", { priority: 3 }),
      textColumn("Ranks", "rank_list", { show: (row) => spacedList(row.rank_list) }),
    ],
  };
}

/** Nothing where it was not recorded. @param {ReportData} data @returns {Node} */
export function bindingsSection(data) {
  if (data.lists.bindings.length === 0) return document.createDocumentFragment();
  const kinds = kindsOf(data);
  /** @type {[keyof BindingRow, string][]} */
  const parts = [
    ["socket_cpus", "socket, CPUs"],
    ["numa_cpus", "NUMA node, CPUs"],
    ["cache_cpus", "cache of CPUs"],
  ];
  const drawn = kinds.slice(0, shownKinds).map((rows) => {
    const [first] = rows;
    const alike = (first?.nodes ?? 1) - 1;
    return element(
      "div.node-seats",
      {},
      element("h3", {}, `${first?.host}${alike > 0 ? `, and ${plural(alike, "node")} alike` : ""}`),
      ...boxes(rows, parts, ""),
    );
  });
  return section(
    {
      id: "bindings",
      title: "Cores",
      question: "Where do ranks sit?",
      hint: data.lists.bindings.some(({ level }) => level === "core")
        ? "A field is a core, with the ranks that are bound to it; the boxes around it are its " +
          "cache, NUMA node and socket. A click on a rank pins it."
        : "The CPUs that ranks may run on, for one node of each kind.",
    },
    ...firstOpen(drawn, openKinds, (count) => `${plural(count, "more kind")} of nodes`),
    kinds.length > shownKinds
      ? element("p.hint", {}, `${kinds.length - shownKinds} more kinds of nodes are in the table.`)
      : null,
    tableWithTools("bindings", bindingsTable(data)),
  ).node;
}
