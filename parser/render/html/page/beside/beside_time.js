// The average rank of two runs over time, one strip under the other, on one axis of seconds.
import { element, svg } from "../dom.js";
import { secondsText, tickText } from "../format.js";
import { niceStep, ticksBetween } from "../charts/scales.js";
import { TimeData } from "../when/time_data.js";
import { shortNames, timeStates } from "../when/time_states.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */

const besideWidth = 1000;
const besideHeight = 60;
const besideRow = 84;
const besideTop = 18;
/** More cannot be distinguished. */
const besideCells = 250;

/** @param {ReportData} data */
function timeDataOf(data) {
  return data.raw.time ? new TimeData(data.raw.time, data.run.wallclock_s) : null;
}

/**
 * A path for each state: cells of some bins, stacked from below.
 * @param {TimeData} time @param {number} y @param {number} whole_s
 */
function besideStrip(time, y, whole_s) {
  const cells = Math.min(besideCells, time.count);
  /** @type {Map<string, string>} */
  const paths = new Map(timeStates.map((state) => [state, ""]));
  for (let cell = 0; cell < cells; cell++) {
    const from = Math.floor((cell * time.count) / cells);
    const to = Math.max(from + 1, Math.floor(((cell + 1) * time.count) / cells));
    const split = time.meanOver(null, from, to);
    const x = (besideWidth * time.timeOf(from)) / whole_s;
    const right = (besideWidth * Math.min(time.timeOf(to), time.end_s)) / whole_s;
    let foot = y + besideHeight;
    for (const state of timeStates) {
      const height = besideHeight * split[state];
      if (height > 0.05)
        paths.set(
          state,
          `${paths.get(state)}M${x.toFixed(1)} ${foot.toFixed(1)}v${(-height).toFixed(1)}` +
            `H${right.toFixed(1)}V${foot.toFixed(1)}z`,
        );
      foot -= height;
    }
  }
  return [...paths].map(([state, d]) => svg("path", { class: `fill-${state}`, d }));
}

/** Nothing where a run has no bins. @param {ReportData} a @param {ReportData} b */
export function timesBeside(a, b) {
  const times = [timeDataOf(a), timeDataOf(b)];
  if (times.some((time) => time === null)) return null;
  const whole_s = Math.max(...times.map((time) => time?.end_s ?? 0), 1e-9);
  const bottom = besideTop + 2 * besideRow - (besideRow - besideHeight);
  const drawing = svg("svg", {
    class: "times-beside",
    viewBox: `0 0 ${besideWidth} ${bottom + 20}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": "time of the average rank by state, A above B, on one axis of seconds",
  });
  times.forEach((time, i) => {
    if (time) drawing.append(...besideStrip(time, besideTop + i * besideRow, whole_s));
  });
  const ticks = ticksBetween(0, whole_s, niceStep(whole_s, 6)).map((second) => {
    const label = element("span", {}, tickText(secondsText(second)));
    label.style.left = `${(100 * second) / whole_s}%`;
    label.classList.toggle("last", second > 0.94 * whole_s);
    return label;
  });
  const used = timeStates.filter((state) =>
    times.some((time) => time && time.meanOver(null, 0, time.count)[state] > 0.001),
  );
  return element(
    "div.beside-times",
    {},
    element("p.side-name", {}, `A, ${secondsText(a.run.wallclock_s)}`),
    element("p.side-name.second", {}, `B, ${secondsText(b.run.wallclock_s)}`),
    drawing,
    element("div.beside-ticks", { "aria-hidden": "true" }, ...ticks),
    element(
      "ul.keys",
      {},
      ...used.map((state) =>
        element(
          "li",
          {},
          element(`span.shade.flat.back-${state}`, { "aria-hidden": "true" }),
          shortNames[state],
        ),
      ),
    ),
  );
}
