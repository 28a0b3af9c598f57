// The page of mprof scale. Its answer needs no JavaScript. The recommended size, the laws and the
// factors are there with the figures of the JSON. It fits desk and phone in light and dark. Names
// that are markup stay text.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";

import { axeSource, closePage, desk, openPage, phone, saved, withPage } from "./pages.mjs";

function scaling(variant) {
  const name = join(process.env.WORK, variant.replaceAll(" ", "-"));
  const page = { html: `${name}.html`, json: `${name}.json` };
  execFileSync(process.env.SCALINGS, [variant, page.html, page.json]);
  return { ...page, report: JSON.parse(readFileSync(page.json, "utf8")) };
}

const solver = scaling("solver");
const pages = {
  solver,
  many: scaling("many"),
  two: scaling("two"),
  good: scaling("good"),
  hostile: scaling("hostile"),
  "one run": scaling("one run"),
};

// Most tests look at this one.
const shown = await openPage(solver.html);
after(() => closePage(shown));

const percent = (share) => `${Math.round(100 * share)}%`;

/** Labels that cover each other, in charts, and what is wider than its place. */
function flaws() {
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth)
    found.push(`the page is ${document.documentElement.scrollWidth} wide`);
  for (const table of document.querySelectorAll("table"))
    if (table.getBoundingClientRect().width > table.parentElement.clientWidth + 1)
      found.push(`too wide: ${table.textContent.slice(0, 40)}`);
  for (const chart of document.querySelectorAll(".size-chart svg")) {
    const texts = [...chart.querySelectorAll("text")].map((node) => [
      node.textContent,
      node.getBoundingClientRect(),
    ]);
    texts.forEach(([text, box], i) => {
      for (const [other, place] of texts.slice(i + 1))
        if (
          box.left < place.right - 1 &&
          place.left < box.right - 1 &&
          box.top < place.bottom - 3 &&
          place.top < box.bottom - 3
        )
          found.push(`${text} covers ${other}`);
    });
  }
  return found;
}

/** Without an error, and with nothing that is cut off or covered. */
async function assertGood(page, title) {
  await page.waitForFunction(() => document.querySelector(".size-chart circle"));
  assert.deepEqual(await page.evaluate(flaws), [], title);
  assert.deepEqual(page.problems, [], title);
}

async function assertNoBarriers(page) {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  assert.deepEqual(
    violations.map(({ id, nodes }) => [id, nodes[0].html.slice(0, 120)]),
    [],
  );
}

test("it fits desk and phone, in light and dark, without an error or a barrier", async () => {
  await assertGood(shown, "desk");
  await assertNoBarriers(shown);
  await withPage(solver.html, { size: phone, dark: true }, async (page) => {
    await assertGood(page, "phone");
    await assertNoBarriers(page);
    const heads = await page.locator(".factors thead th:visible").allInnerTexts();
    const { sizes, stops_at_ranks: bad } = solver.report;
    const at = sizes.findIndex((size) => size.ranks === bad);
    const few = [0, at - 1, at, sizes.length - 1].map((i) => sizes[i].ranks);
    assert.deepEqual(
      heads,
      few.map((ranks) => ranks.toLocaleString("en")),
      "the first, the last good, the first bad and the last size",
    );
  });
});

test("with twelve sizes every second waterfall is left out", async () => {
  await withPage(pages.many.html, {}, async (page) => {
    await assertGood(page, "desk");
    assert.equal(await page.locator(".fall svg:visible").count(), 6);
    await page.setViewportSize(phone);
    await assertGood(page, "phone");
  });
});

