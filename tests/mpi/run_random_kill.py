#!/usr/bin/env python3
"""kill -9 of all ranks at random moments, again and again. Every rank file must be readable, and
must hold what was done until then.

There are never more calls than were begun, and at most the last one is missing. Calls, bytes, call
sites and segments agree with each other. A rank may have no file if it was killed before MPI_Init
was through. --turns 200 is the long form.

With --at-end the ranks are killed when all have made their calls, at a random moment between their
coming to MPI_Finalize and some time after the job's end. Whatever is in place then, live records,
finished files or both, no call may be missing or be there twice.
"""

import os
import random
import subprocess
import sys
import time

import jobs
from node_file import take_apart
from run_kill import LENGTH_BYTES, Progress, row_of

CALLS = 200  # of each rank, with --at-end
OTHER_CALLS = 3  # MPI_Init, MPI_Comm_rank, MPI_Comm_size


def kill_all(progress, ranks, seconds, patience=30):
    """Some time after all ranks got going, ends all of them at once."""
    def while_running(launcher):
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline and launcher.poll() is None:
            processes = [row[0] for row in progress.rows(ranks)]
            if all(processes):
                time.sleep(seconds)
                jobs.end_processes(processes)
                return
            time.sleep(0.001)
        raise jobs.Failure("the program did not get going")
    return while_running


def check_rank(tools, path, begun, done):
    """One file on its own, so that each must be readable."""
    document, _ = jobs.report(tools, path, expected_status=1)
    calls = document["totals"]["calls"] - OTHER_CALLS
    if not done <= calls <= begun:
        raise jobs.Failure(f"{path}: {done} to {begun} calls expected, {calls} measured")
    if calls > 0:
        sendrecv = row_of(document, "MPI_Sendrecv")
        if sendrecv["bytes"] != sendrecv["calls"] * LENGTH_BYTES:
            raise jobs.Failure(f"{path}: {sendrecv['bytes']} bytes in {sendrecv['calls']} calls")
    hang = subprocess.run([tools.mprof, "hang", os.path.dirname(path)], capture_output=True,
                          text=True, env=jobs.environment(), timeout=60, check=False)
    if hang.returncode != 0 or "MPI_Sendrecv" not in hang.stdout:
        raise jobs.Failure(f"mprof hang: exit status {hang.returncode}\n{hang.stdout}{hang.stderr}")


def kill_at_end(progress, ranks, seconds, patience=30):
    def while_running(launcher):
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline and launcher.poll() is None:
            rows = progress.rows(ranks)
            if all(done == CALLS for _, _, done in rows):
                time.sleep(seconds)
                jobs.end_processes([process for process, _, _ in rows])
                return
        if launcher.poll() is None:
            raise jobs.Failure("the program did not come to its end")
    return while_running


def check_end(tools, arguments, seconds):
    """Returns whether the job had ended well before."""
    ranks = arguments.ranks
    with jobs.Folder("end-kill", tools.keep) as folder:
        progress = Progress(os.path.join(folder.path, "progress"))
        job = jobs.run_profiled(tools, folder.path, ranks,
                                [arguments.program, str(CALLS), progress.path],
                                kill_at_end(progress, ranks, seconds))
        document, said = jobs.report(tools, os.path.join(folder.path, "profile"), "--by-rank",
                                     expected_status=None)
        found = {row["rank"]: row["calls"] for row in document["rank_functions"]
                 if row["function"] == "MPI_Sendrecv"}
        if found != dict.fromkeys(range(ranks), CALLS):
            raise jobs.Failure(f"{found} calls after {seconds} s\n{said}")
        files = os.listdir(os.path.join(folder.path, "profile"))
        print(f"{1000 * seconds:.1f} ms: exit status {job.status}, {sorted(files)}")
        return job.status == 0


def check_once(tools, arguments, seconds):
    ranks = arguments.ranks
    with jobs.Folder("random-kill", tools.keep) as folder:
        progress = Progress(os.path.join(folder.path, "progress"))
        job = jobs.run_profiled(tools, folder.path, ranks,
                                [arguments.program, "forever", progress.path],
                                kill_all(progress, ranks, seconds))
        if job.status == 0:
            raise jobs.Failure(f"the job succeeded: {job.describe()}")
        take_apart(os.path.join(folder.path, "profile"))
        for rank, (_, begun, done) in enumerate(progress.rows(ranks)):
            check_rank(tools, os.path.join(folder.path, "profile", f"rank-{rank}.mprof"),
                       begun, done)


def check(tools, arguments):
    moments = random.Random(arguments.seed)
    if arguments.at_end:
        ends = [check_end(tools, arguments, moments.uniform(0, arguments.at_end))
                for _ in range(arguments.turns)]
        print(f"{sum(ends)} of {len(ends)} jobs had ended before")
        return
    for _ in range(arguments.turns):
        check_once(tools, arguments, moments.uniform(0, 0.1))


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--turns", type=int, default=8)
    parser.add_argument("--at-end", type=float, default=0, metavar="SECONDS",
                        help="kill at most so long after all have made their calls")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("program", help="programs/progress")
    sys.exit(jobs.main(check, parser))
