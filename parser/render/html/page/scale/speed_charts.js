// How far does it scale? Speed-up S(p) on two logarithmic axes, where ideal is a straight line, and
// efficiency E(p) with what is not worth its cores. Points are medians, bands the spread of the
// repeats; beyond the largest size what is projected, dotted.
import { ranksText, ranksWords } from "./scale_data.js";
import { bandOf, pathOf, SizeChart } from "./size_chart.js";
import { ticksBetween } from "../charts/scales.js";
import { element } from "../dom.js";
import { ratioText, secondsText, shareText } from "../format.js";
import { dataTools, section } from "../panel.js";
import { numberColumn } from "../tables/table_columns.js";

/** @typedef {import("./scale_data.js").ScaleData} ScaleData */
/** @typedef {import("./scale_data.js").SizeRow} SizeRow */
/** @typedef {import("./size_chart.js").Point} Point */

/** Powers of two, at most six of them. @param {number} low @param {number} high */
function powerTicks(low, high) {
  const from = Math.log2(low);
  const to = Math.log2(high);
  const step = Math.max(Math.ceil((to - from) / 6), 1);
  return ticksBetween(from - 1e-9, to + 1e-9, step).map((power) => 2 ** power);
}

/** @param {Point} point @returns {import("./size_chart.js").Place[]} around it */
function around({ x, y }) {
  return [
    { x, y: y + 20, anchor: "middle" },
    { x: x + 6, y: y + 18 },
    { x: x - 6, y: y + 18, anchor: "end" },
    { x: x + 9, y: y - 4 },
    { x, y: y - 10, anchor: "middle" },
    { x: x - 9, y: y - 4, anchor: "end" },
  ];
}

/**
 * The measured line with its band and points; those that are not worth their cores are red.
 * @param {SizeChart} chart @param {(size: SizeRow, efficiency: number) => number} yOf
 */
function measuredLine(chart, yOf) {
  const { sizes, worth, firstBad } = chart.data;
  /** @param {(size: SizeRow) => number} efficiency */
  const points = (efficiency) =>
    sizes.map((size) => ({ x: chart.x(size.ranks), y: yOf(size, efficiency(size)) }));
  const medians = points((size) => size.efficiency);
  const band = bandOf(
    points((size) => size.high),
    points((size) => size.low),
  );
  chart.add("path", { class: "band", d: band });
  chart.add("path", { class: "measured", d: pathOf(medians) });
  medians.forEach(({ x, y }, i) => {
    const isBad = (sizes[i]?.efficiency ?? 1) < worth;
    chart.add("circle", {
      class: isBad ? "point bad" : "point",
      cx: x,
      cy: y,
      r: i === firstBad ? 5 : 3.5,
    });
    chart.labels.keepOffLine([{ x, y }], 5);
  });
  chart.labels.keepOffLine(medians);
  return medians;
}

/** @param {SizeChart} chart */
function paintSpeedup(chart) {
  const { first, last, sizes, projected, firstBad } = chart.data;
  const lowest = Math.min(
    ...sizes.map((size) => size.ranks * size.low),
    ...projected.map((size) => size.speedup[1]),
  );
  const low = Math.max(Math.min(lowest, first.ranks), first.ranks / 16);
  const highest = Math.max(...sizes.map((size) => size.ranks * size.high), chart.furthest);
  const tall = chart.bottom - chart.margins.top;
  /** @param {number} speedup */
  const y = (speedup) =>
    chart.bottom - (Math.log(Math.max(speedup, low) / low) / Math.log(highest / low)) * tall;
  for (const speedup of powerTicks(low, highest))
    chart.tick(y(speedup), speedup < 1 ? String(speedup) : ranksText(speedup));
  const ideal = [first.ranks, chart.furthest].map((ranks) => ({ x: chart.x(ranks), y: y(ranks) }));
  chart.add("path", { class: "ideal", d: pathOf(ideal) });
  const end = { x: chart.x(last.ranks), y: y(last.speedup) };
  /** @param {0 | 1 | 2} which */
  const beyond = (which) => [
    end,
    ...projected.map((size) => ({ x: chart.x(size.ranks), y: y(size.speedup[which]) })),
  ];
  if (projected.length > 0) {
    chart.add("path", { class: "band beyond", d: bandOf(beyond(2), beyond(1)) });
    chart.add("path", { class: "projected", d: pathOf(beyond(0)) });
    chart.labels.keepOffLine(beyond(0));
  }
  const medians = measuredLine(chart, (size, efficiency) => y(size.ranks * efficiency));
  chart.labels.keepOffLine(ideal);
  const bad = medians[firstBad ?? -1];
  const badSize = sizes[firstBad ?? -1];
  if (bad && badSize) {
    const figure = `S = ${ratioText(badSize.speedup)}`;
    const words = `${ranksWords(badSize.ranks)}: ${figure}`;
    if (!chart.label(words, "bad-label", around(bad).slice(0, 3)))
      chart.label(figure, "bad-label", around(bad));
  } else {
    const figure = `${ranksWords(last.ranks)}: S = ${ratioText(last.speedup)}`;
    chart.label(figure, "strong", around(end).slice(0, 3));
  }
  const halfway = Math.sqrt(first.ranks * chart.furthest) * 1.2;
  chart.label("ideal", "", [
    { x: chart.x(halfway) - 8, y: y(halfway) - 6, anchor: "end" },
    { x: chart.x(halfway) + 8, y: y(halfway) + 16 },
  ]);
  const middle = beyond(0)[Math.ceil(projected.length / 2)];
  if (middle && projected.length > 0) {
    const places = [14, 24, 36].flatMap((away) => [
      { x: middle.x, y: middle.y - away, anchor: /** @type {const} */ ("middle") },
      { x: middle.x, y: middle.y + away + 9, anchor: /** @type {const} */ ("middle") },
    ]);
    chart.label("projected", "measured-label", places);
  }
  const inside = medians.flatMap(({ x, y: at }) => [
    { x: x + 8, y: at + 18 },
    { x: x + 8, y: at + 30 },
    { x: x - 8, y: at - 10, anchor: /** @type {const} */ ("end") },
  ]);
  chart.label("measured", "measured-label", inside);
}

