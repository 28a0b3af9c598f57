// Takes a picture of a page: picture.mjs PAGE.html PICTURE.png [--width N] [--height N] [--scale N]
// [--dark] [--full] [--section NAME] [--no-script] [--pdf FILE]
//
// CHROMIUM and MODULES (the folder with playwright-core) are in the environment.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [page, picture, ...options] = process.argv.slice(2);
const has = (name) => options.includes(name);
const value = (name, other) => (has(name) ? options[options.indexOf(name) + 1] : other);

const { chromium } = createRequire(pathToFileURL(`${process.env.MODULES}/node_modules/`))(
  "playwright-core",
);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
  ],
});
const context = await browser.newContext({
  viewport: { width: Number(value("--width", 1440)), height: Number(value("--height", 900)) },
  deviceScaleFactor: Number(value("--scale", 1)),
  colorScheme: has("--dark") ? "dark" : "light",
  javaScriptEnabled: !has("--no-script"),
});
const tab = await context.newPage();
await tab.goto(pathToFileURL(page).href + (has("--section") ? `#${value("--section")}` : ""));
if (!has("--no-script")) await tab.waitForFunction(() => document.documentElement.dataset.readyMs);
if (has("--pdf")) await tab.pdf({ path: value("--pdf"), format: "A4" });
if (has("--section")) await tab.locator(`#${value("--section")}`).screenshot({ path: picture });
else await tab.screenshot({ path: picture, fullPage: has("--full") });
await browser.close();
