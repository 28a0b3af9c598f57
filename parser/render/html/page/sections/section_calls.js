// Which MPI calls take the time, and how large are their messages?
import { plainAxis } from "../charts/rank_axis.js";
import { RankBars } from "../charts/rank_bars.js";
import { element } from "../dom.js";
import {
  binText,
  binTick,
  bytesText,
  countText,
  percentText,
  ratioText,
  secondsText,
} from "../format.js";
import { absentSection, choices, dataTools, keyList, section, tableWithTools } from "../panel.js";
import { largestOf, ratio } from "../tables/columns.js";
import {
  barCell,
  barColumn,
  functionCell,
  mpiBarCell,
  numberColumn,
  rankColumn,
  textColumn,
} from "../tables/table_columns.js";
import { functionColour, isFileCall, ncclKind, otherColour } from "../theme.js";

/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("../report_data.js").FunctionRow} FunctionRow */
/** @typedef {import("../report_data.js").SizeRow} SizeRow */
/** @typedef {import("../report_data.js").TransferRow} TransferRow */

/** @param {ReportData} data @returns {import("../tables/table.js").TableSpec<FunctionRow>} */
export function callsTable(data) {
  const { functions: rows } = data.lists;
  /** @param {FunctionRow} row */
  const time = (row) => data.timePerRank(row);
  /** @param {FunctionRow} row */
  const wait = (row) => data.waitPerRank(row);
  const whole = largestOf(rows, time);
  return {
    caption: "MPI functions",
    rows,
    sortBy: "Time per rank",
    columns: [
      textColumn("Function", "function", { show: (row) => functionCell(row.function) }),
      numberColumn("Time per rank", time, secondsText),
      barColumn(
        data.hasWaiting ? "Waiting and transfer" : "Share",
        (row) => wait(row) ?? time(row),
        (row) => mpiBarCell(time(row), wait(row), whole, row.function),
        { priority: 2, hint: "sorts by waiting" },
      ),
      numberColumn("% MPI", "mpi_percent", percentText),
      numberColumn("% wall", "wall_percent", percentText, { priority: 2 }),
      ...(data.hasWaiting
        ? [
            numberColumn("Waiting", wait, secondsText, {
              priority: 3,
              hint: "per rank; an estimate",
            }),
          ]
        : []),
      numberColumn("Calls", "calls", countText, { priority: 2 }),
      numberColumn("Average", (row) => ratio(row.time_s, row.calls), secondsText, {
        priority: 2,
        hint: "time of one call",
      }),
      numberColumn("Longest", "max_s", secondsText, { priority: 3, hint: "single call" }),
      numberColumn("Bytes", (row) => row.bytes || null, bytesText, { priority: 2 }),
      numberColumn("Max ÷ avg", "max_over_mean", ratioText, {
        priority: 3,
        hint: "time of the rank that spent most in it / average rank",
      }),
      rankColumn("at rank", "max_rank", { priority: 3 }),
    ],
  };
}

/** @param {ReportData} data */
export function callsSection(data) {
  const question = "Which MPI calls take the time?";
  if (data.lists.functions.length === 0)
    return absentSection("calls", question, "The program made no MPI calls.");
  const hasFiles = data.lists.functions.some((row) => isFileCall(row.function));
  return section(
    {
      id: "calls",
      title: "Calls",
      question,
      long: true,
      hint: data.hasWaiting
        ? "Orange is time spent waiting for other ranks, blue is transfer and library work" +
          (hasFiles ? ", green is I/O. " : ". ") +
          "Click a column to sort."
        : "This profile does not separate waiting from transfer. Click a column to sort.",
    },
    tableWithTools("calls", callsTable(data)),
  ).node;
}

// Which message sizes cost the most? In powers of two, stacked by function; and what messages take
// beside what they could take.

/** @typedef {"time_s" | "calls" | "bytes"} Figure */

/** @type {Record<Figure, import("../tables/table_columns.js").NumberText>} */
const sizeTexts = { time_s: secondsText, calls: countText, bytes: bytesText };

/**
 * What each function adds to each bin, and the sum of all up to there.
 * @param {ReportData} data @param {Figure} figure @param {number} first bin @param {number} count
 */
function sizesContent(data, figure, first, count) {
  const { sizes, functions } = data.lists;
  /** @type {import("../charts/rank_bars.js").Layer[]} */
  const layers = [];
  /** @param {string} name @param {() => string} of */
  const add = (name, of) => {
    const layer = { name, colour: of, values: new Float64Array(count) };
    layers.push(layer);
    return layer;
  };
  /** @type {import("../charts/rank_bars.js").Layer | undefined} */
  let others;
  const layerOf = functions.map(({ function: name, kind }, i) =>
    i < data.shownFunctions || kind === ncclKind
      ? add(name, () => functionColour(name))
      : (others ??= add("other MPI calls", otherColour)),
  );
  const sums = new Float64Array(count);
  for (const row of sizes) {
    const value = figure === "time_s" ? (data.perRank(row.time_s) ?? 0) : row[figure];
    for (const values of [layerOf[row.function]?.values, sums]) {
      if (values) values[row.bin - first] = (values[row.bin - first] ?? 0) + value;
    }
  }
  let below = 0;
  const cumulated = sums.map((sum) => (below += sum));
  const most = Math.max(...sums);
  return {
    layers,
    sums,
    whole: below,
    limits: data.lists.eager_limits.map(({ distance, limit_bytes: bytes }) => ({
      at: Math.log2(bytes) + 1 - first,
      label: `eager to the ${distance}: up to ${bytesText(bytes)}`,
    })),
    envelope: cumulated.map((sum) => most * (ratio(sum, below) ?? 0)),
  };
}

