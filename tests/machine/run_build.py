#!/usr/bin/env python3
"""mprof machine with one of the MPI builds of tests/languages: it finds the library that belongs to
the launcher, speaks its ABI, and measures messages and collectives of two ranks. The eager limit
moves when its setting is moved. Variables of a device or transport that is not in use are not
shown.
"""

import argparse
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import machine_runs as runs  # noqa: E402  pylint: disable=wrong-import-position
import builds  # noqa: E402  pylint: disable=wrong-import-position
import jobs  # noqa: E402  pylint: disable=wrong-import-position

HEADER_BYTES = 256  # what an MPI may count as part of a message
COLLECTIVES = {"MPI_" + name for name in ("Barrier", "Bcast", "Reduce", "Allreduce", "Allgather",
                                          "Alltoall")}
# The setting of the limit inside a node, its values, and what more is set for it.
LIMITS = {
    "openmpi4": ("OMPI_MCA_btl_vader_eager_limit", (4096, 16384), {"OMPI_MCA_pml": "ob1"}),
    "openmpi5": ("OMPI_MCA_btl_sm_eager_limit", (4096, 16384), {"OMPI_MCA_pml": "ob1"}),
    "mpich4": ("UCX_RNDV_THRESH", (8192, 32768), {}),
    # Its own shared memory has a limit that nothing moves: so messages go through UCX.
    "mpich5": ("UCX_RNDV_THRESH", (8192, 32768), {"MPIR_CVAR_NOLOCAL": "1"}),
}
UNUSED = {"openmpi": ("btl_tcp", "btl_self"), "mpich": ("_CH3_", "NEMESIS", "_OFI_")}


def measure(build, arguments, folder, variables):
    environment = jobs.environment(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                   **build.variables(), **variables)
    options = ["--mpi", build.libmpi_path()] if build.family == "mpi5" else []
    return runs.measure(arguments.mprof, build.mpirun(2), environment, folder, "--seconds", "30",
                        *options)


def check_document(build, document):
    if document["mpi_abi"] != build.family or document["ranks"] != 2:
        raise jobs.Failure(f"{document['mpi_abi']}, {document['ranks']} ranks")
    if os.path.basename(document["mpi_path"]).split(".so")[0] != build.libmpi.split(".so")[0]:
        raise jobs.Failure(f"it took {document['mpi_path']}")
    measured = runs.times(runs.inside_node(document))
    # Of a busy machine no more is sure.
    if len(measured) < 10 or min(measured.values()) <= 0 or max(measured.values()) > 10:
        raise jobs.Failure(f"times {measured}")
    functions = {row["function"] for row in document["collectives"] if row["time_s"] > 0}
    if functions != COLLECTIVES:
        raise jobs.Failure(f"collectives {functions}")


def check_settings(build, document):
    """The device: MPICH names it in its version."""
    if build.family == "mpich" and "ch4:ucx" not in document["mpi_library"]:
        return
    shown = [row["name"] for row in document["settings"]]
    wrong = [name for name in shown if any(part in name for part in UNUSED[build.family])]
    if wrong:
        raise jobs.Failure(f"not in use, and shown: {wrong}")


def check_limit(build, arguments, folder):
    setting, values, more = LIMITS[build.name]
    found = []
    for value in values:
        document = measure(build, arguments, folder, {setting: str(value), **more})
        # Open MPI's are variables of MPI_T, too; UCX has none.
        names = {row["name"] for row in document["settings"]
                 if row["kind"] == "eager limit" and row["value"] == str(value)}
        if not {setting, setting.replace("OMPI_MCA_", "")} <= names:
            raise jobs.Failure(f"{setting}={value} is not among the settings: {names}")
        eager = runs.inside_node(document)["eager"]
        found.append(eager and eager["limit_bytes"])
    print(f"{setting} = {values}: limits {found}")
    if not all(limit and value - HEADER_BYTES <= limit <= value
               for value, limit in zip(values, found)):
        raise jobs.Failure(f"{setting} = {values}, found {found}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", choices=builds.BUILDS)
    parser.add_argument("--environments", required=True)
    parser.add_argument("--mprof", required=True)
    parser.add_argument("--limit", action="store_true", help="the eager limit, at two settings")
    arguments = parser.parse_args()
    build = builds.BUILDS[arguments.build]
    build.folder = arguments.environments
    try:
        build.mpirun(2)
        build.libmpi_path()
    except builds.Skipped as reason:
        print(f"skipped: {reason}")
        return jobs.SKIPPED
    with tempfile.TemporaryDirectory(prefix="mprof-machine-") as folder:
        try:
            if arguments.limit:
                jobs.go_first()
                check_limit(build, arguments, folder)
            else:
                document = measure(build, arguments, folder, {})
                check_document(build, document)
                if build.family in UNUSED:
                    check_settings(build, document)
        except jobs.Failure as failure:
            print(failure)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
