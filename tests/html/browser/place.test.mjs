// The page of mprof place. Its answer needs no JavaScript. The sums and seconds are those of the
// JSON. Each launcher has its line and file. A good order has neither a second matrix nor a line to
// paste. It fits desk and phone in light and dark. Names that are markup stay text.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";

import { axeSource, closePage, desk, openPage, phone, withPage } from "./pages.mjs";

function placement(variant) {
  const name = join(process.env.WORK, variant);
  const page = { html: `${name}.html`, json: `${name}.json` };
  execFileSync(process.env.PLACINGS, [variant, page.html, page.json]);
  return { ...page, report: JSON.parse(readFileSync(page.json, "utf8")) };
}

const pages = Object.fromEntries(
  ["solver", "good", "many", "bytes", "hostile"].map((name) => [name, placement(name)]),
);
const { solver } = pages;
const gib = 2 ** 30;

// Most tests look at this one.
const shown = await openPage(solver.html);
after(() => closePage(shown));

/** What is wider than its place. */
function flaws() {
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth)
    found.push(`the page is ${document.documentElement.scrollWidth} wide`);
  for (const table of document.querySelectorAll("table"))
    if (table.getBoundingClientRect().width > table.parentElement.clientWidth + 1)
      found.push(`too wide: ${table.textContent.slice(0, 40)}`);
  for (const text of document.querySelectorAll(".bytes-bar text")) {
    const bar = text.parentElement.getBoundingClientRect();
    if (text.getBoundingClientRect().right > bar.right + 1)
      found.push(`cut off: ${text.textContent}`);
  }
  return found;
}

async function assertGood(page, title) {
  await page.waitForFunction(() => document.querySelector("#order canvas")?.width > 0);
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
  for (const [name, { html }] of Object.entries(pages))
    await withPage(html, { ...phone, colorScheme: "dark" }, async (page) => {
      await assertGood(page, `${name}, phone`);
      if (name === "solver") await assertNoBarriers(page);
    });
});

test("the answer is there without JavaScript", async () => {
  await withPage(solver.html, { ...desk, javaScriptEnabled: false }, async (page) => {
    const head = await page.locator("#verdict").innerText();
    assert.match(head, /A different order of the ranks would end the run about [\d.]+ s earlier/);
    assert.match(head, /dealt to the nodes in turn/);
    assert.equal(await page.locator(".bytes-bar").count(), 2);
  });
});

// 144 pairs of neighbours, 78 MiB each way. In turn on 8 nodes only ranks that differ by 16 share
// a node: 48 pairs. In blocks of 2 x 2 x 2 each node has 12.
test("sums and seconds are those of arithmetic and of the JSON", async () => {
  const between = (inside) => ((144 - inside) * 2 * 78) / 1024;
  const sums = await shown.locator(".sums").allInnerTexts();
  assert.ok(sums[0].startsWith(`${between(48).toFixed(0)} GiB between nodes`), sums[0]);
  assert.ok(sums[1].startsWith(`${between(96).toFixed(1)} GiB between nodes`), sums[1]);
  const { report } = solver;
  assert.deepEqual(
    report.between_nodes_bytes.map((bytes) => bytes / gib),
    [between(48), between(96)],
  );
  const rows = await shown.locator("#distances tbody tr").allInnerTexts();
  assert.equal(rows.length, report.distances.length);
  assert.ok(rows[0].includes(report.distances[0].after_s.toFixed(2)), rows[0]);
});

test("each launcher has its line and its file, and the choice is remembered", async () => {
  const shownLine = () => shown.locator("#paste pre").allInnerTexts();
  assert.match((await shownLine())[0], /mpirun -n 64 --map-by rankfile:file=cg.ranks/);
  await shown.getByRole("button", { name: "Slurm" }).click();
  const slurm = await shownLine();
  assert.match(slurm[0], /SLURM_HOSTFILE=cg.hosts srun -n 64 --distribution=arbitrary/);
  const hosts = solver.report.places.slice(0, 3).map(({ host }) => host);
  assert.deepEqual(slurm[1].split("\n").slice(0, 3), hosts);
  assert.equal(await shown.evaluate(() => localStorage.getItem("mprof-launcher")), "slurm");
});

test("a cell tells both ranks, and their nodes in both orders", async () => {
  const matrix = shown.locator("#order canvas.over").first();
  await matrix.focus();
  await matrix.press("ArrowRight");
  await matrix.press("ArrowRight");
  const spoken = await shown.locator("#spoken").innerText();
  assert.match(spoken, /^rank 0 → rank \d+, bytes .*before node0, inside, after node0/);
  await matrix.press("Enter");
  assert.match(shown.url(), /rank=0/);
});

test("a good order has one matrix and nothing to paste", async () => {
  await withPage(pages.good.html, desk, async (page) => {
    await assertGood(page, "good");
    assert.match(await page.locator("h1").innerText(), /The order is good/);
    assert.equal(await page.locator("#order canvas.over").count(), 1);
    assert.equal(await page.locator("#paste").count(), 0);
  });
});

test("without a cost of bytes no seconds are told", async () => {
  assert.equal(pages.bytes.report.saves_s, null);
  await withPage(pages.bytes.html, desk, async (page) => {
    assert.match(await page.locator("h1").innerText(), /33% of all bytes off the network/);
    assert.equal(await page.locator(".times").count(), 0);
  });
});

test("of many ranks a cell is a pair of nodes, and the page stays small", async () => {
  assert.ok(statSync(pages.many.html).size < 700e3);
  await withPage(pages.many.html, desk, async (page) => {
    await assertGood(page, "many");
    const matrix = page.locator("#order canvas.over").first();
    await matrix.focus();
    await matrix.press("ArrowRight");
    assert.match(await page.locator("#spoken").innerText(), /^node0(, inside| → node)/);
  });
});

test("names that are markup stay text", async () => {
  await withPage(pages.hostile.html, desk, async (page) => {
    await assertGood(page, "hostile");
    assert.equal(await page.locator("img").count(), 0);
  });
});
