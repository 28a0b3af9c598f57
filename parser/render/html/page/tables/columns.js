// Lists of rows that are stored by columns, as render/html/data/html_page.h writes them: a
// column that is no list has the same value in every row; a column that is missing is unknown in
// every row.

/** @typedef {string | number | boolean | null} Cell */
/** @typedef {{rows: number, columns: Record<string, Cell | Cell[]>}} RawColumns */

/**
 * One object per row. What is not known is null or missing.
 * @param {RawColumns} raw
 * @returns {any[]}
 */
export function rowsOf(raw) {
  return Array.from({ length: raw.rows }, (_, i) =>
    Object.fromEntries(
      Object.entries(raw.columns).map(([name, column]) => [
        name,
        Array.isArray(column) ? column[i] : column,
      ]),
    ),
  );
}

/** A column of numbers; NaN where one is not known. @param {RawColumns} raw @param {string} name */
export function numbersOf(raw, name) {
  const column = raw.columns[name];
  return Float64Array.from({ length: raw.rows }, (_, i) => {
    const value = Array.isArray(column) ? column[i] : column;
    return typeof value === "number" ? value : NaN;
  });
}

/** Of those that are known; 0 if none is. @param {Iterable<number>} values */
export function medianOf(values) {
  const sorted = [...values].filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const high = sorted[half] ?? 0;
  return sorted.length % 2 === 1 ? high : ((sorted[half - 1] ?? high) + high) / 2;
}

/**
 * The largest figure of all rows.
 * @template R
 * @param {R[]} rows @param {(row: R) => number | null | undefined} figure
 */
export function largestOf(rows, figure) {
  return rows.reduce((most, row) => Math.max(most, figure(row) ?? 0), 0);
}

/**
 * @param {number | null | undefined} part
 * @param {number | null | undefined} whole null where there is nothing to divide by
 */
export function ratio(part, whole) {
  return whole ? (part ?? 0) / whole : null;
}
