#!/usr/bin/env python3
"""Ranks that die around MPI_Finalize, where mprof waits for all of them, under a launcher that lets
the others run on when a rank has died (Open MPI's mpirun --enable-recovery). Over shared memory and
over TCP nobody may wait for a dead rank, however patient mprof is. The exit status must be as
without mprof. What each rank did must be in the profile.

Open MPI 4.1's own MPI_Finalize is a fence of its runtime. Now and then it never ends when a rank
has died. Where a run with mprof hangs, mprof's own part must be over, the record must be there all
the same, and the case must hang without mprof, too. That is printed.
"""

import os
import signal
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "mpi"))
import jobs  # noqa: E402
import run_ends  # noqa: E402

RANKS = 3
LAST = 300  # calls that each rank makes: ending.c
PATIENCE_S = 60  # longer than any case takes
LONGER_S = 2  # than without mprof, at most
MOST_HANGS = 4  # of runs without mprof, until one ends
OVER = (b"##mprof", b"so there is no summary")  # what rank 0 prints when mprof is through
# A rank that dies of itself while the others are in MPI_Finalize, or with them there, when mprof
# times messages to it; or one that is killed so long after the last call, in seconds: those who
# wait in MPI_Finalize for rank 1, which comes 2 s later, among them the one at the top of the tree;
# and rank 1 around its own.
CASES = [("never", None, None), ("met", None, None), ("late", 0, 0.5), ("late", 2, 0.5),
         ("late", 1, 1.99), ("late", 1, 2.01), ("late", 1, 2.05)]
# Over TCP nothing can be sent to a dead rank, and the send is pending for ever.
OVER_TCP = ["--mca", "pml", "ob1", "--mca", "btl", "tcp,self"]
TCP_CASES = [("never", None, None), ("met", None, None), ("late", 0, 0.5), ("late", 1, 1.99)]


def kill_later(progress, rank, seconds):
    """When all have made their calls; in a thread, as the job's time limit counts on meanwhile."""
    def watch():
        deadline = time.monotonic() + 60
        while not all(row[2] >= LAST for row in run_ends.read_progress(progress, RANKS)):
            if time.monotonic() > deadline:
                return
            time.sleep(0.001)
        time.sleep(seconds)
        try:
            os.kill(run_ends.read_progress(progress, RANKS)[rank][0], signal.SIGKILL)
        except ProcessLookupError:
            pass  # it was through already
    return lambda _launcher: threading.Thread(target=watch, daemon=True).start()


def run(tools, folder, program, case, options, profiled):
    mode, rank, seconds = case
    progress = os.path.join(folder, "progress")
    with open(progress, "wb") as file:
        file.write(bytes(4096))
    settings = {"MPROF_OUTPUT": os.path.join(folder, "profile"),
                "MPROF_PATIENCE": PATIENCE_S} if profiled else {}
    command = [tools.mprof, "run", "--"] if profiled else []
    command += tools.launcher(RANKS) + options + ["--enable-recovery", program, mode, progress]
    watch = None if rank is None else kill_later(progress, rank, seconds)
    return jobs.Job(command, jobs.environment(**settings), folder, tools.time_limit, watch)


def run_alone(tools, folder, program, case, options):
    """The job without mprof, or None if it hangs."""
    try:
        return run(tools, folder, program, case, options, False)
    except jobs.NotDone:
        return None


def run_alone_to_its_end(tools, folder, program, case, options):
    for number in range(MOST_HANGS):
        job = run_alone(tools, folder.sub(f"alone{number}"), program, case, options)
        if job is not None:
            return job
        print(f"{case}: hangs without mprof")
    raise jobs.Failure(f"{case}: hangs without mprof {MOST_HANGS} times")


def outcome_alone(tools, program, case, options):
    with jobs.Folder("recovery", tools.keep) as folder:
        return "ends" if run_alone(tools, folder.path, program, case, options) else "hangs"


def check_hang(tools, program, case, options, problem):
    """With mprof the case hangs, as `problem` says: not in mprof, and not because of it."""
    # Rank 0 tells when mprof is through; if it was killed, nobody does.
    if case[1] != 0 and not any(text in problem.job.stderr for text in OVER):
        raise problem
    print(f"{case}: hangs with mprof, in Open MPI's MPI_Finalize")
    if not jobs.is_also_without_mprof(f"{case}", "hangs",
                                      lambda: outcome_alone(tools, program, case, options), 40):
        raise problem


def check_case(tools, program, case, options):
    with jobs.Folder("recovery", tools.keep) as folder:
        alone = run_alone_to_its_end(tools, folder, program, case, options)
        where = folder.sub("mprof")
        try:
            mprof = run(tools, where, program, case, options, True)
        except jobs.NotDone as problem:
            check_hang(tools, program, case, options, problem)
        else:
            print(f"{case}{' over TCP' if options else ''}: status {mprof.status} after "
                  f"{mprof.seconds:.2f} s, without mprof {alone.status} after {alone.seconds:.2f} "
                  "s")
            if mprof.status != alone.status or mprof.stdout != alone.stdout:
                raise jobs.Failure(f"not as without mprof\n{alone.describe()}\n"
                                   f"{mprof.describe()}")
            if mprof.seconds > alone.seconds + LONGER_S + run_ends.SLACK_S:
                raise jobs.Failure(f"ended after {mprof.seconds:.1f} s, without mprof after "
                                   f"{alone.seconds:.1f} s")
        rows = run_ends.read_progress(os.path.join(where, "progress"), RANKS)
        if not all(row[2] >= LAST for row in rows):
            raise jobs.Failure(f"calls that were made: {rows}")
        check_report(tools, os.path.join(where, "profile"))


def check_report(tools, profile):
    """All calls of all ranks, and only who died may lack the end."""
    document, _ = jobs.report(tools, profile, expected_status=None)
    calls = sorted(row["calls"] - run_ends.OTHER_CALLS - LAST for row in document["ranks"])
    if len(calls) != RANKS or not set(calls) <= {0, 1}:  # with MPI_Finalize or without
        raise jobs.Failure(f"calls besides those that were made: {calls}")
    dead = [row["rank"] for row in document["ranks"] if row["end"] != "finalize"]
    if len(dead) > 1:
        raise jobs.Failure(f"ranks {dead} have no end, and only one died")


def check(tools, arguments):
    jobs.go_first()
    for case in CASES:
        check_case(tools, arguments.program, case, [])
    for case in TCP_CASES:
        check_case(tools, arguments.program, case, OVER_TCP)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="ends/ending")
    sys.exit(jobs.main(check, parser))
