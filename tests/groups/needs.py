#!/usr/bin/env python3
"""What tests need of this machine: programs, libraries and compilers that may not be there.

    needs.py NAME...    for shell scripts: says what is not there, with exit status 77

A need has its name from the column "found by" of the table of packages in `dev`, and `./dev found`
tries whether it works. A test that misses one is skipped. What each test asks for is kept in
build/needs, for tests/project/packages.py. Python's standard library only.
"""

import functools
import os
import re
import subprocess
import sys

SKIPPED = 77
DEV = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "dev")

# Where a test's needs are kept: ctest sets it (CMakeLists.txt). Programs that the test starts do
# not have it.
KEPT = os.environ.pop("MPROF_NEEDS", None)
asked = []
if KEPT and os.path.exists(KEPT):
    os.unlink(KEPT)


@functools.cache
def rows():
    """[(group, package, found by)] of the table in `dev`."""
    with open(DEV, encoding="utf-8") as file:
        table = re.search(r"<<'TABLE'\n#.*?\n(.*?)^TABLE$", file.read(), re.M | re.S)[1]
    return [tuple(line.split(None, 3)[:3]) for line in table.splitlines()]


def package_of(name):
    for _, package, found_by in rows():
        if found_by == name:
            return package
    raise LookupError(f"the table of packages in dev has no row that is found by {name}")


def keep(name):
    if KEPT and name not in asked:
        asked.append(name)
        os.makedirs(os.path.dirname(KEPT), exist_ok=True)
        with open(KEPT, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in asked)


@functools.cache
def works(name):
    return subprocess.run([DEV, "found", name], check=False).returncode == 0


def why_not(name, is_there=None):
    """None if it works, else the reason to skip. `is_there`: what the test itself found out."""
    package = package_of(name)
    keep(name)
    if works(name) if is_there is None else is_there:
        return None
    return f"no {name.rstrip(':')} (Debian: {package})"


def need(name, is_there=None):
    """Skips the whole test if this is not there."""
    reason = why_not(name, is_there)
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)


if __name__ == "__main__":
    for word in sys.argv[1:]:
        need(word)
