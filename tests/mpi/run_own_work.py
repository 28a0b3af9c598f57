#!/usr/bin/env python3
"""What mprof itself causes is no figure of the program: page faults, changes of the CPU, bytes that
are read and written, CPU time. A program that sleeps and calls MPI counts them without mprof
(programs/own_work.c); the report must have the same, and no waiting for a disk or a file."""

import json
import os
import sys

import jobs

# How much more than without mprof may be left: what loading libmprof.so takes, and the first touch
# of its tables' pages; and what the program itself reads and writes after it has counted.
MORE = {"minor_faults": 250, "major_faults": 1, "read_bytes": 512, "written_bytes": 512}


def counts_alone(tools, folder, program):
    """The largest of each in three runs, by rank."""
    most = [{}, {}]
    for turn in range(3):
        where = folder.sub(f"alone{turn}")
        job = jobs.run_preloaded(tools, where, 2, [program], None, TRUTH_DIR=where)
        if job.status != 0:
            raise jobs.Failure(f"without mprof: {job.describe()}")
        for rank in (0, 1):
            with open(os.path.join(where, f"counted-{rank}"), encoding="utf-8") as file:
                for key, value in json.load(file).items():
                    most[rank][key] = max(value, most[rank].get(key, 0))
    return most


def check(alone, report):
    print(alone, [{key: row[key] for key in alone[0]} for row in report["ranks"]],
          [row["voluntary_switches"] for row in report["ranks"]])
    for rank, row in enumerate(report["ranks"]):
        for key, more in MORE.items():
            if row[key] > alone[rank][key] + more:
                raise jobs.Failure(f"{key} of rank {rank}: {row[key]}, without mprof "
                                   f"{alone[rank][key]}: {row}")
        # A page of the record that becomes dirty anew may be taken for a write: one sleep of 60.
        if row["blocked_fault_s"] > 0 or row["blocked_file_s"] > 0.1 * row["blocked_s"]:
            raise jobs.Failure(f"rank {rank} sleeps, and waits for no disk: {row}")


def run(tools, arguments):
    with jobs.Folder("own_work", tools.keep) as folder:
        alone = counts_alone(tools, folder, arguments.program)
        job = jobs.run_profiled(tools, folder.path, 2, [arguments.program],
                                TRUTH_DIR=folder.path)
        if job.status != 0:
            raise jobs.Failure(job.describe())
        report, _ = jobs.report(tools, folder.sub("profile"))
        check(alone, report)


if __name__ == "__main__":
    PARSER = jobs.argument_parser(__doc__)
    PARSER.add_argument("program")
    sys.exit(jobs.main(run, PARSER))