/** @param {ReportData} data @returns {import("../tables/table.js").TableSpec<SizeRow>} */
export function sizesTable(data) {
  /** @param {SizeRow} row */
  const name = (row) => data.lists.functions[row.function]?.function ?? "";
  return {
    caption: "Message sizes",
    rows: data.lists.sizes,
    sortBy: "Time per rank",
    columns: [
      textColumn("Function", name, { show: (row) => functionCell(name(row)) }),
      numberColumn(
        "Size from",
        ({ bin }) => (bin < 0 ? null : Math.floor(2 ** (bin - 1))),
        bytesText,
        { show: (row) => binText(row.bin) },
      ),
      numberColumn("Time per rank", (row) => data.perRank(row.time_s), secondsText),
      numberColumn("Calls", "calls", countText, { priority: 2 }),
      numberColumn("Volume", "bytes", bytesText, { priority: 2 }),
    ],
  };
}

/**
 * What messages take, beside what they could take.
 * @param {ReportData} data
 * @returns {import("../tables/table.js").TableSpec<TransferRow>}
 */
export function transfersTable(data) {
  /** @param {TransferRow} row */
  const factor = (row) => ratio(row.observed_s, row.possible_s);
  /** @param {TransferRow} row */
  const parts = ({ observed_s, possible_s }) =>
    barCell(
      [
        { value: possible_s, kind: "transfer" },
        { value: observed_s - possible_s, kind: "wait" },
      ],
      observed_s,
    );
  return {
    caption: "What messages take and could take",
    rows: data.lists.transfers,
    shown: 8,
    sortBy: "Messages",
    columns: [
      textColumn("Between", "locality"),
      numberColumn("From", "low_bytes", bytesText),
      numberColumn("To", "high_bytes", bytesText, { priority: 2 }),
      numberColumn("Messages", "messages", countText, { priority: 2 }),
      numberColumn("Average", "observed_s", secondsText),
      numberColumn("Possible", "possible_s", secondsText),
      barColumn("Possible, and beyond", factor, parts, { priority: 2 }),
      numberColumn("Ratio", factor, ratioText),
      textColumn("Known from", "source", { priority: 3 }),
    ],
  };
}

/** @param {ReportData} data */
export function sizesSection(data) {
  const question = "Which message sizes cost the most?";
  const { sizes, transfers } = data.lists;
  if (sizes.length === 0) return absentSection("sizes", question, "The program made no MPI calls.");
  const numbers = sizes.map((row) => row.bin);
  const first = Math.min(...numbers);
  const axis = plainAxis(
    "bytes of one call: from here up to the next power of two",
    Math.max(...numbers) - first + 1,
    (bar) => binTick(first + bar),
  );
  /** @type {Figure} */
  let figure = "time_s";
  let shown = sizesContent(data, figure, first, axis.count);
  /** @param {import("../report_data.js").Maybe} value */
  const text = (value) => sizeTexts[figure](value);
  const bars = new RankBars(
    {
      axis,
      label: "Message sizes by powers of two, stacked by function",
      height: 270,
      format: text,
      yTitle: "all calls",
      tipOf: (bar) => ({
        title: `Size ${binText(first + bar)}: ${text(shown.sums[bar])}`,
        lines: shown.layers
          .filter((layer) => layer.values[bar])
          .map((layer) => ({
            name: layer.name,
            colour: layer.colour(),
            value: text(layer.values[bar]),
          })),
        note: `${percentText(ratio(100 * (shown.sums[bar] ?? 0), shown.whole))} of all`,
      }),
    },
    shown,
  );
  const { node, controls } = section(
    {
      id: "sizes",
      title: "Sizes",
      question,
      hint:
        "By the bytes of one call. " +
        "Calls that move no data by themselves (MPI_Barrier, MPI_Wait ...) are at 0.",
    },
    bars.node,
    keyList(
      shown.layers.map(({ name, colour }) => ({ name, colour: colour() })),
      "",
      "cumulative, up to 100%",
    ),
    dataTools("sizes", () => sizesTable(data)),
    transfers.length > 0 &&
      element(
        "div.below",
        {},
        element("h3", {}, "What does a message take, and what could it take?"),
        tableWithTools("transfers", transfersTable(data)),
      ),
  );
  controls.append(
    choices(
      "What the chart shows",
      { time_s: "Time", calls: "Calls", bytes: "Volume" },
      figure,
      (choice) => {
        figure = choice;
        shown = sizesContent(data, figure, first, axis.count);
        bars.show(shown);
      },
    ),
  );
  return node;
}
