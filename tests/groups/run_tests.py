#!/usr/bin/env python3
"""Runs ctest for ./dev test. It shows progress, gives a second chance to tests that depend on time,
gives each group of tests a budget of minutes, and says how to run again what failed.

    run_tests.py BUILD [--lanes LANE...] --results FILE [--jobs N] [--as GROUP]

runs the tests of these lanes (groups.txt), or all that the folder has. With --as all count as this
group. It appends lines for ./dev to FILE: "passed N", "failed N", "skipped N", "flaky N",
"failure TEXT", "again COMMAND".

    run_tests.py --step GROUP --results FILE -- COMMAND

runs a step of ./dev, such as a build, which has its budget, too. The exit status is the command's.

A test with the label "timed" (timed.txt) that failed is run once more at the end, alone, when the
machine is quiet. If it passes then, it is flaky and not red. Nor is it red if others took so much
of the machine meanwhile (quiet.py) that nobody can tell. flaky.txt beside FILE keeps what it said
the first time. Any other test that fails once is red. Python's standard library only.
"""

import argparse
import collections
import os
import re
import shlex
import subprocess
import sys
import time

import quiet
import tables

CORES = 2  # that the minutes of groups.txt are for
FAR_OVER = 2  # times its budget: then a group has grown, and it is not the machine
PATIENCE_S = 120
FIRST_LINES = 40  # of what a flaky test said, that are kept

START = re.compile(r"^ +Start +\d+: ")
DONE = re.compile(r"^ *\d+/\d+ Test +#\d+: (.+?) [.]+ *(?:[*]{3})?(.*?) +([\d.]+) sec")
STATES = ("passed", "failed", "skipped", "flaky")


class Test:
    """A test, before it is run: how much of the machine it takes, its group, and whether its
    verdict depends on time."""

    def __init__(self, entry, single_group):
        properties = {row["name"]: row["value"] for row in entry.get("properties", [])}
        self.name = entry["name"]
        labels = properties.get("LABELS", [])
        groups = [label[len("group."):] for label in labels if label.startswith("group.")]
        self.group = single_group or (groups[0] if groups else "none")
        self.is_timed = "timed" in labels
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
        self.failures, self.again = {}, []

    def add(self, test, state, seconds):
        self.states[test.name] = {"Passed": "passed", "Skipped": "skipped"}.get(state, "failed")
        self.minutes[test.group] += seconds / 60 * test.share
        if self.states[test.name] == "failed":
            self.failures[test.name] = test.name

    def set_flaky(self, name):
        self.states[name] = "flaky"
        del self.failures[name]

    def write(self, path):
        counts = collections.Counter(self.states.values())
        with open(path, "a", encoding="utf-8") as file:
            for state in STATES:
                file.write(f"{state} {counts[state]}\n")
            file.writelines(f"failure {text}\n" for text in self.failures.values())
            file.writelines(f"again {text}\n" for text in self.again)


def chosen_tests(arguments):
    entries = tables.entries_of_ctest(arguments.build, *arguments.chosen)
    tests = [Test(entry, arguments.as_group) for entry in entries]
    return {test.name: test for test in tests}


def lines_of_ctest(arguments, options, log_name):
    """What ctest prints until it sums up, which goes to the log alone."""
    with open(os.path.join(arguments.build, log_name), "a", encoding="utf-8") as log, \
            subprocess.Popen(["ctest", "--output-on-failure", *options], cwd=arguments.build,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, errors="replace") as process:
        for line in process.stdout:
            log.write(line)
            if re.match(r"\d+% tests passed", line):
                log.write(process.stdout.read())
                return
            yield line


def run_ctest(arguments, tests, budgets):
    """Passes on what ctest prints of tests that failed; a line for each test that is done."""
    outcome, progress, number = Outcome(), Progress(tests, budgets), 0
    log_name = "ctest.log"
    open(os.path.join(arguments.build, log_name), "w", encoding="utf-8").close()
    options = ["--parallel", str(arguments.jobs), *arguments.chosen]
    for line in lines_of_ctest(arguments, options, log_name):
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
        outcome.failures[name] = f"{name} (ctest did not run it)"
    return outcome


def outputs_of(build, names):
    """{test: the lines that it wrote}, of ctest's last run."""
    path = os.path.join(build, "Testing", "Temporary", "LastTest.log")
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    found = re.findall(r"^\d+/\d+ Testing: (.*)\n(?:.*\n)*?"
                       r"Output:\n-+\n((?:.*\n)*?)<end of output>", text, re.M)
    return {name: [line.rstrip() for line in said.splitlines() if line.strip()]
            for name, said in found if name in names}


def say_flaky(arguments, name, reason, said):
    """Beside the result file; ./dev prints the begin of it in its last lines."""
    kept = said[-FIRST_LINES:]
    with open(os.path.join(os.path.dirname(arguments.results), "flaky.txt"), "a",
              encoding="utf-8") as file:
        file.write(f"FLAKY {name}: {reason}\n" + "".join(f"    {line}\n" for line in kept))


