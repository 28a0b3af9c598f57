#!/usr/bin/env python3
"""Figures of runs in which they are easily added up wrongly: several threads in MPI, calls before
MPI_Init, a job that hung and was killed, ranks that were killed. All tables must add up (sums.py),
and programs/figures.c says what else is true."""

import os
import sys

import jobs

SLEPT_S = 0.3
THREADS = 4
HUNG_S = 3
MEMORY = 100 << 20


def expect(condition, what):
    if not condition:
        raise jobs.Failure(what)


def function(report, name):
    row, = [row for row in report["functions"] if row["function"] == name]
    return row


def check_threads(report):
    """All threads wait for as long as the partner slept; the rank's own time has that once."""
    receives = function(report, "MPI_Recv")
    expect(receives["wait_s"] > 0.8 * THREADS * SLEPT_S,
           f"{THREADS} threads waited {SLEPT_S} s each: {receives}")
    waiter = report["ranks"][1]
    expect(waiter["wait_thread_s"] <= waiter["mpi_thread_s"] < waiter["wallclock_s"] * 1.000001,
           f"the rank that waits: {waiter}")
    requests = [row for row in report["callsites"] if row["function"] == "MPI_Irecv"]
    expect([(row["completions"], row["spans"], row["overlapped_s"]) for row in requests]
           == [(2, 0, None)], f"what another thread completed: {requests}")


def check_early(report):
    early = function(report, "MPI_T_init_thread")
    parts = {row["state"]: row["time_s"] for row in report["time_parts"]}
    expect(parts["start-up"] * 2 > 0.9 * early["time_s"],
           f"MPI_T_init_thread takes {early['time_s']} s on 2 ranks, start-up {parts}")
    first = [row for row in report["time"]["bins"] if row["begin_s"] < 0.4 * early["time_s"]]
    starting, computing = (sum(row[key] for row in first) for key in ("startup_s", "compute_s"))
    expect(starting > computing, f"it comes first: {first}")


def check_hang(report):
    expect(HUNG_S * 0.5 < report["run"]["wallclock_s"] < HUNG_S * 2,
           f"hung for {HUNG_S} s, and the run took {report['run']['wallclock_s']} s")
    expect(not report["run"]["complete"], "it did not end well")


def check_memory(report):
    memory = [row["memory_bytes"] for row in report["ranks"]]
    expect(min(memory) >= MEMORY, f"each had {MEMORY} bytes when it was killed: {memory}")


CASES = {"threads": check_threads, "early": check_early, "hang": check_hang,
         "memory": check_memory}


def run(tools, arguments):
    for case, check in CASES.items():
        with jobs.Folder(f"figures-{case}", tools.keep) as folder:
            launcher = tools.launcher(2)
            if case == "hang":
                launcher = ["timeout", "-s", "INT", str(HUNG_S)] + launcher
            command = [tools.mprof, "run", "--"] + launcher + [arguments.program, case]
            profile = os.path.join(folder.path, "profile")
            job = jobs.Job(command, jobs.environment(MPROF_OUTPUT=profile, MPROF_SUMMARY="off",
                                                     **jobs.cpu_each(2)),
                           folder.path, tools.time_limit)
            expect((job.status == 0) == (case in ("threads", "early")),
                   f"{case}: {job.describe()}")
            report, _ = jobs.report(tools, profile, expected_status=None)
            check(report)


if __name__ == "__main__":
    PARSER = jobs.argument_parser(__doc__)
    PARSER.add_argument("program")
    sys.exit(jobs.main(run, PARSER))
