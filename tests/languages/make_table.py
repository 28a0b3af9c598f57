#!/usr/bin/env python3
"""Prints the results of run_cell.py as a table in Markdown.

    make_table.py RESULTS_FOLDER [--output FILE] [--readme FILE]

A cell says `exact`, `n/a` or `skipped` with a reason, or **WRONG**. It is empty if it was not run.
The readme has the table between its two comments "languages: begin" and "languages: end". Exit
status 1 if a cell is wrong, or if the readme's table says something else of a cell than this run.
Cells that were skipped or not run say nothing.
"""

import argparse
import json
import os
import sys

sys.dont_write_bytecode = True
import builds  # noqa: E402


def read(folder):
    results = {}
    for build, language in builds.cells():
        path = os.path.join(folder, f"{build}.{language}.json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                results[build, language] = json.load(file)
    return results


class Reasons:
    """Numbers for the reasons, one number for each text."""

    def __init__(self):
        self.texts = []

    def number(self, text):
        text = text.strip().splitlines()[0].rstrip(":") if text.strip() else ""
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text) + 1

    def lines(self):
        return [f"{number}. {text}" for number, text in enumerate(self.texts, 1)]


def cell(result, reasons):
    if result is None:
        return ""
    state = result["state"]
    if state == "exact":
        return state
    if state == "WRONG":  # how, the test's own output says
        return "**WRONG**"
    return f"{state} ({reasons.number(result['detail'])})"


def row(words):
    return "| " + " | ".join(words) + " |"


def table(results, names, languages, reasons):
    lines = [row(["MPI"] + list(languages.values())), row(["---"] * (len(languages) + 1))]
    for name in names:
        lines.append(row([builds.BUILDS[name].title] +
                         [cell(results.get((name, language)), reasons) for language in languages]))
    return lines


def readme_cells(path):
    """(title, language's title) -> first word of the cell, of the table in the readme."""
    with open(path, encoding="utf-8") as file:
        block = file.read().split("<!-- languages: begin")[1].split("<!-- languages: end")[0]
    rows = [[word.strip() for word in line.strip("|").split("|")] for line in block.splitlines()
            if line.startswith("|") and "---" not in line]
    return {(row[0], language): cell_text.split()[0] for row in rows[1:]
            for language, cell_text in zip(rows[0][1:], row[1:])}


def stale_cells(path, results):
    promised = readme_cells(path)
    for (build, language), result in results.items():
        if language not in builds.LANGUAGES or result["state"] == "skipped":
            continue
        key = (builds.BUILDS[build].title, builds.LANGUAGES[language])
        if promised.get(key) != result["state"]:
            yield (f"{path}: {key[0]}, {key[1]}: says {promised.get(key)}, "
                   f"this run {result['state']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results")
    parser.add_argument("--output", help="also into this file")
    parser.add_argument("--readme", help="compare with the table in this file")
    arguments = parser.parse_args()
    results, reasons = read(arguments.results), Reasons()
    lines = table(results, builds.BUILDS, builds.LANGUAGES, reasons)
    lines += [""] + table(results, builds.BUILDS, builds.VARIANTS, reasons)
    if reasons.texts:
        lines += [""] + reasons.lines()
    text = "\n".join(lines) + "\n"
    sys.stdout.write(text)
    if arguments.output:
        with open(arguments.output, "w", encoding="utf-8") as file:
            file.write(text)
    stale = list(stale_cells(arguments.readme, results)) if arguments.readme else []
    for line in stale:
        print(line)
    return 1 if stale or any(result["state"] == "WRONG" for result in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
