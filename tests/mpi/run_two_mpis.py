#!/usr/bin/env python3
"""Two MPIs in one process, each in a library that was opened for its own use only.

Each call goes to the MPI of the library that makes it, as without mprof. The first MPI is recorded.
The report names the other one, or a warning does if it comes after the end of the record.
"""

import os
import subprocess
import sys

import jobs
import needs

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")


def compile_all(folder):
    program = os.path.join(folder, "two_mpis")
    subprocess.run(["gcc", "-o", program, os.path.join(FOLDER, "two_mpis.c"), "-ldl"], check=True)
    plugins = {}
    for mpi in ("openmpi", "mpich"):
        plugins[mpi] = os.path.join(folder, f"{mpi}.so")
        subprocess.run([f"mpicc.{mpi}", "-shared", "-fPIC", "-o", plugins[mpi],
                        os.path.join(FOLDER, "two_mpis_plugin.c")], check=True)
    return program, plugins


def run(tools, folder, command, preload):
    variables = {"MPROF_OUTPUT": os.path.join(folder, "profile"),
                 **(jobs.preload_settings(tools.library) if preload else {}),
                 "OMPI_ALLOW_RUN_AS_ROOT": 1, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": 1}
    return jobs.Job(command, jobs.environment(**variables), folder, tools.time_limit)


def check_one(tools, folder, program, order, binding, first, second):
    where = folder.sub(f"{order}_{binding}_{os.path.basename(first)}")
    command = [program, order, binding, first, second]
    alone = run(tools, where, command, False)
    job = run(tools, where, command, True)
    print(f"{order} {binding} {first}: {job.status} {job.stdout}")
    if alone.status != 0:
        # Open MPI has begun and shows itself to all libraries. The second one's calls go to it.
        return False
    if (job.status, job.stdout) != (alone.status, alone.stdout):
        raise jobs.Failure(f"not as without mprof: {job.describe()}\n{alone.describe()}")
    if order == "closed":
        return True  # the first one may be recorded, or the other
    document, _ = jobs.report(tools, os.path.join(where, "profile"))
    calls = {row["function"]: row["calls"] for row in document["functions"]}
    if (calls.get("MPI_Allreduce"), calls.get("MPI_Init")) != (5, 1):
        raise jobs.Failure(f"the calls of the first MPI: {calls}")
    named = [name for name in document["quality"]["not_covered"] if "a second MPI" in name]
    said = b"is a second MPI in this process" in job.stderr
    if (len(named) == 1, said) != (order == "beside", order == "after"):
        raise jobs.Failure(f"the second MPI: {named} {job.stderr}")
    return True


def check(tools, _):
    needs.need("mpicc.openmpi:")
    needs.need("mpicc.mpich:")
    with jobs.Folder("two_mpis", tools.keep) as folder:
        program, plugins = compile_all(folder.path)
        done = []
        for order in ("after", "beside", "closed"):
            for binding in ("now", "lazy"):
                for first, second in (("openmpi", "mpich"), ("mpich", "openmpi")):
                    done.append(check_one(tools, folder, program, order, binding, plugins[first],
                                          plugins[second]))
        if sum(done) < len(done) // 2:
            raise jobs.Failure(f"only {sum(done)} of {len(done)} run without mprof")


if __name__ == "__main__":
    sys.exit(jobs.main(check, jobs.argument_parser(__doc__)))
