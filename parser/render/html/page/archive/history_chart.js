// One history, drawn as SVG for a width: every run (or week), the levels with their noise, and the
// change as a line that goes on through what each cause cost, and through the lanes of the
// environment below. The lane that changes where the time does is red; nothing claims that it is
// the cause.
import { changeText, counts, medianStep } from "./fleet_data.js";
import { niceStep, ticksBetween } from "../charts/scales.js";
import { svg } from "../dom.js";
import { secondsText } from "../format.js";

/** @typedef {import("./fleet_data.js").FleetData} FleetData */
/** @typedef {import("./fleet_data.js").FleetSeries} FleetSeries */

const chartHeight = 260;
const laneHeight = 22;
const accountHeight = 38;
/** More causes than these are in the table alone. */
const mostAccounts = 5;
const left = 76;
const right = 14;
const top = 26;

export class HistoryChart {
  /** @param {FleetData} fleet @param {FleetSeries} series @param {number} width */
  constructor(fleet, series, width) {
    this.fleet = fleet;
    this.series = series;
    this.width = width;
    this.lanes = series.lanes.filter(({ stretches }) => stretches.some(({ text }) => text !== ""));
    this.bottom = top + chartHeight;
    this.accounts = series.accounts.slice(0, mostAccounts);
    this.lanesTop = this.bottom + 24 + this.accounts.length * accountHeight;
    this.height = this.lanesTop + this.lanes.length * laneHeight + 4;
    this.drawing = svg("svg", {
      viewBox: `0 0 ${width} ${this.height}`,
      height: this.height,
      "aria-hidden": "true",
    });
    const steps = [
      ...series.runs.map(({ step }) => step),
      ...series.weeks.flatMap(({ low, high }) => [low, high]),
      ...series.levels.map(({ step }) => step),
    ].sort((a, b) => a - b);
    // Single runs far out would press the rest together: they are drawn at the edge.
    const least = steps[Math.floor(steps.length * 0.005)] ?? 900;
    const most = steps[Math.ceil(steps.length * 0.995) - 1] ?? 1100;
    const room = Math.max((most - least) * 0.08, 10);
    this.low = least - room;
    this.high = most + room;
  }

  /** @param {number} hour */
  x(hour) {
    return left + (hour / this.fleet.hours) * (this.width - left - right);
  }

  /** @param {number} step */
  y(step) {
    const inside = Math.min(Math.max(step, this.low), this.high);
    return this.bottom - ((inside - this.low) / (this.high - this.low)) * chartHeight;
  }

  /** @param {number} step */
  seconds(step) {
    return this.series.secondsOf(step);
  }

  draw() {
    this.axes();
    this.levels();
    this.runs();
    this.accountRows();
    this.laneRows();
    this.changes();
    return this.drawing;
  }

  axes() {
    const from = this.seconds(this.low);
    const to = this.seconds(this.high);
    for (const value of ticksBetween(from, to, niceStep(to - from, 6))) {
      const y = this.y((value / this.series.first_s) * medianStep);
      this.drawing.append(
        svg("line", { class: "grid", x1: left, x2: this.width - right, y1: y, y2: y }),
        svg("text", { x: left - 8, y: y + 4, "text-anchor": "end" }, secondsText(value)),
      );
    }
    for (const { hour, name } of this.fleet.monthTicks((this.width - left) / 52)) {
      const x = this.x(hour);
      this.drawing.append(
        svg("line", { class: "grid", x1: x, x2: x, y1: this.bottom, y2: this.bottom + 5 }),
        svg("text", { x, y: this.bottom + 17, "text-anchor": "middle" }, name),
      );
    }
  }

  /** @param {{from: number}} level */
  kindOf(level) {
    const change = this.series.changes.find(({ hour }) => hour === level.from);
    if (!change || level === this.series.levels[0]) return "same";
    return counts(change) ? change.kind : "unsure";
  }

  levels() {
    const half = 2 * this.series.noise;
    for (const level of this.series.levels) {
      const kind = this.kindOf(level);
      const x = this.x(level.from);
      const width = Math.max(this.x(level.to) - x, 2);
      const high = this.y(level.step * (1 + half));
      const low = this.y(level.step * (1 - half));
      this.drawing.append(
        svg("rect", { class: `noise ${kind}`, x, y: high, width, height: Math.max(low - high, 1) }),
        svg("path", { class: `level ${kind}`, d: `M${x} ${this.y(level.step)}h${width}` }),
      );
    }
  }

