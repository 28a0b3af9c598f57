"""What a report, a comparison or a scaling says in a notebook: its sentences, as plain HTML.

Nothing is loaded and no script runs. The pictures are on the page: `mprof report FOLDER --html`.
Numbers read in words as in the profiler's texts (tests/numbers/cases.tsv).
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Iterable, Optional

if TYPE_CHECKING:
    from .compare import Comparison, Scaling
    from .report import Report


def _three_digits(value: float) -> str:
    return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f}"


def seconds_text(seconds: float) -> str:
    """64.8 us, 7.10 ms, 13.9 s."""
    if seconds <= 0:
        return "0 s"
    for step, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds / step >= 0.9995:
            return f"{_three_digits(seconds / step)} {unit}"
    return f"{_three_digits(seconds * 1e9)} ns"


def percent_text(percent: float) -> str:
    """38%; below 10 with one decimal: 0.4%."""
    if 0 < percent < 0.05:
        return "<0.1%"
    return f"{percent:.{1 if percent < 9.95 else 0}f}%"


def _page(headline: str, lines: Iterable[Optional[str]]) -> str:
    text = "".join(f"<br>{html.escape(line)}" for line in lines if line)
    return f"<p><b>{html.escape(headline)}</b>{text}</p>"


def report_html(report: Report) -> str:
    """The verdict, what to do, and where the time of the average rank goes."""
    verdict, run = report.verdict, report.run
    facts = (run.program, f"ranks: {run.ranks:,}", f"nodes: {run.nodes:,}",
             seconds_text(run.wallclock_s), run.mpi_library, run.start)
    parts = (f"{part['state']} {seconds_text(part['time_s'])} ({percent_text(part['percent'])})"
             for part in report.rows("time_parts") if part["time_s"] > 0)
    steps = (f"\u2192 {step.action}" for step in (verdict.next or [])[:1])
    return _page(verdict.headline, (
        verdict.why, *(verdict.extra or []), *report.said.splitlines(), *steps,
        " \u00b7 ".join(str(fact) for fact in facts if fact), ", ".join(parts)))


def comparison_html(answer: Comparison) -> str:
    """The answer, and how sure it is."""
    return _page(answer.headline, (answer.why, answer.noise, *answer.remarks))


def scaling_html(answer: Scaling) -> str:
    """The answer, and why."""
    return _page(answer.headline, (answer.sentence, answer.why, *answer.remarks))
