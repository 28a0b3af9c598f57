// The run over time: what the bytes of the data mean, what a window adds up to, and what a cell of
// the map shows.
import assert from "node:assert/strict";
import { deflateRawSync } from "node:zlib";
import test from "node:test";

import {
  fromOklab,
  mixedColours,
  toOklab,
} from "../../../parser/render/html/page/charts/scales.js";
import { TimeData } from "../../../parser/render/html/page/when/time_data.js";
import { strengthOf, strongestOf } from "../../../parser/render/html/page/when/time_states.js";
import { ChosenWindow } from "../../../parser/render/html/page/when/time_states.js";

const packed = (bytes) => deflateRawSync(Buffer.from(bytes)).toString("base64");

/** Planes of per cent, rows times bins each, as the mean in 1/10,000. */
function meanBytes(levels) {
  return levels.flatMap((level) => [level & 255, level >> 8]);
}

const state = { from_s: 0, source: "region", slowest_rank: null, slowest_over: 1, headline: null };

/** Two rows (rank 0; ranks 1 to 8, of which 5 stands out) and three bins of half a second. */
function sample() {
  // contend, blocked, GPU, wait, transfer, I/O, start-up, missing
  const none = [0, 0, 0, 0, 0, 0];
  const wait = [0, 80, 40, 0, 0, 10];
  const missing = [50, 0, 0, 0, 0, 0];
  const gpu = [0, 0, 20, 0, 0, 0];
  const levels = [...none, ...none, ...gpu, ...wait, ...none, ...none, ...none, ...missing];
  const zero = [0, 0, 0];
  const mean = [zero, zero, zero, [0, 8000, 4000], zero, zero, zero, [2500, 0, 0]].flat();
  return {
    bin_s: 0.5,
    begin_s: 0,
    row_facts: { rows: 2, columns: { first: [0, 1], ranks: [1, 8], outlier: [null, 5] } },
    levels: packed(levels),
    mean: packed(meanBytes(mean)),
    calls: packed([0, 1, 1, 0, 0, 2]),
    call_names: { rows: 2, columns: { place: ["a.c:1", "b.c:2"], function: "MPI_Send" } },
    bins: { rows: 3, columns: { step_s: [null, 0.1, 0.25] } },
    phases: {
      rows: 2,
      columns: {
        ...state,
        name: ["begin", "end"],
        from_s: [0, 0.6],
        to_s: [0.6, 1.4],
        state: ["good", "problem"],
        slowest_rank: [3, 5],
      },
    },
    steps: null,
    costs: {
      window_s: 0.5,
      told: 0.05,
      ranks: [2, 7, 5],
      causes: [
        ["if the work were evenly divided", true, [0.0, 0.2, 0.1]],
        ["without MPI-IO", false, [0.02, 0.1, 0.0]],
      ],
    },
    headline: null,
    drift: null,
    clock_residual_s: null,
  };
}

test("a window costs what the accounts of its parts do", () => {
  const time = new TimeData(sample(), 1.4);
  const even = "if the work were evenly divided: rank 7 works longest.";
  assert.equal(time.costIn({ from: 1, to: 2 }), `It would take 200 ms less ${even}`);
  assert.equal(time.costIn({ from: 0, to: 3 }), `It would take 300 ms less ${even}`);
  assert.equal(time.costIn({ from: 0, to: 1 }), null, "4 % of the window are not told");
});

test("computing is what is left of a bin", () => {
  const time = new TimeData(sample(), 1.4);
  assert.equal(time.shares(0, 0).compute, 0.5, "the rank began late");
  assert.equal(time.shares(0, 1).wait, 0.8);
  assert.ok(Math.abs(time.shares(0, 1).compute - 0.2) < 1e-12);
  assert.equal(time.shares(1, 2).wait, 0.1);
  assert.equal(time.shares(0, 2).gpu, 0.2, "the driver of a GPU is no computing");
  assert.equal(time.meanShares(0).compute, 0.75);
  assert.equal(time.end_s, 1.4, "the run ends in the last bin");
});

