// How numbers, axes, addresses and CSV look. The expected texts are worked out by hand.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { hoursText } from "../../../parser/render/html/page/archive/fleet_data.js";
import { addressText, parseAddress } from "../../../parser/render/html/page/selection.js";
import { csvText } from "../../../parser/render/html/page/format.js";
import * as format from "../../../parser/render/html/page/format.js";
import {
  niceStep,
  rankStep,
  ticksBetween,
  ticksTo,
} from "../../../parser/render/html/page/charts/scales.js";

const cases = new URL("../../numbers/cases.tsv", import.meta.url);

test("numbers read as in the text report", () => {
  const texts = {
    seconds: format.secondsText,
    bytes: format.bytesText,
    percent: format.percentText,
    count: format.countText,
    share: format.shareText,
  };
  for (const line of readFileSync(cases, "utf8").trim().split("\n")) {
    if (line.startsWith("#")) continue;
    const [kind, number, text] = line.split("\t");
    const textOf = kind === "hours" ? hoursText : texts[kind];
    assert.equal(textOf(Number(number)), text.replace(/ us$/, " µs"));
  }
  for (const text of Object.values(texts))
    for (const value of [null, undefined, NaN]) assert.equal(text(value), "–");
  assert.equal(format.secondsText(-13.9), "-13.9 s");
});

test("figures are exact up to four digits", () => {
  const texts = [
    [0.97, "0.97"],
    [9999, "9999"],
    [26880, "26.9 k"],
    [2.84e10, "28.4 G"],
  ];
  for (const [value, text] of texts) assert.equal(format.figureText(value), text);
});

test("differences have a sign, and large ones a factor", () => {
  const texts = [
    [1.46, "+46%"],
    [0.25, "−75%"],
    [1.001, "±0%"],
    [12, "×12.0"],
    [null, "–"],
  ];
  for (const [ratio, text] of texts) assert.equal(format.differenceText(ratio), text);
});

test("small and large figures keep their size", () => {
  const texts = [
    [1.98, "1.98"],
    [0.00012, "0.000120"],
    [2.87e9, "2.87 G"],
    [0, "0.00"],
  ];
  for (const [value, text] of texts) assert.equal(format.figureText(value), text);
  assert.equal(format.textOf("GHz")(1.98), "1.98 GHz");
  assert.equal(format.textOf("ns")(1500), "1.50 µs");
  assert.equal(format.textOf("")(3), "3.00");
});

test("axes do without zeros that say nothing", () => {
  assert.deepEqual(["20.0 s", "1.50 s", "200 G", "1.00 GiB", "0.50"].map(format.tickText), [
    "20 s",
    "1.50 s",
    "200 G",
    "1 GiB",
    "0.50",
  ]);
});

test("size classes are named by their bounds", () => {
  assert.deepEqual([-1, 0, 1, 2, 4, 11].map(format.binText), [
    "not known",
    "none",
    "1 B",
    "2 B to 3 B",
    "8 B to 15 B",
    "1.0 KiB to 2.0 KiB",
  ]);
  assert.deepEqual([-1, 0, 1, 4, 11, 21, 31].map(format.binTick), [
    "?",
    "0",
    "1",
    "8",
    "1K",
    "1M",
    "1G",
  ]);
});

test("ticks are round", () => {
  assert.equal(niceStep(48, 5), 10);
  assert.equal(rankStep(64, 16), 4);
  assert.equal(rankStep(3, 16), 1);
  assert.deepEqual(ticksBetween(5, 17, 4), [8, 12, 16]);
  assert.deepEqual(ticksTo(50, 5), [0, 10, 20, 30, 40, 50]);
  assert.deepEqual(ticksTo(3 * 2 ** 30, 3, true), [0, 2 ** 30, 2 ** 31, 3 * 2 ** 30]);
  assert.deepEqual(ticksTo(0, 5), [0]);
  assert.ok(ticksTo(1e-9, 5).length > 2);
});

test("addresses keep section and rank, and refuse what is neither", () => {
  assert.deepEqual(parseAddress("#balance&rank=12"), { section: "balance", rank: 12 });
  assert.deepEqual(parseAddress("#text"), { section: "text", rank: null });
  assert.deepEqual(parseAddress(""), { section: "", rank: null });
  for (const rank of ["-1", "1e3", "x", "", "99999999999"])
    assert.equal(parseAddress(`#run&rank=${rank}`).rank, null);
  assert.equal(addressText({ section: "balance", rank: 12 }), "#balance&rank=12");
  assert.equal(addressText({ section: "balance", rank: null }), "#balance");
});

test("CSV quotes what would break it, and has nothing for what is not known", () => {
  assert.equal(
    csvText(
      ["a", "b"],
      [
        ['x,"y"', 1.5],
        ["line\nend", null],
      ],
    ),
    'a,b\n"x,""y""",1.5\n"line\nend",\n',
  );
});

test("CSV has no name that a spreadsheet runs as a formula", () => {
  const names = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "'=1",
    "  =1",
    "\uff1d1",
    "a=1",
    "",
  ];
  assert.equal(
    csvText(
      ["a"],
      names.map((name) => [name]),
    ),
    "a\n'=1+1\n'+1\n'-1\n'@SUM(A1)\n'\t=1\n\"'\r=1\"\n''=1\n'  =1\n'\uff1d1\na=1\n\n",
  );
  assert.equal(csvText(["a"], [[-1], [-0.5]]), "a\n-1\n-0.5\n");
});
