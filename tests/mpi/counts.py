"""Counts of MPI calls. This reads them from truth files, counter files and mprof's JSON, and says
where two differ.

All three sources become the same Counts, summed over ranks. Used by run_truth.py and
run_counter.py.
"""

import collections
import glob
import json
import os
import re

import jobs

INIT = re.compile(r"[a-z]_init(_c)?$")  # MPI_Send_init, not MPI_Init


class Counts:
    def __init__(self):
        self.functions = collections.defaultdict(collections.Counter)  # name -> calls, bytes ...
        self.sizes = collections.Counter()  # (function, size) -> calls
        self.matrix = collections.defaultdict(collections.Counter)  # (from, to) -> messages ...
        self.parts = collections.defaultdict(collections.Counter)  # (table, name) -> calls, bytes
        self.outside = collections.Counter()  # messages, bytes to other worlds
        self.inexact = []  # rows of sizes that are not exact

    def add(self, document):
        """Adds a document in the layout of mprof's JSON, of which truth and counter files use a
        part."""
        for row in document["functions"]:
            for key in ("calls", "bytes", "received_bytes", "optional_calls"):
                self.functions[row["function"]][key] += row.get(key, 0)
        for row in document["messages"]:
            if row.get("kind") == "pending" or (row.get("kind") == "call" and row["bytes"] == 0 and
                                                INIT.search(row["function"])):
                continue  # nothing was transferred: not completed, or the call that made a request
            self.sizes[row["function"], row["bytes"]] += row["calls"]
            if row.get("precision", "exact") != "exact":
                self.inexact.append(row)
        for row in document["matrix"]:
            cell = self.matrix[row["source"], row["destination"]]
            for key in ("messages", "bytes"):  # all; those that were one-sided also on their own
                one_sided = row.get("one_sided_" + key, 0)
                cell[key] += row.get(key, one_sided)
                cell["one_sided_" + key] += one_sided
        for row in document.get("parts", []):  # of a truth file
            self.add_part(row["table"], row["name"], row["calls"], row["bytes"])
        for row in document.get("regions", []):
            self.add_part("regions", row["region"], row["exclusive_calls"], row["exclusive_bytes"])
        for row in document.get("communicators", []):
            self.add_part("communicators", row["name"], row["calls"], row["bytes"])
        outside = document.get("quality", {}).get("outside_world", {})
        for key in ("messages", "bytes"):
            self.outside[key] += outside.get(key, 0)

    def add_part(self, table, name, calls, moved):
        self.parts[table, name]["calls"] += calls
        self.parts[table, name]["bytes"] += moved


def read_folder(folder, prefix, ranks):
    """The sum of the files <prefix>-<rank>.json."""
    counts = Counts()
    paths = glob.glob(os.path.join(folder, f"{prefix}-*.json"))
    if len(paths) != ranks:
        raise jobs.Failure(f"{len(paths)} instead of {ranks} {prefix} files in {folder}")
    for path in paths:
        with open(path, encoding="utf-8") as file:
            counts.add(json.load(file))
    return counts


def of_report(document):
    counts = Counts()
    counts.add(document)
    return counts


def differences(expected, measured, only_bytes=lambda function: False):
    """Lines that say what differs. `only_bytes(function)` is true where the number of calls is left
    to chance."""
    lines = []

    def compare(where, key, want, have):
        if want != have:
            lines.append(f"{where:44} {key:20} expected {want:>14} measured {have:>14} "
                         f"({have - want:+})")

    for name in sorted(set(expected.functions) | set(measured.functions)):
        want, have = expected.functions[name], measured.functions[name]
        for key in ("calls", "bytes", "received_bytes"):
            if key == "calls" and only_bytes(name):
                continue
            slack = want["optional_calls"] if key == "calls" else 0
            if not want[key] <= have[key] <= want[key] + slack:
                compare(name, key, want[key], have[key])
    # Calls without data may be left out of the sizes, so a row of size 0 is compared only where it
    # is expected.
    for name, size in sorted(set(expected.sizes) | set(measured.sizes)):
        if (size == 0 and (name, size) not in expected.sizes) or only_bytes(name):
            continue
        compare(f"{name} of {size} bytes", "calls", expected.sizes[name, size],
                measured.sizes[name, size])
    for pair in sorted(set(expected.matrix) | set(measured.matrix)):
        for key in ("messages", "bytes", "one_sided_messages", "one_sided_bytes"):
            compare(f"from rank {pair[0]} to rank {pair[1]}", key, expected.matrix[pair][key],
                    measured.matrix[pair][key])
    for table, name in sorted(expected.parts):
        for key in ("calls", "bytes"):
            compare(f"{table}: {name}", key, expected.parts[table, name][key],
                    measured.parts[table, name][key])
    for key in ("messages", "bytes"):
        compare("to other worlds", key, expected.outside[key], measured.outside[key])
    for row in measured.inexact:
        lines.append(f"not exact: {row}")
    return lines
