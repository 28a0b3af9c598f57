// The page of mprof diff. Its figures are those of the JSON. It answers without JavaScript. It
// sorts and filters. It fits a phone and a wide screen, in light and dark, and on paper. axe-core
// finds nothing.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

import { axeSource, desk, phone, withPage } from "./pages.mjs";

const golden = fileURLToPath(new URL("../../golden", import.meta.url));

/** Page and JSON of two sides: generated profiles of so many ranks, or committed ones. */
function comparison(name, a, b) {
  const out = join(process.env.WORK, name);
  const page = { html: `${out}.html`, json: `${out}.json` };
  try {
    execFileSync(process.env.MPROF, ["diff", a, b, "--html", page.html, "--json", page.json], {
      stdio: "ignore",
    });
  } catch (problem) {
    assert.equal(problem.status, 1, "incomplete runs are compared, too");
  }
  return { ...page, report: JSON.parse(readFileSync(page.json, "utf8")) };
}

function generated(ranks) {
  const folder = join(process.env.WORK, `ranks-${ranks}`);
  if (!existsSync(folder)) execFileSync(process.env.GENERATE, [folder, String(ranks)]);
  return folder;
}

/** What the script of the page draws. */
async function dataOfPage() {
  const text = document.getElementById("data").textContent;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).json();
}

const scaled = comparison("scaled", generated(64), generated(128));
const killed = comparison("killed", join(golden, "finished"), join(golden, "killed"));

for (const [name, pair] of Object.entries({ scaled, killed })) {
  for (const [size, dark] of [
    [desk, false],
    [phone, true],
  ]) {
    const title = `${name}, ${size.width} pixels: no problem, no horizontal scrolling, accessible`;
    test(title, async () => {
      await withPage(pair.html, { size, dark }, async (page) => {
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        await page.evaluate(axeSource);
        const { violations } = await page.evaluate(() => globalThis.axe.run());
        assert.deepEqual(
          violations.map((violation) => [
            violation.id,
            violation.nodes.map((node) => node.html.slice(0, 120)),
          ]),
          [],
        );
        assert.deepEqual(page.problems, []);
      });
    });
  }

  test(`${name}: rows and figures are those of the JSON`, async () => {
    await withPage(pair.html, {}, async (page) => {
      const shown = await page.evaluate(dataOfPage);
      for (const list of ["segments", "callsites", "functions", "sizes", "regions"]) {
        const { rows, columns } = shown[list];
        assert.equal(rows, pair.report[list].length, list);
        pair.report[list].forEach((row, i) => {
          const at = (column) =>
            Array.isArray(columns[column]) ? columns[column][i] : columns[column];
          assert.equal(at("name") ?? "", row.name);
          assert.equal(at("outcome"), row.outcome);
          for (const side of ["a", "b"])
            assert.ok(
              Math.abs(at(side) - row.time_s[side]) <= 1e-5 * Math.abs(row.time_s[side]),
              `${list} ${row.name}`,
            );
        });
      }
      assert.equal(await page.locator("#totals tbody tr").count(), pair.report.totals.length);
    });
  });

  test(`${name}: the answer is there without JavaScript`, async () => {
    await withPage(pair.html, { script: false }, async (page) => {
      const text = await page.locator("body").innerText();
      assert.equal(await page.locator("h1").innerText(), pair.report.answer.headline);
      assert.ok(text.includes(pair.report.answer.noise));
      assert.match(text, /# ANSWER/);
    });
  });
}

test("tables sort and filter", async () => {
  await withPage(scaled.html, {}, async (page) => {
    const first = () => page.locator("#functions tbody tr").first().innerText();
    await page.locator("#functions thead button", { hasText: /^Function/ }).click();
    assert.match(await first(), /MPI_Allgather/);
    await page.locator("#functions thead button", { hasText: /^Function/ }).click();
    assert.match(await first(), /MPI_Waitall/);
    await page.locator("#callsites .filter").fill("allreduce");
    assert.equal(
      await page.locator("#callsites tbody tr").count(),
      scaled.report.callsites.filter((row) => /allreduce/i.test(row.name)).length,
    );
  });
});

test("runs of different sizes say why ranks are not compared", async () => {
  await withPage(scaled.html, {}, async (page) => {
    assert.match(await page.locator("#ranks").innerText(), /different numbers of ranks/);
  });
});

test("it prints, and is small", async () => {
  await withPage(scaled.html, {}, async (page) => {
    assert.ok((await page.pdf({ format: "A4" })).length > 10_000);
  });
  assert.ok(statSync(scaled.html).size < 150_000);
});
