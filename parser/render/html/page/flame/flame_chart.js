// The flame view: a box per function and call path, below the function that calls it, as wide as
// its time. Pointer: hover names a box, a click zooms into it, a click on one around it goes back.
// Keys: up and down go to the caller and the widest callee, left and right to the next box of the
// row, Enter zooms, Home or Esc shows all. The section has the search and the table.
import {
  flameBoxes,
  flameKind,
  flameSeconds,
  functionOf,
  ownSeconds,
  shortName,
} from "./flame_data.js";
import { fit } from "../charts/canvas_chart.js";
import { hideTip, showTip, spokenTip } from "../charts/tooltip.js";
import { announce, element } from "../dom.js";
import { percentText, secondsText } from "../format.js";
import { selectNothing } from "../selection.js";
import { channels, colour, functionColour, onTheme } from "../theme.js";

/** @typedef {import("./flame_data.js").FlameNode} FlameNode */
/** @typedef {import("./flame_data.js").FlameBox} FlameBox */
/** @typedef {import("./flame_data.js").FlameTime} FlameTime */
/** @typedef {CanvasRenderingContext2D} Context */

/** In pixels; the gap is below a box and at its right. */
const boxHeight = 24;
const boxGap = 1;
const namePad = 5;
/** A narrower box has no name. */
const leastNamed = 28;
/** What a search does not find is as pale as this. */
const paleness = 0.3;
/** Neighbouring functions have one of so many shades, the palest one this far towards the card. */
const codeShades = 4;
const palestCode = 0.5;

/** The same for the same name, whatever is around it. @param {string} name */
function shadeOf(name) {
  let sum = 0;
  for (const character of name) sum = (31 * sum + (character.codePointAt(0) ?? 0)) % 65521;
  return (palestCode * (sum % codeShades)) / (codeShades - 1);
}

/** @param {[number, number, number]} a @param {[number, number, number]} b @param {number} part */
function between(a, b, part) {
  return /** @type {[number, number, number]} */ (
    a.map((value, k) => Math.round(value + part * ((b[k] ?? 0) - value)))
  );
}

/** Of a box. @param {FlameNode} node @returns {[number, number, number]} */
function boxColour(node) {
  const kind = flameKind(node);
  if (kind === "call") {
    const text = functionColour(functionOf(node.name));
    const numbers = text.match(/\d+/g)?.map(Number) ?? [];
    return text.startsWith("#")
      ? channels(text)
      : [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0];
  }
  if (kind === "code")
    return between(channels(colour("--compute")), channels(colour("--card")), shadeOf(node.name));
  const names = { all: "--strip", unknown: "--strip" };
  return channels(colour(/** @type {Record<string, string>} */ (names)[kind] ?? `--${kind}`));
}

/** Black or white, what is read better. @param {[number, number, number]} rgb */
function inkOn([red, green, blue]) {
  const light = [red, green, blue].map((value) =>
    value <= 10 ? value / 3294 : ((value / 255 + 0.055) / 1.055) ** 2.4,
  );
  const [r = 0, g = 0, b = 0] = light;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#101318" : "#ffffff";
}

/** As much of a name as there is room for. @param {Context} context @param {string} name
 * @param {number} room */
function fittingName(context, name, room) {
  const whole = context.measureText(name).width;
  if (whole <= room) return name;
  let most = Math.floor((name.length * room) / whole) + 1;
  let short = shortName(name, most);
  while (short !== "" && context.measureText(short).width > room) short = shortName(name, --most);
  return short;
}

export class FlameChart {
  /** @param {FlameNode} root @param {number} ranks whose time it is */
  constructor(root, ranks) {
    this.root = root;
    this.ranks = Math.max(ranks, 1);
    this.focus = root;
    /** @type {FlameTime} */
    this.time = "all";
    /** What a search has found; null: nothing is searched. @type {Set<FlameNode> | null} */
    this.found = null;
    /** Under pointer or cursor. @type {FlameNode | null} */
    this.at = null;
    /** @type {FlameBox[]} */
    this.boxes = [];
    this.width = 0;
    this.canvas = element("canvas.flame", {
      tabindex: 0,
      role: "application",
      "aria-roledescription": "flame view",
      "aria-label":
        "Time by call path. Up and down go to caller and callee, left and right along a row, " +
        "Enter zooms, Escape shows all. The table below has the same.",
    });
    this.back = element(
      "button.zoomed",
      { hidden: true, onclick: () => this.zoom(root) },
      "zoomed: Esc or here to reset",
    );
    this.node = element("div.chart", {}, this.back, this.canvas);
    new ResizeObserver(() => this.drawFor(Math.floor(this.node.clientWidth))).observe(this.node);
    onTheme(() => this.draw());
    this.listen();
  }

  /** @param {FlameTime} time */
  showTime(time) {
    this.time = time;
    if (flameSeconds(this.focus, time) <= 0) this.focus = this.root;
    this.zoom(this.focus);
  }

  /** @param {Set<FlameNode> | null} found */
  highlight(found) {
    this.found = found;
    this.draw();
  }

  /** @param {FlameNode} node */
  zoom(node) {
    this.focus = node;
    this.back.hidden = node === this.root;
    this.draw();
  }

