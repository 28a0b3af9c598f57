#!/usr/bin/env python3
"""The texts made from the tables of fields (parser/report/field.h) are as these fields are now: the
tables of the pages that document JSON, the types of the pages' data, report_types.d.ts, and what
the Python module knows of the keys, *_fields.tsv.

usage: report_document.py PRINT_FIELDS SOURCE [--write]

In a page a table stands between "<!-- fields of KEY -->" and "<!-- end of fields -->". Without
--write this says what differs, and fails if anything does.
"""

import difflib
import functools
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"(<!-- fields of (\w+) -->\n)(.*?)(<!-- end of fields -->)", re.DOTALL)
PAGES = {"report": "reference/report-json.md", "diff": "reference/diff-json.md",
         **{name: f"howto/{name}.md" for name in
            ("scale", "place", "tune", "machine", "results", "list", "archive")}}
OF_PYTHON = ("report", "diff", "scale")


def printed(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout


def printed_tables(program, document):
    parts = re.split(r"^@(\w+)\n", printed(program, "tables", document), flags=re.MULTILINE)
    # Cells that are empty are a space wide.
    return {key: re.sub(r"\|  +(?=\|)", "| ", table)
            for key, table in zip(parts[1::2], parts[2::2])}


def with_tables(page, tables, text):
    """The page's text with the tables as they must be; None if a table has no place, or a place no
    table."""
    found = {match[2] for match in BLOCK.finditer(text)}
    for key in sorted(tables.keys() - found):
        print(f"{page} has no place for the table of {key}. It wants these lines:\n"
              f"<!-- fields of {key} -->\n<!-- end of fields -->")
    for key in sorted(found - tables.keys()):
        print(f"{page} has a place for a table of {key}, which the document does not have")
    if found != tables.keys():
        return None
    return BLOCK.sub(lambda match: match[1] + tables[match[2]] + match[4], text)


def wanted_texts(program, source):
    """What each file's text must be, made from the text that it has."""
    for document, page in PAGES.items():
        page = source / "share/doc" / page
        yield page, functools.partial(with_tables, page, printed_tables(program, document))
    for document in OF_PYTHON:
        fields = printed(program, "fields", document)
        yield source / f"python/mpiprof/{document}_fields.tsv", lambda _, fields=fields: fields
    types = source / "parser/render/html/page/report_types.d.ts"
    yield types, lambda _: printed(program, "types")


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    status = 0
    for file, wanted in wanted_texts(program, source):
        old = file.read_text(encoding="utf-8") if file.exists() else ""
        new = wanted(old)
        if new is None:
            status = 1
        elif "--write" in sys.argv:
            file.write_text(new, encoding="utf-8")
        elif new != old:
            sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True),
                                                       str(file), "the fields"))
            print("To write it anew: cmake --build build --target regenerate_report_document")
            status = 1
    sys.exit(status)


if __name__ == "__main__":
    main()
