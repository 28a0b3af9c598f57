"""What a case is: a correct program, what is unusual about it, and how it is built and started.

Used by run_case.py, take_out.py and make_table.py. The cases stand in cases/*.py, a file per kind.
Each file has a list CASES. `python3 case.py` prints NAME.BUILD of all of them, for CMake, and
`python3 case.py BUILD FILE...` the names of those of these files that are preloaded with this MPI.
Python's standard library only.
"""

import glob
import importlib.util
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DEBIAN = ("openmpi4", "mpich4")
ALL_BUILDS = ("openmpi4", "mpich4", "openmpi5", "mpich5", "mpich5_abi", "intel", "intel_abi")
WITH_SESSIONS = ("mpich4", "openmpi5", "mpich5", "mpich5_abi")

EXACT = "exact"  # the calls that the program names are counted exactly
NOTHING = "nothing"  # no profile


def find_program(name):
    """The file of this name in programs/ or in a folder below."""
    return glob.glob(os.path.join(HERE, "programs", "**", name), recursive=True)[0]


class TakeOut:
    """The fix that a case protects, and how to take it out: in `file` (from the top of the
    repository), `old` becomes `new`. `what` names the fix in the table, as what the case fails
    without."""

    def __init__(self, what, file, old, new):
        self.what, self.file, self.old, self.new = what, file, old, new


class Case:
    """One program, run natively and under mprof: the same output, status and (roughly) time; the
    profile as `record` says.

    name        of the case; the program is NAME.c below programs/ unless `source` names another
                (.c, .cc, .F90 or .py)
    tries       a line for the table: what is unusual about the program
    builds      the MPIs to try it on, by their names in tests/languages/builds.py
    environment of install_mpis.sh, whose Python runs a .py; None: that with an mpi4py for the MPI
    options     of the compiler; after `--` those of the linker. {include}, {folder}, {library}
                (libmprof.so) and {libmpi} are replaced, in `before`, `arguments`, `variables` and
                `preload`, too
    before      commands to run before, such as to compile a library: lists of words; {cc} is the C
                compiler of the MPI (a list of its own)
    around      words in front of mpirun
    inside      words in front of the program, after those that preload libmprof.so
    started     "preload": env LD_PRELOAD=... program; "run": mprof run -- mpirun ... program;
                "inside": mpirun ... mprof run program
    preload     libraries to preload, {library} being libmprof.so; natively it is left out
    status      the exit status, natively and under mprof
    record      EXACT or NOTHING
    says        a regular expression for what mprof says on standard error, one for each line;
                nothing else may be said
    summary     MPROF_SUMMARY
    needs       what must be there (tests/groups/needs.py); without one the case is skipped
    check       check(case, job, profile, tools): more to look at, raises jobs.Failure
    take_outs   the fixes behind it
    """

    def __init__(self, name, tries, builds=DEBIAN, ranks=2, source=None, environment=None,
                 options=(), before=(), around=(), inside=(),
                 arguments=(), variables=None, started="preload", preload="{library}",
                 status=0, record=EXACT, says=(),
                 summary="off", needs=(), check=None, take_outs=(), time_limit=60):
        self.name, self.tries, self.builds, self.ranks = name, tries, builds, ranks
        self.source = find_program(source or name + ".c")
        self.environment = environment
        self.options, self.before, self.around, self.inside = options, before, around, inside
        self.arguments, self.variables = arguments, variables or {}
        self.started, self.preload = started, preload
        self.status, self.record, self.says, self.summary = status, record, says, summary
        self.needs = needs
        self.check, self.take_outs, self.time_limit = check, take_outs, time_limit


def load():
    """{name: case}, in the order of the files and their lists."""
    cases = {}
    for path in sorted(glob.glob(os.path.join(HERE, "cases", "*.py"))):
        spec = importlib.util.spec_from_file_location("cases_" + os.path.basename(path)[:-3], path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for case in module.CASES:
            if case.name in cases:
                raise ValueError(f"two cases are called {case.name}")
            case.file = os.path.basename(path)[:-3]
            cases[case.name] = case
    return cases


def preloaded(build, files):
    """Names of programs in C of these files: {library} is preloaded, and others may be, too."""
    return [case.name for case in load().values()
            if case.file in files and build in case.builds and case.started == "preload"
            and case.preload and case.source.endswith(".c")]


if __name__ == "__main__":  # for CMake
    if len(sys.argv) > 1:
        print(";".join(preloaded(sys.argv[1], sys.argv[2:])))
        sys.exit(0)
    print(";".join(f"{case.name}.{build}" for case in load().values() for build in case.builds))
