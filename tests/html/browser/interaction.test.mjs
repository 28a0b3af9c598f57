// What people do with the page, by real clicks and keys: sorting, filtering, unfolding, pinning,
// zooming, switching views and colours, taking data out, coming back by a link.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";

import { bytesText } from "../../../parser/render/html/page/format.js";
import { barPlace, phone, samplePage, saved, withPage } from "./pages.mjs";

const ranks = 64;
const { html, json } = samplePage(ranks);
const report = JSON.parse(readFileSync(json, "utf8"));

const texts = (page, selector) => page.locator(selector).allTextContents();
const pinned = (page) => page.locator("#pinned");
const picture = (page, section) =>
  page
    .locator(`#${section} canvas.over`)
    .first()
    .evaluate((canvas) => canvas.toDataURL());

test("a click on a column sorts by it, another one the other way round", async () => {
  await withPage(html, {}, async (page) => {
    const names = () => texts(page, "#calls tbody th");
    const byTime = await names();
    assert.equal(byTime[0], "MPI_Allreduce");
    await page.click("#calls thead th:first-child button");
    const ascending = await names();
    assert.deepEqual(
      ascending,
      [...ascending].sort((a, b) => a.localeCompare(b, "en", { numeric: true })),
    );
    assert.equal(await page.getAttribute("#calls thead th:first-child", "aria-sort"), "ascending");
    await page.click("#calls thead th:first-child button");
    assert.equal((await names())[0], "MPI_Waitall");
    assert.equal(await page.getAttribute("#calls thead th:first-child", "aria-sort"), "descending");
    await page.getByRole("button", { name: `Show all ${report.functions.length}` }).click();
    assert.equal((await names()).length, report.functions.length);
  });
});

test("the filter looks at file, function, call and region", async () => {
  await withPage(samplePage(ranks, "many callsites").html, {}, async (page) => {
    const field = page.locator("#callsites .filter");
    await field.fill("conj_grad 211");
    assert.deepEqual(await texts(page, "#callsites tbody th"), ["cg.c:211"]);
    await field.fill("checkpoint");
    for (const text of await texts(page, "#callsites tbody tr")) assert.match(text, /checkpoint/);
    await field.fill("no such place");
    assert.deepEqual(await texts(page, "#callsites tbody tr"), ["nothing matches"]);
    await field.fill("");
    assert.equal((await texts(page, "#callsites tbody tr")).length, 12);
    assert.match(
      await page.textContent("#callsites"),
      /and 281 more with/,
      "301 call sites; those with 99.9 % of the time are listed",
    );
  });
});

test("a row unfolds to its call path, by mouse and by keyboard", async () => {
  await withPage(html, {}, async (page) => {
    const row = page.locator("#callsites .open-row").first();
    await row.click();
    const path = await texts(page, "#callsites .path li");
    assert.equal(path.length, 3);
    assert.match(path[0], /^cg\.c:211 conj_grad .*\/home\/user\/cg\/src\/cg\.c/);
    assert.match(path[1], /inlined/);
    assert.match(
      await page.textContent("#callsites .detail"),
      /rank 12: last in 88% of the calls/,
    );
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#callsites .path").count(), 0, "Enter folds it again");
  });
});

test("computing unfolds to its functions, and a function to its calls", async () => {
  await withPage(html, {}, async (page) => {
    await page.locator("#computing .open-row").first().click();
    const functions = await texts(page, "#computing .detail tbody tr");
    assert.match(functions[0], /sparse_matvec.*cg\.c:198.*71/);
    assert.match(functions[2], /libblas\.so\.3/);
    await page.locator("#computing .choices button", { hasText: "By function" }).click();
    assert.equal((await texts(page, "#computing tbody tr")).length, 3);
    await page.locator("#computing .open-row").first().click();
    const places = await texts(page, "#computing .detail tbody tr");
    assert.equal(places.length, 3);
    assert.match(places[0], /cg\.c:211 MPI_Allreduce → cg\.c:187 MPI_Waitall/);
    await page.locator("#computing .choices button", { hasText: "By line" }).click();
    assert.match((await texts(page, "#computing tbody tr"))[0], /cg\.c:198.*sparse_matvec.*71/);
    await page.locator("#computing .choices button", { hasText: "By library" }).click();
    assert.match((await texts(page, "#computing tbody tr"))[1], /libblas\.so\.3.*linear algebra/);
  });
});

