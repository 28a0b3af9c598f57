// The page of mprof place: who talks to whom in both orders, how far the bytes travel, and how to
// start with the better order. The answer stands in the head, which needs no script. Its data are
// what render_place_html.cc wrote: the pairs of ranks with both orders, or where there are too
// many, those of nodes.
import { byId, element, svg } from "./dom.js";
import { codeBox, copyButton, saveFile } from "./export.js";
import { bytesText, countText, secondsText, unknown } from "./format.js";
import { startPage } from "./page_frame.js";
import { choices, dataTools, keyList, section, tableWithTools } from "./panel.js";
import { PlaceMatrix } from "./place/place_matrix.js";
import { largestOf, rowsOf } from "./tables/columns.js";
import { numberColumn, rankColumn, textColumn } from "./tables/table_columns.js";
import { unpacked } from "./unpack.js";

/** @typedef {import("./report_types.js").PlaceFields["distances"]} DistanceRow */
/** @typedef {{source: number, destination: number, bytes: number, messages?: number}} Pair */
/**
 * @typedef {{
 *   word: string, name: string, line: string | null, note: string | null, file: string,
 *   whole: boolean, text: string, command: string
 * }} LauncherRow
 */

export class PlaceData {
  /** @param {any} raw */
  constructor(raw) {
    this.isGood = Boolean(raw.good);
    this.ranks = Number(raw.ranks);
    /** How the ranks are dealt to the nodes. @type {string | null} */
    this.dealt = raw.dealt;
    this.hosts = /** @type {string[]} */ (raw.hosts);
    this.perNode = /** @type {number[]} */ (raw.perNode);
    /** Bytes between nodes, before and after. @type {[number, number]} */
    this.between = raw.between;
    this.allBytes = Number(raw.allBytes);
    this.distances = /** @type {DistanceRow[]} */ (rowsOf(raw.distances));
    this.launchers = /** @type {LauncherRow[]} */ (raw.launchers);
    this.remarks = /** @type {string[]} */ (raw.remarks);
    /** Whether cells are ranks; else they are nodes, or groups of them. */
    this.ofRanks = raw.pairs !== undefined;
    this.nodesPerRow = Number(raw.nodesPerRow ?? 1);
    const [before, after] = this.ofRanks
      ? [raw.pairs, raw.pairs]
      : [raw.beforeNodes, raw.afterNodes];
    this.pairs = { before: /** @type {Pair[]} */ (rowsOf(before)), after: [...rowsOf(after)] };
    const rows = Array.from({ length: Number(raw.rows ?? 0) }, (_, i) => i);
    /** What is in each row of a matrix, and in each column. @type {Record<Which, number[]>} */
    this.order = { before: raw.before ?? rows, after: raw.after ?? rows };
    /** The node of each row. */
    this.nodes = this.ofRanks ? this.perNode.flatMap((count, i) => Array(count).fill(i)) : rows;
  }

  /** Of a row of a matrix. @param {number} row */
  host(row) {
    const node = (this.nodes[row] ?? 0) * this.nodesPerRow;
    const last = Math.min(node + this.nodesPerRow, this.hosts.length) - 1;
    const name = this.hosts[node] ?? "";
    return last > node ? `${name} to ${this.hosts[last]}` : name;
  }
}

/** @typedef {"before" | "after"} Which order */

export function readPlacing() {
  return new PlaceData(JSON.parse(unpacked("data")));
}

// ---- how far do the bytes travel?

/** @param {DistanceRow} row @param {number} most @param {boolean} isGood */
function bytesBars(row, most, isGood) {
  const bars = isGood ? [row.before_bytes] : [row.before_bytes, row.after_bytes];
  return svg(
    "svg",
    { class: "distance-bars", "aria-hidden": "true" },
    ...bars.map((bytes, i) =>
      svg("rect", {
        class: i === 0 ? "before" : row.distance === "other node" ? "after far" : "after",
        y: 9 * i + 1,
        height: 8,
        width: `${most > 0 ? (100 * bytes) / most : 0}%`,
      }),
    ),
  );
}

