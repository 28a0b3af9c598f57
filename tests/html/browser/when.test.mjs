// The section "When", by real clicks and keys: brushing a window, pinning a rank in it, phases,
// zooming, what it says to those who do not see it, and how it looks at 4 and 65,536 ranks.
import assert from "node:assert/strict";
import test from "node:test";

import { phone, samplePage, saved, withPage } from "./pages.mjs";

const { html } = samplePage(64);

/** On a desk: 256 bins of four pixels, behind 68. */
const binsAt = { left: 68, width: 1024 };

/** The chart, and where it is. */
async function chartOf(page) {
  const canvas = page.locator("#when canvas.over").first();
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  return {
    canvas,
    box,
    x: (share) => box.x + binsAt.left + share * binsAt.width,
    y: (share) => box.y + 130 + share * 360,
  };
}

async function drag(page, from, to) {
  const { x, y } = await chartOf(page);
  await page.mouse.move(x(from), y(0.3));
  await page.mouse.down();
  await page.mouse.move(x((from + to) / 2), y(0.3));
  await page.mouse.move(x(to), y(0.3));
  await page.mouse.up();
}

const panel = (page) => page.locator("#when .window");
const title = (page) => page.textContent("#when .window-head h3");

/** "31.5 to 37.4 s" @returns {Promise<number[]>} */
async function windowOf(page) {
  return (await title(page)).match(/[\d.]+/g).map(Number);
}

test("the answer is the first line, and phases have their row", async () => {
  await withPage(html, {}, async (page) => {
    assert.match(await page.textContent("#when .answer strong"), /^Set-up costs 7\.20 s/);
    assert.match(await page.textContent("#when .answer"), /Rank 37 gets slower/);
    const rows = await page.locator("#when tbody tr").allTextContents();
    assert.equal(rows.length, 8);
    assert.match(rows[1], /▲.*set-up region.*1\.0.*8\.2.*15%.*0 ×1\.90.*63 ranks wait/);
    assert.match(rows[6], /solve 3.*31\.9.*44\.9.*37 ×1\.49/);
    assert.equal(
      await page.locator("#sections > section").first().getAttribute("id"),
      "when",
      "directly after the head",
    );
    assert.match(await page.textContent("#when .time-caption"), /256 bins of 190 ms.*14\.0 µs/);
  });
});

/** What is drawn from now on, in order: texts, and points of lines, which have none. */
function recordDrawing() {
  const drawn = [];
  globalThis.drawn = drawn;
  const { fillText, lineTo } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function record(text, x, y, ...rest) {
    drawn.push({ text, x, y });
    fillText.call(this, text, x, y, ...rest);
  };
  CanvasRenderingContext2D.prototype.lineTo = function record(x, y) {
    drawn.push({ x, y });
    lineTo.call(this, x, y);
  };
}

for (const size of [{ width: 1300, height: 900 }, phone]) {
  test(`how long a step takes stands above its curve, ${size.width} pixels`, async () => {
    await withPage(html, {}, async (page) => {
      await page.evaluate(recordDrawing);
      await page.setViewportSize(size);
      await page.waitForFunction(() => globalThis.drawn.some(({ text }) => text === "step"));
      const drawn = await page.evaluate(() => globalThis.drawn);
      const curve = drawn.slice(drawn.findLastIndex(({ text }) => text === "step") + 1);
      const end = curve.findIndex(({ text }) => text);
      const words = curve[end];
      assert.match(words.text, /^(one step takes )?[\d.]+ ms$/);
      const highest = Math.min(...curve.slice(0, end).map(({ y }) => y));
      assert.ok(end > 50, `a curve of ${end} points`);
      assert.ok(words.y + 5 < highest, `${words.text} at ${words.y}, the curve up to ${highest}`);
    });
  });
}

