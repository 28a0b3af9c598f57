"""What the keys of the JSON documents are: type, unit and meaning of each.

The files report_fields.tsv, diff_fields.tsv and scale_fields.tsv beside this one are made from the
profiler's own tables of fields (contributing.md, "Adding a field of a document"), from which the
pages that document the JSON are made, too. So a fact of a key stands once. And how a record of
records.py is made of an object.
"""

from __future__ import annotations

import dataclasses
import functools
import pathlib
from dataclasses import dataclass
from typing import Any, ClassVar, Dict, Iterable, Iterator, List, Mapping, Type, TypeVar

R = TypeVar("R", bound="Record")


@dataclass(frozen=True)
class Field:
    """A key of a JSON document, such as `ranks[].wait_s`."""

    key: str
    type: str  # int, float, bool, text, object, "list of ...", "numbers by name", "texts by name"
    has_null: bool  # it is null where it was not measured
    unit: str  # "" = none
    meaning: str

    @property
    def is_cell(self) -> bool:
        """A single value, which has room in a cell of a table."""
        return self.type in ("int", "float", "bool", "text")


Shapes = Dict[str, List[Field]]  # what `time_s` and all other changes have in them


def _field(line: str) -> Field:
    key, kind, null, unit, meaning = line.split("\t")
    return Field(key, kind, null == "null", unit, meaning)


def _with_parts(fields: Iterable[Field], shapes: Shapes) -> Iterator[Field]:
    """Each field, and behind it those of its shape. A number without a unit has its struct's."""
    for field in fields:
        yield field
        parts = (Field(f"{field.key}.{part.key}", part.type, part.has_null or field.has_null,
                       part.unit or (field.unit if part.type in ("int", "float") else ""),
                       part.meaning) for part in shapes.get(field.type, ()))
        yield from _with_parts(parts, shapes)


@functools.lru_cache(maxsize=None)
def all_fields(document: str = "report") -> Dict[str, Field]:
    """The fields by key, in the order of the document: report, diff, scale."""
    path = pathlib.Path(__file__).with_name(f"{document}_fields.tsv")
    lines = path.read_text(encoding="utf-8").splitlines()
    fields: List[Field] = []
    shapes: Shapes = {}
    for line in lines:
        if line.startswith("#"):
            continue
        field = _field(line)
        shape, mark, part = field.key.rpartition("::")
        if mark:
            shapes.setdefault(shape, []).append(dataclasses.replace(field, key=part))
        else:
            fields.append(field)
    return {field.key: field for field in _with_parts(fields, shapes)}


@dataclass(frozen=True)
class Record:
    """An object of the report. `KEYS` are attributes that are called otherwise than their key."""

    KEYS: ClassVar[Dict[str, str]] = {}
    PARTS: ClassVar[Dict[str, Type[Record]]] = {}

    @classmethod
    def of(cls: Type[R], data: Mapping[str, Any]) -> R:
        """The record of a JSON object. A key that is missing is None."""
        values = {}
        for field in dataclasses.fields(cls):
            value = data.get(cls.KEYS.get(field.name, field.name))
            part = cls.PARTS.get(field.name)
            if part is not None and isinstance(value, list):
                value = [part.of(row) for row in value]
            elif part is not None and value is not None:
                value = part.of(value)
            values[field.name] = value
        return cls(**values)
