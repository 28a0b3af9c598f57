// Tables that sort, filter, show few rows at first, and unfold a row's details. Everything is text
// and buttons, so keyboard and screen readers need nothing of their own.
import { announce, element } from "../dom.js";
import { csvText } from "../format.js";
import { isSelected, onPin, pinnedRank, selectPlaces } from "../selection.js";

/** @typedef {string | number | null} Value */
/**
 * table_columns.js makes them.
 * @template R
 * @typedef {object} TableColumn
 * @property {string} title
 * @property {(row: R) => Value} value what it sorts by, and what the CSV has
 * @property {(row: R) => import("../dom.js").Child} show what the cell shows
 * @property {"text" | "number" | "bar"} kind bars are not in the CSV
 * @property {string} [unit] of the value, in the CSV
 * @property {number} [priority] 2: leaves where it is narrow as on phones, 3: also beside another
 *   section
 * @property {string} [hint]
 */
/**
 * @template R
 * @typedef {object} TableSpec
 * @property {string} caption
 * @property {R[]} rows
 * @property {TableColumn<R>[]} columns
 * @property {string} [sortBy] title of a column; without one the order of the rows means something
 * @property {boolean} [sorts] columns sort all the same
 * @property {boolean} [ascending]
 * @property {number} [shown] rows at first
 * @property {(row: R) => string} [filterText] with it there is a filter, which looks at this
 * @property {(row: R) => Node} [details]
 * @property {(row: R) => number | null} [rankOf] marks the row of the pinned rank
 * @property {(row: R) => string[][]} [placesOf] marks the rows that speak of selected places; the
 *   first ones are selected while the row is unfolded
 */

const shownRows = 12;
/** Characters from which on a cell has several lines. */
const longText = 26;

