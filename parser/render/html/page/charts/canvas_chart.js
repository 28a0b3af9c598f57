// A chart on a canvas: its size, text in it, a pointer, keys and a tooltip. Whoever draws on a
// canvas asks here.
import { hideTip, showTip, spokenTip } from "./tooltip.js";
import { announce, element } from "../dom.js";
import { onPin, selectNothing, togglePin } from "../selection.js";
import { colour, onTheme } from "../theme.js";

/** @typedef {import("./tooltip.js").Tip} Tip */

/** @typedef {CanvasRenderingContext2D} Context */

/**
 * Sharp on every screen.
 * @param {HTMLCanvasElement} canvas @param {number} width @param {number} height in CSS pixels
 */
export function fit(canvas, width, height) {
  const scale = Math.max(devicePixelRatio || 1, 1);
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.height = `${height}px`;
  const context = /** @type {Context} */ (canvas.getContext("2d"));
  context.scale(scale, scale);
  context.font = `11px ${getComputedStyle(canvas).fontFamily}`;
  return context;
}

/**
 * Whole pixels of the screen for each of some cells: cells of 2 and 3 pixels in turn would show
 * stripes that are not in the data. Where there is no pixel for each, some cells share one.
 * @param {number} room in CSS pixels @param {number} cells
 * @returns {{shared: number, count: number, size: number}} cells per drawn one, drawn ones, and
 *   their size in CSS pixels
 */
export function wholePixels(room, cells) {
  const scale = Math.max(devicePixelRatio || 1, 1);
  const pixels = Math.max(Math.floor(room * scale), 1);
  const shared = Math.ceil(cells / pixels);
  const count = Math.ceil(cells / shared);
  return { shared, count, size: Math.floor(pixels / count) / scale };
}

/**
 * @param {Context} context @param {string} text @param {number} x @param {number} y
 * @param {CanvasTextAlign} align @param {CanvasTextBaseline} baseline
 * @param {string} [name] of the colour @param {number} [room]
 */
export function write(context, text, x, y, align, baseline, name = "--muted", room) {
  context.fillStyle = colour(name);
  context.textAlign = align;
  context.textBaseline = baseline;
  context.fillText(text, x, y, room);
}

/**
 * Upwards, around a point.
 * @param {Context} context @param {string} text @param {number} x @param {number} y
 */
export function writeUpwards(context, text, x, y) {
  context.save();
  context.translate(x, y);
  context.rotate(-Math.PI / 2);
  write(context, text, 0, 0, "center", "middle");
  context.restore();
}

// What all charts on a canvas share: cells in rows and columns of which a window is shown, drawn
// on two layers (the chart, and what follows pointer and keyboard). Pointer: hover, click to pin,
// drag to zoom. Keys: arrows move (with Shift further), Enter pins, + and - zoom, Esc shows all
// again, then unpins.
/** @typedef {{x: number, y: number}} Cell */
/** @typedef {{left: number, top: number, right: number, bottom: number}} Margins */

// Between the margins of A4 and of a card (print.css), which no observer is told of in time.
const paperWidth = 1040;

/** @param {number} value @param {number} low @param {number} high */
function within(value, low, high) {
  return Math.max(low, Math.min(value, high));
}

/** Made by its kinds: bars, heat map, matrix. */
export class CanvasChart {
  /**
   * @param {string} label what a screen reader calls it
   * @param {number} across @param {number} down cells
   * @param {Margins} margins
   * @param {boolean} isSquare it zooms in both directions alike; else across alone
   */
  constructor(label, across, down, margins, isSquare) {
    this.across = across;
    this.down = down;
    this.margins = margins;
    this.isSquare = isSquare;
    this.view = { x: 0, y: 0, across, down };
    this.width = 0;
    this.height = 0;
    /** Cell under pointer or cursor. @type {Cell | null} */
    this.at = null;
    /** Where dragging began. @type {Cell | null} */
    this.drag = null;
    this.base = element("canvas", { "aria-hidden": "true" });
    this.over = element("canvas.over", {
      tabindex: 0,
      role: "application",
      "aria-roledescription": "chart",
      "aria-label": `${label}. Arrows move, Enter pins, + and - zoom.`,
    });
    this.all = element(
      "button.zoomed",
      { hidden: true, onclick: () => this.showAll() },
      "zoomed: Esc or here to reset",
    );
    this.node = element("div.chart", {}, this.base, this.over, this.all);
    /** Whether it is drawn as wide as a sheet. */
    this.onSheet = false;
    const fill = () => this.drawFor(Math.floor(this.node.clientWidth));
    new ResizeObserver(fill).observe(this.node);
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
    onTheme(() => this.draw());
    onPin(() => this.drawOver());
    this.listen();
  }