  runs() {
    const weeks = this.series.weeks
      .map(({ hour, low, high }) => `M${this.x(hour).toFixed(1)} ${this.y(low)}V${this.y(high)}`)
      .join("");
    const dots = [...this.series.weeks, ...this.series.runs]
      .map(({ hour, step }) => `M${this.x(hour).toFixed(1)} ${this.y(step).toFixed(1)}h0`)
      .join("");
    this.drawing.append(
      svg("path", { class: "quartiles", d: weeks }),
      svg("path", { class: "dots", d: dots }),
    );
    for (const { hour, step } of this.series.outliers.slice(-100))
      this.drawing.append(
        svg("circle", { class: "outlier", cx: this.x(hour), cy: this.y(step), r: 4 }),
      );
  }

  /** What each cause cost: all on one scale, so that the large one is seen. */
  accountRows() {
    const most = Math.max(1, ...this.accounts.flatMap(({ steps }) => steps));
    this.accounts.forEach(({ name, steps }, i) => {
      const low = this.bottom + 24 + (i + 1) * accountHeight - 6;
      /** @param {number} step */
      const y = (step) => low - (step / most) * (accountHeight - 12);
      const marks = this.series.marks
        .map(({ hour }, n) => `M${this.x(hour).toFixed(1)} ${y(steps[n] ?? 0).toFixed(1)}h0`)
        .join("");
      this.drawing.append(
        svg("line", { class: "grid", x1: left, x2: this.width - right, y1: low, y2: low }),
        svg("text", { class: "lane-name", x: left - 8, y: low - 6, "text-anchor": "end" }, name),
        svg("path", { class: "dots account", d: marks }),
      );
      if (i === 0)
        this.drawing.append(
          svg(
            "text",
            { class: "most-cost", x: this.width - right, y: y(most) + 2, "text-anchor": "end" },
            secondsText(this.series.secondsOf(most)),
          ),
        );
    });
  }

  /** The lanes that changed with the last change. */
  get changed() {
    return new Set(this.series.change?.lanes.map((lane) => this.fleet.lanes[lane]));
  }

  laneRows() {
    this.lanes.forEach(({ name, stretches }, i) => {
      const y = this.lanesTop + i * laneHeight;
      const isRed = this.changed.has(name);
      this.drawing.append(
        svg(
          "text",
          {
            class: isRed ? "lane-name at" : "lane-name",
            x: left - 8,
            y: y + 14,
            "text-anchor": "end",
          },
          name,
        ),
      );
      stretches.forEach(({ hour, text }, n) => {
        const end = stretches[n + 1]?.hour ?? this.fleet.hours;
        const x = this.x(hour);
        const width = Math.max(this.x(end) - x - 1, 1);
        const isNew = isRed && this.series.change !== null && hour >= this.series.change.hour - 48;
        const kind = isNew ? "lane at" : n % 2 === 0 ? "lane" : "lane other";
        this.drawing.append(
          svg(
            "rect",
            { class: kind, x, y, width, height: laneHeight - 4 },
            svg("title", {}, `${name}: ${text || "not known"}`),
          ),
        );
        const shown = name === "program" ? text.slice(0, 8) : text;
        if (shown.length * 6.4 + 10 < width)
          this.drawing.append(
            svg(
              "text",
              { class: isNew ? "lane-text at" : "lane-text", x: x + 6, y: y + 13 },
              shown,
            ),
          );
      });
    });
  }

  changes() {
    for (const change of this.series.changes) {
      if (!counts(change)) continue;
      const x = this.x(change.hour);
      const isLast = change === this.series.change;
      this.drawing.append(
        svg("line", {
          class: `cut ${change.kind}`,
          x1: x,
          x2: x,
          y1: 12,
          y2: isLast ? this.height : this.bottom,
        }),
      );
      const words = `${this.fleet.dayText(change.hour)}: ${changeText(change.percent)}`;
      const isRight = x > this.width - 170;
      if (isLast)
        this.drawing.append(
          svg(
            "text",
            {
              class: `cut-words ${change.kind}`,
              x: isRight ? x - 6 : x + 6,
              y: 18,
              "text-anchor": isRight ? "end" : "start",
            },
            words,
          ),
        );
    }
  }

  /** The run or week that is nearest. @param {number} x */
  nearest(x) {
    return this.series.marks.reduce(
      (best, each) =>
        Math.abs(this.x(each.hour) - x) < Math.abs(this.x(best.hour) - x) ? each : best,
      this.series.marks[0] ?? { hour: 0, step: medianStep },
    );
  }
}
