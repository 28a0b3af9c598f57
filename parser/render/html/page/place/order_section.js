// Who talks to whom, node by node? The matrix before and, if there is a better order, after, with
// the same cells in both tables.
import { element } from "../dom.js";
import { bytesText, countText } from "../format.js";
import { choices, dataTools, keyList, section } from "../panel.js";
import { numberColumn, rankColumn, textColumn } from "../tables/table_columns.js";
import { PlaceMatrix } from "./place_matrix.js";

/** @typedef {import("./place_data.js").PlaceData} PlaceData */
/** @typedef {import("./place_data.js").Pair} Pair */
/** @typedef {import("./place_data.js").Which} Which */

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
        `${data.isGood ? "The matrix is" : "Both matrices are"} sorted by node: what lies in a ` +
        "framed block stays inside a node, the rest crosses the network. Logarithmic colour." +
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
