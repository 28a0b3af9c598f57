// How the page reads the data that render/html/data/html_data.cc stores by columns, as pairs and as
// grids.
import assert from "node:assert/strict";
import test from "node:test";

import {
  largestOf,
  numbersOf,
  ratio,
  rowsOf,
} from "../../../parser/render/html/page/tables/columns.js";
import { MatrixData } from "../../../parser/render/html/page/charts/matrix_data.js";
import { largest, mean, RankAxis } from "../../../parser/render/html/page/charts/rank_axis.js";

test("columns become rows: constant ones, missing ones, unknown ones", () => {
  const raw = { rows: 3, columns: { rank: [0, 1, 2], threads: 1, wait_s: [0.5, null, 0] } };
  assert.deepEqual(rowsOf(raw), [
    { rank: 0, threads: 1, wait_s: 0.5 },
    { rank: 1, threads: 1, wait_s: null },
    { rank: 2, threads: 1, wait_s: 0 },
  ]);
  assert.deepEqual([...numbersOf(raw, "wait_s")], [0.5, NaN, 0]);
  assert.deepEqual([...numbersOf(raw, "threads")], [1, 1, 1]);
  assert.deepEqual([...numbersOf(raw, "absent")], [NaN, NaN, NaN]);
  assert.deepEqual(rowsOf({ rows: 0, columns: {} }), []);
});

test("unknown figures are no zeros", () => {
  assert.equal(
    largestOf([{ x: null }, { x: 3 }, {}], (row) => row.x),
    3,
  );
  assert.equal(ratio(1, 0), null);
  assert.equal(ratio(null, 4), 0);
  assert.equal(mean(Float64Array.of(1, NaN, 3)), 2);
  assert.equal(largest(Float64Array.of(NaN, 2, 1)), 2);
});

test("a matrix of pairs is exact", () => {
  const matrix = new MatrixData({
    form: "pairs",
    side: 4,
    pairs: 3,
    starts: [0, 2, 3, 1],
    destinations: [1, 2, 0],
    values: [0, 1, 0],
    messages: [10, 20],
    bytes: [80, 1600],
    times: [0.5, 0, 0.25],
  });
  assert.deepEqual([...matrix.rows], [0, 0, 3]);
  assert.deepEqual([...matrix.columns], [1, 3, 0]);
  assert.deepEqual([...matrix.figures.bytes], [80, 1600, 80]);
  assert.deepEqual([...matrix.figures.times], [0.5, 0, 0.25]);
  assert.equal(matrix.label(3), "3");
});

test("a grid keeps places exactly and figures on a logarithmic scale", () => {
  // Cells 1 and 133 of 16 x 16: a gap of 1, then one of 131 = 3 + 1 * 128.
  const base64 = (...bytes) => Buffer.from(bytes).toString("base64");
  const matrix = new MatrixData({
    form: "grid",
    side: 64,
    pairs: 9,
    cells_per_side: 16,
    gaps: base64(1, 131, 1),
    bytes: { low: 1, high: 100, cells: base64(1, 255) },
    messages: { low: 5, high: 5, cells: base64(1, 1) },
    times: null,
  });
  assert.deepEqual([...matrix.rows], [0, 8]);
  assert.deepEqual([...matrix.columns], [1, 5]);
  assert.deepEqual([...matrix.figures.bytes], [1, 100]);
  assert.deepEqual([...matrix.figures.messages], [5, 5]);
  assert.equal(matrix.hasTimes, false);
  assert.equal(matrix.label(1), "4–7");
  assert.equal(matrix.cellOf(63), 15);
});

/** As much of ReportData as an axis needs. */
function report(ranks, bins = null, expected = 5) {
  return {
    quality: { ranks_expected: expected },
    raw: { bins, ranks: { rows: ranks.length, columns: { compute_s: [] } } },
    lists: { ranks },
    host: (number) => ["n0", "n1"][number] ?? "",
  };
}

test("each rank has its bar, ranks that were not read an empty one", () => {
  const axis = new RankAxis(
    report([
      { rank: 0, host: 0, compute_s: 1 },
      { rank: 3, host: 1, compute_s: 4 },
    ]),
  );
  assert.deepEqual([...axis.values("compute_s")], [1, NaN, NaN, 4, NaN]);
  assert.equal(axis.label(3), "Rank 3");
  assert.equal(axis.hostName(3), "n1");
  assert.equal(axis.hostName(1), "");
  assert.equal(axis.envelope("compute_s"), null);
});

test("bins divide the ranks evenly", () => {
  const bins = {
    rows: 4,
    columns: {
      first: [0, 3, 5, 8],
      host: [0, 0, 1, null],
      compute_s: [1, 2, 3, null],
      "compute_s.max": [2, 2, 4, null],
    },
  };
  const axis = new RankAxis(report([], bins, 10));
  assert.equal(axis.label(0), "Ranks 0–2");
  assert.equal(axis.label(3), "Ranks 8–9");
  for (let rank = 0; rank < 10; rank++) {
    const bar = axis.barOf(rank);
    assert.ok(axis.first(bar) <= rank && rank < axis.first(bar + 1), `rank ${rank} in bar ${bar}`);
  }
  assert.deepEqual([...axis.envelope("compute_s")], [2, 2, 4, NaN]);
  assert.equal(axis.hostName(3), "");
});
