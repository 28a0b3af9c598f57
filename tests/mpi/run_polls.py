#!/usr/bin/env python3
"""Hot polls (truth/polls.c) on a real MPI. Many of them do not read the clock. The report says how
many, and how exactly the time is known. With MPROF_SAMPLE=0 all are timed."""

import os
import sys

import jobs

RANKS = 2
HOT_CALLS = RANKS * 3 * 40 * 3000  # of MPI_Comm_rank, MPI_Iprobe and MPI_Wtime: test_look_ups()


def run(tools, program, folder, sample):
    """What the report says of the quality, and its totals."""
    job = jobs.run_profiled(tools, folder, RANKS, [program], MPROF_SAMPLE=sample, TRUTH_DIR=folder)
    if job.status != 0:
        raise jobs.Failure(job.describe())
    report, _ = jobs.report(tools, os.path.join(folder, "profile"))
    return report["quality"], report["totals"]


def check(tools, arguments):
    jobs.go_first()
    with jobs.Folder("polls", tools.keep) as folder:
        quality, totals = run(tools, arguments.program, folder.sub("sampled"), "1")
        if quality["untimed_calls"] < HOT_CALLS / 4:
            raise jobs.Failure(f"{quality['untimed_calls']} of {HOT_CALLS} hot calls went without "
                               "the clock")
        if not 0 < quality["untimed_s"] < totals["mpi_s"] or not 0 < quality[
                "untimed_error_s"] < quality["untimed_s"]:
            raise jobs.Failure(f"untimed {quality['untimed_s']} s +- {quality['untimed_error_s']} "
                               f"s of {totals['mpi_s']} s in MPI")
        if not any("is estimated from similar calls" in remark for remark in quality["remarks"]):
            raise jobs.Failure(f"the report does not say it: {quality['remarks']}")
        quality, _ = run(tools, arguments.program, folder.sub("timed"), "0")
        if quality["untimed_calls"] != 0:
            raise jobs.Failure(f"MPROF_SAMPLE=0, and {quality['untimed_calls']} calls went without "
                               "the clock")


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="truth/polls")
    sys.exit(jobs.main(check, parser))
