// When is the time lost? Phases, the average rank, every rank, and steps over one time axis; a
// window of it beside the whole run; the phases as a table.
import { element } from "../dom.js";
import { plural, secondsText } from "../format.js";
import { choices, dataTools, section, tableWithTools } from "../panel.js";
import { onTheme } from "../theme.js";
import { keyColours } from "../when/paint_map.js";
import { TimeChart } from "../when/time_chart.js";
import { TimeData } from "../when/time_data.js";
import { TimeLens } from "../when/time_lens.js";
import {
  ChosenWindow,
  differences,
  hasPeers,
  isHatched,
  stateNames,
  timeStates,
} from "../when/time_states.js";
import { binsTable, markPhases, phasesTable, usedStates } from "../when/time_tables.js";
import { windowPanel } from "../when/window_panel.js";

/** @typedef {import("../when/time_states.js").State} State */
/** @typedef {"all" | "compute" | "gpu" | "wait" | "transfer" | "io" | "off" | "mpi"} View */

/** @type {Record<View, State[] | null>} */
const statesOfViews = {
  all: null,
  compute: ["compute"],
  gpu: ["gpu"],
  wait: ["wait"],
  transfer: ["transfer"],
  io: ["io"],
  off: timeStates.filter(isHatched),
  mpi: ["mpi"],
};

/** @param {TimeData} time */
function answer(time) {
  const { headline, drift } = time.raw;
  if (!headline && !drift) return element("p.answer", {}, "No part of the run stands out.");
  return element(
    "p.answer",
    {},
    headline && element("strong", {}, headline),
    headline && drift ? " " : null,
    drift && (headline ? drift : element("strong", {}, drift)),
  );
}

/**
 * @param {TimeChart} chart @param {State} state @param {"share" | "more" | "less"} kind
 * @param {string} words
 */
function keyItem(chart, state, kind, words) {
  const shades = element("span.shade", { "aria-hidden": "true" });
  const hasLines = isHatched(state) && kind !== "less";
  if (!chart.isHeat || hasLines) shades.classList.add(`back-${state}`, "flat");
  else
    for (const colour of keyColours(state, kind)) {
      const shade = element("span");
      shade.style.background = colour;
      shades.append(shade);
    }
  return element("li", {}, shades, words);
}

/** @param {TimeChart} chart */
function keyItems(chart) {
  const { shown, isHeat } = chart;
  const used = usedStates(chart.time);
  const isCompared = isHeat && chart.isCompared;
  const kind = isCompared ? "more" : "share";
  if (!isCompared || !shown)
    return used.map((state) => keyItem(chart, state, kind, stateNames[state]));
  const states = shown.filter((state) => used.includes(state));
  return [
    ...states.map((state) => keyItem(chart, state, "more", `more ${stateNames[state]}`)),
    ...states.slice(0, 1).map((state) => keyItem(chart, state, "less", "less of it")),
  ];
}

/** @param {TimeChart} chart */
function strengthWords({ isHeat, isCompared, shown }) {
  if (!isHeat) return "height: share of the bin";
  if (!isCompared) return "strength: share of the bin, from 12% on";
  const [least, full] = [differences.least, differences.full].map((share) => 100 * share);
  const what = shown ? "" : "colour: what a rank does more than the median rank of the bin; ";
  return `${what}strength: ${least} to ${full} points of the bin from the median`;
}

/** What colours mean. @param {TimeChart} chart */
function legend(chart) {
  const node = element("ul.keys.time-keys");
  const show = () =>
    node.replaceChildren(
      ...keyItems(chart),
      element("li.key-words", {}, strengthWords(chart)),
    );
  show();
  onTheme(show);
  return { node, show };
}

