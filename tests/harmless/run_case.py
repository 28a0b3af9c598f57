#!/usr/bin/env python3
"""Runs one case (case.py) with one MPI: natively, then under mprof.

    run_case.py CASE BUILD --environments DIR --library FILE --mprof FILE [--results DIR]
                [--beside FILE]

The output, the exit status and roughly the time must be those of the native run. mprof must say
what the case expects. The program names calls ("calls MPI_Send 3" on a line of its output, summed
over the ranks), and these must be in the profile. Exit status 0: all this is so; 77: skipped, with
the reason; 1: it is not, with the difference. The result goes to DIR/CASE.BUILD.json for
make_table.py. With --beside this library is preloaded in both runs, behind all others.
"""

import argparse
import collections
import glob
import json
import os
import re
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
for name in ("mpi", "languages"):
    sys.path.insert(1, os.path.join(HERE, os.pardir, name))

import builds  # noqa: E402
import case as cases  # noqa: E402
import jobs  # noqa: E402

NOT_HERE = 77  # a program's exit status: this MPI cannot do that; it says why on standard output
NOT_INSTALLED = "not installed: "  # this machine lacks something; that says nothing of the MPI
OPTIONS = ["-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Werror",
           "-Wno-stringop-overflow", "-Wno-stringop-overread",
           "-pthread", "-I" + os.path.join(HERE, "programs"),
           "-I" + os.path.join(HERE, os.pardir, os.pardir, "include")]


class Run:
    """One case on one build: where its files are, and the words that stand for them."""

    def __init__(self, case, build, arguments, folder):
        self.case, self.build, self.arguments, self.folder = case, build, arguments, folder
        self.program = os.path.join(folder, case.name)
        self.words = {"folder": folder, "library": arguments.library,
                      "mprof": arguments.mprof, "program": self.program,
                      "libmpi": build.libmpi_path(),
                      "include": os.path.join(HERE, os.pardir, os.pardir, "include"),
                      "programs": os.path.join(HERE, "programs")}

    def fill(self, words):
        return [word.format(**self.words) for word in words]

    def compiler(self):
        """(command, language options, libraries) for the case's source."""
        end = os.path.splitext(self.case.source)[1]
        if end == ".F90":
            command, libraries = self.build.fortran_compiler("mpi_f08")
            return command, ["-O1", "-g", "-J" + self.folder], libraries
        command, libraries = self.build.c_compiler()
        if end == ".c":
            return command, OPTIONS + ["-std=gnu11"], libraries
        # The C compiler's wrapper with C++: their C++ bindings are tested elsewhere, and some
        # wheels have no mpicxx that works.
        options = ["-x", "c++", "-std=c++17", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]
        return command, OPTIONS + options, libraries + ["-lstdc++"]

    def compile(self):
        command, options, libraries = self.compiler()
        lists = dict(zip(("{cc}", "{cc_libraries}"), self.build.c_compiler()))
        for words in self.case.before:
            filled = []
            for word in words:
                filled += lists[word] if word in lists else self.fill([word])
            run_or_fail(filled, self.folder)
        own = self.fill(self.case.options)
        after = own[own.index("--") + 1:] if "--" in own else []
        own = own[:own.index("--")] if "--" in own else own
        if self.case.source.endswith(".py"):
            return
        run_or_fail(command + options + own + [self.case.source, "-x", "none", "-o", self.program]
                    + after + libraries, self.folder)

    def python(self):
        """(python3, variables for it)"""
        name = self.case.environment
        if name is None:
            return self.build.python()
        return builds.environment_path(self.build.folder, name, "bin", "python3"), {}

    def launcher(self, where):
        """MPICH makes standard output unbuffered, so what one printf() writes may come in pieces,
        and between them those of another rank. So each rank has a file of its own."""
        command = self.build.mpirun(self.case.ranks)
        if self.build.launcher == "hydra":
            command[1:1] = ["-outfile-pattern", os.path.join(where, "rank.%r")]
        return self.fill(self.case.around) + command

    def command(self, mprof, where):
        case = self.case
        program, variables = [self.program], {}
        if case.source.endswith(".py"):
            python, variables = self.python()
            program = [python, case.source]
        program = self.fill(case.inside) + program + self.fill(case.arguments)
        launcher = self.launcher(where)
        parts = self.fill(case.preload.split(":")) + self.arguments.beside
        preload = ":".join(part for part in parts if mprof or part != self.arguments.library)
        if mprof and case.started == "run":
            return [self.arguments.mprof, "run", "--"] + launcher + program, variables
        if mprof and case.started == "inside":
            return launcher + [self.arguments.mprof, "run"] + program, variables
        if preload:
            program = jobs.preload_command(preload) + program
        return launcher + program, variables

    def run(self, mprof, folder=None):
        where = os.path.join(self.folder, folder or ("mprof" if mprof else "alone"))
        os.makedirs(where)
        command, variables = self.command(mprof, where)
        own = {key: value.format(**self.words) for key, value in self.case.variables.items()}
        if mprof:
            own = {"MPROF_OUTPUT": self.profile(), "MPROF_SUMMARY": self.case.summary, **own}
        environment = jobs.environment(**{**self.build.variables(), **variables, **own})
        job = jobs.Job(command, environment, where, self.case.time_limit)
        for path in sorted(glob.glob(os.path.join(glob.escape(where), "rank.*"))):
            with open(path, "rb") as file:
                job.stdout += file.read()
        return job

    def profile(self):
        return os.path.join(self.folder, "profile")