/** @param {PlaceData} data */
function distancesSection(data) {
  const most = largestOf(data.distances, (row) => Math.max(row.before_bytes, row.after_bytes));
  const { isGood } = data;
  /** @param {DistanceRow} row */
  const seconds = (row) =>
    isGood || typeof row.before_s !== "number"
      ? secondsText(row.before_s)
      : `${secondsText(row.before_s)} → ${secondsText(row.after_s)}`;
  return section(
    {
      id: "distances",
      title: "Distances",
      question: "How far do the bytes travel?",
      half: true,
    },
    tableWithTools("distances", {
      caption: "Bytes by distance",
      rows: data.distances,
      columns: [
        textColumn("Distance", /** @param {DistanceRow} row */ (row) => row.distance),
        {
          title: isGood ? "Bytes" : "Before, after",
          kind: "bar",
          priority: 2,
          value: () => null,
          show: (row) => bytesBars(row, most, isGood),
        },
        numberColumn(isGood ? "Sum" : "Before", (row) => row.before_bytes, bytesText),
        ...(isGood ? [] : [numberColumn("After", (row) => row.after_bytes, bytesText)]),
        numberColumn(
          "per GiB",
          (row) => row.gib_s,
          (value) => (typeof value === "number" ? secondsText(value) : unknown),
          { priority: 2 },
        ),
        numberColumn("Seconds", (row) => row.before_s, secondsText, { show: seconds }),
      ],
    }),
    element(
      "p.hint.below",
      {},
      "Seconds of the slowest rank's point-to-point messages. The cost of a byte at each " +
        "distance comes from this run.",
    ),
    element("ul.remarks.below", {}, ...data.remarks.map((words) => element("li", {}, words))),
  ).node;
}

// ---- the line to paste, and the file that it names, for one launcher of all: that of the run, or
// the one that the reader chose last

const memory = "mprof-launcher";
const linesShown = 6;

/** A page of a file may not remember anything. */
function rememberedLauncher() {
  try {
    return localStorage.getItem(memory);
  } catch {
    return null;
  }
}

/** @param {string} word */
function rememberLauncher(word) {
  try {
    localStorage.setItem(memory, word);
  } catch {
    // It is asked again.
  }
}

/** @param {string} text */
function firstLines(text) {
  const lines = text.split("\n");
  return lines.length > linesShown + 1 ? `${lines.slice(0, linesShown).join("\n")}\n…` : text;
}

/** @param {LauncherRow} launcher */
function launcherParts(launcher) {
  const { line, text, file, whole, command, note } = launcher;
  const save = element(
    "button",
    { "aria-label": `Save ${file}`, onclick: () => saveFile(file, "text/plain", text) },
    "Save",
  );
  return [
    line ? codeBox("The line to paste", line, copyButton("the line", line)) : null,
    element("p.hint", {}, `${file}:`),
    codeBox(file, whole ? firstLines(text) : `${text}…`, whole ? save : null),
    whole ? null : element("p.hint", {}, "The whole file is written by:"),
    whole ? null : codeBox("To write the file", command, copyButton("the command", command)),
    note ? element("p.hint", {}, `Note: ${note}.`) : null,
  ].filter((part) => part !== null);
}

/** @param {PlaceData} data */
function launchSection(data) {
  const place = element("div.stack.launch", {});
  const last = rememberedLauncher();
  const first = data.launchers.find(({ word }) => word === last) ?? data.launchers[0];
  /** @param {string} word */
  const show = (word) => {
    const launcher = data.launchers.find((row) => row.word === word);
    if (launcher) place.replaceChildren(...launcherParts(launcher));
  };
  show(first?.word ?? "");
  return section(
    { id: "paste", title: "To paste", question: "The line to paste", half: true },
    choices(
      "Launcher",
      Object.fromEntries(data.launchers.map(({ word, name }) => [word, name])),
      first?.word ?? "",
      (word) => {
        rememberLauncher(word);
        show(word);
      },
    ),
    place,
    element("p.below", {}, "Then compare: ", element("code", {}, "mprof diff OLD NEW")),
  ).node;
}

// ---- who talks to whom, node by node? The matrix before and, if there is a better order, after,
// with the same cells in both tables

