// The line to paste, and the file that it names, for one launcher of all: that of the run, or the
// one that the reader chose last.
import { codeBox, copyButton } from "../code_box.js";
import { element } from "../dom.js";
import { saveFile } from "../export.js";
import { choices, section } from "../panel.js";

/** @typedef {import("./place_data.js").PlaceData} PlaceData */
/** @typedef {import("./place_data.js").LauncherRow} LauncherRow */

const memory = "mprof-launcher";
const linesShown = 6;

/** A page of a file may not remember anything. */
function rememberedLauncher() {
  try {
    return localStorage.getItem(memory);
  } catch {
    return null;
  }
}

/** @param {string} word */
function rememberLauncher(word) {
  try {
    localStorage.setItem(memory, word);
  } catch {
    // It is asked again.
  }
}

/** @param {string} text */
function firstLines(text) {
  const lines = text.split("\n");
  return lines.length > linesShown + 1 ? `${lines.slice(0, linesShown).join("\n")}\n…` : text;
}

/** @param {LauncherRow} launcher */
function launcherParts(launcher) {
  const { line, text, file, whole, command, note } = launcher;
  const save = element(
    "button",
    { "aria-label": `Save ${file}`, onclick: () => saveFile(file, "text/plain", text) },
    "Save",
  );
  return [
    line ? codeBox("The line to paste", line, copyButton("the line", line)) : null,
    element("p.hint", {}, `${file}:`),
    codeBox(file, whole ? firstLines(text) : `${text}…`, whole ? save : null),
    whole ? null : element("p.hint", {}, "The whole file is written by:"),
    whole ? null : codeBox("To write the file", command, copyButton("the command", command)),
    note ? element("p.hint", {}, `Note: ${note}.`) : null,
  ].filter((part) => part !== null);
}

/** @param {PlaceData} data */
export function launchSection(data) {
  const place = element("div.stack.launch", {});
  const last = rememberedLauncher();
  const first = data.launchers.find(({ word }) => word === last) ?? data.launchers[0];
  /** @param {string} word */
  const show = (word) => {
    const launcher = data.launchers.find((row) => row.word === word);
    if (launcher) place.replaceChildren(...launcherParts(launcher));
  };
  show(first?.word ?? "");
  return section(
    { id: "paste", title: "To paste", question: "The line to paste", half: true },
    choices(
      "Launcher",
      Object.fromEntries(data.launchers.map(({ word, name }) => [word, name])),
      first?.word ?? "",
      (word) => {
        rememberLauncher(word);
        show(word);
      },
    ),
    place,
    element("p.below", {}, "Then compare: ", element("code", {}, "mprof diff OLD NEW")),
  ).node;
}
