#!/usr/bin/env python3
"""Requests: the time of MPI_Wait and MPI_Waitall goes back to the lines that started the requests.
Computing meanwhile is called overlapped. programs/overlap.c plants the times, and this test looks
for them."""

import os
import sys

import jobs

LARGE = 1 << 20
SLEPT_S = 0.100
COMPUTED_S = 0.050
ROUNDS = 4


def rows_of(report, function, size):
    return [row for row in report["callsites"] if row["function"] == function
            and row["size_bytes"] == size]


def expect(condition, what):
    if not condition:
        raise jobs.Failure(what)


def check(report):
    irecv, = rows_of(report, "MPI_Irecv", LARGE)
    expect(irecv["completions"] == 1, f"completions of the large MPI_Irecv: {irecv}")
    expect(SLEPT_S * 0.9 < irecv["completion_s"] < SLEPT_S * 1.5,
           f"the large MPI_Irecv was waited for {irecv['completion_s']} s, not about {SLEPT_S} s")
    expect(irecv["top_partner"] == 0, f"its partner is {irecv['top_partner']}, not 0")
    # Rank 1's small MPI_Isend of the same MPI_Waitall got next to nothing.
    isends = rows_of(report, "MPI_Isend", 8)
    expect(sum(row["completion_s"] for row in isends) < SLEPT_S
           * 0.1, f"time given back to MPI_Isend: {isends}")

    overlapping = [row for row in isends if row["calls"] == 2]
    expect(len(overlapping) == 1, f"the line whose MPI_Isend is overlapped: {isends}")
    row = overlapping[0]
    expect(2 * COMPUTED_S * 0.98 < row["overlapped_s"] < 2 * COMPUTED_S * 1.4,
           f"overlapped {row['overlapped_s']} s, not about {2 * COMPUTED_S} s")
    expect(row["overlapped_s"] <= row["span_s"] * 1.000001,
           f"more overlapped than there was: {row}")

    for function in ("MPI_Send_init", "MPI_Recv_init"):
        persistent, = [row for row in report["callsites"] if row["function"] == function]
        expect(persistent["completions"]
               == ROUNDS, f"{function}: {persistent['completions']} completions, not {ROUNDS}")
    uncompleted = [row for row in isends if row["completions"] == 0]
    expect(len(uncompleted) == 1
           and uncompleted[0]["calls"] == 1, f"the request that is never completed: {isends}")

    # What is given back is what the completing calls took, no more.
    completing = sum(row["time_s"]
                     for row in report["functions"] if row["function"].startswith("MPI_Wait"))
    given_back = sum(row["completion_s"] for row in report["callsites"])
    expect(abs(given_back - completing) < 0.02 * completing + 1e-5,
           f"{given_back} s given back, but the completing calls took {completing} s")
    received = [row for row in report["matrix"] if (row["source"], row["destination"]) == (0, 1)]
    expect(received[0]["time_s"] > SLEPT_S * 0.9, f"time of the messages from 0 to 1: {received}")


def run(tools, arguments):
    jobs.go_first()
    with jobs.Folder("requests", tools.keep) as folder:
        where = folder.sub("profiled")
        job = jobs.run_profiled(tools, where, 2, [arguments.program], **jobs.cpu_each(2))
        if job.status != 0:
            raise jobs.Failure(job.describe())
        document, _ = jobs.report(tools, os.path.join(where, "profile"))
        check(document)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="programs/overlap")
    sys.exit(jobs.main(run, parser))
