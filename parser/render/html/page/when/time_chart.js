// Time from left to right, in one chart whose strips share the axis: phases, the average rank, a
// row per rank, the duration of a step. Pointer: hover shows the bin, dragging brushes a window, a
// click pins the rank of a row or brushes a phase. Keys: arrows move, with Shift they brush, Enter
// pins, Z zooms into the window, Esc goes back.
import { paintHeat, paintStacks } from "./paint_map.js";
import { paintBars, paintRanks } from "./paint_ranks.js";
import { paintAverage, paintAxis, paintPhases, paintSteps } from "./paint_strips.js";
import { paintCursor, paintLensLine, paintPinned, paintWindow } from "./paint_window.js";
import { averageRow, besideBins, phaseRow, TimeFrame } from "./time_frame.js";
import { cellTip, meanTip, phaseTip, stepTip, windowText } from "./time_words.js";
import { announce } from "../dom.js";
import { selectNothing } from "../selection.js";

/** @typedef {import("../charts/canvas_chart.js").Context} Context */
/** @typedef {import("../charts/canvas_chart.js").Cell} Cell */
/** @typedef {import("./time_states.js").State} State */
/** @typedef {import("./time_lens.js").TimeLens} TimeLens */

/** In pixels. */
const handleReach = { mouse: 6, touch: 18 };
const touchSlack = 10;

export class TimeChart extends TimeFrame {
  /**
   * @param {import("./time_data.js").TimeData} time
   * @param {import("../charts/rank_axis.js").RankAxis} axis
   * @param {import("./time_states.js").ChosenWindow} chosen
   */
  constructor(time, axis, chosen) {
    super(
      time,
      axis,
      chosen,
      "Time of each rank, from left to right. With Shift arrows brush a window, Z zooms into it",
    );
    /** What shows single ranks of a row, if rows are of many. @type {TimeLens | null} */
    this.lens = null;
    this.isGripped = false;
    /** Where a finger went down. @type {{x: number, cell: Cell} | null} */
    this.finger = null;
    this.listenBrush();
  }

  /** Whether cells have one colour each. */
  get isHeat() {
    return !this.isStacked || this.shown !== null;
  }

  draw() {
    super.draw();
    this.lens?.follow();
  }

  /** Of the row that computes longest. */
  get mostSeconds() {
    return Math.max(...this.time.rows.map(({ compute_s }) => compute_s), 1e-12);
  }

  /** @param {State[] | null} states null = all of them */
  showStates(states) {
    this.shown = states;
    this.draw();
  }

  /** @param {boolean} isCompared with the median row of each bin */
  compare(isCompared) {
    this.isCompared = isCompared;
    this.draw();
  }

  /** @param {number[]} order rows from top to bottom */
  showOrder(order) {
    this.order = order;
    this.draw();
  }

  /** @param {Cell} cell */
  tipOf(cell) {
    const { time } = this;
    const { shared } = this.grid;
    if (cell.y === phaseRow) {
      const phase = time.phaseAt(time.timeOf(cell.x + shared / 2));
      return phase ? phaseTip(time, phase) : meanTip(time, cell.x, shared);
    }
    if (cell.y === averageRow) return meanTip(time, cell.x, shared);
    if (cell.y >= this.down)
      return time.steps ? stepTip(time, cell.x) : meanTip(time, cell.x, shared);
    const row = this.rowAt(cell.y);
    const [from, bins] = cell.x === besideBins ? [0, time.count] : [cell.x, shared];
    return cellTip(time, this.axis, row, from, bins, this.isHeat && this.isCompared ? time : null);
  }

  /** @param {Cell} cell */
  rankOf(cell) {
    return cell.y >= 0 && cell.y < this.down ? this.time.rankOf(this.rowAt(cell.y)) : null;
  }

  /** @param {Cell} cell */
  pin(cell) {
    if (cell.y !== phaseRow) return super.pin(cell);
    const phase = this.time.phaseAt(this.time.timeOf(cell.x + this.grid.shared / 2));
    if (phase) this.chosen.toggle(this.time.windowOf(phase));
  }

  /** @param {Context} context */
  paint(context) {
    paintPhases(context, this);
    if (!this.isStacked) paintAverage(context, this);
    if (this.isHeat) paintHeat(context, this);
    else paintStacks(context, this);
    paintRanks(context, this);
    if (this.barsWidth > 0) paintBars(context, this);
    if (this.time.steps) paintSteps(context, this);
    paintAxis(context, this);
  }

