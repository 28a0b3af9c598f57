// Lines of the source around a place, which mprof report --sources put into the page; or why there
// are none. Without --sources there is nothing.
import { element } from "./dom.js";

/** @typedef {import("./report_data.js").ReportData} ReportData */
/**
 * @typedef {{file: string, problem: string | null, lines: [number, string | null][]}} SourceFile
 */

const sourceLinesAround = 3;

/** @param {string} path */
function sourceName(path) {
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * @param {SourceFile} source @param {number} line
 */
function linesView(source, line) {
  const shown = source.lines.filter(([number]) => Math.abs(number - line) <= sourceLinesAround);
  if (shown.length === 0) return null;
  const width = String(shown.at(-1)?.[0] ?? 0).length;
  const name = `${sourceName(source.file)}, lines ${shown[0]?.[0]} to ${shown.at(-1)?.[0]}`;
  return element(
    "pre.source",
    { tabindex: 0, role: "region", "aria-label": name },
    ...shown.flatMap(([number, text]) => [
      element(
        number === line ? "span.at" : "span",
        {},
        element("span.line-number", {}, String(number).padStart(width)),
        ` ${text ?? ""}`,
      ),
      "\n",
    ]),
  );
}

/**
 * Of a frame. @param {ReportData} data @param {import("./report_data.js").Maybe} number
 */
export function sourceView(data, number) {
  const frame = data.lists.frames[number ?? -1];
  const file = data.raw.frames.texts[frame?.file ?? -1];
  const source = data.raw.sources?.find((each) => each.file === file);
  if (!frame || !source || typeof frame.line !== "number") return null;
  if (source.problem)
    return element("p.hint", {}, `No source lines: ${sourceName(source.file)} ${source.problem}.`);
  return linesView(source, frame.line);
}
