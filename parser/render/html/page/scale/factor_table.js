// Which factor falls? A waterfall per size, from 100 % down to the efficiency of the run, and below
// it the same figures as a table that reads as a product. Colour grows with the loss; what is more
// than 100 % is green.
import { dot, element, svg } from "../dom.js";
import { shareText } from "../format.js";
import { dataTools, section } from "../panel.js";
import { numberColumn, textColumn } from "../tables/table_columns.js";
import { markSize, ranksText, ranksWords } from "./scale_data.js";

/** @typedef {import("./scale_data.js").ScaleData} ScaleData */
/** @typedef {import("./scale_data.js").FactorRow} FactorRow */

/** From so many sizes on every second waterfall is left out. */
const manySizes = 9;
/** Of a waterfall, in pixels. */
const fallHeight = 104;

/** Variables of base.css, for the factors in their order within a product. */
const lossColours = {
  "Load balance": "--wait",
  Serialisation: "--watch-bar",
  "MPI I/O, start-up": "--mpi",
  Transfer: "--transfer",
};
const computingColours = ["--memory", "--strip-2", "--compute"];

/** @param {FactorRow[]} factors @returns {Map<FactorRow, string>} of all that are no products */
function factorColours(factors) {
  let computing = 0;
  return new Map(
    factors
      .filter((row) => !row.isProduct)
      .map((row) => [
        row,
        /** @type {Record<string, string>} */ (lossColours)[row.name] ??
          computingColours[computing++ % computingColours.length] ??
          "",
      ]),
  );
}

/**
 * Each factor takes its part off what the one before left; the last bar is the product.
 * @param {ScaleData} data @param {number} size @param {Map<FactorRow, string>} colours
 */
function waterfall(data, size, colours) {
  const product = data.factors.at(-1)?.values[size] ?? 1;
  const bars = [...colours].map(([row, colour]) => ({ factor: row.values[size] ?? 1, colour }));
  let level = 1;
  let most = 1;
  for (const { factor } of bars) most = Math.max(most, (level *= factor));
  const wide = 100 / (bars.length + 1);
  /** @param {number} share */
  const y = (share) => (1 - share / most) * (fallHeight - 1);
  const drawing = svg("svg", { "aria-hidden": "true" });
  /** @param {string} name @param {number} share */
  const line = (name, share) =>
    svg("line", { class: name, x1: 0, x2: "100%", y1: y(share), y2: y(share) });
  drawing.append(line("ideal", 1), line("limit", data.worth));
  level = 1;
  bars.forEach(({ factor, colour }, i) => {
    const next = level * factor;
    const bar = svg("rect", {
      x: `${(i * wide).toFixed(2)}%`,
      width: `${(wide * 0.94).toFixed(2)}%`,
      y: y(Math.max(level, next)),
      height: Math.max(Math.abs(y(level) - y(next)), 0.8),
    });
    bar.style.fill = `var(${factor > 1 ? "--good-bar" : colour})`;
    drawing.append(bar);
    level = next;
  });
  drawing.append(
    svg("rect", {
      class: (data.sizes[size]?.efficiency ?? 1) < data.worth ? "product bad" : "product",
      x: `${(bars.length * wide).toFixed(2)}%`,
      width: `${wide.toFixed(2)}%`,
      y: y(product),
      height: Math.max(fallHeight - 1 - y(product), 1),
    }),
  );
  return drawing;
}

/** Efficiencies at which the colour of a loss begins, and is the strongest. */
const firstColoured = 0.975;
const strongestAt = 0.3;
/** In the dark neither light nor dark text reads well on what is between these per cent of it. */
const lightTextUpTo = 57;
const darkTextFrom = 75;

/**
 * Per cent of the strongest colour; gains are negative.
 * @param {number | null | undefined} value
 */
function shadeOf(value) {
  if (value === null || value === undefined) return 0;
  if (value > 1.005) return -Math.min(10 + 300 * (value - 1), 45);
  const loss = (firstColoured - value) / (firstColoured - strongestAt);
  const shade = 100 * Math.min(Math.max(loss, 0), 1);
  if (shade <= lightTextUpTo) return shade;
  return darkTextFrom + ((shade - lightTextUpTo) / (100 - lightTextUpTo)) * (100 - darkTextFrom);
}

