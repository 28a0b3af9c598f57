// Colours. Light or dark: the system's choice until the reader makes one. Canvases take their
// colours from here, and are drawn again when that changes and when the page is printed. Then:
// which colour a function has.
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

// What colours mean: warm = collectives, green = point to point, purple = synchronisation,
// teal-grey = one-sided, the colour of I/O = files, the colour of GPUs = NCCL, grey = the rest. A
// function keeps its colour in every chart.

/** By the number of a function's kind (measure/function_facts.h). */
const shadesOfKinds = [
  ["#c8385a", "#8f5a2a", "#e98aa0", "#dfae35", "#7d1d42", "#b98a6a", "#d9779e", "#f0c9a0"],
  ["#1f8f7a", "#5cc2a0", "#3f8a3f", "#11665a", "#a3d45c", "#7da05a", "#2bb3a8", "#b8dcae"],
  ["#8f5ba8", "#b79ad0", "#5f3f86"],
  ["#4a6f8f", "#7b9db8", "#2f4a63"],
  [], // files: shades of the colour that the state MPI I/O has (sharesOfFiles)
  ["#76808f", "#a0a8b4", "#565e6b", "#c2c8d0"],
  ["#8fae3c", "#64801f", "#bdd67f"],
];

/** As numbered in measure/function_facts.h. */
const fileKind = 4;
/** Behind those: functions of NCCL (html_data.cc). */
export const ncclKind = 6;
/** How much of the colour of I/O the calls for files have, those with most time first. */
const sharesOfFiles = [1, 0.7, 0.45];

/** @type {Map<string, string>} */
const colours = new Map();
/** Calls for files, and their share of the colour. @type {Map<string, number>} */
const fileShares = new Map();

/**
 * In order of time, so that the calls that matter get the clearest ones.
 * @param {{function: string, kind: number}[]} functions
 */
export function giveColours(functions) {
  const used = shadesOfKinds.map(() => 0);
  for (const row of functions) {
    const shades = shadesOfKinds[row.kind] ?? [];
    const number = used[row.kind] ?? 0;
    if (row.kind === fileKind)
      fileShares.set(row.function, sharesOfFiles[number % sharesOfFiles.length] ?? 1);
    else colours.set(row.function, shades[number % shades.length] ?? "");
    used[row.kind] = number + 1;
  }
}

/** Whether a function reads, writes or opens files. @param {string | null | undefined} name */
export function isFileCall(name) {
  return fileShares.has(name ?? "");
}

/** For canvases, as of now. @param {string} name */
export function functionColour(name) {
  const share = fileShares.get(name);
  if (share === undefined) return colours.get(name) ?? otherColour();
  const [io, other] = [channels(colour("--io")), channels(colour("--strip-2"))];
  const mixed = io.map((value, k) => Math.round(share * value + (1 - share) * (other[k] ?? 0)));
  return `rgb(${mixed.join()})`;
}

/** For elements: follows light and dark by itself. @param {string} name */
export function functionStyle(name) {
  const share = fileShares.get(name);
  if (share === undefined) return functionColour(name);
  return `color-mix(in srgb, var(--io) ${100 * share}%, var(--strip-2))`;
}

/** All functions without a colour of their own. */
export function otherColour() {
  return isDark() ? "#5b6472" : "#cfd4dc";
}

/** @param {string} text "#rrggbb" @returns {[number, number, number]} */
export function channels(text) {
  const number = parseInt(text.slice(1), 16);
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255];
}

/**
 * 256 colours from little to much, as the matrix shows them: red, green, blue, red ...
 * @param {string[]} [names] variables of base.css, low to high
 */
export function colourScale(names = ["--low", "--middle", "--high"]) {
  const stops = names.map((name) => channels(colour(name)));
  const scale = new Uint8ClampedArray(256 * 3);
  for (let i = 0; i < 256; i++) {
    const at = (i / 255) * (stops.length - 1);
    const stop = Math.min(Math.floor(at), stops.length - 2);
    for (let k = 0; k < 3; k++) {
      const from = stops[stop]?.[k] ?? 0;
      const to = stops[stop + 1]?.[k] ?? 0;
      scale[3 * i + k] = from + (to - from) * (at - stop);
    }
  }
  return scale;
}

/** @param {Uint8ClampedArray} scale @param {number} share 0 to 1 */
export function scaleColour(scale, share) {
  const i = 3 * Math.round(255 * Math.min(Math.max(share, 0), 1));
  return `rgb(${scale[i]},${scale[i + 1]},${scale[i + 2]})`;
}
