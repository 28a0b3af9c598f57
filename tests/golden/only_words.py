#!/usr/bin/env python3
"""Whether golden reports changed in words alone, against a commit.

    only_words.py COMMIT

For a change that is meant to be one of wording: figures, JSON keys, classes, states, names and
their order are the same as in the commit. It is run by hand, before the golden files of such a
change are committed. Python's standard library and git.
"""
import itertools
import json
import pathlib
import re
import subprocess
import sys

EXPECTED = pathlib.Path(__file__).resolve().parent / "expected"
# Texts that are no sentences: programs read them.
FIXED = {"class", "state", "name", "source", "kind", "cause", "account", "confidence", "title",
         "severity", "function", "place", "value", "use", "end", "node", "host"}
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def numbers(text):
    """All numbers of a text, in their order; a line's end may be within one and its unit."""
    return NUMBER.findall(text)


def differences(old, new, where=""):
    """Where two JSON values differ in more than words."""
    if isinstance(old, dict) and isinstance(new, dict):
        if list(old) != list(new):
            yield f"{where}: keys {sorted(set(old) ^ set(new))}, or their order"
        for key in old.keys() & new.keys():
            if key in FIXED and isinstance(old[key], str) and old[key] != new[key]:
                yield f"{where}.{key}: {old[key]!r}, now {new[key]!r}"
            yield from differences(old[key], new[key], f"{where}.{key}")
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield f"{where}: {len(old)} rows, now {len(new)}"
        for number, (a, b) in enumerate(zip(old, new)):
            yield from differences(a, b, f"{where}[{number}]")
    elif isinstance(old, str) and isinstance(new, str):
        if numbers(old) != numbers(new):
            yield f"{where}: numbers of {old!r}, now {new!r}"
    elif old != new:
        yield f"{where}: {old!r}, now {new!r}"


def compare(old, new, is_json):
    if is_json:
        yield from differences(json.loads(old), json.loads(new))
        return
    for index, (a, b) in enumerate(itertools.zip_longest(numbers(old), numbers(new))):
        if a != b:
            yield f"number {index}: {a}, now {b}"
            return
    for word in re.findall(r"VERDICT +: ([A-Z/ -]+)[.]", old):
        if f": {word}." not in new:
            yield f"class {word} is not in it"


def main():
    failed = False
    for file in sorted(EXPECTED.rglob("*.*")):
        done = subprocess.run(["git", "show", f"{sys.argv[1]}:./{file.relative_to(EXPECTED)}"],
                              cwd=EXPECTED, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            continue  # it is new
        for difference in compare(done.stdout, file.read_text(), file.suffix == ".json"):
            print(f"{file.relative_to(EXPECTED)}: {difference}")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
