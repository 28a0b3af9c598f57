// Two runs beside each other: the same figure of both, and what one is more than the other. Nothing
// is judged here: what is noise, and what caused a difference, mprof diff tells.
import { bytesText, countText, percentText, ratioText, secondsText } from "../format.js";
import { ReportData } from "../report_data.js";
import { fromBase64, inflate } from "../unpack.js";

/** @typedef {import("../report_data.js").Maybe} Maybe */
/** @typedef {{name: string, a: Maybe, b: Maybe, text: (value: Maybe) => string}} Pair */

/** A page is some MB. */
const mostPageBytes = 256 * 2 ** 20;

/** @param {string} html without marks and tags, as what it shows */
function textOfMarkup(html) {
  /** @type {Record<string, string>} */
  const characters = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&", nbsp: " " };
  return html
    .replace(/<[^>]*>/g, "")
    .replace(/&(#?\w+);/g, (entity, name) => characters[name] ?? entity)
    .replace(/\s+/g, " ")
    .trim();
}

/**
 * The report in another page. Its text is read, never shown as markup. What it throws is told to
 * the reader.
 * @param {string} html @param {number} schema of this page
 */
export function reportInPage(html, schema) {
  const packed = /<script type="text\/plain" id="data">([A-Za-z0-9+/=\s]*)<\/script>/.exec(html);
  if (html.length > mostPageBytes || !packed) throw new Error("is not a report page of mprof");
  let raw;
  try {
    raw = JSON.parse(new TextDecoder().decode(inflate(fromBase64(packed[1] ?? ""))));
  } catch {
    throw new Error("is cut off or damaged");
  }
  if (!raw?.run || !raw.totals || !raw.functions)
    throw new Error("is a page of mprof, but not a report");
  if (raw.schema !== schema) throw new Error("was made by another version of mprof");
  const headline = textOfMarkup(/<h1[^>]*>([\s\S]*?)<\/h1>/.exec(html)?.[1] ?? "");
  return { data: new ReportData(raw), headline };
}

/** @param {ReportData} data @returns {[string, Maybe, Pair["text"]][]} */
function besideTotals(data) {
  const { run, totals } = data;
  return [
    ["wallclock", run.wallclock_s, secondsText],
    ["computing, per rank", data.perRank(totals.compute_s), secondsText],
    ["MPI, per rank", data.perRank(totals.mpi_thread_s), secondsText],
    ["waiting in MPI, per rank", data.perRank(totals.wait_thread_s), secondsText],
    ["MPI share", totals.comm_percent, percentText],
    ["load balance", totals.load_balance, ratioText],
    ["parallel efficiency", totals.parallel_efficiency, ratioText],
    ["MPI calls", totals.calls, countText],
    ["sent", totals.sent_bytes, bytesText],
    ["memory, all ranks", totals.memory_bytes, bytesText],
    ["ranks", run.ranks, countText],
    ["nodes", run.nodes, countText],
  ];
}

/** @param {ReportData} a @param {ReportData} b @returns {Pair[]} */
export function pairsOfTotals(a, b) {
  const ofB = besideTotals(b);
  return besideTotals(a).map(([name, value, text], i) => {
    return { name, a: value, b: ofB[i]?.[1], text };
  });
}

/**
 * Rows with the same name are one; a row that a run does not have is 0 there. Largest difference
 * first.
 * @template R
 * @param {R[]} a @param {R[]} b
 * @param {(row: R, side: 0 | 1) => string} nameOf @param {(row: R, side: 0 | 1) => Maybe} secondsOf
 * @returns {Pair[]}
 */
export function pairsOfRows(a, b, nameOf, secondsOf) {
  /** @type {Map<string, [number, number]>} */
  const sums = new Map();
  [a, b].forEach((rows, i) => {
    const side = i === 0 ? 0 : 1;
    for (const row of rows) {
      const name = nameOf(row, side);
      const sum = sums.get(name) ?? [0, 0];
      sum[side] += secondsOf(row, side) ?? 0;
      sums.set(name, sum);
    }
  });
  return [...sums]
    .map(([name, [first, second]]) => ({ name, a: first, b: second, text: secondsText }))
    .sort((x, y) => Math.abs(y.b - y.a) - Math.abs(x.b - x.a));
}

/** @param {ReportData} a @param {ReportData} b */
export function pairsOfLists(a, b) {
  const sides = [a, b];
  /** @param {{site: number, function: string}} row @param {0 | 1} side */
  const callsite = (row, side) => {
    const place = sides[side]?.placeName(row.site);
    return place ? `${row.function} at ${place}` : row.function;
  };
  return {
    accounts: pairsOfRows(
      a.lists.accounts,
      b.lists.accounts,
      (row) => row.name,
      (row) => row.gain_s,
    ),
    functions: pairsOfRows(
      a.lists.functions,
      b.lists.functions,
      (row) => row.function,
      (row, side) => sides[side]?.timePerRank(row),
    ),
    callsites: pairsOfRows(a.lists.callsites, b.lists.callsites, callsite, (row, side) =>
      sides[side]?.timePerRank(row),
    ),
  };
}
