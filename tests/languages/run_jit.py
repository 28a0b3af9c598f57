#!/usr/bin/env python3
"""MPI is called by code that numba compiled while a script ran (jit.py), at another address on each
rank: it is one call site of all ranks for each function. So it is for Julia, which no registry has.

    run_jit.py --python PYTHON_WITH_NUMBA ... LIBRARY_OF_MPI
"""

import os
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, os.pardir, "mpi"))
import jobs  # noqa: E402

RANKS, TIMES = 3, 20


def run(tools, arguments):
    has_numba = os.path.exists(arguments.python) and subprocess.run(
        [arguments.python, "-c", "import numba"], capture_output=True, check=False).returncode == 0
    jobs.need(has_numba, "numba")
    with jobs.Folder("jit", tools.keep) as folder:
        job = jobs.run_profiled(tools, folder.path, RANKS, [
            arguments.python, os.path.join(HERE, "jit.py"), arguments.mpi_library, str(TIMES)])
        if job.status != 0:
            raise jobs.Failure(job.describe())
        document, _ = jobs.report(tools, folder.sub("profile"))
    rows = sorted((row["function"], row["calls"], row["ranks"]) for row in document["callsites"]
                  if row["symbol"] == "[JIT code]")
    expected = [(name, RANKS * TIMES, RANKS) for name in ("MPI_Barrier", "MPI_Comm_rank")]
    if rows != expected:
        raise jobs.Failure(f"calls by JIT code: {rows}, expected {expected}")


if __name__ == "__main__":
    PARSER = jobs.argument_parser(__doc__)
    PARSER.add_argument("--python", required=True)
    PARSER.add_argument("mpi_library")
    sys.exit(jobs.main(run, PARSER))