def run_alone(arguments, name):
    """The state of a test that is run with nothing beside it, and which part of the machine others
    took meanwhile."""
    load, state = quiet.Load(), "failed"
    expression = "^" + re.sub(r"([.+*?^$()|\[\]\\])", r"[\1]", name) + "$"
    for line in lines_of_ctest(arguments, ["-R", expression], "ctest_again.log"):
        done = DONE.match(line)
        if done and done[1] == name:
            state = {"Passed": "passed", "Skipped": "skipped"}.get(done[2], "failed")
        elif not START.match(line) and line.strip():
            print(line, end="", flush=True)
    return state, load.part()


def give_second_chances(arguments, tests, outcome):
    names = [name for name, state in outcome.states.items()
             if state == "failed" and name in tests and tests[name].is_timed]
    if not names:
        return
    said = outputs_of(arguments.build, names)
    open(os.path.join(arguments.build, "ctest_again.log"), "w", encoding="utf-8").close()
    print(f"{len(names)} tests that depend on time failed. Each is run once more, alone.")
    for name in names:
        quiet.wait_until_quiet(arguments.patience)
        state, part = run_alone(arguments, name)
        if state == "passed":
            reason = "passed the second time"
        elif part > arguments.disturbed:
            reason = (f"not judged: others took {100 * part:.0f} % of the machine, and it "
                      f"{'was skipped' if state == 'skipped' else 'failed'}")
        elif state == "skipped":
            reason = "was skipped the second time"
        else:
            print(f"{name}: failed again")
            continue
        print(f"{name}: FLAKY, {reason}", flush=True)
        outcome.set_flaky(name)
        say_flaky(arguments, name, reason, said.get(name, []))


def print_reasons(build, outcome):
    """Why tests were skipped, as their last line says."""
    skipped = [name for name, state in outcome.states.items() if state == "skipped"]
    reasons = collections.defaultdict(list)
    for name, lines in outputs_of(build, skipped).items():
        last = lines[-1] if lines else "it says no reason"
        reasons[re.sub(r"^(skipped|n/a): ", "", last)].append(name)
    for reason, names in reasons.items():
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        print(f"skipped: {reason[:200]}: {', '.join(names[:3])}{more}")


def check_budgets(outcome, budgets, load, strict):
    """Counts as one test: no group took far longer than its minutes. If it is not strict, or on a
    disturbed machine, or a group is over its minutes but not far, it is said and no more."""
    part = load.part()
    over = {group: (f"the group {group} took {minutes:.1f} minutes, "
                    f"its budget is {budgets[group]:g} (tests/groups/groups.txt)")
            for group, minutes in outcome.minutes.items() if minutes > budgets.get(group, 0)}
    for text in over.values():
        print(text + (f"; others took {100 * part:.0f} % of the machine meanwhile"
                      if part > quiet.DISTURBED else ""))
    far_over = {f"budget of {group}": text for group, text in over.items()
                if outcome.minutes[group] > FAR_OVER * budgets[group]}
    if far_over and strict and part <= quiet.DISTURBED:
        outcome.states["budgets"] = "failed"
        outcome.failures.update(far_over)
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
    parser.add_argument("--lanes", nargs="*", default=[])
    parser.add_argument("--results", required=True, type=os.path.abspath)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--as", dest="as_group")
    parser.add_argument("--step", metavar="GROUP")
    parser.add_argument("--patience", type=float, default=PATIENCE_S, metavar="SECONDS",
                        help="how long a second chance waits for a quiet machine")
    parser.add_argument("--disturbed", type=float, default=quiet.DISTURBED, metavar="PART",
                        help="of the machine: if others take more, a second failure is not judged")
    arguments = parser.parse_args(words)
    unknown = set(arguments.lanes) - set(tables.lanes())
    if unknown:
        parser.error(f"no lanes of lanes.txt: {', '.join(sorted(unknown))}")
    arguments.chosen = ["-L", f"^lane[.]({'|'.join(arguments.lanes)})$"] if arguments.lanes else []
    return arguments


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
    give_second_chances(arguments, tests, outcome)
    say_how_to_run_again(arguments.build, outcome, tests)
    return outcome, 0


def main():
    own = sys.argv[1:]
    command = own[own.index("--") + 1:] if "--" in own else []
    arguments = parse_arguments(own[:own.index("--")] if "--" in own else own)
    budgets = {name: group.minutes for name, group in tables.groups().items()}
    load = quiet.Load()
    outcome, status = run_step(arguments.step,
                               command) if arguments.step else run_tests(arguments, budgets)
    check_budgets(outcome, budgets, load, "quick" != ",".join(arguments.lanes))
    outcome.write(arguments.results)
    return status


if __name__ == "__main__":
    sys.exit(main())
