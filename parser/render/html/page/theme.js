// Light or dark: the system's choice until the reader makes one. Canvases take their colours from
// here, and are drawn again when that changes and when the page is printed.
import { element } from "./dom.js";

/** @type {Set<() => void>} */
const themeListeners = new Set();
/** @type {Map<string, string>} */
const knownColours = new Map();
const system = matchMedia("(prefers-color-scheme: dark)");
let printing = false;

/** The value of a variable of base.css. @param {string} name "--wait" */
export function colour(name) {
  let value = knownColours.get(name);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    knownColours.set(name, value);
  }
  return value;
}

export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return !printing && (chosen ? chosen === "dark" : system.matches);
}

/** @param {() => void} listener Called when colours have changed. */
export function onTheme(listener) {
  themeListeners.add(listener);
}

function changed() {
  knownColours.clear();
  for (const listener of themeListeners) listener();
}

/** @param {boolean} now */
function setPrinting(now) {
  printing = now;
  const root = document.documentElement;
  if (now) {
    root.dataset.before = root.dataset.theme ?? "";
    root.dataset.theme = "light";
  } else if (root.dataset.before) {
    root.dataset.theme = root.dataset.before;
  } else {
    delete root.dataset.theme;
  }
  changed();
}

export function themeButton() {
  system.addEventListener("change", changed);
  addEventListener("beforeprint", () => setPrinting(true));
  addEventListener("afterprint", () => setPrinting(false));
  const toggle = () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    changed();
  };
  return element("button", { onclick: toggle }, "Light / dark");
}