/** Where each rank is in both orders. @param {PlaceData} data */
function ranksTable(data) {
  /** @param {Which} which */
  const hosts = (which) => {
    /** @type {string[]} */
    const byRank = [];
    data.order[which].forEach((rank, row) => {
      byRank[rank] = data.host(row);
    });
    return byRank;
  };
  const before = hosts("before");
  const after = hosts("after");
  return {
    caption: "Ranks and their nodes",
    rows: before.map((host, rank) => ({ rank, host, next: after[rank] ?? "" })),
    sorts: true,
    filterText: (/** @type {{host: string, next: string}} */ row) => `${row.host} ${row.next}`,
    rankOf: (/** @type {{rank: number}} */ row) => row.rank,
    columns: [
      rankColumn("Rank", /** @param {{rank: number}} row */ (row) => row.rank),
      textColumn(data.isGood ? "Node" : "Before", (row) => row.host),
      ...(data.isGood ? [] : [textColumn("After", (row) => row.next)]),
    ],
  };
}

/** @param {PlaceData} data @param {Which} which */
function pairsTable(data, which) {
  /** @param {number} item */
  const name = (item) => data.host(data.order[which].indexOf(item));
  return {
    caption: `Who sends to whom ${which}`,
    rows: data.pairs[which],
    sortBy: "Bytes",
    columns: [
      ...(data.ofRanks
        ? [
            rankColumn("From", /** @param {Pair} row */ (row) => row.source),
            rankColumn("To", (row) => row.destination),
          ]
        : []),
      textColumn("Node", /** @param {Pair} row */ (row) => name(row.source)),
      textColumn("To node", (row) => name(row.destination)),
      numberColumn("Bytes", (row) => row.bytes, bytesText),
      ...(data.ofRanks ? [numberColumn("Messages", (row) => row.messages, countText)] : []),
    ],
  };
}

/** @param {PlaceData} data */
export function orderSection(data) {
  /** @type {PlaceMatrix[]} */
  const views = [];
  /** @param {Which} which */
  const picture = (which) => {
    const view = new PlaceMatrix(data, which);
    views.push(view);
    const between = data.between[which === "before" ? 0 : 1];
    const title = which === "after" ? "After" : data.dealt ? `Before: ${data.dealt}` : "Before";
    return element(
      "div",
      {},
      element("h3", {}, data.isGood ? "The order" : title),
      element(
        "p.sums",
        {},
        element("strong", {}, bytesText(between)),
        " between nodes, ",
        element("b", {}, bytesText(data.allBytes - between)),
        " inside",
      ),
      element("p.muted", {}, "sender ↓ receiver →"),
      view.node,
      dataTools(`matrix ${which}`, () => pairsTable(data, which)),
    );
  };
  const { node, controls } = section(
    {
      id: "order",
      title: "Order",
      question: "Who talks to whom, node by node?",
      hint:
        `${data.isGood ? "The matrix is" : "Both matrices are"} sorted by node: messages in a ` +
        "framed block stay inside a node, the rest cross the network. Logarithmic colour." +
        (data.ofRanks ? " A click pins a rank." : ""),
    },
    keyList([
      { name: "inside a node", colour: "var(--strip-2)" },
      { name: "between nodes", colour: "var(--wait)" },
    ]),
    element("div.columns.orders", {}, picture("before"), data.isGood ? null : picture("after")),
    data.ofRanks
      ? element(
          "div.below",
          {},
          element("p.muted", {}, "Ranks and their nodes"),
          dataTools("ranks", () => ranksTable(data)),
        )
      : null,
  );
  if (data.ofRanks)
    controls.append(
      choices("What is drawn", { bytes: "Bytes", messages: "Messages" }, "bytes", (traffic) => {
        for (const view of views) view.show(traffic);
      }),
    );
  return node;
}

const data = readPlacing();
byId("sections").append(
  orderSection(data),
  distancesSection(data),
  ...(data.isGood ? [] : [launchSection(data)]),
);
startPage({ fileName: "mprof-place", ranks: data.ofRanks ? data.ranks : 0 });
