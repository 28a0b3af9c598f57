#!/usr/bin/env python3
"""The table of share/doc/evidence/harmless.md, from the results of run_case.py.

    make_table.py RESULTS_FOLDER --doc FILE [--write]

Compares the table with this run, or writes it. A cell that was skipped, not run, or that failed
keeps what the document says: a case that fails is red by itself, and may pass when it is tried
again. Exit status 1 if the document differs.
"""

import argparse
import json
import os
import sys

sys.dont_write_bytecode = True
import case as cases  # noqa: E402

sys.path.insert(1, os.path.join(cases.HERE, os.pardir, "languages"))
import builds  # noqa: E402

COLUMNS = ["what is tried", "case", "holds on", "not applicable", "fails without"]
BEGIN, END = "<!-- harmless: begin", "<!-- harmless: end -->"


def read_document(path):
    """(text before the table, {case: (titles where it holds, titles where it is not applicable)},
    text after it)"""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    begin = text.index("\n", text.index(BEGIN)) + 1
    end = text.index(END)
    known = {}
    for line in text[begin:end].splitlines()[2:]:
        words = [word.strip() for word in line.strip().strip("|").split("|")]
        known[words[1].strip("`")] = [set(filter(None, words[column].split(", ")))
                                      for column in (2, 3)]
    return text[:begin], known, text[end:]


def result_of(folder, case, build):
    path = os.path.join(folder, f"{case.name}.{build}.json")
    if not os.path.exists(path):
        return "skipped"
    with open(path, encoding="utf-8") as file:
        return json.load(file)["state"]


def row_of(case, folder, known):
    """The row's words."""
    holds, not_applicable = [], []
    before = known.get(case.name, (set(), set()))
    for name in case.builds:
        title = builds.BUILDS[name].title.replace(", ", " ")
        state = result_of(folder, case, name)
        is_unknown = state in ("skipped", "FAILED")
        if state == "holds" or (is_unknown and title in before[0]):
            holds.append(title)
        elif state == "n/a" or (is_unknown and title in before[1]):
            not_applicable.append(title)
    return [case.tries, f"`{case.name}`", ", ".join(holds), ", ".join(not_applicable),
            "; ".join(fix.what for fix in case.take_outs)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results")
    parser.add_argument("--doc", required=True, help="share/doc/evidence/harmless.md")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    before, known, after = read_document(arguments.doc)
    lines = ["| " + " | ".join(COLUMNS) + " |", "| --- " * len(COLUMNS) + "|"]
    for case in cases.load().values():
        lines.append("| " + " | ".join(row_of(case, arguments.results, known)) + " |")
    text = before + "\n".join(lines) + "\n" + after
    if arguments.write:
        with open(arguments.doc, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    with open(arguments.doc, encoding="utf-8") as file:
        stale = file.read() != text
    if stale:
        print(
            f"{arguments.doc} says something else than this run; make_table.py --write writes it:")
        print("\n".join(lines))
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
