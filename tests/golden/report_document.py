#!/usr/bin/env python3
"""The texts made from the Report's fields (parser/report/) are as these fields are now: the tables
of share/doc/report-json.md, the types of the page's data,
parser/render/html/page/report_types.d.ts, and what the Python module knows of the keys,
python/mpiprof/report_fields.tsv.

usage: report_document.py PRINT_FIELDS PAGE.md TYPES.d.ts FIELDS.tsv [--write]

In the page a table stands between "<!-- fields of KEY -->" and "<!-- end of fields -->". Without
--write this says what differs, and fails if anything does.
"""

import difflib
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"(<!-- fields of (\w+) -->\n)(.*?)(<!-- end of fields -->)", re.DOTALL)


def printed(program, what):
    return subprocess.run([program, what], capture_output=True, text=True, check=True).stdout


def printed_tables(program):
    parts = re.split(r"^@(\w+)\n", printed(program, "tables"), flags=re.MULTILINE)
    # Cells that are empty are a space wide.
    return {key: re.sub(r"\|  +(?=\|)", "| ", table)
            for key, table in zip(parts[1::2], parts[2::2])}


def with_tables(page, text, tables):
    """The page's text with the tables as they must be; None if a table has no place, or a place no
    table."""
    found = {match[2] for match in BLOCK.finditer(text)}
    for key in sorted(tables.keys() - found):
        print(f"{page} has no place for the table of {key}. It wants these lines:\n"
              f"<!-- fields of {key} -->\n<!-- end of fields -->")
    for key in sorted(found - tables.keys()):
        print(f"{page} has a place for a table of {key}, which the Report does not have")
    if found != tables.keys():
        return None
    return BLOCK.sub(lambda match: match[1] + tables[match[2]] + match[4], text)


def main():
    program, page, types, fields = sys.argv[1:5]
    status = 0
    for path, wanted in ((page, lambda text: with_tables(page, text, printed_tables(program))),
                         (types, lambda _: printed(program, "types")),
                         (fields, lambda _: printed(program, "fields"))):
        file = pathlib.Path(path)
        old = file.read_text(encoding="utf-8") if file.exists() else ""
        new = wanted(old)
        if new is None:
            status = 1
        elif "--write" in sys.argv:
            file.write_text(new, encoding="utf-8")
        elif new != old:
            sys.stdout.writelines(difflib.unified_diff(old.splitlines(True),
                                                       new.splitlines(True), path, "the fields"))
            print("To write it anew: cmake --build build --target regenerate_report_document")
            status = 1
    sys.exit(status)


if __name__ == "__main__":
    main()
