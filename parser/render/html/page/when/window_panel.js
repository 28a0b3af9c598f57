// Below the chart: what is known of the window that is brushed, beside the whole run.
import { mpiOf, sumOf } from "./time_data.js";
import { timeStates } from "./time_states.js";
import { callText, rowTitle, windowText } from "./time_words.js";
import { element, svg } from "../dom.js";
import { copyText } from "../export.js";
import { percentText, ratioText, secondsText } from "../format.js";
import { barCell, judged, rankCell } from "../tables/table_columns.js";

/** @typedef {import("./time_data.js").TimeData} TimeData */
/** @typedef {import("./time_data.js").TimeWindow} TimeWindow */
/** @typedef {import("./time_data.js").Split} Split */
/** @typedef {import("./time_chart.js").TimeChart} TimeChart */

const listedCalls = 3;

/** @param {Split} split */
export function splitParts(split) {
  return timeStates.map((state) => ({ value: split[state], kind: state }));
}

/** @param {TimeData} time @param {TimeWindow} window */
function windowFacts(time, window) {
  const share = ((window.to - window.from) * time.bin_s) / (time.end_s - time.begin_s);
  const phase = time.phaseOf(window);
  const steps = time.stepsIn(window);
  return [
    `${percentText(100 * Math.min(share, 1))} of the run`,
    phase && `in ${phase.name}`,
    steps && `about ${Math.round(steps.steps)} steps of ${secondsText(steps.seconds)}`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** "MPI 41%, of it waiting 76%" @param {Split} split */
export function mpiWords(split) {
  const mpi = mpiOf(split);
  const whole = sumOf(split);
  if (!(whole > 0)) return "not recorded";
  const waiting = mpi > 0 ? `, waiting ${Math.round((100 * split.wait) / mpi)}% of that` : "";
  return `MPI ${Math.round((100 * mpi) / whole)}%${waiting}`;
}

/** @param {string} name @param {Split} split */
function splitLine(name, split) {
  return [element("dt", {}, name), element("dd", {}, barCell(splitParts(split), sumOf(split)))];
}

/** @param {TimeData} time @param {TimeWindow} window */
function verdictPart(time, window) {
  const phase = time.wholePhase(window);
  const cost = time.costIn(window);
  const split = time.seconds(window);
  const run = time.seconds({ from: 0, to: time.count });
  return element(
    "div",
    {},
    phase && element("p", {}, judged(phase.state, phase.name)),
    phase?.headline && element("p.window-words", {}, phase.headline),
    cost && element("p.window-words", {}, cost),
    element(
      "dl.window-splits",
      {},
      ...splitLine("window", split),
      ...splitLine("whole run", run),
    ),
    element("p.hint", {}, `${mpiWords(split)}. Whole run: ${mpiWords(run)}.`),
  );
}

/** @param {TimeData} time @param {TimeWindow} window */
function callsPart(time, window) {
  const calls = time.callsIn(window);
  if (calls.length === 0) return null;
  const most = calls[0]?.mpi ?? 0;
  const others = calls.slice(listedCalls);
  const isAll = time.rowsWithCalls().length === time.rows.length;
  const whose = isAll ? "Per rank" : "Of ranks with a row of their own";
  const rest = others.reduce((sum, { mpi }) => sum + mpi, 0);
  return element(
    "div",
    {},
    element("h3", {}, "Call sites, by MPI time"),
    element(
      "ul.window-calls",
      {},
      ...calls.slice(0, listedCalls).map(({ place, function: name, mpi, wait, io }) =>
        element(
          "li",
          {},
          element("span", {}, element("code", {}, place ?? ""), ` ${name ?? ""}`),
          element("b", {}, secondsText(mpi)),
          barCell(
            [
              { value: wait, kind: "wait" },
              { value: io, kind: "io" },
              { value: mpi - wait - io, kind: "transfer" },
            ],
            most,
          ),
        ),
      ),
    ),
    element(
      "p.hint",
      {},
      others.length > 0 && `${others.length} further sites: ${secondsText(rest)}. `,
      `${whose}; a bin counts for the call that took most of its time.`,
    ),
  );
}

/** @param {number[]} values */
function middleOf(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/**
 * Compute time of each row in the window.
 * @param {number[]} seconds @param {number} slowest
 */
function rowBars(seconds, slowest) {
  const most = seconds[slowest] ?? 0;
  const width = 100 / seconds.length;
  const node = svg("svg", { class: "window-ranks", "aria-hidden": "true" });
  seconds.forEach((value, row) => {
    const height = most > 0 ? (100 * value) / most : 0;
    node.append(
      svg("rect", {
        class: row === slowest ? "fill-slowest" : "fill-compute",
        x: `${(row * width).toFixed(2)}%`,
        width: `${(width * (seconds.length > 100 ? 1 : 0.86)).toFixed(2)}%`,
        y: `${(100 - height).toFixed(1)}%`,
        height: `${height.toFixed(1)}%`,
      }),
    );
  });
  return node;
}

/** @param {TimeChart} chart @param {TimeWindow} window */
function slowestPart(chart, window) {
  const { time, axis } = chart;
  if (time.rows.length < 2) return null;
  const seconds = time.rows.map((_, row) => time.seconds(window, row).compute);
  const slowest = seconds.indexOf(Math.max(...seconds));
  const median = middleOf(seconds);
  const rank = time.rankOf(slowest);
  const title = rowTitle(axis, time, slowest).replace(/^Rank \d+/, "");
  const isSingle = time.rows[slowest]?.ranks === 1 || time.rows[slowest]?.outlier !== null;
  const all = (window.to - window.from) * time.bin_s;
  return element(
    "div",
    {},
    element("h3", {}, "Slowest rank, by compute"),
    element(
      "p",
      {},
      isSingle && rankCell(rank),
      `${title}: `,
      element("b", {}, secondsText(seconds[slowest])),
      ` of ${secondsText(all)}`,
    ),
    rowBars(seconds, slowest),
    element(
      "p.hint",
      {},
      `median ${secondsText(median)}`,
      median > 0 && `; slowest ÷ median ${ratioText((seconds[slowest] ?? 0) / median)}`,
    ),
  );
}

/** For a ticket or an e-mail. @param {TimeChart} chart @param {TimeWindow} window */
export function panelText({ time }, window) {
  const phase = time.wholePhase(window);
  const lines = [
    `${windowText(time, window)}: ${windowFacts(time, window)}`,
    phase?.headline ?? "",
    time.costIn(window) ?? "",
    `${mpiWords(time.seconds(window))} (whole run: ` +
      `${mpiWords(time.seconds({ from: 0, to: time.count }))})`,
    ...time
      .callsIn(window)
      .slice(0, listedCalls)
      .map((call) => `- ${callText(call)}: ${secondsText(call.mpi)} of MPI per rank`),
  ];
  return `${lines.filter(Boolean).join("\n")}\n`;
}

/** @param {TimeChart} chart @returns {HTMLElement} empty while there is no window */
export function windowPanel(chart) {
  const { chosen, time } = chart;
  const node = element("div.window", { hidden: true, role: "region", "aria-label": "Window" });
  chosen.onChange((window) => {
    node.hidden = window === null;
    if (!window) return node.replaceChildren();
    node.replaceChildren(
      element(
        "div.window-head",
        {},
        element("h3", {}, windowText(time, window)),
        element("p.hint", {}, windowFacts(time, window)),
        element(
          "div.window-tools",
          {},
          element("button", { onclick: () => chart.zoomIn() }, "Zoom in"),
          element(
            "button",
            { onclick: () => void copyText(panelText(chart, window)) },
            "Copy as text",
          ),
          element("button", { "aria-label": "Close", onclick: () => chosen.set(null) }, "×"),
        ),
      ),
      element(
        "div.columns",
        {},
        verdictPart(time, window),
        callsPart(time, window),
        slowestPart(chart, window),
      ),
    );
    return undefined;
  });
  return node;
}
