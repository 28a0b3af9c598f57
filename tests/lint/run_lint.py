#!/usr/bin/env python3
"""mprof lint on real runs: mistakes.c or mistakes.f90 with its mistakes is found to have each of
them, at its line, and nothing else; without them, to have none. So is recorded.c or recorded.f90,
which runs with MPROF_LINT.

The program marks its lines. A job that hangs in different collectives and one that leaves without
MPI_Finalize are in it, too. The findings are checked as JSON, SARIF and text, and by the exit
status.
"""

import collections
import json
import os
import re
import subprocess
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TESTS, "mpi"))
import jobs  # noqa: E402  pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
# By the suffix of the program: the compiler's flags.
FLAGS = {
    ".c": ["-g", "-O1", "-std=c11", "-D_GNU_SOURCE", "-pthread", "-Wno-deprecated-declarations"],
    ".f90": ["-g", "-O1", "-fopenmp"],
}
# What the Fortran library of an MPI does without a call that anybody can see.
UNSEEN = {("openmpi", ".f90"): {"error-handler-not-freed"}}
MARK = re.compile(r"(?:/\*|!) @ ([a-z -]+?)(?: \*/)?$")
# By the name of the program: how many ranks, and the ways with mistakes of their own. Of unfinished
# jobs these are what they still tell.
RANKS = {"mistakes": 2, "recorded": 3}
RULES_OF_WAYS = {
    "mistakes": {
        "hang": {"collective-order"},
        "leave": {"no-finalize"},
        "steps": {"datatype-every-step"},
    },
    "recorded": {"threads": {"calls-at-once"}, "errors": {"error-not-looked-at"}},
}
UNFINISHED = {"hang", "leave"}


def marked_lines(source):
    """{rule: lines} of a program. A call that is broken into two lines has its mark on the second,
    and compilers name either."""
    marks = collections.defaultdict(list)
    with open(source, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines, 1):
        found = MARK.search(line)
        if found:
            begin = number if re.search(r"MPI_\w+\(", line) else number - 1
            for rule in found[1].split():
                marks[rule].append({begin, number})
    return marks


class Linter:
    """Runs the program in one of its ways, and mprof lint on its profile."""

    def __init__(self, tools, folder, source, compiler):
        self.tools, self.folder, self.source = tools, folder, source
        self.name, suffix = os.path.splitext(os.path.basename(source))
        self.program = os.path.join(folder.path, self.name)
        flags = FLAGS[suffix]
        # Compilers of Fortran write modules to where they are.
        subprocess.run([compiler, *flags, "-o", self.program, source], cwd=folder.path, check=True)

    def run(self, way, with_lint):
        folder = self.folder.sub(way + ("-lint" if with_lint else ""))
        job = jobs.run_profiled(self.tools, folder, RANKS[self.name], [self.program, folder, way],
                                MPROF_LINT="1" if with_lint else "0", **jobs.END_AT_ONCE)
        if way not in UNFINISHED and job.status != 0:
            raise jobs.Failure(job.describe())
        return os.path.join(folder, "profile")

    def lint(self, profile, *options, status):
        done = subprocess.run([self.tools.mprof, "lint", profile, *options], capture_output=True,
                              text=True, timeout=60, env=jobs.environment(),
                              cwd=HERE, check=False)
        if done.returncode != status:
            raise jobs.Failure(f"mprof lint {profile} {options}: exit status {done.returncode} "
                               f"instead of {status}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def findings(self, profile, status):
        return json.loads(self.lint(profile, "--json", "-", status=status))["lints"]


def check_lines(source, findings, rules):
    """Each line that is marked with one of these rules is found, and no other one."""
    expected = [(rule, lines) for rule, all_lines in marked_lines(source).items() if rule in rules
                for lines in all_lines]
    found = sorted((row["rule"], row["line"]) for row in findings)
    fits = len(found) == len(expected) and all(
        any((rule, line) in found for line in lines) for rule, lines in expected)
    if not fits:
        raise jobs.Failure(f"found {found}\nexpected {expected}\n{json.dumps(findings, indent=1)}")
    for row in findings:
        name = os.path.basename(row["file"] or "")
        if name != os.path.basename(source) or not row["message"] or not row["standard"]:
            raise jobs.Failure(f"incomplete: {row}")


def check_outputs(linter, profile, findings):
    """SARIF and text have the same findings; a name of a source file is relative."""
    sarif = json.loads(linter.lint(profile, "--sarif", "-", status=1))
    results = sarif["runs"][0]["results"]
    pairs = [(result["ruleId"],
              result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
              result["locations"][0]["physicalLocation"]["region"]["startLine"])
             for result in results]
    name = os.path.basename(linter.source)
    if pairs != [(row["rule"], name, row["line"]) for row in findings]:
        raise jobs.Failure(f"SARIF: {pairs}")
    text = linter.lint(profile, status=1)
    for row in findings:
        if f"{row['rule']}: {row['function']} at" not in text:
            raise jobs.Failure(f"{row['rule']} is not in the text\n{text}")
    if any(len(line) > 80 for line in text.splitlines()):
        raise jobs.Failure(f"too long lines\n{text}")


def test(tools, arguments):
    wrapper = "mpifort" if arguments.program.endswith(".f90") else "mpicc"
    jobs.need_compiler(tools, wrapper, arguments.compiler)
    with jobs.Folder("lint", tools.keep) as folder:
        source = os.path.join(HERE, arguments.program)
        linter = Linter(tools, folder, source, arguments.compiler)
        for with_lint in (False, True):
            right = linter.run("right", with_lint)
            if linter.findings(right, status=0):
                raise jobs.Failure(linter.lint(right, status=0))
        os.unlink(os.path.join(right, "rank-1.mprof"))
        linter.lint(right, status=0)  # an incomplete run alone does not fail
        records = linter.name == "recorded"
        ways = RULES_OF_WAYS[linter.name]
        wrong = linter.run("wrong", records)
        findings = linter.findings(wrong, status=1)
        unseen = UNSEEN.get((tools.mpi, os.path.splitext(source)[1]), set())
        check_lines(source, findings,
                    set(marked_lines(source)) - set().union(*ways.values()) - unseen)
        check_outputs(linter, wrong, findings)
        for way, rules in ways.items():
            profile = linter.run(way, records)
            findings = linter.findings(profile, status=1)
            check_lines(source, findings, rules)
            is_error = findings[0]["severity"] == "error"
            linter.lint(profile, "--fail-on", "error", status=1 if is_error else 0)


def main():
    parser = jobs.argument_parser(__doc__.splitlines()[0])
    parser.add_argument("--compiler", default="", help="mpicc or mpif90 of that MPI")
    parser.add_argument("program", help="its file name")
    jobs.main(test, parser)


if __name__ == "__main__":
    main()
