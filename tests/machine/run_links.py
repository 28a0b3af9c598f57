#!/usr/bin/env python3
"""mprof machine on four nodes with 100 Mbit/s each, one of which sends with 10 Mbit/s: it names
that one and no other. What messages take between nodes is what ping_pong.c finds, whose log is in
the form of IMB, within 20 %. Both are what the rate of the card says. The nodes are network
namespaces.
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import machine_runs as runs  # noqa: E402  pylint: disable=wrong-import-position
import jobs  # noqa: E402  pylint: disable=wrong-import-position
import nodes  # noqa: E402  pylint: disable=wrong-import-position

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ping_pong.c")
NODES, RATE, SLOW_RATE, SLOW = 4, "100mbit", "10mbit", 2  # the third node is slow
RATE_BYTES = 100e6 / 8
LEAST, MOST = 8192, 65536  # sizes that are compared: the card's rate counts, not the processors
APART = 0.2


def compiled(tools, arguments, folder):
    """The program; that of an MPI which the tests install is built here."""
    if arguments.program:
        return arguments.program
    program = os.path.join(folder, "ping_pong")
    subprocess.run([os.path.join(os.path.dirname(tools.mpirun), "mpicc"), "-O1", "-o", program,
                    SOURCE], check=True)
    return program


def launcher(tools, cluster, ranks, per_node):
    hosts = cluster.hosts(per_node)
    if tools.mpi == "mpich":
        return [tools.mpirun, "-hosts", hosts, "-n", str(ranks)]
    return [tools.mpirun, "--host", hosts, "--bind-to", "none", "-n", str(ranks)]


def on_first(cluster):
    return lambda command: cluster.on(0, command)


def check_slow_link(tools, cluster, environment, folder):
    document = runs.measure(tools.mprof, launcher(tools, cluster, NODES, 1), environment, folder,
                            around=on_first(cluster))
    name = f"node{SLOW + 1}"
    slow = [row["host"] for row in document["nodes"] if row["slow"]]
    links = sorted(row["hosts"] for row in document["links"] if row["slow"])
    expected = sorted(sorted([f"node{i + 1}", name]) for i in range(NODES) if i != SLOW)
    if slow != [name] or links != expected or len(document["findings"]) != 1:
        raise jobs.Failure(f"slow nodes {slow}, links {links}: {document['findings']}")
    headline = document["headline"]
    if name not in headline or "link to the network is slow" not in headline:
        raise jobs.Failure(f"the headline is {headline}")
    if name in [document["nodes"][i]["host"] for i in usual_pair(document)]:
        raise jobs.Failure("the usual link is the slow one")
    return document


def usual_pair(document):
    """The nodes of the ranks of the distance "other node": one rank on each."""
    return runs.distance(document, "other node")["ranks"]


def both_times(tools, cluster, environment, folder, program):
    """Seconds by size between the first two nodes: by mprof machine, and by ping_pong's log."""
    launch = launcher(tools, cluster, 2, 1)
    document = runs.measure(tools.mprof, launch, environment, folder, around=on_first(cluster))
    job = jobs.Job(cluster.on(0, launch + [program, str(LEAST), str(MOST)]), environment, folder,
                   tools.time_limit)
    if job.status != 0:
        raise jobs.Failure(job.describe())
    log = os.path.join(folder, "imb.log")
    with open(log, "wb") as file:
        file.write(job.stdout)
    read = runs.read_log(tools.mprof, log)
    return runs.times(runs.distance(document, "other node")), runs.times(read["distances"][0])


def check_figures(tools, cluster, environment, folder, program):
    mine, theirs = both_times(tools, cluster, environment, folder, program)
    card_s = MOST / RATE_BYTES
    for size in theirs:
        print(f"{size} B: mprof machine {1e3 * mine[size]:.3f} ms, ping_pong "
              f"{1e3 * theirs[size]:.3f} ms")
    if not all(0.95 * card_s <= times[MOST] <= 1.1 * card_s for times in (mine, theirs)):
        raise jobs.Failure(f"{MOST} B take {mine[MOST]} s and {theirs[MOST]} s, not {card_s} s")
    if any(abs(mine[size] / theirs[size] - 1) > APART for size in theirs):
        raise jobs.Failure(f"they are more than {100 * APART:.0f} % apart")


def check(tools, arguments, cluster, folder):
    environment = jobs.environment(**{**cluster.settings(), "UCX_TLS": "tcp,self"})
    cluster.set_rate(SLOW, SLOW_RATE)
    check_slow_link(tools, cluster, environment, folder)
    check_figures(tools, cluster, environment, folder, compiled(tools, arguments, folder))


def check_on_nodes(tools, arguments):
    jobs.go_first()
    with nodes.Nodes(NODES, RATE) as cluster, jobs.Folder("machine", tools.keep) as folder:
        check(tools, arguments, cluster, folder.path)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", nargs="?", help="without it mpicc beside mpirun builds it")
    sys.exit(jobs.main(check_on_nodes, parser))
