"""How reports show in a notebook: the head of the report's page, as HTML and SVG in one piece.

Nothing is loaded from anywhere and no script runs. The colours are those of the page; dark ones
follow the notebook's theme (JupyterLab, VS Code), or else the system's. Colour is never alone:
every part has its name and its seconds beside it, and states without a CPU are hatched.
"""

from __future__ import annotations

import html
import itertools
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple

if TYPE_CHECKING:
    from .compare import Comparison, Scaling
    from .report import Report

# State as the report calls it: variable, light, dark. The order is that of the bar.
_STATES: Dict[str, Tuple[str, str, str]] = {
    "computing": ("compute", "#b9c2d3", "#475267"),
    "waiting for a CPU": ("contend", "#d39bb8", "#c07f9f"),
    "blocked": ("blocked", "#86295c", "#96507a"),
    "waiting in MPI": ("wait", "#e0702b", "#f08b47"),
    "transfer": ("transfer", "#2462ac", "#3f82d2"),
    "MPI I/O": ("io", "#08442f", "#8be5c0"),
    "start-up": ("mpi", "#7573c4", "#bdb4f7"),
    "MPI": ("mpi", "#7573c4", "#bdb4f7"),
    "mprof": ("ground", "#e9edf3", "#222936"),
}
_OTHER = {"text": ("#1c2430", "#e4e8ef"), "muted": ("#5b6675", "#9aa5b5"),
          "good": ("#1d7a46", "#5fc48d"), "watch": ("#9a6200", "#e0a84a"),
          "problem": ("#b3261e", "#ff8a80")}
# Figures of a rank, or of a time bin, in the order in which they are stacked from below.
_STACK = (("compute_s", "computing"), ("contention_s", "waiting for a CPU"),
          ("blocked_s", "blocked"), ("wait_s", "waiting in MPI"), ("transfer_s", "transfer"),
          ("file_s", "MPI I/O"), ("startup_s", "start-up"))
_MARKS = {"good": "\u2713", "watch": "\u25b2", "problem": "\u25c6"}
_WIDTH = 640
_MOST_BARS = 64
_number = itertools.count(1)  # patterns of two outputs have different names


def _variables(which: int) -> str:
    colours = {name: (light, dark) for name, light, dark in _STATES.values()}
    return "".join(f"--{name}:{pair[which]};" for name, pair in {**colours, **_OTHER}.items())


def _style() -> str:
    dark, light = _variables(1), _variables(0)
    return (f"<style>.mpiprof{{{light}color:var(--text);max-width:{_WIDTH}px;"
            "font:14px/1.45 system-ui,sans-serif}"
            f"@media (prefers-color-scheme:dark){{.mpiprof{{{dark}}}}}"
            f'[data-jp-theme-light="true"] .mpiprof,.vscode-light .mpiprof{{{light}}}'
            f'[data-jp-theme-light="false"] .mpiprof,.vscode-dark .mpiprof{{{dark}}}'
            ".mpiprof p{margin:4px 0}.mpiprof .m{color:var(--muted);font-size:12px}"
            ".mpiprof ul{display:flex;flex-wrap:wrap;gap:2px 14px;list-style:none;margin:4px 0;"
            "padding:0}.mpiprof i{display:inline-block;width:10px;height:10px;margin-right:5px}"
            ".mpiprof dl{display:flex;flex-wrap:wrap;gap:6px 20px;margin:8px 0}"
            ".mpiprof dt{color:var(--muted);font-size:12px}.mpiprof dd{margin:0;font-weight:600}"
            ".mpiprof svg{display:block;max-width:100%}.mpiprof svg text{fill:var(--muted);"
            "font:11px system-ui,sans-serif}.mpiprof .good{color:var(--good)}"
            ".mpiprof .watch{color:var(--watch)}.mpiprof .problem{color:var(--problem)}</style>")


def _page(*parts: str) -> str:
    return f'{_style()}<div class="mpiprof">{"".join(parts)}</div>'


def _text(value: object) -> str:
    return html.escape(str(value))


def seconds(value: float) -> str:
    """Three digits and a unit, joined by a narrow space that does not break: 9.62 s, 602 ms."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "\u00b5s")):
        if value == 0 or value * factor >= 0.9995:
            break
    else:
        factor, unit = 1e9, "ns"
    scaled = value * factor
    text = f"{scaled:,.0f}" if scaled >= 99.95 or scaled == 0 else f"{scaled:#.3g}"
    return f"{text}\u202f{unit}"


def percent(value: float) -> str:
    """A whole number: 24%; <1% of what is less than half of one."""
    return f"{value:.0f}%" if value >= 0.5 or value == 0 else "<1%"


def counted(count: int, word: str) -> str:
    """1 rank, 2 ranks."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def _headline(state: str, text: str) -> str:
    mark = _MARKS.get(state, "")
    return (f'<p><b class="{_text(state)}">{mark}</b> <b>{_text(text)}</b></p>')


