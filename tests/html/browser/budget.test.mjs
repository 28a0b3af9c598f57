// The page is small and quick at any size. The test checks the bytes of the file. It compares the
// time until the page is ready with that of an empty page in the same browser.
import assert from "node:assert/strict";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";

import { closePage, openPage, samplePage, withPage } from "./pages.mjs";

const budgets = [
  [1, 295_000],
  [64, 395_000],
  [2048, 800_000],
  [4096, 800_000],
  [65536, 800_000],
];

for (const [ranks, bytes] of budgets) {
  test(`${ranks} ranks are at most ${bytes} bytes`, () => {
    const size = statSync(samplePage(ranks).html).size;
    console.log(`# ${ranks} ranks: ${size} bytes`);
    assert.ok(size <= bytes, `${size} bytes`);
  });
}

test("1,000,000 pairs of ranks do not make it large", () => {
  assert.ok(statSync(samplePage(1024, "dense").html).size < 1_000_000);
});

/** Milliseconds from asking for each page until it is ready, the least of a few. They take turns:
    what changes meanwhile on the machine is on all sides. */
async function readyTimes(files) {
  const times = files.map(() => Infinity);
  for (let turn = 0; turn < 5; turn++) {
    for (const [i, file] of files.entries()) {
      const begin = performance.now();
      const page = await openPage(file);
      times[i] = Math.min(times[i], performance.now() - begin);
      await closePage(page);
    }
  }
  return times;
}

test("it is ready within a few times what an empty page takes", async () => {
  const empty = join(process.env.WORK, "empty.html");
  writeFileSync(
    empty,
    "<!doctype html><title>empty</title>" +
      "<script>document.documentElement.dataset.readyMs = 0</script>",
  );
  const pages = [
    [64, 4],
    [65536, 8],
  ];
  const files = pages.map(([ranks]) => samplePage(ranks).html);
  const [least, ...times] = await readyTimes([empty, ...files]);
  for (const [i, [ranks, factor]] of pages.entries()) {
    const [taken, usual] = [times[i], least].map((time) => time.toFixed(0));
    console.log(`# ${ranks} ranks: ${taken} ms, an empty page ${usual} ms`);
    assert.ok(times[i] < factor * least, `${times[i]} ms against ${least} ms`);
  }
});

test("65,536 ranks: bars, extremes and matrix are there", async () => {
  await withPage(samplePage(65536).html, {}, async (page) => {
    assert.match(await page.textContent("#balance .hint"), /group of neighbouring ranks/);
    await page.locator("#cause .rank").first().click();
    assert.match(await page.textContent("#pinned"), /Rank 3\d\d on node0003/);
    await page.locator("#partners canvas.over").hover({ position: { x: 60, y: 12 } });
    assert.match(await page.textContent("#tip"), /rank \d+–\d+ → rank \d+–\d+/);
    assert.deepEqual(page.problems, []);
  });
});
