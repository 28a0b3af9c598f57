#!/usr/bin/env python3
"""Where page faults are (programs/touching.c) on a real MPI. The report has both functions that
touch memory, one by way of memset(), with their shares, and the first screen names the first one.
A program with few page faults has no such rows."""

import os
import re
import sys

import jobs

RANKS, STEPS, PAGES = 2, 150, 6000
POINTS = 10  # 50 samples and more, which follow the program's steps: fewer points than by chance
LINE = re.compile(rb"^rank \d+ faults (\d+) sum (\d+)$", re.MULTILINE)


def run(tools, folder, program, steps, pages):
    """The report, and how many page faults all ranks had."""
    job = jobs.run_profiled(tools, folder, RANKS, [program, str(steps), str(pages)])
    lines = LINE.findall(job.stdout)
    if job.status != 0 or len(lines) != RANKS or any(int(sum_) != steps for _, sum_ in lines):
        raise jobs.Failure(job.describe())
    faults = sum(int(line[0]) for line in lines)
    if faults < RANKS * steps * pages:
        raise jobs.Failure(f"{faults} page faults of {RANKS * steps * pages} pages")
    report, _ = jobs.report(tools, os.path.join(folder, "profile"))
    return report, faults


def check_row(rows, name, share):
    """Of those that are called `name` or that it calls."""
    found = [row for row in rows
             if name in (row["symbol"], *(frame["symbol"] for frame in row["path"][:1]))]
    percent = sum(row["percent"] for row in found)
    if abs(percent - share) > POINTS or any(row["ranks"] != RANKS for row in found):
        raise jobs.Failure(f"{name} has {share}% of the page faults, the report {percent:.1f}%: "
                           f"{rows}")
    return found[0]


def check_places(report, faults):
    rows = report["fault_places"]
    filling = check_row(rows, "fill_cells", 75)
    clearing = check_row(rows, "clear_edges", 25)
    if not filling["place"].startswith("touching.c:") or filling["path"][0]["symbol"] != "main":
        raise jobs.Failure(f"fill_cells is {filling}")
    if "memset" not in clearing["symbol"]:
        raise jobs.Failure(f"clear_edges touches nothing itself: {clearing}")
    watched = sum(row["faults"] for row in rows)
    if not 0.03 * faults < watched < 0.5 * faults:  # a ninth, and more of a short run
        raise jobs.Failure(f"{faults} page faults, {watched} were watched")
    print(f"fill_cells {filling['percent']:.1f}%, {watched} of {faults} page faults")


def check_first_screen(tools, profile):
    words = jobs.first_screen(tools, profile)
    if "KERNEL BOUND" not in words or "in fill_cells (touching.c:" not in words:
        raise jobs.Failure(words)


def check(tools, arguments):
    with jobs.Folder("fault-places", tools.keep) as folder:
        report, _ = run(tools, folder.sub("few"), arguments.program, 50, 10)
        if report.get("fault_places"):
            raise jobs.Failure(f"of 500 page faults a rank: {report['fault_places']}")
        many = folder.sub("many")
        report, faults = run(tools, many, arguments.program, STEPS, PAGES)
        jobs.need(report["quality"]["cpu_samples_refused"] is None, "samples of the CPU here")
        jobs.need("fault_places" in report, "copies of stacks by perf_event_open here")
        check_places(report, faults)
        check_first_screen(tools, os.path.join(many, "profile"))


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="programs/touching")
    sys.exit(jobs.main(check, parser))
