// Folds ranks that sit on CPUs in a regular way: "CPUs 0–127: ranks 0–127, one each" in place of
// 128 lines. The section "Where do ranks sit?" draws what comes out; the table below it has every
// row. No DOM, so that Node.js can test it. A row says which ranks share which CPUs; rows that are
// folded have as many of both, and both go on by equal steps.
import { plural } from "../format.js";

/** @typedef {{cpus?: string | null, rank_list?: string | null}} SeatRow */
/** @typedef {{cpus: number[], ranks: number[]}} Seat */
/** @typedef {{words: string, ranks: number[]}} SeatLine ranks to name one by one */

/** Rows in turn over so many sockets or NUMA nodes are still seen as regular. */
const longestTurn = 8;
/** Fewer rows are as easily read one by one. */
const leastFolded = 4;
/** More ranges in one list are cut. */
const namedRanges = 4;

/** "0-3,8" @param {string | null | undefined} list @returns {number[]} */
export function numbersIn(list) {
  return (list || "").split(",").flatMap((range) => {
    const [first, last] = range.split("-").map(Number);
    if (range === "" || first === undefined) return [];
    return Array.from({ length: (last ?? first) - first + 1 }, (_, i) => first + i);
  });
}

/** "0–3, 8" @param {number[]} sorted */
function rangesOfNumbers(sorted) {
  const ranges = /** @type {[number, number][]} */ ([]);
  for (const number of sorted) {
    const range = ranges.at(-1);
    if (range && number === range[1] + 1) range[1] = number;
    else ranges.push([number, number]);
  }
  const named = ranges.length > namedRanges ? ranges.slice(0, namedRanges - 1) : ranges;
  const texts = named.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`));
  const left = ranges.length - named.length;
  return texts.join(", ") + (left > 0 ? ` and ${left} more ranges` : "");
}

/** "0–127", "0–126, every 2nd" @param {number[]} numbers */
export function rangesText(numbers) {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const [first = 0, second = 0] = sorted;
  const step = second - first;
  const isEven = sorted.every((number, i) => number === first + i * step);
  if (sorted.length < leastFolded || step === 1 || !isEven) return rangesOfNumbers(sorted);
  const end = ["th", "st", "nd", "rd"][step % 100 > 10 && step % 100 < 14 ? 0 : step % 10] ?? "th";
  return `${first}–${sorted.at(-1)}, every ${step}${end}`;
}

/**
 * How much farther each number of a list is, if it is the same for all; else NaN.
 * @param {number[]} from @param {number[]} to
 */
function stepOf(from, to) {
  const step = (to[0] ?? NaN) - (from[0] ?? NaN);
  const isSame = from.length === to.length && from.every((number, i) => to[i] === number + step);
  return isSame ? step : NaN;
}

/**
 * How many rows from one on go on by equal steps, each compared with the one a turn before.
 * @param {Seat[]} seats @param {number} first @param {number} turn
 */
function regularRows(seats, first, turn) {
  const steps = (/** @type {number} */ i) => {
    const [before, seat] = [seats[i - turn], seats[i]];
    if (!before || !seat) return null;
    return [stepOf(before.cpus, seat.cpus), stepOf(before.ranks, seat.ranks)];
  };
  const wanted = steps(first + turn);
  if (!wanted || wanted.some(Number.isNaN)) return turn;
  let end = first + turn;
  while (end < seats.length && steps(end)?.every((step, i) => step === wanted[i])) end++;
  return end - first;
}

/** @param {Seat[]} seats @returns {SeatLine} */
function foldedLine(seats) {
  const [{ cpus, ranks } = { cpus: [], ranks: [] }] = seats;
  const allCpus = rangesText(seats.flatMap((seat) => seat.cpus));
  const allRanks = rangesText(seats.flatMap((seat) => seat.ranks));
  const place = cpus.length > 1 ? `${cpus.length} CPUs` : "CPU";
  const each = ranks.length > 1 ? `${plural(ranks.length, "rank")} on each` : "one on each";
  const of = cpus.length > 1 ? ` group of ${place}` : "";
  return { words: `CPUs ${allCpus}: ranks ${allRanks}, ${each}${of}`, ranks: [] };
}

/** @param {Seat} seat @returns {SeatLine} */
function singleLine({ cpus, ranks }) {
  return { words: `${cpus.length === 1 ? "CPU" : "CPUs"} ${rangesText(cpus)}: `, ranks };
}

/** In order of the CPUs. @param {SeatRow[]} rows @returns {SeatLine[]} */
export function seatLines(rows) {
  const seats = rows.map((row) => ({ cpus: numbersIn(row.cpus), ranks: numbersIn(row.rank_list) }));
  seats.sort((a, b) => (a.cpus[0] ?? 0) - (b.cpus[0] ?? 0));
  /** @type {SeatLine[]} */
  const lines = [];
  for (let at = 0; at < seats.length;) {
    let best = { turn: 1, rows: 1 };
    for (let turn = 1; turn <= longestTurn; turn++) {
      const found = regularRows(seats, at, turn);
      if (found > best.rows && found >= leastFolded * turn) best = { turn, rows: found };
    }
    const part = seats.slice(at, at + best.rows);
    if (part.length < leastFolded) lines.push(...part.map(singleLine));
    else
      for (let i = 0; i < best.turn; i++)
        lines.push(foldedLine(part.filter((_, k) => k % best.turn === i)));
    at += best.rows;
  }
  return lines;
}
