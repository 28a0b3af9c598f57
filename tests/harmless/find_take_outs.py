#!/usr/bin/env python3
"""Each fix that a case names stands in the source, once. So take_out.py still finds what it takes
out after the code has moved.

    find_take_outs.py

Prints the fixes that are not there. Exit status 1 if there are any. Also used by take_out.py.
"""

import os
import sys

sys.dont_write_bytecode = True
import case as cases  # noqa: E402

TOP = os.path.normpath(os.path.join(cases.HERE, os.pardir, os.pardir))


def why_not_there(fix, source):
    """A sentence, or None if the text stands exactly once in the file below `source`."""
    path = os.path.join(source, fix.file)
    if not os.path.isfile(path):
        return f"there is no file {fix.file}"
    with open(path, encoding="utf-8") as file:
        times = file.read().count(fix.old)
    return None if times == 1 else f"{times} times in {fix.file}: {fix.old!r}"


def main():
    lost = [f"{case.name}: {fix.what}: {why}" for case in cases.load().values()
            for fix in case.take_outs
            if (why := why_not_there(fix, TOP))]
    print("\n".join(lost) or "all are there")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
