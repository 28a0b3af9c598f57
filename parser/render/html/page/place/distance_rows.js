// How far do the bytes travel? Bytes by distance before and after, what a GiB costs there, and the
// seconds of the slowest rank.
import { element, svg } from "../dom.js";
import { bytesText, secondsText, unknown } from "../format.js";
import { section, tableWithTools } from "../panel.js";
import { numberColumn, textColumn } from "../tables/table_columns.js";
import { largestOf } from "../tables/columns.js";

/** @typedef {import("./place_data.js").PlaceData} PlaceData */
/** @typedef {import("./place_data.js").DistanceRow} DistanceRow */

/** @param {DistanceRow} row @param {number} most @param {boolean} isGood */
function bytesBars(row, most, isGood) {
  const bars = isGood ? [row.before_bytes] : [row.before_bytes, row.after_bytes];
  return svg(
    "svg",
    { class: "distance-bars", "aria-hidden": "true" },
    ...bars.map((bytes, i) =>
      svg("rect", {
        class: i === 0 ? "before" : row.distance === "other node" ? "after far" : "after",
        y: 9 * i + 1,
        height: 8,
        width: `${most > 0 ? (100 * bytes) / most : 0}%`,
      }),
    ),
  );
}

/** @param {PlaceData} data */
export function distancesSection(data) {
  const most = largestOf(data.distances, (row) => Math.max(row.before_bytes, row.after_bytes));
  const { isGood } = data;
  /** @param {DistanceRow} row */
  const seconds = (row) =>
    isGood || typeof row.before_s !== "number"
      ? secondsText(row.before_s)
      : `${secondsText(row.before_s)} → ${secondsText(row.after_s)}`;
  return section(
    {
      id: "distances",
      title: "Distances",
      question: "How far do the bytes travel?",
      half: true,
    },
    tableWithTools("distances", {
      caption: "Bytes by distance",
      rows: data.distances,
      columns: [
        textColumn("Distance", /** @param {DistanceRow} row */ (row) => row.distance),
        {
          title: isGood ? "Bytes" : "Before, after",
          kind: "bar",
          priority: 2,
          value: () => null,
          show: (row) => bytesBars(row, most, isGood),
        },
        numberColumn(isGood ? "Sum" : "Before", (row) => row.before_bytes, bytesText),
        ...(isGood ? [] : [numberColumn("After", (row) => row.after_bytes, bytesText)]),
        numberColumn(
          "per GiB",
          (row) => row.gib_s,
          (value) => (typeof value === "number" ? secondsText(value) : unknown),
          { priority: 2 },
        ),
        numberColumn("Seconds", (row) => row.before_s, secondsText, { show: seconds }),
      ],
    }),
    element(
      "p.hint.below",
      {},
      "Seconds of the slowest rank's point-to-point messages. What a byte costs at each distance " +
        "was told by this run.",
    ),
    element("ul.remarks.below", {}, ...data.remarks.map((words) => element("li", {}, words))),
  ).node;
}