def run_or_fail(command, folder):
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    if done.returncode != 0:
        raise jobs.Failure(f"{' '.join(command)}\n{done.stdout[-1500:]}{done.stderr[-3000:]}")


def own_lines(job):
    return [line for line in job.stderr.decode(errors="replace").splitlines()
            if re.match(r"(##)?mprof\b", line)]


def sorted_lines(job):
    """Ranks may print in another order."""
    return sorted(job.stdout.splitlines())


def compare(case, alone, under):
    if under.status != case.status or sorted_lines(alone) != sorted_lines(under):
        raise jobs.Failure(f"not as without mprof\n{alone.describe()}\n{under.describe()}")
    said = own_lines(under)
    wrong = [line for line in said if not any(re.search(pattern, line) for pattern in case.says)]
    unsaid = [pattern for pattern in case.says
              if not any(re.search(pattern, line) for line in said)]
    if wrong or unsaid:
        raise jobs.Failure(f"mprof says {wrong}\nand not {unsaid}\n{under.describe()}")


def check_time(run, alone, under):
    """mprof may not wait for anything. A busy machine may hold up one run and not the one before
    it, so what seems too long is compared with a run without mprof that comes after it, too."""
    longest = alone.seconds
    if under.seconds > 3 * longest + 10:
        longest = max(longest, run.run(mprof=False, folder="alone_again").seconds)
    if under.seconds > 3 * longest + 10:
        raise jobs.Failure(f"{under.seconds:.1f} s instead of {longest:.1f} s without mprof")


def named_calls(job):
    """What the program says of itself, summed over ranks: {function: calls}."""
    calls = collections.Counter()
    for function, count in re.findall(rb"^calls (\w+) (\d+)$", job.stdout, re.M):
        calls[function.decode()] += int(count)
    return calls


def check_record(run, job):
    case = run.case
    if case.record == cases.NOTHING:
        if os.path.isdir(run.profile()) and os.listdir(run.profile()):
            raise jobs.Failure(f"there is a profile: {os.listdir(run.profile())}")
        return
    expected = named_calls(job)
    if not expected:
        raise jobs.Failure(f"the program names no calls\n{job.describe()}")
    document, _ = jobs.report(run.arguments, run.profile(), expected_status=None)
    counted = {row["function"]: row["calls"] for row in document["functions"]}
    wrong = {name: (counted.get(name, 0), count)
             for name, count in expected.items() if counted.get(name, 0) != count}
    if wrong:
        raise jobs.Failure(f"calls (counted, made): {wrong}\n{job.describe()}")


def check(case, build, arguments):
    """What holds, as a few words for the table."""
    build.mpirun(1)
    for name in case.needs:
        builds.need(name)
    with jobs.Folder(f"harmless-{case.name}-{build.name}", arguments.keep) as folder:
        run = Run(case, build, arguments, folder.path)
        run.compile()
        alone = run.run(mprof=False)
        if alone.status != NOT_HERE:
            check_under_mprof(run, alone)
    if alone.status == NOT_HERE:  # no failure, for which the folder would be kept
        reason = alone.stdout.decode(errors="replace").strip().splitlines()[0]
        raise (builds.Skipped if reason.startswith(NOT_INSTALLED) else builds.NotApplicable)(
            reason)
    return "same" if case.record == cases.NOTHING else "same, counted exactly"


def check_under_mprof(run, alone):
    case = run.case
    if alone.status != case.status:
        raise jobs.Failure(f"without mprof it already fails here\n{alone.describe()}")
    under = run.run(mprof=True)
    compare(case, alone, under)
    check_time(run, alone, under)
    check_record(run, under)
    if case.check is not None:
        case.check(case, under, run.profile(), run.arguments)


def outcome(case, build, arguments):
    """(exit status, state, detail)"""
    try:
        return 0, "holds", check(case, build, arguments)
    except builds.NotApplicable as reason:
        return jobs.SKIPPED, "n/a", str(reason)
    except builds.Skipped as reason:
        return jobs.SKIPPED, "skipped", str(reason)
    except jobs.Failure as failure:
        return 1, "FAILED", str(failure)


def argument_parser(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--environments", required=True,
                        help="what tests/languages/install_mpis.sh made")
    parser.add_argument("--library", required=True, type=os.path.abspath, help="libmprof.so")
    parser.add_argument("--mprof", required=True, type=os.path.abspath, help="the mprof command")
    parser.add_argument("--keep", action="store_true", help="keep the folder with all files")
    parser.add_argument("--beside", nargs=1, default=[], type=os.path.abspath,
                        help="a library to preload, too")
    return parser


def find_build(name, arguments):
    build = builds.BUILDS[name]
    build.folder = arguments.environments
    return build


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--results", help="folder for the result")
    parser.add_argument("case", choices=list(cases.load()))
    parser.add_argument("build", choices=list(builds.BUILDS))
    arguments = parser.parse_args()
    # So that what is under way is tidied up.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    jobs.go_first()  # what makes many small calls would not be done in time beside other programs
    status, state, detail = outcome(cases.load()[arguments.case],
                                    find_build(arguments.build, arguments), arguments)
    print(f"{state}: {detail}")
    if arguments.results:
        os.makedirs(arguments.results, exist_ok=True)
        path = os.path.join(arguments.results, f"{arguments.case}.{arguments.build}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"state": state, "detail": detail.splitlines()[0] if detail else ""}, file)
    return status


if __name__ == "__main__":
    sys.exit(main())
