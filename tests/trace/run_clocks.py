#!/usr/bin/env python3
"""Clocks of nodes with offsets of seconds and drifts of 50 ppm are lined up within the residual
that the report states.

Rank 1 believes that it is on another node (other_node.c). When each reduction ended, the program
noted by the true clock. In the trace it has to end at that time on both ranks, no message may come
before it was sent, and hardly any may have been moved for that.
"""

import array
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mpi"))
import jobs  # noqa: E402
import pftrace  # noqa: E402

RANKS = 2
CLOCKS = ["1:0:0", "1:3.5:50", "1:-7.25:-50"]
MOST_MOVED = 0.01


def read_ends(folder):
    ranks = []
    for rank in range(RANKS):
        values = array.array("d")
        with open(os.path.join(folder, f"ends-{rank}"), "rb") as file:
            values.frombytes(file.read())
        ranks.append(list(values))
    return ranks


def trace_of(tools, folder):
    target = os.path.join(folder, "run.pftrace")
    done = subprocess.run([tools.mprof, "trace", os.path.join(folder, "profile"), "-o", target],
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise jobs.Failure(done.stderr)
    return pftrace.Trace(target), done.stdout + done.stderr


def found_ends(trace):
    """By rank: when its last reductions ended, in seconds."""
    nodes = sorted({call.node for call in trace.slices})
    ends = [[] for _ in nodes]
    for call in trace.slices:
        if call.name == "MPI_Allreduce":
            ends[nodes.index(call.node)].append(call.end_us * 1e-6)
    return [sorted(times) for times in ends]


def check_ends(trace, true, residual_s, clocks):
    """Of each reduction: how far apart the ranks' ends are in the trace, and were in truth."""
    found = found_ends(trace)
    if len(found) != RANKS or not found[0] or len(found[0]) != len(found[1]):
        raise jobs.Failure(f"reductions of ranks: {[len(times) for times in found]}")
    count = len(found[0])
    wrong = [abs((found[1][i] - found[0][i]) - (true[1][i - count] - true[0][i - count]))
             for i in range(count)]
    # A rank that loses its CPU between the end and its note of it is no clock that is wrong.
    third = count // 3
    for part in (wrong[:third], wrong[third:-third], wrong[-third:]):
        usual_s = sorted(part)[len(part) // 2]
        print(f"{clocks}: {len(part)} reductions are {usual_s * 1e6:.1f} us off; stated: "
              f"{residual_s * 1e6:.1f} us")
        if usual_s > residual_s + 2e-6:
            raise jobs.Failure(f"{clocks}: {usual_s} s off, {residual_s} s are stated")


def check_messages(trace, said, clocks):
    arrows = trace.arrows
    if not arrows or any(arrow.sent_us > arrow.received_us for arrow in arrows):
        raise jobs.Failure(f"{clocks}: a message was received before it was sent")
    moved = re.search(r"(\d[\d,]*) of [\d,]+ messages", said)
    count = int(moved[1].replace(",", "")) if moved else 0
    print(f"{clocks}: {count} of {len(arrows)} messages were moved")
    if count > MOST_MOVED * len(arrows):
        raise jobs.Failure(f"{count} of {len(arrows)} messages were moved: {said}")


def check_clocks(tools, arguments, clocks):
    with jobs.Folder("clocks", tools.keep) as folder:
        jobs.run_preloaded(tools, folder.path, RANKS, [arguments.program, folder.path],
                           f"{arguments.other_node}:{tools.library}", OTHER_NODE=clocks,
                           MPROF_OUTPUT=os.path.join(folder.path, "profile"), MPROF_SUMMARY="off",
                           **jobs.cpu_each(RANKS))
        report, _ = jobs.report(tools, os.path.join(folder.path, "profile"), expected_status=1)
        if report["run"]["nodes"] != RANKS:
            raise jobs.Failure(f"{report['run']['nodes']} nodes")
        residual_s = report["time"]["clock_residual_s"]
        if not residual_s:
            raise jobs.Failure(f"the residual is {residual_s} s")
        trace, said = trace_of(tools, folder.path)
        check_ends(trace, read_ends(folder.path), residual_s, clocks)
        check_messages(trace, said, clocks)


def check(tools, arguments):
    jobs.go_first()
    for clocks in CLOCKS:
        check_clocks(tools, arguments, clocks)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="trace/clocks")
    parser.add_argument("other_node", help="other_node.so", type=os.path.abspath)
    sys.exit(jobs.main(check, parser))
