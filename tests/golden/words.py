#!/usr/bin/env python3
"""mprof report --explain says what each word of the report means, in lines of at most 80 columns.

    words.py MPROF FOLDER...

The words are those in the report's heads that nobody can know: [..], <..>, ..@.. and %..., and all
heads of tables in the sources, but for the plain ones. The folders are profiles. Python's standard
library only.
"""

import pathlib
import re
import subprocess
import sys

WORD = re.compile(r"\[[a-z]+\]|<[^<>\s]+>|[a-z/]+@(?!\d)[a-z]*|%[a-z]+\.?")
UNITS = {"[run]"}  # regions, processes: the word itself

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "parser" / "render" / "text"
HEAD = re.compile(r"[.](?:left|right)\([^,;]*, \"([^\"]{2,})\"\)")
PLAIN = {"bytes", "calls", "command", "in", "max", "min", "messages", "MPI", "MPI call", "ranks",
         "read", "size", "to", "written"}


def heads():
    """The words of all heads that the sources of the text report have."""
    files = [SOURCES / "render_text.cc", *sorted((SOURCES / "sections").glob("*.cc"))]
    texts = [head for file in files for head in HEAD.findall(file.read_text())]
    return {re.split(r"[,(]", text)[0].strip() for text in texts if not text.startswith("*")} - (
        UNITS | PLAIN)


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=False).stdout


def main():
    mprof, *folders = sys.argv[1:]
    failed = False
    for folder in folders:
        whole = run(mprof, "report", folder, "--explain")
        explained = whole.partition("Words of the report:")[2]
        report = run(mprof, "report", folder, "--all", "--width", "120").partition("# command ")[2]
        words = set(WORD.findall(report)) - UNITS | heads()
        long = [line for line in whole.splitlines() if len(line) > 80]
        missing = sorted(word for word in words if word not in explained)
        for problem in [f"more than 80 columns: {line}" for line in long] + [
                f"{word} is not explained" for word in missing]:
            print(f"{folder}: {problem}")
            failed = True
        if len(words) < 10:
            print(f"{folder}: only {len(words)} words were found in the report")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
