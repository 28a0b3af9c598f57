// Is a node at fault? A tile per node, coloured where it differs from the median on the slow side.
// Then what the machine can do.
import { CanvasChart, write } from "../charts/canvas_chart.js";
import { element } from "../dom.js";
import {
  bytesText,
  countText,
  differenceText,
  percentText,
  plural,
  rankSecondsText,
  ratioText,
  secondsText,
  textOf,
} from "../format.js";
import { absentSection, choices, section, tableWithTools } from "../panel.js";
import { pinnedRank } from "../selection.js";
import { ratio } from "../tables/columns.js";
import { numberColumn, rankColumn, textColumn } from "../tables/table_columns.js";
import { colourScale, scaleColour } from "../theme.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("../charts/canvas_chart.js").Cell} Cell */
/** @typedef {import("../report_data.js").NodeRow} NodeRow */
/** @typedef {import("../tables/table_columns.js").NumberText} NumberText */
/** @typedef {import("../report_data.js").MachineTimeRow} MachineTimeRow */
/** @typedef {import("../report_data.js").TouchRow} TouchRow */

/** @typedef {{key: string, title: string, text: NumberText}} NodeFigure */

/** Up to so many nodes tiles have names. */
const fewNodes = 48;

/** @param {ReportData} data @returns {NodeFigure[]} */
function nodeFigures(data) {
  /** @type {[string, string, NumberText][]} */
  const fixed = [
    ["compute_s", "Compute", secondsText],
    ["mpi_s", "MPI", secondsText],
    ["wait_s", "Waiting", secondsText],
    ["memory_bytes", "Memory", bytesText],
    ["outside_bytes", "Sent away", bytesText],
  ];
  return [
    ...fixed.map(([key, title, text]) => ({ key, title, text })),
    ...data.lists.metrics.map((row, i) => ({
      key: `m${i}`,
      title: row.metric,
      text: textOf(row.unit),
    })),
  ].filter((figure) => data.raw.nodes.columns[figure.key] !== undefined);
}

/**
 * What the Report says of a figure: its median, how many nodes stand out, which are slower.
 * @param {ReportData} data @param {string} key
 */
function judgedFigure(data, key) {
  return data.raw.nodes.figures[key] ?? [null, 0, {}];
}

class NodeTiles extends CanvasChart {
  /** @param {ReportData} data @param {NodeFigure[]} figures */
  constructor(data, figures) {
    super("A tile per node", 1, 1, { left: 1, right: 1, top: 1, bottom: 1 }, false);
    this.data = data;
    this.nodes = data.lists.nodes;
    this.figures = figures;
    this.figure = /** @type {NodeFigure} */ (figures[0]);
    this.legend = element("p.hint", {});
  }

  /** @param {NodeFigure} figure */
  show(figure) {
    this.figure = figure;
    this.draw();
  }

  /** @param {number} width */
  heightFor(width) {
    const few = this.nodes.length <= fewNodes;
    this.across = Math.max(1, Math.min(this.nodes.length, Math.floor(width / (few ? 104 : 18))));
    this.down = Math.ceil(this.nodes.length / this.across);
    this.view = { x: 0, y: 0, across: this.across, down: this.down };
    return this.down * (few ? 44 : 18) + 2;
  }

  /** Without zooming. */
  zoom() {}

  /** @param {Cell} cell */
  nodeAt(cell) {
    return /** @type {NodeRow} */ (this.nodes[cell.y * this.across + cell.x] ?? this.nodes.at(-1));
  }

  /** @param {Cell} cell */
  rankOf(cell) {
    const node = this.nodeAt(cell);
    return node.slowest_rank ?? node.first_rank;
  }

  /** @param {Cell} cell */
  tipOf(cell) {
    const node = this.nodeAt(cell);
    return {
      title: node.host || "unknown",
      lines: [
        { name: "ranks", value: `${node.ranks} from ${node.first_rank}` },
        ...this.figures.map(({ key, title, text }) => ({ name: title, value: text(node[key]) })),
      ],
      note: this.data.raw.nodes.facts[node.facts] ?? "",
    };
  }

