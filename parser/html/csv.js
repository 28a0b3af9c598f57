// Comma-separated values, as spreadsheets, pandas and R read them.

/** @param {string | number | null} value */
function csvField(value) {
  if (value === null) return "";
  const text = String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @param {string[]} titles @param {(string | number | null)[][]} rows */
export function csvText(titles, rows) {
  return [titles, ...rows].map((row) => row.map(csvField).join(",") + "\n").join("");
}
