// What grows, and where will it end? A row for each call site, function or phase: seconds of the
// average rank, measured points with the fitted law, and what the law says of more ranks.
import { ranksText, ranksWords } from "./scale_data.js";
import { bandOf, pathOf } from "./size_chart.js";
import { element, svg } from "../dom.js";
import { secondsText, shareText, unknown } from "../format.js";
import { choices, section, tableWithTools } from "../panel.js";
import {
  barColumn,
  functionCell,
  marks,
  numberColumn,
  textColumn,
} from "../tables/table_columns.js";
import { giveColours } from "../theme.js";

/** @typedef {import("./scale_data.js").ScaleData} ScaleData */
/** @typedef {import("./scale_data.js").GrowthRow} GrowthRow */
/** @typedef {"site" | "function" | "phase" | "nccl"} Choice */

/** @type {Record<Choice, {title: string, first: string, kinds: string[]}>} */
const lists = {
  site: { title: "By call site", first: "Call site", kinds: ["call line", "compute"] },
  function: { title: "By function", first: "Function", kinds: ["function", "compute"] },
  phase: { title: "By phase", first: "Phase", kinds: ["phase"] },
  nccl: { title: "Of NCCL", first: "Function", kinds: ["NCCL"] },
};

const sparkWidth = 180;
const sparkHeight = 32;
/** Decades that a sparkline shows at least, so that noise of a constant looks as small as it is. */
const leastDecades = 1;

/**
 * p with a superscript, in words that may speak of laws.
 * @param {string} words
 */
export function mathNodes(words) {
  return words.split(/(\bp(?:\^-?\d+(?:\.\d+)?)?(?![\w^]))/).map((part, i) => {
    if (i % 2 === 0) return part;
    const exponent = part.slice(2).replace("-", "−");
    return element(
      "span",
      {},
      element("i", {}, "p"),
      exponent ? element("sup", {}, exponent) : null,
    );
  });
}

/** @param {GrowthRow["law"]} law */
function lawCell({ text, error = 0 }) {
  if (text === "no clear law") return element("span.muted", {}, text);
  return element(
    "span",
    {},
    element("span.law", {}, ...mathNodes(text)),
    error >= 0.005 ? element("span.muted", {}, ` ±${error.toFixed(2)}`) : null,
  );
}

/**
 * Measured points, the fitted line, and the projection in the shaded part.
 * @param {ScaleData} data @param {GrowthRow} row
 */
function sparkline(data, row) {
  const from = data.first.ranks;
  const wide = Math.log(data.furthest / from) || 1;
  /** @param {number} ranks */
  const x = (ranks) => 4 + (Math.log(ranks / from) / wide) * (sparkWidth - 8);
  // A call of one rank alone tells nothing: nobody is there to talk to.
  /** @param {number} ranks */
  const counts = (ranks) => ranks > 1 || row.function === null;
  const measured = row.time_s.map((time, i) => ({ ranks: data.sizes[i]?.ranks ?? from, time }));
  const fitted = (row.fitted_s ?? []).map((time, i) => ({
    ranks: data.sizes[i]?.ranks ?? from,
    time,
  }));
  const shown = [...measured, ...fitted].filter(({ ranks }) => counts(ranks));
  const times = [...shown.map(({ time }) => time), ...(row.projected_s ?? []).flat()];
  const values = times.filter((time) => time > 0);
  const middle = Math.log10(Math.max(...values)) + Math.log10(Math.min(...values));
  const decades = Math.log10(Math.max(...values) / Math.min(...values));
  const tall = Math.max(decades, leastDecades);
  /** @param {number} time */
  const y = (time) =>
    sparkHeight / 2 - ((Math.log10(time) - middle / 2) / tall) * (sparkHeight - 8);
  /** @param {{ranks: number, time: number}[]} points */
  const places = (points) =>
    points
      .filter(({ ranks, time }) => counts(ranks) && time > 0)
      .map(({ ranks, time }) => ({ x: x(ranks), y: y(time) }));
  const drawing = svg("svg", {
    class: "growth-line",
    viewBox: `0 0 ${sparkWidth} ${sparkHeight}`,
    "aria-hidden": "true",
  });
  if (values.length === 0) return drawing;
  const last = data.last.ranks;
  if (data.projected.length > 0)
    drawing.append(
      svg("rect", {
        class: "ahead-ground",
        x: x(last),
        width: sparkWidth - x(last),
        height: sparkHeight,
      }),
    );
  const line = fitted.length > 0 ? fitted : measured;
  drawing.append(
    svg("path", { class: fitted.length > 0 ? "fit" : "joined", d: pathOf(places(line)) }),
  );
  const projected = row.projected_s ?? [];
  if (projected.length > 0) {
    const end = line.at(-1)?.time ?? 0;
    /** @param {0 | 1 | 2} which */
    const beyond = (which) =>
      places([
        { ranks: last, time: end },
        ...projected.map((time, i) => ({
          ranks: data.projected[i]?.ranks ?? last,
          time: time[which],
        })),
      ]);
    drawing.append(
      svg("path", { class: "band beyond", d: bandOf(beyond(2), beyond(1)) }),
      svg("path", { class: "projected", d: pathOf(beyond(0)) }),
    );
  }
  for (const place of places(measured))
    drawing.append(svg("circle", { cx: place.x, cy: place.y, r: 2.1 }));
  return drawing;
}

