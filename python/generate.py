#!/usr/bin/env python3
"""Writes what follows from the table of tables (mpiprof/tables.py) and the keys of the report:

    mpiprof/records.py         a class per object of the report: Run, Totals, Verdict ...
    mpiprof/report_tables.py   a property of Report per table, with its columns
    .../howto/python.md        the list of tables, between "<!-- tables -->" and "<!-- end -->"
    .../howto/export.md        the columns of runs, between "<!-- runs -->" and "<!-- end -->"

usage: generate.py [--check]

With --check nothing is written: it says which file is out of date, and fails then. A test calls it
so; the target regenerate_report_document calls it without.
"""

import pathlib
import re
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from mpiprof.fields import all_fields  # noqa: E402
from mpiprof.runs import run_columns  # noqa: E402
from mpiprof.tables import TABLES, Column  # noqa: E402

RECORDS = {
    "run": "Run", "totals": "Totals", "time": "TimeLine", "openmp": "OpenMP",
    "standing": "Standing", "quality": "Quality", "verdict": "Verdict",
    "verdict.next[]": "NextStep", "verdict.cards[]": "Card", "verdict.rules[]": "VerdictRule",
    "verdict.step_rules[]": "StepRule", "quality.missing_ranks[]": "Range",
    "quality.missing_worlds[]": "Range", "quality.damaged_files[]": "FileProblem",
    "quality.left_out_files[]": "FileProblem", "quality.other_partners": "Messages",
    "quality.outside_world": "Messages", "quality.checks[]": "Check",
    "standing.rows[]": "StandingRow", "standing.rows[].where[]": "Range",
    "standing.stacks[]": "ThreadStack", "standing.stacks[].frames[]": "StackFrame",
}
MEANINGS = {
    "Messages": "Messages that are not in the matrix.", "Range": "From one number to another one.",
    "FileProblem": "A file that could not be read, or was left out.",
    "NextStep": "A step to try.", "Card": "A card of the page.", "Check": "A judgement.",
    "VerdictRule": "A class of the verdict, and whether it matches.",
    "StepRule": "A rule for next steps.", "StandingRow": "A place where ranks stand.",
    "ThreadStack": "A thread of a rank that is not in MPI.",
    "StackFrame": "A function on the stack of a thread.",
}
# Long lists that are tables of the Report.
ONLY_TABLES = {"time.bins", "time.ranks", "time.details"}
TYPES = {"int": "int", "float": "float", "bool": "bool", "text": "str",
         "texts by name": "Dict[str, str]"}


def words(column):
    """A line on a column: name, type, unit, meaning."""
    kind = column.dtype if isinstance(column, Column) else column.type
    unit = f", {column.unit}" if column.unit else ""
    null = ", may be unknown" if column.has_null else ""
    return f"{column.name}: {kind}{unit}{null}. {column.meaning}"


def plain(text):
    """Of Markdown the words, which a docstring can carry."""
    return re.sub(r"\[(.*?)\]\(.*?\)", r"\1", text).replace("`", "").replace("\\", "\\\\")


def wrapped(text, indent):
    return textwrap.fill(plain(text), 96, initial_indent=" " * indent,
                         subsequent_indent=" " * (indent + 4), break_long_words=False,
                         break_on_hyphens=False)


def attribute_type(field):
    record = RECORDS.get(field.key) or RECORDS.get(field.key + "[]")
    if record is not None:
        return record if field.type == "object" else f"List[{record}]"
    if field.type.startswith("list of "):
        return f"List[{TYPES[field.type[len('list of '):]]}]"
    known = TYPES[field.type]
    return f"Optional[{known}]" if field.has_null else known


def fields_of(path):
    start = path + "."
    return [field for key, field in all_fields().items()
            if key.startswith(start) and not re.search(r"[.\[]", key[len(start):])
            and key not in ONLY_TABLES]


