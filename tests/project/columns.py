#!/usr/bin/env python3
"""No line of Python or JavaScript is longer than 100 columns. clang-format checks C and C++.

    columns.py SOURCE_FOLDER
"""
import pathlib
import sys

MOST = 100
SUFFIXES = {".py", ".js", ".mjs"}


def is_source(path):
    """By its suffix; a program without one tells its language in its first line."""
    if path.suffix or not path.is_file():
        return path.suffix in SUFFIXES
    with path.open("rb") as file:
        return b"python" in file.readline(100)


def sources(top):
    """All but builds and what begins with a dot."""
    for path in sorted(top.rglob("*")):
        name = path.relative_to(top).as_posix()
        is_made = any(part.startswith((".", "build", "node_modules")) for part in name.split("/"))
        if is_source(path) and not is_made:
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
