// The matrix of who talks to whom, with its scale and its table.
import { element } from "../dom.js";
import { bytesText, countText, secondsText } from "../format.js";
import { MatrixData } from "../charts/matrix_data.js";
import { MatrixView } from "../charts/matrix_view.js";
import { dataTools } from "../panel.js";
import { numberColumn } from "../tables/table_columns.js";

/** @typedef {import("../report_data.js").RawMatrix} RawMatrix */
/** @typedef {import("../charts/matrix_data.js").Figure} Figure */
/** @typedef {import("../charts/rank_axis.js").RankAxis} RankAxis */
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
 */
export function matrixPicture(axis, raw, ofRanks) {
  const matrix = new MatrixData(raw);
  const { nodes } = axis.data.lists;
  const low = element("span");
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
  const name = ofRanks ? "matrix" : "node-matrix";
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
