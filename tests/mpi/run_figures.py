#!/usr/bin/env python3
"""Figures of runs in which they are easily added up wrongly: several threads in MPI, calls before
MPI_Init, a job that hung and was killed, ranks that were killed, a slow kernel at the end. All
tables must add up (sums.py), and programs/figures.c says what else is true."""

import os
import re
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


def check_threads(report, _said):
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


def check_early(report, _said):
    early = function(report, "MPI_T_init_thread")
    parts = {row["state"]: row["time_s"] for row in report["time_parts"]}
    expect(parts["start-up"] * 2 > 0.9 * early["time_s"],
           f"MPI_T_init_thread takes {early['time_s']} s on 2 ranks, start-up {parts}")
    first = [row for row in report["time"]["bins"] if row["begin_s"] < 0.4 * early["time_s"]]
    starting, computing = (sum(row[key] for row in first) for key in ("startup_s", "compute_s"))
    expect(starting > computing, f"it comes first: {first}")


def check_asked(report, said):
    """Only 0.1 s of it are computing; what was before MPI_Init took 1.5 s."""
    rows = [row for row in report["segments"] if row["time_s"] > 0.3]
    expect(not rows, f"computing before the run: {rows}")
    blocked = [row["blocked_s"] for row in report["ranks"]]
    expect(max(blocked) < 0.3, f"blocked before the run: {blocked}")
    share = re.search(r"blocked outside MPI for (\d+).*% of the run", said)
    expect(share is None or int(share[1]) <= 100, said)


def check_hang(report, _said):
    expect(HUNG_S * 0.5 < report["run"]["wallclock_s"] < HUNG_S * 2,
           f"hung for {HUNG_S} s, and the run took {report['run']['wallclock_s']} s")
    expect(not report["run"]["complete"], "it did not end well")


def check_memory(report, _said):
    memory = [row["memory_bytes"] for row in report["ranks"]]
    expect(min(memory) >= MEMORY, f"each had {MEMORY} bytes when it was killed: {memory}")


def check_slow_end(report, _said):
    """What mprof does after MPI_Finalize is no time of the program, and none that it computes."""
    computing = sum(row["compute_s"] for row in report["ranks"])
    between_calls = sum(row["time_s"] for row in report["segments"])
    expect(computing - between_calls < SLEPT_S / 6,
           f"computed for {computing} s, {between_calls} s of that between two calls")


def check_late(report, _said):
    """Nobody receives a word of mprof's after that: MPICH would say so on standard output."""
    expect(report["run"]["complete"], "it ended well")


CASES = {"threads": check_threads, "early": check_early, "asked": check_asked, "hang": check_hang,
         "memory": check_memory, "slow_end": check_slow_end, "late": check_late}
END_WELL = ("threads", "early", "asked", "slow_end", "late")
SETTINGS = {"asked": {"MPROF_SUMMARY": "text"},
            "late": {"MPROF_PATIENCE": 1, "MPROF_SUMMARY": "text"}}


def run(tools, arguments):
    for case, check in CASES.items():
        with jobs.Folder(f"figures-{case}", tools.keep) as folder:
            launcher = tools.launcher(3 if case == "late" else 2)
            if case == "hang":
                launcher = ["timeout", "-s", "INT", str(HUNG_S)] + launcher
            command = [tools.mprof, "run", "--"] + launcher + [arguments.program, case]
            profile = os.path.join(folder.path, "profile")
            settings = {"MPROF_OUTPUT": profile, "MPROF_SUMMARY": "off", **jobs.cpu_each(2),
                        **SETTINGS.get(case, {})}
            job = jobs.Job(command, jobs.environment(**settings), folder.path, tools.time_limit)
            expect((job.status == 0) == (case in END_WELL), f"{case}: {job.describe()}")
            expect(case not in END_WELL or job.stdout == b"", f"{case} prints: {job.describe()}")
            report, _ = jobs.report(tools, profile, expected_status=None)
            check(report, job.stderr.decode())


if __name__ == "__main__":
    PARSER = jobs.argument_parser(__doc__)
    PARSER.add_argument("program")
    sys.exit(jobs.main(run, PARSER))
