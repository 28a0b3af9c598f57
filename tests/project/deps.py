#!/usr/bin/env python3
"""Includes keep to the table of folders in share/doc/contributing.md: no folder includes one that
its row does not name.

    deps.py           compares; exit status 1 with a line for each include that is not allowed
    deps.py --write   puts the arrows between folders, as they are, into share/doc/design.md, which
                      the test compares, too

A row of the table is | `folder/` | what is in it | `other`, `another` |. The last column names what
the folder may include besides itself, by its name below libmprof/ or parser/. Each folder includes
only folders whose rows stand above its own. A folder below another one without a row of its own
belongs to that one. Generated files belong to the folder of their generator.
"""

import argparse
import collections
import os
import re
import sys

TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir,
                                    os.pardir))
DOCUMENT = os.path.join(TOP, "share", "doc", "contributing.md")
DRAWING = os.path.join(TOP, "share", "doc", "design.md")
HALVES = ("libmprof", "parser")
ROW = re.compile(r"^\| `((?:libmprof|parser)/[^`]*)/` \|.*\| ([^|]*) \|$", re.MULTILINE)
DRAWN = re.compile(r"(?<=\n    folder                     includes\n)(?:    .*\n)+")
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.MULTILINE)


def read_table():
    """{folder: names that it may include}, in the order of the rows; and what is wrong with the
    order."""
    with open(DOCUMENT, encoding="utf-8") as file:
        rows = {folder: set(re.findall(r"`([^`]+)`", last))
                for folder, last in ROW.findall(file.read())}
    above, wrong = collections.defaultdict(set), []
    for folder, allowed in rows.items():
        half, _, name = folder.partition("/")
        wrong += [
            f"contributing.md: {folder} may include {other}, which does not stand above it"
            for other in sorted(allowed - above[half])]
        above[half].add(name)
    return rows, wrong


def owner(path, rows):
    """The row that a file belongs to."""
    folder = os.path.dirname(path)
    while folder and folder not in rows:
        folder = os.path.dirname(folder)
    return folder


def includes():
    """(file, what it includes), both below the top; `mprof/...` is what the two halves share."""
    for half in HALVES:
        for folder, _, names in sorted(os.walk(os.path.join(TOP, half))):
            for name in sorted(names):
                if name.endswith((".c", ".h", ".cc", ".S")):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        for other in INCLUDE.findall(file.read()):
                            if not other.startswith("mprof/"):
                                yield os.path.relpath(path, TOP), f"{half}/{other}"


def order_of(rows, folder):
    """Names of the folders of the same half, as the table has them."""
    half = folder.partition("/")[0]
    return [name.partition("/")[2] for name in rows if name.startswith(half + "/")]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    rows, wrong = read_table()
    arrows = {folder: set() for folder in rows}
    for path, other in includes():
        source, target = owner(path, rows), owner(other, rows)
        if not source:
            wrong.append(f"{path}: its folder has no row in contributing.md")
        elif "/" not in other.partition("/")[2]:
            continue  # generated, and included by one file alone
        elif source != target:
            arrows[source].add(target.partition("/")[2] or other)
            if target.partition("/")[2] not in rows[source]:
                wrong.append(f"{path} includes {other}, but contributing.md does not let {source} "
                             f"include {target or 'that'}")
    drawing = ""
    for folder, targets in arrows.items():
        names = ", ".join(name for name in order_of(rows, folder) if name in targets)
        drawing += f"    {folder:24}   {names or '-'}\n"
    with open(DRAWING, encoding="utf-8") as file:
        text = file.read()
    if arguments.write:
        with open(DRAWING, "w", encoding="utf-8") as file:
            file.write(DRAWN.sub(drawing, text))
    elif DRAWN.findall(text) != [drawing]:
        wrong.append("design.md has another drawing of the arrows: deps.py --write")
    unused = [f"contributing.md lets {folder} include {name}, and no file does"
              for folder, allowed in rows.items()
              for name in sorted(allowed - arrows[folder])]
    wrong += unused
    print("\n".join(wrong)
          or f"{sum(map(len, arrows.values()))} arrows between {len(rows)} folders, all down")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
