// The page is small and quick at any size. The test checks the bytes of the file. It compares the
// time until the page is ready with that of an empty page in the same browser.
import assert from "node:assert/strict";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";

import { closePage, openPage, samplePage, withPage } from "./pages.mjs";

const budgets = [
  [1, 150_000],
  [64, 250_000],
  [2048, 700_000],
  [4096, 700_000],
  [65536, 700_000],
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

/** Milliseconds from asking for a page until it is ready, the least of a few. */
async function readyTime(file) {
  const times = [];
  for (let i = 0; i < 5; i++) {
    const begin = performance.now();
    const page = await openPage(file);
    times.push(performance.now() - begin);
    await closePage(page);
  }
  return Math.min(...times);
}

test("it is ready within a few times what an empty page takes", async () => {
  const empty = join(process.env.WORK, "empty.html");
  writeFileSync(
    empty,
    "<!doctype html><title>empty</title>" +
      "<script>document.documentElement.dataset.readyMs = 0</script>",
  );
  const least = await readyTime(empty);
  for (const [ranks, factor] of [
    [64, 4],
    [65536, 8],
  ]) {
    const time = await readyTime(samplePage(ranks).html);
    console.log(`# ${ranks} ranks: ${time.toFixed(0)} ms, an empty page ${least.toFixed(0)} ms`);
    assert.ok(time < factor * least, `${time} ms against ${least} ms`);
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