test("a file has its bytes and rate, and unfolds to its places", async () => {
  await withPage(html, {}, async (page) => {
    const row = page.locator("#files .open-row").first();
    assert.match((await texts(page, "#files tbody tr"))[0], /field\.h5.*read, write, create/);
    await row.click();
    assert.match(await page.textContent("#files .detail"), /least 4\.0 MiB, most 4\.0 MiB/);
    assert.match(await page.textContent("#files .detail"), /at io\.c:40/);
    assert.match(await page.textContent("#files"), /part\.#\.#\.dat × 768/);
  });
});

test("a parallel region has its threads and balance", async () => {
  await withPage(html, {}, async (page) => {
    const rows = await texts(page, "#openmp tbody tr");
    assert.match(rows[0], /update\.c:88.*update.*8/);
    assert.match(rows[1], /flux\.c:120.*64/);
    assert.match(await page.textContent("#openmp"), /8 threads per rank, 5\.6 busy on average/);
    assert.match(await page.textContent("#openmp"), /50% = MPI 65% × OpenMP 77%/);
  });
});

test("programs of a job have a row each, and whom they wait for", async () => {
  await withPage(samplePage(64, "coupled").html, {}, async (page) => {
    const rows = await texts(page, "#programs tbody tr");
    assert.equal(rows.length, 5);
    assert.match(rows[0], /ocean.*0-47.*24\.2 s.*coupling bound/);
    assert.match(rows[2], /ocean.*atmosphere.*21\.3 s.*44%/);
    assert.match(rows[4], /ocean.*its own ranks/);
  });
  await withPage(html, {}, async (page) => {
    assert.equal(await page.locator("#programs").count(), 0);
  });
});

test("a click on a bar pins the rank everywhere", async () => {
  await withPage(html, {}, async (page) => {
    const others = ["cause", "partners", "memory", "nodes"];
    const before = await Promise.all(others.map((id) => picture(page, id)));
    const { x, y } = await barPlace(page, "balance", 12, ranks);
    await page.mouse.click(x, y);
    const text = await pinned(page).textContent();
    assert.match(text, /Rank 12 on node03/);
    const rank = report.ranks[12];
    assert.ok(text.includes(`compute ${rank.compute_s.toFixed(1)} s`), text);
    const mean = report.totals.compute_s / ranks;
    assert.ok(text.includes(`+${Math.round(100 * (rank.compute_s / mean - 1))}%`), text);
    const after = await Promise.all(others.map((id) => picture(page, id)));
    others.forEach((id, i) => assert.notEqual(after[i], before[i], `${id} does not mark it`));
    assert.equal(await page.locator("#cause tr.on[data-rank='12']").count(), 1);
    assert.match(await page.textContent("#partners"), /Partners of rank 12/);
    assert.match(page.url(), /&rank=12$/);
    await page.mouse.click(x, y);
    assert.ok(await pinned(page).isHidden(), "the same click again unpins it");
  });
});

test("a rank in a table pins it, the cross and Esc unpin it", async () => {
  await withPage(html, {}, async (page) => {
    await page.locator("#cause .rank", { hasText: "13" }).first().click();
    assert.match(await pinned(page).textContent(), /Rank 13/);
    await page.getByRole("button", { name: "Unpin" }).click();
    assert.ok(await pinned(page).isHidden());
    await page.locator("#cause .rank", { hasText: "13" }).first().click();
    await page.keyboard.press("Escape");
    assert.ok(await pinned(page).isHidden());
  });
});

test("the chart is used with the keyboard alone", async () => {
  await withPage(html, {}, async (page) => {
    await page.locator("#balance canvas.over").focus();
    await page.keyboard.press("ArrowRight");
    for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
    assert.match(await page.textContent("#spoken"), /^Rank 5 on node01, .*MPI_Allreduce .* s/);
    assert.match(await page.textContent("#tip"), /Rank 5 on node01/);
    await page.keyboard.press("Enter");
    assert.match(await pinned(page).textContent(), /Rank 5 on node01/);
    await page.keyboard.press("End");
    assert.match(await page.textContent("#spoken"), /^Rank 63/);
    await page.keyboard.press("+");
    assert.ok(await page.locator("#balance .zoomed").isVisible());
    await page.keyboard.press("Escape");
    assert.ok(await page.locator("#balance .zoomed").isHidden(), "Esc first resets the zoom");
    assert.ok(await pinned(page).isVisible());
    await page.keyboard.press("Escape");
    assert.ok(await pinned(page).isHidden(), "then it unpins");
  });
});

test("dragging zooms the bars, a double click shows all again", async () => {
  await withPage(html, {}, async (page) => {
    const from = await barPlace(page, "balance", 8, ranks);
    const to = await barPlace(page, "balance", 19, ranks);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 4 });
    await page.mouse.up();
    assert.ok(await page.locator("#balance .zoomed").isVisible());
    const first = await barPlace(page, "balance", 0, 12);
    await page.mouse.move(first.x, first.y);
    assert.match(await page.textContent("#tip"), /^Rank 8 on node02/);
    await page.mouse.dblclick(first.x, first.y);
    assert.ok(await page.locator("#balance .zoomed").isHidden());
  });
});