/** @param {SizeChart} chart */
function paintEfficiency(chart) {
  const { sizes, worth, first } = chart.data;
  const most = Math.max(...sizes.map((size) => size.high), 1);
  const tall = chart.bottom - chart.margins.top - 8;
  /** @param {number} share */
  const y = (share) => chart.bottom - (share / most) * tall;
  const { left } = chart.margins;
  chart.add("rect", {
    class: "not-worth",
    x: left,
    y: y(worth),
    width: chart.right - left,
    height: chart.bottom - y(worth),
  });
  for (const share of [0, 0.25, 0.5, 0.75, 1]) chart.tick(y(share), shareText(share));
  chart.line("ideal", left, y(1), chart.right, y(1));
  chart.line("limit", left, y(worth), chart.right, y(worth));
  const medians = measuredLine(chart, (_size, efficiency) => y(efficiency));
  chart.labels.keepOffLine([
    { x: left, y: y(worth) },
    { x: chart.right, y: y(worth) },
  ]);
  chart.labels.keepOffLine([
    { x: left, y: y(1) },
    { x: chart.right, y: y(1) },
  ]);
  const order = sizes.map((_, i) => i);
  // Where it ends and where it falls below come first.
  order.sort((a, b) => importance(chart.data, b) - importance(chart.data, a));
  for (const i of order) {
    const size = sizes[i] ?? first;
    const kind = size.efficiency < worth ? "bad-label" : "strong";
    chart.label(shareText(size.efficiency), kind, around(medians[i] ?? { x: 0, y: 0 }));
  }
  const words = `below ${shareText(worth)}: not worth its cores`;
  const under = y(worth) + 17;
  chart.label(words, "bad-words", [
    { x: left + 8, y: under },
    { x: chart.right - 6, y: under, anchor: "end" },
    { x: left + 8, y: chart.bottom - 8 },
    { x: chart.right - 6, y: chart.bottom - 8, anchor: "end" },
  ]);
  chart.label("ideal", "", [
    { x: chart.right, y: y(1) - 7, anchor: "end" },
    { x: chart.right, y: y(1) + 16, anchor: "end" },
  ]);
}

/** @param {ScaleData} data @param {number} size */
function importance(data, size) {
  if (size === data.firstBad) return 3;
  return size === data.sizes.length - 1 ? 2 : size === 0 ? 1 : 0;
}

/** @param {ScaleData} data */
function repeatsHint(data) {
  const counts = data.sizes.map((size) => size.runs);
  const least = Math.min(...counts);
  const most = Math.max(...counts);
  const from = `Speed-up counts from ${ranksWords(data.first.ranks)}, the smallest run.`;
  if (most === 1) return `One run per size, no repeats: noise unknown. ${from}`;
  const runs = least === most ? String(most) : `${least} to ${most}`;
  return `Lines: median of ${runs} runs; bands: their spread. ${from}`;
}

/** @param {ScaleData} data @returns {import("../tables/table.js").TableSpec<SizeRow>} */
function sizesTable(data) {
  return {
    caption: "Speed-up and efficiency by size",
    rows: data.sizes,
    shown: 24,
    columns: [
      numberColumn("Ranks", "ranks", (value) => ranksText(value ?? 0)),
      numberColumn("Runs", "runs", String, { priority: 2 }),
      numberColumn("Time", "wallclock_s", secondsText),
      numberColumn("Noise [%]", "noise_percent", (value) =>
        typeof value === "number" ? `±${value.toFixed(1)}` : "?",
      ),
      numberColumn("Speed-up", "speedup", ratioText),
      numberColumn("Efficiency", "efficiency", shareText),
      numberColumn("Worst run", "low", shareText, { priority: 2 }),
      numberColumn("Best run", "high", shareText, { priority: 2 }),
    ],
  };
}

/** @param {ScaleData} data */
export function speedSection(data) {
  const speedup = new SizeChart(data, "Speed-up by ranks", data.furthest, paintSpeedup);
  const efficiency = new SizeChart(data, "Efficiency by ranks", data.last.ranks, paintEfficiency);
  return section(
    {
      id: "speed",
      title: "Speed",
      question: "How far does it scale?",
      hint: repeatsHint(data),
    },
    element(
      "div.columns",
      {},
      element("div", {}, element("h3", {}, "Speed-up S(p)"), speedup.node),
      element("div", {}, element("h3", {}, "Efficiency E(p)"), efficiency.node),
    ),
    dataTools("speed-up and efficiency", () => sizesTable(data)),
  ).node;
}
