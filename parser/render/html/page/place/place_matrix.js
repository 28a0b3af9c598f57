// The matrix of an order as a picture: rows send, columns receive, both sorted by node. What lies
// in a frame stays inside a node. The rest, in the colour of waiting, crosses the network. The
// colour is the stronger, the more bytes, logarithmically.
import { CanvasChart, wholePixels, write } from "../charts/canvas_chart.js";
import { matrixShade } from "../charts/scales.js";
import { bytesText, countText } from "../format.js";
import { pinnedRank } from "../selection.js";
import { colour } from "../theme.js";

/** @typedef {import("../charts/canvas_chart.js").Context} Context */
/** @typedef {import("../charts/canvas_chart.js").Cell} Cell */
/** @typedef {import("../place_main.js").PlaceData} PlaceData */
/** @typedef {import("../place_main.js").Pair} Pair */
/** @typedef {import("../place_main.js").Which} Which */
/** @typedef {"bytes" | "messages"} Traffic */

const leastStrength = 0.3;
const largestSquare = 36;
const nameRoom = 14;

export class PlaceMatrix extends CanvasChart {
  /** @param {PlaceData} data @param {Which} which */
  constructor(data, which) {
    const side = data.order[which].length;
    super(
      `Who talks to whom ${which}: rows are senders, columns receivers, sorted by node`,
      side,
      side,
      { left: 60, right: 2, top: 2, bottom: 24 },
      true,
    );
    this.data = data;
    this.which = which;
    /** @type {Traffic} */
    this.traffic = "bytes";
    /** The row of each rank or node. */
    this.rowOf = new Int32Array(Math.max(data.ranks, side));
    data.order[which].forEach((item, row) => {
      this.rowOf[item] = row;
    });
    /** @type {Map<number, Pair>} by row * side + column */
    this.cells = new Map();
    for (const pair of data.pairs[which])
      this.cells.set(this.row(pair.source) * side + this.row(pair.destination), pair);
    /** The first row of each node, and the end of the last. */
    this.borders = data.nodes.flatMap((node, row) => (node === data.nodes[row - 1] ? [] : [row]));
    this.borders.push(side);
    this.grid = wholePixels(1, 1);
  }

  /** @param {number} item */
  row(item) {
    return this.rowOf[item] ?? 0;
  }

  /** @param {Traffic} traffic */
  show(traffic) {
    this.traffic = traffic;
    this.draw();
  }

  /** @param {number} width */
  heightFor(width) {
    this.margins.left = width < 420 ? 46 : 78;
    const { left, top, bottom } = this.margins;
    const room = Math.min(width - left - 2, this.across * largestSquare);
    this.grid = wholePixels(room, this.view.across);
    const side = this.grid.count * this.grid.size;
    this.margins.right = width - left - side;
    return side + top + bottom;
  }

  /** @param {Cell} cell @returns {import("../charts/tooltip.js").Tip} */
  tipOf({ x, y }) {
    const { data, which } = this;
    const pair = this.cells.get(y * this.across + x);
    const [from, to] = [data.host(y), data.host(x)];
    const nodes = from === to ? `${from}, inside` : `${from} → ${to}`;
    const amount = pair
      ? [
          { name: "bytes", value: bytesText(pair.bytes) },
          ...(pair.messages ? [{ name: "messages", value: countText(pair.messages) }] : []),
        ]
      : [{ name: "bytes", value: "nothing" }];
    if (!data.ofRanks) return { title: nodes, lines: amount };
    const order = data.order[which];
    const [sender, receiver] = [order[y] ?? 0, order[x] ?? 0];
    return {
      title: `rank ${sender} → rank ${receiver}`,
      lines: [...amount, { name: which, value: nodes }, ...this.elsewhere(sender, receiver)],
    };
  }

  /** Where the two are in the other order. @param {number} sender @param {number} receiver */
  elsewhere(sender, receiver) {
    const { data } = this;
    if (data.isGood) return [];
    const other = this.which === "before" ? "after" : "before";
    const host = (/** @type {number} */ rank) => data.host(data.order[other].indexOf(rank));
    const [from, to] = [host(sender), host(receiver)];
    return [{ name: other, value: from === to ? `${from}, inside` : `${from} → ${to}` }];
  }

