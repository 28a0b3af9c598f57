#!/usr/bin/env python3
"""What ./dev and .ci/run ask about lanes (lanes.txt, groups.txt, changes.txt).

    lanes.py names                the lanes of the rest, in the order of their turns
    lanes.py list BUILD           all lanes: what each protects, tests, timed ones, minutes
    lanes.py due                  what .ci/run runs after the gate: "run LANE" and "left LANE" lines
    lanes.py begin FILE PROCESS   notes in FILE when a lane began, and on which tree, for ./dev,
                                  which is PROCESS
    lanes.py end FILE PROCESS LANE BUILD [--failed]
                                  how long it took; if it passed, BUILD/passed/LANE has the tree.
                                  Exit status 1: it took more than its minutes on a quiet machine

Python's standard library only.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import time

import quiet
import tables

TOP = os.path.dirname(os.path.dirname(tables.HERE))
TOGETHER_MINUTES = 60  # the gate and what .ci/run runs after it
CHANGE_HOURS = 4  # commits so long before the last one belong to the same change
NOT_OF_THE_REST = ("quick", "gate", "long")


def git(*words):
    done = subprocess.run(["git", *words], cwd=TOP, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def rest_lanes():
    return [lane for name, lane in tables.lanes().items() if name not in NOT_OF_THE_REST]


# ---- which lane is due ---------------------------------------------------------------------------


def changed_files():
    """Of the last change: the commits of the hours up to the last one."""
    last = git("log", "-1", "--format=%ct")
    if not last:
        return []
    before = git("rev-list", "-1", f"--before={int(last) - 3600 * CHANGE_HOURS}", "HEAD")
    return git("diff", "--name-only", before, "HEAD").splitlines() if before else []


def due_lanes(files, hour, lanes, changes):
    """All lanes that protect what was changed, the one with the most changed files first; if there
    is none, the one whose turn it is."""
    counts = collections.Counter()
    for path in files:
        counts.update({row.lane for row in changes if re.search(row.paths, path)})
    due = [lane for name, _ in counts.most_common() for lane in lanes if lane.name == name]
    return due or [lanes[hour % len(lanes)]]


def divide(due, minutes):
    """Those that fit into the minutes, of which the first always does, and the others."""
    fit, left = [], []
    for lane in due:
        if not fit or sum(other.minutes for other in fit) + lane.minutes <= minutes:
            fit.append(lane)
        else:
            left.append(lane)
    return fit, left


def print_due():
    hour = int(git("log", "-1", "--format=%ct") or time.time()) // 3600
    due = due_lanes(changed_files(), hour, rest_lanes(), tables.changes())
    fit, left = divide(due, TOGETHER_MINUTES - tables.lanes()["gate"].minutes)
    print("".join(f"run {lane.name}\n" for lane in fit)
          + "".join(f"left {lane.name}\n" for lane in left), end="")


# ---- the list ------------------------------------------------------------------------------------


def lanes_of(labels):
    return [label.removeprefix("lane.") for label in labels if label.startswith("lane.")]


def count_tests(build):
    """{lane: (tests, timed ones)} of the build folders that are there. Each sanitizer has a folder
    of its own, all of whose tests belong to the lanes of the group with its name."""
    counts = collections.defaultdict(collections.Counter)
    folders = {os.path.join(build, name): group.lanes for name, group in tables.groups().items()}
    for folder, own_lanes in {build: None, **folders}.items():
        if not os.path.exists(os.path.join(folder, "CTestTestfile.cmake")):
            continue
        for properties in tables.tests_of(folder).values():
            labels = properties.get("LABELS", [])
            for lane in own_lanes or lanes_of(labels):
                counts[lane]["tests"] += 1
                counts[lane]["timed"] += "timed" in labels
    return counts


def print_list(build):
    counts = count_tests(build)
    print("lane       minutes  tests  timed  what it protects")
    for lane in tables.lanes().values():
        count = counts[lane.name]
        tests = f"{count['tests']:5d}  {count['timed']:5d}" if count["tests"] else "    -      -"
        print(f"{lane.name:9s}  {lane.minutes:7g}  {tests}  {lane.protects}")
    print("(minutes: at most, on 2 quiet cores. Tests are counted where they are built: the lanes "
          "that were run here. The gate runs the tests of quick, too, its unit tests with "
          "AddressSanitizer. tests/groups/groups.txt has the groups of each lane.)")


# ---- begin and end of a lane ---------------------------------------------------------------------


def clean_tree():
    """The tree that is checked out, "" if a file differs from it."""
    is_clean = git("rev-parse", "HEAD") and not git("status", "--porcelain")
    return git("rev-parse", "HEAD^{tree}") if is_clean else ""


def begin(arguments):
    with open(arguments.file, "w", encoding="utf-8") as file:
        json.dump({"load": quiet.Load(arguments.process).begin, "tree": clean_tree()}, file)


def end(arguments):
    with open(arguments.file, encoding="utf-8") as file:
        noted = json.load(file)
    load = quiet.Load(arguments.process, noted["load"])
    lane, part, minutes = tables.lanes()[arguments.lane], load.part(), load.seconds() / 60
    print(f"{lane.name}: {minutes:.1f} min of {lane.minutes:g}; "
          f"others took {100 * part:.0f} % of the machine")
    is_late = minutes > lane.minutes and part <= quiet.DISTURBED
    passed = os.path.join(arguments.build, "passed", lane.name)
    if os.path.exists(passed):
        os.unlink(passed)
    if not arguments.failed and not is_late and noted["tree"] and noted["tree"] == clean_tree():
        os.makedirs(os.path.dirname(passed), exist_ok=True)
        with open(passed, "w", encoding="utf-8") as file:
            file.write(noted["tree"] + "\n")
    return 1 if is_late else 0


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("names")
    commands.add_parser("list").add_argument("build")
    commands.add_parser("due")
    for name in ("begin", "end"):
        command = commands.add_parser(name)
        command.add_argument("file")
        command.add_argument("process")
    command.add_argument("lane", choices=list(tables.lanes()))
    command.add_argument("build")
    command.add_argument("--failed", action="store_true")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    if arguments.command == "names":
        print(" ".join(lane.name for lane in rest_lanes()))
    elif arguments.command == "list":
        print_list(os.path.abspath(arguments.build))
    elif arguments.command == "due":
        print_due()
    elif arguments.command == "begin":
        begin(arguments)
    else:
        return end(arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
