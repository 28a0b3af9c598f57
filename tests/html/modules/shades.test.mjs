// Which shade a cell has: strong where it is unlike others, and nothing where all are alike.
import assert from "node:assert/strict";
import test from "node:test";

import { heatShade, matrixShade } from "../../../parser/render/html/page/charts/scales.js";
import { medianOf } from "../../../parser/render/html/page/tables/columns.js";
import {
  differenceOf,
  hasPeers,
  medianSplit,
} from "../../../parser/render/html/page/when/time_states.js";

const idle = { compute: 0, contend: 0, blocked: 0, gpu: 0, wait: 0, transfer: 0, io: 0, mpi: 0 };

/** Rows of the map that do the same in each bin. */
function timeOf(...splits) {
  return {
    rows: splits.map(() => ({ ranks: 1 })),
    meanOver: (row) => ({ ...idle, ...splits[row] }),
  };
}

test("the median is in the middle, and what is not known does not count", () => {
  assert.equal(medianOf([9, 1, 2]), 2);
  assert.equal(medianOf([4, 1, 2, 9]), 3);
  assert.equal(medianOf([NaN, 5, NaN]), 5);
  assert.equal(medianOf([]), 0);
});

test("a matrix of equal cells has the colour of the middle", () => {
  assert.equal(matrixShade(8, 8, 8), 0.5);
  const near = [8, 8.08].map((value) => matrixShade(value, 8, 8.08));
  assert.ok(near.every((shade) => Math.abs(shade - 0.5) < 0.01), `${near}`);
});

test("a matrix with much and little has the whole scale, logarithmically", () => {
  assert.deepEqual([1, 10, 100].map((value) => matrixShade(value, 1, 100)), [0, 0.5, 1]);
});

test("a heat map has a colour for what is far from the median of its row only", () => {
  assert.equal(heatShade(10, 10), 0);
  assert.equal(heatShade(10.9, 10), 0, "9 % are noise");
  assert.ok(Math.abs(heatShade(13, 10) - 0.5) < 1e-12);
  assert.equal(heatShade(15, 10), 1);
  assert.equal(heatShade(0, 10), -1);
  assert.equal(heatShade(0, 0), 0, "nobody does it");
  assert.equal(heatShade(0.5, 0, 10), 0, "next to nothing beside all that the rank does");
});

test("where all ranks wait, nobody is marked", () => {
  const wait = { wait: 0.97, compute: 0.03 };
  const time = timeOf(wait, wait, wait, wait);
  const median = medianSplit(time, 0, 1);
  assert.equal(median.wait, 0.97);
  assert.equal(differenceOf({ ...idle, ...wait }, median, null).strength, 0);
});

test("the one rank that computes while others wait is marked as computing", () => {
  const wait = { wait: 0.6, compute: 0.4 };
  const time = timeOf(wait, wait, { compute: 1 }, wait, wait);
  const median = medianSplit(time, 0, 1);
  const slow = { ...idle, compute: 1 };
  assert.deepEqual(differenceOf(slow, median, null), {
    state: "compute",
    strength: 1,
    isMore: true,
  });
  const waits = differenceOf(slow, median, ["wait"]);
  assert.deepEqual(waits, { state: "wait", strength: 1, isMore: false }, "it waits less");
  assert.equal(differenceOf({ ...idle, ...wait }, median, ["wait"]).strength, 0);
});

test("less than 4 points of a bin are not seen, and 40 are all of the colour", () => {
  const median = { ...idle, compute: 1 };
  const strength = (wait) => differenceOf({ ...idle, wait }, median, null).strength;
  assert.equal(strength(0.03), 0);
  assert.ok(strength(0.05) > 0 && strength(0.2) < 1);
  assert.equal(strength(0.4), 1);
  assert.equal(strength(0.9), 1);
});

test("two rows have no usual one", () => {
  assert.equal(hasPeers(timeOf({}, {})), false);
  assert.equal(hasPeers(timeOf({}, {}, {})), true);
});
