#!/usr/bin/env python3
"""Runs programs/visible*.c without and with mprof. What a program can see of MPI must be the same,
to the last byte."""

import difflib
import os
import sys

import jobs

RANKS = 2


def lines_of(folder, rank):
    with open(os.path.join(folder, f"rank-{rank}.txt"), encoding="utf-8") as file:
        return file.read().splitlines()


def check(tools, arguments):
    with jobs.Folder("visible", tools.keep) as folder:
        seen = []
        for name in ("alone", "mprof"):
            where = folder.sub(name)
            run = jobs.run_profiled if name == "mprof" else \
                lambda *job: jobs.run_preloaded(*job, preload=None)
            job = run(tools, where, RANKS, [arguments.program, where])
            if job.status != 0:
                raise jobs.Failure(f"{name}: {job.describe()}")
            seen.append([lines_of(where, rank) for rank in range(RANKS)])
        for rank in range(RANKS):
            if "the end" not in seen[0][rank]:
                raise jobs.Failure("the program alone did not come to its end")
            lines = list(difflib.unified_diff(seen[0][rank], seen[1][rank], "without mprof",
                                              f"with mprof, rank {rank}", lineterm="", n=1))
            if lines:
                raise jobs.Failure("\n".join(["a difference"] + lines))
        print(f"{sum(len(lines) for lines in seen[0])} lines are equal")


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="programs/visible or another visible_*")
    sys.exit(jobs.main(check, parser))
