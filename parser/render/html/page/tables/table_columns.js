// Columns of tables, and what stands in their cells besides plain text.
import { dot, element, svg } from "../dom.js";
import {
  bytesText,
  percentText,
  plural,
  rankSecondsText,
  secondsText,
  unknown,
} from "../format.js";
import { placesIn, togglePin, togglePlaces } from "../selection.js";
import { functionStyle, isFileCall } from "../theme.js";

/** A function with its colour. @param {string} name */
export function functionCell(name) {
  return element("span.name", {}, dot(functionStyle(name)), name);
}

/** A rank that a click pins. @param {number | null | undefined} rank @param {string} [suffix] */
export function rankCell(rank, suffix = "") {
  if (rank === null || rank === undefined) return "–";
  return element(
    "button.rank",
    { "aria-label": `pin rank ${rank}`, onclick: () => togglePin(rank) },
    `${rank}${suffix}`,
  );
}

/**
 * How a time is spread over the ranks that have it.
 * @param {{mean_s: number, min_s: number, min_rank: number, max_s: number, max_rank: number,
 *   ranks: number}} row
 */
export function spreadWords(row) {
  return element(
    "span",
    {},
    `mean ${secondsText(row.mean_s)}, least ${secondsText(row.min_s)} (`,
    rankCell(row.min_rank),
    `), most ${secondsText(row.max_s)} (`,
    rankCell(row.max_rank),
    `), on ${plural(row.ranks, "rank")}`,
  );
}

/** Words whose places in the code a click selects. @param {string | null | undefined} words */
export function placeCell(words) {
  const places = placesIn(words);
  if (places.length === 0) return words || "–";
  return element(
    "button.rank",
    { title: `mark ${places.join(" and ")} everywhere`, onclick: () => togglePlaces(places) },
    words,
  );
}

/**
 * A bar of parts; `whole` is what would fill the cell.
 * @param {{value: number, kind: string}[]} parts kind: compute, wait, transfer, mpi
 * @param {number} whole
 */
export function barCell(parts, whole) {
  const node = svg("svg", { "aria-hidden": "true" });
  let x = 0;
  for (const { value, kind } of parts) {
    if (!(value > 0) || !(whole > 0)) continue;
    const width = Math.min((100 * value) / whole, 100 - x);
    node.append(
      svg("rect", {
        class: `fill-${kind}`,
        x: `${x.toFixed(2)}%`,
        width: `${Math.max(width, 0.3).toFixed(2)}%`,
        height: "100%",
      }),
    );
    x += width;
  }
  return node;
}

/**
 * MPI time as far as it is known apart.
 * @param {number} time @param {number | null | undefined} wait
 * @param {string | null} [name] of the function, if it is one
 */
export function mpiParts(time, wait, name = null) {
  const isIo = isFileCall(name);
  if (wait === null || wait === undefined) return [{ value: time, kind: isIo ? "io" : "mpi" }];
  return [
    { value: wait, kind: "wait" },
    { value: time - wait, kind: isIo ? "io" : "transfer" },
  ];
}

/**
 * MPI time as far as it is known apart.
 * @param {number | null} time @param {number | null} wait @param {number} whole
 * @param {string | null} [name] of the function, if it is one
 */
export function mpiBarCell(time, wait, whole, name = null) {
  return barCell(mpiParts(time ?? 0, wait, name), whole);
}

/** Of a Judgement. @type {Record<string, string>} */
export const marks = { good: "●", watch: "◆", problem: "▲" };

/** @param {string} state a Judgement of the Report @param {string} words */
export function judged(state, words) {
  return element("span", { class: `judged ${state}` }, `${marks[state]} ${words}`);
}

// Makes columns of tables. What a column shows of a row is named, or worked out by a function.

/** @typedef {number | null | undefined} Maybe */
/** @typedef {(value: Maybe) => string} NumberText */
/**
 * @template R
 * @typedef {{
 *   priority?: number, hint?: string, show?: (row: R) => import("../dom.js").Child
 * }} Options
 */
/**
 * @template R
 * @typedef {import("./table.js").TableColumn<R>} TableColumn
 */

/** In what the values are that these show. @type {Map<NumberText, string>} */
const units = new Map([
  [secondsText, "s"],
  [rankSecondsText, "s"],
  [bytesText, "B"],
  [percentText, "%"],
]);

/**
 * @template R
 * @template T
 * @param {string | ((row: R) => T)} value @returns {(row: R) => T}
 */
function reader(value) {
  return typeof value === "string" ? (row) => /** @type {any} */ (row)[value] : value;
}

/**
 * @template R
 * @param {string} title @param {(keyof R & string) | ((row: R) => string | null | undefined)} value
 * @param {Options<R>} [options]
 * @returns {TableColumn<R>}
 */
export function textColumn(title, value, options) {
  const read = reader(value);
  return {
    title,
    kind: "text",
    value: (row) => read(row) || null,
    show: (row) => read(row) || unknown,
    ...options,
  };
}

/**
 * @template R
 * @param {string} title @param {(keyof R & string) | ((row: R) => Maybe)} value
 * @param {NumberText} text @param {Options<R>} [options]
 * @returns {TableColumn<R>}
 */
export function numberColumn(title, value, text, options) {
  const read = reader(value);
  return {
    title,
    kind: "number",
    unit: units.get(text) ?? "",
    value: (row) => read(row) ?? null,
    show: (row) => text(read(row)),
    ...options,
  };
}

/**
 * A rank that a click pins.
 * @template R
 * @param {string} title @param {(keyof R & string) | ((row: R) => Maybe)} value
 * @param {Options<R>} [options]
 * @returns {TableColumn<R>}
 */
export function rankColumn(title, value, options) {
  const read = reader(value);
  return {
    title,
    kind: "number",
    value: (row) => read(row) ?? null,
    show: (row) => rankCell(read(row)),
    ...options,
  };
}

/**
 * @template R
 * @param {string} title @param {(row: R) => Maybe} sortBy @param {(row: R) => Node} show
 * @param {Options<R>} [options]
 * @returns {TableColumn<R>}
 */
export function barColumn(title, sortBy, show, options) {
  return { title, kind: "bar", value: (row) => sortBy(row) ?? null, show, ...options };
}
