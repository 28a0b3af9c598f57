"""What the keys of the JSON report are: type, unit and meaning of each.

The file report_fields.tsv beside this one is made from the profiler's own table of fields
(contributing.md, "Adding a report field"), from which share/doc/report-json.md is made, too. So a
fact of a key stands once.
"""

from __future__ import annotations

import functools
import pathlib
from dataclasses import dataclass
from typing import Dict


@dataclass(frozen=True)
class Field:
    """A key of the JSON report, such as `ranks[].wait_s`."""

    key: str
    type: str  # int, float, bool, text, object, "list of ...", "numbers by name", "texts by name"
    has_null: bool  # it is null where it was not measured
    unit: str  # "" = none
    meaning: str

    @property
    def is_cell(self) -> bool:
        """A single value, which has room in a cell of a table."""
        return self.type in ("int", "float", "bool", "text")


def _field(line: str) -> Field:
    key, kind, null, unit, meaning = line.split("\t")
    return Field(key, kind, null == "null", unit, meaning)


@functools.lru_cache(maxsize=None)
def all_fields() -> Dict[str, Field]:
    """The fields by key, in the order of the document."""
    path = pathlib.Path(__file__).with_name("report_fields.tsv")
    lines = path.read_text(encoding="utf-8").splitlines()
    fields = [_field(line) for line in lines if not line.startswith("#")]
    return {field.key: field for field in fields}
