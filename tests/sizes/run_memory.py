#!/usr/bin/env python3
"""mprof scale of programs that share the memory of a node, and of some that only look so
(tests/causes/zoo/memory.c), on one rank and on two.

What the ranks compute together, by their own clocks, says whether they are slower together: if they
are, the memory must be blamed of the planted ones; if not, of none; and never of work that each
rank repeats.
"""

import os
import re
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TESTS, "mpi"))
import jobs  # noqa: E402  pylint: disable=wrong-import-position

SHARED = {"sweep": True, "history": True, "large_table": False, "repeated": False}
SLOWER, EQUAL = 1.4, 1.05  # as far from the limit of 1.15 as a busy machine may take it
BLAMED = "share the memory bandwidth"


def computed_s(output):
    return sum(float(seconds) for seconds in re.findall(rb"^computed ([\d.]+)$", output, re.M))


def check(tools, arguments):
    with jobs.Folder("memory", tools.keep) as folder:
        for case, is_shared in SHARED.items():
            for form in ("planted", "mended") if is_shared else ("planted",):
                profiles, seconds = [], []
                for ranks in (1, 2):
                    where = folder.sub(f"{case}-{form}-{ranks}")
                    job = jobs.run_profiled(tools, where, ranks, [arguments.program, case, form])
                    if job.status != 0:
                        raise jobs.Failure(job.describe())
                    profiles.append(os.path.join(where, "profile"))
                    seconds.append(computed_s(job.stdout))
                done = jobs.Job([tools.mprof, "scale", *profiles], jobs.environment(),
                                folder.path, tools.time_limit)
                text = re.sub(r"\s+#?\s*", " ", done.stdout.decode())
                said, slower = BLAMED in text, seconds[1] / seconds[0]
                print(f"{case}, {form}: {slower:.2f} times as long together, blamed: {said}")
                must = is_shared and form == "planted" and slower >= SLOWER
                must_not = slower < EQUAL or case == "repeated"
                if done.status != 0 or (must and not said) or (must_not and said):
                    raise jobs.Failure(f"{case}, {form}\n{done.describe()}")


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="causes/zoo/memory.c")
    sys.exit(jobs.main(check, parser))