def record_class(path, name):
    meaning = MEANINGS.get(name) or all_fields()[path].meaning.capitalize() + "."
    lines = ["", "", "@dataclass(frozen=True)", f"class {name}(Record):",
             f'    """{plain(meaning)}', ""]
    attributes, renamed, nested = [], [], []
    for field in fields_of(path):
        key = field.key[len(path) + 1:]
        attribute = key + "_" if key == "class" else key
        unit = f" [{field.unit}]" if field.unit else ""
        lines.append(wrapped(f"{attribute}{unit}: {field.meaning}", 4))
        attributes.append(f"    {attribute}: {attribute_type(field)}")
        if attribute != key:
            renamed.append(f'"{attribute}": "{key}"')
        record = RECORDS.get(field.key) or RECORDS.get(field.key + "[]")
        if record is not None:
            nested.append(f'"{attribute}": {record}')
    lines += ['    """', "", *attributes]
    if renamed:
        lines += ["", f"    KEYS: ClassVar[Dict[str, str]] = {{{', '.join(renamed)}}}"]
    if nested:
        lines += ["" if not renamed else None, "    PARTS: ClassVar[Dict[str, Type[Record]]] = {",
                  *(f"        {part}," for part in nested), "    }"]
    return "\n".join(line for line in lines if line is not None)


def records_module():
    head = '''"""The objects of the report, typed. Made by generate.py from the table of its fields.

The unit of an attribute stands in brackets. None = not measured or not known, never 0. Of a report
that an older mprof saved, a key that did not exist yet is None, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Dict, List, Optional, Type

from .fields import Record
'''
    parts, done = [], set()
    # Those that others have in them come first.
    for path, name in reversed(list(RECORDS.items())):
        if name not in done:
            parts.append(record_class(path, name))
            done.add(name)
    return head + "\n".join(parts) + "\n"


def table_property(table):
    lines = ["", "    @property", f"    def {table.name}(self) -> pandas.DataFrame:",
             wrapped(f'"""{table.shape[0].upper()}{table.shape[1:]}.', 8), ""]
    lines += [wrapped(words(column), 8) for column in table.columns]
    lines += ['        """', f'        return self.table("{table.name}")']
    return "\n".join(lines)


def tables_module():
    head = '''"""A property of Report per table. Made by generate.py from tables.py.

Each gives a new pandas.DataFrame. The type of a column stands behind its name, then its unit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas


class ReportTables(ABC):
    """The tables of a report as attributes: `report.ranks` is `report.table("ranks")`."""

    @abstractmethod
    def table(self, name: str) -> pandas.DataFrame:
        """The table of that name."""
'''
    return head + "\n".join(table_property(table) for table in TABLES if not table.is_record) + "\n"


def document_rows():
    rows = ["| table | in the JSON | shape | columns |", "|---|---|---|---|"]
    for table in TABLES:
        if table.is_record:
            continue
        columns = ", ".join(f"`{c.name}`" + (f" ({c.unit})" if c.unit else "")
                            for c in table.columns)
        rows.append(f"| `{table.name}` | `{table.path or 'all lists of texts'}` | "
                    f"{table.shape} | {columns} |")
    return "\n".join(rows) + "\n"


def run_rows():
    kinds = {"int": "number", "float": "number", "bool": "bool", "text": "text"}
    rows = ["| column | type | unit | meaning |", "|---|---|---|---|"]
    for column in run_columns():
        kind = kinds[column.type] + (" or null" if column.has_null else "")
        rows.append(f"| `{column.name}` | {kind} | {column.unit} | {column.meaning} |"
                    .replace("|  |", "| |"))
    return "\n".join(rows) + "\n"


def with_block(path, mark, block):
    """The document with that block."""
    return re.sub(rf"(<!-- {mark} -->\n).*?(<!-- end -->)",
                  lambda match: match[1] + block + match[2], path.read_text(encoding="utf-8"),
                  flags=re.S)


def main():
    documents = HERE.parent / "share/doc"
    python, export = documents / "howto/python.md", documents / "howto/export.md"
    wanted = {HERE / "mpiprof/records.py": records_module(),
              HERE / "mpiprof/report_tables.py": tables_module(),
              python: with_block(python, "tables", document_rows()),
              export: with_block(export, "runs", run_rows())}
    status = 0
    for path, text in wanted.items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if "--check" in sys.argv:
            print(f"{path} is out of date. To write it anew: python3 python/generate.py")
            status = 1
        else:
            path.write_text(text, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