test("the answer is there without JavaScript, with the recommended size", async () => {
  await withPage(solver.html, { script: false }, async (page) => {
    const { report } = solver;
    assert.equal(report.recommended_ranks, 128, "planted so");
    const headline = await page.locator("h1").innerText();
    assert.ok(headline.startsWith(report.headline), headline);
    assert.equal(await page.locator("h1 sup").innerText(), "0.50");
    const recommended = await page.locator("tr.recommended").innerText();
    assert.match(recommended, /^128\s[^%]*\s81%\s+the largest above 80%$/);
    assert.equal(await page.locator(".use tbody tr").count(), report.sizes.length);
    assert.match(await page.locator("tr", { hasText: "shortest" }).innerText(), /^512\s/);
    assert.match(await page.locator(".steps").innerText(), /Do the two sums/);
    assert.match(await page.locator("#text").innerText(), /STOPS SCALING AT/);
  });
});

test("factors and laws are those of the JSON", async () => {
  const rows = await shown.locator(".factors tbody tr:not(.falls)").allInnerTexts();
  const cells = rows.map((row) => row.split("\t").slice(1));
  assert.deepEqual(
    cells,
    solver.report.factors.map((row) => row.values.map(percent)),
  );
  const falls = shown.locator(".factors .fall svg");
  assert.equal(await falls.count(), solver.report.sizes.length);
  const first = shown.locator("#growth tbody tr").first();
  const [law] = solver.report.laws.filter((row) => row.kind === "call line");
  assert.match(await first.innerText(), new RegExp(law.place.replace(".", "\\.")));
  const sites = shown.locator("#growth tbody tr", { hasText: "cg.c:211" });
  assert.equal(await sites.locator(".law sup").innerText(), "0.50");
  assert.match(await sites.innerText(), /grows with the square root/);
  await shown.getByRole("button", { name: "By phase" }).click();
  assert.match(await shown.locator("#growth tbody").innerText(), /^\s*(▲|◆)?\s*solve/);
  const csv = await saved(shown, () => shown.getByLabel("Save growth By phase as CSV").click());
  assert.match(csv.text, /^Phase,16 ranks \[s\],"1,024 ranks/);
});

test("arrows go from size to size, in all charts", async () => {
  await shown.locator(".size-chart").first().focus();
  await shown.keyboard.press("End");
  assert.match(await shown.locator("#tip").innerText(), /1,024 ranks/);
  const marked = await shown.locator("[data-size].at").count();
  assert.equal(marked, await shown.locator("[data-size='6']").count());
});

test("what is not known is said", async () => {
  await withPage(pages["one run"].html, {}, async (page) => {
    assert.match(await page.locator("#speed .hint").innerText(), /no repeats: noise unknown/);
  });
  await withPage(pages.two.html, {}, async (page) => {
    assert.match(await page.locator("#growth").innerText(), /no projection/);
    assert.match(await page.locator("#growth tbody").innerText(), /no clear law/);
    assert.equal(await page.locator(".projected").count(), 0);
    await assertGood(page, "two");
  });
});

test("a program that scales has no red in it", async () => {
  await withPage(pages.good.html, {}, async (page) => {
    await assertGood(page, "good");
    assert.match(await page.locator(".badge").innerText(), /^◆ Scales, but will stop$/);
    assert.equal(await page.locator(".point.bad, .product.bad").count(), 0);
  });
});

test("names that are markup stay text", async () => {
  await withPage(pages.hostile.html, {}, async (page) => {
    await page.getByRole("button", { name: "By phase" }).click();
    const text = await page.evaluate(() => document.body.innerText);
    assert.ok(text.includes("</script><script>alert(2)</script>"), "the phase");
    assert.ok(text.includes("<b onload=alert(3)>{{data}}"), "the path");
    assert.equal(await page.locator("img, [onload], [onerror]").count(), 0);
    assert.ok((await page.locator("h1").innerText()).includes("<img src=x onerror=alert(1)>"));
    assert.deepEqual(page.problems, []);
  });
});

test("it prints, is small, and opens fast", async () => {
  const { size } = statSync(solver.html);
  const ready = Number(await shown.evaluate(() => document.documentElement.dataset.readyMs));
  console.log(`# ${size} bytes, ready in ${ready} ms`);
  assert.ok(size < 120_000, `${size} bytes`);
  assert.ok((await shown.pdf({ format: "A4" })).length > 10_000);
});
