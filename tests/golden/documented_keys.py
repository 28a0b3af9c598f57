#!/usr/bin/env python3
"""Every key of a JSON document is named in the page that documents it: documented_keys.py PAGE.md
DOCUMENT.json...

Also used by tests/diff. Names of the program or of the machine (a counter, a fact) are no keys.
"""

import json
import re
import sys

NAMES = {"texts", "facts", "counters", "counters_in_mpi", "metrics", "settings"}


def keys_of(part):
    if isinstance(part, dict):
        below = (keys_of(value) for key, value in part.items() if key not in NAMES)
        return set(part).union(*below)
    return set().union(*map(keys_of, part)) if isinstance(part, list) else set()


def missing(document, page):
    """The keys of the document that the page does not name, sorted."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    named = {word for words in re.findall(r"`([^`\n]+)`", text)
             for word in re.findall(r"\w+", words)}
    titles = {words.split(",")[0].strip() for words in re.findall(r"^## (.*)$", text, re.MULTILINE)}
    return sorted(keys_of(document) - named - titles)


if __name__ == "__main__":
    STATUS = 0
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as report:
            lacking = missing(json.load(report), sys.argv[1])
        if lacking:
            print(f"{path}: not in {sys.argv[1]}: {', '.join(lacking)}")
            STATUS = 1
    sys.exit(STATUS)
