// Source lines on the page, by mprof report --sources: three around a call, of files that have not
// changed since. The committed profile names lines of a script, which lies below a --sysroot here.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

import { axeSource, phone, withPage } from "./pages.mjs";

const profile = fileURLToPath(new URL("../../golden/phases", import.meta.url));
const root = join(process.env.WORK, "sysroot");
const script = join(root, "home/x/cg.py");
const before = new Date("2026-10-01T00:00:00Z"); // the run began on 26 October 2026
const behind = new Date("2026-11-01T00:00:00Z");
const marked = "    y = '<b>line 118</b>'\t# \u00e4";

function writeScript(changed) {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(dirname(script), { recursive: true });
  const lines = Array.from({ length: 300 }, (_, i) => (i === 117 ? marked : `line ${i + 1}`));
  writeFileSync(script, `${lines.join("\n")}\n`);
  utimesSync(script, changed, changed);
}

/** The page, and what is said. */
function pageOf(name, of, ...words) {
  const html = join(process.env.WORK, `${name}.html`);
  const done = spawnSync(
    process.env.MPROF,
    ["report", of, "--sysroot", root, "--html", html, ...words],
    { encoding: "utf8" },
  );
  assert.equal(done.status, 0, done.stderr);
  return { html, said: done.stderr };
}

async function unfold(page, place) {
  await page.locator("#callsites .open-row", { hasText: place }).first().click();
  return page.locator("#callsites tr.detail").first();
}

for (const view of [{}, { size: phone, dark: true }]) {
  test(`three lines around a call, ${view.dark ? "phone, dark" : "desk"}`, async () => {
    writeScript(before);
    const { html, said } = pageOf("sources", profile, "--sources");
    assert.doesNotMatch(said, /no lines/);
    await withPage(html, view, async (page) => {
      const detail = await unfold(page, "cg.py:118");
      const lines = (await detail.locator(".source").textContent()).trimEnd().split("\n");
      assert.deepEqual(lines, [
        ...["115 line 115", "116 line 116", "117 line 117"],
        "118     y = '<b>line 118</b>'    # \u00e4",
        ...["119 line 119", "120 line 120", "121 line 121"],
      ]);
      assert.match(await detail.locator(".source .at").textContent(), /^118 /);
      const heights = await detail
        .locator(".source > span")
        .evaluateAll((lines) => lines.map((line) => line.getBoundingClientRect().bottom));
      assert.equal(new Set(heights).size, 7, "a line of the page for each");
      assert.equal(await detail.locator(".source b").count(), 0);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${wide} pixels too wide`);
      await page.evaluate(axeSource);
      const { violations } = await page.evaluate(() => globalThis.axe.run("#callsites"));
      assert.deepEqual(violations.map(({ id }) => id), []);
      assert.deepEqual(page.problems, []);
      const name = view.dark ? "sources-phone.png" : "sources.png";
      await page.locator("#callsites").screenshot({ path: join(process.env.WORK, name) });
    });
  });
}

test("a file that has changed since the run gives no line, and it is said", async () => {
  writeScript(behind);
  const { html, said } = pageOf("changed", profile, "--sources");
  assert.match(said, /no lines of \/home\/x\/cg[.]py: it has changed since the run/);
  assert.equal(readFileSync(html, "utf8").includes("line 117"), false);
  await withPage(html, {}, async (page) => {
    const detail = await unfold(page, "cg.py:118");
    assert.match(await detail.textContent(), /No source lines: cg[.]py has changed since the run/);
    assert.equal(await page.locator(".source").count(), 0);
  });
});

test("without --sources, and of a scrubbed profile, there are none", async () => {
  writeScript(before);
  await withPage(pageOf("without", profile).html, {}, async (page) => {
    await unfold(page, "cg.py:118");
    assert.equal(await page.locator(".source").count(), 0);
  });
  const scrubbed = join(process.env.WORK, "scrubbed.mprof");
  execFileSync(process.env.MPROF, ["scrub", profile, "-o", scrubbed], { stdio: "ignore" });
  const { html } = pageOf("scrubbed", scrubbed, "--sources");
  await withPage(html, {}, async (page) => {
    await unfold(page, "cg.py:118");
    assert.equal(await page.locator(".source").count(), 0);
    assert.doesNotMatch(await page.content(), /home\/x/);
  });
});
