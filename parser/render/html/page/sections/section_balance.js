// How evenly is the time spread over the ranks? By call, by state, as a heat map, as a table; in
// rank order or sorted.
import { mean, plainAxis } from "../charts/rank_axis.js";
import { RankBars } from "../charts/rank_bars.js";
import { RankHeat } from "../charts/rank_heat.js";
import {
  barTip,
  callLayers,
  computeLayer,
  computeLayers,
  figureLayer,
  mpiLayers,
  stackTip,
  waitedFor,
} from "../charts/rank_tips.js";
import { heatReach, niceStep } from "../charts/scales.js";
import { element } from "../dom.js";
import { percentText, secondsText } from "../format.js";
import { choices, dataTools, keyList, section } from "../panel.js";
import { medianOf, numbersOf, ratio } from "../tables/columns.js";
import { barsTable, timesTable } from "../tables/rank_table.js";
import { createTable } from "../tables/table.js";
import { colour } from "../theme.js";

/** @typedef {import("../charts/rank_axis.js").RankAxis} RankAxis */
/** @typedef {import("../charts/rank_bars.js").Layer} Layer */
/** @typedef {"calls" | "states" | "mpi" | "heat" | "table"} View */
/** @typedef {"rank" | "compute_s" | "mpi_thread_s"} Order */

const height = 318;

/** Bars from most to least. @param {RankAxis} axis @param {Order} order */
function sorted(axis, order) {
  if (order === "rank") return null;
  const values = axis.values(order);
  return Array.from(values.keys())
    .filter((bar) => !Number.isNaN(values[bar] ?? NaN))
    .sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0));
}

/** @param {RankAxis} axis @param {View} view @returns {Layer[]} */
function layersOf(axis, view) {
  if (view === "mpi") return mpiLayers(axis);
  return view === "calls"
    ? [computeLayer(axis), ...callLayers(axis)]
    : [...computeLayers(axis), ...mpiLayers(axis)];
}

/**
 * @param {RankAxis} axis @param {View} view @param {Order} order
 * @returns {import("../charts/rank_bars.js").BarContent}
 */
function balanceContent(axis, view, order) {
  const [name, title] = view === "mpi" ? ["mpi_thread_s", "MPI"] : ["compute_s", "compute"];
  const average = mean(axis.values(name));
  return {
    layers: layersOf(axis, view),
    order: sorted(axis, order),
    orderTitle: `ranks, most ${order === "mpi_thread_s" ? "MPI" : "compute"} time first`,
    line: { value: average, label: `average ${title} ${secondsText(average)}` },
    envelope: axis.envelope(name),
  };
}

/** @param {RankAxis} axis */
function heatMap(axis) {
  const waiting = axis.has("wait_thread_s")
    ? [figureLayer(axis, "wait_thread_s", "Waiting", "--wait")]
    : [];
  return new RankHeat(
    axis,
    "Time of each rank in each call",
    [computeLayer(axis), ...waiting, ...callLayers(axis)],
    (bar, row) => {
      const value = row.values[bar] ?? NaN;
      const median = medianOf(row.values);
      return barTip(axis, bar, [
        { name: row.name, value: secondsText(value) },
        { name: "median", value: secondsText(median) },
        { name: "of the median", value: percentText(ratio(100 * value, median)) },
      ]);
    },
  ).node;
}

/** What its colours mean. */
function heatKeys() {
  const percent = (/** @type {number} */ part) => percentText(100 * part);
  const shades = element("span.shades.heat-shades", { "aria-hidden": "true" });
  return element(
    "p.scale.heat-scale",
    {},
    `${percent(1 - heatReach.full)} of the median of the row, or less`,
    shades,
    `${percent(1 + heatReach.full)}, or more; `,
    `without colour: within ${percent(heatReach.least)} of the median`,
  );
}

/**
 * All ranks sorted, when there are too many for a bar each.
 * @param {RankAxis} axis @param {"compute_s" | "mpi_thread_s"} name
 */
function sortedCurve(axis, name) {
  const values = axis.data.raw.quantiles
    ? numbersOf(axis.data.raw.quantiles, name).reverse()
    : new Float64Array(1);
  const title = name === "mpi_thread_s" ? "MPI time" : "Compute time";
  const shares = plainAxis(
    "share of the ranks, most first",
    values.length,
    (bar) => `${Math.round((100 * bar) / (values.length - 1))}%`,
    niceStep,
  );
  return new RankBars(
    {
      axis: shares,
      label: `${title} of all ranks, sorted`,
      height,
      yTitle: "seconds",
      format: secondsText,
      tipOf: (bar) => ({
        title,
        lines: [
          {
            name: `${shares.tick(bar)} of the ranks take longer than`,
            value: secondsText(values[bar] ?? NaN),
          },
        ],
      }),
    },
    {
      layers: [
        {
          name: title,
          colour: () => colour(name === "mpi_thread_s" ? "--mpi" : "--compute"),
          values,
        },
      ],
    },
  ).node;
}

/** @param {RankAxis} axis */
export function balanceSection(axis) {
  /** @type {View} */
  let view = "calls";
  /** @type {Order} */
  let order = "rank";
  const bars = new RankBars(
    {
      axis,
      label: "Time of each rank, stacked",
      height,
      yTitle: "seconds",
      format: secondsText,
      tipOf: (bar) => stackTip(axis, bar, layersOf(axis, view)),
      ...waitedFor(axis),
    },
    balanceContent(axis, view, order),
  );
  const isWhole = !axis.values("compute_s").some(Number.isNaN);
  const place = element("div");
  const keys = element("div");

  const show = () => {
    keys.replaceChildren();
    if (view === "heat") {
      place.replaceChildren(heatMap(axis));
      keys.append(heatKeys());
    } else if (view === "table") {
      place.replaceChildren(createTable(timesTable(axis)));
    } else if (axis.bins && order !== "rank") {
      place.replaceChildren(sortedCurve(axis, order));
    } else {
      bars.show(balanceContent(axis, view, order));
      place.replaceChildren(bars.node);
      keys.append(
        keyList(
          [
            ...layersOf(axis, view).map((layer) => ({ name: layer.name, colour: layer.colour() })),
            ...(isWhole || order !== "rank" ? [] : [{ name: "not read", colour: "var(--strip)" }]),
          ],
          ...["average", ...(axis.bins ? ["largest of each group"] : [])],
        ),
      );
    }
  };
  show();

  const { node, controls } = section(
    {
      id: "balance",
      title: "Balance",
      question: "How evenly is the time spread over the ranks?",
      hint:
        `One bar per ${axis.bins ? "group of neighbouring ranks" : "rank"}; ` +
        "the strip below changes shade with the node. " +
        "Drag to zoom, click to pin a rank in every chart.",
    },
    place,
    keys,
    axis.bins
      ? dataTools("groups of ranks", () =>
          barsTable(axis, "Time of each group of ranks", layersOf(axis, "calls"), secondsText),
        )
      : dataTools("ranks", () => timesTable(axis)),
  );
  controls.append(
    choices(
      "What the chart shows",
      { calls: "By call", states: "By state", mpi: "MPI only", heat: "Heat map", table: "Table" },
      view,
      (choice) => {
        view = choice;
        show();
      },
    ),
    choices(
      "Order of the ranks",
      { rank: "Rank order", compute_s: "Compute", mpi_thread_s: "MPI time" },
      order,
      (choice) => {
        order = choice;
        show();
      },
    ),
  );
  return node;
}