/** @param {TimeData} time */
function caption(time) {
  const { clock_residual_s } = time.raw;
  const rows = time.isSingle
    ? ""
    : `; a row is the mean of up to ${plural(
        Math.max(...time.rows.map(({ ranks }) => ranks)),
        "rank",
      )}, or the rank that stands out; the 64 slowest ranks have rows of their own in the lens`;
  const fit = secondsText(clock_residual_s);
  const clocks = clock_residual_s === null ? "" : `; clocks of nodes agree within ${fit}`;
  return (
    `${time.count} bins of ${secondsText(time.bin_s)}${rows}; ` +
    `waiting in a bin is an estimate${clocks}.`
  );
}

function keysHint() {
  /** @param {...string} keys */
  const kbd = (...keys) => keys.flatMap((key) => [element("kbd", {}, key), " "]);
  return element(
    "p.hint.keys-hint",
    {},
    "Drag brushes a window; ",
    ...kbd("←", "→", "↑", "↓"),
    "go through bins and ranks, ",
    ...kbd("Shift", "←", "→"),
    "brush, ",
    ...kbd("Enter"),
    "pins a rank, ",
    ...kbd("Z"),
    "zooms in, ",
    ...kbd("Esc"),
    "goes back.",
  );
}

/** @param {TimeChart} chart @param {() => void} changed */
function viewChoices(chart, changed) {
  const used = usedStates(chart.time);
  const titles = {
    all: "All states",
    compute: "Compute",
    gpu: "GPU",
    wait: "Waiting",
    transfer: "Transfer",
    io: "I/O",
    off: "Off CPU",
    mpi: "Start-up",
  };
  const kept = /** @type {Partial<Record<View, string>>} */ (
    Object.fromEntries(
      Object.entries(titles).filter(([view]) => {
        const states = statesOfViews[/** @type {View} */ (view)];
        return states === null || states.some((state) => used.includes(state));
      }),
    )
  );
  return choices("What the map shows", kept, /** @type {View} */ ("all"), (view) => {
    chart.showStates(statesOfViews[view]);
    changed();
  });
}

/** @param {TimeChart} chart @param {() => void} changed */
function compareChoices(chart, changed) {
  const titles = { median: "Against the median", share: "Share" };
  const first = /** @type {"median" | "share"} */ ("median");
  return choices("What the colours of the map mean", titles, first, (choice) => {
    chart.compare(choice === "median");
    changed();
  });
}

/** @param {TimeChart} chart */
function orderChoices(chart) {
  const { rows } = chart.time;
  const inOrder = rows.map((_, row) => row);
  const slowest = [...inOrder].sort(
    (a, b) => (rows[b]?.compute_s ?? 0) - (rows[a]?.compute_s ?? 0),
  );
  const titles = { rank: "By rank", slow: "Slowest first" };
  return choices("Order of the ranks", titles, /** @type {"rank" | "slow"} */ ("rank"), (order) =>
    chart.showOrder(order === "rank" ? inOrder : slowest),
  );
}

/** @param {import("../charts/rank_axis.js").RankAxis} axis */
export function whenSection(axis) {
  const { data } = axis;
  if (!data.raw.time) return document.createDocumentFragment();
  const time = new TimeData(data.raw.time, data.run.wallclock_s);
  const chosen = new ChosenWindow();
  const chart = new TimeChart(time, axis, chosen);
  const lens = time.raw.details ? new TimeLens(chart) : null;
  const keys = legend(chart);
  const phases = tableWithTools("phases", phasesTable(time, chosen));
  chosen.onChange(() => markPhases(phases, time, chosen));
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") chosen.set(null);
  });
  const { node, controls } = section(
    { id: "when", title: "When", question: "When is the time lost?" },
    answer(time),
    keys.node,
    chart.node,
    windowPanel(chart),
    lens && lens.panel,
    keysHint(),
    dataTools("bins", () => binsTable(time)),
    time.phases.length > 0 && element("h3.below", {}, "Phases"),
    time.phases.length > 0 && phases,
    element("p.hint.time-caption", {}, caption(time)),
  );
  controls.append(viewChoices(chart, keys.show));
  if (hasPeers(time)) controls.append(compareChoices(chart, keys.show));
  if (time.rows.length > 2) controls.append(orderChoices(chart));
  return node;
}