test("dragging brushes a window, whose panel compares it with the run", async () => {
  await withPage(html, {}, async (page) => {
    assert.equal(await panel(page).isVisible(), false);
    await drag(page, 0.72, 0.84);
    const [from, to] = await windowOf(page);
    assert.ok(from > 34 && from < 36 && to > 40 && to < 42, `${from} to ${to}`);
    const text = await panel(page).textContent();
    assert.match(text, /of the run, in solve 3, about \d+ steps of 8\d\.\d ms/);
    assert.doesNotMatch(text, /All wait for one rank/, "that is of the whole phase");
    assert.match(text, /cg\.c:211 MPI_Allreduce/);
    assert.match(text, /37 on node09/);
    assert.equal(await page.textContent("#when .phase.holds"), "solve 3");
    const box = await panel(page).boundingBox();
    const chart = await page.locator("#when .chart").boundingBox();
    assert.ok(box.y >= chart.y + chart.height - 1, "it covers no data");
    await page.keyboard.press("Escape");
    assert.equal(await panel(page).isVisible(), false);
    assert.deepEqual(page.problems, []);
  });
});

test("an end of the window can be moved", async () => {
  await withPage(html, {}, async (page) => {
    await drag(page, 0.3, 0.5);
    const [from, to] = await windowOf(page);
    await drag(page, 0.5, 0.7);
    const moved = await windowOf(page);
    assert.ok(Math.abs(moved[0] - from) < 0.4, `${from} stays: ${moved[0]}`);
    assert.ok(moved[1] > to + 5, `${to} moves: ${moved[1]}`);
  });
});

test("a click on a phase brushes it, in the strip and in the table", async () => {
  await withPage(html, {}, async (page) => {
    const { x, box } = await chartOf(page);
    await page.mouse.click(x(0.3), box.y + 34);
    assert.match(await title(page), /^8\.2 to 19\.6 s$/);
    await page.getByRole("button", { name: "set-up", exact: true }).click();
    assert.match(await title(page), /^0\.9 to 8\.2 s$/);
    await page.getByRole("button", { name: "set-up", exact: true }).click();
    assert.equal(await panel(page).isVisible(), false, "once more: none");
  });
});

test("a click on a row pins its rank everywhere, and a pin marks its row", async () => {
  await withPage(html, {}, async (page) => {
    const { x, y } = await chartOf(page);
    await page.mouse.click(x(0.4), y(0.5));
    const pinned = await page.textContent("#pinned");
    assert.match(pinned, /Rank 3\d on node0\d/);
    const look = () => page.locator("#when canvas.over").evaluate((canvas) => canvas.toDataURL());
    const before = await look();
    await page.keyboard.press("Escape");
    assert.notEqual(await look(), before);
    await page.locator("#when .rank", { hasText: /^37$/ }).first().click();
    assert.match(await page.textContent("#pinned"), /Rank 37 on node09/);
  });
});

test("hover shows the states of a bin, its phase and its call", async () => {
  await withPage(html, {}, async (page) => {
    const { x, y, box } = await chartOf(page);
    await page.mouse.move(x(0.09), y(0.5));
    const tip = await page.textContent("#tip");
    assert.match(tip, /Rank 3\d on node0\d, 4\.\d s/);
    assert.match(tip, /waiting in MPI97%/);
    assert.match(tip, /set-up; most in MPI_Allreduce at setup\.c:118/);
    await page.mouse.move(x(0.09), box.y + 85);
    assert.match(await page.textContent("#tip"), /All ranks.*MPI calls per rank/);
    await page.mouse.move(x(0.09), box.y + 34);
    assert.match(await page.textContent("#tip"), /set-up.*1\.0 – 8\.2 s.*63 ranks wait/);
  });
});

