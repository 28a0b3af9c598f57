#!/usr/bin/env python3
"""What a job does to the file system, by MPROF_FILES, ranks and nodes (nodes.py).

strace counts, in each rank, what is made, opened, renamed, removed and listed in the profile
folder. What is expected is the law in ends.md. --ranks 256 is the long form; of so many
ranks only the files that are left are looked at, and the calls in the report.
"""

import collections
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "mpi"))
import jobs  # noqa: E402
import needs  # noqa: E402
from node_file import FINISHED, NodeFile  # noqa: E402
from nodes import Nodes  # noqa: E402

NODES = 2
RANKS = 6  # in equal parts on the nodes
CALLS = re.compile(r"^(?:\d+ +)?(openat|open|rename|renameat2?|unlink|unlinkat|symlinkat|mkdir|"
                   r"getdents64)\((.*)= (-?\d+)")


class Counts(collections.Counter):
    """Of the calls that succeeded. `folder`: of the profile."""

    def add_file(self, path, folder):
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                found = CALLS.match(line)
                if found and folder in found[2] and int(found[3]) >= 0:
                    self[self.kind(found[1], found[2], int(found[3]), folder)] += 1

    @staticmethod
    def kind(name, arguments, result, folder):
        if name in ("open", "openat"):
            if "O_EXCL" in arguments:
                return "made"
            if "O_CREAT" in arguments:
                return "shared"
            # A folder is opened to reach what is in it, which asks no server.
            if "O_PATH" in arguments or "O_DIRECTORY" in arguments:
                return "reached"
            return "opened"
        if name == "getdents64":
            return "listed" if result > 0 else "reached"
        if name == "mkdir":
            return "folders" if arguments.startswith(f'"{folder}"') else "reached"
        return {"u": "removed", "s": "linked"}.get(name[0], "renamed")


def run(tools, where, arguments, ranks, traced, **variables):
    """A job on the nodes: (profile folder, folder of the traces)."""
    profile, traces = os.path.join(where, "profile"), os.path.join(where, "traces")
    os.makedirs(traces)
    with Nodes(NODES) as nodes:
        hosts = ",".join(f"node{i + 1}:{ranks // NODES}" for i in range(NODES))
        settings = {"MPROF_OUTPUT": profile, "MPROF_SUMMARY": "off", **variables}
        words = [f"{name}={value}" for name, value in
                 {**settings, **jobs.preload_settings(tools.library)}.items()]
        # As an argument of its own, because the remote shell splits at spaces.
        trace = ["strace", "-ff", "-y", "-s", "4096", "-e",
                 "trace=open,openat,rename,renameat,renameat2,unlink,unlinkat,symlinkat,mkdir,"
                 "getdents64", "-o", os.path.join(traces, "rank")] if traced else []
        command = nodes.on(0, ["mpirun.openmpi", "--oversubscribe", "--host", hosts, "-n",
                               str(ranks), *trace, "env", *words, arguments.program, "nobody"])
        job = jobs.Job(command, {**jobs.environment(), **nodes.settings()}, where,
                       tools.time_limit)
    if job.status != 0 or jobs.own_lines(job):
        raise jobs.Failure(job.describe())
    return profile, traces


def law(files, ranks, nodes):
    """share/doc/understand/ends.md says the same. The live records do not grow here."""
    if files == "rank":
        return {"folders": 1, "made": 2 * ranks + 1, "shared": 0, "opened": 0,
                "renamed": ranks + 1, "removed": 0, "listed": 1}
    if files == "node":
        return {"folders": 1, "made": 1 + nodes, "shared": ranks, "opened": ranks,
                "renamed": nodes, "removed": 1, "listed": 1}
    return {"folders": 1, "made": 2, "shared": ranks, "opened": ranks, "renamed": 1,
            "removed": 1 + nodes, "listed": 1}


def check_counts(tools, arguments, files):
    with jobs.Folder("node-files", tools.keep) as folder:
        profile, traces = run(tools, folder.path, arguments, RANKS, True, MPROF_FILES=files)
        counts = Counts()
        for path in glob.glob(os.path.join(traces, "*")):
            counts.add_file(path, profile)
        print(f"{files}: {RANKS} ranks on {NODES} nodes: {dict(counts)}")
        expected = law(files, RANKS, NODES)
        found = {kind: counts[kind] for kind in expected}
        if found != expected:
            raise jobs.Failure(f"{files}: {found} instead of {expected}")


def check_files(tools, arguments, ranks, files):
    """One file per node, or for the job, is left, and every call is in it."""
    with jobs.Folder("node-files", tools.keep) as folder:
        profile, _ = run(tools, folder.path, arguments, ranks, False, MPROF_FILES=files)
        names = sorted(os.listdir(profile))
        begins = ["job."] if files == "job" else [f"node-node{i + 1}-" for i in range(NODES)]
        if len(names) != len(begins) or not all(map(str.startswith, names, begins)):
            raise jobs.Failure(f"files: {names}")
        found = []
        for name in names:
            node = NodeFile(os.path.join(profile, name))
            if node.state != FINISHED or {state for state, _ in node.parts.values()} != {FINISHED}:
                raise jobs.Failure(f"{name} is not finished")
            found += sorted(node.parts)
        if sorted(found) != list(range(ranks)):
            raise jobs.Failure(f"ranks: {found}")
        document, _ = jobs.report(tools, profile)
        calls = {row["function"]: row["calls"] for row in document["functions"]}
        if document["run"]["nodes"] != NODES or \
                any(calls[name] != ranks for name in ("MPI_Init", "MPI_Finalize")):
            raise jobs.Failure(f"{document['run']} {calls}")
        inside = subprocess.run([tools.mprof, "report", "--brief"], cwd=profile, text=True,
                                capture_output=True, env=jobs.environment(), check=False)
        if "this is the profile in this folder" not in inside.stderr:
            raise jobs.Failure(f"in the folder: {inside.returncode} {inside.stderr}")
        print(f"{files}, {ranks} ranks: {len(names)} files of "
              f"{sum(os.path.getsize(os.path.join(profile, name)) for name in names)} bytes")


def check(tools, arguments):
    check_files(tools, arguments, arguments.ranks,
                "auto" if arguments.ranks > 64 else "node")
    check_files(tools, arguments, arguments.ranks, "job")
    needs.need("strace")
    for files in ("rank", "node", "job"):
        check_counts(tools, arguments, files)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("--ranks", type=int, default=16)
    parser.add_argument("program", help="partners")
    jobs.main(check, parser)