  /** @param {number} width */
  drawFor(width) {
    if (width === this.width || width === 0) return;
    this.width = width;
    this.draw();
  }

  draw() {
    if (this.width === 0) return;
    this.boxes = flameBoxes(this.focus, this.time, this.width);
    const depth = this.boxes.reduce((most, { node }) => Math.max(most, node.depth), 0);
    const context = fit(this.canvas, this.width, (depth + 1) * boxHeight);
    context.font = context.font.replace("11px", "12px");
    for (const box of this.boxes) this.paintBox(context, box);
  }

  /** @param {Context} context @param {FlameBox} box */
  paintBox(context, { node, x, width, isAround }) {
    const y = node.depth * boxHeight;
    const rgb = boxColour(node);
    const isPale = this.found !== null && !this.found.has(node);
    context.globalAlpha = isPale ? paleness : isAround ? 0.65 : 1;
    context.fillStyle = `rgb(${rgb.join()})`;
    context.fillRect(x, y, Math.max(width - boxGap, 0.8), boxHeight - boxGap);
    context.globalAlpha = isPale ? 0.75 : 1;
    if (width >= leastNamed) {
      const room = width - 2 * namePad;
      const name = fittingName(context, this.nameOf(node), room);
      const isSoft = isPale || isAround;
      context.fillStyle = isSoft ? colour("--text") : inkOn(rgb);
      context.textAlign = "left";
      context.textBaseline = "middle";
      context.fillText(name, x + namePad, y + boxHeight / 2, room);
    }
    context.globalAlpha = 1;
    if (node !== this.at && !this.found?.has(node)) return;
    context.strokeStyle = colour(node === this.at ? "--text" : "--focus");
    context.lineWidth = 2;
    context.strokeRect(x + 1, y + 1, Math.max(width - boxGap - 2, 1), boxHeight - boxGap - 2);
  }

  /** With its share, where it is all. @param {FlameNode} node */
  nameOf(node) {
    return node.parent ? node.name : `all ranks: ${this.secondsOf(node)} per rank`;
  }

  /** @param {FlameNode} node */
  secondsOf(node) {
    return secondsText(flameSeconds(node, this.time) / this.ranks);
  }

  /** @param {FlameNode} node @returns {import("../charts/tooltip.js").Tip} */
  tipOf(node) {
    const all = flameSeconds(this.root, this.time);
    const own = ownSeconds(node, this.time);
    return {
      title: node.name,
      lines: [
        { name: "time per rank", value: this.secondsOf(node) },
        { name: "of all", value: percentText((100 * flameSeconds(node, this.time)) / all) },
        { name: "in itself", value: secondsText(own / this.ranks) },
      ],
      note: node.parent?.parent ? `called by ${node.parent.name}` : "",
    };
  }

  /** @param {MouseEvent} event */
  nodeUnder(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const depth = Math.floor((event.clientY - box.top) / boxHeight);
    const under = this.boxes.find(
      ({ node, x: left, width }) => node.depth === depth && x >= left && x < left + width,
    );
    return under?.node ?? null;
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener("pointermove", (event) => {
      this.at = this.nodeUnder(event);
      if (this.at) showTip(this.tipOf(this.at), event.clientX, event.clientY);
      else hideTip();
      canvas.style.cursor = this.at ? "pointer" : "default";
      this.draw();
    });
    canvas.addEventListener("click", (event) => {
      const node = this.nodeUnder(event);
      if (node) this.zoom(node);
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
    for (const name of ["pointerleave", "blur"])
      canvas.addEventListener(name, () => {
        this.at = null;
        hideTip();
        this.draw();
      });
  }

  /** The box beside one, in its row. @param {FlameNode} node @param {number} way */
  beside(node, way) {
    const row = this.boxes.filter((box) => box.node.depth === node.depth);
    return row[row.findIndex((box) => box.node === node) + way]?.node ?? node;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const at = this.at ?? this.focus;
    const drawn = (/** @type {FlameNode | null | undefined} */ node) =>
      this.boxes.some((box) => box.node === node) ? node : null;
    /** @type {Record<string, () => FlameNode | null | undefined>} */
    const moves = {
      ArrowUp: () => at.parent,
      ArrowDown: () => (this.at ? at.children.find((child) => drawn(child)) : at),
      ArrowLeft: () => this.beside(at, -1),
      ArrowRight: () => this.beside(at, 1),
      Home: () => this.root,
    };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = moves[event.key];
    if (move) this.goTo(move() ?? at);
    else if (event.key === "Enter" || event.key === " ") this.zoomByKey(at);
    else if (event.key === "Escape") this.goBack();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {FlameNode} node */
  zoomByKey(node) {
    this.zoom(node);
    this.goTo(node);
  }

  goBack() {
    if (this.focus === this.root) selectNothing();
    else this.zoomByKey(this.root);
  }

  /** @param {FlameNode} node */
  goTo(node) {
    this.at = node;
    this.draw();
    const drawn = this.boxes.find((box) => box.node === node);
    const place = this.canvas.getBoundingClientRect();
    const tip = this.tipOf(node);
    const x = place.left + (drawn?.x ?? 0) + Math.min((drawn?.width ?? 0) / 2, 60);
    showTip(tip, x, place.top + (node.depth + 0.5) * boxHeight);
    announce(spokenTip(tip));
  }
}