class _Patterns:
    """The fills of the charts of one output: off-CPU states carry a hatch."""

    def __init__(self) -> None:
        self._prefix = f"mpiprof{next(_number)}"

    def definitions(self) -> str:
        """They are in an SVG of their own: each chart of the output finds them there."""
        return (f'<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>'
                f'{self._hatch("contend", "M0 4L4 0")}{self._hatch("blocked", "M0 0L4 4")}'
                "</defs></svg>")

    def _hatch(self, name: str, path: str) -> str:
        return (f'<pattern id="{self._prefix}-{name}" width="4" height="4" '
                'patternUnits="userSpaceOnUse">'
                f'<rect width="4" height="4" fill="var(--{name})"/>'
                f'<path d="{path}" stroke="#fff" stroke-opacity=".6" stroke-width=".8"/></pattern>')

    def fill(self, state: str) -> str:
        """The value of the attribute fill."""
        name = _STATES[state][0]
        if name in ("contend", "blocked"):
            return f"url(#{self._prefix}-{name})"
        return f"var(--{name})"


def _rect(x: float, y: float, width: float, height: float, fill: str, title: str = "") -> str:
    inner = f"<title>{_text(title)}</title>" if title else ""
    return (f'<rect x="{x:.4g}" y="{y:.4g}" width="{width:.4g}" height="{height:.4g}" '
            f'fill="{fill}">{inner}</rect>')


def _svg(height: int, label: str, *parts: str) -> str:
    return (f'<svg viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" role="img" '
            f'aria-label="{_text(label)}">{"".join(parts)}</svg>')


def _split_bar(parts: Sequence[Mapping[str, Any]], patterns: _Patterns) -> str:
    """Where the time of the average rank goes; the parts add up to its wallclock."""
    shown = [part for part in parts if part["time_s"] > 0 and part["state"] in _STATES]
    total = sum(part["time_s"] for part in shown) or 1.0
    x, rects, names = 0.0, [], []
    for part in shown:
        width = _WIDTH * part["time_s"] / total
        words = f"{part['state']} {seconds(part['time_s'])}, {percent(part['percent'])}"
        rects.append(_rect(x, 0, width, 24, patterns.fill(part["state"]), words))
        colour = _STATES[part["state"]][0]
        names.append(f'<li><i style="background:var(--{colour})"></i>{_text(words)}</li>')
        x += width
    return _svg(24, "Where the time of the average rank goes", *rects) + (
        f'<ul>{"".join(names)}</ul>')


def _cards(cards: Sequence[Mapping[str, Any]]) -> str:
    items = []
    for card in cards:
        state = card["state"]
        mark = "" if state == "good" else f' <span class="{_text(state)}">{_MARKS[state]}</span>'
        items.append(f'<div><dt>{_text(card["title"])}</dt>'
                     f'<dd>{_text(card["value"])}{mark}</dd></div>')
    return f'<dl>{"".join(items)}</dl>'


def _column(row: Mapping[str, Any], x: float, width: float, height: float, scale_s: float,
            patterns: _Patterns, title: str) -> List[str]:
    """A stacked bar of the states of a row."""
    rects, y = [], height
    for key, state in _STACK:
        value = row.get(key) or 0.0
        if key == "compute_s" and row.get("on_cpu_s") is not None:
            value = row["on_cpu_s"]
        part = height * value / scale_s
        if part > 0.05:
            y -= part
            rects.append(_rect(x, y, width, part, patterns.fill(state),
                               f"{title}: {state} {seconds(value)}"))
    return rects


