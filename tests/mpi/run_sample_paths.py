#!/usr/bin/env python3
"""Call paths of samples (programs/sample_paths.c) on a real MPI: one function that computes for two
callers, by way of a shared library and without frame pointers. The report has the heavier caller
and its share, as the program measured it, and nothing else changes for the program. mprof export
has both callers in its stacks. With MPROF_CPU_SAMPLES=0 there are no paths."""

import os
import re
import subprocess
import sys

import jobs
import run_hot_spots

SECONDS = 2  # of CPU time of rank 0: 400 paths of both ranks, a standard error of 2.2 points
POINTS = 10
CALLERS = ["apply", "often", "compute_in_turn", "main"]
COMPUTING = ("[computing", "[waiting for a CPU]", "[blocked]")  # their places may be MPI calls
# The frame of a call has its line. A sample in the library before or after a call has none.
MPI_CALL = re.compile(r"MPI_\w+ \(")
LINE = re.compile(rb"^rank \d+ often ([\d.]+) rarely ([\d.]+) interrupted (\d+) descriptors (\d+)$",
                  re.MULTILINE)


def run(tools, folder, command, **variables):
    """The report, and what the program measured: seconds for often and rarely."""
    return run_hot_spots.run(tools, folder, command, LINE, **variables)


def check_path(report, often_s, rarely_s):
    spots = [row for row in report["hotspots"] if row["segment"] == 0 and row["symbol"] == "hot"]
    if len(spots) != 1:
        raise jobs.Failure(f"hot is not one row: {report['hotspots']}")
    spot = spots[0]
    if [frame["symbol"] for frame in spot["path"]] != CALLERS:
        raise jobs.Failure(f"the path is {spot['path']}")
    if "sample_paths_library" not in spot["path"][0]["module"]:
        raise jobs.Failure(f"apply is of {spot['path'][0]['module']}")
    truth = 100 * often_s / (often_s + rarely_s)
    if spot["path_samples"] < 100 or abs(spot["path_percent"] - truth) > POINTS:
        raise jobs.Failure(f"often takes {truth:.1f}%, the report has {spot['path_percent']:.1f}% "
                           f"of {spot['path_samples']}")
    if spot["called_by"] != f"{' < '.join(CALLERS)} ({spot['path_percent']:.0f}%)":
        raise jobs.Failure(f"called by {spot['called_by']}")
    print(f"often: {truth:.1f}%, of {spot['path_samples']} paths {spot['path_percent']:.1f}%")


def check_stacks(tools, profile, report, often_s, rarely_s):
    """Both ways to hot, with the times that the program measured; sums are those of the report."""
    done = subprocess.run([tools.mprof, "export", profile, "--folded", "-"], capture_output=True,
                          timeout=60, text=True, env=jobs.environment(), check=False)
    if done.returncode != 0:
        raise jobs.Failure(f"mprof export: exit status {done.returncode}\n{done.stderr}")
    seconds = {"mpi_s": 0, "compute_s": 0, "often": 0, "rarely": 0}
    for line in done.stdout.splitlines():
        stack, microseconds = line.rsplit(" ", 1)
        is_computing = stack.startswith(COMPUTING) or not MPI_CALL.search(stack)
        seconds["compute_s" if is_computing else "mpi_s"] += int(microseconds) / 1e6
        for caller in ("often", "rarely"):
            if stack == f"main;compute_in_turn;{caller};apply;hot":
                seconds[caller] += int(microseconds) / 1e6
    for key in ("mpi_s", "compute_s"):
        if abs(seconds[key] - report["totals"][key]) > 1e-3:
            raise jobs.Failure(f"{key} is {report['totals'][key]}, of stacks {seconds[key]}")
    truth = 100 * often_s / (often_s + rarely_s)
    both = seconds["often"] + seconds["rarely"]
    if both < 0.7 * (often_s + rarely_s) or abs(100 * seconds["often"] / both - truth) > POINTS:
        raise jobs.Failure(f"often took {often_s} s and rarely {rarely_s} s, stacks say {seconds}")
    print(f"stacks: often {seconds['often']:.2f} s, rarely {seconds['rarely']:.2f} s")


def check(tools, arguments):
    jobs.go_first()
    with jobs.Folder("sample-paths", tools.keep) as folder:
        report, _, _ = run(tools, folder.sub("off"), [arguments.program, "0.2"],
                           MPROF_CPU_SAMPLES="0")
        run_hot_spots.check_not_sampled(report, None)
        sampled = folder.sub("sampled")
        report, often_s, rarely_s = run(
            tools, sampled, [arguments.program, str(SECONDS)],
            MPROF_CPU_SAMPLES="1000")
        run_hot_spots.need_samples(report)
        if not any(row["path_samples"] for row in report["hotspots"]):
            jobs.need(False, "copies of stacks by perf_event_open here")
        check_path(report, often_s, rarely_s)
        check_stacks(tools, os.path.join(sampled, "profile"), report, often_s, rarely_s)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="programs/sample_paths")
    sys.exit(jobs.main(check, parser))
