"""How numbers read in words: as in the profiler's texts (tests/numbers/cases.tsv)."""

from __future__ import annotations


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