/**
 * Bar and figure, orange where it is a problem or to be watched.
 * @param {GrowthRow} row @param {number} most of all rows
 */
function shareCell(row, most) {
  if (!row.projected_s) return element("span.muted", {}, unknown);
  const bar = element("span.share-bar");
  bar.style.width = `${((60 * row.share) / Math.max(most, 1e-9)).toFixed(1)}%`;
  if (row.state === "good") bar.classList.add("calm");
  return element("span.share", {}, bar, shareText(row.share));
}

/** @param {GrowthRow} row at the largest size that is projected */
function projectedTime(row) {
  const time = row.projected_s?.at(-1);
  return time ? { value: time[0], low: time[1], high: time[2] } : null;
}

/** @param {GrowthRow} row @param {Choice} choice @param {Node} spark */
function nameCell(row, choice, spark) {
  const mark = row.state === "good" ? "" : marks[row.state];
  const words = { watch: "watch this", problem: "a problem" }[String(row.state)];
  const isSite = choice === "site" && row.place !== null && row.function !== null;
  const name = isSite ? element("code", {}, row.place) : row.what;
  return element(
    "span.grows",
    {},
    element(
      "span",
      { class: `mark ${row.state}`, title: words, role: words ? "img" : null, "aria-label": words },
      mark,
    ),
    element(
      "span",
      {},
      choice === "function" && row.function ? functionCell(row.function) : name,
      isSite ? element("span.narrow", {}, row.function) : null,
      element("span.narrow", {}, spark),
    ),
  );
}

/**
 * " ±4.4", in the unit of the value and with one digit behind the point; a range where that is
 * large; nothing where it is small.
 * @param {{value: number, low: number, high: number}} time
 */
function errorText({ value, low, high }) {
  const error = (high - low) / 2;
  if (error < 0.005 * value) return "";
  if (error > 0.5 * value) return ` ${secondsText(low)}–${secondsText(high)}`;
  const shown = (error * parseFloat(secondsText(value))) / value;
  return ` ±${shown.toFixed(shown < 9.95 ? 1 : 0)}`;
}

