#!/usr/bin/env python3
"""Which lanes are due after a change, and when a lane has passed (lanes.py).

    lanes_test.py WORK

WORK gets a repository with a copy of this folder. Exit status 0: all is as it should be.
"""

import json
import os
import shutil
import subprocess
import sys

import lanes
import tables

WRONG = []


def expect(found, expected, what):
    if found != expected:
        WRONG.append(f"{what}: {found} instead of {expected}")


def names(found):
    return [lane.name for lane in found]


def check_due():
    known = [tables.Lane(name, minutes, "") for name, minutes in (("a", 20), ("b", 15), ("c", 5))]
    changes = [tables.Change("^x/", "b"), tables.Change("^y/", "c"), tables.Change("^x/deep", "a")]
    for hour, name in ((0, "a"), (1, "b"), (2, "c"), (3, "a")):
        expect(names(lanes.due_lanes(["z/1"], hour, known, changes)), [name], f"hour {hour}")
    expect(names(lanes.due_lanes(["x/1", "x/deep", "y/1"], 0, known, changes)), ["b", "a", "c"],
           "the lane with the most changed files comes first")
    due = [known[1], known[0], known[2]]
    for minutes, fit, left in ((30, ["b", "c"], ["a"]), (5, ["b"], ["a", "c"]),
                               (40, ["b", "a", "c"], [])):
        found = lanes.divide(due, minutes)
        expect([names(part) for part in found], [fit, left], f"in {minutes} minutes")


class Repository:
    """With these tables, one commit, and a lane that ends in it."""

    def __init__(self, work):
        self.work, self.top = work, os.path.join(work, "clone")
        self.build = os.path.join(work, "build")
        groups = os.path.join(self.top, "tests", "groups")
        shutil.copytree(tables.HERE, groups, ignore=shutil.ignore_patterns("__pycache__"))
        os.makedirs(self.build)
        self.script = os.path.join(groups, "lanes.py")
        self.git("init", "-q")
        self.git("add", ".")
        self.git("-c", "user.name=x", "-c", "user.email=x@localhost", "commit", "-qm", "x")

    def git(self, *words):
        return subprocess.run(["git", *words], cwd=self.top, check=True, capture_output=True,
                              text=True).stdout.strip()

    def lanes(self, *words, check=True):
        return subprocess.run([sys.executable, "-B", self.script, *words], cwd=self.top,
                              capture_output=True, text=True, check=check)

    def passed(self, *options, hours=0, status=0):
        """What build/passed/quick has after a lane that took so many hours, on a quiet machine."""
        noted = os.path.join(self.work, "noted")
        process = str(os.getpid())
        self.lanes("begin", noted, process)
        with open(noted, encoding="utf-8") as file:
            begin = json.load(file)
        begin["load"][0] -= 3600 * hours
        with open(noted, "w", encoding="utf-8") as file:
            json.dump(begin, file)
        done = self.lanes("end", noted, process, "quick", self.build, *options, check=False)
        expect(done.returncode, status, "exit status: " + done.stdout + done.stderr)
        try:
            with open(os.path.join(self.build, "passed", "quick"), encoding="utf-8") as file:
                return file.read().strip()
        except FileNotFoundError:
            return None


def check_passed(work):
    repository = Repository(work)
    tree = repository.git("rev-parse", "HEAD^{tree}")
    expect(repository.passed(), tree, "a lane that passed")
    expect(repository.passed("--failed"), None, "a lane that failed after it had passed")
    with open(os.path.join(repository.top, "new"), "w", encoding="utf-8") as file:
        file.write("\n")
    expect(repository.passed(), None, "a lane that passed on a tree with a file more")
    os.unlink(os.path.join(repository.top, "new"))
    expect(repository.passed(), tree, "a lane that passed again")
    expect(repository.passed(hours=2, status=1), None, "a lane that took two hours")


def main():
    work = os.path.abspath(sys.argv[1])
    shutil.rmtree(work, ignore_errors=True)
    check_due()
    check_passed(work)
    print("\n".join(WRONG), end="")
    return 1 if WRONG else 0


if __name__ == "__main__":
    sys.exit(main())