  /** @param {Context} context */
  paintOver(context) {
    paintPinned(context, this);
    paintLensLine(context, this);
    paintWindow(context, this);
  }

  drawOver() {
    const { at } = this;
    this.at = null; // the frame of other charts is not wanted here
    const context = this.width > 0 && this.over.getContext("2d");
    super.drawOver();
    this.at = at;
    if (context && at && !this.drag) paintCursor(context, this, at);
  }

  listenBrush() {
    const { over } = this;
    over.addEventListener("pointerdown", (event) => this.pressed(event));
    over.addEventListener("pointermove", (event) => this.moved(event));
    over.addEventListener("pointercancel", () => (this.finger = null));
  }

  /** @param {PointerEvent} event */
  pressed(event) {
    const isTouch = event.pointerType === "touch";
    const edge = this.edgeUnder(event, isTouch ? handleReach.touch : handleReach.mouse);
    this.isGripped = edge !== null;
    const cell = this.cellUnder(event);
    if (edge !== null) this.drag = { x: edge, y: 0 };
    else if (cell?.x === besideBins) this.drag = null;
    this.finger = isTouch && cell ? { x: event.clientX, cell } : null;
  }

  /**
   * The bin at the other end of the window, if the pointer is on an end of it.
   * @param {PointerEvent} event @param {number} reach
   */
  edgeUnder(event, reach) {
    const { window } = this.chosen;
    if (!window) return null;
    const x = event.clientX - this.over.getBoundingClientRect().left;
    if (Math.abs(x - this.xOf(window.from)) <= reach) return window.to - 1;
    return Math.abs(x - this.xOf(window.to)) <= reach ? window.from : null;
  }

  /** @param {PointerEvent} event */
  moved(event) {
    const { finger } = this;
    if (finger && !this.drag && Math.abs(event.clientX - finger.x) > touchSlack)
      this.drag = finger.cell;
    const at = this.drag && this.cellUnder(event);
    if (at && this.drag && (this.isGripped || at.x !== this.drag.x)) this.brush(this.drag.x, at.x);
    const isOnEdge = this.edgeUnder(event, handleReach.mouse) !== null;
    const isOnPhase = this.at?.y === phaseRow && !this.drag;
    this.over.style.cursor = isOnEdge ? "ew-resize" : isOnPhase ? "pointer" : "crosshair";
  }

  /** @param {Cell | null} at */
  released(at) {
    const from = this.drag;
    const isBrush = from && at && (this.isGripped || from.x !== at.x);
    this.drag = null;
    this.finger = null;
    if (isBrush) this.brush(from.x, at.x);
    else if (at) this.pin(at);
    this.isGripped = false;
  }

  /** @param {number} a @param {number} b bins at both ends */
  brush(a, b) {
    const to = Math.min(Math.max(a, b) + this.grid.shared, this.across);
    this.chosen.set({ from: Math.min(a, b), to });
  }

  zoomIn() {
    const { window } = this.chosen;
    if (window) this.zoom(window.from, 0, window.to - window.from);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isAcross = event.key === "ArrowLeft" || event.key === "ArrowRight";
    if (event.shiftKey && isAcross) this.extend(event.key === "ArrowLeft" ? -1 : 1);
    else if (event.key === "z" || event.key === "Z") this.zoomIn();
    else if (event.key === "Escape") this.goBack();
    else return super.key(event);
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} way */
  extend(way) {
    const { window } = this.chosen;
    const at = this.at ?? (window ? { x: window.to - 1, y: 0 } : this.start());
    const step = way * this.grid.shared;
    const isEnd = window && (at.x === window.from || at.x === window.to - 1);
    const other = isEnd ? (at.x === window.from ? window.to - 1 : window.from) : at.x;
    this.goTo(at.x + step, Math.max(at.y, 0));
    const to = this.at?.x ?? at.x;
    this.chosen.set({ from: Math.min(other, to), to: Math.max(other, to) + 1 });
    if (this.chosen.window) announce(`window ${windowText(this.time, this.chosen.window)}`);
  }

  goBack() {
    if (this.view.across < this.across) this.showAll();
    else if (this.chosen.window) this.chosen.set(null);
    else selectNothing();
  }
}
