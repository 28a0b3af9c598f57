#!/usr/bin/env python3
"""The tables of this folder fit the tests and the tree, and contributing.md has what they say.

    check_tables.py BUILD [--write]

Each test of the build folder is in a lane. Each row of groups.txt and timed.txt fits a test, each
of changes.txt a file. With --write the table of contributing.md is written anew. Exit status 1:
something does not fit, and it is said.
"""

import os
import re
import sys

import lanes
import tables

DOCUMENT = os.path.join(lanes.TOP, "share", "doc", "contributing.md")
BEGIN, END = "<!-- lanes: begin -->\n", "<!-- lanes: end -->"
ELSEWHERE = ("unit", "flipped", "fuzz")  # groups whose tests are in another build folder


def problems_of_tests(names):
    groups, known = tables.groups(), tables.lanes()
    used = set()
    for name in names:
        group = tables.group_of(name)
        if group is None:
            yield f"{name} is in no lane: it fits no row of groups.txt"
        else:
            used.add(group.name)
    for group in groups.values():
        for lane in set(group.lanes) - set(known):
            yield f"groups.txt: {group.name}: there is no lane {lane}"
        if group.tests != tables.STEP and group.name not in used and group.name not in ELSEWHERE:
            yield f"groups.txt: {group.name}: no test is in this group"
    has_unit_tests = any(re.match("(libmprof|parser)[.]", name) for name in names)
    for row in tables.timed():
        is_of_unit_tests = re.match(r"\^(libmprof|parser)\[", row.tests)
        if is_of_unit_tests and not has_unit_tests:
            continue
        if not any(re.search(row.tests, name) for name in names):
            yield f"timed.txt: {row.tests}: there is no such test"


def problems_of_changes():
    files = lanes.git("ls-files").splitlines()
    known = {lane.name for lane in lanes.rest_lanes()}
    for row in tables.changes():
        if row.lane not in known:
            yield f"changes.txt: there is no lane {row.lane} of the rest"
        if files and not any(re.search(row.paths, path) for path in files):
            yield f"changes.txt: {row.paths}: there is no such file"


def document_table():
    lines = ["| lane | what is protected | group of tests |", "|---|---|---|"]
    for lane in tables.lanes().values():
        lines.append(f"| **{lane.name}**, {lane.minutes:g} min | **{lane.protects}** | |")
        lines += [f"| {lane.name} | {group.protects} | `{group.name}` |"
                  for group in tables.groups().values() if lane.name in group.lanes]
    return "\n".join(lines) + "\n"


def main():
    with open(DOCUMENT, encoding="utf-8") as file:
        text = file.read()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    new = text[:begin] + document_table() + text[end:]
    if "--write" in sys.argv:
        with open(DOCUMENT, "w", encoding="utf-8") as file:
            file.write(new)
        text = new
    problems = [*problems_of_tests(tables.tests_of(sys.argv[1])), *problems_of_changes()]
    if text != new:
        problems.append(f"{DOCUMENT} says something else of the lanes than the tables: "
                        "check_tables.py BUILD --write")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