/** Text before nothing, large before small. @param {Value} a @param {Value} b */
function compare(a, b) {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

/**
 * @template R
 * @param {TableSpec<R>} spec
 */
export function tableCsv({ columns, rows }) {
  const kept = columns.filter((column) => column.kind !== "bar");
  return csvText(
    kept.map(({ title, unit }) => (unit ? `${title} [${unit}]` : title)),
    rows.map((row) => kept.map((column) => column.value(row))),
  );
}

/**
 * @template R
 * @param {TableColumn<R>} column
 */
function classes({ kind, priority }) {
  return priority ? `${kind} p${priority}` : kind;
}

/** @template R */
class Table {
  /** @param {TableSpec<R>} spec @param {Node[]} tools to stand below it */
  constructor(spec, tools) {
    this.spec = spec;
    this.sortBy = spec.columns.findIndex((column) => column.title === spec.sortBy);
    this.ascending = spec.ascending ?? false;
    this.few = spec.shown ?? shownRows;
    this.showsAll = false;
    this.wanted = "";
    /** @type {Set<R>} */
    this.open = new Set();
    this.body = element("tbody");
    this.heads = spec.columns.map((column, i) => this.headCell(column, i));
    this.more = element("button.more-rows", { onclick: () => this.showAll() });
    this.scroller = element(
      "div.table",
      {},
      element(
        "table",
        {},
        element("caption.hidden", {}, spec.caption),
        element("thead", {}, element("tr", { "aria-label": "columns" }, ...this.heads)),
        this.body,
      ),
    );
    this.node = element(
      "div",
      {},
      this.filterField(),
      this.scroller,
      element("div.data-tools", {}, this.more, ...tools),
    );
    this.update();
    new ResizeObserver(() => this.allowScrolling()).observe(this.scroller);
  }

  /** What scrolls must be within reach of the keyboard. */
  allowScrolling() {
    const { scroller } = this;
    if (scroller.scrollWidth > scroller.clientWidth + 1) {
      scroller.tabIndex = 0;
      scroller.setAttribute("role", "region");
      scroller.setAttribute("aria-label", this.spec.caption);
    } else {
      for (const name of ["tabindex", "role", "aria-label"]) scroller.removeAttribute(name);
    }
  }

  /** @param {TableColumn<R>} column @param {number} i */
  headCell(column, i) {
    const title =
      this.sortBy < 0 && !this.spec.sorts
        ? column.title
        : element("button", { onclick: () => this.sort(i) }, column.title);
    return element("th", { scope: "col", class: classes(column), title: column.hint }, title);
  }

  filterField() {
    if (!this.spec.filterText || this.spec.rows.length <= this.few) return null;
    const field = element("input.filter", {
      type: "search",
      placeholder: "filter",
      "aria-label": `Filter: ${this.spec.caption}`,
    });
    field.addEventListener("input", () => {
      this.wanted = field.value;
      announce(`${this.update()} rows`);
    });
    return field;
  }

  /** @param {number} i */
  sort(i) {
    this.ascending = this.sortBy === i ? !this.ascending : this.spec.columns[i]?.kind === "text";
    this.sortBy = i;
    this.update();
  }

  showAll() {
    this.showsAll = !this.showsAll;
    this.update();
  }

  /** The rows that the filter lets through. */
  matching() {
    const { rows, filterText } = this.spec;
    const words = this.wanted.toLowerCase().match(/\S+/g) ?? [];
    if (!filterText) return [...rows];
    return rows.filter((row) =>
      words.every((word) => filterText(row).toLowerCase().includes(word)),
    );
  }

  update() {
    const { columns } = this.spec;
    const rows = this.matching();
    const column = columns[this.sortBy];
    if (column) {
      const values = new Map(rows.map((row) => [row, column.value(row)]));
      rows.sort(
        (a, b) => (this.ascending ? 1 : -1) * compare(values.get(a) ?? null, values.get(b) ?? null),
      );
      this.heads.forEach((head, i) => {
        if (i === this.sortBy)
          head.setAttribute("aria-sort", this.ascending ? "ascending" : "descending");
        else head.removeAttribute("aria-sort");
      });
    }
    this.body.replaceChildren(
      ...rows.slice(0, this.showsAll ? rows.length : this.few).flatMap((row) => this.rowNodes(row)),
    );
    nameRows([...this.body.children]);
    if (rows.length === 0)
      this.body.append(
        element(
          "tr",
          {},
          element("td", { colspan: columns.length, class: "muted" }, "nothing matches"),
        ),
      );
    this.more.hidden = rows.length <= this.few;
    this.more.textContent = this.showsAll ? "Show less" : `Show all ${rows.length}`;
    return rows.length;
  }

  /** @param {R} row */
  rowNodes(row) {
    const { columns, details, rankOf } = this.spec;
    const isOpen = this.open.has(row);
    const line = element("tr", { "data-rank": rankOf?.(row) });
    rowMarks.set(line, () => isMarked(this.spec, row));
    line.classList.toggle("on", isMarked(this.spec, row));
    columns.forEach((column, i) => {
      let content = column.show(row);
      if (i === 0 && details)
        content = element(
          "button.open-row",
          { "aria-expanded": String(isOpen), onclick: () => this.toggle(row) },
          content,
        );
      const cell = i === 0 ? element("th", { scope: "row" }, content) : element("td", {}, content);
      const isLong = (cell.textContent ?? "").length > longText;
      cell.className = `${classes(column)}${isLong ? " long" : ""}`;
      line.append(cell);
    });
    if (!isOpen || !details) return [line];
    return [
      line,
      element(
        "tr.detail",
        { "aria-label": "details" },
        element("td", { colspan: columns.length }, details(row)),
      ),
    ];
  }

  /** @param {R} row */
  toggle(row) {
    const opens = !this.open.delete(row);
    if (opens) this.open.add(row);
    const places = this.spec.placesOf?.(row)[0] ?? [];
    if (opens) selectPlaces(places);
    else if (isSelected(places)) selectPlaces([]);
    const buttons = () => [
      .../** @type {NodeListOf<HTMLElement>} */ (this.body.querySelectorAll(".open-row")),
    ];
    const at = buttons().findIndex((button) => button === document.activeElement);
    this.update();
    buttons()[at]?.focus();
  }
}

/**
 * What each row is called: by its first cell, and by the next ones, too, where others have the same
 * name.
 * @param {string[][]} rows texts of cells
 */
export function rowNames(rows) {
  const names = rows.map(([first = ""]) => first);
  const most = rows.reduce((count, cells) => Math.max(count, cells.length), 0);
  for (let count = 1; count < most; count++) {
    const seen = new Map();
    for (const name of names) seen.set(name, (seen.get(name) ?? 0) + 1);
    if (seen.size === names.length) break;
    rows.forEach((cells, i) => {
      const next = cells[count];
      if (next && seen.get(names[i]) > 1) names[i] = `${names[i]}, ${next}`;
    });
  }
  return names;
}

/** For readers who go from row to row. @param {Element[]} rows */
function nameRows(rows) {
  const lines = rows.filter((row) => !row.classList.contains("detail"));
  const names = rowNames(
    lines.map((row) =>
      [...row.children].map((cell) => (cell.textContent ?? "").trim()).filter(Boolean),
    ),
  );
  lines.forEach((row, i) => row.setAttribute("aria-label", names[i] ?? ""));
}

/**
 * @template R
 * @param {TableSpec<R>} spec @param {R} row
 */
function isMarked({ rankOf, placesOf }, row) {
  const rank = rankOf?.(row) ?? null;
  return (rank !== null && rank === pinnedRank()) || (placesOf?.(row).some(isSelected) ?? false);
}

/** Whether a row of a table is of what is selected. @type {WeakMap<Element, () => boolean>} */
const rowMarks = new WeakMap();

onPin(() => {
  for (const row of document.querySelectorAll("tbody tr"))
    row.classList.toggle("on", rowMarks.get(row)?.() ?? false);
});

/**
 * @template R
 * @param {TableSpec<R>} spec @param {Node[]} [tools] to stand below it
 */
export function createTable(spec, tools = []) {
  return new Table(spec, tools).node;
}