  // What a kind of chart provides.
  /** @param {number} width */
  heightFor(width) {
    return width;
  }
  /** @param {Context} _context */
  paint(_context) {}
  /** @param {Context} _context */
  paintOver(_context) {}
  /** @param {Cell} _cell @returns {Tip} */
  tipOf(_cell) {
    return { title: "" };
  }
  /** The rank that a click on a cell pins. @param {Cell} _cell @returns {number | null} */
  rankOf(_cell) {
    return null;
  }
  /** Where the cursor begins. @returns {Cell} */
  start() {
    return { x: this.view.x, y: this.view.y };
  }

  get plotWidth() {
    return Math.max(this.width - this.margins.left - this.margins.right, 10);
  }

  get plotHeight() {
    return Math.max(this.height - this.margins.top - this.margins.bottom, 10);
  }

  /** Left edge of a cell. @param {number} cell */
  xOf(cell) {
    return this.margins.left + ((cell - this.view.x) / this.view.across) * this.plotWidth;
  }

  /** Upper edge of a cell. @param {number} cell */
  yOf(cell) {
    return this.margins.top + ((cell - this.view.y) / this.view.down) * this.plotHeight;
  }

  /** @param {number} width */
  drawFor(width) {
    if (width === this.width || width === 0) return;
    this.width = width;
    this.draw();
  }

  /**
   * What has others beside it keeps its width: the style sheet makes it fit.
   * @param {boolean} onPaper
   */
  print(onPaper) {
    this.onSheet = onPaper && !this.node.closest(".columns, .small-charts");
    this.width = 0;
    this.drawFor(this.onSheet ? paperWidth : Math.floor(this.node.clientWidth));
  }

  draw() {
    if (this.width === 0) return;
    this.height = this.heightFor(this.width);
    this.paint(fit(this.base, this.width, this.height));
    this.drawOver();
  }

  drawOver() {
    if (this.width === 0) return;
    const context = fit(this.over, this.width, this.height);
    this.paintOver(context);
    const { at, drag } = this;
    if (!at) return;
    const from = drag ?? at;
    this.outline(
      context,
      {
        x: Math.min(at.x, from.x),
        y: Math.min(at.y, from.y),
        across: Math.abs(at.x - from.x) + 1,
        down: Math.abs(at.y - from.y) + 1,
      },
      "--text",
    );
  }

  /**
   * A frame around cells, as far as they are shown.
   * @param {Context} context @param {typeof this.view} cells @param {string} name of the colour
   */
  outline(context, cells, name) {
    const { view } = this;
    if (cells.x + cells.across <= view.x || cells.x >= view.x + view.across) return;
    if (cells.y + cells.down <= view.y || cells.y >= view.y + view.down) return;
    const x = Math.max(this.xOf(cells.x), this.margins.left);
    const y = Math.max(this.yOf(cells.y), this.margins.top);
    const right = Math.min(this.xOf(cells.x + cells.across), this.width - this.margins.right);
    const bottom = Math.min(this.yOf(cells.y + cells.down), this.height - this.margins.bottom);
    context.strokeStyle = colour(name);
    context.lineWidth = 1.6;
    context.strokeRect(
      x - 0.8,
      y - 0.8,
      Math.max(right - x, 2) + 0.8,
      Math.max(bottom - y, 2) + 0.8,
    );
  }

