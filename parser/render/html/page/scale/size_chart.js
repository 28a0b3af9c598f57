// A chart of curves over the number of ranks, for the page of mprof scale, and where its curves
// have their names.
import { markSize, ranksText, ranksWords } from "./scale_data.js";
import { hideTip, showTip, spokenTip } from "../charts/tooltip.js";
import { announce, element, svg } from "../dom.js";
import { percentText, ratioText, secondsText, shareText } from "../format.js";

/** @typedef {import("./scale_data.js").ScaleData} ScaleData */

/** @typedef {{x: number, y: number}} Point */
/** @typedef {{left: number, top: number, right: number, bottom: number}} Box */
/** @typedef {{x: number, y: number, anchor?: "start" | "middle" | "end"}} Place of its baseline */

/** Of a bold character of 12 pixels, where % counts as one and a half, and of a line. */
const characterWidth = 7.6;
const lineHeight = 14;
/** Between two places of a line that are looked at. */
const lookEvery = 4;

export class LabelPlaces {
  /** @param {Box} room */
  constructor(room) {
    this.room = room;
    /** @type {Box[]} */
    this.taken = [];
  }

  /** Nothing is written over a line. @param {Point[]} points @param {number} [away] */
  keepOffLine(points, away = 2) {
    points.forEach((to, i) => {
      const from = points[i - 1] ?? to;
      const steps = Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / lookEvery);
      for (let step = 0; step <= steps; step++) {
        const x = from.x + ((to.x - from.x) * step) / Math.max(steps, 1);
        const y = from.y + ((to.y - from.y) * step) / Math.max(steps, 1);
        this.taken.push({ left: x - away, top: y - away, right: x + away, bottom: y + away });
      }
    });
  }

  /**
   * The first place that is free, or null.
   * @param {string} text @param {Place[]} places
   */
  find(text, places) {
    const width = (text.length + 0.5 * (text.split("%").length - 1)) * characterWidth;
    for (const place of places) {
      const { x, y, anchor = "start" } = place;
      const left = anchor === "start" ? x : anchor === "end" ? x - width : x - width / 2;
      const box = { left, top: y - lineHeight + 3, right: left + width, bottom: y + 3 };
      const { room } = this;
      if (box.left < room.left || box.right > room.right) continue;
      if (box.top < room.top || box.bottom > room.bottom) continue;
      const isFree = this.taken.every(
        (other) =>
          other.right < box.left ||
          other.left > box.right ||
          other.bottom < box.top ||
          other.top > box.bottom,
      );
      if (!isFree) continue;
      this.taken.push(box);
      return place;
    }
    return null;
  }
}

// What the charts over the number of ranks share: drawn as SVG for the width that they have, with
// ranks on a logarithmic axis, a tip per size, and arrows that go from size to size.

/** Between two ticks. */
const tickRoom = 46;

/** "M1 2L3 4" @param {Point[]} points */
export function pathOf(points) {
  return points
    .map(({ x, y }, i) => `${i === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`)
    .join("");
}

/** @param {Point[]} upper @param {Point[]} lower */
export function bandOf(upper, lower) {
  return `${pathOf(upper)}${pathOf([...lower].reverse()).replace("M", "L")}Z`;
}

/** @param {ScaleData} data @param {number} at @returns {import("../charts/tooltip.js").Tip} */
export function sizeTip(data, at) {
  const size = data.sizes[at] ?? data.last;
  const noise = size.noise_percent;
  return {
    title: ranksWords(size.ranks),
    lines: [
      { name: "time", value: secondsText(size.wallclock_s) },
      { name: "speed-up", value: ratioText(size.speedup) },
      { name: "efficiency", value: shareText(size.efficiency) },
      { name: "runs", value: String(size.runs) },
    ],
    note: typeof noise === "number" ? `noise ±${percentText(noise)}` : "noise not known: one run",
  };
}

export class SizeChart {
  /**
   * @param {ScaleData} data @param {string} label what a screen reader calls it
   * @param {number} furthest ranks at the right end
   * @param {(chart: SizeChart) => void} paint
   */
  constructor(data, label, furthest, paint) {
    this.data = data;
    this.furthest = furthest;
    this.paint = paint;
    this.at = -1;
    this.width = 0;
    this.height = 0;
    this.margins = { left: 46, top: 14, right: 14, bottom: 40 };
    this.drawing = svg("svg", { "aria-hidden": "true" });
    this.labels = new LabelPlaces({ left: 0, top: 0, right: 0, bottom: 0 });
    this.node = element(
      "div.size-chart",
      {
        tabindex: 0,
        role: "application",
        "aria-roledescription": "chart",
        "aria-label": `${label}. Arrows move from size to size.`,
      },
      this.drawing,
    );
    new ResizeObserver(() => this.draw()).observe(this.node);
    this.listen();
  }

  get right() {
    return this.width - this.margins.right;
  }

