// One figure reads the same in the text report, on the page, in a notebook and in a chat. Ten
// profiles: those of tests/golden, and some that generate_ranks makes. How a number must read is
// what tests/numbers/cases.tsv tells each output; here is whether all show the same number.
//
// MPROF, GENERATE and WORK are in the environment (../run_page_tests.sh).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

import { percentText, secondsText, textOf } from "../../../parser/render/html/page/format.js";
import { rowsOf } from "../../../parser/render/html/page/tables/columns.js";
import { fromBase64, inflate } from "../../../parser/render/html/page/unpack.js";

const { MPROF, GENERATE, WORK } = process.env;
const top = fileURLToPath(new URL("../../..", import.meta.url));
const golden = ["finished", "killed", "phases"].map((name) => join(top, "tests/golden", name));
const made = [[1], [2], [3], [5, "--slow-rank", "3"], [8], [16, "--slow-rank", "7"], [64]];

/** Of incomplete runs the exit status is 1. */
function mprof(...words) {
  try {
    return execFileSync(MPROF, words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    if (error.status !== 1) throw error;
    return error.stdout;
  }
}

function profiles() {
  mkdirSync(WORK, { recursive: true });
  return golden.concat(
    made.map((words) => {
      const folder = join(WORK, `ranks-${words.join("")}`);
      rmSync(folder, { recursive: true, force: true });
      execFileSync(GENERATE, [folder, ...words.map(String)]);
      return folder;
    }),
  );
}

/** Without the marks and line ends of the terminal. @param {string} text */
const flat = (text) => text.replace(/\n# +:? */g, " ").replace(/\s+/g, " ");

/** The units of the document's keys, "" if they have none: "ranks[].time_s" => "s". */
const units = new Map(
  readFileSync(join(top, "python/mpiprof/report_fields.tsv"), "utf8")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"))
    .map((line) => line.split("\t"))
    .map(([key, , , unit]) => [key, unit]),
);

function outputsOf(profile) {
  const html = join(WORK, "page.html");
  const json = JSON.parse(mprof("report", profile, "--json", "-"));
  mprof("report", profile, "--html", html);
  const signs = [["&lt;", "<"], ["µs", "us"], ["×", "x"]];
  const page = signs.reduce((text, [a, b]) => text.replaceAll(a, b), readFileSync(html, "utf8"));
  const packed = /id="data">([^<]*)</.exec(page)[1];
  return {
    json,
    page,
    data: JSON.parse(new TextDecoder().decode(inflate(fromBase64(packed)))),
    text: mprof("report", profile, "--all", "--width", "120"),
    brief: mprof("report", profile, "--brief"),
    digest: mprof("report", profile, "--digest"),
    notebook: execFileSync(
      "python3",
      ["-B", "-c", "import mpiprof, sys; print(mpiprof.open(sys.argv[1])._repr_html_())", profile],
      {
        encoding: "utf8",
        env: { ...process.env, MPIPROF_MPROF: MPROF, PYTHONPATH: join(top, "python") },
      },
    ).replaceAll("&lt;", "<"),
  };
}

function checkTimeParts({ json, page, text, brief, notebook }) {
  const bar = /class="split" role="img" aria-label="([^"]*)"/.exec(page)?.[1] ?? "";
  const legend = page.slice(page.indexOf('class="legend"')).split("</ul>")[0];
  const lineOf = (said) => / time : (.*?%) *(?:\||[a-z ]+ :)/.exec(flat(said))?.[1];
  const texts = { text: lineOf(text), brief: lineOf(brief), notebook };
  let seen = 0;
  for (const { state, percent, time_s } of json.time_parts) {
    const [share, seconds] = [percentText(percent), secondsText(time_s).replace("µs", "us")];
    for (const [name, said] of Object.entries(texts)) {
      const words = new RegExp(`${state.replaceAll("/", "\\/")} (<?[0-9.]+%)`);
      const shown = words.exec(said ?? "")?.[1];
      if (name === "notebook" && time_s > 0)
        assert.ok(notebook.includes(`${state} ${seconds} (${share})`), `${state} in ${notebook}`);
      else if (shown && name !== "notebook") assert.equal(shown, share, `${state}: ${name}`);
      seen += shown ? 1 : 0;
    }
    if (percent < 0.05) continue;
    assert.ok(bar.split(", ").some((part) => part.endsWith(` ${share}`)), `${share} in ${bar}`);
    assert.ok(legend.includes(` ${seconds}`), `${seconds} in ${legend}`);
  }
  assert.ok(seen > 0);
}

function checkSentences({ json, page, text, digest, notebook }) {
  const { headline, why } = json.verdict;
  const sentence = headline.replace(/^[^a-z]*\. /, "");
  for (const said of [headline, why].filter(Boolean)) {
    assert.ok(flat(text).includes(said), `${said} is not in ${text.slice(0, 999)}`);
    assert.ok(notebook.includes(said), `${said} is not in ${notebook}`);
  }
  const title = /<h1>(.*?)<\/h1>/.exec(page)?.[1].replaceAll(/<[^>]*>/g, "");
  assert.equal(title, sentence);
  const short = /Verdict: [^.]*\. (.*)/.exec(digest)?.[1].replace(/ \.\.\.$/, "");
  assert.ok(short && sentence.startsWith(short), `${digest} does not begin as ${sentence}`);
}

/** Each figure of the data that the JSON has, too: the cell reads as the JSON's would. */
function checkCells({ json, data }) {
  let cells = 0;
  for (const [list, raw] of Object.entries(data)) {
    const rows = json[list];
    if (!Array.isArray(rows) || typeof raw?.rows !== "number" || raw.rows !== rows.length) continue;
    rowsOf(raw).forEach((row, i) => {
      for (const [key, value] of Object.entries(row)) {
        const exact = rows[i][key];
        if (typeof value !== "number" || typeof exact !== "number") continue;
        const unit = units.get(`${list}[].${key}`);
        const shown = textOf(unit);
        assert.equal(shown(value), shown(exact), `${list}[${i}].${key}: ${value}, ${exact}`);
        cells++;
      }
    });
  }
  return cells;
}

/** A table's columns are named by their units, so they have decimals instead of three digits. */
function checkFunctions({ json, text }) {
  const lines = text.split("\n");
  for (const { function: name, time_s, mpi_percent } of json.functions.slice(0, 5)) {
    const line = lines.find((words) => new RegExp(`^# ${name} +[0-9]`).test(words));
    const [seconds, , percent] = line?.replace(`# ${name}`, "").trim().split(/ +/) ?? [];
    assert.match(seconds, /^\d+\.\d{2,4}$/, line);
    assert.equal(seconds, time_s.toFixed(seconds.split(".")[1].length), line);
    assert.equal(percent, mpi_percent.toFixed(1), line);
  }
}

test("a figure reads the same everywhere", () => {
  assert.ok(existsSync(GENERATE));
  let cells = 0;
  for (const profile of profiles()) {
    const outputs = outputsOf(profile);
    checkTimeParts(outputs);
    checkSentences(outputs);
    checkFunctions(outputs);
    cells += checkCells(outputs);
  }
  console.log(`# ${cells} cells`);
  assert.ok(cells > 1000);
});
