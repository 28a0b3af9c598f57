// Since when, and why? The history of the application that is chosen, what changed with it by line,
// and its single slow runs.
import { hideTip, showTip, spokenTip } from "../charts/tooltip.js";
import { announce, element } from "../dom.js";
import { percentText, secondsText } from "../format.js";
import { dataTools, section } from "../panel.js";
import { numberColumn, textColumn } from "../tables/table_columns.js";
import { changeText, commitText, medianStep } from "./fleet_data.js";
import { HistoryChart } from "./history_chart.js";

/** @typedef {import("./fleet_data.js").FleetData} FleetData */
/** @typedef {import("./fleet_data.js").FleetSeries} FleetSeries */
/** @typedef {import("./fleet_data.js").ChangeRow} ChangeRow */

/** @param {number} seconds */
function signedSeconds(seconds) {
  return `${seconds < 0 ? "−" : "+"}${secondsText(Math.abs(seconds))}`;
}

/** @param {ChangeRow} change */
function linesList(change) {
  return element(
    "ul.line-changes",
    {},
    ...change.lines.map(({ function: what, place, difference_s, beyond_noise }) => {
      const kind = !beyond_noise ? "muted" : difference_s > 0 ? "slower" : "faster";
      return element(
        "li",
        {},
        element("strong", {}, what),
        " ",
        place ? element("code", {}, place) : null,
        element(`span.line-difference.${kind}`, {}, signedSeconds(difference_s)),
        beyond_noise ? null : element("span.note", {}, "Within noise."),
      );
    }),
  );
}

export class HistorySection {
  /** @param {FleetData} fleet */
  constructor(fleet) {
    this.fleet = fleet;
    this.series =
      fleet.series.find((series) => series.change?.kind === "slower") ?? fleet.series[0];
    this.cursor = 0;
    this.words = element("p.history-words");
    this.chart = element("div.history-chart", {
      tabindex: 0,
      role: "application",
      "aria-roledescription": "chart",
      "aria-label": "History. Arrows move from run to run.",
    });
    this.beside = element("div.history-beside");
    this.tools = element("div");
    this.title = element("span");
    this.drawn = /** @type {HistoryChart | null} */ (null);
    const { node } = section(
      { id: "history", title: "History", question: "Since when, and why?" },
      this.words,
      element("div.columns.wide-left", {}, element("div", {}, this.chart, this.tools), this.beside),
      element(
        "p.hint.below",
        {},
        "Below the times: what each cause cost the run, on one scale, and lanes for the " +
          "environment of the runs. A red lane changes where the time does, which need not " +
          "be the cause.",
      ),
    );
    this.node = node;
    new ResizeObserver(() => this.draw()).observe(this.chart);
    this.listen();
    this.show();
  }

  /** @param {FleetSeries} series */
  choose(series) {
    this.series = series;
    this.drawn = null;
    this.show();
    this.draw();
    this.node.scrollIntoView({ block: "start" });
  }

  show() {
    const { series } = this;
    if (!series) return;
    const { change } = series;
    const name = `${series.name}, ${series.ranks.toLocaleString("en")} ranks`;
    const noise = `noise ±${percentText(200 * series.noise)}`;
    this.words.replaceChildren(
      element(
        "strong",
        {},
        change
          ? `${name}: since ${this.fleet.dayText(change.hour)}, a run takes ` +
              `${secondsText(change.after_s)} instead of ${secondsText(change.before_s)} ` +
              `(${changeText(change.percent)}, ${noise}).`
          : `${name}: ${secondsText(series.now_s)}, unchanged (${noise}).`,
      ),
      element(
        "span.muted",
        {},
        change ? ` ${change.runs_after.toLocaleString("en")} runs since then.` : "",
        series.weeks.length > 0 ? " A mark is a week: its median and quartiles." : "",
      ),
    );
    this.beside.replaceChildren(
      ...(change && change.lines.length > 0
        ? [element("h3", {}, "What changed with it"), linesList(change)]
        : []),
      ...this.slowRuns(series),
    );
    this.tools.replaceChildren(this.table(series));
  }

