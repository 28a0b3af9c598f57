"""What the records in records.py have in common: how a record is made from a JSON object."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, Dict, Mapping, Type, TypeVar

R = TypeVar("R", bound="Record")


@dataclasses.dataclass(frozen=True)
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
