// The page of mprof archive: which applications changed and waste most,
// and the history of the one that is chosen. The answer stands in the head, which needs no script.
import { changeText, counts, hoursText, medianStep, readFleet } from "./archive/fleet_data.js";
import { HistorySection } from "./archive/history_section.js";
import { byId, element, svg } from "./dom.js";
import { secondsText } from "./format.js";
import { startPage } from "./page_frame.js";
import { choices, section, tableWithTools } from "./panel.js";
import { barColumn, numberColumn, textColumn } from "./tables/table_columns.js";

/** @typedef {import("./archive/fleet_data.js").FleetData} FleetData */
/** @typedef {import("./archive/fleet_data.js").FleetSeries} FleetSeries */

// A row per program, input and size, with its runs drawn on one time axis and one scale: what is
// level is as before.

const trendWidth = 300;
const trendHeight = 26;
/** Thousandths of the median that the scale reaches to on both sides. */
const reach = 250;
/** More dots than this cannot be distinguished. */
const mostDots = 300;

/** @param {number} step */
function trendY(step) {
  const away = Math.min(Math.max(step - medianStep, -reach), reach);
  return trendHeight / 2 - (away / reach) * (trendHeight / 2 - 2);
}

/** @param {FleetSeries} series @param {FleetData} fleet */
function trend(series, fleet) {
  /** @param {number} hour */
  const x = (hour) => (2 + (hour / fleet.hours) * (trendWidth - 4)).toFixed(1);
  const all = series.weeks.length > 0 ? series.weeks : series.runs;
  const every = Math.ceil(all.length / mostDots);
  // A path of tiny strokes with round ends: one element for all dots.
  const dots = all
    .filter((_, i) => i % every === 0)
    .map(({ hour, step }) => `M${x(hour)} ${trendY(step).toFixed(1)}h0`)
    .join("");
  const noise = Math.min(2 * series.noise * medianStep, 2 * reach);
  const drawing = svg("svg", {
    class: "trend",
    viewBox: `0 0 ${trendWidth} ${trendHeight}`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  const first = series.levels[0];
  for (const level of series.levels) {
    const change = series.changes.find(({ hour }) => hour === level.from);
    const kind = !change || level === first ? "same" : counts(change) ? change.kind : "unsure";
    const y = trendY(level.step);
    const half = Math.max((noise / reach) * (trendHeight / 2 - 2), 1);
    const from = Number(x(level.from));
    const width = Math.max(Number(x(level.to)) - from, 1);
    drawing.append(
      svg("rect", { class: `noise ${kind}`, x: from, y: y - half, width, height: 2 * half }),
      svg("path", { class: `level ${kind}`, d: `M${from} ${y.toFixed(1)}h${width.toFixed(1)}` }),
    );
  }
  drawing.append(svg("path", { class: "dots", d: dots }));
  return drawing;
}

/**
 * Grey what was used, orange what was lost of it.
 * @param {FleetSeries} series @param {number} most
 */
function hoursBar(series, most) {
  const lost = (100 * series.hoursLost) / most;
  const rest = (100 * (series.hoursUsed - series.hoursLost)) / most;
  return svg(
    "svg",
    { "aria-hidden": "true" },
    svg("rect", { class: "fill-wait", width: `${lost}%`, height: "100%" }),
    svg("rect", { class: "fill-compute", x: `${lost}%`, width: `${rest}%`, height: "100%" }),
  );
}

/** @param {FleetSeries} series */
function changeCell({ change, unsure }) {
  if (change === null && unsure === null) return element("span.muted", {}, "unchanged");
  const shown = change ?? unsure;
  const kind = change === null ? "unsure" : change.kind;
  const sign = (shown?.percent ?? 0) < 0 ? "▼" : "▲";
  return element(`span.change.${kind}`, {}, `${sign} ${changeText(shown?.percent ?? 0)}`);
}

/** @param {FleetSeries} series */
function sinceText(series) {
  const shown = series.change ?? series.unsure;
  return shown ? shown.since : series.steady;
}

/**
 * @param {FleetData} fleet @param {FleetSeries[]} rows
 * @param {(series: FleetSeries) => void} open
 */
function seriesTable(fleet, rows, open) {
  const most = rows.reduce((sum, row) => Math.max(sum, row.hoursUsed), 1e-9);
  return tableWithTools("applications", {
    caption: "Applications",
    rows,
    sorts: true,
    shown: 25,
    filterText: (row) => `${row.name} ${row.ranks}`,
    columns: [
      textColumn("Application", /** @param {FleetSeries} row */ (row) => row.program, {
        show: (row) =>
          element(
            "span",
            {},
            element("button.open-series", { onclick: () => open(row) }, row.program),
            element("span.narrow", {}, `${row.input} ${row.ranks} ranks`, trend(row, fleet)),
          ),
      }),
      textColumn("Input, ranks", (row) => `${row.input}${row.input && ", "}${row.ranks}`, {
        priority: 2,
      }),
      numberColumn("Runs", "count", (value) => (value ?? 0).toLocaleString("en"), { priority: 3 }),
      barColumn(
        "Node-hours",
        (row) => row.hoursUsed,
        (row) => hoursBar(row, most),
        {
          priority: 3,
        },
      ),
      numberColumn("Lost", "hoursLost", (value) => hoursText(value ?? 0), { priority: 2 }),
      barColumn(
        "Each run against the first level",
        (row) => row.change?.percent ?? 0,
        (row) => trend(row, fleet),
        { priority: 2 },
      ),
      numberColumn("Now", "now_s", secondsText),
      numberColumn(
        "Change",
        (row) => (row.change ?? row.unsure)?.percent,
        (value) => (typeof value === "number" ? changeText(value) : ""),
        { show: changeCell },
      ),
      textColumn("Since, and with", sinceText, { priority: 3, show: sinceText }),
    ],
  });
}

/** @param {FleetData} fleet @param {(series: FleetSeries) => void} open */
function seriesSection(fleet, open) {
  const place = element("div");
  /** @param {"lost" | "changed"} choice */
  const show = (choice) => {
    const rows =
      choice === "lost" ? fleet.series : fleet.series.filter((row) => row.change !== null);
    place.replaceChildren(seriesTable(fleet, rows, open));
  };
  const { node, controls } = section(
    {
      id: "applications",
      title: "Applications",
      question: "Which applications changed, and which waste most?",
      hint:
        "Per application, input and size; most node-hours lost first. Each dot is a run, the " +
        "band is the noise of these runs. A coloured level is a change beyond it. All trends " +
        "have one scale, ±25%, and one time axis. ▲ is slower, ▼ faster.",
    },
    place,
    fleet.leftOut > 0
      ? element("p.hint", {}, `${fleet.leftOut} more: mprof archive regressions --json`)
      : null,
  );
  controls.append(
    choices("Which rows", { lost: "Node-hours lost", changed: "Changed" }, "lost", show),
  );
  show("lost");
  return node;
}

const fleet = readFleet();
/** @type {(series: import("./archive/fleet_data.js").FleetSeries) => void} */
let choose = () => {};
const applications = seriesSection(fleet, (series) => choose(series));
const history = new HistorySection(fleet);
choose = (series) => history.choose(series);
byId("sections").append(applications, history.node);
startPage({ fileName: "mprof-archive", ranks: 0 });
