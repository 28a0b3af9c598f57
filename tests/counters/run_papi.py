#!/usr/bin/env python3
"""Counters by PAPI, with the fake libpapi in fake_papi.c. The numbers are exact: they follow by
arithmetic from what work.c does. A PAPI that is missing, broken or another one must do no harm.

fake_papi.c ends the program when it is used in another way than PAPI's documentation says. So every
case here also tests how libmprof uses PAPI.
"""

import os
import sys

import counter_jobs
from counter_jobs import expect, expect_between, expect_words, jobs, row

RANKS = 2

# Units of work of work.c: (outside MPI, inside MPI), exclusive. "" is outside all regions, of
# rank 0.
PROGRAM = (100, 11)
SOLVE = (1000, 13)
INNER = (57, 0)
THREADS = 200 + 300
# What fake_papi.c counts for one unit.
PER_UNIT = {"PAPI_TOT_INS": 3, "PAPI_TOT_CYC": 2, "PAPI_FP_OPS": 1, "energy::PACKAGE": 10,
            "PAPI_L1_DCM": 1, "PAPI_L1_DCA": 8, "fake::WORK_UNITS": 1, "third::THING": 4}


def run_job(tools, folder, program, library_folder, counters, mode=(), **settings):
    job = jobs.run_profiled(tools, folder, RANKS, [program, *mode], MPROF_COUNTERS=counters,
                            LD_LIBRARY_PATH=library_folder, MPROF_CALLSITES=0, **settings)
    if job.status != 0 or job.stdout.count(b"done") != RANKS:
        raise jobs.Failure(f"the program failed: {job.describe()}")
    document, _ = jobs.report(tools, os.path.join(folder, "profile"))
    return document, job.stderr.decode(errors="replace")


def outside_units(rank, threads):
    return PROGRAM[0] * (rank + 1) + SOLVE[0] + INNER[0] + (THREADS if threads else 0)


def check_counter(document, name, threads):
    per_unit = PER_UNIT[name]
    inside = per_unit * (PROGRAM[1] + SOLVE[1] + INNER[1])
    outside = [per_unit * outside_units(rank, threads) for rank in range(RANKS)]
    counter = row(document["counters"], "counter", name)
    expect(counter["in_mpi"], RANKS * inside, f"{name} in MPI")
    expect(counter["outside_mpi"], sum(outside), f"{name} outside MPI")
    expect(counter["total"], RANKS * inside + sum(outside), f"{name} in total")
    expect((counter["min"], counter["min_rank"]), (inside + outside[0], 0), f"{name}, least")
    expect((counter["max"], counter["max_rank"]), (inside + outside[1], 1), f"{name}, most")
    expect((counter["source"], counter["unit"]), ("PAPI", None), f"{name}, source and unit")
    for rank in range(RANKS):
        of_rank = row(document["ranks"], "rank", rank)
        expect(of_rank["counters"][name], inside + outside[rank], f"{name} of rank {rank}")
        expect(of_rank["counters_in_mpi"][name], inside, f"{name} of rank {rank} in MPI")
    regions = {region["region"]: region["counters"][name] for region in document["regions"]}
    expect(regions, {"": counter["total"],
                     "solve": RANKS * per_unit * (sum(SOLVE) + sum(INNER)),
                     "solve/inner": RANKS * per_unit * sum(INNER)}, f"{name} by region")


def check_exact(tools, folder, arguments):
    """Two components, four counters, regions, a pause, and threads that come and go."""
    names = ["PAPI_TOT_INS", "energy::PACKAGE", "PAPI_TOT_CYC", "PAPI_FP_OPS"]
    document, errors = run_job(tools, folder, arguments.program, arguments.papi, ",".join(names),
                               ["threads"])
    expect(errors, "", "standard error")
    expect([counter["counter"] for counter in document["counters"]], names, "the counters")
    threads = all(of_rank["threads"] == 3 for of_rank in document["ranks"])
    for name in names:
        check_counter(document, name, threads)
    cycle = row(document["metrics"], "metric", "instructions per cycle")
    expect((cycle["value"], cycle["min"], cycle["max"]), (1.5, 1.5, 1.5), "instructions per cycle")
    flops = row(document["metrics"], "metric", "floating point")
    expected = row(document["counters"], "counter",
                   "PAPI_FP_OPS")["total"] * 1e-9 / document["run"]["wallclock_s"]
    expect_between(flops["value"], 0.999 * expected, 1.001 * expected, "Gflop/s")
    if document["quality"]["counters_s"] <= 0:
        raise jobs.Failure("reading the counters was not billed")


def check_segments(tools, folder, arguments):
    """Computing between two lines: the work between them, not that in MPI."""
    document, _ = run_job(tools, folder, arguments.program, arguments.papi, "PAPI_FP_OPS")
    work = sum(segment["counters"][0] for segment in document["segments"] if segment["counters"])
    expect(work, sum(outside_units(rank, False) for rank in range(RANKS)), "work in all segments")


