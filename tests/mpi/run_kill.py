#!/usr/bin/env python3
"""Lets a job die in the middle. The report must have what the job did until then, and must say what
is missing.

The program writes how many calls each rank has begun and done. So the number of calls is known
within one per rank.
"""

import os
import signal
import struct
import subprocess
import sys
import time

import jobs

LENGTH_BYTES = 8 * 8  # of one MPI_Sendrecv
OTHER_CALLS = 3  # MPI_Init, MPI_Comm_rank, MPI_Comm_size
ROW = struct.Struct("qqq")
MOST_RANKS = 512  # as progress_map.h


class Progress:
    """The file that programs/progress.c maps."""

    def __init__(self, path):
        self.path = path
        with open(path, "wb") as file:
            file.write(bytes(MOST_RANKS * ROW.size))

    def rows(self, ranks):
        with open(self.path, "rb") as file:
            data = file.read()
        return [ROW.unpack_from(data, rank * ROW.size) for rank in range(ranks)]


def kill_rank(progress, ranks, rank):
    """Waits until that rank is well under way, then kills its process."""
    def while_running(launcher):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and launcher.poll() is None:
            process, _, done = progress.rows(ranks)[rank]
            if done > 500:
                os.kill(process, signal.SIGKILL)
                return
            time.sleep(0.005)
        raise jobs.Failure("the program did not get going")
    return while_running


def row_of(document, function):
    for row in document["functions"]:
        if row["function"] == function:
            return row
    raise jobs.Failure(f"no {function} in the report")


def check_text(tools, profile, ranks):
    """For a reader, too: the text names the ranks that did not come to their end."""
    done = subprocess.run([tools.mprof, "report", profile, "--all"], capture_output=True, text=True,
                          env=jobs.environment(), timeout=60, check=False)
    if done.returncode != 1 or "INCOMPLETE" not in done.stdout:
        raise jobs.Failure(f"mprof report: exit status {done.returncode}\n{done.stdout}")
    for rank in range(ranks):
        if f"rank {rank}: " not in done.stdout:
            raise jobs.Failure(f"the report does not say how rank {rank} ended\n{done.stdout}")


def check_report(tools, folder, ranks, progress):
    document, errors = jobs.report(tools, os.path.join(folder, "profile"), expected_status=1)
    rows = progress.rows(ranks)
    begun, done = sum(row[1] for row in rows), sum(row[2] for row in rows)
    sendrecv = row_of(document, "MPI_Sendrecv")
    if not done <= sendrecv["calls"] <= begun:
        raise jobs.Failure(f"MPI_Sendrecv: {done} to {begun} calls expected, "
                           f"{sendrecv['calls']} measured")
    if sendrecv["bytes"] != sendrecv["calls"] * LENGTH_BYTES:
        raise jobs.Failure(f"MPI_Sendrecv: {sendrecv['bytes']} bytes in {sendrecv['calls']} calls")
    if row_of(document, "MPI_Init")["calls"] != ranks:
        raise jobs.Failure("MPI_Init was not called once per rank")
    states = {row["rank"]: row for row in document["ranks"]}
    for rank, (_, first, last) in enumerate(rows):
        calls = states[rank]["calls"] - OTHER_CALLS
        aborts = states[rank]["end"] == "abort"  # MPI_Abort may be counted or not
        if not last <= calls <= first + aborts:
            raise jobs.Failure(f"rank {rank}: {last} to {first} calls expected, {calls} measured")
    if sorted(states) != list(range(ranks)):
        raise jobs.Failure(f"ranks in the report: {sorted(states)}")
    if document["run"]["complete"] or states[1]["complete"]:
        raise jobs.Failure("the report calls the run, or rank 1, complete")
    if "incomplete" not in errors:
        raise jobs.Failure(f"standard error does not say that it is incomplete: {errors!r}")
    check_text(tools, os.path.join(folder, "profile"), ranks)
    print(f"{sendrecv['calls']} calls ({done} to {begun}), end of rank 1: {states[1].get('end')}")
    print("".join(f"  {line}\n" for line in errors.splitlines()), end="")
    return states


# mode: (what the end of rank 1 must be called, or None for "was killed")
ENDS = {"kill": "none", "crash": "none", "_exit": "none", "exit": "exit", "abort": "abort"}


def check(tools, arguments):
    mode, ranks = arguments.mode, arguments.ranks
    with jobs.Folder(f"kill-{mode}", tools.keep) as folder:
        progress = Progress(os.path.join(folder.path, "progress"))
        program = [arguments.program, "forever" if mode == "kill" else mode, progress.path]
        while_running = kill_rank(progress, ranks, 1) if mode == "kill" else None
        job = jobs.run_profiled(tools, folder.path, ranks, program, while_running)
        if job.status == 0:
            raise jobs.Failure(f"the job succeeded: {job.describe()}")
        if mode == "abort" and job.status != 7:
            raise jobs.Failure(f"MPI_Abort with 7 became: {job.describe()}")
        states = check_report(tools, folder.path, ranks, progress)
        if states[1].get("end") != ENDS[mode]:
            raise jobs.Failure(f"the end of rank 1 is called {states[1].get('end')!r}, "
                               f"not {ENDS[mode]!r}")


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("program", help="programs/progress")
    parser.add_argument("mode", choices=sorted(ENDS))
    sys.exit(jobs.main(check, parser))
