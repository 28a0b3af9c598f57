#!/usr/bin/env python3
"""Regions: compares the report of programs/regions.c with what the program does, by arithmetic.

It checks the exclusive and inclusive calls, visits and ranks of each region. Exclusive figures must
add up to the totals. The report must say what was ended twice, left open or paused. The program
must run without mprof, where its regions do nothing.
"""

import os
import sys

import jobs

RANKS = 2
STEPS = 5
COMPUTE_S = 0.02

# path: (ranks, visits, exclusive calls, inclusive calls), over both ranks
TRUTH = {
    "solve": (2, 2, 2 * 1, 2 * (1 + STEPS * 3)),
    "solve/step": (2, 2 * STEPS, 2 * STEPS, 2 * STEPS * 3),
    "solve/step/exchange": (2, 2 * STEPS, 2 * STEPS * 2, 2 * STEPS * 2),
    # MPI_Pcontrol(1, ...) is itself a call in the region that it begins.
    "ipm": (2, 2, 2 * (3 + 1), 2 * (3 + 1)),
    "only rank 0": (1, 1, 1, 1),
    "only rank 0/left open": (1, 1, 0, 0),
    "never ended": (2, 2, 2 * 2, 2 * 2),  # a barrier and MPI_Finalize
}


def check(report):
    regions = {row["region"]: row for row in report["regions"]}
    paths = set(regions) - {""}
    if paths != set(TRUTH):
        raise jobs.Failure(f"regions {sorted(paths)}, expected {sorted(TRUTH)}")
    for path, expected in TRUTH.items():
        row = regions[path]
        found = (row["ranks"], row["visits"], row["exclusive_calls"], row["calls"])
        if found != expected:
            raise jobs.Failure(f"{path}: ranks, visits, exclusive and inclusive calls are {found}, "
                               f"expected {expected}")
    exclusive = sum(row["exclusive_calls"] for row in report["regions"])
    if exclusive != sum(row["calls"] for row in report["functions"]):
        raise jobs.Failure(f"exclusive calls add up to {exclusive}, not to the calls of all "
                           "functions")
    mpi_s = sum(row["exclusive_mpi_s"] for row in report["regions"])
    if abs(mpi_s - report["totals"]["mpi_s"]) > 1e-6 * report["totals"]["mpi_s"]:
        raise jobs.Failure(f"exclusive MPI time adds up to {mpi_s}, not to "
                           f"{report['totals']['mpi_s']}")
    if regions["solve"]["time_s"] < RANKS * COMPUTE_S:
        raise jobs.Failure(f"solve took {regions['solve']['time_s']} s, but both ranks slept "
                           f"{COMPUTE_S} s in it")
    if regions["solve/step"]["time_s"] > regions["solve"]["time_s"]:
        raise jobs.Failure("a region took longer than the one around it")


def check_remarks(report):
    remarks = " ".join(report["quality"]["remarks"])
    for words in ("ended 2 times", "left open", "paused"):
        if words not in remarks:
            raise jobs.Failure(f"the report does not say {words!r}: {remarks}")


def run(tools, arguments):
    with jobs.Folder("regions", tools.keep) as folder:
        alone = jobs.run_preloaded(tools, folder.sub("alone"), RANKS, [arguments.program], None)
        if alone.status != 0 or alone.stdout.count(b"present 0") != RANKS:
            raise jobs.Failure(f"the program alone: {alone.describe()}")
        where = folder.sub("profiled")
        job = jobs.run_profiled(tools, where, RANKS, [arguments.program])
        if job.status != 0 or job.stdout.count(b"present 1") != RANKS:
            raise jobs.Failure(f"the program under mprof: {job.describe()}")
        document, _ = jobs.report(tools, os.path.join(where, "profile"))
        check(document)
        check_remarks(document)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="programs/regions")
    sys.exit(jobs.main(run, parser))
