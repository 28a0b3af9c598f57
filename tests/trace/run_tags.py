#!/usr/bin/env python3
"""Messages that only their tags tell apart (tags.c): each arrow leads from the call that sent it to
the one that received it, with MPI_Sendrecv, MPI_ANY_TAG, matched probes and in an
intercommunicator."""

import collections
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mpi"))
import jobs
import run_events

STEPS = 100
# Of a step and rank: the call that sends, how many bytes that call moves, the call that receives.
ARROWS = [("MPI_Isend", 8, "MPI_Sendrecv"), ("MPI_Sendrecv", 16, "MPI_Waitall"),
          ("MPI_Isend", 40, "MPI_Wait"), ("MPI_Isend", 48, "MPI_Recv"),
          ("MPI_Send", 72, "MPI_Wait"),
          ("MPI_Isend", 56, "MPI_Wait"), ("MPI_Isend", 64, "MPI_Mrecv")]


def check(tools, arguments):
    run = run_events.Run(tools, arguments.program, [str(STEPS)], MPROF_EVENTS="1M")
    starts = {(call.node, call.track, call.begin_us): call for call in run.calls}
    ends = {(call.node, call.track, call.end_us): call for call in run.calls}
    found = collections.Counter()
    for arrow in run.arrows:
        sender = starts[(*arrow.sender, arrow.sent_us)]
        receiver = ends[(*arrow.receiver, arrow.received_us)]
        found[sender.name, sender.arguments["bytes"], receiver.name] += 1
    run_events.expect("arrows", dict(found),
                      {arrow: run_events.RANKS * STEPS for arrow in ARROWS})
    if "have no arrow" in run.said:
        raise jobs.Failure(run.said)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program")
    sys.exit(jobs.main(check, parser))
