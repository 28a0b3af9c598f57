#!/usr/bin/env python3
"""Call paths on ARM with a real MPI: the program tests/fake/call_paths.c, in which several lines of
main() call a helper: from a shared library that is bound lazily or at once, with signed return
addresses, without frame pointers, with frames of 200 kB and of a size that the call decides.

libmprof.so is that of the package, or built here by the cross compiler. GCC and Clang compile the
program here, the system of system.sh runs it, and this machine's mprof reads its profile. Without
--system all of it is this machine's.
"""

import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "mpi"), str(HERE.parent / "fake")]
import call_paths  # noqa: E402
import jobs  # noqa: E402
import needs  # noqa: E402
import run as fake  # noqa: E402

CROSS = "aarch64-linux-gnu"
RANKS = 2
# Below /usr/lib/ARCHITECTURE of Debian.
INCLUDES = {"openmpi": "openmpi/include", "mpich": "../../include/{}/mpich"}
LIBRARIES = {"openmpi": "openmpi/lib/libmpi.so", "mpich": "libmpich.so"}


def compilers(mpi, system):
    """{name: command}, each of which finds the header and the library of that MPI."""
    if not system:
        return {name: [*command, "-DWITH_MPI"] for name, command in
                (("gcc", [f"mpicc.{mpi}"]), ("clang", [f"mpicc.{mpi}", "-cc=clang"]))
                if name == "gcc" or mpi == "mpich"}
    libraries = pathlib.Path(system) / "root/usr/lib" / CROSS
    words = ["-DWITH_MPI", f"-I{libraries / INCLUDES[mpi].format(CROSS)}",
             "-Wl,--no-as-needed,--allow-shlib-undefined", libraries / LIBRARIES[mpi]]
    return {name: [*command, *words] for name, command in fake.compilers_of(CROSS).items()}


def library_of(arguments, work):
    if arguments.library:
        jobs.need(os.path.exists(arguments.library), f"{arguments.library}")
        return pathlib.Path(arguments.library)
    needs.need(f"{CROSS}-gcc:")
    arguments.cross, arguments.compiler = CROSS, "gcc"
    arguments.source = HERE.parents[1]
    return fake.build_library(arguments, work)


def check(tools, arguments):
    work = pathlib.Path(arguments.work)
    shutil.rmtree(work / "call_paths", ignore_errors=True)
    work.mkdir(parents=True, exist_ok=True)
    library = library_of(arguments, work)
    system, inside = arguments.system, []
    if system:
        inside = [HERE / "system.sh", "run", system, work, library.parent, "--"]
        subprocess.run([HERE / "system.sh", "make", system], check=True)

    def run_under_mprof(program):
        profile = program.parent / "profile"
        job = jobs.Job([*map(str, inside), *tools.launcher(RANKS),
                        *jobs.preload_command(library), f"MPROF_OUTPUT={profile}",
                        "MPROF_SUMMARY=off", str(program)], jobs.environment(),
                       str(work), tools.time_limit)
        if job.status != 0:
            raise jobs.Failure(job.describe())
        return profile

    architecture = CROSS.split("-", maxsplit=1)[0] if system else os.uname().machine
    call_paths.check_all(compilers(tools.mpi, system), architecture, work, None, run_under_mprof,
                         tools.mprof, RANKS)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("--system", help="a folder in which system.sh made one")
    parser.add_argument("--work", required=True)
    sys.exit(jobs.main(check, parser))