  /** Single slow runs, with the node that was slowest. @param {FleetSeries} series */
  slowRuns(series) {
    if (series.outliers.length === 0) return [];
    return [
      element("h3", {}, "Single slow runs"),
      element(
        "ul.slow-runs",
        {},
        ...series.outliers.slice(-6).map(({ hour, step, host }) => {
          const level = series.levels.filter(({ from }) => from <= hour).at(-1)?.step ?? medianStep;
          const much = changeText(100 * (step / level - 1));
          const where = host === "" ? "" : `, slowest on ${host}`;
          return element("li", {}, `${this.fleet.dayText(hour)}: ${much}${where}`);
        }),
      ),
    ];
  }

  /** @param {FleetSeries} series */
  table(series) {
    const rows = series.marks.map(({ hour, step }, i) => ({ hour, step, i }));
    return dataTools("history", () => ({
      caption: "History",
      rows,
      columns: [
        textColumn(
          series.weeks.length > 0 ? "Week" : "Day",
          /** @param {{hour: number, step: number, i: number}} row */ (row) =>
            this.fleet.dayText(row.hour),
        ),
        numberColumn("Time", (row) => series.secondsOf(row.step), secondsText),
        ...(series.commits.length > 0
          ? [
              textColumn(
                "Commit",
                /** @param {{i: number}} row */ (row) => commitText(series.commits[row.i] ?? ""),
              ),
            ]
          : []),
        ...series.accounts.map(({ name, steps }) =>
          numberColumn(
            name,
            /** @param {{i: number}} row */ (row) => series.secondsOf(steps[row.i] ?? 0),
            secondsText,
          ),
        ),
      ],
    }));
  }

  draw() {
    const width = Math.floor(this.chart.clientWidth);
    if (!this.series || width === 0 || this.drawn?.width === width) return;
    this.drawn = new HistoryChart(this.fleet, this.series, width);
    this.chart.replaceChildren(this.drawn.draw());
  }

  /** @param {{hour: number, step: number}} run @returns {import("../charts/tooltip.js").Tip} */
  tip(run) {
    const seconds = this.series?.secondsOf(run.step) ?? 0;
    const place = this.series?.marks.indexOf(run) ?? -1;
    const commit = commitText(this.series?.commits[place] ?? "");
    const costs = (this.series?.accounts ?? [])
      .map(({ name, steps }) => ({ name, seconds: this.series?.secondsOf(steps[place] ?? 0) ?? 0 }))
      .filter((cost) => cost.seconds > 0);
    const outlier = this.series?.outliers.find(
      ({ hour, step }) => hour === run.hour && step === run.step,
    );
    return {
      title: this.fleet.dayText(run.hour),
      lines: [
        { name: "time", value: secondsText(seconds) },
        ...costs.map((cost) => ({ name: cost.name, value: secondsText(cost.seconds) })),
        ...(commit === "" ? [] : [{ name: "commit", value: commit }]),
      ],
      note: outlier && outlier.host !== "" ? `slowest on ${outlier.host}` : undefined,
    };
  }

  listen() {
    const { chart } = this;
    chart.addEventListener("pointermove", (event) => {
      if (!this.drawn) return;
      const box = chart.getBoundingClientRect();
      showTip(this.tip(this.drawn.nearest(event.clientX - box.left)), event.clientX, event.clientY);
    });
    for (const name of ["pointerleave", "blur"]) chart.addEventListener(name, hideTip);
    chart.addEventListener("keydown", (event) => {
      const all = this.series?.marks ?? [];
      /** @type {Record<string, number>} */
      const places = {
        ArrowLeft: Math.max(this.cursor - 1, 0),
        ArrowRight: Math.min(this.cursor + 1, all.length - 1),
        Home: 0,
        End: all.length - 1,
      };
      const to = places[event.key];
      const run = all[to ?? -1];
      if (to === undefined || !run || !this.drawn) return;
      event.preventDefault();
      this.cursor = to;
      const box = chart.getBoundingClientRect();
      showTip(this.tip(run), box.left + this.drawn.x(run.hour), box.top + this.drawn.y(run.step));
      announce(spokenTip(this.tip(run)));
    });
  }
}