test("a window adds up its bins", () => {
  const time = new TimeData(sample(), 1.4);
  assert.ok(Math.abs(time.seconds({ from: 1, to: 3 }, 0).wait - 0.6) < 1e-12);
  assert.ok(Math.abs(time.seconds({ from: 0, to: 3 }).wait - 0.6) < 1e-12);
  assert.deepEqual(time.stepsIn({ from: 0, to: 1 }), null);
  assert.equal(time.stepsIn({ from: 0, to: 3 }).steps, 7);
  assert.ok(Math.abs(time.stepsIn({ from: 0, to: 3 }).seconds - 1 / 7) < 1e-12);
  const [first, second] = time.callsIn({ from: 0, to: 3 });
  assert.equal(first.place, "a.c:1");
  assert.ok(Math.abs(first.wait - 0.3) < 1e-12, "0.6 s of one of two rows");
  assert.equal(second.place, "b.c:2");
});

test("a phase is where most of a window is, and has at least a bin", () => {
  const time = new TimeData(sample(), 1.4);
  assert.equal(time.phaseOf({ from: 0, to: 1 }).name, "begin");
  assert.equal(time.phaseOf({ from: 1, to: 3 }).name, "end");
  assert.deepEqual(time.windowOf(time.phases[0]), { from: 0, to: 1 });
  assert.deepEqual(time.windowOf(time.phases[1]), { from: 1, to: 3 });
  assert.equal(time.phaseAt(5), null);
  assert.equal(time.wholePhase({ from: 1, to: 3 }).name, "end");
  assert.equal(time.wholePhase({ from: 1, to: 2 }), null, "what is true of all need not be of it");
});

test("a row stands for its outlier, and ranks of good phases are not marked", () => {
  const time = new TimeData(sample(), 1.4);
  assert.equal(time.rankOf(1), 5);
  assert.equal(time.rowOf(0), 0);
  assert.equal(time.rowOf(8), 1);
  assert.deepEqual([...time.slowRanks], [5]);
  assert.equal(time.isSingle, false);
});

test("what is known of no phase and no row is null, not missing", () => {
  const raw = sample();
  delete raw.phases.columns.slowest_rank;
  delete raw.row_facts.columns.outlier;
  const time = new TimeData(raw, 1.4);
  assert.equal(time.phases[0].slowest_rank, null);
  assert.equal(time.slowRanks.size, 0);
  assert.equal(time.rows[1].outlier, null);
  assert.equal(time.rankOf(1), 1);
});

test("a cell shows the strongest state beside computing, from 12% on", () => {
  const own = { compute: 0.6, contend: 0, blocked: 0.1, gpu: 0 };
  const split = { ...own, wait: 0.2, transfer: 0.1, io: 0, mpi: 0 };
  assert.equal(strongestOf(split, null).state, "wait");
  assert.equal(strongestOf({ ...split, wait: 0.11 }, null).strength, 0);
  assert.equal(strongestOf(split, ["contend", "blocked"]).state, "blocked");
  assert.ok(strongestOf(split, ["blocked"]).strength > 0);
  assert.equal(strengthOf(1), 1);
  assert.ok(strengthOf(0.13) < 0.03, "it begins with nothing");
});

test("colours come back from OKLab, and mixing begins and ends with its two", () => {
  const orange = [224, 112, 43];
  fromOklab(toOklab(orange)).forEach((value, i) => assert.ok(Math.abs(value - orange[i]) < 0.01));
  const mixed = mixedColours([233, 237, 243], orange);
  assert.deepEqual([...mixed.slice(0, 3)], [233, 237, 243]);
  assert.deepEqual([...mixed.slice(300)], orange);
});

test("a window that is chosen again goes away, and listeners hear of changes only", () => {
  const chosen = new ChosenWindow();
  let heard = 0;
  chosen.onChange(() => heard++);
  chosen.set({ from: 1, to: 3 });
  chosen.set({ from: 1, to: 3 });
  assert.equal(heard, 1);
  chosen.toggle({ from: 1, to: 3 });
  assert.equal(chosen.window, null);
});