test("where each rank has a CPU of its own, the list of cores is short on a phone", async () => {
  const folder = join(process.env.WORK, "own-cpus");
  const file = `${folder}.html`;
  if (!existsSync(folder)) execFileSync(process.env.GENERATE, [folder, "128"]);
  execFileSync(process.env.MPROF, ["report", folder, "--html", file], { stdio: "ignore" });
  await withPage(file, { size: phone }, async (page) => {
    const lines = () => texts(page, "#bindings .wide:visible");
    assert.deepEqual(await lines(), [
      "on CPUs 0–7: ranks 0–7, one on each",
      "on CPUs 8–15: ranks 8–15, one on each",
    ]);
    const { height } = await page.locator("#bindings").boundingBox();
    assert.ok(height < 844, `${height} pixels are more than the screen`);
    await page.locator("#bindings summary", { hasText: "4 more kinds of nodes" }).click();
    assert.equal((await lines()).length, 6);
    assert.deepEqual(page.problems, []);
  });
});

test("the matrix zooms, tells each cell, and pins the sender", async () => {
  await withPage(html, {}, async (page) => {
    const canvas = page.locator("#partners canvas.over").first();
    await canvas.scrollIntoViewIfNeeded();
    const box = await canvas.boundingBox();
    const [left, top] = [22 + 7 * String(ranks).length, 4]; // margins of MatrixView
    const cell = Math.floor((box.width - left - 2) / ranks); // whole pixels
    const place = (row, column) => [
      box.x + left + (column + 0.5) * cell,
      box.y + top + (row + 0.5) * cell,
    ];
    await page.mouse.move(...place(0, 8));
    const sent = report.matrix.find((pair) => pair.source === 0 && pair.destination === 8);
    assert.ok(
      (await page.textContent("#tip")).includes(bytesText(sent.bytes)),
      await page.textContent("#tip"),
    );
    assert.match(await page.textContent("#tip"), /rank 0 → rank 8.*node00 → node02/);
    await page.mouse.move(...place(0, 40));
    assert.match(await page.textContent("#tip"), /nothing/);
    await page.mouse.click(...place(3, 11));
    assert.match(await pinned(page).textContent(), /Rank 3 on node00/);
    await page.keyboard.press("Escape");
    const before = await canvas.evaluate((node) => node.previousElementSibling.toDataURL());
    await page.mouse.move(...place(16, 16));
    await page.mouse.down();
    await page.mouse.move(...place(31, 31), { steps: 4 });
    await page.mouse.up();
    assert.ok(await page.locator("#partners .zoomed").isVisible());
    assert.notEqual(
      await canvas.evaluate((node) => node.previousElementSibling.toDataURL()),
      before,
    );
    await page.mouse.move(box.x + left + 3, box.y + top + 3);
    assert.match(await page.textContent("#tip"), /^rank 16 → rank 16/);
    await canvas.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    assert.match(await page.textContent("#spoken"), /^rank 17 → rank 17/);
    await page.keyboard.press("Escape");
    assert.ok(await page.locator("#partners .zoomed").isHidden());
  });
});

