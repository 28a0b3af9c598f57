#!/usr/bin/env python3
"""Does MPI_Finalize end as often with mprof as without it, on two nodes over UCX's TCP? And how
many more connections are there?

MPICH before 4.2 hangs there by itself now and then: a rank that waits for the launcher answers no
other rank any more. So jobs with and without mprof take turns. Those with mprof may hang more often
only as far as that is chance. The nodes are network namespaces.
"""

import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "mpi"))
import jobs  # noqa: E402
import nodes  # noqa: E402

RANKS = 4
CHANCE = 0.01  # that a test fails where mprof changes nothing


def run(tools, arguments, cluster, library, settings):
    """The connections that were made, or None if the job did not end."""
    with jobs.Folder("finalize", tools.keep) as folder:
        made = os.path.join(folder.path, "made")
        preload = ":".join([library] * bool(library) + [arguments.counter])
        inside = ["env"] + [f"{name}={value}" for name, value in {
            "CONNECTIONS_MADE": made, "MPROF_OUTPUT": os.path.join(folder.path, "profile"),
            **settings, **jobs.preload_settings(preload)}.items()]
        command = cluster.on(0, [tools.mpirun, "-hosts", cluster.hosts(RANKS // cluster.count),
                                 "-n", str(RANKS)])
        try:
            job = jobs.Job(command + inside + [arguments.program, "much"],
                           jobs.environment(**cluster.settings()), folder.path, tools.time_limit)
        except jobs.NotDone:
            return None
        if job.status != 0:
            raise jobs.Failure(job.describe())
        return os.path.getsize(made)


def chance_of(hung, other_hung, turns):
    """That at least `hung` of all that hung are on this side, if both sides are the same (Fisher's
    exact test)."""
    both = hung + other_hung
    return sum(math.comb(turns, k) * math.comb(turns, both - k)
               for k in range(hung, min(both, turns) + 1)) / math.comb(2 * turns, both)


def check(tools, arguments):
    kinds = {"without mprof": (None, {}), "with mprof": (tools.library, {"MPROF_SUMMARY": "text"}),
             "nothing asked of others": (tools.library,
                                         {"MPROF_SUMMARY": "off", "MPROF_BASELINE": "0"})}
    made = {kind: [] for kind in kinds}
    with nodes.Nodes(2) as cluster:
        for _ in range(arguments.turns):
            for kind, (library, settings) in kinds.items():
                made[kind].append(run(tools, arguments, cluster, library, settings))
    hung = {kind: counts.count(None) for kind, counts in made.items()}
    fewest = {kind: min((count for count in counts if count is not None), default=None)
              for kind, counts in made.items()}
    for kind in kinds:
        print(f"{kind}: {hung[kind]} of {arguments.turns} jobs did not end; at least "
              f"{fewest[kind]} connections")
    alone = "without mprof"
    for kind in kinds:
        if chance_of(hung[kind], hung[alone], arguments.turns) < CHANCE:
            raise jobs.Failure(f"{kind}: {hung[kind]} of {arguments.turns} jobs did not end, "
                               f"without mprof {hung[alone]}")
        if None not in (fewest[kind], fewest[alone]) and fewest[kind] > fewest[alone] + RANKS - 1:
            raise jobs.Failure(f"{kind}: {fewest[kind] - fewest[alone]} connections more, the tree "
                               f"has {RANKS - 1}")


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("program", help="partners")
    parser.add_argument("counter", help="count_connections.so", type=os.path.abspath)
    sys.exit(jobs.main(check, parser))