/** @param {number | null | undefined} value @param {string} kind @param {number} size */
function factorCell(value, kind, size) {
  const cell = element("td", { class: kind, "data-size": size }, shareText(value));
  const shade = shadeOf(value);
  if (shade === 0) return cell;
  cell.classList.add(shade < 0 ? "gained" : "lost");
  if (shade >= darkTextFrom) cell.classList.add("much");
  cell.style.setProperty("--shade", `${Math.abs(shade).toFixed(0)}%`);
  return cell;
}

/** @param {ScaleData} data */
function factorTable(data) {
  const few = new Set(data.fewSizes());
  const { sizes } = data;
  /** @param {number} size */
  const kindOf = (size) => (few.has(size) ? "few" : "more");
  const colours = factorColours(data.factors);
  const heads = sizes.map((size, i) =>
    element(
      "th",
      { scope: "col", class: kindOf(i), "data-size": i },
      ranksText(size.ranks),
      element("span", {}, size.ranks === 1 ? " rank" : " ranks"),
    ),
  );
  const axis = svg(
    "svg",
    { class: "fall-axis", "aria-hidden": "true" },
    svg("text", { x: "100%", y: 9 }, "100%"),
    svg("text", { x: "100%", y: fallHeight - 1 }, "0"),
  );
  axis.append(
    svg(
      "text",
      { class: "bad-words", x: "100%", y: (1 - data.worth) * fallHeight + 6 },
      shareText(data.worth),
    ),
  );
  const isMany = sizes.length >= manySizes;
  const falls = sizes.map((_, i) => {
    const isLeftOut = isMany && (sizes.length - 1 - i) % 2 === 1;
    return element(
      "td",
      { class: kindOf(i), "data-size": i },
      element(
        "div",
        { class: `fall${isMany && i > 0 ? " wide" : ""}${isLeftOut ? " left-out" : ""}` },
        waterfall(data, i, colours),
      ),
    );
  });
  const rows = data.factors.map((row, number) => {
    const colour = colours.get(row);
    const sign = row.isProduct ? "=" : number === 0 ? "" : "×";
    return element(
      row.isProduct ? "tr.product-row" : "tr",
      {},
      element(
        "th",
        { scope: "row" },
        element("span.sign", {}, sign),
        colour ? dot(`var(${colour})`) : null,
        row.name,
        row.isEstimate ? element("span.muted", {}, " (est.)") : null,
      ),
      ...row.values.map((value, i) => factorCell(value, kindOf(i), i)),
    );
  });
  const table = element(
    "table.factors",
    {},
    element("caption.hidden", {}, "Factors of the efficiency by size"),
    element("thead", {}, element("tr", {}, element("td"), ...heads)),
    element("tbody", {}, element("tr.falls", {}, element("td", {}, axis), ...falls), ...rows),
  );
  table.addEventListener("pointerover", (event) => {
    const cell = /** @type {Element} */ (event.target).closest("[data-size]");
    markSize(cell ? Number(cell.getAttribute("data-size")) : null);
  });
  table.addEventListener("pointerleave", () => markSize(null));
  return table;
}

/** @param {ScaleData} data */
function hintWords(data) {
  const names = data.factors.map((row) => row.name);
  return (
    "The stronger the colour of a cell, the more is lost; green is more than 100%. " +
    "Serialisation and transfer are separated by how long ranks wait, an estimate. " +
    (names.includes("Instructions")
      ? "Instructions and cycles are counted. "
      : "Time on a CPU is the time that ranks do not wait for one. ") +
    `Global efficiency counts from an ideal run, E(p) above from ${ranksWords(data.first.ranks)}.`
  );
}

/** @param {ScaleData} data */
export function factorsSection(data) {
  return section(
    {
      id: "factors",
      title: "Factors",
      question: "Which factor falls?",
      hint:
        "Each factor takes its part from the remainder of the one before; the product is the " +
        "efficiency of the run, the last bar. The table below multiplies the same figures.",
    },
    factorTable(data),
    element("p.hint.note-below", {}, hintWords(data)),
    dataTools("factors", () => ({
      caption: "Factors of the efficiency",
      rows: data.factors,
      shown: 24,
      columns: [
        textColumn("Factor", /** @param {FactorRow} row */ (row) => row.name),
        ...data.sizes.map((size, i) =>
          numberColumn(
            ranksText(size.ranks),
            /** @param {FactorRow} row */ (row) => row.values[i],
            shareText,
            { priority: data.fewSizes().includes(i) ? 0 : 2 },
          ),
        ),
      ],
    })),
  ).node;
}
