// A second report page beside the first: opened by the button or dropped, at 2, 64 and 12,288
// ranks, on desk and phone, in light and dark. What it shows are the differences of the two JSON
// documents. A file that is no report is refused. Nothing of a page becomes markup of this one.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";

import { axeSource, desk, phone, samplePage, withPage } from "./pages.mjs";

const input = 'input[aria-label="Page of another report"]';

const open = async (page, file) => {
  await page.setInputFiles(input, file);
  await page.waitForSelector("#beside");
};

const json = (page) => JSON.parse(readFileSync(page.json, "utf8"));

/** The cells of a table's rows, by the first one. */
async function rowsOf(page, caption) {
  const rows = await page.evaluate(
    (title) =>
      [...document.querySelectorAll("#beside table")]
        .filter((table) => table.caption.textContent === title)
        .flatMap((table) => [...table.tBodies[0].rows])
        .map((row) => [...row.cells].map((cell) => cell.textContent)),
    caption,
  );
  return new Map(rows.map(([name, ...cells]) => [name, cells]));
}

/** "+1.20 s" in seconds. */
function secondsIn(text) {
  const [, sign, number, unit] = /^([+−]?)([\d.]+) (s|ms|µs|ns)$/.exec(text);
  return (sign === "−" ? -1 : 1) * Number(number) * { s: 1, ms: 1e-3, µs: 1e-6, ns: 1e-9 }[unit];
}

function nearly(text, seconds) {
  const shown = secondsIn(text);
  assert.ok(Math.abs(shown - seconds) <= 0.006 * Math.abs(seconds) + 1e-9, `${text}: ${seconds}`);
}

for (const [ranks, view] of [
  [2, { size: desk }],
  [2, { size: phone, dark: true }],
  [64, { size: desk, dark: true }],
  [64, { size: phone }],
  [12288, { size: desk }],
  [12288, { size: phone, dark: true }],
]) {
  const where = `${view.size === phone ? "phone" : "desk"}${view.dark ? ", dark" : ""}`;
  const name = `${ranks} ranks, ${where}`;
  test(`${name}: two runs beside each other, without error or barrier`, async () => {
    await withPage(samplePage(ranks).html, view, async (page) => {
      await open(page, samplePage(64, "killed").html);
      await page.waitForSelector("#beside .times-beside path");
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${wide} pixels too wide`);
      const cut = await page.evaluate(() =>
        [...document.querySelectorAll("#beside .table")]
          .filter((table) => table.scrollWidth > table.clientWidth + 1)
          .map((table) => `${table.querySelector("caption").textContent}, ${table.scrollWidth}`),
      );
      assert.deepEqual(cut, [], "tables that are cut off");
      assert.deepEqual(page.problems, []);
      await page.evaluate(axeSource);
      const { violations } = await page.evaluate(() => globalThis.axe.run("#beside"));
      assert.deepEqual(
        violations.map(({ id, nodes }) => [id, nodes[0].html.slice(0, 120)]),
        [],
      );
      const picture = `beside-${name.replace(/\W+/g, "-")}.png`;
      await page.screenshot({ path: join(process.env.WORK, picture) });
      await page.getByRole("button", { name: "Close" }).click();
      assert.equal(await page.locator("#beside").count(), 0);
    });
  });
}

test("what is shown is B - A", async () => {
  const [a, b] = [samplePage(64), samplePage(2)];
  const [first, second] = [json(a), json(b)];
  await withPage(a.html, {}, async (page) => {
    await open(page, b.html);
    const totals = await rowsOf(page, "Totals");
    const [wallA, wallB, change] = totals.get("wallclock");
    nearly(wallA, first.run.wallclock_s);
    nearly(wallB, second.run.wallclock_s);
    if (wallA !== wallB) nearly(change, second.run.wallclock_s - first.run.wallclock_s);
    const perRank = (document, row) => (row?.mpi_thread_s ?? 0) / document.quality.ranks_read;
    const functions = await rowsOf(page, "Functions");
    assert.ok(functions.size > 3);
    for (const [name, [, , difference]] of functions) {
      const [x, y] = [first, second].map((document) =>
        perRank(
          document,
          document.functions.find((row) => row.function === name),
        ),
      );
      if (difference !== "0 s") nearly(difference, y - x);
      else assert.ok(Math.abs(y - x) < 1e-9, name);
    }
    const causes = await rowsOf(page, "Causes");
    for (const { name, gain_s } of first.accounts) {
      const row = causes.get(name);
      if (row && gain_s > 0) nearly(row[0], gain_s);
    }
    assert.match(await page.textContent("#beside"), /different numbers of ranks/);
    assert.match(await page.textContent("#beside"), /mprof diff A B --html diff.html/);
    assert.deepEqual(page.problems, []);
  });
});

test("a file that is dropped is opened", async () => {
  await withPage(samplePage(2).html, {}, async (page) => {
    const text = readFileSync(samplePage(2, "bare").html, "utf8");
    await page.evaluate((html) => {
      const data = new DataTransfer();
      data.items.add(new File([html], "other.html", { type: "text/html" }));
      dispatchEvent(new DragEvent("dragover", { dataTransfer: data, cancelable: true }));
      dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
    }, text);
    await page.waitForSelector("#beside");
    assert.match(await page.textContent("#beside"), /B other\.html/);
    assert.equal(await page.locator(".dropping").count(), 0);
    assert.deepEqual(page.problems, []);
  });
});

test("hostile names stay text", async () => {
  await withPage(samplePage(2).html, {}, async (page) => {
    await open(page, samplePage(64, "hostile").html);
    assert.equal(await page.locator("#beside img, #beside script, #beside iframe").count(), 0);
    assert.deepEqual(page.problems, []);
  });
});

test("what is no report is refused", async () => {
  const file = (name, text) => {
    const path = join(process.env.WORK, name);
    writeFileSync(path, text);
    return path;
  };
  const whole = readFileSync(samplePage(2).html, "utf8");
  const data = /id="data">([^<]*)/.exec(whole)[1];
  const refused = {
    "text.html": ["<p>hello</p>", /text\.html is not a report page of mprof/],
    "cut.html": [whole.replace(data, data.slice(0, 400)), /cut\.html is cut off or damaged/],
  };
  await withPage(samplePage(2).html, {}, async (page) => {
    for (const [name, [text, words]] of Object.entries(refused)) {
      await open(page, file(name, text));
      await page.waitForFunction(
        (shown) => document.querySelector("#beside [role=alert]")?.textContent.includes(shown),
        name,
      );
      assert.match(await page.textContent("#beside"), words);
    }
    assert.deepEqual(page.problems, []);
  });
});
