"""What the scripts here share: tests/mpi/jobs.py, and functions that find rows of a report."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mpi"))
import jobs  # noqa: E402  pylint: disable=wrong-import-position


def row(rows, key, name):
    for candidate in rows:
        if candidate[key] == name:
            return candidate
    raise jobs.Failure(f"no {key} {name!r} in {[candidate[key] for candidate in rows]}")


def expect(found, expected, what):
    if found != expected:
        raise jobs.Failure(f"{what}: {found}, expected {expected}")


def expect_between(value, low, high, what):
    if not low <= value <= high:
        raise jobs.Failure(f"{what}: {value}, expected {low} to {high}")


def expect_words(words, text, what):
    if words not in text:
        raise jobs.Failure(f"{what} does not say {words!r}: {text!r}")
