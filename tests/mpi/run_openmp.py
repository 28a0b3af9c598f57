#!/usr/bin/env python3
"""Parallel regions of OpenMP on a real MPI (programs/openmp.c, openmp_loader.c): as many as there
are, with their threads and places, as busy as the program measured itself, and with the same
results as without mprof."""

import os
import re
import sys

import jobs

PLACE = re.compile(rb"^(place|nested) (\d+) regions (\d+) threads (\d+) busy ([\d.]+)$",
                   re.MULTILINE)
BALANCE = re.compile(rb"^balance ([\d.]+)$", re.MULTILINE)
RANKS = 2


def run(tools, folder, ranks, command, **variables):
    job = jobs.run_profiled(tools, folder, ranks, command, **variables)
    if job.status != 0:
        raise jobs.Failure(job.describe())
    report, _ = jobs.report(tools, os.path.join(folder, "profile"))
    return job, report


def need_equal(found, expected, what):
    if found != expected:
        raise jobs.Failure(f"{what}: {found} instead of {expected}")


def check_place(row, found, kind):
    line, regions, threads, busy_s = found
    need_equal(row["regions"], regions, f"regions at line {line}")
    need_equal(row["threads"], threads, f"threads at line {line}")
    difference_s = abs(row["busy_s"] - busy_s)
    if difference_s > max(0.05 * busy_s, 0.05 * RANKS) and kind != b"nested":
        raise jobs.Failure(f"line {line}: busy for {row['busy_s']} s instead of {busy_s} s")


def check_regions(tools, folder, program, source):
    job, report = run(tools, folder, RANKS, [program])
    rows = {row["place"]: row for row in report["parallel_regions"]}
    sums = {}
    for kind, line, regions, threads, busy_ms in PLACE.findall(job.stdout):
        before = sums.get((kind, int(line)), (0, 0, 0, 0))
        sums[kind, int(line)] = (int(line), before[1] + int(regions), int(threads),
                                 before[3] + float(busy_ms) / 1000)
    need_equal(len(sums), 5, "places in the output")
    for (kind, line), found in sums.items():
        place = f"openmp.c:{line}"
        if place not in rows:
            raise jobs.Failure(f"{place} is not among {sorted(rows)}")
        check_place(rows[place], found, kind)
    need_equal(len(rows), len(sums) + 5, f"places with regions ({sorted(rows)})")
    facts = report["openmp"]
    need_equal(facts["source"], source, "source")
    need_equal(facts["regions"], sum(found[1] for found in sums.values()) + 5 * RANKS, "regions")
    balances = [float(found) for found in BALANCE.findall(job.stdout)]
    uneven = rows[f"openmp.c:{min(line for _, line in sums)}"]["thread_balance"]
    if abs(uneven - sum(balances) / len(balances)) > 0.05:
        raise jobs.Failure(f"balances of {balances} are told as {uneven}")
    for row in report["ranks"]:
        need_equal(row["team_threads"], 2, "team_threads")
        if not 0 < row["parallel_s"] <= row["wallclock_s"]:
            raise jobs.Failure(f"{row['parallel_s']} s in parallel regions")
    print(f"{facts['sentence']} {len(rows)} places")


def check_loader(tools, folder, program, library):
    job, report = run(tools, folder, 1, [program, library])
    lines = job.stdout.decode().splitlines()
    expected = ["OpenMP before 0, error 0"] + 3 * [f"sum {2 * (4950 + 2000000)} error 0"]
    need_equal(lines, expected, "output")
    need_equal(report["openmp"]["regions"], 6, "regions")
    need_equal([row["regions"] for row in report["parallel_regions"]], [6], "regions by place")
    need_equal(report["parallel_regions"][0]["function"], "sum_in_parallel", "function")


def check(tools, arguments):
    jobs.go_first()
    with jobs.Folder("openmp", tools.keep) as folder:
        if arguments.case == "loader":
            check_loader(tools, folder.path, *arguments.program)
        elif arguments.case == "other_tool":
            _, report = run(tools, folder.path, 1, arguments.program,
                            OMP_TOOL_LIBRARIES="/nonexistent.so")
            need_equal(report["openmp"]["source"], "another tool", "source")
            need_equal(report["openmp"]["regions"], 0, "regions")
        elif arguments.case == "disabled":
            _, report = run(tools, folder.path, 1, arguments.program, OMP_TOOL="disabled")
            need_equal(report["openmp"]["source"], "none", "source")
        else:
            source = "libgomp" if arguments.case == "gcc" else "OMPT"
            check_regions(tools, folder.path, arguments.program[0], source)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("case", choices=["gcc", "clang", "loader", "other_tool", "disabled"])
    parser.add_argument("program", nargs="+")
    sys.exit(jobs.main(check, parser))
