#!/usr/bin/env python3
"""No line of Python or JavaScript is longer than 100 columns. clang-format checks C and C++.

    columns.py SOURCE_FOLDER
"""
import pathlib
import sys

MOST = 100
SUFFIXES = {".py", ".js", ".mjs"}


def sources(top):
    """All but builds and what begins with a dot."""
    for path in sorted(top.rglob("*")):
        name = path.relative_to(top).as_posix()
        is_made = any(part.startswith((".", "build", "node_modules")) for part in name.split("/"))
        if path.suffix in SUFFIXES and not is_made:
            yield name, path.read_text(encoding="utf-8")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    long = [f"{name}:{number}: {len(line)} columns"
            for name, text in sources(pathlib.Path(sys.argv[1]).resolve())
            for number, line in enumerate(text.splitlines(), 1) if len(line) > MOST]
    print("\n".join(long))
    sys.exit(1 if long else 0)


if __name__ == "__main__":
    main()