test("every view of the balance shows, sorted and not", async () => {
  for (const size of [64, 4096]) {
    await withPage(samplePage(size).html, {}, async (page) => {
      const seen = new Set();
      for (const view of ["By call", "By state", "MPI only", "Heat map"]) {
        await page.locator("#balance .choices button", { hasText: view }).click();
        for (const order of ["Rank order", "Compute", "MPI time"]) {
          await page
            .locator("#balance .choices")
            .nth(1)
            .locator("button", { hasText: order })
            .click();
          if (view === "Heat map" && order !== "Rank order") continue;
          const chart = page.locator("#balance canvas:not(.over)").first();
          let shown = "";
          for (let turn = 0; turn < 50; turn += 1) {
            await page.waitForTimeout(60);
            shown = await chart.evaluate((canvas) => canvas.toDataURL());
            if (size !== 64 || !seen.has(shown)) break;
          }
          if (size === 64) assert.ok(!seen.has(shown), `${view}, ${order} looks like another one`);
          seen.add(shown);
        }
      }
      await page.locator("#balance .choices button", { hasText: "Table" }).click();
      assert.equal(await page.locator("#balance tbody tr").count(), 16);
      assert.deepEqual(page.problems, []);
    });
  }
});

test("a phone pins by a tap and scrolls by a swipe", async () => {
  await withPage(html, { size: phone }, async (page) => {
    const { canvas, x, y } = await barPlace(page, "balance", 12, ranks);
    const event = {
      pointerType: "touch",
      pointerId: 2,
      clientX: x,
      clientY: y,
      button: 0,
      bubbles: true,
    };
    await canvas.dispatchEvent("pointerdown", event);
    await canvas.dispatchEvent("pointerup", event);
    assert.match(await pinned(page).textContent(), /Rank 12/);
    assert.equal(await canvas.evaluate((node) => getComputedStyle(node).touchAction), "pan-y");
    const box = await pinned(page).boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= phone.width);
  });
});

test("light and dark change with the button, and canvases with them", async () => {
  await withPage(html, {}, async (page) => {
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const chart = () =>
      page
        .locator("#memory canvas")
        .first()
        .evaluate((canvas) => canvas.toDataURL());
    const light = [await background(), await chart()];
    await page.getByRole("button", { name: "Light / dark" }).click();
    const dark = [await background(), await chart()];
    assert.notEqual(dark[0], light[0]);
    assert.notEqual(dark[1], light[1]);
    await page.getByRole("button", { name: "Light / dark" }).click();
    assert.deepEqual([await background(), await chart()], light);
  });
});

