// The frame of a section or chart: title, choices, and the tools that show and take out its data.
import { dot, element } from "./dom.js";
import { copyText, saveFile } from "./export.js";
import { createTable, tableCsv } from "./tables/table.js";

/**
 * @template R
 * @typedef {import("./tables/table.js").TableSpec<R>} TableSpec
 */

/**
 * Those of the page, from top to bottom; the list at the top has those with a title.
 * @type {{id: string, title?: string, node: HTMLElement}[]}
 */
export const sections = [];

/**
 * A section of the page. Its title is a question.
 * @param {{id: string, title?: string, question: string, hint?: string | Node, half?: boolean,
 *   long?: boolean}} spec
 * @param {...import("./dom.js").Child} children
 */
export function section(spec, ...children) {
  const controls = element("div.controls", {});
  const node = element(
    "section",
    {
      id: spec.id,
      class: `card${spec.half ? " half" : ""}${spec.long ? " long" : ""}`,
      "aria-labelledby": `${spec.id}-title`,
    },
    element(
      "div.section-head",
      {},
      element(
        "div",
        {},
        element("h2", { id: `${spec.id}-title` }, spec.question),
        spec.hint ? element("p.hint", {}, spec.hint) : null,
      ),
      controls,
    ),
    ...children,
  );
  sections.push({ ...spec, node });
  return { node, controls };
}

/**
 * One line in place of a section that has no data.
 * @param {string} id @param {string} question @param {...(Node | string)} howTo how to record it
 */
export function absentSection(id, question, ...howTo) {
  return element(
    "section",
    { id, class: "card absent" },
    element("h2", {}, question),
    " ",
    element("p", {}, ...howTo),
  );
}

/**
 * One of several.
 * @template {string} C
 * @param {string} label @param {Partial<Record<C, string>>} titles @param {NoInfer<C>} first
 * @param {(choice: C) => void} choose
 */
export function choices(label, titles, first, choose) {
  const node = element("div.choices", { role: "group", "aria-label": label });
  for (const [choice, title] of /** @type {[C, string][]} */ (Object.entries(titles))) {
    const button = element("button", { "aria-pressed": String(choice === first) }, title);
    button.addEventListener("click", () => {
      for (const other of node.children)
        other.setAttribute("aria-pressed", String(other === button));
      choose(choice);
    });
    node.append(button);
  }
  return node;
}

/**
 * To the clipboard, to a file.
 * @template R
 * @param {string} name of the file @param {() => TableSpec<R>} spec
 */
function takeOut(name, spec) {
  const file = name.replace(/\W+/g, "-").toLowerCase();
  return [
    element(
      "button",
      { "aria-label": `Copy ${name} as CSV`, onclick: () => void copyText(tableCsv(spec())) },
      "Copy",
    ),
    element(
      "button",
      {
        "aria-label": `Save ${name} as CSV`,
        onclick: () => saveFile(`${file}.csv`, "text/csv", tableCsv(spec())),
      },
      "CSV",
    ),
  ];
}

/**
 * Below a chart: its data as a table, to the clipboard, to a file.
 * @template R
 * @param {string} name @param {() => TableSpec<R>} spec
 */
export function dataTools(name, spec) {
  const place = element("div.data-table", { hidden: true });
  const show = element("button", { "aria-expanded": "false" }, "Table");
  show.addEventListener("click", () => {
    place.hidden = !place.hidden;
    show.setAttribute("aria-expanded", String(!place.hidden));
    place.replaceChildren(...(place.hidden ? [] : [createTable(spec())]));
  });
  return element("div", {}, element("div.data-tools", {}, show, ...takeOut(name, spec)), place);
}

/**
 * A table that can be taken out.
 * @template R
 * @param {string} name @param {TableSpec<R>} spec
 */
export function tableWithTools(name, spec) {
  return createTable(
    spec,
    takeOut(name, () => spec),
  );
}

/**
 * What colours and lines of a chart mean.
 * @param {{name: string, colour: string}[]} keys
 * @param {...string} lines the first one dashed; "" = none
 */
export function keyList(keys, ...lines) {
  return element(
    "ul.keys",
    {},
    ...keys.map(({ name, colour }) => element("li", {}, dot(colour), name)),
    ...lines.map(
      (name, i) =>
        name !== "" &&
        element("li", {}, element("span", { class: i === 0 ? "line" : "line solid" }), name),
    ),
  );
}

/** Those that are known. @param {Record<string, Node | string | null | undefined | false>} facts */
export function factList(facts) {
  return element(
    "dl.facts",
    {},
    ...Object.entries(facts).flatMap(([name, value]) =>
      value ? [element("dt", {}, name), element("dd", {}, value)] : [],
    ),
  );
}
