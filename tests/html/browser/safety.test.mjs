// Nothing that the profiled program named can script or break the page. Without JavaScript the
// answer is there, and on paper, too. The figures are those of mprof report --json.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { desk, phone, samplePage, withPage } from "./pages.mjs";

test("names that try to leave their place stay text", async () => {
  await withPage(samplePage(64, "hostile").html, {}, async (page) => {
    await page.evaluate(() =>
      document.querySelectorAll("[aria-expanded=false]").forEach((button) => button.click()),
    );
    assert.doesNotMatch(await page.title(), /^owned/);
    assert.equal(await page.locator("script").count(), 3, "data, document and the script");
    assert.equal(
      await page.locator("img, [onload], [onerror], b:not(.chart-head b)").count(),
      0,
      "no element of theirs",
    );
    const text = await page.evaluate(() => document.body.innerText);
    assert.ok(text.includes("<img src=x onerror=alert(1)>"), "the function's name is shown");
    assert.ok(text.includes("</script><script>alert(2)</script>"), "the symbol is shown");
    assert.ok(
      text.includes("onload=alert(3)>") && text.includes("{{data}}"),
      "the region is shown",
    );
    assert.doesNotMatch(
      text,
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
      "controls and direction marks are made visible",
    );
    assert.deepEqual(page.problems, []);
  });
});

test("the page forbids scripts, styles and requests that are not its own", async () => {
  await withPage(samplePage(64).html, {}, async (page) => {
    const ran = await page.evaluate(async () => {
      const code = "document.documentElement.dataset.ran = 'yes'";
      const attempts = [
        () =>
          document.body.append(
            Object.assign(document.createElement("script"), { textContent: code }),
          ),
        () => document.body.setAttribute("onclick", code),
        () => document.body.click(),
        () => (document.body.innerHTML += `<img src=x onerror="${code}">`),
      ];
      for (const attempt of attempts) {
        try {
          attempt();
        } catch {
          // Refused at once, by browsers that have trusted types.
        }
      }
      const request = await fetch("https://example.org/").then(
        () => "sent",
        () => "refused",
      );
      return [document.documentElement.dataset.ran, request];
    });
    assert.deepEqual(ran, [undefined, "refused"]);
  });
});

/** As the page writes a sentence of the report. */
const withSigns = (text) => text.replace(/(\d)x /g, "$1× ").replace(/(\d) x (\d)/g, "$1 × $2");

test("sentences have the signs of print: × − µs", async () => {
  await withPage(samplePage(64).html, {}, async (page) => {
    assert.match(await page.textContent("#verdict .why"), /compute 1\.46× as long/);
    assert.match(await page.textContent("#verdict .steps"), /Mapping 2 × 2 blocks/);
    assert.match(await page.textContent("#partners"), /\+8 26%, −8 25%/);
    const text = await page.evaluate(() => document.querySelector("main").innerText);
    assert.doesNotMatch(text, /\d x \d|[\d)]x |\d us\b|\+-|(^|[ (])-\d/m);
  });
});

