"""Runs `mprof machine` and hands back what it wrote. Used by the tests of this folder. Python's
standard library only."""

import json
import os
import subprocess
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(TESTS, name) for name in ("mpi", "connections", "golden", "languages")]
import documented_keys  # noqa: E402  pylint: disable=wrong-import-position
import jobs  # noqa: E402  pylint: disable=wrong-import-position

DOCUMENT = os.path.join(os.path.dirname(TESTS), "share", "doc", "howto", "machine.md")


def measure(mprof, launcher, environment, folder, *options, time_limit=100, around=list):
    """The document. `around` makes another command of a command: one that runs on a node."""
    path = os.path.join(folder, "machine.json")
    command = around([os.path.abspath(mprof), "machine", "-o", path, *options, "--", *launcher])
    job = jobs.Job(command, environment, folder, time_limit)
    print(job.stdout.decode(errors="replace"))
    if job.status != 0:
        raise jobs.Failure(job.describe())
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    missing = documented_keys.missing(document, DOCUMENT)
    if missing:
        raise jobs.Failure(f"machine.md does not name {missing}")
    return document


def read_log(mprof, log, *options):
    """What mprof machine makes of a log."""
    done = subprocess.run([mprof, "machine", log, "-o", "-", *options], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        raise jobs.Failure(f"mprof machine {log}: {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def distance(document, name):
    """The messages of a distance, or a failure."""
    for row in document["distances"]:
        if row["distance"] == name:
            return row
    raise jobs.Failure(f"no distance {name}: {[row['distance'] for row in document['distances']]}")


def inside_node(document):
    """Of the distances inside a node the farthest."""
    rows = [row for row in document["distances"] if row["distance"] not in ("other node",)]
    if not rows:
        raise jobs.Failure("nothing was measured inside a node")
    return rows[-1]


def times(row):
    return {point["bytes"]: point["time_s"] for point in row["points"]}
