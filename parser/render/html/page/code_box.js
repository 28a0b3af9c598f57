// What a reader pastes elsewhere: text in a box of its own, with a button in its corner.
import { element } from "./dom.js";
import { copyText } from "./export.js";

/** @param {string} name @param {string} shown @param {Node | null} tool */
export function codeBox(name, shown, tool) {
  const text = element("pre", { tabindex: 0, "aria-label": name }, shown);
  return element("div.code-box", {}, text, tool);
}

/** @param {string} name @param {string} words */
export function copyButton(name, words) {
  const copy = () => void copyText(words);
  return element("button", { "aria-label": `Copy ${name}`, onclick: copy }, "Copy");
}
