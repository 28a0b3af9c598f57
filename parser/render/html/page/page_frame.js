// What the pages of mprof report and mprof diff have around their sections: the tools in the bar,
// the text report that is folded, the copy of the verdict, and the mark that says when the page
// is ready (data-ready-ms of the root element, milliseconds since the page was asked for).
import { byId, element } from "./dom.js";
import { saveFile } from "./export.js";
import { startNavigation } from "./navigation.js";
import { selectNothing } from "./selection.js";
import { summaryButton } from "./export.js";
import { themeButton } from "./theme.js";
import { unpacked } from "./unpack.js";

/**
 * Saves the JSON document, as the command writes it. The page of a large run has none, and says so
 * in its footer.
 * @param {string} fileName
 */
function jsonButton(fileName) {
  if (!byId("document").textContent) return null;
  const save = () => saveFile(fileName, "application/json", unpacked("document"));
  return element("button", { "aria-label": "Save all data as JSON", onclick: save }, "JSON");
}

/**
 * Behind the last section.
 * @param {{fileName: string, ranks: number}} page
 */
export function startPage({ fileName, ranks }) {
  const text = /** @type {HTMLDetailsElement | null} */ (document.querySelector("#text details"));
  if (text) text.open = false;
  document.querySelector(".badge")?.after(" ", summaryButton());
  byId("tools").append(
    themeButton(),
    element("button", { onclick: () => print() }, "Print"),
    jsonButton(`${fileName}.json`) ?? "",
  );
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") selectNothing();
  });
  startNavigation(ranks);
  document.documentElement.dataset.readyMs = performance.now().toFixed(1);
}