/** @param {ScaleData} data @param {Choice} choice */
function growthTable(data, choice) {
  const { title, first, kinds } = lists[choice];
  const rows = data.growth.filter((row) => kinds.includes(row.kind));
  const most = Math.max(...rows.map((row) => row.share));
  const hasProjection = data.projected.length > 0;
  /** @param {GrowthRow} row */
  const ahead = (row) => {
    const time = projectedTime(row);
    if (!time) return unknown;
    const error = errorText(time);
    return element(
      "span",
      {},
      element("b", {}, secondsText(time.value)),
      error && element("span.muted", {}, error),
    );
  };
  /** @type {import("../tables/table.js").TableColumn<GrowthRow>[]} */
  const columns = [
    textColumn(first, (row) => (choice === "site" && row.place) || row.what, {
      show: (row) => nameCell(row, choice, sparkline(data, row)),
    }),
    ...(choice === "site"
      ? [
          textColumn("Call", /** @param {GrowthRow} row */ (row) => row.function, {
            priority: 2,
            show: (row) => (row.function ? functionCell(row.function) : ""),
          }),
        ]
      : []),
    numberColumn(ranksWords(data.first.ranks), (row) => row.time_s[0], secondsText, {
      priority: 2,
    }),
    numberColumn(ranksWords(data.last.ranks), (row) => row.time_s.at(-1), secondsText, {
      priority: 2,
      show: (row) => element("b", {}, secondsText(row.time_s.at(-1))),
    }),
    barColumn(
      hasProjection ? "Measured, and projected" : "Measured",
      (row) => row.time_s.at(-1),
      (row) => sparkline(data, row),
      { priority: 2 },
    ),
    textColumn("Law", (row) => row.law.text, {
      show: (row) => element("span", {}, lawCell(row.law), narrowTimes(data, row)),
    }),
    textColumn("Meaning", (row) => row.meaning, {
      priority: 3,
      show: (row) => element("span.muted", {}, row.meaning ?? ""),
    }),
  ];
  if (hasProjection)
    columns.push(
      numberColumn(ranksWords(data.furthest), (row) => projectedTime(row)?.value, secondsText, {
        priority: 2,
        show: ahead,
      }),
      numberColumn("Share of that run", (row) => row.share, shareText, {
        priority: 2,
        show: (row) => shareCell(row, most),
      }),
    );
  return tableWithTools(`growth ${title}`, {
    caption: `What grows, ${title.toLowerCase()}`,
    rows,
    shown: 8,
    sorts: true,
    filterText: (row) => row.what,
    columns,
  });
}

/**
 * Where columns have left: the seconds below the law.
 * @param {ScaleData} data @param {GrowthRow} row
 */
function narrowTimes(data, row) {
  const time = projectedTime(row);
  return element(
    "span.narrow.muted",
    {},
    `${ranksText(data.last.ranks)}: ${secondsText(row.time_s.at(-1))}`,
    ...(time ? [element("br"), `${ranksText(data.furthest)}: ${secondsText(time.value)}`] : []),
  );
}

/** @param {ScaleData} data */
function growthHint(data) {
  const law = mathNodes("Seconds of the average rank. A law such as p^0.5 or log p is named only ");
  return element(
    "span",
    {},
    ...law,
    "if the runs rule out all others",
    data.projected.length > 0
      ? `; the shaded part is the projection to ${ranksWords(data.furthest)}.`
      : `; ${data.ahead}.`,
  );
}

/** @param {ScaleData} data */
export function growthSection(data) {
  giveColours(
    data.growth
      .filter((row) => row.kind === "function")
      .map((row) => ({ function: row.function ?? "", kind: row.functionKind })),
  );
  const has = /** @type {Choice[]} */ (Object.keys(lists)).filter((choice) =>
    data.growth.some((row) => row.kind === lists[choice].kinds[0]),
  );
  const place = element("div", {}, growthTable(data, has[0] ?? "site"));
  const { node, controls } = section(
    {
      id: "growth",
      title: "Growth",
      question: "What grows, and where will it end?",
      hint: growthHint(data),
    },
    place,
    data.memory
      ? element("p.hint.note-below", {}, "Memory of the ", ...mathNodes(data.memory), ".")
      : null,
  );
  if (has.length > 1)
    controls.append(
      choices(
        "Rows",
        Object.fromEntries(has.map((choice) => [choice, lists[choice].title])),
        has[0] ?? "site",
        (choice) => place.replaceChildren(growthTable(data, /** @type {Choice} */ (choice))),
      ),
    );
  return node;
}
