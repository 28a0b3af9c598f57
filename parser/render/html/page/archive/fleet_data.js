// What the page of mprof archive draws, as render_archive_html.cc wrote it: hours count from the
// first run of the archive, steps are thousandths of the series' first median.
import { percentText } from "../format.js";
import { unpacked } from "../unpack.js";

/** @typedef {{hour: number, step: number}} RunDot */
/** @typedef {{hour: number, low: number, step: number, high: number}} WeekMark */
/** @typedef {{from: number, to: number, step: number}} LevelMark */
/** @typedef {import("../report_types.js").ArchiveFields} ArchiveFields */
/** @typedef {ArchiveFields["lines"]} LineRow */
/**
 * @typedef {ArchiveFields["changes"] & {
 *   at: number, hour: number, since: string, lanes: number[], lines: LineRow[]
 * }} ChangeRow
 */
/** @typedef {{name: string, stretches: {hour: number, text: string}[]}} LaneRow */
/**
 * What a cause cost, a step for each of the runs or weeks.
 * @typedef {{name: string, steps: number[]}} AccountSteps
 */

/** A step of this many thousandths is the first median. */
export const medianStep = 1000;

/** @param {number[]} differences */
function summed(differences) {
  let sum = 0;
  return differences.map((difference) => (sum += difference));
}

/** It has enough runs, and no later level is back. @param {ChangeRow} change */
export function counts({ enough, lasts }) {
  return enough && lasts;
}

export class FleetSeries {
  /** @param {any} raw @param {string[]} lanes @param {string[]} texts */
  constructor(raw, lanes, texts) {
    const fields = /** @type {ArchiveFields["series"]} */ (raw);
    this.program = fields.program ?? "unknown program";
    this.input = fields.input ?? "";
    this.ranks = fields.ranks;
    this.count = fields.runs;
    this.hoursUsed = fields.node_hours;
    this.hoursLost = fields.lost_hours;
    this.now_s = fields.now_s;
    this.first_s = /** @type {number} */ (raw.first_s);
    /** One standard deviation of a run, of the series' level. */
    this.noise = fields.noise_percent / 100;
    /** Of one without changes: what is to be said of it, or nothing. */
    this.steady = /** @type {string} */ (raw.steady);
    const hours = summed(raw.hours ?? []);
    const steps = summed(raw.steps ?? []);
    /** @type {RunDot[]} */
    this.runs = hours.map((hour, i) => ({ hour, step: steps[i] ?? 0 }));
    /** @type {WeekMark[]} */
    this.weeks = (raw.weeks ?? []).map(
      /** @param {[number, number, number, number]} week */
      ([hour, low, step, high]) => ({ hour, low, step, high }),
    );
    /** @type {LevelMark[]} */
    this.levels = raw.levels.map(
      /** @param {[number, number, number]} level */
      ([from, to, step]) => ({ from, to, step }),
    );
    this.changes = /** @type {ChangeRow[]} */ (raw.changes);
    /** @type {(RunDot & {host: string})[]} */
    this.outliers = raw.outliers.map(
      /** @param {[number, number, number]} run */
      ([hour, step, host]) => ({ hour, step, host: texts[host] ?? "" }),
    );
    /** @type {AccountSteps[]} */
    this.accounts = (raw.accounts ?? []).map(
      /** @param {{name: number, steps: number[]}} account */
      ({ name, steps: costs }) => ({ name: texts[name] ?? "", steps: costs }),
    );
    /** Of each run; none: not known, or weeks are drawn. @type {string[]} */
    this.commits = (raw.commits ?? []).map(
      /** @param {number} text */
      (text) => texts[text] ?? "",
    );
    /** @type {LaneRow[]} */
    this.lanes = raw.lanes.map(
      /** @param {[number, number][]} stretches @param {number} i */
      (stretches, i) => ({
        name: lanes[i] ?? "",
        stretches: stretches.map(([hour, text]) => ({ hour, text: texts[text] ?? "" })),
      }),
    );
  }

  get name() {
    return [this.program, this.input].filter((word) => word !== "").join(", ");
  }

  /** What is drawn as marks. @returns {RunDot[]} */
  get marks() {
    return this.weeks.length > 0 ? this.weeks : this.runs;
  }

  /** @param {number} step */
  secondsOf(step) {
    return (step / medianStep) * this.first_s;
  }

  /** The last change that counts and lasts. */
  get change() {
    return this.changes.filter(counts).at(-1) ?? null;
  }

  /** The last change, where it has too few runs to count. */
  get unsure() {
    const last = this.changes.at(-1);
    return last && !counts(last) && this.change === null ? last : null;
  }
}

export class FleetData {
  /** @param {any} raw */
  constructor(raw) {
    this.from = /** @type {number} */ (raw.from);
    this.hours = Math.max(/** @type {number} */ (raw.hours), 1);
    this.leftOut = /** @type {number} */ (raw.left_out);
    this.lanes = /** @type {string[]} */ (raw.lanes);
    this.series = /** @type {any[]} */ (raw.series).map(
      (series) => new FleetSeries(series, raw.lanes, raw.texts),
    );
  }

  /** @param {number} hour */
  date(hour) {
    return new Date(1000 * (this.from + 3600 * hour));
  }

  /** "3 Nov 2026" @param {number} hour */
  dayText(hour) {
    return this.date(hour).toLocaleDateString("en-GB", {
      day: "numeric",
      month: "short",
      year: "numeric",
      timeZone: "UTC",
    });
  }

  /**
   * About `count` begins of months, with their names; of a year its number stands in January.
   * @param {number} count
   */
  monthTicks(count) {
    const first = this.date(0);
    const months = this.hours / 730;
    const step = [1, 2, 3, 6, 12].find((each) => months / each <= count) ?? 24;
    const ticks = [];
    for (let i = 1; ticks.length < 100; i++) {
      const month = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + i);
      const hour = (month / 1000 - this.from) / 3600;
      if (hour > this.hours) break;
      const at = new Date(month);
      if (at.getUTCMonth() % step !== 0) continue;
      const isYear = at.getUTCMonth() === 0;
      const name = at.toLocaleDateString("en-GB", { month: "short", timeZone: "UTC" });
      ticks.push({ hour, name: isYear ? String(at.getUTCFullYear()) : name });
    }
    return ticks;
  }
}

export function readFleet() {
  return new FleetData(JSON.parse(unpacked("data")));
}

/** A hash by its first letters. @param {string} commit */
export function commitText(commit) {
  return /^[0-9a-f]{32,}$/.test(commit) ? commit.slice(0, 12) : commit;
}

/** "+18%", "−4.2%" @param {number} percent */
export function changeText(percent) {
  return (percent < 0 ? "−" : "+") + percentText(Math.abs(percent));
}

/** As hours_text() of fleet.cc: two or three digits, with commas. @param {number} hours */
export function hoursText(hours) {
  if (hours > 0 && hours < 0.01) return "<0.01";
  if (hours < 1) return `${Number(hours.toPrecision(2))}`;
  if (hours < 99.5) return hours.toFixed(hours < 9.95 ? 1 : 0);
  return Math.round(Number(hours.toPrecision(3))).toLocaleString("en");
}