  /** @param {Cell} cell */
  rankOf(cell) {
    return this.data.ofRanks ? (this.data.order[this.which][cell.y] ?? null) : null;
  }

  /** @param {Context} context */
  paint(context) {
    const { left, top } = this.margins;
    context.fillStyle = colour("--empty");
    context.fillRect(left, top, this.plotWidth, this.plotHeight);
    this.paintPairs(context);
    this.paintFrames(context);
    this.paintNames(context);
  }

  /** @param {Context} context */
  paintPairs(context) {
    const values = [...this.cells.values()].map((pair) => this.amount(pair));
    const low = Math.min(...values.filter((value) => value > 0));
    const high = Math.max(...values);
    const { nodes } = this.data;
    const { view, grid } = this;
    const far = colour("--wait");
    const near = colour("--strip-2");
    const filled = grid.size < 4 ? grid.size : grid.size - 1;
    for (const [place, pair] of this.cells) {
      const y = Math.floor(place / this.across);
      const x = place % this.across;
      const value = this.amount(pair);
      const column = Math.floor((x - view.x) / grid.shared);
      const row = Math.floor((y - view.y) / grid.shared);
      if (!(value > 0) || x < view.x || y < view.y) continue;
      if (x >= view.x + view.across || y >= view.y + view.down) continue;
      const share = matrixShade(value, low, high);
      context.globalAlpha = leastStrength + (1 - leastStrength) * share;
      context.fillStyle = nodes[y] === nodes[x] ? near : far;
      context.fillRect(
        this.margins.left + column * grid.size,
        this.margins.top + row * grid.size,
        filled,
        filled,
      );
    }
    context.globalAlpha = 1;
  }

  /** @param {Pair} pair */
  amount(pair) {
    return (this.traffic === "bytes" ? pair.bytes : pair.messages) ?? 0;
  }

  /** What stays inside a node. Too many would cover the cells. @param {Context} context */
  paintFrames(context) {
    context.strokeStyle = colour("--line");
    context.lineWidth = 1;
    context.strokeRect(
      this.margins.left - 0.5,
      this.margins.top - 0.5,
      this.plotWidth + 1,
      this.plotHeight + 1,
    );
    if (this.borders.length > this.plotWidth / 6) return;
    this.borders.slice(0, -1).forEach((first, i) => {
      const count = (this.borders[i + 1] ?? first) - first;
      this.outline(context, { x: first, y: first, across: count, down: count }, "--text");
    });
  }

  /** Of nodes, as far as there is room; numbers where it is narrow. @param {Context} context */
  paintNames(context) {
    const { left, top } = this.margins;
    let lastY = -Infinity;
    let lastX = -Infinity;
    this.borders.slice(0, -1).forEach((first, i) => {
      const middle = (first + (this.borders[i + 1] ?? first)) / 2;
      if (middle < this.view.x || middle > this.view.x + this.view.across) return;
      const y = this.yOf(middle);
      const name = this.data.host(first);
      const short = context.measureText(name).width > left - 8 ? String(i) : name;
      if (y - lastY >= nameRoom && y > top && y < top + this.plotHeight) {
        write(context, short, left - 6, y, "right", "middle");
        lastY = y;
      }
      const x = this.xOf(middle);
      const half = context.measureText(String(i)).width / 2 + 4;
      if (x - half > lastX && x > left && x < left + this.plotWidth) {
        write(context, String(i), x, top + this.plotHeight + 7, "center", "top");
        lastX = x + half;
      }
    });
  }

  /** @param {Context} context */
  paintOver(context) {
    const rank = pinnedRank();
    if (!this.data.ofRanks || rank === null) return;
    const row = this.row(rank);
    this.outline(context, { x: 0, y: row, across: this.across, down: 1 }, "--transfer");
    this.outline(context, { x: row, y: 0, across: 1, down: this.down }, "--transfer");
  }
}
