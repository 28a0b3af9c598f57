#!/usr/bin/env python3
"""Programs without and with mprof, again and again: they must give the same standard output and the
same exit status every time.

Lines may come in another order, because ranks are faster or slower. --turns 100 is the long form.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "mpi"))
import jobs  # noqa: E402

RANKS = 2


def outcome(job):
    return job.status, sorted(job.stdout.splitlines())


def check(tools, arguments):
    for words in arguments.programs:
        program = words.split()
        for turn in range(arguments.turns):
            with jobs.Folder("identical", tools.keep) as folder:
                truth = folder.sub("truth")
                alone = jobs.run_preloaded(tools, folder.sub("alone"), RANKS, program,
                                           None, TRUTH_DIR=truth)
                mprof = jobs.run_profiled(tools, folder.sub("mprof"), RANKS, program,
                                          TRUTH_DIR=truth)
                if outcome(alone) != outcome(mprof):
                    raise jobs.Failure(f"turn {turn}: not as without mprof\n{alone.describe()}\n"
                                       f"{mprof.describe()}")
        print(f"{os.path.basename(program[0])}: {arguments.turns} turns, exit status "
              f"{alone.status}", flush=True)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("programs", nargs="+", metavar="PROGRAM",
                        help="with its arguments, as one word")
    sys.exit(jobs.main(check, parser))
