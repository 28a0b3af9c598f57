#!/usr/bin/env python3
"""Two runs side by side: compare.py A.json B.json, as `mprof report FOLDER --json` writes them."""

import json
import pathlib
import sys


def facts(report):
    """What tells the two runs apart, as (title, text)."""
    run, totals, ranks = report["run"], report["totals"], report["ranks"]

    def compute_s(rank):
        return rank["wallclock_s"] - rank["mpi_s"]

    slowest = max(ranks, key=compute_s)
    top = max(report["functions"], key=lambda function: function["time_s"])
    return [
        ("wallclock", f"{run['wallclock_s']:.2f} s"),
        ("in MPI (%comm)", f"{totals['comm_percent']:.1f} %"),
        ("load balance (mean / max compute)", f"{totals['load_balance']:.2f}"),
        ("slowest rank", f"{slowest['rank']}, computes {compute_s(slowest):.2f} s"),
        ("fastest rank", "{rank}, computes {s:.2f} s".format(
            s=min(map(compute_s, ranks)), rank=min(ranks, key=compute_s)["rank"])),
        ("most MPI time in", f"{top['function']}, {top['time_s'] / totals['mpi_s']:.0%}"),
    ]


def main():
    paths = [pathlib.Path(argument) for argument in sys.argv[1:3]]
    left, right = (facts(json.loads(path.read_text())) for path in paths)
    rows = [("", *(path.stem for path in paths))]
    rows += [(title, a, b) for (title, a), (_, b) in zip(left, right)]
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    for row in rows:
        print("  " + "   ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())


if __name__ == "__main__":
    main()
