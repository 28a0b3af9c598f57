// How numbers read: as in the text report (tests/numbers/cases.tsv), with µs for us. The export
// has all digits, and its cells are quoted here.
export const unknown = "–";

/** @param {number | null | undefined} value @returns {value is null | undefined} */
function isUnknown(value) {
  return value === null || value === undefined || !Number.isFinite(value);
}

/** @param {number} value Three significant digits. */
function short(value) {
  const size = Math.abs(value);
  return value.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

/** @param {number} value @param {number} step @param {readonly string[]} units */
function scaled(value, step, units) {
  const most = step === 1024 ? 1023.5 : 999.5; // what would be shown as 1024, or as 1000
  let unit = 0;
  while (Math.abs(value) >= most && unit + 1 < units.length) {
    value /= step;
    unit++;
  }
  return { value, unit: units[unit] };
}

/** @param {number | null | undefined} seconds */
export function secondsText(seconds) {
  if (isUnknown(seconds)) return unknown;
  const size = Math.abs(seconds);
  if (size < 1e-12) return "0 s";
  if (size >= 0.9995) return `${short(seconds)} s`;
  const { value, unit } = scaled(seconds * 1e9, 1000, ["ns", "µs", "ms"]);
  return `${short(value)} ${unit}`;
}

/** Seconds that are added up over ranks. @param {number | null | undefined} seconds */
export function rankSecondsText(seconds) {
  if (isUnknown(seconds) || Math.abs(seconds) < 3600) return secondsText(seconds);
  return `${figureText(seconds / 3600)} rank-hours`;
}

/** Below 10 with one decimal: 1.4 KiB, 24 KiB. @param {number | null | undefined} bytes */
export function bytesText(bytes) {
  if (isUnknown(bytes)) return unknown;
  if (Math.abs(bytes) < 1024) return `${Math.round(bytes)} B`;
  const { value, unit } = scaled(bytes, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]);
  return `${value.toFixed(Math.abs(value) < 9.95 ? 1 : 0)} ${unit}`;
}

const thousands = ["", "k", "M", "G", "T", "P", "E"];

/** Exact below a million: 26880, 9.73 M. @param {number | null | undefined} count */
export function countText(count) {
  if (isUnknown(count)) return unknown;
  if (Math.abs(count) < 999999.5) return String(Math.round(count));
  const { value, unit } = scaled(count, 1000, thousands);
  return `${short(value)} ${unit}`;
}

/** Any figure: 0.97, 1.98, 4096, 26.9 k, 28.4 G. @param {number | null | undefined} value */
export function figureText(value) {
  if (isUnknown(value)) return unknown;
  const size = Math.abs(value);
  if (size >= 10000) {
    const { value: small, unit } = scaled(value, 1000, thousands);
    return `${short(small)} ${unit}`;
  }
  if (size >= 1000) return String(Math.round(value));
  if (size === 0 || size >= 0.01) return short(value);
  return value.toPrecision(3);
}

/** @param {number | null | undefined} percent 0 to 100 */
export function percentText(percent) {
  if (isUnknown(percent)) return unknown;
  if (percent > 0 && percent < 0.05) return "<0.1%";
  return `${percent.toFixed(percent < 9.95 ? 1 : 0)}%`;
}

/** Whole percents: 38%, 5%, <1%. @param {number | null | undefined} share 0 to 1 */
export function shareText(share) {
  if (isUnknown(share)) return unknown;
  return share > 0 && share < 0.005 ? "<1%" : `${Math.round(100 * share)}%`;
}

/**
 * How a value differs from another one, by their ratio: +46%, −3%, ×12.
 * @param {number | null | undefined} ratio
 */
export function differenceText(ratio) {
  if (isUnknown(ratio)) return unknown;
  if (ratio >= 10) return `×${short(ratio)}`;
  const percent = Math.round(100 * (ratio - 1));
  if (percent === 0) return "±0%";
  return percent > 0 ? `+${percent}%` : `−${-percent}%`;
}

/** On an axis: without zeros that say nothing. @param {string} text */
export function tickText(text) {
  return text.replace(/\.0+(?=\D|$)/, "");
}

/** @param {number | null | undefined} ratio */
export function ratioText(ratio) {
  return isUnknown(ratio) ? unknown : short(ratio);
}

/** "1 rank", "4 ranks" @param {number} count @param {string} noun */
export function plural(count, noun) {
  return `${countText(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * By the unit that the data names.
 * @param {string | null | undefined} unit
 * @returns {(value: number | null | undefined) => string}
 */
export function textOf(unit) {
  if (unit === "s") return secondsText;
  if (unit === "ns") return (value) => secondsText((value ?? NaN) * 1e-9);
  if (unit === "bytes" || unit === "B") return bytesText;
  if (unit === "%") return percentText;
  return (value) => (!unit ? figureText(value) : `${figureText(value)} ${unit}`);
}

/**
 * The message sizes of a bin, in words: below 2 ^ bin, from half of that on; 0 = none, -1 = not
 * known.
 * @param {number} bin
 */
export function binText(bin) {
  if (bin < 2) return ["not known", "none", "1 B"][bin + 1] ?? "";
  return `${bytesText(2 ** (bin - 1))} to ${bytesText(2 ** bin - 1)}`;
}

/** The lower end alone, for the axis: 0, 8, 4K. @param {number} bin */
export function binTick(bin) {
  if (bin < 1) return bin < 0 ? "?" : "0";
  return (
    2 ** ((bin - 1) % 10) + (["", "K", "M", "G", "T", "P", "E"][Math.floor((bin - 1) / 10)] ?? "")
  );
}

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
