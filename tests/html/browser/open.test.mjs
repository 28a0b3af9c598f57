// Every kind of report makes a page. The page opens without an error, asks for nothing, fits its
// window, and shows something in every chart. It has no barriers that axe-core knows. With
// ALL_PAGES=1 each report is opened in both sizes, and more pages are searched for barriers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { inflateRawSync } from "node:zlib";

import { axeSource, desk, phone, samplePage, withPage } from "./pages.mjs";

const reports = [
  [1, "slow node"],
  [2, "slow node"],
  [4, "slow node"],
  [64, "slow node"],
  [1024, "slow node"],
  [4096, "slow node"],
  [64, "healthy"],
  [64, "bare"],
  [64, "no messages"],
  [64, "no MPI time"],
  [64, "missing ranks"],
  [64, "killed"],
  [64, "hostile"],
  [64, "long names"],
  [64, "many callsites"],
  [64, "coupled"],
  [256, "dense"],
];

/**
 * Charts that are all of one colour, and text that is wider than what holds it. Tables would
 * scroll, but nobody sees that they go on.
 */
function flaws() {
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth)
    found.push(`the page is ${document.documentElement.scrollWidth} wide`);
  for (const canvas of document.querySelectorAll(".chart canvas:first-child")) {
    const { width, height } = canvas;
    const pixels = canvas.getContext("2d").getImageData(0, 0, width, height).data;
    const colours = new Set();
    for (let i = 0; i < pixels.length; i += 4)
      colours.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
    if (colours.size < 3) found.push(`empty chart in ${canvas.closest("section").id}`);
  }
  for (const table of document.querySelectorAll(".table"))
    if (table.scrollWidth > table.clientWidth + 1)
      found.push(`cut off: ${table.querySelector("caption").textContent}, ${table.scrollWidth}`);
  for (const node of document.querySelectorAll("h1, h2, h3, p, dd, li, .choices, .badge")) {
    const box = node.getBoundingClientRect();
    if (node.closest("nav, .table, .hidden, [hidden], #bar") || box.width === 0) continue;
    if (
      box.right > innerWidth + 1 ||
      (node.scrollWidth > node.clientWidth + 2 && getComputedStyle(node).display !== "inline")
    )
      found.push(`cut off: ${node.tagName} ${node.textContent.slice(0, 60)}`);
  }
  return found;
}

/** The flaws that stay. Charts are drawn after the page has its size, on a busy machine later. */
async function settledFlaws(page) {
  let found = [];
  for (let turn = 0; turn < 50; turn += 1) {
    await page.waitForTimeout(100);
    found = await page.evaluate(flaws);
    if (found.length === 0) break;
  }
  return found;
}

function title(variant, ranks, size, dark) {
  return `${variant}, ${ranks} ranks, ${size.width} pixels, ${dark ? "dark" : "light"}`;
}

const all = process.env.ALL_PAGES === "1";
const html64 = samplePage(64).html;

for (const [number, [ranks, variant]] of reports.entries()) {
  const sizes = [
    [desk, false],
    [phone, true],
  ];
  const inBoth = all || variant === "slow node";
  for (const [size, dark] of inBoth ? sizes : [sizes[number % 2]]) {
    test(title(variant, ranks, size, dark), async () => {
      await withPage(samplePage(ranks, variant).html, { size, dark }, async (page) => {
        assert.deepEqual(await settledFlaws(page), []);
        assert.deepEqual(page.problems, []);
        const ids = await page
          .locator("#sections > section")
          .evaluateAll((nodes) => nodes.map((node) => node.id));
        assert.deepEqual(ids, [
          ...(variant === "bare" ? [] : ["when", "accounts"]),
          "calls",
          ...(variant === "coupled" ? ["programs"] : []),
          "balance",
          "cause",
          "computing",
          "sizes",
          ...(["killed", "long names"].includes(variant) ? ["machine"] : []),
          "partners",
          "callsites",
          "flame",
          "files",
          "openmp",
          ...(variant === "killed" ? ["gpu"] : []),
          "regions",
          "communicators",
          "nodes",
          ...(variant === "bare" ? [] : ["bindings"]),
          "counters",
          "memory",
          ...(variant === "killed" ? ["lints"] : []),
          "quality",
          "run",
        ]);
      });
    });
  }
}

