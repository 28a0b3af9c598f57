// Moments and bins in words: for axes, tooltips, and the panel of a window.
import { mpiOf } from "./time_data.js";
import { medianSplit, stateNames, timeStates } from "./time_states.js";
import { bytesText, countText, percentText, secondsText, shareText } from "../format.js";
import { colour } from "../theme.js";

/** @typedef {import("./time_data.js").TimeData} TimeData */
/** @typedef {import("./time_data.js").Split} Split */
/** @typedef {import("./time_data.js").PhaseRow} PhaseRow */
/** @typedef {import("./time_data.js").TimeWindow} TimeWindow */
/** @typedef {import("../charts/tooltip.js").Tip} Tip */
/** @typedef {import("../charts/rank_axis.js").RankAxis} RankAxis */

/** Below this share a state is not worth a line. */
const leastShown = 0.005;

/** Seconds, milliseconds or microseconds, by the length of the run. @param {number} end_s */
export function timeUnit(end_s) {
  if (end_s >= 1) return { factor: 1, name: "s" };
  return end_s >= 1e-3 ? { factor: 1e3, name: "ms" } : { factor: 1e6, name: "µs" };
}

/**
 * A moment, with the digits that its bins are good for.
 * @param {TimeData} time @param {number} seconds
 */
export function momentText(time, seconds) {
  const { factor } = timeUnit(time.end_s);
  const digits = Math.max(0, Math.min(3, Math.ceil(-Math.log10(time.bin_s * factor))));
  return (seconds * factor).toFixed(digits);
}

/** "37.2 to 42.0 s" @param {TimeData} time @param {TimeWindow} window */
export function windowText(time, { from, to }) {
  const end = Math.min(time.timeOf(to), time.end_s);
  return (
    `${momentText(time, time.timeOf(from))} to ${momentText(time, end)} ` +
    timeUnit(time.end_s).name
  );
}

/** "MPI_Allreduce at cg.c:211" @param {{place: string | null, function: string | null}} call */
export function callText(call) {
  if (!call.place) return call.function ?? "";
  return `${call.function ?? ""} at ${call.place}`.trim();
}

/**
 * States that take some of a time, most first.
 * @param {Split} shares 0 to 1 @param {Split | null} [median] of all rows
 */
function stateLines(shares, median = null) {
  return timeStates
    .filter((state) => Math.max(shares[state], median?.[state] ?? 0) >= leastShown)
    .sort((a, b) => shares[b] - shares[a])
    .map((state) => ({
      name: stateNames[state],
      value: shareText(shares[state]) + (median ? `, median ${shareText(median[state])}` : ""),
      colour: colour(`--${state}`),
    }));
}

/** "Rank 14 on node03", "Ranks 512–1023, shown: rank 600" @param {RankAxis} axis */
export function rowTitle(axis, /** @type {TimeData} */ time, /** @type {number} */ row) {
  const facts = time.rows[row];
  if (!facts) return "";
  const rank = time.rankOf(row);
  const host =
    time.hosts[row] ?? axis.data.host(axis.rows.get(rank)?.host ?? axis.host(axis.barOf(rank)));
  const on = host ? ` on ${host}` : "";
  if (facts.ranks === 1) return `Rank ${rank}${on}`;
  const all = `Ranks ${facts.first}–${facts.first + facts.ranks - 1}`;
  return facts.outlier === null
    ? `${all}${time.hosts.length > 0 ? on : ""}, mean`
    : `Rank ${rank}${on}, which stands out in ${all.toLowerCase()}`;
}

/**
 * @param {TimeData} time @param {RankAxis} axis @param {number} row @param {number} bin
 * @param {number} bins that are drawn as one @param {TimeData | null} peers to compare it with
 * @returns {Tip}
 */
export function cellTip(time, axis, row, bin, bins, peers) {
  const unit = timeUnit(time.end_s).name;
  const end = Math.min(bin + bins, time.count);
  const shares = time.meanOver(row, bin, end);
  const call = time.callOf(row, bin);
  const phase = time.phaseAt(time.timeOf(bin + bins / 2));
  return {
    title: `${rowTitle(axis, time, row)}, ${momentText(time, time.timeOf(bin))} ${unit}`,
    lines: stateLines(shares, peers && medianSplit(peers, bin, end)),
    note: [phase?.name, call && mpiOf(shares) >= leastShown && `most in ${callText(call)}`]
      .filter(Boolean)
      .join("; "),
  };
}

/** Beside the states of a rank. @param {number} seconds @param {number} wait */
function ncclLine(seconds, wait) {
  const value = `${secondsText(seconds)}, ${secondsText(wait)} waiting`;
  return { name: "in NCCL per rank", value };
}

/** @param {TimeData} time @param {number} bin @param {number} bins @returns {Tip} */
export function meanTip(time, bin, bins) {
  const { columns } = time.raw.bins;
  /** @param {string} name */
  const sum = (name) => {
    const column = columns[name];
    if (!Array.isArray(column)) return 0;
    const some = column.slice(bin, bin + bins);
    return some.reduce((/** @type {number} */ all, value) => all + Number(value ?? 0), 0);
  };
  const sums = { calls: sum("calls"), sent: sum("bytes"), written: sum("written_bytes") };
  const nccl = sum("nccl_s");
  const busy = sum("gpu_busy_s") / (bins * time.raw.bin_s);
  return {
    title: `All ranks, ${momentText(time, time.timeOf(bin))} ${timeUnit(time.end_s).name}`,
    lines: [
      ...stateLines(time.meanOver(null, bin, Math.min(bin + bins, time.count))),
      { name: "MPI calls per rank", value: countText(sums.calls) },
      ...(sums.sent > 0 ? [{ name: "sent per rank", value: bytesText(sums.sent) }] : []),
      ...(sums.written > 0 ? [{ name: "written per rank", value: bytesText(sums.written) }] : []),
      ...(busy > 0 ? [{ name: "GPUs busy", value: percentText(100 * busy) }] : []),
      ...(nccl > 0 ? [ncclLine(nccl, sum("nccl_wait_s"))] : []),
    ],
    note: time.phaseAt(time.timeOf(bin + bins / 2))?.name ?? "",
  };
}

/** @param {TimeData} time @param {PhaseRow} phase @returns {Tip} */
export function phaseTip(time, phase) {
  const { name } = timeUnit(time.end_s);
  return {
    title: phase.name,
    lines: [
      {
        name: "from – to",
        value: `${momentText(time, phase.from_s)} – ${momentText(time, phase.to_s)} ${name}`,
      },
      { name: "of the run", value: percentText(100 * phase.share) },
      { name: "in MPI", value: percentText(phase.mpi_percent) },
      { name: "waiting per rank", value: secondsText(phase.wait_s) },
      ...(phase.nccl_s ? [ncclLine(phase.nccl_s, phase.nccl_wait_s ?? 0)] : []),
    ],
    note: phase.headline ?? "",
  };
}

/** @param {TimeData} time @param {number} bin @returns {Tip} */
export function stepTip(time, bin) {
  const seconds = time.stepSeconds[bin] ?? NaN;
  return {
    title: `One step, ${momentText(time, time.timeOf(bin))} ${timeUnit(time.end_s).name}`,
    lines: [{ name: "takes", value: secondsText(seconds) }],
    note: time.steps?.place ? `an estimate, counted at ${time.steps.place}` : "",
  };
}