def check_multiplex(tools, folder, arguments):
    """More events than hardware counters: the fifth is refused, or all take turns on request."""
    names = ["PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_FP_OPS", "PAPI_L1_DCM", "PAPI_L1_DCA"]
    document, errors = run_job(tools, folder, arguments.program, arguments.papi, ",".join(names))
    expect(len(document["counters"]), 4, "counters without multiplexing")
    expect_words("PAPI_L1_DCA is not counted: beside the others", errors, "standard error")
    expect(any(counter["multiplexed"] for counter in document["counters"]), False, "multiplexed")
    again = os.path.join(folder, "multiplexed")
    os.mkdir(again)
    document, errors = run_job(tools, again, arguments.program, arguments.papi,
                               ",".join(["multiplex"] + names))
    expect(errors, "", "standard error, multiplexed")
    for name in names:
        expect(row(document["counters"], "counter", name)["multiplexed"],
               True, f"{name} multiplexed")
        check_counter(document, name, False)
    misses = row(document["metrics"], "metric", "L1 data misses")
    expect(misses["value"], 12.5, "L1 data misses in percent")
    expect_words("estimates", " ".join(document["quality"]["remarks"]), "the report")


def check_wrong_names(tools, folder, arguments):
    """One warning for each, with the nearest names; the others are counted."""
    names = "PAPI_TOT_INZ,PAPI_L3_TCM,PAPI_FP_OPS,fake::WORK_UNTIS,energi::PACKAGE"
    document, errors = run_job(tools, folder, arguments.program, arguments.papi, names)
    for words in ("PAPI_TOT_INZ is not counted: no such event, did you mean PAPI_TOT_INS",
                  "PAPI_L3_TCM is not counted: this machine cannot count it",
                  "fake::WORK_UNTIS is not counted: no such event, did you mean fake::WORK_UNITS?",
                  "energi::PACKAGE is not counted: no such event, did you mean energy::PACKAGE?"):
        expect(errors.count(words), 1, f"how often standard error says {words!r}: {errors!r}")
    expect(len(document["quality"]["counters_refused"]), 4, "refused counters in the report")
    expect([counter["counter"] for counter in document["counters"]], ["PAPI_FP_OPS"],
           "the counters")
    check_counter(document, "PAPI_FP_OPS", False)


# folder under --variants: (is it used?, what is said)
VARIANTS = {
    "tells_6": (True, ""),
    "quiet_5": (True, ""),
    "quiet_8": (False, "not of version 5, 6 or 7"),
    "tells_8": (False, "PAPI is of an unknown version"),
    "fails": (False, "PAPI_library_init: A System/C library call failed"),
    "lacks": (False, "this PAPI has no PAPI_get_event_component"),
    "damaged": (False, "PAPI was not found"),
}


def check_variants(tools, folder, arguments):
    """Another version, one that fails, one that lacks a function, a damaged file: the program runs,
    and what needs no PAPI is counted all the same."""
    for name, (used, words) in VARIANTS.items():
        where = os.path.join(folder, name)
        os.mkdir(where)
        document, errors = run_job(tools, where, arguments.program,
                                   os.path.join(arguments.variants, name),
                                   "page-faults,PAPI_FP_OPS")
        row(document["counters"], "counter", "page-faults")
        expect(len(document["counters"]), 2 if used else 1, f"{name}: counters")
        if used:
            expect(errors, "", f"{name}: standard error")
            check_counter(document, "PAPI_FP_OPS", False)
        else:
            expect_words(words, errors, f"{name}: standard error")


def check_own(tools, folder, arguments):
    """A program that has PAPI loaded itself keeps it for itself."""
    library = os.path.join(folder, "libpapi.so.7")  # LD_PRELOAD takes a blank for the end of a name
    os.symlink(os.path.join(arguments.papi, "libpapi.so.7"), library)
    document, errors = run_job(tools, folder, arguments.program,
                               arguments.papi, "PAPI_FP_OPS,task-clock", LD_PRELOAD=library)
    expect([counter["counter"] for counter in document["counters"]], ["task-clock"], "the counters")
    expect_words("the program uses PAPI itself", errors, "standard error")


CASES = {"exact": check_exact, "segments": check_segments, "multiplex": check_multiplex,
         "wrong_names": check_wrong_names, "variants": check_variants, "own": check_own}


def run(tools, arguments):
    with jobs.Folder("papi", tools.keep) as folder:
        CASES[arguments.case](tools, folder.path, arguments)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("--papi", required=True, help="the folder of the fake libpapi.so.7")
    parser.add_argument("--variants", required=True, help="the folder of those that cannot be used")
    parser.add_argument("case", choices=CASES)
    parser.add_argument("program", help="work")
    sys.exit(counter_jobs.jobs.main(run, parser))
