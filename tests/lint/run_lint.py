#!/usr/bin/env python3
"""mprof lint on real runs: mistakes.c with its mistakes is found to have each of them, at its line,
and nothing else; without them, to have none.

mistakes.c marks its lines. A job that hangs in different collectives and one that leaves without
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

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mistakes.c")
FLAGS = ["-g", "-O1", "-std=c11", "-D_GNU_SOURCE", "-pthread", "-Wno-deprecated-declarations"]
RANKS = 2
# Of what an unfinished job still tells.
RULES_OF_ENDS = {"hang": {"collective-order"}, "leave": {"no-finalize"}}


def marked_lines():
    """{rule: lines} of the source. A call that is broken into two lines has its mark on the second,
    and compilers name either."""
    marks = collections.defaultdict(list)
    with open(SOURCE, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines, 1):
        found = re.search(r"/\* @ ([a-z-]+) \*/$", line)
        if found:
            begin = number if re.search(r"MPI_\w+\(", line) else number - 1
            marks[found[1]].append({begin, number})
    return marks


class Linter:
    """Runs the program in one of its ways, and mprof lint on its profile."""

    def __init__(self, tools, folder, program):
        self.tools, self.folder, self.program = tools, folder, program

    def run(self, way, must_end_well):
        folder = self.folder.sub(way)
        job = jobs.run_profiled(self.tools, folder, RANKS, [self.program, folder, way],
                                **jobs.END_AT_ONCE)
        if must_end_well and job.status != 0:
            raise jobs.Failure(job.describe())
        return os.path.join(folder, "profile")

    def lint(self, profile, *options, status):
        done = subprocess.run([self.tools.mprof, "lint", profile, *options], capture_output=True,
                              text=True, timeout=60, env=jobs.environment(),
                              cwd=os.path.dirname(SOURCE), check=False)
        if done.returncode != status:
            raise jobs.Failure(f"mprof lint {profile} {options}: exit status {done.returncode} "
                               f"instead of {status}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def findings(self, profile, status):
        return json.loads(self.lint(profile, "--json", "-", status=status))["lints"]


def check_lines(findings, rules):
    """Each line that is marked with one of these rules is found, and no other one."""
    expected = [(rule, lines) for rule, all_lines in marked_lines().items() if rule in rules
                for lines in all_lines]
    found = sorted((row["rule"], row["line"]) for row in findings)
    fits = len(found) == len(expected) and all(
        any((rule, line) in found for line in lines) for rule, lines in expected)
    if not fits:
        raise jobs.Failure(f"found {found}\nexpected {expected}\n{json.dumps(findings, indent=1)}")
    for row in findings:
        name = os.path.basename(row["file"] or "")
        if name != "mistakes.c" or not row["message"] or not row["standard"]:
            raise jobs.Failure(f"incomplete: {row}")


def check_outputs(linter, profile, findings):
    """SARIF and text have the same findings; a name of a source file is relative."""
    sarif = json.loads(linter.lint(profile, "--sarif", "-", status=1))
    results = sarif["runs"][0]["results"]
    pairs = [(result["ruleId"],
              result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
              result["locations"][0]["physicalLocation"]["region"]["startLine"])
             for result in results]
    if pairs != [(row["rule"], "mistakes.c", row["line"]) for row in findings]:
        raise jobs.Failure(f"SARIF: {pairs}")
    text = linter.lint(profile, status=1)
    for row in findings:
        if f"{row['rule']}: {row['function']} at" not in text:
            raise jobs.Failure(f"{row['rule']} is not in the text\n{text}")
    if any(len(line) > 80 for line in text.splitlines()):
        raise jobs.Failure(f"too long lines\n{text}")


def test(tools, arguments):
    jobs.need(arguments.cc, "compiler of this MPI")
    with jobs.Folder("lint", tools.keep) as folder:
        program = os.path.join(folder.path, "mistakes")
        subprocess.run([arguments.cc, *FLAGS, "-o", program, SOURCE], check=True)
        linter = Linter(tools, folder, program)
        right = linter.run("right", True)
        if linter.findings(right, status=0):
            raise jobs.Failure(linter.lint(right, status=0))
        os.unlink(os.path.join(right, "rank-1.mprof"))
        linter.lint(right, status=0)  # an incomplete run alone does not fail
        wrong = linter.run("wrong", True)
        findings = linter.findings(wrong, status=1)
        check_lines(findings, set(marked_lines()) - set().union(*RULES_OF_ENDS.values()))
        check_outputs(linter, wrong, findings)
        for way, rules in RULES_OF_ENDS.items():
            profile = linter.run(way, False)
            findings = linter.findings(profile, status=1)
            check_lines(findings, rules)
            linter.lint(profile, "--fail-on", "error", status=1)


def main():
    parser = jobs.argument_parser(__doc__.splitlines()[0])
    parser.add_argument("--cc", default="", help="the mpicc of that MPI")
    jobs.main(test, parser)


if __name__ == "__main__":
    main()
