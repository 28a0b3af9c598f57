// The bar of what is selected: how the pinned rank differs from the average rank, and which
// sections speak of the selected places.
import { ratio } from "../tables/columns.js";
import { dot, element } from "../dom.js";
import { bytesText, differenceText, secondsText } from "../format.js";
import { sections } from "../panel.js";
import { mean } from "./rank_axis.js";
import { barTitle, callLayers } from "./rank_tips.js";
import { onPin, selectNothing, selectedPlaces } from "../selection.js";

/** @typedef {import("./rank_axis.js").RankAxis} RankAxis */

/** @type {[string, string, import("../tables/table_columns.js").NumberText][]} */
const pinnedFigures = [
  ["compute_s", "compute", secondsText],
  ["mpi_thread_s", "MPI", secondsText],
  ["wait_thread_s", "waiting", secondsText],
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

/** Selected places, and links to the sections with rows of them. */
function placesLine() {
  const found = sections.filter(({ node }) => node.querySelector("tr.on"));
  const links = found.map(({ id, title }) =>
    element("a", { href: `#${id}` }, title ?? id),
  );
  return element("p", {}, element("b", {}, selectedPlaces().join(", ")), "marked in", ...links);
}

/** @param {RankAxis} axis */
export function pinnedBar(axis) {
  const content = element("div", { role: "status" });
  const close = element("button", { "aria-label": "Unpin", onclick: selectNothing }, "×");
  const node = element(
    "aside",
    { id: "pinned", hidden: true, "aria-label": "Selected" },
    content,
    close,
  );
  onPin((rank) => {
    const hasPlaces = selectedPlaces().length > 0;
    node.hidden = rank === null && !hasPlaces;
    content.replaceChildren(
      ...(rank !== null ? pinnedWords(axis, rank) : []),
      ...(hasPlaces ? [placesLine()] : []),
    );
  });
  return node;
}