test("all of it by keys: brush, pin, zoom, back", async () => {
  await withPage(html, {}, async (page) => {
    const { canvas } = await chartOf(page);
    await canvas.focus();
    const spoken = () => page.textContent("#spoken");
    await page.keyboard.press("ArrowRight");
    assert.match(await spoken(), /Rank 0 on node00, 0\.0 s, start-up 91%/);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    assert.match(await spoken(), /Rank 1 on node00, 0\.2 s/);
    for (let i = 0; i < 4; i++) await page.keyboard.press("Shift+ArrowRight");
    assert.match(await spoken(), /window 0\.2 to 1\.1 s/);
    await page.keyboard.press("Shift+ArrowLeft");
    assert.match(await title(page), /^0\.2 to 0\.9 s$/);
    await page.keyboard.press("Enter");
    assert.match(await page.textContent("#pinned"), /Rank 1 on node00/);
    await page.keyboard.press("z");
    assert.ok(await page.locator("#when .zoomed").isVisible());
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#when .zoomed").isVisible(), false);
    assert.ok(await panel(page).isVisible(), "the window is still there");
    await page.keyboard.press("Escape");
    assert.equal(await panel(page).isVisible(), false);
    assert.ok(await page.locator("#pinned").isVisible(), "and the rank");
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#pinned").isVisible(), false);
    assert.deepEqual(page.problems, []);
  });
});

test("bins and phases can be seen and taken out as tables", async () => {
  await withPage(html, {}, async (page) => {
    const click = (name) => page.getByRole("button", { name, exact: true }).click();
    const { name, text } = await saved(page, () => click("Save bins as CSV"));
    assert.equal(name, "bins.csv");
    const lines = text.trim().split("\n");
    assert.equal(lines.length, 257);
    assert.match(lines[0], /^"From, s",Phase,compute \[%\],.*waiting in MPI \[%\]/);
    const phases = await saved(page, () => click("Save phases as CSV"));
    assert.match(phases.text, /\nset-up,1,8\.2,14\.8/);
    await page.locator("#when .data-tools button", { hasText: "Table" }).click();
    assert.equal(await page.locator("#when .data-table tbody tr").count(), 12);
  });
});

test("waiting in the windows of all bins is that of the phases", async () => {
  await withPage(html, {}, async (page) => {
    const { text } = await saved(page, () =>
      page.getByRole("button", { name: "Save bins as CSV", exact: true }).click(),
    );
    const [head, ...rows] = text.trim().split("\n");
    const column = head.replace('"From, s"', "From").split(",").indexOf("waiting in MPI [%]");
    const percent = rows.reduce((sum, row) => sum + Number(row.split(",")[column]), 0);
    const seconds = (0.19 * percent) / 100;
    const shown = await page.locator("#when tbody td:nth-child(7)").allTextContents();
    const sum = shown.reduce(
      (all, words) => all + parseFloat(words) * (words.includes("ms") ? 1e-3 : 1),
      0,
    );
    assert.ok(Math.abs(seconds - sum) < 0.02, `${seconds} s in bins, ${sum} s in phases`);
  });
});

/** --ground, in light. */
const ground = 0xe9edf3;

