// Comma-separated values, as spreadsheets, pandas and R read them.

/**
 * A spreadsheet takes a text that begins so for a formula, and runs it. render_csv.cc has the same.
 */
const formula = /^ *[=+\-@\t\r'＝＋－＠]/;

/** @param {string | number | null} value */
function csvField(value) {
  if (value === null) return "";
  const text = typeof value === "string" && formula.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @param {string[]} titles @param {(string | number | null)[][]} rows */
export function csvText(titles, rows) {
  return [titles, ...rows].map((row) => row.map(csvField).join(",") + "\n").join("");
}
