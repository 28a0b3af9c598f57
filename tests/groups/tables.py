"""The tables of this folder, read: lanes.txt, groups.txt, timed.txt and changes.txt. CMakeLists.txt
reads groups.txt and timed.txt, too, and makes ctest labels of them.

Used by run_tests.py, lanes.py, check_tables.py and tests/project/packages.py. Python's standard
library only.
"""

import collections
import functools
import json
import os
import re
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
STEP = "-"  # in place of a regular expression: a step of ./dev, not a test

Lane = collections.namedtuple("Lane", "name minutes protects")
Group = collections.namedtuple("Group", "name lanes minutes tests protects")
Timed = collections.namedtuple("Timed", "tests figure")
Change = collections.namedtuple("Change", "paths lane")


def rows(file_name, columns):
    """Each row as a list of this many words; the last one is the rest of the line."""
    with open(os.path.join(HERE, file_name), encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    for line in lines:
        if line and not line.startswith("#"):
            words = line.split(None, columns - 1)
            if len(words) != columns:
                raise ValueError(f"{file_name}: expected {columns} columns, found: {line}")
            yield words


@functools.cache
def lanes():
    """{name: Lane}, in the order in which their turns come."""
    return {name: Lane(name, float(minutes), protects)
            for name, minutes, protects in rows("lanes.txt", 3)}


@functools.cache
def groups():
    """{name: Group}, in the order in which they are tried."""
    return {name: Group(name, lane.split(","), float(minutes), tests, protects)
            for name, lane, minutes, tests, protects in rows("groups.txt", 5)}


def timed():
    return [Timed(*words) for words in rows("timed.txt", 2)]


def changes():
    return [Change(*words) for words in rows("changes.txt", 2)]


def group_of(test):
    """The first one that fits the name of the test, or None."""
    return next((group for group in groups().values()
                 if group.tests != STEP and re.search(group.tests, test)), None)


def entries_of_ctest(folder, *chosen):
    """The tests as ctest lists them. Before the JSON stands what ninja says if ctest makes it look
    for new files first ("Re-checking globbed directories")."""
    listed = subprocess.run(["ctest", "--show-only=json-v1", *chosen], cwd=folder,
                            capture_output=True, text=True, check=True).stdout
    return json.loads(listed[listed.index("{"):])["tests"]


def tests_of(build):
    """{test: {property: value}} of a build folder. ctest is asked from another folder: in this one
    it would empty the log of a run that is going on."""
    with tempfile.TemporaryDirectory(prefix="mprof-tests-") as folder:
        with open(os.path.join(folder, "CTestTestfile.cmake"), "w", encoding="utf-8") as file:
            file.write(f"subdirs([=[{os.path.abspath(build)}]=])\n")
        entries = entries_of_ctest(folder)
    return {entry["name"]: {row["name"]: row["value"] for row in entry.get("properties", [])}
            for entry in entries}