test("charts give their data as CSV, to a file and to the clipboard", async () => {
  await withPage(html, {}, async (page) => {
    const { name, text } = await saved(page, () =>
      page.getByRole("button", { name: "Save ranks as CSV" }).click(),
    );
    assert.equal(name, "ranks.csv");
    const lines = text
      .trim()
      .split("\n")
      .map((line) => line.split(","));
    assert.equal(lines.length, 1 + ranks);
    const column = lines[0].indexOf("Compute [s]");
    for (const line of lines.slice(1)) {
      const expected = report.ranks[Number(line[0])].compute_s;
      assert.ok(
        Math.abs(Number(line[column]) / expected - 1) < 1e-3,
        `rank ${line[0]}: ${line[column]}, ${expected}`,
      );
    }
    await page.getByRole("button", { name: "Copy calls as CSV" }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(copied.trim().split("\n").length, 1 + report.functions.length);
    assert.match(copied, /^Function,Time per rank \[s\],/);
  });
});

test("a link leads to its section and rank", async () => {
  await withPage(html, { hash: "#partners&rank=14" }, async (page) => {
    assert.match(await pinned(page).textContent(), /Rank 14 on node03/);
    const top = await page
      .locator("#partners")
      .evaluate((node) => node.getBoundingClientRect().top);
    assert.ok(top >= 0 && top < 200, `the section is at ${top}`);
    await page.locator("#nav a", { hasText: "Sizes" }).click();
    await page.waitForURL(/#sizes&rank=14$/);
    await page.locator("#nav a[aria-current]", { hasText: "Sizes" }).waitFor();
  });
  await withPage(html, { hash: "#nonsense&rank=99999" }, async (page) => {
    assert.ok(await pinned(page).isHidden());
    assert.deepEqual(page.problems, []);
  });
});

test("tables stand beside the charts", async () => {
  await withPage(html, {}, async (page) => {
    for (const id of ["balance", "cause", "sizes", "partners", "counters"]) {
      const button = page.locator(`#${id} .data-tools button[aria-expanded]`).first();
      await button.click();
      assert.equal(await button.getAttribute("aria-expanded"), "true");
      assert.ok(await page.locator(`#${id} .data-table table`).first().isVisible(), id);
    }
    assert.equal(await page.locator("#sizes .data-table tbody tr").count(), 12);
  });
});

test("the summary is copied as text: run, headline, three figures, gain, next steps", async () => {
  await withPage(html, {}, async (page) => {
    const button = page.locator("#verdict .summary");
    assert.equal(await button.textContent(), "Copy summary");
    await button.click();
    await page.locator("#verdict .summary", { hasText: "Copied" }).waitFor();
    const lines = (await page.evaluate(() => navigator.clipboard.readText())).trim().split("\n");
    const { cards, headline, gain } = report.verdict;
    assert.match(lines[0], /^cg\.D\.x, 64 ranks, 16 nodes, [\d.]+ s$/);
    assert.equal(lines[1], `Load-imbalance bound: ${headline.replace(/^[^.]*\. /, "")}`);
    assert.deepEqual(
      lines.slice(3, 6),
      cards
        .slice(0, 3)
        .map(({ title, value, state, note }) => `- ${title}: ${value} (${state}), ${note}`),
    );
    assert.equal(lines[6], gain);
    assert.equal(lines[7], "What to try next:");
    const { next } = report.verdict;
    next.forEach((step, i) => {
      assert.ok(lines[8 + i].startsWith(`${i + 1}. ${step.action} (`), lines[8 + i]);
      assert.match(lines[8 + i], /\((high|medium|low) confidence, up to [\d.]+ s\)\. .*\.$/);
    });
    assert.match(lines[8 + next.length], /^mprof /);
    assert.equal(lines.length, 9 + next.length);
    await page.locator("#verdict .summary", { hasText: "Copy summary" }).waitFor();
  });
});

/** A click on a box of the flame view: its row, and where in the width. */
async function clickFlame(page, row, share) {
  const canvas = page.locator("#flame canvas.flame");
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + share * box.width, box.y + 24 * row + 12);
  const tip = await page.textContent("#tip");
  await page.mouse.click(box.x + share * box.width, box.y + 24 * row + 12);
  return tip;
}

test("the flame view names, zooms, goes back, and shows a part of the time", async () => {
  await withPage(html, {}, async (page) => {
    const picture = () => page.locator("#flame canvas.flame").evaluate((node) => node.toDataURL());
    const whole = await picture();
    const zoomed = page.locator("#flame .zoomed");
    assert.equal(await zoomed.isVisible(), false);
    const main = await clickFlame(page, 1, 0.3);
    assert.match(main, /^maintime per rank[\d.]+ sof all[\d.]+%in itself/);
    assert.ok(await zoomed.isVisible());
    assert.notEqual(await picture(), whole);
    await clickFlame(page, 0, 0.5);
    assert.equal(await zoomed.isVisible(), false, "the box of all goes back");
    await page.locator("#flame .choices button", { hasText: "In MPI" }).click();
    await page.mouse.move(0, 0);
    const mpi = report.callsites.reduce((sum, row) => sum + row.time_s, 0) / ranks;
    const shown = await clickFlame(page, 0, 0.5);
    const seconds = parseFloat(shown.match(/per rank([\d.]+) s/)[1]);
    assert.ok(Math.abs(seconds - mpi) < 0.01 * mpi, `${seconds} s of MPI, not ${mpi} s`);
    assert.deepEqual(page.problems, []);
  });
});

test("a search in the flame view highlights, and says how much of all that is", async () => {
  await withPage(html, {}, async (page) => {
    const picture = () => page.locator("#flame canvas.flame").evaluate((node) => node.toDataURL());
    const whole = await picture();
    const field = page.getByRole("searchbox", { name: "Search the call paths" });
    await field.fill("Allreduce");
    const words = await page.textContent("#flame .flame-search span");
    const reduces = report.callsites.filter((row) => row.function === "MPI_Allreduce");
    const time = reduces.reduce((sum, row) => sum + row.time_s, 0);
    const percent = (100 * time) / (report.totals.mpi_s + report.totals.compute_s);
    assert.match(words, /^\d+% of all, in 3 call paths$/);
    assert.ok(Math.abs(parseFloat(words) - percent) < 1.5, `${words}: not ${percent}`);
    assert.notEqual(await picture(), whole);
    await field.fill("no such function");
    assert.equal(await page.textContent("#flame .flame-search span"), "nothing matches");
    await field.press("Escape");
    assert.equal(await picture(), whole);
  });
});

test("the flame view by keys, and as a table for who does not see it", async () => {
  await withPage(html, {}, async (page) => {
    const canvas = page.locator("#flame canvas.flame");
    await canvas.focus();
    const spoken = () => page.textContent("#spoken");
    await page.keyboard.press("ArrowDown");
    assert.match(await spoken(), /^all ranks, time per rank/);
    await page.keyboard.press("ArrowDown");
    assert.match(await spoken(), /^main, time per rank/);
    await page.keyboard.press("ArrowRight");
    assert.doesNotMatch(await spoken(), /^main,/);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    assert.ok(await page.locator("#flame .zoomed").isVisible());
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#flame .zoomed").isVisible(), false);
    assert.match(await page.textContent("#flame p.hidden"), /^Most time: \d+% in main, then /);
    await page.locator("#flame .data-tools button", { hasText: "Table" }).click();
    const rows = await texts(page, "#flame tbody th");
    assert.equal(rows[0], "main");
    assert.deepEqual(page.problems, []);
  });
});

test("one selection joins who is waited for, what is computed and where it shows", async () => {
  await withPage(html, {}, async (page) => {
    const marked = (id) => page.locator(`#${id} tr.on`);
    const first = async (id) => (await marked(id).first().textContent()).trim();
    // The call site with most time: all ranks whose slowness shows there, all parts at its ends.
    await page.locator("#callsites .open-row").first().click();
    assert.equal(await marked("callsites").count(), 1);
    assert.equal(await marked("cause").count(), report.causes.length);
    assert.match(await first("computing"), /^cg\.c:211 MPI_Allreduce/);
    assert.match(await pinned(page).textContent(), /cg\.c:211.*marked in.*Cause.*Computing/);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("tr.on").count(), 0);
    // A part of the program: the call sites at both ends.
    await page.locator("#computing .open-row").nth(1).click();
    assert.deepEqual(await texts(page, "#callsites tr.on th"), ["cg.c:187", "cg.c:233"]);
    assert.equal(await marked("computing").count(), 1);
    await page.locator("#computing .open-row").nth(1).click();
    assert.equal(await page.locator("tr.on").count(), 0, "folding it ends the selection");
    // A place in the table of those that are waited for.
    await page.locator("#cause button", { hasText: "cg.c:187 to cg.c:211" }).first().click();
    assert.deepEqual((await texts(page, "#callsites tr.on th")).sort(), ["cg.c:187", "cg.c:211"]);
    await page.getByRole("button", { name: "Unpin" }).click();
    // A rank: the parts in which it is the slowest, the calls in which it is the last.
    const slowest = report.segments[0].max_rank;
    await page.locator("#computing .rank", { hasText: slowest }).first().click();
    assert.ok((await marked("computing").count()) > 1);
    await page.keyboard.press("Escape");
    await page.locator("#cause .rank", { hasText: "12" }).first().click();
    assert.equal(await first("callsites").then((text) => text.slice(0, 8)), "cg.c:211");
  });
});
