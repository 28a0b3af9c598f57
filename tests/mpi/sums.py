"""Every table of a report adds up to the same totals, the parts of each rank's time to its
wallclock, and no share is below 0 or above 100 %. This is checked on every run that the tests make.

jobs.report() calls sums.check(document), which raises Wrong with the first table that does not add
up; jobs.Folder does so for the profiles of which a test reads no report. By itself, for the test
golden.sums:

    sums.py MPROF PROFILE...
"""

import json
import math
import re
import subprocess
import sys

# Table: which of its columns add up to the functions' ones.
SUMMED = ("calls", "bytes", "time_s", "mpi_thread_s", "wait_s")
TABLES = {"callsites": SUMMED, "call_lines": SUMMED, "communicators": SUMMED,
          "messages": ("time_s",)}
# Of regions the exclusive figures do, by the names of the functions' columns.
REGION_COLUMNS = {"calls": "exclusive_calls", "bytes": "exclusive_bytes",
                  "time_s": "exclusive_mpi_s", "wait_s": "exclusive_wait_s"}


class Wrong(Exception):
    """A report that does not add up; its text says where."""


def differ(a, b):
    return abs(a - b) > 1e-6 * max(abs(a), abs(b), 1e-3)


def total(rows, key):
    return sum(row[key] or 0 for row in rows)


MOVES_FILE = re.compile(r"MPI_File_i?(read|write)(?!.*_begin)")
READS_FILE = re.compile(r"MPI_File_i?read(?!.*_begin)")
SYNCS_FILE = re.compile(r"MPI_File_sync")


def check_files(document):
    """What is done with files is in the row of one of them."""
    files = document["files"]
    for pattern, key, keys in ((MOVES_FILE, "calls", ("read_calls", "write_calls")),
                               (MOVES_FILE, "bytes", ("read_bytes", "written_bytes")),
                               (READS_FILE, "bytes", ("read_bytes",)),
                               (SYNCS_FILE, "calls", ("syncs",))):
        by_functions = total([row for row in document["functions"]
                              if pattern.match(row["function"])], key)
        by_files = sum(total(files, name) for name in keys)
        if by_functions != by_files:
            raise Wrong(f"{' and '.join(keys)} of files add up to {by_files}, {key} of "
                               f"functions {pattern.pattern} to {by_functions}")


def check(document, is_composed=False):
    """`is_composed`: the profile was made by hand, so that not all that was called is in it."""
    functions = document["functions"]
    for table, keys in TABLES.items():
        rows = document[table]
        if table == "messages" and not document["run"]["complete"]:
            continue  # what a call that did not return would have moved is not known
        for key in keys:
            if rows and differ(total(rows, key), total(functions, key)):
                raise Wrong(f"{key} of {table} add up to {total(rows, key)}, of functions "
                                   f"to {total(functions, key)}")
    for key, of_regions in REGION_COLUMNS.items():
        rows = document["regions"]
        if rows and differ(total(rows, of_regions), total(functions, key)):
            raise Wrong(f"{of_regions} of regions add up to {total(rows, of_regions)}, "
                               f"{key} of functions to {total(functions, key)}")
    check_shares(document)
    if document["run"]["complete"] and not is_composed:
        check_files(document)
    if not is_composed:
        check_segments(document)
    totals, ranks = document["totals"], document["ranks"]
    pairs = [("totals.mpi_s", totals["mpi_s"], total(functions, "time_s")),
             ("totals.calls", totals["calls"], total(functions, "calls")),
             ("MPI time of ranks", total(ranks, "mpi_s"), totals["mpi_s"]),
             ("MPI time of MPI threads", total(ranks, "mpi_thread_s"), totals["mpi_thread_s"]),
             ("calls of ranks", total(ranks, "calls"), totals["calls"]),
             ("wallclock of ranks", total(ranks, "wallclock_s"), totals["wallclock_s"])]
    if totals["wait_s"] is not None:
        pairs += [("waiting of functions", total(functions, "wait_s"), totals["wait_s"]),
                  ("waiting of ranks", total(ranks, "wait_s"), totals["wait_s"]),
                  ("waiting of MPI threads", total(ranks, "wait_thread_s"),
                   totals["wait_thread_s"])]
    for what, found, expected in pairs:
        if differ(found, expected):
            raise Wrong(f"{what}: {found}, expected {expected}")
    check_mpi_threads(document)
    check_parts_of_ranks(ranks)
    check_traffic(document)
    for row in functions + document["callsites"]:
        if row["wait_s"] is not None and row["wait_s"] > row["time_s"] * 1.000001 + 1e-9:
            raise Wrong(f"more waiting than time: {row}")


