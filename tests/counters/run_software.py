#!/usr/bin/env python3
"""Counters without PAPI: page faults, context switches, CPU time and migrations. The test compares
them with what the kernel tells the program itself, in regions that do nothing else (usage.c)."""

import os
import re
import sys

from counter_jobs import expect, expect_between, expect_words, jobs, row

RANKS = 2
PAGES, NAPS, HOPS = 2000, 50, 10  # as in usage.c
NAMES = "page-faults,context-switches,task-clock,cpu-migrations,minor-faults,major-faults"


def told(stdout):
    """{region: {"faults": n, ...}}, summed over ranks."""
    sums = {}
    line = r"(\w+) faults (\d+) switches (\d+) cpu_ns (\d+)"
    for region, faults, switches, cpu_ns in re.findall(line, stdout.decode()):
        sums.setdefault(region, {"faults": 0, "switches": 0, "cpu_ns": 0})
        for key, value in (("faults", faults), ("switches", switches), ("cpu_ns", cpu_ns)):
            sums[region][key] += int(value)
    return sums


def check(document, stdout):
    truth = told(stdout)
    by_region = {region["region"]: region["counters"] for region in document["regions"]}
    touch, sleep, spin = by_region["touch"], by_region["sleep"], by_region["spin"]
    # Beside what the region does there are the two calls that begin and end it.
    expect_between(touch["page-faults"], RANKS * PAGES, truth["touch"]["faults"], "page faults")
    expect(touch["page-faults"],
           touch["minor-faults"] + touch["major-faults"], "minor and major faults")
    expect_between(sleep["context-switches"], RANKS * NAPS,
                   truth["sleep"]["switches"], "context switches")
    expect_between(spin["task-clock"], 0.98 * truth["spin"]["cpu_ns"],
                   1.001 * truth["spin"]["cpu_ns"], "CPU time in ns")
    for counter in document["counters"]:
        name = counter["counter"]
        expect_between(counter["in_mpi"] + counter["outside_mpi"], 0.999999 * counter["total"],
                       1.000001 * counter["total"], f"{name} in and outside MPI")
        expect(by_region[""][name], counter["total"], f"{name} of the whole program")
        expect_between(sum(rank["counters"][name] for rank in document["ranks"]),
                       0.999999 * counter["total"],
                       1.000001 * counter["total"], f"{name} of all ranks")
    use = row(document["metrics"], "metric", "CPU use")
    expect_between(use["value"], 0.1, 100.5, "CPU use in percent")
    if "cpu-migrations" in by_region["hop"] and b"cpus 2" in stdout:
        expect_between(by_region["hop"]["cpu-migrations"], RANKS * (HOPS - 1),
                       RANKS * (HOPS + 20), "migrations")


def check_refused(tools, folder, program):
    """What the kernel refuses is one warning; an event of the processor may be there or not."""
    folder = os.path.join(folder, "refused")
    os.mkdir(folder)
    job = jobs.run_profiled(tools, folder, RANKS, [program], MPROF_COUNTERS="cycles,task-clock")
    if job.status != 0:
        raise jobs.Failure(f"the program failed: {job.describe()}")
    document, _ = jobs.report(tools, os.path.join(folder, "profile"))
    names = [counter["counter"] for counter in document["counters"]]
    if "cycles" not in names:
        expect(names, ["task-clock"], "the counters")
        expect(job.stderr.count(b"cycles is not counted: "), 1, f"warnings in {job.stderr}")
        expect_words("cycles", " ".join(document["quality"]["remarks"]), "the report")


def run(tools, arguments):
    with jobs.Folder("software", tools.keep) as folder:
        job = jobs.run_profiled(tools, folder.path, RANKS,
                                [arguments.program, "software"], MPROF_COUNTERS=NAMES)
        if job.status != 0:
            raise jobs.Failure(f"the program failed: {job.describe()}")
        document, _ = jobs.report(tools, folder.sub("profile"))
        check(document, job.stdout)
        check_refused(tools, folder.path, arguments.program)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="usage")
    sys.exit(jobs.main(run, parser))