/** Colours of a column of pixels in the map. */
async function coloursDown(page, share) {
  const x = binsAt.left + Math.round(share * binsAt.width);
  const canvas = page.locator("#when .chart canvas").first();
  return canvas.evaluate((node, left) => {
    const { data } = node.getContext("2d").getImageData(left, 130, 1, 370);
    const seen = [];
    for (let i = 0; i < data.length; i += 4)
      seen.push((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    return seen;
  }, x);
}

test("65,536 ranks: one slow rank is a row of its own colour", async () => {
  await withPage(samplePage(65536).html, {}, async (page) => {
    const seen = await coloursDown(page, 0.85);
    const unlike = seen.filter((value) => value !== ground).length;
    assert.ok(unlike >= 2 && unlike <= 8, `${unlike} of 370 pixels differ from the median`);
    await page.locator("#when .rank", { hasText: "37888" }).first().click();
    assert.match(await page.textContent("#pinned"), /Rank 37888/);
    assert.deepEqual(page.problems, []);
  });
});

test("the legend says what colours mean, and a tooltip names the median", async () => {
  await withPage(html, {}, async (page) => {
    const legend = () => page.textContent("#when .time-keys");
    assert.match(await legend(), /does more than the median rank.*4 to 40 points/);
    await page.locator("#when .choices button", { hasText: "Waiting" }).click();
    assert.match(await legend(), /^more waiting in MPIless of itstrength/);
    const { x, y } = await chartOf(page);
    await page.mouse.move(x(0.09), y(0.5));
    assert.match(await page.textContent("#tip"), /waiting in MPI97%, median 97%/);
    await page.locator("#when .choices button", { hasText: /^Share$/ }).click();
    assert.match(await legend(), /strength: share of the bin/);
  });
});

test("65,536 ranks: shares as they are can be seen, too", async () => {
  await withPage(samplePage(65536).html, {}, async (page) => {
    await page.locator("#when .choices button", { hasText: /^Share$/ }).click();
    const seen = await coloursDown(page, 0.85);
    const pale = seen.filter((value) => value === ground).length;
    assert.ok(pale >= 2 && pale <= 8, `${pale} pixels: ${new Set(seen).size} colours`);
  });
});

test("65,536 ranks: the lens shows what a row hides, and follows the pinned rank", async () => {
  await withPage(samplePage(65536).html, {}, async (page) => {
    const title = () => page.textContent("#when .lens h3");
    assert.equal(
      await title(),
      "Lens: ranks 37,888–38,399: 4 nodes, the mean of each; below, the 6 slowest ranks, exact",
    );
    const lens = page.locator("#when .lens canvas.over");
    await lens.scrollIntoViewIfNeeded();
    const box = await lens.boundingBox();
    await page.mouse.move(box.x + 600, box.y + 8);
    assert.match(await page.textContent("#tip"), /Ranks 37888–38015 on node0296, mean/);
    await page.mouse.click(box.x + 600, box.y + 3 + 4 * 16 + 8);
    assert.match(await page.textContent("#pinned"), /Rank 37888/);
    await page.keyboard.press("Escape");
    const { x, y } = await chartOf(page);
    await page.mouse.click(x(0.4), y(0.8));
    assert.match(await title(), /^Lens: ranks [\d,]+–[\d,]+: the mean only$/);
    await page.locator("#when .rank", { hasText: /^0$/ }).first().click();
    assert.match(await title(), /^Lens: ranks 0–511: 4 nodes, the mean of each$/);
    assert.deepEqual(page.problems, []);
  });
});

test("64 ranks: each has a row of its own, and there is no lens", async () => {
  await withPage(html, {}, async (page) => assert.equal(await page.locator(".lens").count(), 0));
});

test("4 ranks: each bin has all its states, and there is no average strip", async () => {
  await withPage(samplePage(4).html, {}, async (page) => {
    const states = await page.locator("#when .choices button").first().textContent();
    assert.equal(states, "All states");
    const { x, box } = await chartOf(page);
    await page.mouse.move(x(0.1), box.y + 75);
    assert.match(await page.textContent("#tip"), /Rank 0.*blocked65%.*compute35%/);
    await page.locator("#when .choices button", { hasText: "Waiting" }).click();
    await page.locator("#when .choices button", { hasText: "Slowest first" }).click();
    assert.deepEqual(page.problems, []);
  });
});

test("on a phone nothing is wider than the screen, and sentences stand below names", async () => {
  await withPage(html, { size: phone }, async (page) => {
    const row = page.locator("#when tbody tr").nth(1);
    assert.ok(await row.locator(".narrow").isVisible());
    await page.getByRole("button", { name: "solve 3", exact: true }).click();
    assert.ok(await panel(page).isVisible());
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= phone.width, `${width}`);
  });
});

test("without bins there is no section", async () => {
  await withPage(samplePage(64, "bare").html, {}, async (page) => {
    assert.equal(await page.locator("#when").count(), 0);
    assert.deepEqual(page.problems, []);
  });
});
