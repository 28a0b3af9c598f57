// The rows of a comparison: a figure on side A and on side B, and how it changed.
import { rowsOf } from "./columns.js";
import { element, svg } from "../dom.js";
import {
  bytesText,
  countText,
  differenceText,
  percentText,
  secondsText,
  unknown,
} from "../format.js";
import { unpacked } from "../unpack.js";

/** @typedef {import("../report_types.js").DiffFields} DiffFields */
/** @typedef {DiffFields["totals"]} TotalRow */
/** @typedef {DiffFields["row"] & Partial<DiffFields["ranks"]>} ChangedRow */
/**
 * @typedef {Pick<ChangedRow, "name" | "outcome" | "a" | "b" | "noise" | "percent">
 *   & {more_is_better?: boolean}} Changed what both have
 */
/** @typedef {Changed["outcome"]} Outcome of B against A, beyond noise */
/**
 * @typedef {(
 *   "accounts" | "segments" | "callsites" | "functions" | "sizes" | "regions" | "phases" | "ranks"
 * )} ListName
 */

export const listNames = /** @type {ListName[]} */ ([
  "accounts",
  "segments",
  "callsites",
  "functions",
  "sizes",
  "regions",
  "phases",
  "ranks",
]);

export class DiffData {
  /** @param {any} raw */
  constructor(raw) {
    this.totals = /** @type {TotalRow[]} */ (rowsOf(raw.totals));
    this.lists = /** @type {Record<ListName, ChangedRow[]>} */ (
      Object.fromEntries(listNames.map((name) => [name, rowsOf(raw[name])]))
    );
  }
}

export function readDiff() {
  return new DiffData(JSON.parse(unpacked("data")));
}

/** @param {TotalRow} row @param {number} value */
export function totalText(row, value) {
  const texts = { seconds: secondsText, percent: percentText, bytes: bytesText, count: countText };
  return texts[row.measure](value);
}

const words = { more: "more", less: "less", same: "same" };

/**
 * The colour of a change: orange and red for what costs.
 * @param {Changed} row
 * @returns {Outcome}
 */
function effectOf({ more_is_better, outcome }) {
  if (!more_is_better || outcome === "same") return outcome;
  return outcome === "more" ? "less" : "more";
}

/**
 * How much B has more than A: never by colour alone.
 * @param {Changed} row @param {(value: number) => string} text
 */
export function changeCell(row, text) {
  const difference = row.b - row.a;
  const number =
    difference === 0 ? text(0) : `${difference > 0 ? "+" : "−"}${text(Math.abs(difference))}`;
  if (row.outcome === "same") return element("span.muted", {}, number);
  return element(
    effectOf(row) === "more" ? "span.more-time" : "span.less-time",
    {},
    `${row.outcome === "more" ? "▲" : "▼"} ${number}`,
  );
}

/** @param {Changed} row */
export function percentCell(row) {
  if (row.a === 0 || typeof row.percent !== "number")
    return row.a === 0 && row.b > 0 ? "new" : unknown;
  return row.b === 0 ? "gone" : differenceText(row.b / row.a);
}

/** A's bar above B's; `whole` fills the cell. @param {Changed} row @param {number} whole */
export function pairCell(row, whole) {
  const node = svg("svg", { class: "pair", role: "img", "aria-label": words[row.outcome] });
  for (const [value, y, kind] of /** @type {[number, number, string][]} */ ([
    [row.a, 0, "compute"],
    [row.b, 9, effectOf(row)],
  ]))
    if (value > 0 && whole > 0)
      node.append(
        svg("rect", {
          class: `fill-${kind}`,
          y,
          height: 8,
          width: `${Math.max((100 * value) / whole, 0.3).toFixed(2)}%`,
        }),
      );
  return node;
}

/** All ranks along a line, A's bars above B's, on one scale. @param {ChangedRow[]} rows */
export function ranksChart(rows) {
  const whole = Math.max(...rows.map((row) => Math.max(row.a, row.b)), 1e-9);
  const gap = rows.length > 200 ? 0 : 0.12;
  /** @param {(row: ChangedRow) => boolean} shown @param {"a" | "b"} side @param {number} foot */
  const bars = (shown, side, foot) =>
    rows
      .map(
        (row, i) =>
          shown(row) &&
          `M${i + gap} ${foot}v${((-48 * row[side]) / whole).toFixed(2)}h${1 - 2 * gap}V${foot}z`,
      )
      .filter(Boolean)
      .join("");
  const node = svg("svg", {
    class: "ranks-pair",
    viewBox: `0 0 ${rows.length} 100`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": "compute time of every rank, A above, B below; the table has the numbers",
  });
  node.append(svg("path", { class: "fill-compute", d: bars(() => true, "a", 49) }));
  for (const outcome of /** @type {Outcome[]} */ (["same", "more", "less"]))
    node.append(
      svg("path", {
        class: `fill-${outcome === "same" ? "compute" : outcome}`,
        d: bars((row) => row.outcome === outcome, "b", 100),
      }),
    );
  return node;
}
