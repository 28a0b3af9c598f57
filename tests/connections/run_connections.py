#!/usr/bin/env python3
"""How many TCP connections mprof adds: no more than its tree of ranks has edges, whichever ranks
the program speaks with.

The test counts everything that the processes connect to (count_connections.c). This includes the
launcher's part, which is the same without mprof. Two ranks that connect to each other at the same
time count twice. So the test takes the smallest of a few runs.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "mpi"))
import jobs  # noqa: E402

RANKS = 6
RUNS = 3
OVER_TCP = ["--mca", "pml", "ob1", "--mca", "btl", "tcp,self"]


def connections(tools, arguments, pattern, library):
    fewest = None
    for _ in range(RUNS):
        with jobs.Folder("connections", tools.keep) as folder:
            made = os.path.join(folder.path, "made")
            preload = ":".join([library] * bool(library) + [arguments.counter])
            settings = {"CONNECTIONS_MADE": made,
                        "MPROF_OUTPUT": os.path.join(folder.path, "profile"),
                        "MPROF_SUMMARY": os.path.join(folder.path, "summary"),
                        **jobs.preload_settings(preload)}
            inside = ["env"] + [f"{name}={value}" for name, value in settings.items()]
            job = jobs.Job(tools.launcher(RANKS) + OVER_TCP + inside
                           + [arguments.program, pattern], jobs.environment(), folder.path,
                           tools.time_limit)
            if job.status != 0:
                raise jobs.Failure(job.describe())
            count = os.path.getsize(made)
            fewest = count if fewest is None else min(fewest, count)
    return fewest


def check(tools, arguments):
    for pattern in ("nobody", "far", "ring", "sum"):
        alone = connections(tools, arguments, pattern, None)
        mprof = connections(tools, arguments, pattern, tools.library)
        print(f"{pattern}: {alone} connections, with mprof {mprof}")
        if mprof > alone + RANKS - 1:
            raise jobs.Failure(f"{pattern}: {mprof - alone} connections more, the tree has "
                               f"{RANKS - 1}")


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="partners")
    parser.add_argument("counter", help="count_connections.so", type=os.path.abspath)
    sys.exit(jobs.main(check, parser))
