// The page of mprof diff --results. Its answer needs no JavaScript. What it tells of the first
// difference is that of the JSON. Settings can be copied. It fits desk and phone in light and dark.
// Names that are markup stay text.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";

import { axeSource, desk, phone, withPage } from "./pages.mjs";

function results(variant) {
  const name = join(process.env.WORK, variant);
  const page = { html: `${name}.html`, json: `${name}.json` };
  execFileSync(process.env.RESULTS, [variant, page.html, page.json]);
  return { ...page, answer: JSON.parse(readFileSync(page.json, "utf8")) };
}

const pages = Object.fromEntries(
  ["compute", "order", "same", "unusable", "hostile"].map((name) => [name, results(name)]),
);

for (const [name, { html }] of Object.entries(pages))
  for (const [size, dark] of name === "order"
    ? [
        [desk, false],
        [phone, true],
      ]
    : [[phone, true]])
    test(`${name}, ${size.width} pixels: no problem, nothing too wide, accessible`, async () => {
      await withPage(html, { size, dark }, async (page) => {
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        await page.evaluate(axeSource);
        const { violations } = await page.evaluate(() => globalThis.axe.run());
        assert.deepEqual(
          violations.map(({ id, nodes }) => [id, nodes[0].html.slice(0, 120)]),
          [],
        );
        assert.deepEqual(page.problems, []);
      });
    });

test("the answer is there without JavaScript", async () => {
  await withPage(pages.compute.html, { script: false }, async (page) => {
    const head = await page.locator("#verdict").innerText();
    assert.match(head, /Different/);
    assert.ok(head.includes(pages.compute.answer.headline));
    for (const detail of pages.compute.answer.details) assert.ok(head.includes(detail), detail);
  });
  await withPage(pages.same.html, { script: false }, async (page) => {
    assert.match(await page.locator("#verdict").innerText(), /The same, bit for bit: 1200 /);
  });
});

test("the first difference is that of the JSON, and the option to narrow it down", async () => {
  const { first, results_from: from } = pages.compute.answer;
  await withPage(pages.compute.html, {}, async (page) => {
    const facts = await page.locator("#first dl.facts").innerText();
    for (const words of [first.kind, first.function, first.place, `instance ${first.instance}`])
      assert.ok(facts.includes(words), `${words} in ${facts}`);
    assert.ok(facts.includes(`${first.after.function} at ${first.after.place}`), facts);
    assert.equal(await page.locator("#first pre").innerText(), `--results-from ${from}`);
  });
});

test("reductions that depend on their order, and the setting that is copied", async () => {
  const { order_dependent: rows, settings } = pages.order.answer;
  await withPage(pages.order.html, {}, async (page) => {
    const lines = await page.locator("#order tbody tr").allInnerTexts();
    assert.equal(lines.length, rows.length);
    rows.forEach((row, i) => {
      assert.ok(lines[i].includes(row.place), lines[i]);
      assert.equal(lines[i].includes("different in B"), row.differs, lines[i]);
    });
    await page.locator("#order .code-box button").first().click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.ok(copied.includes("coll_tuned_allreduce_algorithm=3"), copied);
    assert.ok(settings[0].startsWith(copied), `${copied} of ${settings[0]}`);
  });
});

test("it is small", () => assert.ok(statSync(pages.compute.html).size < 100_000));
