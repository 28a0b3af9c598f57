// Makes columns of tables. What a column shows of a row is named, or worked out by a function.
import { rankCell } from "./cells.js";
import { bytesText, percentText, rankSecondsText, secondsText, unknown } from "../format.js";

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
