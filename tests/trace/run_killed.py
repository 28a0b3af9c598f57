#!/usr/bin/env python3
"""A job that was killed has the last calls of each rank in its trace, and the messages that they
moved, as the program's plan says."""

import collections
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mpi"))
import jobs
import pftrace

RANKS = 2
STEPS = 400
KEPT = 1024
# Before the last barrier: whole steps of five calls, and of the step before these the last three.
WHOLE = (KEPT - 1) // 5
assert (KEPT - 1) % 5 == 3


def expect(what, found, expected):
    if found != expected:
        raise jobs.Failure(f"{what}: {found}, expected {expected}")


def check_messages(arrows):
    pairs = RANKS // 2
    expect("messages", len(arrows), RANKS * WHOLE + pairs * (WHOLE + 1))
    if any(arrow.sent_us > arrow.received_us for arrow in arrows):
        raise jobs.Failure("a message was received before it was sent")


def check(tools, arguments):
    with jobs.Folder("trace", tools.keep) as folder:
        profile, target = (os.path.join(folder.path, name) for name in ("profile", "run.pftrace"))
        jobs.run_preloaded(tools, folder.path, RANKS, [arguments.program, str(STEPS)],
                           tools.library, MPROF_OUTPUT=profile, MPROF_SUMMARY="off")
        done = subprocess.run([tools.mprof, "trace", profile, "-o", target], capture_output=True,
                              text=True, check=False)
        expect("exit status of mprof trace",
               (done.returncode, done.stderr.count("incomplete")), (1, 1))
        trace = pftrace.Trace(target)
    found = collections.Counter(call.name for call in trace.slices)
    expect("calls", sum(found.values()), RANKS * KEPT)
    expect("MPI_Irecv", found["MPI_Irecv"], RANKS * WHOLE)
    expect("MPI_Waitall", found["MPI_Waitall"], RANKS * (WHOLE + 1))
    check_messages(trace.arrows)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program")
    sys.exit(jobs.main(check, parser))
