// The matrix of who sends to whom, from the form in which render/html/data/html_data_matrix.cc
// stores it: lists of cells, each a pair of ranks (or of nodes) or, when there are too many, a
// square of ranks.
import { fromBase64 } from "../unpack.js";

/** @typedef {import("../report_data.js").RawMatrix} RawMatrix */
/** @typedef {import("../report_data.js").GridFigure} GridFigure */
/** @typedef {"bytes" | "messages" | "times"} Figure */

/** @param {GridFigure} figure @param {number} count */
function fromLogarithms(figure, count) {
  const values = new Float64Array(count);
  if (!figure) return values;
  const codes = fromBase64(figure.cells);
  const ratio = figure.high / figure.low;
  for (let i = 0; i < count; i++) {
    const code = codes[i] ?? 0;
    values[i] = code === 0 ? 0 : figure.low * ratio ** ((code - 1) / 254);
  }
  return values;
}

export class MatrixData {
  /** @param {RawMatrix} raw */
  constructor(raw) {
    /** Ranks, or nodes. */
    this.side = raw.side;
    this.pairs = raw.pairs;
    this.isExact = raw.form === "pairs";
    /** Cells per side. */
    this.cells = this.isExact ? raw.side : (raw.cells_per_side ?? 1);
    const [rows, columns] = this.isExact ? MatrixData.pairPlaces(raw) : this.gridPlaces(raw);
    this.rows = rows;
    this.columns = columns;
    /** @type {Record<Figure, Float64Array>} */
    this.figures = {
      bytes: MatrixData.figure(raw, raw.bytes, rows.length),
      messages: MatrixData.figure(raw, raw.messages, rows.length),
      times:
        raw.form === "pairs"
          ? Float64Array.from(/** @type {number[]} */ (raw.times ?? []))
          : MatrixData.figure(raw, raw.times, rows.length),
    };
    this.hasTimes = this.figures.times.some((value) => value > 0);
  }

  /** @param {RawMatrix} raw @returns {[Uint32Array, Uint32Array]} */
  static pairPlaces(raw) {
    const { starts = [], destinations = [] } = raw;
    const rows = new Uint32Array(destinations.length);
    const columns = new Uint32Array(destinations.length);
    let at = 0;
    for (let i = 0; i < starts.length; i += 2) {
      let column = 0;
      for (let k = 0; k < (starts[i + 1] ?? 0); k++, at++) {
        column += destinations[at] ?? 0;
        rows[at] = starts[i] ?? 0;
        columns[at] = column;
      }
    }
    return [rows, columns];
  }

  /** @param {RawMatrix} raw @returns {[Uint32Array, Uint32Array]} */
  gridPlaces(raw) {
    /** @type {number[]} */
    const places = [];
    let place = -1;
    let gap = 0;
    let shift = 0;
    for (const byte of fromBase64(raw.gaps ?? "")) {
      gap += (byte & 127) * 2 ** shift;
      shift += 7;
      if (byte & 128) continue;
      place += gap + 1;
      places.push(place);
      gap = 0;
      shift = 0;
    }
    return [
      Uint32Array.from(places, (p) => Math.floor(p / this.cells)),
      Uint32Array.from(places, (p) => p % this.cells),
    ];
  }

  /**
   * @param {RawMatrix} raw @param {number[] | GridFigure | undefined} figure @param {number} count
   */
  static figure(raw, figure, count) {
    if (!Array.isArray(figure)) return fromLogarithms(figure ?? null, count);
    const numbers = raw.values ?? [];
    return Float64Array.from({ length: count }, (_, i) => figure[numbers[i] ?? 0] ?? 0);
  }

  /** The first rank of a cell's row or column. @param {number} cell */
  first(cell) {
    return this.isExact ? cell : Math.ceil((cell * this.side) / this.cells);
  }

  /** @param {number} rank */
  cellOf(rank) {
    return Math.min(Math.floor((rank * this.cells) / this.side), this.cells - 1);
  }

  /** "3", "128–255" @param {number} cell */
  label(cell) {
    const first = this.first(cell);
    const last = this.first(cell + 1) - 1;
    return last > first ? `${first}–${last}` : String(first);
  }
}
