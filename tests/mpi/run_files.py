#!/usr/bin/env python3
"""Files: the report has a row for each file of programs/two_files.c, with the calls, bytes and
sizes that follow from what the program does. They add up to the figures of the functions. What the
report says does not depend on the MPI. mprof scrub leaves the folders of the files out."""

import os
import subprocess
import sys

import jobs

OPENS, STEPS = 20, 10


def expected_rows(ranks):
    """By (last part of the name, mode)."""
    even = (ranks + 1) // 2
    nothing = {"read_calls": 0, "read_bytes": 0, "write_calls": 0, "written_bytes": 0,
               "collective_percent": None, "min_bytes": None, "max_bytes": None, "syncs": 0,
               "files": 1}
    rows = {
        # 10 collective, 3 + 2 independent, one that ends a split collective.
        ("shared.dat", "write, create"): {
            "ranks": ranks, "communicator_size": ranks, "opens": ranks, "syncs": 3 * ranks,
            "write_calls": 16 * ranks, "written_bytes": 11110 * ranks, "min_bytes": 10,
            "max_bytes": 1000, "collective_percent": 100 * 11 / 16,
            "other_calls": 2 * ranks},  # a seek, and the begin of the split collective
        ("shared.dat", "read"): {
            "ranks": even, "communicator_size": even, "opens": even, "read_calls": 2 * even,
            "read_bytes": 700 * even, "min_bytes": 100, "max_bytes": 600,
            "collective_percent": 50, "other_calls": 0},
        ("far.dat", "write, create, deleted on close"): {
            "ranks": ranks, "communicator_size": ranks, "opens": ranks, "other_calls": 0},
        ("snapshot-#.dat", "write, create"): {
            "ranks": ranks, "communicator_size": ranks, "files": STEPS, "opens": STEPS * ranks,
            "write_calls": STEPS * ranks, "written_bytes": STEPS * ranks * 1000,
            "min_bytes": 1000, "max_bytes": 1000, "collective_percent": 100, "other_calls": 0},
    }
    for rank in range(ranks):
        rows[f"own-{chr(ord('a') + rank)}.dat", "read, write, create"] = {
            "ranks": 1, "communicator_size": 1, "opens": OPENS, "write_calls": OPENS,
            "written_bytes": 8 * OPENS, "min_bytes": 8, "max_bytes": 8, "collective_percent": 0,
            "slowest_rank": rank, "other_calls": 0}
    return {key: {**nothing, **row} for key, row in rows.items()}


def check_rows(report, ranks):
    rows = {(row["name"].rsplit("/", 1)[-1], row["mode"]): row for row in report["files"]}
    expected = expected_rows(ranks)
    if set(rows) != set(expected):
        raise jobs.Failure(f"rows of files: {sorted(rows)}, not {sorted(expected)}")
    for key, wanted in expected.items():
        for name, value in wanted.items():
            if rows[key][name] != value:
                raise jobs.Failure(f"{name} of {key}: {rows[key][name]}, not {value}")
        if rows[key]["calls"] != rows[key]["read_calls"] + rows[key]["write_calls"]:
            raise jobs.Failure(f"calls of {key}: {rows[key]}")


def check_places_and_times(report):
    of_functions = sum(row["time_s"] for row in report["functions"]
                       if row["function"].startswith("MPI_File_"))
    completing = sum(row["time_s"] for row in report["functions"]
                     if row["function"] == "MPI_Waitall")
    failed = sum(row["time_s"] for row in report["callsites"]
                 if row["path"] and row["path"][0].get("symbol") == "fail")
    of_files = sum(row["time_s"] for row in report["files"])
    wanted = of_functions + completing - failed
    if abs(of_files - wanted) > 0.01 * wanted + 1e-5:
        raise jobs.Failure(f"files took {of_files} s, the functions {wanted} s")
    for row in report["files"]:
        if not (row["open_place"] or "").startswith("two_files.c:"):
            raise jobs.Failure(f"{row['name']} is opened at {row['open_place']}")
        moves = row["read_bytes"] + row["written_bytes"] > 0
        if moves != (row["rate_bytes_per_s"] is not None and row["rate_bytes_per_s"] > 0):
            raise jobs.Failure(f"{row['name']}: rate {row['rate_bytes_per_s']}")
        if moves and row["rate_bytes_per_s"] < row["rank_rate_bytes_per_s"] * 0.999:
            raise jobs.Failure(f"{row['name']}: all ranks are slower than one")


def check_scrubbed(tools, profile, folder):
    scrubbed = os.path.join(folder, "scrubbed.mprof")
    subprocess.run([tools.mprof, "scrub", profile, "-o", scrubbed], check=True,
                   capture_output=True)
    report, _ = jobs.report(tools, scrubbed)
    names = [row["name"] for row in report["files"]]
    if any("/" in name for name in names) or "shared.dat" not in names:
        raise jobs.Failure(f"names after mprof scrub: {names}")


def run(tools, arguments):
    with jobs.Folder("files", tools.keep) as folder:
        where = folder.sub("profiled")
        job = jobs.run_profiled(tools, where, arguments.ranks,
                                [arguments.program, folder.sub("data")])
        if job.status != 0:
            raise jobs.Failure(job.describe())
        profile = os.path.join(where, "profile")
        report, _ = jobs.report(tools, profile)
        check_rows(report, arguments.ranks)
        check_places_and_times(report)
        check_scrubbed(tools, profile, folder.sub("scrubbed"))


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("--ranks", type=int, default=3)
    parser.add_argument("program", help="programs/two_files")
    sys.exit(jobs.main(run, parser))