for (const size of [desk, phone]) {
  const title = `without JavaScript there are verdict and text report, ${size.width} pixels`;
  test(title, async () => {
    const { html, json } = samplePage(64);
    const report = JSON.parse(readFileSync(json, "utf8"));
    await withPage(html, { script: false, size }, async (page) => {
      const text = await page.locator("body").innerText();
      for (const sentence of [
        report.verdict.why,
        report.verdict.gain,
        ...report.verdict.next.map((step) => step.action),
      ])
        assert.ok(text.includes(withSigns(sentence)), withSigns(sentence));
      assert.ok(report.verdict.headline.endsWith(await page.locator("h1").innerText()));
      assert.match(text, /# VERDICT {3}:/);
      assert.ok(await page.locator("#text pre").isVisible());
      assert.match(text, /The charts need JavaScript/);
    });
  });
}

/** How many sheets of paper a page takes. @param {Buffer} pdf */
function sheets(pdf) {
  return pdf.toString("latin1").match(/\/Type\s*\/Page\b(?!s)/g).length;
}

for (const [size, most] of [
  [4, 4],
  [64, 5],
]) {
  test(`it prints on A4, light, on few sheets: ${size} ranks`, async () => {
    await withPage(samplePage(size).html, { dark: true }, async (page) => {
      const pdf = await page.pdf({ preferCSSPageSize: true });
      const text = pdf.toString("latin1");
      assert.match(text.slice(0, 8), /^%PDF-/);
      assert.match(text, /\/MediaBox\s*\[0 0 59[45][.\d]* 84[12]/, "A4");
      assert.ok(sheets(pdf) <= most, `${sheets(pdf)} sheets`);
      await page.emulateMedia({ media: "print" });
      for (const part of ["#nav", "#verdict .summary", ".choices", ".data-tools", ".filter"])
        assert.equal(await page.locator(part).first().isVisible(), false, part);
      assert.equal(
        await page.evaluate(
          () => getComputedStyle(document.querySelector(".card")).backgroundColor,
        ),
        "rgb(255, 255, 255)",
      );
    });
  });
}

test("the text report is printed where it is unfolded, and without JavaScript", async () => {
  const { html } = samplePage(64);
  await withPage(html, {}, async (page) => {
    const folded = sheets(await page.pdf({ preferCSSPageSize: true }));
    await page.locator("#text summary").click();
    const unfolded = sheets(await page.pdf({ preferCSSPageSize: true }));
    assert.ok(unfolded > folded, `${unfolded} sheets and ${folded}`);
    await page.emulateMedia({ media: "print" });
    assert.ok(await page.locator("#text pre").isVisible());
    await page.emulateMedia({ media: "screen" });
    await page.locator("#text summary").click();
    await page.emulateMedia({ media: "print" });
    assert.ok(!(await page.locator("#text").isVisible()));
  });
  await withPage(html, { script: false }, async (page) => {
    await page.emulateMedia({ media: "print" });
    assert.ok(await page.locator("#text pre").isVisible());
  });
});

test("it is whole when it is loaded", async () => {
  await withPage(samplePage(64).html, {}, async (page) => {
    await page.waitForLoadState("load");
    const ready = await page.evaluate(() => globalThis.readyWhenLoaded);
    assert.ok(ready, "as chromium --print-to-pdf sees it");
  });
});

// On paper nothing scrolls, no observer tells a chart its width, and Chromium replays a canvas, its
// clearing included, onto what lies below it, unless it is a layer of its own.
test("on paper tables are whole and charts fit", async () => {
  await withPage(samplePage(64).html, {}, async (page) => {
    const charts = await page.evaluate(() => {
      dispatchEvent(new Event("beforeprint"));
      return [...document.querySelectorAll(".chart canvas:first-child")].map(
        (canvas) => canvas.width / devicePixelRatio,
      );
    });
    await page.emulateMedia({ media: "print" });
    assert.ok(
      charts.length > 2 && charts.every((width) => width > 0 && width <= 1040),
      charts.join(" "),
    );
    const layers = await page.evaluate(() =>
      [...document.querySelectorAll(".chart .over")].map((over) => getComputedStyle(over).opacity),
    );
    assert.ok(
      layers.every((opacity) => opacity < 1),
      layers.join(" "),
    );
    await page.setViewportSize({ width: 718, height: 1000 });
    const shapes = await page.evaluate(() =>
      [...document.querySelectorAll(".chart canvas:not(.flame)")].map((canvas) => {
        const { width, height } = canvas.getBoundingClientRect();
        return width / height / (canvas.width / canvas.height);
      }),
    );
    assert.ok(
      shapes.every((stretch) => Math.abs(stretch - 1) < 0.02),
      `letters in charts would be stretched: ${shapes.join(" ")}`,
    );
    assert.equal(await page.locator("#flame").isVisible(), false, "it is there to be clicked");
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll(".table")]
        .filter((table) => table.scrollWidth > table.clientWidth + 1)
        .map((table) => {
          const caption = table.querySelector("caption")?.textContent;
          return `${caption}: ${table.scrollWidth} of ${table.clientWidth}`;
        }),
    );
    assert.deepEqual(cut, []);
  });
});

/** "13.9 s" as 13.9, "261 GiB" as bytes, "9.73 M" as a number. */
function value(text) {
  const units = {
    ns: 1e-9,
    µs: 1e-6,
    ms: 1e-3,
    s: 1,
    B: 1,
    KiB: 2 ** 10,
    MiB: 2 ** 20,
    GiB: 2 ** 30,
    TiB: 2 ** 40,
    k: 1e3,
    M: 1e6,
    G: 1e9,
    "%": 1,
    "": 1,
  };
  const [, number, unit] = /^([\d.]+) ?(\D*)$/.exec(text) ?? [];
  return Number(number) * units[unit];
}

