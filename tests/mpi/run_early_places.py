#!/usr/bin/env python3
"""Where a rank computes before MPI_Init (programs/early.c) on a real MPI: the function, its CPU
time and its caller, in a list and in the first screen. A program that begins at once has no such
list, nor has one whose ranks share CPUs."""

import os
import re
import sys

import jobs

TURNS = 500_000_000  # about a second
STEP_S = 0.1  # between two samples


def run(tools, folder, ranks, turns, program):
    """The report, and the CPU time that the last rank measured."""
    job = jobs.run_profiled(tools, folder, ranks, [program, str(turns)])
    found = re.search(rb"^cpu_s ([0-9.]+)$", job.stdout, re.MULTILINE)
    if job.status != 0 or not found:
        raise jobs.Failure(job.describe())
    report, _ = jobs.report(tools, os.path.join(folder, "profile"))
    return report, float(found[1])


def check_row(report, cpu_s):
    row = report["early_places"][0]
    frames = [row["symbol"]] + [frame["symbol"] for frame in row["path"]]
    if frames[:3] != ["read_mesh", "set_up", "main"] or not row["place"].startswith("early.c:"):
        raise jobs.Failure(f"{row}")
    if (row["ranks"], row["max_rank"]) != (1, 1):
        raise jobs.Failure(f"rank 1 alone computes: {row}")
    if abs(row["time_s"] - cpu_s) > STEP_S + 0.1 * cpu_s:
        raise jobs.Failure(f"{cpu_s} s on a CPU, the report has {row['time_s']} s")
    print(f"{cpu_s:.3f} s on a CPU, {row['time_s']:.1f} s by samples")


def check_first_screen(tools, profile):
    words = jobs.first_screen(tools, profile)
    if "in read_mesh, called by set_up (early.c:" not in words:
        raise jobs.Failure(words)


def check(tools, arguments):
    with jobs.Folder("early-places", tools.keep) as folder:
        for name, ranks, turns in (("at_once", 2, 1000), ("crowded", os.cpu_count() + 1, TURNS)):
            report, _ = run(tools, folder.sub(name), ranks, turns, arguments.program)
            if report.get("early_places"):
                raise jobs.Failure(f"{name}: {report['early_places']}")
        late = folder.sub("late")
        report, cpu_s = run(tools, late, 2, TURNS, arguments.program)
        jobs.need(report["quality"]["cpu_samples_refused"] is None, "samples of the CPU here")
        jobs.need("early_places" in report, "copies of stacks by perf_event_open here")
        check_row(report, cpu_s)
        check_first_screen(tools, os.path.join(late, "profile"))


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="programs/early")
    sys.exit(jobs.main(check, parser))
