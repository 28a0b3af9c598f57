// Who talks to whom?
import { barCell } from "../tables/cells.js";
import { largestOf, ratio, rowsOf } from "../tables/columns.js";
import { element } from "../dom.js";
import { bytesText, countText, figureText, percentText } from "../format.js";
import { absentSection, choices, factList, section, tableWithTools } from "../panel.js";
import { onPin, pinnedRank } from "../selection.js";
import { matrixPicture } from "./partners_matrix.js";
import { barColumn, numberColumn, rankColumn, textColumn } from "../tables/table_columns.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("../report_data.js").RawMatrix} RawMatrix */
/** @typedef {import("../charts/matrix_data.js").MatrixData} MatrixData */
/** @typedef {import("../charts/rank_axis.js").RankAxis} RankAxis */
/** @typedef {import("../report_data.js").Pair} Pair */
/**
 * @template R
 * @typedef {import("../tables/table.js").TableSpec<R>} TableSpec
 */

/** @param {RankAxis} axis @param {RawMatrix} raw */
function facts(axis, raw) {
  const {
    bytes = 0,
    messages = 0,
    other_node_bytes = 0,
    one_sided_messages = 0,
    one_sided_bytes = 0,
  } = raw.totals ?? {};
  /** @param {number} part */
  const withShare = (part) => `${bytesText(part)} (${percentText(ratio(100 * part, bytes))})`;
  return factList({
    "Total sent": `${bytesText(bytes)} in ${countText(messages)} messages`,
    "Between nodes": axis.data.run.nodes > 1 ? withShare(other_node_bytes) : null,
    "One-sided": one_sided_messages > 0 ? withShare(one_sided_bytes) : null,
    "Pairs that talk":
      `${countText(raw.pairs)} of ${countText(raw.side * (raw.side - 1))}, ` +
      `${figureText(raw.pairs / raw.side)} partners per rank`,
  });
}

/** "+8", "−8" @param {import("../report_data.js").Maybe} distance */
function signed(distance) {
  return `${(distance ?? 0) > 0 ? "+" : "−"}${Math.abs(distance ?? 0)}`;
}

/**
 * @param {ReportData} data @param {number} all bytes
 * @returns {TableSpec<import("../report_data.js").DistanceRow>}
 */
export function distancesTable(data, all) {
  const { distances: rows } = data.lists;
  const most = largestOf(rows, (row) => row.bytes);
  return {
    caption: "Rank distances",
    rows,
    shown: 7,
    sortBy: "% of bytes",
    columns: [
      numberColumn("Rank distance", "distance", signed, { hint: "receiver − sender" }),
      barColumn(
        "Share of bytes",
        (row) => row.bytes,
        (row) => barCell([{ value: row.bytes, kind: "transfer" }], most),
      ),
      numberColumn("% of bytes", (row) => ratio(100 * row.bytes, all), percentText),
      numberColumn("Messages", "messages", countText, { priority: 3 }),
      numberColumn("Pairs", "pairs", countText, { priority: 2 }),
    ],
  };
}

/**
 * Every pair, or those with most bytes where only these are known.
 * @param {RawMatrix} raw @param {MatrixData} matrix
 * @returns {Pair[]}
 */
function allPairs(raw, matrix) {
  if (raw.top) return rowsOf(raw.top);
  const { rows, columns, figures } = matrix;
  return Array.from(rows, (source, i) => ({
    source,
    destination: columns[i] ?? 0,
    bytes: figures.bytes[i] ?? 0,
    messages: figures.messages[i] ?? 0,
  }));
}

/**
 * @param {string} caption @param {RankAxis} axis @param {Pair[]} pairs
 * @returns {TableSpec<Pair>}
 */
function pairsTable(caption, axis, pairs) {
  /** @param {number} rank */
  const host = (rank) => axis.hostName(axis.barOf(rank));
  return {
    caption,
    rows: pairs,
    shown: 6,
    sortBy: "Bytes",
    rankOf: (row) => row.source,
    columns: [
      rankColumn("From", "source"),
      rankColumn("To", "destination"),
      numberColumn("Bytes", "bytes", bytesText),
      numberColumn("Messages", "messages", countText, { priority: 3 }),
      numberColumn("Avg message", (row) => ratio(row.bytes, row.messages), bytesText, {
        priority: 2,
      }),
      textColumn(
        "Link",
        (row) => (host(row.source) === host(row.destination) ? "same node" : "network"),
        { priority: 2 },
      ),
    ],
  };
}

/**
 * The partners of the pinned rank, where each pair is known.
 * @param {RankAxis} axis @param {Pair[]} pairs
 */
function partnersOfPinned(axis, pairs) {
  const place = element("div");
  const show = () => {
    const pinned = pinnedRank();
    const title = `Partners of rank ${pinned}`;
    place.replaceChildren();
    if (pinned === null) return;
    place.append(
      element("h3", {}, title),
      tableWithTools(
        title,
        pairsTable(
          title,
          axis,
          pairs.filter(({ source, destination }) => source === pinned || destination === pinned),
        ),
      ),
    );
  };
  onPin(show);
  show();
  return place;
}

/** @param {RankAxis} axis */
export function partnersSection(axis) {
  const question = "Who talks to whom?";
  const { data } = axis;
  const raw = data.raw.matrix;
  if (!raw)
    return absentSection(
      "partners",
      question,
      "Nobody: the program sent no messages from rank to rank. Collectives have no partners.",
    );
  const ranks = matrixPicture(axis, raw, true);
  const pairs = allPairs(raw, ranks.matrix);
  const nodes = data.raw.node_matrix && matrixPicture(axis, data.raw.node_matrix, false);
  const picture = element("div", {}, ranks.node);
  const { node, controls } = section(
    {
      id: "partners",
      title: "Partners",
      question,
      long: true,
      hint:
        "Point-to-point and one-sided traffic, logarithmic colour scale" +
        `${data.run.nodes > 1 ? "; thin lines are node boundaries" : ""}. ` +
        "Drag to zoom, click to pin the sender.",
    },
    element(
      "div.columns",
      {},
      picture,
      element(
        "div.stack",
        {},
        facts(axis, raw),
        ...data.raw.partner_remarks.map((remark) => element("p", {}, remark)),
        data.lists.distances.length > 0 &&
          tableWithTools("distances", distancesTable(data, raw.totals?.bytes ?? 0)),
        ranks.matrix.isExact && partnersOfPinned(axis, pairs),
        tableWithTools(
          "top pairs",
          pairsTable(
            "Pairs with most bytes",
            axis,
            [...pairs].sort((a, b) => b.bytes - a.bytes).slice(0, 50),
          ),
        ),
      ),
    ),
  );
  if (nodes)
    controls.append(
      choices("Between what", { ranks: "Ranks", nodes: "Nodes" }, "ranks", (choice) =>
        picture.replaceChildren(choice === "nodes" ? nodes.node : ranks.node),
      ),
    );
  const titles = {
    bytes: "Bytes",
    messages: "Messages",
    ...(ranks.matrix.hasTimes ? { times: "Time" } : {}),
  };
  controls.append(
    choices("What the matrix shows", titles, "bytes", (choice) => {
      ranks.show(choice);
      nodes?.show(choice);
    }),
  );
  return node;
}