  get bottom() {
    return this.height - this.margins.bottom;
  }

  /** @param {number} ranks */
  x(ranks) {
    const from = this.data.first.ranks;
    const whole = Math.log(this.furthest / from) || 1;
    return this.margins.left + (Math.log(ranks / from) / whole) * (this.right - this.margins.left);
  }

  draw() {
    const width = Math.floor(this.node.clientWidth);
    if (width === 0 || width === this.width) return;
    this.width = width;
    this.height = Math.round(Math.min(Math.max(width * 0.52, 230), 320));
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${this.height}`);
    this.drawing.replaceChildren();
    this.labels = new LabelPlaces({
      left: this.margins.left + 2,
      top: 0,
      right: width,
      bottom: this.bottom,
    });
    this.columns();
    this.ranksAxis();
    this.paint(this);
  }

  /** The column of each size, which is shown while pointer or cursor are at it. */
  columns() {
    this.data.sizes.forEach((size, i) =>
      this.add("rect", {
        class: "column",
        "data-size": i,
        x: this.x(size.ranks) - 9,
        y: this.margins.top,
        width: 18,
        height: this.bottom - this.margins.top,
      }),
    );
  }

  ranksAxis() {
    const all = this.data.sizes.map((size) => size.ranks);
    if (this.furthest > this.data.last.ranks) all.push(this.furthest);
    // The ends first: what has no room beside them is left out.
    const order = [all.at(-1), all[0], this.data.last.ranks, ...all];
    /** @type {number[]} */
    const done = [];
    for (const ranks of order) {
      if (ranks === undefined) continue;
      const x = this.x(ranks);
      if (done.some((other) => Math.abs(other - x) < tickRoom)) continue;
      done.push(x);
      const isEnd = x > this.right - 20;
      this.write(ranksText(ranks), isEnd ? this.width - 1 : x, this.bottom + 17, {
        "text-anchor": isEnd ? "end" : "middle",
      });
    }
    for (const ranks of all)
      this.line("tick", this.x(ranks), this.bottom, this.x(ranks), this.bottom + 4);
    this.write("ranks", this.width - 1, this.bottom + 33, { "text-anchor": "end" });
  }

  /** A line across with its figure. @param {number} y @param {string} text */
  tick(y, text) {
    this.line("grid", this.margins.left, y, this.right, y);
    this.write(text, this.margins.left - 8, y + 4, { "text-anchor": "end" });
  }

  /**
   * @template {keyof SVGElementTagNameMap} K
   * @param {K} tag @param {import("../dom.js").Attributes} attributes
   */
  add(tag, attributes) {
    this.drawing.append(svg(tag, attributes));
  }

  /**
   * @param {string} name of its class
   * @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2
   */
  line(name, x1, y1, x2, y2) {
    this.add("line", { class: name, x1, y1, x2, y2 });
  }

  /**
   * @param {string} text @param {number} x @param {number} y
   * @param {import("../dom.js").Attributes} [attributes]
   */
  write(text, x, y, attributes = {}) {
    this.drawing.append(svg("text", { x, y, ...attributes }, text));
  }

  /**
   * At the first of these places that has room, if any.
   * @param {string} text @param {string} kind its class @param {Place[]} places
   */
  label(text, kind, places) {
    const place = this.labels.find(text, places);
    if (place)
      this.write(text, place.x, place.y, { class: kind, "text-anchor": place.anchor ?? "start" });
    return place !== null;
  }

  listen() {
    const { node } = this;
    node.addEventListener("pointermove", (event) => {
      const x = event.clientX - node.getBoundingClientRect().left;
      const away = this.data.sizes.map((size) => Math.abs(this.x(size.ranks) - x));
      this.at = away.indexOf(Math.min(...away));
      markSize(this.at);
      showTip(sizeTip(this.data, this.at), event.clientX, event.clientY);
    });
    const leave = () => {
      this.at = -1;
      markSize(null);
      hideTip();
    };
    for (const name of ["pointerleave", "blur"]) node.addEventListener(name, leave);
    node.addEventListener("keydown", (event) => {
      const end = this.data.sizes.length - 1;
      /** @type {Record<string, number>} */
      const places = {
        ArrowRight: Math.min(this.at + 1, end),
        ArrowLeft: this.at < 0 ? end : Math.max(this.at - 1, 0),
        Home: 0,
        End: end,
      };
      if (event.key === "Escape") leave();
      const to = places[event.key];
      if (to === undefined) return;
      event.preventDefault();
      this.goTo(to);
    });
  }

  /** @param {number} size */
  goTo(size) {
    this.at = size;
    markSize(size);
    const tip = sizeTip(this.data, size);
    const box = this.node.getBoundingClientRect();
    const { ranks } = this.data.sizes[size] ?? this.data.last;
    showTip(tip, box.left + this.x(ranks), box.top + this.margins.top);
    announce(spokenTip(tip));
  }
}
