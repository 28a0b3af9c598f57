#!/usr/bin/env python3
"""mprof place on nodes: eight ranks on four nodes with 100 Mbit/s each, whose partners are on other
nodes (far.c). The file that it writes starts the program again. What that saves, by the program's
own clock, is what was predicted, within a factor. The nodes are network namespaces.
"""

import json
import os
import re
import subprocess
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(TESTS, name) for name in ("mpi", "connections", "golden")]
import documented_keys  # noqa: E402  pylint: disable=wrong-import-position
import jobs  # noqa: E402  pylint: disable=wrong-import-position
import nodes  # noqa: E402  pylint: disable=wrong-import-position

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "far.c")
NODES, PER_NODE, RATE = 4, 2, "100mbit"
RATE_BYTES = 100e6 / 8
STEPS, BYTES = 60, 131072
FACTOR = 1.5  # between what is predicted and what is measured; share/doc/howto/place.md


def compiled(tools, arguments, folder):
    """The program; that of an MPI which the tests install is built here."""
    if arguments.program:
        return arguments.program
    program = os.path.join(folder, "far")
    subprocess.run([os.path.join(os.path.dirname(tools.mpirun), "mpicc"), "-O1", "-o", program,
                    SOURCE], check=True)
    return program


class Runs:
    """Starts the program on the nodes, in an order or as the launcher does."""

    def __init__(self, tools, cluster, program, folder):
        self.tools, self.cluster, self.program, self.folder = tools, cluster, program, folder

    def launcher(self, order):
        hosts = self.cluster.hosts(PER_NODE)
        if self.tools.mpi == "mpich":
            return [self.tools.mpirun] + (["-f", order] if order else ["-hosts", hosts])
        return [self.tools.mpirun, "--host", hosts] + (["--rankfile", order] if order else
                                                       ["--bind-to", "none"])

    def run(self, name, order=None):
        """The profile, and the seconds by the program's clock."""
        profile = os.path.join(self.folder, name)
        inside = ["env", f"MPROF_OUTPUT={profile}", "MPROF_SUMMARY=off"] + [
            f"{key}={value}" for key, value in jobs.preload_settings(self.tools.library).items()]
        command = self.cluster.on(0, self.launcher(order) + ["-n", str(NODES * PER_NODE)] + inside +
                                  [self.program, str(STEPS), str(BYTES)])
        # With UCX's "posix" MPICH 5 finds that the nodes share memory, and uses it.
        settings = {**self.cluster.settings(), "UCX_TLS": "tcp,self"}
        job = jobs.Job(command, jobs.environment(**settings), self.folder, self.tools.time_limit)
        took = re.search(rb"^took ([\d.]+)$", job.stdout, re.M)
        if job.status != 0 or not took:
            raise jobs.Failure(job.describe())
        return profile, float(took[1])


def place(tools, *options):
    done = subprocess.run([tools.mprof, "place", *options], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise jobs.Failure(f"mprof place: {done.returncode}\n{done.stderr}")
    return done.stdout


def expect_near(what, predicted, measured, error=""):
    print(f"{what}: predicted {predicted:.3f} s{error}, measured {measured:.3f} s")
    if not measured / FACTOR <= predicted <= measured * FACTOR:
        raise jobs.Failure(f"{what}: predicted {predicted} s, measured {measured} s")


def check(tools, arguments, cluster, folder):
    runs = Runs(tools, cluster, compiled(tools, arguments, folder), folder)
    profile, before_s = runs.run("before")
    # Two ranks share a card; each sends all of its bytes through it.
    card_s = PER_NODE * STEPS * BYTES / RATE_BYTES
    if not 0.9 * card_s <= before_s <= 2 * card_s:
        raise jobs.Failure(f"it takes {before_s} s instead of {card_s} s")
    order = os.path.join(folder, "order")
    text = place(tools, profile, "-o", order)
    print(text)
    answer = json.loads(place(tools, profile, "--json", "-"))
    missing = documented_keys.missing(answer, arguments.keys)
    if missing or answer["good"] or answer["between_nodes_bytes"] != [8 * STEPS * BYTES, 0]:
        raise jobs.Failure(f"{missing}\n{json.dumps(answer, indent=1)}")
    placed_profile, after_s = runs.run("after", order)
    expect_near("before", answer["before_s"], before_s)
    expect_near("saves", answer["saves_s"], before_s - after_s,
                f" +- {answer['uncertainty_s']:.3f} s")
    again = json.loads(place(tools, placed_profile, "--json", "-"))
    if not again["good"] or again["between_nodes_bytes"] != [0, 0]:
        raise jobs.Failure(f"the new order is not called good\n{json.dumps(again, indent=1)}")
    judged = json.loads(place(tools, profile, "--judge", order, "--json", "-"))["judged"]
    if judged["between_nodes_bytes"] != 0 or "better than" not in judged["sentence"]:
        raise jobs.Failure(f"its own file is judged as {judged}")


def check_on_nodes(tools, arguments):
    jobs.go_first()
    with nodes.Nodes(NODES, RATE) as cluster, jobs.Folder("place", tools.keep) as folder:
        check(tools, arguments, cluster, folder.path)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("--keys", required=True, help="place.md")
    parser.add_argument("program", nargs="?", help="far; without it mpicc beside mpirun builds it")
    sys.exit(jobs.main(check_on_nodes, parser))
