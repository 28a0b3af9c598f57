// What the page of mprof place draws, as render_place_html.cc wrote it: the pairs of ranks with
// both orders, or where there are too many, those of nodes.
import { rowsOf } from "../tables/columns.js";
import { unpacked } from "../unpack.js";

/**
 * @typedef {{
 *   distance: string, before_bytes: number, after_bytes: number, gib_s?: number | null,
 *   before_s?: number | null, after_s?: number | null
 * }} DistanceRow
 */
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