/** Equal as far as its digits can tell. */
function same(text, expected, what) {
  if (text === "–")
    return assert.ok(expected === null || expected === 0, `${what}: ${text}, ${expected}`);
  if (text === "<0.1%") return assert.ok(expected < 0.05, `${what}: ${text}, ${expected}`);
  const share = / [KMGT]iB/.test(text) ? 0.051 : 0.006;
  const percent = value(text) < 10 ? 0.051 : 0.51;
  const slack = text.includes("%") ? percent : share * Math.abs(expected) + 1e-12;
  assert.ok(Math.abs(value(text) - expected) <= slack, `${what}: ${text}, ${expected}`);
}

async function rows(page, section) {
  const more = page.locator(`#${section} .more-rows:visible`);
  if (await more.count()) await more.first().click();
  return page
    .locator(`#${section} table`)
    .first()
    .evaluate((table) => {
      const titles = [...table.querySelectorAll("thead th")].map((cell) => cell.textContent);
      return [...table.querySelectorAll("tbody tr")].map((row) =>
        Object.fromEntries([...row.children].map((cell, i) => [titles[i], cell.textContent])),
      );
    });
}

for (const [ranks, variant] of [
  [64, "slow node"],
  [64, "bare"],
  [64, "missing ranks"],
  [1, "slow node"],
]) {
  test(`figures equal those of the JSON: ${variant}, ${ranks} ranks`, async () => {
    const { html, json } = samplePage(ranks, variant);
    const report = JSON.parse(readFileSync(json, "utf8"));
    const read = report.quality.ranks_read;
    await withPage(html, {}, async (page) => {
      const calls = await rows(page, "calls");
      assert.equal(calls.length, report.functions.length);
      for (const row of calls) {
        const expected = report.functions.find((each) => each.function === row.Function);
        same(row["Time per rank"], expected.mpi_thread_s / read, `${row.Function} time`);
        same(row["% MPI"], expected.mpi_percent, `${row.Function} % MPI`);
        same(row["% wall"], expected.wall_percent, `${row.Function} % wall`);
        same(row.Calls, expected.calls, `${row.Function} calls`);
        same(row.Bytes, expected.bytes, `${row.Function} bytes`);
        same(row.Average, expected.time_s / expected.calls, `${row.Function} average`);
        if (row.Waiting !== undefined)
          same(row.Waiting, expected.wait_s / read, `${row.Function} waiting`);
        assert.equal(Number(row["at rank"]), expected.max_rank);
      }
      const legend = await page.locator("#verdict .legend li").allTextContents();
      same(legend[0].replace("Computing ", ""), report.time_parts[0].time_s, "computing");
      const all = report.time_parts.reduce((sum, part) => sum + part.time_s, 0);
      assert.ok(Math.abs(all - report.totals.wallclock_s / read) < 1e-6 * all, "the parts add up");
      const communicators = await rows(page, "communicators");
      assert.equal(communicators.length, report.communicators.length);
      for (const [i, row] of communicators.entries()) {
        same(
          row["Time per rank"],
          [...report.communicators].sort((a, b) => b.time_s - a.time_s)[i].time_s / read,
          row.Communicator,
        );
      }
      if (report.matrix.length > 0) {
        const sum = report.matrix.reduce((all, pair) => all + pair.bytes, 0);
        same((await page.textContent("#partners dd")).split(" in ")[0], sum, "sent in all");
      }
      await page.locator("#balance .choices button", { hasText: "Table" }).click();
      const ranksRows = await rows(page, "balance");
      assert.equal(ranksRows.length, read);
      for (const row of ranksRows) {
        const expected = report.ranks.find((each) => each.rank === Number(row.Rank));
        same(row.Compute, expected.compute_s, `rank ${row.Rank} compute`);
        same(row.MPI, expected.mpi_thread_s, `rank ${row.Rank} MPI`);
        same(row.Memory, expected.memory_bytes, `rank ${row.Rank} memory`);
      }
    });
  });
}

test("call sites, regions and causes equal those of the JSON", async () => {
  const { html, json } = samplePage(64);
  const report = JSON.parse(readFileSync(json, "utf8"));
  await withPage(html, {}, async (page) => {
    const sites = await rows(page, "callsites");
    assert.equal(sites.length, report.callsites.length);
    for (const [i, row] of sites.entries()) {
      const expected = report.callsites[i];
      assert.equal(row["Call site"], `${expected.file.split("/").at(-1)}:${expected.line}`);
      same(row["Time per rank"], expected.time_s / 64, row["Call site"]);
      same(row.Calls, expected.calls, row["Call site"]);
    }
    const regions = await rows(page, "regions");
    assert.deepEqual(
      regions.map((row) => value(row["% MPI"]).toFixed(0)),
      report.regions.map((row) => ((100 * row.mpi_s) / row.time_s).toFixed(0)),
    );
  });
});
