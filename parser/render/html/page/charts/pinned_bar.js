// The bar of the pinned rank: how it differs from the average rank.
import { ratio } from "../tables/columns.js";
import { dot, element } from "../dom.js";
import { bytesText, differenceText, secondsText } from "../format.js";
import { mean } from "./rank_axis.js";
import { barTitle, callLayers } from "./rank_tips.js";
import { onPin, pinRank } from "../selection.js";

/** @typedef {import("./rank_axis.js").RankAxis} RankAxis */

/** @type {[string, string, import("../tables/table_columns.js").NumberText][]} */
const pinnedFigures = [
  ["compute_s", "compute", secondsText],
  ["mpi_thread_s", "MPI", secondsText],
  ["wait_s", "waiting", secondsText],
  ["memory_bytes", "memory", bytesText],
];

/** @param {number} value @param {number} average */
function difference(value, average) {
  const text = differenceText(ratio(value, average));
  return (
    average > 0 &&
    text !== "±0%" &&
    element("span", { class: value > average ? "more" : "less" }, ` ${text}`)
  );
}

/** @param {RankAxis} axis @param {number} rank */
function pinnedWords(axis, rank) {
  const row = axis.rows.get(rank);
  const bar = axis.barOf(rank);
  /** Of the rank itself if it has a row, else of its bin. @param {string} name */
  const valueOf = (name) => (row ? row[name] : axis.values(name)[bar]) ?? NaN;
  const host = row && axis.data.host(row.host);
  const line = element(
    "p",
    {},
    element("b", {}, row ? `Rank ${rank}${host ? ` on ${host}` : ""}` : barTitle(axis, bar)),
  );
  if (Number.isNaN(valueOf("compute_s"))) return [line, element("p", {}, "not read")];
  for (const [name, label, text] of pinnedFigures) {
    const value = valueOf(name);
    if (!Number.isNaN(value))
      line.append(
        element(
          "span",
          {},
          `${label} `,
          element("b", {}, text(value)),
          difference(value, mean(axis.values(name))) || "",
        ),
      );
  }
  const calls = callLayers(axis)
    .map((layer, i) => ({
      ...layer,
      value: valueOf(i < axis.data.shownFunctions ? `f${i}` : "f_other"),
    }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value)
    .slice(0, 3);
  return [
    line,
    element(
      "p",
      {},
      calls.length > 0 ? "top calls:" : "no MPI calls",
      ...calls.map(({ name, colour, value, values }) =>
        element(
          "span",
          {},
          dot(colour()),
          `${name} ${secondsText(value)}`,
          difference(value, mean(values)),
        ),
      ),
      element(
        "span",
        {},
        row
          ? "compared with the average rank"
          : "average of these ranks, compared with that of all",
      ),
    ),
  ];
}

/** @param {RankAxis} axis */
export function pinnedBar(axis) {
  const content = element("div", { role: "status" });
  const close = element("button", { "aria-label": "Unpin", onclick: () => pinRank(null) }, "×");
  const node = element(
    "aside",
    { id: "pinned", hidden: true, "aria-label": "Pinned rank" },
    content,
    close,
  );
  onPin((rank) => {
    node.hidden = rank === null;
    if (rank !== null) content.replaceChildren(...pinnedWords(axis, rank));
  });
  return node;
}
