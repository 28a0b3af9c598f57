#!/usr/bin/env python3
"""kill -9 of all ranks at random moments. The last call of each rank in the flight recorder must
be the one that the program itself noted, within one, and the calls before it those that came
before.

The number of a call is in its bytes (last_calls.c). A run of polls is one item with its count.
MPROF_KILL_TURNS says how often; 200 is the long form.
"""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "mpi"))
import jobs  # noqa: E402
from run_kill import Progress  # noqa: E402
from run_random_kill import kill_all  # noqa: E402

MODULUS, POLLS_EVERY, MOST_POLLS = 4096, 7, 5  # as in last_calls.c
FUNCTIONS = ["MPI_Sendrecv", "MPI_Allreduce", "MPI_Bcast"]
PLAIN = {"MPI_Init", "MPI_Comm_rank", "MPI_Comm_size"}
KEPT = 32


def numbered(rows, begun):
    """(number, row) of each call that tells its number, and polls with that of the call before."""
    found, number = [], None
    for row in rows:
        if row["function"] in PLAIN or row["time_s"] is None:
            continue
        if row["polls"] is None:  # the newest number up to `begun` that fits
            number = begun - 1 - (begun - 1 - row["bytes"]) % MODULUS
        if number is not None:
            found.append((number, row))
    return found


def check_polls(rank, found):
    """Each run of polls but the last, which may not be over, has the right count."""
    for number, row in found[:-1]:
        if row["polls"] is not None and row["polls"] != 1 + number % MOST_POLLS:
            raise jobs.Failure(f"rank {rank}: {row['polls']} polls after call {number}")


def check_rank(rank, rows, begun, done):
    found = numbered(rows, begun)
    calls = [(number, row) for number, row in found if row["polls"] is None]
    last = calls[-1][0] + 1 if calls else 0
    if not done <= last <= begun:
        raise jobs.Failure(f"rank {rank}: {done} to {begun} calls, the last one in the recorder is "
                           f"the {last}th\n{rows[-3:]}")
    numbers = [number for number, _ in calls]
    if numbers != list(range(last - len(calls), last)):
        raise jobs.Failure(f"rank {rank}: calls {numbers}")
    for number, row in calls:
        if row["function"] != FUNCTIONS[number % 3]:
            raise jobs.Failure(f"rank {rank}: call {number} is {row['function']}")
    if begun > KEPT and len(rows) < KEPT:
        raise jobs.Failure(f"rank {rank}: only {len(rows)} calls of {begun}")
    began = [row["began_s"] for row in rows]
    if began != sorted(began):
        raise jobs.Failure(f"rank {rank}: not in the order of time: {began}")
    check_polls(rank, found)


def check_once(tools, arguments, seconds):
    ranks = arguments.ranks
    with jobs.Folder("last-calls", tools.keep) as folder:
        progress = Progress(os.path.join(folder.path, "progress"))
        job = jobs.run_profiled(tools, folder.path, ranks, [arguments.program, progress.path],
                                kill_all(progress, ranks, seconds))
        if job.status == 0:
            raise jobs.Failure(f"the job succeeded: {job.describe()}")
        document, _ = jobs.report(tools, os.path.join(folder.path, "profile"), expected_status=1)
        for rank, (_, begun, done) in enumerate(progress.rows(ranks)):
            rows = [row for row in document["last_calls"] if row["rank"] == rank]
            check_rank(rank, rows, begun, done)


def check(tools, arguments):
    moments = random.Random(arguments.seed)
    for _ in range(arguments.turns):
        check_once(tools, arguments, moments.uniform(0, 0.1))


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--turns", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("program", help="ends/last_calls")
    sys.exit(jobs.main(check, parser))
