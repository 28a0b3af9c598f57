#!/usr/bin/env python3
"""Who calls whom in libmprof, as the sources have it: no circle between folders, none between the
files of libmprof/record.

    calls.py                 compares; exit status 1 with a line for each circle
    calls.py --list FOLDER   the arrows between files below FOLDER, with the names that make them

A .c file and the header of its name are one file; a folder below another one counts for itself. An
arrow is a name that one file uses and sees, and that another one defines: a function that is not
static, or any function of a header, so that a call hidden in a static inline function belongs to
the header in which it is written. Taking the address of a function counts like a call.

The only pointers to functions through which a lower file may call a higher one are the members of
mpi_services and those of KNOWN: another variable of this kind that files share is refused. Sources
are read as text, in the layout of clang-format: a function's body begins with a brace in the first
column.
"""

import argparse
import collections
import os
import re
import sys

TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir,
                                    os.pardir, "libmprof"))
BY_FILE = ("record", "interpose")
KNOWN = {"record_begins_anew"}  # of process/life.c, in a child of fork()
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.MULTILINE)
ATTRIBUTE = re.compile(r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\)")
FUNCTION = re.compile(r"^(?![ #}{\n/])[^;{}=]*?\b([a-z]\w*)\([^;{}]*?\)\n\{", re.MULTILINE)
NAME = re.compile(r"(?<![\w.])(?<!->)[a-z_]\w*")
SHARED_POINTER = re.compile(r"^extern [^;]*\(\*(\w+)\)\(", re.MULTILINE)


def read_sources():
    """{path below libmprof: text without comments and strings}, and {path: what it includes}"""
    sources, included = {}, {}
    for folder, _, names in sorted(os.walk(TOP)):
        for name in sorted(names):
            if name.endswith((".c", ".h")):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                path = os.path.relpath(path, TOP)
                sources[path] = ATTRIBUTE.sub(" ", COMMENT.sub(" ", text))
                included[path] = INCLUDE.findall(text)
    return sources, included


def reach(path, included):
    """All that a file sees."""
    seen, ahead = set(), [path]
    while ahead:
        for other in included.get(ahead.pop(), []):
            if other not in seen:
                seen.add(other)
                ahead.append(other)
    return seen


def defined_in(path, text):
    """Names of the functions that other files can call."""
    for match in FUNCTION.finditer(text):
        if path.endswith(".h") or not re.match(r"(?:COLD |HOT )?static\b", match.group(0)):
            yield match.group(1)


def find_arrows(sources, included):
    """{(file, file): names}, both without their endings."""
    homes, declared = collections.defaultdict(set), collections.defaultdict(set)
    for path, text in sources.items():
        for name in defined_in(path, text):
            homes[name].add(os.path.splitext(path)[0])
    names_in = {path: set(NAME.findall(text)) & homes.keys() for path, text in sources.items()}
    for path, names in names_in.items():
        for name in names if path.endswith(".h") else ():
            declared[name].add(path)
    arrows = collections.defaultdict(set)
    for path, names in names_in.items():
        unit, seen = os.path.splitext(path)[0], reach(path, included) | {path}
        for name in names:
            visible = declared[name] & seen
            owners = {home for home in homes[name] if home + ".h" in declared[name]}
            if unit in homes[name] or not visible:
                continue
            for home in owners or homes[name]:
                if not owners or home + ".h" in visible:
                    arrows[unit, home].add(name)
    return arrows


def circles(edges):
    """Strongly connected components of more than one node, by Tarjan."""
    after = collections.defaultdict(set)
    for source, target in edges:
        after[source].add(target)
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(after[node]):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            component = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(set(after)):
        if node not in index:
            visit(node)
    return found


def name_circles(arrows, kind):
    for component in circles(arrows):
        inside = [(pair, names) for pair, names in sorted(arrows.items())
                  if pair[0] in component and pair[1] in component]
        yield f"a circle of calls between {len(component)} {kind}: {', '.join(component)}"
        for (source, target), names in inside:
            yield f"    {source} -> {target}: {', '.join(sorted(names))}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", metavar="FOLDER")
    arguments = parser.parse_args()
    sources, included = read_sources()
    arrows = find_arrows(sources, included)
    if arguments.list is not None:
        for (source, target), names in sorted(arrows.items()):
            if source.startswith(arguments.list) and target.startswith(arguments.list):
                print(f"{source} -> {target}: {', '.join(sorted(names))}")
        return 0
    folders = collections.defaultdict(set)
    for (source, target), names in arrows.items():
        if os.path.dirname(source) != os.path.dirname(target):
            folders[os.path.dirname(source), os.path.dirname(target)] |= names
    wrong = list(name_circles(folders, "folders"))
    for half in BY_FILE:
        wrong += name_circles({pair: names for pair, names in arrows.items()
                               if all(unit.startswith(half + "/") for unit in pair)},
                              f"files of {half}/")
    wrong += [f"{path}: {name} is a way up for calls; only mpi_services may be one"
              for path, text in sources.items() for name in SHARED_POINTER.findall(text)
              if name not in KNOWN]
    print("\n".join(wrong) or f"{len(arrows)} arrows between files of libmprof, "
                              f"{len(folders)} between its folders, no circle")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
