#!/usr/bin/env python3
"""Runs a program that contains its MPI, and not libmprof.a, under `mprof run`. It must run as
usual.

Output and exit status must be those without mprof, also those of a failure. Nothing is recorded,
because libmprof.so cannot come in front of an MPI that is in the program. `mprof run` itself may
say so on standard error ("mprof: ...").
"""

import os
import sys

import jobs

RANKS = 2


def check(tools, arguments):
    with jobs.Folder("static", tools.keep) as folder:
        for case, status in (("good", 0), ("bad", 1)):
            program = [arguments.program]
            where = [folder.sub(case, name) for name in ("alone", "mprof")]
            # A tally that cannot be written makes the program's exit status 1.
            truth = [path if case == "good" else os.path.join(path, "missing") for path in where]
            alone = jobs.run_preloaded(tools, where[0], RANKS, program, None, TRUTH_DIR=truth[0])
            profiled = jobs.run_profiled(tools, where[1], RANKS, program, TRUTH_DIR=truth[1])
            if alone.status != status:
                raise jobs.Failure(f"without mprof, status {status} wanted: {alone.describe()}")
            if profiled.status != status or not same_output(alone, profiled):
                raise jobs.Failure(f"with mprof: {profiled.describe()}\n"
                                   f"without mprof: {alone.describe()}")
            if os.path.exists(os.path.join(where[1], "profile")):
                raise jobs.Failure("there is a profile")
            print(f"exit status {status}")


def same_output(alone, profiled):
    """The ranks' lines may come in any order; process ids differ."""
    def lines(job):
        return sorted(line for line in (job.stdout + job.stderr).splitlines()
                      if not line.startswith((b"mprof:", b"=")))

    return lines(alone) == lines(profiled)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="truth/blocking, linked with a static MPI")
    sys.exit(jobs.main(check, parser))
