// What charts show at any number of ranks, by the pixels of their canvases: the rank that the
// others wait for, bars that are not too wide, and cells of whole pixels.
import assert from "node:assert/strict";
import test from "node:test";

import { desk, phone, samplePage, withPage } from "./pages.mjs";

/** How high a colour of base.css stands in each column of a chart, in pixels. */
async function heights(page, section, name) {
  const canvas = page.locator(`#${section} .chart canvas`).first();
  await canvas.evaluate(
    (node) => new Promise((done) => new ResizeObserver(done).observe(node.parentElement)),
  );
  return canvas.evaluate((node, variable) => {
    const colour = getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
    const wanted = parseInt(colour.slice(1), 16);
    const { width, height } = node;
    const { data } = node.getContext("2d").getImageData(0, 0, width, height);
    return Array.from({ length: width }, (_, x) => {
      let found = 0;
      for (let y = 0; y < height; y++) {
        const i = 4 * (y * width + x);
        if (((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]) === wanted) found++;
      }
      return found;
    });
  }, name);
}

for (const ranks of [64, 1024, 4096, 65536]) {
  for (const size of [desk, phone]) {
    test(`the rank that is waited for is seen: ${ranks} ranks, ${size.width} pixels`, async () => {
      await withPage(samplePage(ranks).html, { size }, async (page) => {
        const waiting = await heights(page, "cause", "--wait");
        const usual = [...waiting].sort((a, b) => a - b)[Math.floor(0.7 * waiting.length)];
        const short = waiting.filter((high) => high > 0 && high < 0.3 * usual).length;
        assert.ok(usual > 60, `others wait ${usual} pixels high`);
        assert.ok(short >= 4, `${short} columns show a rank that hardly waits`);
      });
    });
  }
}

test("bars of few ranks are not too wide", async () => {
  await withPage(samplePage(4).html, {}, async (page) => {
    const columns = await heights(page, "balance", "--compute");
    const runs = columns.map((high) => (high > 20 ? "#" : " ")).join("").split(/ +/);
    const widths = runs.map((run) => run.length).filter((width) => width > 0);
    assert.equal(widths.length, 4);
    assert.ok(Math.max(...widths) <= 90, widths.join(" "));
  });
});

for (const [ranks, cells] of [
  [64, 64],
  [256, 256],
]) {
  test(`cells of the heat map have the same whole width: ${ranks} ranks`, async () => {
    await withPage(samplePage(ranks).html, {}, async (page) => {
      await page.locator("#balance .choices button", { hasText: "Heat map" }).click();
      await heights(page, "balance", "--wait");
      const steps = await page
        .locator("#balance .chart canvas")
        .first()
        .evaluate((node) => {
          const { width } = node;
          const left = 130; // margin of RankHeat
          const rows = 10; // 20 pixels each
          const { data } = node.getContext("2d").getImageData(0, 12, width, 20 * rows);
          const found = [];
          for (let row = 0; row < rows; row++) {
            const at = (x) => 4 * (20 * row * width + x);
            const pixel = (x) => `${data.slice(at(x), at(x) + 3)}`;
            for (let x = left + 1; x < width; x++)
              if (pixel(x) !== pixel(x - 1)) found.push(x - left);
          }
          return { found, room: width - left - 6 };
        });
      const size = Math.floor(steps.room / cells);
      assert.ok(steps.found.length > 10, "cells differ");
      assert.deepEqual(
        steps.found.filter((x) => x % size !== 0),
        [],
        `cells are ${size} pixels wide`,
      );
    });
  });
}

test("the legend has the stripes of ranks that were not read, where there are some", async () => {
  for (const [variant, expected] of [
    ["missing ranks", 1],
    ["slow node", 0],
  ])
    await withPage(samplePage(64, variant).html, {}, async (page) => {
      const keys = page.locator("#balance .keys li", { hasText: "not read" });
      assert.equal(await keys.count(), expected, variant);
    });
});
