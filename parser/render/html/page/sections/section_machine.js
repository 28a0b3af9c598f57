// What does the run take, and what could the machine do it in? Only with mprof report --machine.
import { element } from "../dom.js";
import {
  bytesText,
  countText,
  percentText,
  rankSecondsText,
  ratioText,
  secondsText,
} from "../format.js";
import { section, tableWithTools } from "../panel.js";
import { numberColumn, textColumn } from "../tables/table_columns.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("../report_data.js").MachineTimeRow} MachineTimeRow */
/** @typedef {import("../report_data.js").TouchRow} TouchRow */

/** @param {ReportData} data @returns {import("../tables/table.js").TableSpec<MachineTimeRow>} */
function machineTimesTable(data) {
  return {
    caption: "Here and on the machine",
    rows: data.lists.machine_times,
    shown: 10,
    columns: [
      textColumn("What", "what"),
      textColumn("Between", "distance", { priority: 2 }),
      numberColumn("Size", "bytes", bytesText),
      numberColumn("Calls", "calls", countText, { priority: 3 }),
      numberColumn("Here", "here_s", secondsText, { priority: 2 }),
      numberColumn("Without waiting", (row) => row.moving_s ?? row.here_s, secondsText),
      numberColumn("Machine", "machine_s", secondsText),
      numberColumn("Ratio", "factor", ratioText),
      numberColumn("Beyond it", "excess_s", rankSecondsText, {
        hint: "summed over calls and ranks",
        priority: 2,
      }),
      textColumn("State", "state", { priority: 3 }),
    ],
  };
}

/** @param {ReportData} data @returns {import("../tables/table.js").TableSpec<TouchRow>} */
function touchTable(data) {
  return {
    caption: "When to touch the data",
    rows: data.lists.touch_rules,
    shown: 8,
    columns: [
      textColumn("Call", "function"),
      textColumn("Place", "place"),
      numberColumn("Size", "bytes", bytesText),
      numberColumn("MPI time", "mpi_percent", percentText, { priority: 2 }),
      textColumn("Rule", "rule", { priority: 2 }),
      textColumn("Evidence", "evidence", { priority: 3 }),
      textColumn("What to do", "sentence", { priority: 2 }),
    ],
  };
}

/** Nothing without --machine. @param {ReportData} data @returns {Node} */
export function machineSection(data) {
  const { machine } = data.raw;
  if (!machine.file) return document.createDocumentFragment();
  const { machine_times: times, eager_limits: limits, touch_rules: rules } = data.lists;
  const sentences = [...machine.sentences, ...limits.map(({ sentence }) => sentence ?? "")];
  return section(
    {
      id: "machine",
      title: "Machine",
      question: "What could the machine do it in?",
      hint:
        `The machine's figures: ${machine.mpi_library ?? machine.file}, ${machine.ranks} ranks ` +
        `on ${machine.nodes} nodes. Waiting for other ranks is taken out of the run's times by ` +
        "its share, which is an estimate.",
    },
    element("ul", {}, ...sentences.map((text) => element("li", {}, text))),
    ...machine.remarks.map((text) => element("p.hint", {}, text)),
    times.length > 0 && tableWithTools("machine-times", machineTimesTable(data)),
    rules.length > 0 &&
      element(
        "div.below",
        {},
        element("h3", {}, "When should data be touched, relative to a message?"),
        tableWithTools("touch-rules", touchTable(data)),
      ),
  ).node;
}
