#!/usr/bin/env python3
"""What run_tests.py makes of tests that fail once: those that depend on time get a second chance,
others do not.

    runner_test.py WORK

WORK gets a folder for ctest with tests that pass, fail, fail every second time, are skipped. No MPI
and no build. Exit status 0: all is as it should be.
"""

import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
NEVER, ALWAYS = 2, -1  # is the machine disturbed, as a part of it
EVERY_SECOND = 'if [ -e "$0" ]; then rm "$0"; else : > "$0"; echo was too slow; exit 1; fi'

# name: (commands of a shell, labels, what becomes of it)
TESTS = {
    "good": ("true", "lane.quick;group.project", "passed"),
    "bad": ("exit 1", "lane.quick;group.project", "failed"),
    "flaky_untimed": (EVERY_SECOND, "lane.quick;group.project", "failed"),
    "flaky_timed": (EVERY_SECOND, "lane.quick;group.project;timed", "flaky"),
    "late_timed": ("echo far too slow; exit 1", "lane.quick;group.project;timed", "failed"),
    "late_skipped": ('if [ -e "$0" ]; then exit 77; else : > "$0"; exit 1; fi',
                     "lane.quick;group.project;timed", "flaky"),
    "lacks": ("echo skipped: no such thing; exit 77", "lane.quick;group.project", "skipped"),
    "of_gate": ("exit 1", "lane.gate;group.project", None),
}


def write_tests(folder):
    with open(os.path.join(folder, "CTestTestfile.cmake"), "w", encoding="utf-8") as file:
        for name, (command, labels, _) in TESTS.items():
            state = os.path.join(folder, "state " + name)
            file.write(f"add_test([=[{name}]=] sh -c [=[{command}]=] [=[{state}]=])\n"
                       f"set_tests_properties([=[{name}]=] PROPERTIES LABELS [=[{labels}]=] "
                       "SKIP_RETURN_CODE 77)\n")


def results_of(path):
    """{word: [rest of the line]}"""
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            word, _, rest = line.strip().partition(" ")
            found.setdefault(word, []).append(rest)
    return found


def problems(work, disturbed, expected):
    """What differs from `expected`, {test: what becomes of it}, where others may take this part of
    the machine."""
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    write_tests(work)
    results = os.path.join(work, "results.txt")
    done = subprocess.run([sys.executable, "-B", os.path.join(HERE, "run_tests.py"), work,
                           "--lanes", "quick", "--results", results, "--patience", "0",
                           "--disturbed", str(disturbed)],
                          capture_output=True, text=True, check=False)
    found, wrong = results_of(results), []
    for state in ("failed", "flaky"):
        count = sum(what == state for what in expected.values())
        if found[state] != [str(count)]:
            wrong.append(f"{state}: {found[state]} instead of {count}")
    failures = sorted(name for name, what in expected.items() if what == "failed")
    if sorted(found.get("failure", [])) != failures:
        wrong.append(f"failures: {found['failure']} instead of {failures}")
    with open(os.path.join(work, "flaky.txt"), encoding="utf-8") as file:
        text = file.read()
    if "FLAKY flaky_timed: passed the second time\n    was too slow\n" not in text:
        wrong.append(f"flaky.txt does not say what the test said the first time: {text}")
    if "skipped: no such thing: lacks" not in done.stdout:
        wrong.append("the reason of a skipped test is not said")
    return wrong + [done.stdout, done.stderr] if wrong else []


def main():
    expected = {name: what for name, (*_, what) in TESTS.items()}
    wrong = problems(os.path.join(sys.argv[1], "quiet"), NEVER, expected)
    # Nobody can tell then what a second failure means.
    wrong += problems(os.path.join(sys.argv[1], "busy"), ALWAYS,
                      {**expected, "late_timed": "flaky"})
    print("\n".join(wrong), end="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
