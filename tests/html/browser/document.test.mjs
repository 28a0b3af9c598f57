// The JSON button saves what mprof report --json and mprof diff --json write, to the byte. A page
// without room for the document says which command writes it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

import { jsonButton, samplePage, saved, withPage } from "./pages.mjs";

const golden = fileURLToPath(new URL("../../golden", import.meta.url));

/** Page and JSON of a committed profile, or of two compared. */
function written(name, command, ...profiles) {
  const out = join(process.env.WORK, name);
  const page = { html: `${out}.html`, json: `${out}.json` };
  try {
    execFileSync(
      process.env.MPROF,
      [
        command,
        ...profiles.map((profile) => join(golden, profile)),
        "--html",
        page.html,
        "--json",
        page.json,
      ],
      { stdio: "ignore" },
    );
  } catch (problem) {
    assert.equal(problem.status, 1, "incomplete runs have a page, too");
  }
  return page;
}

const pages = {
  finished: [written("finished", "report", "finished"), "heat-mprof.json"],
  killed: [written("killed", "report", "killed"), "heat-mprof.json"],
  compared: [written("compared", "diff", "finished", "killed"), "mprof-diff.json"],
  "64 ranks": [samplePage(64), "cg.D.x-mprof.json"],
  "hostile names": [samplePage(64, "hostile"), null],
};

for (const [name, [{ html, json }, fileName]] of Object.entries(pages)) {
  test(`${name}: the button saves the document`, async () => {
    await withPage(html, {}, async (page) => {
      const file = await saved(page, () => jsonButton(page).click());
      if (fileName) assert.equal(file.name, fileName);
      const expected = readFileSync(json, "utf8");
      assert.deepEqual(JSON.parse(file.text), JSON.parse(expected));
      assert.ok(file.text === expected, "to the byte");
      assert.doesNotMatch(await page.textContent("footer"), /too large/);
      assert.deepEqual(page.problems, []);
    });
  });
}

for (const [ranks, variant] of [
  [4096, "slow node"],
  [256, "dense"],
]) {
  test(`${variant}, ${ranks} ranks: a command instead of the button`, async () => {
    await withPage(samplePage(ranks, variant).html, {}, async (page) => {
      assert.equal(await jsonButton(page).count(), 0);
      assert.match(
        await page.textContent("footer"),
        /too large for the page.*mprof report FOLDER --json FILE/,
      );
      await page.getByRole("button", { name: "JSON command" }).click();
      await page.waitForSelector('button:has-text("Copied: mprof report FOLDER --json FILE")');
      assert.deepEqual(page.problems, []);
    });
  });
}