/** Functions of NCCL, their sizes and who sends to whom, where the program calls NCCL. */
test("NCCL is beside MPI on the page", async () => {
  const shown = (page) =>
    page.evaluate(() => ({
      calls: document.querySelector("#calls")?.textContent?.includes("ncclAllReduce"),
      sizes: document.querySelector("#sizes .keys")?.textContent?.includes("ncclAllReduce"),
      partners: document.querySelector("#gpu canvas") !== null,
    }));
  await withPage(samplePage(64, "killed").html, { size: desk }, async (page) => {
    assert.deepEqual(await shown(page), { calls: true, sizes: true, partners: true });
  });
  await withPage(html64, { size: desk }, async (page) => {
    assert.deepEqual(await shown(page), { calls: false, sizes: false, partners: false });
  });
});

/** 0.6 s of the first second, and nothing later. */
test("how busy the GPUs are is told over time", async () => {
  const { html } = samplePage(64, "killed");
  const packed = /id="data">([^<]*)</.exec(readFileSync(html, "utf8"))?.[1] ?? "";
  const { bins, bin_s: length } = JSON.parse(inflateRawSync(Buffer.from(packed, "base64"))).time;
  const busy = bins.columns.gpu_busy_s;
  assert.ok(Math.abs(busy.reduce((all, seconds) => all + seconds, 0) - 0.6) < 0.001, `${busy}`);
  assert.ok(Math.abs(busy[0] / length - 0.6) < 0.001, `${busy[0]} of ${length}`);
  await withPage(html, { size: desk }, async (page) => {
    await page.locator("#when").getByText("Table", { exact: true }).first().click();
    assert.match(await page.locator("#when").innerText(), /GPUs busy/);
  });
});

/** What a finger must hit, and is lower or narrower than 24 pixels. */
function lowTargets() {
  const targets = document.querySelectorAll("a[href], button, summary, input, [role=button]");
  return [...targets]
    .filter((node) => {
      const box = node.getBoundingClientRect();
      return box.width > 0 && box.right > 0 && Math.min(box.width, box.height) < 24 - 0.01;
    })
    .map((node) => {
      const { width, height } = node.getBoundingClientRect();
      return `${node.outerHTML.slice(0, 90)}: ${width} x ${height}`;
    });
}

for (const [ranks, variant] of [
  [64, "slow node"],
  [64, "killed"],
  [4096, "coupled"],
]) {
  test(`all that a finger must hit has 24 pixels: ${variant}, ${ranks} ranks`, async () => {
    await withPage(samplePage(ranks, variant).html, { size: phone }, async (page) => {
      await page.evaluate(() =>
        document.querySelectorAll("[aria-expanded=false]").forEach((button) => button.click()),
      );
      assert.deepEqual(await page.evaluate(lowTargets), []);
    });
  });
}

/** Texts that a pattern finds in one piece of text, and that are not on one line. */
function brokenTexts({ pattern, least }) {
  const all = [...document.querySelectorAll("main *")].filter(
    (node) => node.children.length === 0 && node.closest("pre, svg, .hidden") === null,
  );
  const found = [];
  let seen = 0;
  for (const node of all) {
    const text = node.firstChild;
    const match = new RegExp(pattern).exec(text?.data ?? "");
    if (!match || node.getClientRects().length === 0) continue;
    seen++;
    const range = document.createRange();
    range.setStart(text, match.index);
    range.setEnd(text, match.index + match[0].length);
    if (range.getClientRects().length > 1) found.push(text.data);
  }
  return seen > least ? found : [`only ${seen} places on the page`];
}

const unbroken = {
  "line number breaks away from its file": { pattern: "[a-z]:\\d", least: 20 },
  "number breaks away from its unit": { pattern: "\\d ([mµ]?s|[KMGT]?i?B)(?!\\w)", least: 50 },
};
for (const [what, texts] of Object.entries(unbroken)) {
  test(`no ${what}, however narrow it is`, async () => {
    await withPage(samplePage(64, "long names").html, { size: phone }, async (page) => {
      assert.deepEqual(await page.evaluate(brokenTexts, texts), []);
    });
  });
}

test("a list of ranks goes on behind a comma in the next line", async () => {
  await withPage(samplePage(4096).html, { size: phone }, async (page) => {
    const lists = await page.locator("#bindings tbody td:last-child").allTextContents();
    assert.ok(lists.some((list) => list.length > 40), `${lists}`);
    for (const list of lists) assert.doesNotMatch(list, /,\S/);
  });
});

test("the sections of a phone's bar are not on top of each other", async () => {
  await withPage(html64, { size: phone }, async (page) => {
    const lefts = await page.evaluate(() =>
      [...document.querySelectorAll("#nav a")].map((link) => [
        link.getBoundingClientRect().left,
        link.scrollWidth - link.clientWidth,
      ]),
    );
    for (const [i, [left, wide]] of lefts.entries()) {
      assert.ok(i === 0 || left >= lefts[i - 1][0] + 24, `${lefts}`);
      assert.ok(wide <= 0, `${lefts}`);
    }
  });
});

