// Where ranks sit, in as few lines as it takes: rows of a regular order are one line.
import assert from "node:assert/strict";
import test from "node:test";

import {
  numbersIn,
  rangesText,
  seatLines,
} from "../../../parser/render/html/page/sections/binding_groups.js";

/** One row per CPU or group of CPUs. */
const rowsOf = (count, cpus, ranks) =>
  Array.from({ length: count }, (_, i) => ({ cpus: cpus(i), rank_list: ranks(i) }));

const words = (rows) => seatLines(rows).map((line) => line.words);

test("lists of numbers are read, and written as ranges or steps", () => {
  assert.deepEqual(numbersIn("0-3,8"), [0, 1, 2, 3, 8]);
  assert.deepEqual(numbersIn(null), []);
  assert.equal(rangesText([3, 2, 1, 0, 8]), "0–3, 8");
  assert.equal(rangesText([0, 2, 4, 6]), "0–6, every 2nd");
  assert.equal(rangesText([0, 11, 22, 33]), "0–33, every 11th");
  assert.equal(rangesText([0, 1, 5, 6, 10, 12, 20]), "0–1, 5–6, 10 and 2 more ranges");
});

test("128 ranks on 128 CPUs are one line", () => {
  const rows = rowsOf(128, String, String);
  assert.deepEqual(words(rows), ["CPUs 0–127: ranks 0–127, one on each"]);
});

test("ranks that share CPUs, or have several each, are one line, too", () => {
  const shared = rowsOf(64, String, (i) => `${i},${i + 64}`);
  assert.deepEqual(words(shared), ["CPUs 0–63: ranks 0–127, 2 ranks on each"]);
  const wide = rowsOf(16, (i) => `${8 * i}-${8 * i + 7}`, String);
  assert.deepEqual(words(wide), ["CPUs 0–127: ranks 0–15, one on each group of 8 CPUs"]);
});

test("ranks in turn on two sockets are two lines", () => {
  const rows = rowsOf(32, String, (i) => String(i < 16 ? 2 * i : 2 * (i - 16) + 1));
  assert.deepEqual(words(rows), [
    "CPUs 0–15: ranks 0–30, every 2nd, one on each",
    "CPUs 16–31: ranks 1–31, every 2nd, one on each",
  ]);
  const cyclic = rowsOf(32, String, (i) => String(i % 2 === 0 ? i / 2 : 16 + (i - 1) / 2));
  assert.deepEqual(words(cyclic), [
    "CPUs 0–30, every 2nd: ranks 0–15, one on each",
    "CPUs 1–31, every 2nd: ranks 16–31, one on each",
  ]);
});

test("what has no order stays as it is, in order of the CPUs", () => {
  const rows = [
    { cpus: "7", rank_list: "5" },
    { cpus: "2", rank_list: "9,11" },
    { cpus: "4-6", rank_list: "1" },
  ];
  assert.deepEqual(seatLines(rows), [
    { words: "CPU 2: ", ranks: [9, 11] },
    { words: "CPUs 4–6: ", ranks: [1] },
    { words: "CPU 7: ", ranks: [5] },
  ]);
});

test("every rank is in a line, whatever the order", () => {
  const rows = rowsOf(100, String, (i) => String((37 * i) % 100));
  const named = seatLines(rows).flatMap(({ words, ranks }) =>
    ranks.length > 0 ? ranks : [words],
  );
  assert.ok(named.length <= 100);
  const single = seatLines(rows).filter(({ ranks }) => ranks.length > 0);
  for (const { words, ranks } of single)
    assert.equal(ranks[0], (37 * Number(words.match(/\d+/)[0])) % 100);
});
