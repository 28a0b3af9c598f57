#!/usr/bin/env python3
"""Runs ctest for ./dev test. It shows progress, gives each group of tests a budget of minutes, and
says how to run again what failed.

    run_tests.py BUILD SET --results FILE [--jobs N] [--as GROUP]

SET is quick, full or long (groups.txt), or all: everything but what is only in long. With --as all
tests count as this group. It appends lines for ./dev to FILE: "passed N", "failed N", "skipped N",
"failure TEXT", "again COMMAND".

    run_tests.py --step GROUP --results FILE -- COMMAND

runs a step of ./dev, such as a build, which has its budget, too. The exit status is the command's.
Python's standard library only.
"""

import argparse
import collections
import json
import os
import re
import shlex
import subprocess
import sys
import time

from other_load import Load

HERE = os.path.dirname(os.path.abspath(__file__))
SETS = {"quick": "^quick$", "full": "^(quick|full)$", "long": "^long$", "all": "^(quick|full)$"}
CORES = 2  # that the minutes of groups.txt are for
FAR_OVER = 2  # times its budget: then a group has grown, and it is not the machine
DISTURBED = 0.2  # of the machine, taken by others: then nothing is said about how long things took

START = re.compile(r"^ +Start +\d+: ")
DONE = re.compile(r"^ *\d+/\d+ Test +#\d+: (.+?) [.]+ *(?:[*]{3})?(.*?) +([\d.]+) sec")


