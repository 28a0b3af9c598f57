#!/usr/bin/env python3
"""Computing on a CPU is the program's CPU time, also where other programs have the CPUs most of the
time and interrupt mprof's own readings: two ranks beside three busy loops for each CPU
(programs/crowded_work.c, which reads its own CPU time)."""

import os
import subprocess
import sys

import jobs

LOOPS_PER_CPU = 3
BUSY = "while :; do :; done"
PART = 0.01  # of the program's own figure


class BusyLoops:
    def __init__(self, count):
        self.loops = [subprocess.Popen(["sh", "-c", BUSY]) for _ in range(count)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for loop in self.loops:
            loop.kill()
            loop.wait()


def check(folder, report):
    for row in report["ranks"]:
        with open(os.path.join(folder, f"computed-{row['rank']}"), encoding="utf-8") as file:
            computed_s = float(file.read())
        print(f"rank {row['rank']}: computed {computed_s} s, said {row['on_cpu_s']}")
        if abs(row["on_cpu_s"] - computed_s) > PART * computed_s:
            raise jobs.Failure(f"rank {row['rank']} had a CPU for {computed_s} s of computing: "
                               f"{row['on_cpu_s']} s are said")


def run(tools, arguments):
    with jobs.Folder("crowded_work", tools.keep) as folder:
        with BusyLoops(LOOPS_PER_CPU * os.cpu_count()):
            job = jobs.run_profiled(tools, folder.path, 2, [arguments.program],
                                    TRUTH_DIR=folder.path)
        if job.status != 0:
            raise jobs.Failure(job.describe())
        check(folder.path, jobs.report(tools, folder.sub("profile"))[0])


if __name__ == "__main__":
    PARSER = jobs.argument_parser(__doc__)
    PARSER.add_argument("program")
    sys.exit(jobs.main(run, PARSER))