def _slowest_of_groups(ranks: Sequence[Mapping[str, Any]]) -> List[Mapping[str, Any]]:
    """At most 64 bars: of neighbours the one that computes longest."""
    size = -(-len(ranks) // _MOST_BARS)
    groups = [ranks[i:i + size] for i in range(0, len(ranks), size)]
    return [max(group, key=lambda row: float(row["compute_s"])) for group in groups]


def _rank_chart(ranks: Sequence[Mapping[str, Any]], patterns: _Patterns) -> str:
    if len(ranks) < 2:
        return ""
    shown = _slowest_of_groups(ranks) if ranks else []
    scale_s = max((row["wallclock_s"] for row in shown), default=0) or 1.0
    width = min(40.0, _WIDTH / len(shown))
    rects: List[str] = []
    for number, row in enumerate(shown):
        rects += _column(row, number * width, max(width - 1, width * 0.8), 70, scale_s, patterns,
                         f"rank {row['rank']}")
    what = "Each rank" if len(shown) == len(ranks) else (
        f"Of each {-(-len(ranks) // len(shown))} ranks the one that computes longest")
    return (f'<p class="m">{what}: where its time goes, up to {seconds(scale_s)}</p>'
            + _svg(70, "Where the time of the ranks goes", *rects))


def _merged_bins(bins: Sequence[Mapping[str, Any]], count: int) -> List[Dict[str, float]]:
    """Sums of neighbouring bins, so that there are at most `count`."""
    size = max(1, -(-len(bins) // count))
    return [{key: sum(row.get(key) or 0.0 for row in bins[i:i + size]) for key, _ in _STACK}
            for i in range(0, len(bins), size)]


def _time_chart(bins: Sequence[Mapping[str, Any]], bin_s: Optional[float],
                patterns: _Patterns) -> str:
    if len(bins) < 8 or not bin_s:
        return ""
    merged = _merged_bins(bins, _WIDTH // 4)
    length_s = bin_s * -(-len(bins) // len(merged))
    rects: List[str] = []
    for number, row in enumerate(merged):
        rects += _column(row, number * 4, 4, 50, length_s, patterns,
                         f"from {seconds(number * length_s)}")
    return (f'<p class="m">The average rank over time, {seconds(bin_s * len(bins))}</p>'
            + _svg(50, "Where the time goes, over time", *rects))


def report_html(report: Report) -> str:
    """The head of the report's page."""
    verdict, run, patterns = report.verdict, report.run, _Patterns()
    facts = " \u00b7 ".join(str(fact) for fact in (
        run.program, counted(run.ranks, "rank"), counted(run.nodes, "node"),
        seconds(run.wallclock_s), run.mpi_library, run.start) if fact)
    notes = "".join(f'<p class="watch">{_MARKS["watch"]} {_text(text)}</p>'
                    for text in [*(verdict.extra or []), *report.said.splitlines()])
    steps = "".join(f"<p>\u2192 {_text(step.action)}</p>" for step in (verdict.next or [])[:1])
    return _page(
        _headline(verdict.state, verdict.headline), f"<p>{_text(verdict.why)}</p>", notes, steps,
        f'<p class="m">{_text(facts)}</p>', patterns.definitions(),
        _split_bar(report.rows("time_parts"), patterns), _cards(report.rows("cards")),
        _rank_chart(report.rows("ranks"), patterns),
        _time_chart(report.rows("time"), report.time_line.bin_s, patterns))


def comparison_html(comparison: Comparison) -> str:
    """The answer, and the wallclock of both sides as bars."""
    wallclock, answer = comparison.wallclock_s, comparison
    largest = max(wallclock.a, wallclock.b) or 1.0
    rects = []
    for number, (name, value) in enumerate((("A", wallclock.a), ("B", wallclock.b))):
        y, width = number * 22, 480 * value / largest
        rects += [f'<text x="0" y="{y + 14}">{name}</text>',
                  _rect(18, y + 2, width, 16, "var(--compute)"),
                  f'<text x="{24 + width:.4g}" y="{y + 14}">{seconds(value)}</text>']
    state = {"more": "problem", "less": "good"}.get(answer.outcome, "")
    notes = "".join(f'<p class="m">{_text(text)}</p>' for text in [answer.noise, *answer.remarks])
    return _page(_headline(state, answer.headline), f"<p>{_text(answer.why)}</p>",
                 _svg(44, "Wallclock of both sides", *rects), notes)


def scaling_html(scaling: Scaling) -> str:
    """The answer, and the efficiency of each size as bars with the limit of 80 %."""
    rects = []
    for number, row in enumerate(scaling.rows("sizes")):
        y, width = number * 22, 400 * min(row["efficiency"], 1.2)
        words = f"{percent(100 * row['efficiency'])}, {seconds(row['wallclock_s'])}"
        rects += [f'<text x="0" y="{y + 14}">{counted(row["ranks"], "rank")}</text>',
                  _rect(90, y + 2, width, 16, "var(--compute)"),
                  f'<text x="{96 + width:.4g}" y="{y + 14}">{_text(words)}</text>']
    height = 22 * len(scaling.document["sizes"])
    limit = (f'<path d="M{90 + 320} 0V{height}" stroke="var(--problem)" stroke-dasharray="3 3"/>')
    state = "watch" if scaling.stops_at_ranks is not None else "good"
    notes = "".join(f'<p class="m">{_text(text)}</p>' for text in scaling.remarks)
    return _page(_headline(state, scaling.headline), f"<p>{_text(scaling.sentence)}</p>",
                 f"<p>{_text(scaling.why)}</p>",
                 _svg(height, "Efficiency by number of ranks; the line is at 80%", *rects, limit),
                 notes)