def read_budgets():
    """{group: minutes}"""
    budgets = {}
    with open(os.path.join(HERE, "groups.txt"), encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                group, _, minutes, _ = line.split(None, 3)
                budgets[group] = float(minutes)
    return budgets


class Test:
    """A test, before it is run: how much of the machine it takes, and its group."""

    def __init__(self, entry, single_group):
        properties = {row["name"]: row["value"] for row in entry.get("properties", [])}
        self.name = entry["name"]
        labels = properties.get("LABELS", [])
        groups = [label[len("group."):] for label in labels if label.startswith("group.")]
        self.group = single_group or (groups[0] if groups else "rest")
        wanted = CORES if properties.get("RUN_SERIAL") else properties.get("PROCESSORS", 1)
        cores = min(wanted, CORES)
        self.share = cores / CORES


class Progress:
    """What is still to come, in minutes: by the groups' budgets at first, by what the tests took
    when some are done."""

    def __init__(self, tests, budgets):
        counts = collections.Counter(test.group for test in tests.values())
        self.weights = {name: budgets.get(test.group, 1) / counts[test.group]
                        for name, test in tests.items()}
        self.left = self.whole = sum(self.weights.values())
        self.begin = time.monotonic()

    def done(self, name):
        self.left -= self.weights.pop(name, 0)

    def minutes_left(self):
        elapsed = (time.monotonic() - self.begin) / 60
        done = self.whole - self.left
        # As if a tenth of all had been done in half of its budget before.
        before = self.whole / 10
        return self.left * (elapsed + before / 2) / (done + before)


class Outcome:
    """Counters and texts for ./dev."""

    def __init__(self):
        self.states, self.minutes = {}, collections.Counter()
        self.failures, self.again = [], []

    def add(self, test, state, seconds):
        self.states[test.name] = {"Passed": "passed", "Skipped": "skipped"}.get(state, "failed")
        self.minutes[test.group] += seconds / 60 * test.share
        if self.states[test.name] == "failed":
            self.failures.append(test.name)

    def write(self, path):
        counts = collections.Counter(self.states.values())
        with open(path, "a", encoding="utf-8") as file:
            for state in ("passed", "failed", "skipped"):
                file.write(f"{state} {counts[state]}\n")
            file.writelines(f"failure {text}\n" for text in self.failures)
            file.writelines(f"again {text}\n" for text in self.again)


def chosen_tests(arguments):
    listed = subprocess.run(["ctest", "--show-only=json-v1", "-L", SETS[arguments.set]],
                            cwd=arguments.build, capture_output=True, text=True, check=True)
    tests = [Test(entry, arguments.as_group) for entry in json.loads(listed.stdout)["tests"]]
    return {test.name: test for test in tests}


def run_ctest(arguments, tests, budgets):
    """Passes on what ctest prints of tests that failed; a line for each test that is done."""
    outcome, progress, number = Outcome(), Progress(tests, budgets), 0
    command = ["ctest", "--output-on-failure", "--parallel", str(arguments.jobs), "-L",
               SETS[arguments.set]]
    log = open(os.path.join(arguments.build, "ctest.log"), "w", encoding="utf-8")
    with log, subprocess.Popen(command, cwd=arguments.build, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace") as process:
        for line in process.stdout:
            log.write(line)
            if re.match(r"\d+% tests passed", line):
                log.write(process.stdout.read())
                break
            done = DONE.match(line)
            if done and done[1] in tests:
                number += 1
                progress.done(done[1])
                outcome.add(tests[done[1]], done[2], float(done[3]))
                print(f"[{number:4d}/{len(tests)}, {progress.minutes_left():3.0f} min left] "
                      f"{done[1]}: "
                      f"{outcome.states[done[1]]} ({done[3]} s)", flush=True)
            elif not START.match(line) and line.strip():
                print(line, end="", flush=True)
    for name in tests.keys() - outcome.states.keys():
        outcome.states[name] = "failed"
        outcome.failures.append(f"{name} (ctest did not run it)")
    return outcome


def print_reasons(build, outcome):
    """Why tests were skipped, as their last line says."""
    skipped = {name for name, state in outcome.states.items() if state == "skipped"}
    reasons = collections.defaultdict(list)
    name, last = None, ""
    with open(os.path.join(build, "Testing", "Temporary",
                           "LastTest.log"), encoding="utf-8", errors="replace") as file:
        for line in file:
            begin = re.match(r"\d+/\d+ Testing: (.*)", line)
            name = begin[1] if begin else name
            if line.startswith("<end of output>") and name in skipped:
                reasons[re.sub(r"^(skipped|n/a): ", "", last)].append(name)
            last = line.strip() or last
    for reason, names in reasons.items():
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        print(f"skipped: {reason[:200]}: {', '.join(names[:3])}{more}")


def check_budgets(outcome, budgets, load, strict):
    """Counts as one test: no group took far longer than its minutes. If it is not strict, or on a
    disturbed machine, or a group is over its minutes but not far, it is said and no more."""
    part = load.part()
    over = {group: (f"the group {group} took {minutes:.1f} minutes, "
                    f"its budget is {budgets[group]:g} (tests/groups/groups.txt)")
            for group, minutes in outcome.minutes.items() if minutes > budgets[group]}
    for text in over.values():
        print(text + (f"; others took {100 * part:.0f} % of the machine meanwhile"
                      if part > DISTURBED else ""))
    far_over = [text for group, text in over.items()
                if outcome.minutes[group] > FAR_OVER * budgets[group]]
    if far_over and strict and part <= DISTURBED:
        outcome.states["budgets"] = "failed"
        outcome.failures += far_over
    else:
        outcome.states["budgets"] = "skipped" if over else "passed"


def say_how_to_run_again(build, outcome, tests):
    names = [name for name, state in outcome.states.items() if state == "failed" and name in tests]
    if names:
        expression = "|".join(re.sub(r"([.+*?^$()|\[\]\\])", r"[\1]", name) for name in names)
        outcome.again.append(f"ctest --test-dir {shlex.quote(build)} --output-on-failure -R "
                             f"{shlex.quote(f'^({expression})$')}")


def parse_arguments(words):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=os.path.abspath)
    parser.add_argument("set", nargs="?", choices=SETS)
    parser.add_argument("--results", required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--as", dest="as_group")
    parser.add_argument("--step", metavar="GROUP")
    return parser.parse_args(words)


def run_step(group, command):
    """A step of ./dev: (outcome, exit status)."""
    begin, outcome = time.monotonic(), Outcome()
    status = subprocess.run(command, check=False).returncode
    outcome.minutes[group] = (time.monotonic() - begin) / 60
    return outcome, status


def run_tests(arguments, budgets):
    tests = chosen_tests(arguments)
    outcome = run_ctest(arguments, tests, budgets)
    print_reasons(arguments.build, outcome)
    say_how_to_run_again(arguments.build, outcome, tests)
    return outcome, 0


def main():
    own = sys.argv[1:]
    command = own[own.index("--") + 1:] if "--" in own else []
    arguments = parse_arguments(own[:own.index("--")] if "--" in own else own)
    budgets, load = read_budgets(), Load()
    outcome, status = run_step(arguments.step,
                               command) if arguments.step else run_tests(arguments, budgets)
    check_budgets(outcome, budgets, load, arguments.set in ("full", "all"))
    outcome.write(arguments.results)
    return status


if __name__ == "__main__":
    sys.exit(main())
