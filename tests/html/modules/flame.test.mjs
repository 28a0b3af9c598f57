// The flame view: the tree out of rows, widths by time, zoom, search, and names in little room.
import assert from "node:assert/strict";
import test from "node:test";

import {
  flameBoxes,
  flameKind,
  flameNodes,
  flameSearch,
  flameSeconds,
  flameTree,
  functionOf,
  ownSeconds,
  pathOf,
  shortName,
} from "../../../parser/render/html/page/flame/flame_data.js";

const names = ["main", "step", "MPI_Wait (heat.c:52)", "waiting", "update", "[blocked]", "tiny"];
const row = (depth, name, mpi_s, cpu_s) => ({ depth, name, mpi_s, cpu_s });
/** 10 s: main 9 (step 7: MPI_Wait 4 of which it waits 3, update 3; tiny 0.001), blocked 1. */
const root = flameTree(
  [
    row(0, 0, 4, 5),
    row(1, 1, 4, 3),
    row(2, 2, 4, 0),
    row(3, 3, 3, 0),
    row(2, 4, 0, 3),
    row(1, 6, 0, 0.001),
    row(0, 5, 0, 1),
  ],
  names,
);
const named = (name) => flameNodes(root, "all").find((node) => node.name === name);
const drawn = (boxes) =>
  boxes.map(({ node, x, width }) => [node.name, Math.round(x), Math.round(width)]);

test("rows in the order of a walk are a tree, and all is the sum of its children", () => {
  assert.equal(flameSeconds(root, "all"), 10);
  assert.equal(flameSeconds(root, "mpi"), 4);
  assert.equal(flameSeconds(root, "cpu"), 6);
  assert.deepEqual(pathOf(named("waiting")), ["main", "step", "MPI_Wait (heat.c:52)", "waiting"]);
  assert.equal(named("step").parent, named("main"));
  assert.equal(named("[blocked]").parent, root);
  assert.ok(Math.abs(ownSeconds(named("main"), "all") - 1.999) < 1e-9, "9 - 7 - 0.001");
  assert.equal(ownSeconds(named("MPI_Wait (heat.c:52)"), "mpi"), 1);
});

test("a box is as wide as its time, and none is narrower than a pixel", () => {
  assert.deepEqual(drawn(flameBoxes(root, "all", 1000)), [
    ["all ranks", 0, 1000],
    ["main", 0, 900],
    ["[blocked]", 900, 100],
    ["step", 0, 700],
    ["MPI_Wait (heat.c:52)", 0, 400],
    ["update", 400, 300],
    ["waiting", 0, 300],
  ]);
});

test("zooming makes a box as wide as all, and those around it stay to go back", () => {
  const boxes = flameBoxes(named("step"), "all", 700);
  assert.deepEqual(drawn(boxes), [
    ["all ranks", 0, 700],
    ["main", 0, 700],
    ["step", 0, 700],
    ["MPI_Wait (heat.c:52)", 0, 400],
    ["update", 400, 300],
    ["waiting", 0, 300],
  ]);
  assert.deepEqual(
    boxes.map(({ isAround }) => isAround),
    [true, true, false, false, false, false],
  );
});

test("time in MPI alone, or outside it alone, has its own widths", () => {
  assert.deepEqual(drawn(flameBoxes(root, "mpi", 400)), [
    ["all ranks", 0, 400],
    ["main", 0, 400],
    ["step", 0, 400],
    ["MPI_Wait (heat.c:52)", 0, 400],
    ["waiting", 0, 300],
  ]);
  assert.deepEqual(
    flameNodes(root, "cpu").map(({ name }) => name),
    ["main", "step", "update", "tiny", "[blocked]"],
  );
});

test("children that are rounded up do not leave their box", () => {
  const tree = flameTree([row(0, 0, 0, 1), row(1, 1, 0, 0.6), row(1, 4, 0, 0.6)], names);
  const ends = flameBoxes(tree, "all", 100).map(({ x, width }) => x + width);
  assert.ok(ends.every((end) => end <= 100 + 1e-9), `${ends}`);
});

test("a search finds by all its words, and time inside what is found counts once", () => {
  const { found, share } = flameSearch(root, "mpi_ WAIT", "all");
  assert.deepEqual([...found].map(({ name }) => name), ["MPI_Wait (heat.c:52)"]);
  assert.equal(share, 0.4);
  const wait = flameSearch(root, "wait", "all");
  assert.equal(wait.found.size, 2, "the call, and the waiting in it");
  assert.equal(wait.share, 0.4);
  assert.equal(flameSearch(root, "update", "mpi").found.size, 0, "it has no time in MPI");
  assert.equal(flameSearch(root, "  ", "all").found.size, 0);
});

test("a name that is too long loses its middle, and goes away at last", () => {
  assert.equal(shortName("halo_exchange", 13), "halo_exchange");
  assert.equal(shortName("halo_exchange", 7), "hal…nge");
  assert.equal(shortName("halo_exchange", 3), "h…e");
  assert.equal(shortName("halo_exchange", 2), "");
});

test("a box has the colour of what it is", () => {
  assert.equal(flameKind(root), "all");
  assert.equal(flameKind(named("step")), "code");
  assert.equal(flameKind(named("MPI_Wait (heat.c:52)")), "call");
  assert.equal(flameKind(named("waiting")), "wait");
  assert.equal(flameKind(named("[blocked]")), "blocked");
  assert.equal(functionOf("MPI_Wait (heat.c:52)"), "MPI_Wait");
});