def check_shares(value, name="report"):
    """A share is from 0 to 100 per cent, or from 0 to 1, wherever it stands."""
    if isinstance(value, dict):
        for key, inner in value.items():
            check_shares(inner, f"{name}.{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            check_shares(inner, f"{name}[{number}]")
    elif isinstance(value, (int, float)):
        most = 100 if re.search(r"percent$", name) else \
            1 if re.search(r"_share$|_efficiency$|_balance$", name) else None
        if most is not None and not -1e-9 <= value <= most * 1.00001:
            raise Wrong(f"{name} is {value}, which is no share")


def check_mpi_threads(document):
    """What is of the ranks' MPI threads is the part of each table that makes the wallclock."""
    totals, wall = document["totals"], document["totals"]["wallclock_s"]
    in_functions = total(document["functions"], "mpi_thread_s")
    if abs(in_functions - totals["mpi_thread_s"]) > 0.001 * wall + 1e-6:
        raise Wrong(f"MPI threads spent {in_functions} s in functions, of "
                           f"{totals['mpi_thread_s']} s")
    for row in document["ranks"]:
        if row["mpi_thread_s"] > min(row["wallclock_s"], row["mpi_s"] + 1e-6) * 1.000001 or (
                row["wait_thread_s"] or 0) > min(row["mpi_thread_s"],
                                                 row["wait_s"] or 0) * 1.000001 + 1e-9:
            raise Wrong(f"more of a part than of all: {row}")
    for table in ("callsites", "call_lines"):
        for row in document[table]:
            if (row["overlapped_s"] or 0) > row["span_s"] * 1.000001 + 1e-9 or \
                    (row["overlapped_s"] is None) != (row["completions"] > 0 == row["spans"]):
                raise Wrong(f"overlapped: {row}")


PARTS = ("on_cpu_s", "contention_s", "blocked_s", "wait_thread_s", "transfer_s", "file_s",
         "startup_s", "own_s")
GPU_PARTS = ("gpu_wait_s", "gpu_copy_s", "gpu_launch_s")  # none without a GPU


def check_parts_of_ranks(ranks):
    """Where the time of a rank goes adds up to its wallclock, as far as all is known. Less than 0.1
    per cent is rounding."""
    for row in ranks:
        split = [row[part] for part in PARTS[:3]]
        if None not in split:
            split += [row[part] or 0 for part in GPU_PARTS]
        parts = ([row["compute_s"]] if None in split else split) + [row[part]
                                                                    for part in PARTS[3:]]
        if None in parts:
            continue
        if min(parts) < -1e-9 or abs(math.fsum(parts) - row["wallclock_s"]) > \
                0.001 * row["wallclock_s"] + 1e-6:
            raise Wrong(f"parts of rank {row['rank']} add up to {sum(parts)} s of "
                               f"{row['wallclock_s']} s: {parts}")


def check_segments(document):
    """Nobody computes longer between two calls than the run was. Where each rank has one thread in
    MPI, called nothing before MPI_Init and ended, all its computing is in segments, but for what
    mprof itself took, and for how long mprof had no CPU meanwhile."""
    ranks = {row["rank"]: row for row in document["ranks"]}
    for row in document["segments"]:
        rank = ranks[row["max_rank"]]
        if row["max_s"] > 1.01 * rank["threads"] * rank["wallclock_s"]:
            raise Wrong(f"a segment longer than the run of rank {rank['rank']}, "
                               f"{rank['wallclock_s']} s: {row}")
    first = {row["to"]["function"] for row in document["segments"] if not row["from"]["function"]}
    if first <= {"MPI_Init", "MPI_Init_thread"} and all(
            row["threads"] == 1 and row["complete"] for row in ranks.values()):
        found, expected = total(document["segments"], "time_s"), total(ranks.values(), "compute_s")
        wall = total(ranks.values(), "wallclock_s")
        slack = 0.02 * wall + 0.01 * len(ranks) + (document["quality"]["overhead_s"] or 0)
        no_cpu = sum(row["contention_s"] or 0 for row in ranks.values())
        if not -slack - no_cpu <= found - expected <= slack:
            raise Wrong(f"segments add up to {found} s, computing to {expected} s, in a "
                               f"wall time of {wall} s")


def check_traffic(document):
    """Pairs of nodes and distances hold the same messages as the pairs of ranks. Where a rank that
    was not read is, is unknown."""
    if document["quality"]["ranks_read"] < document["quality"]["ranks_expected"]:
        return
    for key in ("messages", "bytes"):
        expected = total(document["matrix"], key)
        for table in ("node_pairs", "distances"):
            if document[table] and total(document[table], key) != expected:
                raise Wrong(f"{key} of {table}: {total(document[table], key)}, of the "
                                   f"matrix {expected}")
        nodes = sum(total(document["nodes"], side + key) for side in ("inside_", "outside_"))
        if document["nodes"] and nodes != expected:
            raise Wrong(f"{key} of nodes: {nodes}, of the matrix {expected}")


def main():
    mprof, *profiles = sys.argv[1:]
    for profile in profiles:
        done = subprocess.run([mprof, "report", profile, "--json", "-"], capture_output=True,
                              check=False)
        if done.returncode > 1:
            sys.exit(f"{profile}: {done.stderr.decode()}")
        try:
            check(json.loads(done.stdout), is_composed=True)
        except Wrong as problem:
            sys.exit(f"{profile}: {problem}")


if __name__ == "__main__":
    main()
