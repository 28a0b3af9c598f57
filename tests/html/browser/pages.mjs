// What the browser tests share: pages to open, and a browser that notes every error in them.
//
// CHROMIUM, MODULES, SAMPLES (make_sample_page), MPROF and WORK are in the environment
// (../run_page_tests.sh).
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after } from "node:test";

const require = createRequire(pathToFileURL(`${process.env.MODULES}/node_modules/`));
const { chromium } = require("playwright-core");

export const axeSource = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const made = new Set(); // by this process; those that are older may be of another build

/** The page and the JSON of a report that never ran. */
export function samplePage(ranks, variant = "slow node") {
  const name = join(process.env.WORK, `${variant.replaceAll(" ", "-")}-${ranks}`);
  const page = { html: `${name}.html`, json: `${name}.json` };
  const isThere = made.has(name) || (existsSync(page.html) && process.env.FRESH === "0");
  if (!isThere) execFileSync(process.env.SAMPLES, [ranks, variant, page.html, page.json]);
  made.add(name);
  return page;
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
after(() => browser.close());

export const phone = { width: 390, height: 844 };
export const desk = { width: 1440, height: 900 };

/**
 * Opens a file. The page that is returned has `problems`: console errors, exceptions, and requests
 * for anything but the file itself.
 */
export async function openPage(file, { size = desk, dark = false, hash = "", script = true } = {}) {
  const context = await browser.newContext({
    viewport: size,
    colorScheme: dark ? "dark" : "light",
    javaScriptEnabled: script,
    acceptDownloads: true,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  const address = pathToFileURL(file).href;
  page.problems = [];
  // Whoever prints a page by a command waits for this event only.
  await page.addInitScript(() =>
    addEventListener("load", () => {
      globalThis.readyWhenLoaded = document.documentElement.dataset.readyMs;
    }),
  );
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) page.problems.push(message.text());
  });
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("request", (request) => {
    if (
      request.url().split("#")[0] !== address &&
      !request.url().startsWith("data:") &&
      !request.url().startsWith("blob:")
    )
      page.problems.push(`request for ${request.url()}`);
  });
  await page.goto(address + hash);
  if (script) await page.waitForFunction(() => document.documentElement.dataset.readyMs);
  return page;
}

export async function closePage(page) {
  await page.context().close();
}

/** What a click saves. */
export async function saved(page, click) {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
}

/** The button that saves the JSON document. */
export const jsonButton = (page) => page.getByRole("button", { name: "Save all data as JSON" });

/** Runs a test with an open page, and closes it. */
export async function withPage(file, options, use) {
  const page = await openPage(file, options);
  try {
    await use(page);
  } finally {
    await closePage(page);
  }
}

/** The middle of a bar of a chart over ranks, in the window. */
export async function barPlace(page, section, position, count) {
  const canvas = page.locator(`#${section} canvas.over`).first();
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  const [left, right] = [60, 6]; // margins of RankBars
  return {
    canvas,
    x: box.x + left + ((position + 0.5) / count) * (box.width - left - right),
    y: box.y + box.height / 2,
  };
}