  listen() {
    const { over } = this;
    over.addEventListener("pointermove", (event) => {
      this.at = this.cellUnder(event);
      if (this.at) showTip(this.tipOf(this.at), event.clientX, event.clientY);
      else hideTip();
      this.drawOver();
    });
    over.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "touch" || event.button !== 0) return;
      this.drag = this.cellUnder(event);
      over.setPointerCapture(event.pointerId);
    });
    over.addEventListener("pointerup", (event) => this.released(this.cellUnder(event)));
    over.addEventListener("dblclick", () => this.showAll());
    over.addEventListener("keydown", (event) => this.key(event));
    const leave = () => {
      this.at = null;
      this.drag = null;
      hideTip();
      this.drawOver();
    };
    for (const name of ["pointerleave", "pointercancel", "blur"])
      over.addEventListener(name, leave);
  }

  /** While dragging, the nearest one. @param {PointerEvent} event @returns {Cell | null} */
  cellUnder(event) {
    const box = this.over.getBoundingClientRect();
    const { view, margins } = this;
    const x = Math.floor(
      ((event.clientX - box.left - margins.left) / this.plotWidth) * view.across,
    );
    const y = Math.floor(((event.clientY - box.top - margins.top) / this.plotHeight) * view.down);
    if (!this.drag && (x < 0 || x >= view.across || y >= view.down || (y < 0 && view.down > 1)))
      return null;
    return { x: view.x + within(x, 0, view.across - 1), y: view.y + within(y, 0, view.down - 1) };
  }

  /** @param {Cell | null} at */
  released(at) {
    const from = this.drag;
    this.drag = null;
    if (!at) return;
    const far = from
      ? Math.max(Math.abs(at.x - from.x), this.isSquare ? Math.abs(at.y - from.y) : 0)
      : 0;
    if (from && far > 0) this.zoom(Math.min(at.x, from.x), Math.min(at.y, from.y), far + 1);
    else this.pin(at);
  }

  /** @param {Cell} cell */
  pin(cell) {
    const rank = this.rankOf(cell);
    if (rank !== null) togglePin(rank);
  }

  /** @param {number} x @param {number} y @param {number} cells across */
  zoom(x, y, cells) {
    const across = within(Math.round(cells), Math.min(2, this.across), this.across);
    const down = this.isSquare ? Math.min(across, this.down) : this.down;
    this.view = {
      x: within(Math.round(x), 0, this.across - across),
      y: within(Math.round(y), 0, this.down - down),
      across,
      down,
    };
    this.all.hidden = across === this.across;
    this.draw();
  }

  showAll() {
    this.zoom(0, 0, this.across);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { view } = this;
    const at = this.at ?? this.start();
    const far = event.shiftKey ? Math.ceil(view.across / 10) : 1;
    const closer = () => this.zoom(at.x - view.across / 4, at.y - view.down / 4, view.across / 2);
    const pin = () => this.pin(at);
    /** @type {Record<string, () => void>} */
    const actions = {
      ArrowLeft: () => this.goTo(at.x - far, at.y),
      ArrowRight: () => this.goTo(at.x + far, at.y),
      ArrowUp: () => this.goTo(at.x, at.y - far),
      ArrowDown: () => this.goTo(at.x, at.y + far),
      Home: () => this.goTo(0, at.y),
      End: () => this.goTo(this.across - 1, at.y),
      Enter: pin,
      " ": pin,
      "+": closer,
      "=": closer,
      "-": () => this.zoom(at.x - view.across, at.y - view.down, view.across * 2),
      Escape: () => (view.across < this.across ? this.showAll() : selectNothing()),
    };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  /** Moves the cursor, and the window after it. @param {number} x @param {number} y */
  goTo(x, y) {
    const at = this.at
      ? { x: within(x, 0, this.across - 1), y: within(y, 0, this.down - 1) }
      : this.start();
    const { view } = this;
    if (
      at.x < view.x ||
      at.x >= view.x + view.across ||
      at.y < view.y ||
      at.y >= view.y + view.down
    ) {
      this.zoom(at.x - view.across / 2, at.y - view.down / 2, view.across);
    }
    this.at = at;
    this.drawOver();
    const tip = this.tipOf(at);
    const box = this.over.getBoundingClientRect();
    showTip(tip, box.left + this.xOf(at.x + 0.5), box.top + this.yOf(at.y + 0.5));
    announce(spokenTip(tip));
  }
}
