// Ranks that the others wait for, in bars over ranks: a mark above each, and a bar of its own that
// is wide enough to be seen at any number of ranks.
import { write } from "./drawing.js";
import { colour } from "../theme.js";

/** @typedef {import("./rank_bars.js").RankBars} RankBars */
/** @typedef {import("./canvas_chart.js").Context} Context */

/** In pixels; narrower bars would not be seen. */
const markedWidth = 5;

/**
 * Where the marked ranks stand that are shown, the most important one first.
 * @param {RankBars} bars
 */
export function markedPlaces(bars) {
  const { view } = bars;
  return (bars.spec.marked ?? [])
    .map((rank) => ({ rank, at: bars.positionOf(rank) }))
    .filter(({ at }) => at >= view.x && at < view.x + view.across);
}

/** Where bars are too narrow, or means of ranks. @param {RankBars} bars @param {Context} context */
export function paintMarkedBars(bars, context) {
  if (bars.plotWidth / bars.view.across >= markedWidth && !bars.spec.axis.isGrouped) return;
  /** @type {number[]} */
  const done = [];
  for (const { rank, at } of markedPlaces(bars)) {
    const x = Math.round(Math.max(bars.xOf(at + 0.5) - markedWidth / 2, bars.margins.left + 1));
    if (done.some((other) => Math.abs(other - x) <= markedWidth)) continue;
    done.push(x);
    context.fillStyle = colour("--card");
    context.fillRect(x - 1, bars.margins.top, markedWidth + 2, bars.plotHeight);
    bars.paintLayers(
      context,
      x,
      markedWidth,
      ({ ofRank, values }) => ofRank?.(rank) ?? values[bars.barAt(at)] ?? NaN,
    );
  }
}

/** Above the bars, with words beside them. @param {RankBars} bars @param {Context} context */
export function paintMarks(bars, context) {
  const { markLabel = "" } = bars.spec;
  const places = markedPlaces(bars).map(({ at }) => bars.xOf(at + 0.5));
  if (places.length === 0) return;
  const { top } = bars.margins;
  context.fillStyle = colour("--problem");
  for (const x of places) {
    context.beginPath();
    context.moveTo(x - 4, top - 9);
    context.lineTo(x + 4, top - 9);
    context.lineTo(x, top - 3);
    context.fill();
  }
  const width = context.measureText(markLabel).width;
  const behind = Math.max(...places) + 8;
  const x = behind + width < bars.width ? behind : Math.max(Math.min(...places) - width - 8, 0);
  write(context, markLabel, x, top - 7, "left", "middle", "--problem");
}