  /** @param {import("../charts/canvas_chart.js").Context} context */
  paint(context) {
    const { nodes, figure } = this;
    const [median, standOut, slower] = judgedFigure(this.data, figure.key);
    const scale = colourScale(["--soft", "--wait"]);
    const few = nodes.length <= fewNodes;
    const [width, height] = [this.plotWidth / this.across - 3, this.plotHeight / this.down - 3];
    nodes.forEach((node, i) => {
      const percent = slower[i];
      const share = percent ? Math.min(0.25 + percent * 0.018, 1) : 0;
      const [x, y] = [this.xOf(i % this.across), this.yOf(Math.floor(i / this.across))];
      context.fillStyle = scaleColour(scale, share);
      context.beginPath();
      context.roundRect(x, y, width, height, few ? 6 : 2);
      context.fill();
      if (!few) return;
      const name = share > 0.55 ? "--on-wait" : "--text";
      write(context, node.host ?? "", x + 8, y + 14, "left", "middle", name, width - 14);
      write(
        context,
        figure.text(node[figure.key]),
        x + 8,
        y + 29,
        "left",
        "middle",
        name,
        width - 14,
      );
    });
    const differing =
      standOut === 0
        ? "No node stands out."
        : `${plural(standOut, "node")} by more than ${this.data.raw.nodes.far_percent}%.`;
    this.legend.textContent =
      `Orange: differs from the median (${figure.text(median)}) ` +
      `on the side that slows the run down. ${differing}`;
  }

  /** @param {import("../charts/canvas_chart.js").Context} context */
  paintOver(context) {
    const row = this.data.lists.ranks.find(({ rank }) => rank === pinnedRank());
    const host = row && this.data.host(row.host);
    const node = this.nodes.findIndex((each) => each.host === host);
    if (node >= 0)
      this.outline(
        context,
        { x: node % this.across, y: Math.floor(node / this.across), across: 1, down: 1 },
        "--link",
      );
  }
}

/**
 * @param {ReportData} data @param {NodeFigure[]} figures
 * @returns {import("../tables/table.js").TableSpec<NodeRow>}
 */
function nodesTable(data, figures) {
  const { nodes: rows } = data.lists;
  const [median] = judgedFigure(data, "compute_s");
  return {
    caption: "Nodes",
    rows,
    shown: 6,
    sortBy: "Compute",
    filterText: (row) => row.host ?? "",
    columns: [
      textColumn("Node", (row) => row.host),
      numberColumn("Ranks", (row) => row.ranks, String, { priority: 2 }),
      numberColumn("vs median", (row) => ratio(row.compute_s, median), differenceText, {
        hint: "of compute time",
      }),
      ...figures.map((figure, i) =>
        numberColumn(figure.title, (/** @type {NodeRow} */ row) => row[figure.key], figure.text, {
          priority: i > 2 ? 3 : i > 1 ? 2 : 0,
        }),
      ),
      rankColumn("Slowest", (row) => row.slowest_rank, { priority: 2 }),
    ],
  };
}

/** @param {ReportData} data */
export function nodesSection(data) {
  const question = "Is a node at fault?";
  const { nodes } = data.lists;
  const figures = nodeFigures(data);
  if (nodes.length === 0 || figures.length === 0)
    return absentSection("nodes", question, "The nodes of the ranks are not known.");
  if (nodes.length === 1)
    return absentSection(
      "nodes",
      question,
      `All ranks ran on one node, ${nodes[0]?.host || "of unknown name"}.`,
    );
  const tiles = new NodeTiles(data, figures);
  const { all } = data.raw.nodes;
  const shown =
    all > nodes.length
      ? `Of ${all} nodes the ${nodes.length} that compute longest and shortest. `
      : "";
  const { node, controls } = section(
    {
      id: "nodes",
      title: "Nodes",
      question,
      hint: `${shown}A click pins the slowest rank of a node.`,
    },
    tiles.node,
    tiles.legend,
    tableWithTools("nodes", nodesTable(data, figures)),
  );
  controls.append(
    choices(
      "Figure",
      Object.fromEntries(figures.map((figure) => [figure.key, figure.title])),
      tiles.figure.key,
      (key) => {
        const figure = figures.find((each) => each.key === key);
        if (figure) tiles.show(figure);
      },
    ),
  );
  return node;
}

// What does the run take, and what could the machine do it in? Only with mprof report --machine.

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
      question: "How fast could the machine do it?",
      hint:
        `The machine's figures: ${machine.mpi_library ?? machine.file}, ${machine.ranks} ranks ` +
        `on ${machine.nodes} nodes. Waiting for other ranks is removed from the run's times by ` +
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
