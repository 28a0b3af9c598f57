// Types questions of users (questions.tsv) into the search of the documentation site. The right
// document must be the first or second hit for nine of ten. MODULES (the folder with
// playwright-core) and CHROMIUM are in the environment.
//
// usage: search_site.mjs SITE_FOLDER
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const QUESTIONS = readFileSync(new URL("questions.tsv", import.meta.url), "utf-8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => line.split("\t"));
const WANTED = Math.ceil(0.9 * QUESTIONS.length);
const INPUT = ".md-search__input";
const HIT = ".md-search-result__item";

const site = pathToFileURL(`${process.argv[2]}/`).href;
const require = createRequire(pathToFileURL(`${process.env.MODULES}/node_modules/`));
const { chromium } = require("playwright-core");
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ["--headless", "--no-sandbox", "--disable-gpu"],
});
const tab = await browser.newPage();
await tab.goto(`${site}index.html`);

// The list is that of an earlier word until the number above it was written for this one.
async function hits(question) {
  await tab.fill(INPUT, "");
  await tab.press(INPUT, "Space");
  await tab.waitForFunction((hit) => document.querySelector(hit) === null, HIT);
  await tab.fill(INPUT, question);
  await tab.press(INPUT, "End");
  await tab.waitForSelector(HIT);
  return tab.$$eval(HIT, (items) => items.slice(0, 2).map((item) => item.querySelector("a").href));
}

let found = 0;
for (const [question, documents] of QUESTIONS) {
  const addresses = await hits(question);
  const first = addresses.map((address) => address.slice(site.length).split(".html")[0]);
  const isRight = documents.split(" ").some((name) => first.includes(name));
  found += isRight;
  const word = isRight ? "right" : "WRONG";
  console.log(`${word}  ${question}: ${first.join(", ")}; wanted: ${documents}`);
}
await browser.close();
console.log(`${found} of ${QUESTIONS.length}, at least ${WANTED}`);
process.exit(found >= WANTED ? 0 : 1);
