// What charts show of a rank (or a bin of ranks): the layers of its bar, and what its tooltip says.
import { secondsText } from "../format.js";
import { colour, functionColour, otherColour } from "../theme.js";

/** @typedef {import("./rank_axis.js").RankAxis} RankAxis */
/** @typedef {import("./rank_bars.js").Layer} Layer */
/** @typedef {import("./tooltip.js").Tip} Tip */
/** @typedef {import("../tables/table_columns.js").NumberText} NumberText */

/** "Rank 14 on node03" @param {RankAxis} axis @param {number} bar */
export function barTitle(axis, bar) {
  const host = axis.hostName(bar);
  return host ? `${axis.label(bar)} on ${host}` : axis.label(bar);
}

/**
 * @param {RankAxis} axis @param {number} bar @param {import("./tooltip.js").TipLine[]} lines
 * @returns {Tip}
 */
export function barTip(axis, bar, lines) {
  if (Number.isNaN(axis.values("compute_s")[bar] ?? NaN))
    return { title: axis.label(bar), note: "not read" };
  return { title: barTitle(axis, bar), lines, note: axis.bins ? "average of these ranks" : "" };
}

/** The uppermost layer first. @param {RankAxis} axis @param {number} bar @param {Layer[]} layers */
export function stackTip(axis, bar, layers) {
  return barTip(
    axis,
    bar,
    layers
      .map((layer) => ({
        name: layer.name,
        value: secondsText(layer.values[bar] ?? 0),
        colour: layer.colour(),
      }))
      .reverse(),
  );
}

/**
 * One figure, with its bounds if the bar is a bin.
 * @param {RankAxis} axis @param {number} bar @param {string} name @param {string} title
 * @param {NumberText} format
 */
export function figureTip(axis, bar, name, title, format) {
  const kinds = {
    "": title,
    ...(axis.bins && axis.has(`${name}.min`) ? { ".min": "least", ".max": "most" } : {}),
  };
  return barTip(
    axis,
    bar,
    Object.entries(kinds).map(([suffix, label]) => ({
      name: label,
      value: format(axis.values(name + suffix)[bar] ?? NaN),
    })),
  );
}

/**
 * One figure, as layers of bars.
 * @param {RankAxis} axis @param {string} name @param {string} title
 * @param {string} variable of its colour
 * @returns {Layer}
 */
export function figureLayer(axis, name, title, variable) {
  return {
    name: title,
    colour: () => colour(variable),
    values: axis.values(name),
    ofRank: axis.known(name),
  };
}

/**
 * Computing, and what of it had no CPU, where that is known.
 * @param {RankAxis} axis
 * @returns {Layer[]}
 */
export function computeLayers(axis) {
  if (!axis.has("on_cpu_s")) return [computeLayer(axis)];
  return [
    figureLayer(axis, "on_cpu_s", "Computing", "--compute"),
    figureLayer(axis, "contention_s", "Waiting for a CPU", "--contend"),
    figureLayer(axis, "blocked_s", "Blocked", "--blocked"),
    ...(axis.has("gpu_s") ? [figureLayer(axis, "gpu_s", "In the driver of the GPU", "--gpu")] : []),
  ];
}

/** @param {RankAxis} axis */
export function computeLayer(axis) {
  return figureLayer(axis, "compute_s", "Compute", "--compute");
}

/**
 * The functions, in the colours that they have everywhere.
 * @param {RankAxis} axis
 * @returns {Layer[]}
 */
export function callLayers(axis) {
  const { lists, shownFunctions } = axis.data;
  const layers = lists.functions.slice(0, shownFunctions).map(({ function: name }, i) => ({
    name,
    colour: () => functionColour(name),
    values: axis.values(`f${i}`),
    ofRank: axis.known(`f${i}`),
  }));
  if (axis.has("f_other"))
    layers.push({
      name: "other MPI calls",
      colour: otherColour,
      values: axis.values("f_other"),
      ofRank: axis.known("f_other"),
    });
  return layers;
}

/**
 * MPI time, in waiting and transfer where that is known.
 * @param {RankAxis} axis
 * @returns {Layer[]}
 */
export function mpiLayers(axis) {
  if (!axis.has("wait_thread_s")) return [figureLayer(axis, "mpi_thread_s", "MPI", "--mpi")];
  const wait = axis.values("wait_thread_s");
  const [mpiOf, waitOf] = [axis.known("mpi_thread_s"), axis.known("wait_thread_s")];
  return [
    {
      ...figureLayer(axis, "mpi_thread_s", "Transfer and library", "--transfer"),
      values: axis.values("mpi_thread_s").map((mpi, bar) => Math.max(mpi - (wait[bar] || 0), 0)),
      ofRank: (rank) => Math.max(mpiOf(rank) - (waitOf(rank) || 0), 0),
    },
    figureLayer(axis, "wait_thread_s", "Waiting", "--wait"),
  ];
}

/**
 * Ranks that others wait for, to be marked in charts, and what is written beside the marks.
 * @param {RankAxis} axis
 */
export function waitedFor(axis) {
  const causes = axis.data.lists.causes.slice(0, 8);
  const hosts = new Set(causes.map((row) => row.host));
  return {
    marked: causes.map((row) => row.rank),
    markLabel:
      hosts.size === 1 && axis.data.run.nodes > 1 ? `waited for: ${causes[0]?.host}` : "waited for",
  };
}
