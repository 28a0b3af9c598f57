// Who talks to whom: the matrix with its scale and its table, the pairs, and the communicators.
import { MatrixData } from "../charts/matrix_data.js";
import { MatrixView } from "../charts/matrix_view.js";
import { element } from "../dom.js";
import { bytesText, countText, figureText, percentText, secondsText } from "../format.js";
import { absentSection, choices, dataTools, factList, section, tableWithTools } from "../panel.js";
import { onPin, pinnedRank } from "../selection.js";
import { largestOf, ratio, rowsOf } from "../tables/columns.js";
import {
  barCell,
  barColumn,
  mpiBarCell,
  numberColumn,
  rankColumn,
  textColumn,
} from "../tables/table_columns.js";

/** @typedef {import("../report_data.js").RawMatrix} RawMatrix */
/** @typedef {import("../charts/matrix_data.js").Figure} Figure */
/** @typedef {import("../charts/rank_axis.js").RankAxis} RankAxis */
/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("../report_data.js").Pair} Pair */
/** @typedef {import("../report_data.js").CommunicatorRow} CommunicatorRow */

/**
 * @template R
 * @typedef {import("../tables/table.js").TableSpec<R>} TableSpec
 */

/** @type {Record<Figure, [string, import("../tables/table_columns.js").NumberText]>} */
const trafficFigures = {
  bytes: ["Bytes", bytesText],
  messages: ["Messages", countText],
  times: ["Time", secondsText],
};

/**
 * @param {MatrixData} matrix @param {string} caption @param {(cell: number) => string} label
 * @returns {TableSpec<number>}
 */
function cellsTable(matrix, caption, label) {
  /**
   * @param {string} title @param {Uint32Array} cells
   * @returns {import("../tables/table.js").TableColumn<number>}
   */
  const end = (title, cells) =>
    numberColumn(title, (i) => matrix.first(cells[i] ?? 0), String, {
      show: (i) => label(cells[i] ?? 0),
    });
  /** @param {Figure} figure @returns {import("../tables/table.js").TableColumn<number>} */
  const amount = (figure) =>
    numberColumn(
      trafficFigures[figure][0],
      (i) => matrix.figures[figure][i],
      trafficFigures[figure][1],
    );
  return {
    caption,
    rows: Array.from(matrix.rows.keys()),
    sortBy: "Bytes",
    columns: [
      end("From", matrix.rows),
      end("To", matrix.columns),
      amount("bytes"),
      amount("messages"),
      ...(matrix.hasTimes ? [amount("times")] : []),
    ],
  };
}

/**
 * A matrix with its scale and tools; of ranks, or of nodes.
 * @param {RankAxis} axis @param {RawMatrix} raw @param {boolean} ofRanks
 * @param {string} name of what is taken out
 */
export function matrixPicture(axis, raw, ofRanks, name = ofRanks ? "matrix" : "node-matrix") {
  const matrix = new MatrixData(raw);
  const { nodes } = axis.data.lists;
  const low = element("span.unbroken");
  const high = element("span");
  /** @type {Figure} */
  let figure = "bytes";
  /** @param {number} cell */
  const label = (cell) =>
    ofRanks || nodes.length !== raw.side ? matrix.label(cell) : (nodes[cell]?.host ?? "");
  /** @param {number} cell */
  const host = (cell) => (ofRanks ? axis.hostName(axis.barOf(matrix.first(cell))) : "");
  const [unit, prefix] = ofRanks ? ["rank", "rank "] : ["node", ""];
  const view = new MatrixView(
    {
      data: matrix,
      pins: ofRanks,
      label: `Which ${unit} sends to which: rows are senders, columns receivers`,
      hostOf: ofRanks && axis.data.run.nodes > 1 ? (rank) => axis.host(axis.barOf(rank)) : null,
      tipOf: (row, column, value) => {
        const [title, text] = trafficFigures[figure];
        const [from, to] = [host(row), host(column)];
        return {
          title: `${prefix}${label(row)} → ${prefix}${label(column)}`,
          lines: [
            {
              name: title.toLowerCase(),
              value: value > 0 ? `${matrix.isExact ? "" : "about "}${text(value)}` : "nothing",
            },
            ...(from && to
              ? [{ name: "nodes", value: from === to ? `${from} (same node)` : `${from} → ${to}` }]
              : []),
          ],
        };
      },
      onScale: (least, most) => {
        const text = trafficFigures[figure][1];
        low.textContent = most > 0 ? text(least) : "nothing here";
        high.textContent =
          most > 0 ? `${text(most)} per ${matrix.isExact ? "pair" : "cell"}, logarithmic` : "";
      },
    },
    figure,
  );
  return {
    matrix,
    node: element(
      "div",
      {},
      view.node,
      element("p.scale", {}, low, element("span.shades", {}), high),
      dataTools(name, () => cellsTable(matrix, `Which ${unit} sends to which`, label)),
    ),
    /** @param {Figure} next */
    show: (next) => {
      figure = next;
      view.show(next);
    },
  };
}

// Pairs of ranks, and how far their bytes travel.

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
    "Pairs that communicate":
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

// Which communicator?

/** @param {CommunicatorRow} row */
function nameOf(row) {
  return row.name || row.made_by || "unnamed";
}

/** @param {CommunicatorRow} row */
function nameCell(row) {
  return element(
    "span",
    {},
    nameOf(row),
    row.kind !== "intra" && row.kind !== "none" && row.kind && element("span.tag", {}, row.kind),
    row.created > 1 && element("span.muted", {}, ` × ${countText(row.created)}`),
  );
}

/** @param {ReportData} data @returns {import("../tables/table.js").TableSpec<CommunicatorRow>} */
export function communicatorsTable(data) {
  const { communicators: rows } = data.lists;
  /** @param {CommunicatorRow} row */
  const time = (row) => data.timePerRank(row);
  /** @param {CommunicatorRow} row */
  const wait = (row) => data.waitPerRank(row);
  const whole = largestOf(rows, time);
  return {
    caption: "Communicators",
    rows,
    shown: 8,
    sortBy: "Time per rank",
    columns: [
      textColumn("Communicator", nameOf, { show: nameCell }),
      numberColumn("Size", "size", countText, {
        show: (row) =>
          row.size > 0 ? `${row.size}${row.remote_size > 0 ? ` + ${row.remote_size}` : ""}` : "–",
      }),
      numberColumn("Time per rank", time, secondsText),
      barColumn(
        "Share",
        (row) => wait(row) ?? time(row),
        (row) => mpiBarCell(time(row), wait(row), whole),
        { priority: 2 },
      ),
      numberColumn("% MPI", (row) => ratio(100 * row.time_s, data.totals.mpi_s), percentText),
      numberColumn("Calls", "calls", countText, { priority: 3 }),
      numberColumn("Bytes", "bytes", bytesText, { priority: 3 }),
      textColumn("Made at", (row) => row.made_at || row.made_by, { priority: 3 }),
    ],
  };
}

/** @param {ReportData} data */
export function communicatorsSection(data) {
  const question = "Which communicator?";
  const { communicators, regions } = data.lists;
  if (communicators.length === 0) return absentSection("communicators", question, "None was used.");
  return section(
    { id: "communicators", question, half: regions.length > 0 },
    tableWithTools("communicators", communicatorsTable(data)),
  ).node;
}
