#!/usr/bin/env python3
"""mprof report --explain says what each abbreviated word of the report means,
in lines of at most 80 columns.

    words.py MPROF FOLDER...

The words are those in the report's heads that nobody can know: [..], <..>, ..@.. and %... The
folders are profiles. Python's standard library only.
"""

import re
import subprocess
import sys

WORD = re.compile(r"\[[a-z]+\]|<[^<>\s]+>|[a-z/]+@(?!\d)[a-z]*|%[a-z]+\.?")
UNITS = {"[run]"}  # regions, processes: the word itself


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=False).stdout


def main():
    mprof, *folders = sys.argv[1:]
    failed = False
    for folder in folders:
        whole = run(mprof, "report", folder, "--explain")
        explained = whole.partition("Words of the report:")[2]
        report = run(mprof, "report", folder, "--width", "120").partition("# command ")[2]
        words = set(WORD.findall(report)) - UNITS
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
