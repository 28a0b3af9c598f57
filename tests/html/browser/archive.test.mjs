// The page of mprof archive, of a centre that never was (tests/archive/make_centre.cc). Its answer
// needs no JavaScript. It fits desk and phone in light and dark. What was planted is what it shows,
// and a click on an application opens its history. It is small, and ready soon.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";

import { axeSource, closePage, desk, openPage, phone, withPage } from "./pages.mjs";

const place = (name) => join(process.env.WORK, name);
const runs = 30_000;

function centre() {
  execFileSync("rm", ["-f", place("centre.db")]);
  const words = ["centre", place("centre.db"), String(runs), place("truth.json")];
  execFileSync(process.env.CENTRE, words);
  execFileSync(process.env.MPROF, [
    ..."archive regressions".split(" "),
    place("centre.db"),
    ...["--html", place("centre.html"), "--json", place("centre.json")],
  ]);
}

const skip = process.env.CENTRE ? false : "no SQLite";
if (!skip) centre();
const shown = skip ? null : await openPage(place("centre.html"));
after(() => shown && closePage(shown));
const truth = skip ? [] : JSON.parse(readFileSync(place("truth.json"), "utf8"));
const slower = truth.filter(({ percent }) => percent > 0);

function flaws() {
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth)
    found.push(`the page is ${document.documentElement.scrollWidth} wide`);
  for (const table of document.querySelectorAll("table"))
    if (table.getBoundingClientRect().width > table.parentElement.clientWidth + 1)
      found.push(`too wide: ${table.textContent.slice(0, 40)}`);
  return found;
}

async function assertGood(page, title) {
  await page.waitForFunction(() => document.querySelector(".history-chart svg .dots"));
  assert.deepEqual(await page.evaluate(flaws), [], title);
  assert.deepEqual(page.problems, [], title);
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  assert.deepEqual(
    violations.map(({ id, nodes }) => [id, nodes[0].html.slice(0, 120)]),
    [],
    title,
  );
}

test("it fits desk and phone, light and dark, without error or barrier", { skip }, async () => {
  await assertGood(shown, "desk");
  await withPage(place("centre.html"), { size: phone, dark: true }, (page) =>
    assertGood(page, "phone"),
  );
});

test("the answer is there without JavaScript", { skip }, async () => {
  await withPage(place("centre.html"), { size: desk, script: false }, async (page) => {
    const head = await page.locator("#verdict").innerText();
    assert.match(head, new RegExp(`${slower.length} of 40 applications are slower`));
    assert.match(head, /Who should be helped first/);
    assert.match(head, /node203/);
  });
});

test("what was planted is shown, and nothing else", { skip }, async () => {
  await shown.getByRole("button", { name: "Changed" }).click();
  const rows = await shown.locator("#applications tbody tr").allInnerTexts();
  for (const { program, percent } of truth)
    assert.ok(
      rows.some((row) => row.includes(program) && row.includes(percent > 0 ? "▲" : "▼")),
      `${program} is not in ${rows}`,
    );
  assert.ok(rows.length <= truth.length + 1, `${rows.length} rows`);
});

test("a click opens the history, and its lane is red", { skip }, async () => {
  const planted = slower.find(({ lane }) => lane === "MPI");
  await shown
    .locator("#applications tbody tr")
    .filter({ hasText: planted.program })
    .filter({ hasText: planted.input })
    .locator(".open-series")
    .click();
  const words = await shown.locator(".history-words").innerText();
  assert.ok(words.startsWith(`${planted.program}, ${planted.input}`), words);
  assert.match(words, /a run takes .* instead of .* \(\+[45]\.\d%, noise ±[56]\.\d%\)/);
  const red = await shown.locator(".history-chart .lane-name.at").allTextContents();
  assert.deepEqual(red, ["MPI"]);
  assert.match(await shown.locator(".history-beside").innerText(), /solve\.c:288/);
});

test("each run has its causes and its commit", { skip }, async () => {
  const names = await shown.locator(".history-chart text.lane-name").allTextContents();
  assert.ok(names.includes("uneven") && names.includes("latency"), String(names));
  assert.equal(await shown.locator(".history-chart .dots.account").count(), 2);
  await shown.locator("#history .data-tools button", { hasText: "Table" }).click();
  const table = shown.locator("#history .data-table table").first();
  const heads = await table.locator("thead th").allInnerTexts();
  assert.deepEqual(heads.slice(0, 3), ["Day", "Time", "Commit"]);
  const [day, time, commit, ...costs] = await table
    .locator("tbody tr")
    .first()
    .locator("th, td")
    .allInnerTexts();
  assert.match(day, /^\d+ Nov 2024$/);
  assert.match(commit, /^001[0-9a-f]{4}0{5}$/); // the first letters of 40
  // Planted: 15 % of the run, and 2 %.
  const seconds = (text) => Number.parseFloat(text) * (/ms$/.test(text) ? 1e-3 : 1);
  const shares = costs.map((text) => seconds(text) / seconds(time)).sort();
  assert.ok(Math.abs(shares[0] - 0.02) < 0.003 && Math.abs(shares[1] - 0.15) < 0.003, `${shares}`);
});

test("the keyboard goes from run to run", { skip }, async () => {
  await shown.locator(".history-chart").focus();
  await shown.keyboard.press("End");
  const spoken = await shown.locator("#spoken").innerText();
  assert.match(spoken, /^\d+ Nov 2026, time [\d.]+ s/);
  assert.match(spoken, /uneven .*commit /);
});

test("it is small", { skip }, () => {
  assert.ok(statSync(place("centre.html")).size < 1_000_000);
});
