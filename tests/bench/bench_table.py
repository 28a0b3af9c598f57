"""The tables that tests/bench/run prints: the one per call, and the one of figures beside their
bars (bars.txt). What a case of bench_calls calls."""
import collections
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
TOLERANCE = 1.1

Bar = collections.namedtuple("Bar", "bar now what")


def read_bars():
    """Name -> Bar; None where there is a dash."""
    bars = {}
    for line in (HERE / "bars.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, bar, now, what = (field.strip() for field in line.split("|"))
            bars[name] = Bar(*(None if field == "-" else float(field) for field in (bar, now)),
                             what)
    return bars


SAME_CALLS = {"the same, sizes and tags in mixed order": "MPI_Irecv + MPI_Isend + MPI_Waitall"}


def functions_of(case):
    """MPI functions have small letters, MPI's constants have not."""
    return re.findall(r"MPI_[A-Z][a-z]\w*", SAME_CALLS.get(case, case))


def calls_of(case):
    return len(functions_of(case))


def print_calls(title, values, added_ratio):
    """One line per case: what each tool adds, in ns and in units of two clock reads."""
    others = [tool for tool in values if tool not in ("none", "clock", "nothing")]
    print(f"\n{title}: ns per call, the shortest; in brackets what is added in units of what two "
          "clock reads add")
    print(f"{'':36} {'no tool':>8} {'nothing':>8} {'2 clocks':>8} "
          + " ".join(f"{tool:>18}" for tool in others))
    for case in values["none"]:
        times = " ".join(f"{min(values[tool][case]):8.1f}" for tool in ("none", "nothing", "clock"))
        ours = " ".join(
            f"{min(values[tool][case]):10.1f} ({added_ratio(values, case, tool):5.2f})"
            if case in values[tool] else f"{'-':>18}" for tool in others)
        print(f"{case:36} {times} {ours}")


def as_text(value):
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 20 else f"{value:.2f}"


def print_figures(figures, bars):
    print(f"\n{'':50} {'measured':>9} {'bar':>9}")
    for name, bar in bars.items():
        if name in figures:
            verdict = "" if bar.bar is None or figures[name] <= bar.bar else "   above"
            print(f"{name:50} {as_text(figures[name]):>9} {as_text(bar.bar):>9}{verdict}")


def regressions(figures, bars):
    """How many figures are more than 10 % above what is committed."""
    worse = [name for name, bar in bars.items()
             if bar.now is not None and figures.get(name, 0) > bar.now * TOLERANCE]
    for name in worse:
        print(f"WORSE: {name}: {as_text(figures[name])}, was {as_text(bars[name].now)} "
              "(tests/bench/bars.txt)")
    return len(worse)
