// Time as tables: the phases, and the bins.
import { stateNames, timeStates } from "./time_states.js";
import { momentText, timeUnit } from "./time_words.js";
import { splitParts } from "./window_panel.js";
import { element } from "../dom.js";
import { bytesText, countText, percentText, ratioText, secondsText } from "../format.js";
import { largestOf } from "../tables/columns.js";
import { barCell, marks, numberColumn, rankCell, textColumn } from "../tables/table_columns.js";

/** @typedef {import("./time_data.js").TimeData} TimeData */
/** @typedef {import("./time_data.js").PhaseRow} PhaseRow */
/** @typedef {import("./time_states.js").ChosenWindow} ChosenWindow */
/**
 * @template R
 * @typedef {import("../tables/table.js").TableSpec<R>} TableSpec
 */

/** More says no more: the others computed next to nothing. */
const farOver = 100;

/** How the name was found. @param {PhaseRow} phase */
function sourceText({ name, source, place, function: call }) {
  if (source === "region") return "region";
  if (source === "start-up") return call ?? "";
  if (source === "position") return "";
  return place && !name.startsWith(place) ? place : (call ?? "");
}

/** @param {PhaseRow} phase @param {number} whole seconds */
function splitBar(phase, whole) {
  return barCell(splitParts(phase.split), whole);
}

/**
 * A button that brushes the phase; where the table is narrow, its bar and its sentence stand below.
 * @param {TimeData} time @param {ChosenWindow} chosen @param {PhaseRow} phase
 * @param {number} whole
 */
function phaseCell(time, chosen, phase, whole) {
  const window = time.windowOf(phase);
  const name = element(
    "button.phase",
    {
      "aria-pressed": String(chosen.isWindow(window)),
      "data-phase": String(time.phases.indexOf(phase)),
      onclick: () => chosen.toggle(window),
    },
    phase.name,
  );
  return element(
    "span",
    {},
    element(
      "span",
      { class: `state ${phase.state}`, title: phase.state },
      `${marks[phase.state]} `,
      element("span.hidden", {}, `${phase.state}: `),
    ),
    name,
    " ",
    element("span.muted", {}, sourceText(phase)),
    element(
      "span.narrow",
      {},
      splitBar(phase, whole),
      element("span.muted", {}, phase.headline ?? ""),
    ),
  );
}

/** @param {PhaseRow} phase */
function slowestCell({ slowest_rank, slowest_over }) {
  if (slowest_rank === null) return "–";
  const times = slowest_over < farOver ? `×${ratioText(slowest_over)}` : `>×${farOver}`;
  return element(
    "span",
    {},
    rankCell(slowest_rank),
    element("span.muted", {}, ` ${times}`),
  );
}

/**
 * @param {TimeData} time @param {string} title @param {"from_s" | "to_s"} name
 * @returns {import("../tables/table.js").TableColumn<PhaseRow>}
 */
function momentColumn(time, title, name) {
  return {
    title: `${title}, ${timeUnit(time.end_s).name}`,
    kind: "number",
    value: (phase) => phase[name],
    show: (phase) => momentText(time, phase[name]),
  };
}

/** @param {TimeData} time @param {ChosenWindow} chosen @returns {TableSpec<PhaseRow>} */
export function phasesTable(time, chosen) {
  const whole = largestOf(time.phases, (phase) => phase.to_s - phase.from_s);
  return {
    caption: "Phases of the run",
    rows: time.phases,
    sorts: true,
    shown: 24,
    rankOf: (phase) => phase.slowest_rank,
    columns: [
      textColumn("Phase", "name", { show: (phase) => phaseCell(time, chosen, phase, whole) }),
      momentColumn(time, "From", "from_s"),
      momentColumn(time, "To", "to_s"),
      numberColumn("Share", (phase) => 100 * phase.share, percentText, { hint: "of the run" }),
      {
        title: "Split",
        kind: "bar",
        value: (phase) => phase.to_s - phase.from_s,
        show: (phase) => splitBar(phase, whole),
        priority: 2,
        hint: "in seconds of the run, mean over ranks; sorts by length",
      },
      numberColumn("% MPI", "mpi_percent", percentText, { priority: 2 }),
      numberColumn("Waiting", "wait_s", secondsText, { priority: 2, hint: "mean over ranks" }),
      {
        title: "Slowest rank",
        kind: "number",
        value: (phase) => phase.slowest_rank,
        show: slowestCell,
        priority: 2,
        hint: "its compute time / the median rank's",
      },
      textColumn("What happens", "headline", { priority: 2 }),
    ],
  };
}

/** Marks the row of the phase that is brushed. @param {Element} table @param {TimeData} time */
export function markPhases(table, time, /** @type {ChosenWindow} */ chosen) {
  for (const button of table.querySelectorAll("button.phase")) {
    const phase = time.phases[Number(button.getAttribute("data-phase"))];
    if (phase)
      button.setAttribute("aria-pressed", String(chosen.isWindow(time.windowOf(phase))));
    const holder = chosen.window && time.phaseOf(chosen.window);
    button.classList.toggle("holds", phase !== undefined && holder === phase);
  }
}

/** Bins with any of a state. @param {TimeData} time */
export function usedStates(time) {
  const run = time.meanOver(null, 0, time.count);
  return timeStates.filter((state) => run[state] > 0);
}

/** @param {TimeData} time @returns {TableSpec<number>} */
export function binsTable(time) {
  /** @param {string} name @param {number} bin */
  const figure = (name, bin) => {
    const column = time.raw.bins.columns[name];
    return Number((Array.isArray(column) ? column[bin] : column) ?? 0);
  };
  const hasSteps = time.steps !== null;
  return {
    caption: "Bins of time, mean over ranks",
    rows: Array.from({ length: time.count }, (_, bin) => bin),
    shown: 12,
    columns: [
      {
        title: `From, ${timeUnit(time.end_s).name}`,
        kind: "number",
        value: (bin) => time.timeOf(bin) * timeUnit(time.end_s).factor,
        show: (bin) => momentText(time, time.timeOf(bin)),
      },
      textColumn("Phase", (bin) => time.phaseAt(time.timeOf(bin + 0.5))?.name),
      ...usedStates(time).map((state) =>
        numberColumn(
          stateNames[state],
          (/** @type {number} */ bin) => 100 * time.meanShares(bin)[state],
          percentText,
          { priority: state === "compute" || state === "wait" ? undefined : 2 },
        ),
      ),
      numberColumn("Calls", (bin) => figure("calls", bin), countText, { priority: 3 }),
      numberColumn("Sent", (bin) => figure("bytes", bin), bytesText, { priority: 3 }),
      ...Object.entries({ gpu_busy_s: "GPUs busy", nccl_s: "NCCL" })
        .filter(([name]) => time.raw.bins.columns[name])
        .map(([name, title]) =>
          numberColumn(title, (/** @type {number} */ bin) => figure(name, bin), secondsText),
        ),
      ...(hasSteps
        ? [
            numberColumn(
              "Step",
              (/** @type {number} */ bin) => time.stepSeconds[bin],
              secondsText,
              { priority: 3 },
            ),
          ]
        : []),
    ],
  };
}