/** How long the lines of the bar's names are, in pixels. */
function linesOfNames() {
  const lines = new Map();
  for (const link of document.querySelectorAll("#nav a")) {
    const { top, left, right } = link.getBoundingClientRect();
    const line = lines.get(top) ?? { left, right };
    lines.set(top, { left: Math.min(line.left, left), right: Math.max(line.right, right) });
  }
  return [...lines.values()].map(({ left, right }) => Math.round(right - left));
}

for (const width of [1100, 1280, 1400])
  test(`no name of a section is alone on a line at ${width} pixels`, async () => {
    await withPage(html64, { size: { width, height: 900 } }, async (page) => {
      const lines = await page.evaluate(linesOfNames);
      assert.ok(lines.length > 1, "the names need several lines");
      assert.ok(Math.min(...lines) > 0.7 * Math.max(...lines), `${lines}`);
    });
  });

for (const width of [1100, 1400]) {
  test(`no name of a section is cut at ${width} pixels`, async () => {
    await withPage(html64, { size: { width, height: 900 } }, async (page) => {
      const cut = await page.evaluate(() => {
        const end = document.getElementById("tools").getBoundingClientRect().left;
        return [...document.querySelectorAll("#nav a")]
          .filter((link) => {
            const box = link.getBoundingClientRect();
            const bar = document.getElementById("bar").getBoundingClientRect();
            return box.right > end || box.bottom > bar.bottom || box.left < 0;
          })
          .map((link) => link.textContent);
      });
      assert.deepEqual(cut, []);
      await page.locator("#nav a", { hasText: "Nodes" }).click();
      const gap = await page.evaluate(
        () =>
          document.getElementById("nodes").getBoundingClientRect().top -
          document.getElementById("bar").getBoundingClientRect().bottom,
      );
      assert.ok(gap >= 0 && gap < 60, `the section begins ${gap} pixels below the bar`);
    });
  });
}

test("each row of a table has a name of its own", async () => {
  await withPage(html64, {}, async (page) => {
    const names = await page.evaluate(() =>
      [...document.querySelectorAll("table")].map((table) =>
        [...table.querySelectorAll("tr:not(.detail)")].map((row) => row.ariaLabel),
      ),
    );
    assert.ok(names.flat().length > 100);
    for (const ofTable of names) {
      assert.ok(ofTable.every(Boolean), ofTable.join("; "));
      assert.equal(new Set(ofTable).size, ofTable.length, ofTable.join("; "));
    }
    const session = await page.context().newCDPSession(page);
    const { nodes } = await session.send("Accessibility.getFullAXTree");
    const rows = nodes.filter(({ role, ignored }) => role?.value === "row" && !ignored);
    assert.deepEqual(
      rows.filter(({ name }) => !name?.value).map(({ nodeId }) => nodeId),
      [],
      "rows without a name",
    );
  });
});

const views = [desk, phone].flatMap((size) => [false, true].map((dark) => [size, dark]));
const searched = [
  ...[2, 64, 12288].flatMap((ranks) => views.map((view) => [ranks, "slow node", ...view])),
  [64, "bare", desk, false],
  [64, "killed", phone, true],
  [64, "hostile", phone, false],
  [64, "coupled", desk, false],
];
const searchedToo = [4, 1024, 4096].flatMap((ranks) =>
  views.map((view) => [ranks, "slow node", ...view]),
);
for (const [ranks, variant, size, dark] of [...searched, ...(all ? searchedToo : [])]) {
  test(`no barriers: ${title(variant, ranks, size, dark)}`, async () => {
    await withPage(samplePage(ranks, variant).html, { size, dark }, async (page) => {
      assert.deepEqual(await settledFlaws(page), []);
      await page.evaluate(() =>
        document
          .querySelectorAll("[aria-expanded=false], #text summary")
          .forEach((button) => button.click()),
      );
      const place = page.locator("#balance .rank").first();
      if (await place.count()) await place.click();
      await page.evaluate(axeSource);
      const violations = await page.evaluate(async () =>
        (await axe.run()).violations.map(
          (rule) => `${rule.id}: ${rule.nodes.map((node) => node.html.slice(0, 120)).slice(0, 3)}`,
        ),
      );
      assert.deepEqual(violations, []);
      assert.deepEqual(page.problems, []);
    });
  });
}
