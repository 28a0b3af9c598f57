"""What mprof diff and mprof scale say, as records and tables.

Their keys are those of diff-json.md and scale.md. A change of a figure, such as `time_s`,
takes several columns: `time_s_a` and `time_s_b` are the means of both sides, `time_s_difference`,
`time_s_noise`, `time_s_outcome` and so on the rest of it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import (TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple,
                    Type, TypeVar, Union)

from . import frames
from .fields import Field, all_fields
from .program import Document, MprofError, PathLike, json_of, path_word, read_json
from .tables import Column, Row

if TYPE_CHECKING:
    import pandas

Paths = Union[PathLike, Sequence[PathLike]]


def _fields_of(document: str, name: str) -> Dict[str, Field]:
    """The cells of a row of a list, by key: `time_s.a` for the key `a` of an object in it."""
    start = name + "[]."
    return {key[len(start):]: field for key, field in all_fields(document).items()
            if key.startswith(start) and "[]" not in key[len(start):] and field.is_cell}


def _columns(document: str, name: str) -> Tuple[Column, ...]:
    return tuple(Column(key.replace(".", "_"), field.type, field.has_null, field.unit,
                        field.meaning)
                 for key, field in _fields_of(document, name).items())


def _value(row: Mapping[str, Any], key: str) -> Any:
    found: Any = row
    for part in key.split("."):
        found = None if found is None else found.get(part)
    return found


A = TypeVar("A", bound="_Answer")


class _Answer:
    """What both have in common: a document with lists that are tables."""

    TABLES: Tuple[str, ...] = ()
    COMMAND = ""
    KEY = ""  # that a document of this command has

    def __init__(self, document: Document, said: str = "") -> None:
        if self.KEY not in document:
            raise MprofError(f"this JSON was not written by mprof {self.COMMAND}")
        self.document = document
        self.said = said

    @classmethod
    def open(cls: Type[A], path: PathLike) -> A:
        """A saved document of this command's --json."""
        document = read_json(path)
        if document is None:
            raise MprofError(f"{os.fspath(path)} is not JSON of mprof {cls.COMMAND}")
        return cls(document)

    @classmethod
    def table_names(cls) -> Tuple[str, ...]:
        """The names of all tables."""
        return cls.TABLES

    @classmethod
    def columns(cls, name: str) -> Tuple[Column, ...]:
        """The columns of a table, with type and unit."""
        if name not in cls.TABLES:
            raise MprofError(f"mprof {cls.COMMAND} has no table {name}; it has "
                             + ", ".join(cls.TABLES))
        return _columns(cls.COMMAND, name)

    def table(self, name: str) -> pandas.DataFrame:
        """A table as pandas.DataFrame, by its name."""
        return frames.data_frame(self.columns(name), self._rows(name), name)

    def arrow(self, name: str) -> Any:
        """The same as pyarrow.Table."""
        return frames.arrow_table(self.columns(name), self._rows(name))

    def rows(self, name: str) -> List[Dict[str, Any]]:
        """The same as a list of dicts, for which no package is needed."""
        names = [column.name for column in self.columns(name)]
        return [dict(zip(names, row)) for row in self._rows(name)]

    def _rows(self, name: str) -> Iterator[Row]:
        keys = list(_fields_of(self.COMMAND, name))
        for row in self.document.get(name) or []:
            yield tuple(_value(row, key) for key in keys)


@dataclass(frozen=True)
class Change:
    """A figure on both sides. `noise`: a difference up to this may be chance."""

    a: float
    b: float
    difference: float
    difference_percent: Optional[float]
    noise: float
    outcome: str  # more, less, same
    a_min: float
    a_max: float
    b_min: float
    b_max: float


class Comparison(_Answer):
    """What mprof diff says of two sides, A and B. All times of rows are per rank."""

    TABLES = ("totals", "accounts", "segments", "callsites", "functions", "sizes", "regions",
              "phases", "ranks")
    COMMAND = "diff"
    KEY = "answer"

    @property
    def headline(self) -> str:
        """The answer and its cause, in a sentence."""
        return str(self.document["answer"]["headline"])

    @property
    def why(self) -> str:
        """Where the time went, in sentences."""
        return str(self.document["answer"]["why"])

    @property
    def noise(self) -> str:
        """How sure the answer is, in sentences."""
        return str(self.document["answer"]["noise"])

    @property
    def remarks(self) -> List[str]:
        """What makes the comparison less sure."""
        return list(self.document["answer"]["remarks"])

    @property
    def outcome(self) -> str:
        """Of the wallclock: more, less or same."""
        return str(self.document["answer"]["outcome"])

    @property
    def state(self) -> Optional[str]:
        """How good the answer is: good, watch, problem; None: an older mprof wrote it."""
        found: Optional[str] = self.document["answer"].get("state")
        return found

    @property
    def wallclock_s(self) -> Change:
        """Seconds of the slowest rank on both sides."""
        return Change(**self.document["answer"]["wallclock_s"])

    @property
    def cause(self) -> Optional[Dict[str, Any]]:
        """The row that the headline names; None if it names none."""
        found = self.document["answer"]["cause"]
        return None if found is None else self.rows(found["list"])[found["index"]]

    @property
    def totals(self) -> pandas.DataFrame:
        """A row per figure of the run."""
        return self.table("totals")

    @property
    def accounts(self) -> pandas.DataFrame:
        """A row per cause of lost time; `time_s` is what a run would save without it."""
        return self.table("accounts")

    @property
    def segments(self) -> pandas.DataFrame:
        """A row per part of computing between two calls: the largest changes come first."""
        return self.table("segments")

    @property
    def callsites(self) -> pandas.DataFrame:
        """A row per MPI function and place."""
        return self.table("callsites")

    @property
    def functions(self) -> pandas.DataFrame:
        """A row per MPI function."""
        return self.table("functions")

    @property
    def sizes(self) -> pandas.DataFrame:
        """A row per function and range of message sizes."""
        return self.table("sizes")

    @property
    def regions(self) -> pandas.DataFrame:
        """A row per region that the program names."""
        return self.table("regions")

    @property
    def phases(self) -> pandas.DataFrame:
        """A row per part of the run that looks different."""
        return self.table("phases")

    @property
    def ranks(self) -> pandas.DataFrame:
        """A row per rank, if both sides have the same number; `time_s` is its compute time."""
        return self.table("ranks")

    def __repr__(self) -> str:
        return f"<mpiprof.Comparison: {self.headline}>"

    def _repr_html_(self) -> str:
        from .show import comparison_html
        return comparison_html(self)


class Scaling(_Answer):
    """What mprof scale says of runs with different numbers of ranks."""

    TABLES = ("runs", "sizes", "laws", "segments")
    COMMAND = "scale"
    KEY = "scaling"

    @property
    def program(self) -> Optional[str]:
        """The program's name."""
        found: Optional[str] = self.document["program"]
        return found

    @property
    def state(self) -> Optional[str]:
        """How good the answer is: good, watch, problem; None: an older mprof wrote it."""
        found: Optional[str] = self.document.get("state")
        return found

    @property
    def kind(self) -> str:
        """strong: the problem stays the same; weak: it grows with the ranks."""
        return str(self.document["scaling"])

    @property
    def headline(self) -> str:
        """The answer in a few words."""
        return str(self.document["headline"])

    @property
    def sentence(self) -> str:
        """What stops it, in a sentence."""
        return str(self.document["sentence"])

    @property
    def why(self) -> str:
        """What that is based on."""
        return str(self.document["why"])

    @property
    def remarks(self) -> List[str]:
        """What else is to be known."""
        return list(self.document["remarks"])

    @property
    def recommended_ranks(self) -> Optional[int]:
        """The largest size before the first below 80 %; None: there is none."""
        found: Optional[int] = self.document["recommended_ranks"]
        return found

    @property
    def stops_at_ranks(self) -> Optional[int]:
        """The first size below 80 %; None: there is none."""
        found: Optional[int] = self.document["stops_at_ranks"]
        return found

    @property
    def runs(self) -> pandas.DataFrame:
        """A row per run, by ranks."""
        return self.table("runs")

    @property
    def sizes(self) -> pandas.DataFrame:
        """A row per number of ranks: wallclock, speed-up, efficiency, core hours."""
        return self.table("sizes")

    @property
    def laws(self) -> pandas.DataFrame:
        """A row per call line, function and phase: how its time grows. See also `series()`."""
        return self.table("laws")

    @property
    def segments(self) -> pandas.DataFrame:
        """The same of computing between two calls."""
        return self.table("segments")

    @property
    def accounts(self) -> pandas.DataFrame:
        """A row per cause of lost time and number of ranks: what a run would take less."""
        columns = (*_columns("scale", "accounts"), *_columns("scale", "sizes")[:1],
                   Column("gain_s", "float", True, "s", "how much a run would save without it"))
        return frames.data_frame(columns, self._account_rows(), "what each cause costs")

    @property
    def factors(self) -> pandas.DataFrame:
        """A row per factor and number of ranks; `value` 1: nothing is lost."""
        columns = (*_columns("scale", "factors"), *_columns("scale", "sizes")[:1],
                   Column("value", "float", True, "", "1: nothing is lost"))
        return frames.data_frame(columns, self._factor_rows(), "factors of the efficiency")

    def series(self, name: str = "laws") -> pandas.DataFrame:
        """What the rows of `laws` or `segments` took at each size, in seconds per rank.

        `row` is the row of that table, from 0; `time_s` the average rank's time.
        """
        columns = (Column("row", "int", False, "", "the row of the table, from 0"),
                   *_columns("scale", name)[:1], *_columns("scale", "sizes")[:1],
                   Column("time_s", "float", True, "s", "of the average rank"),
                   Column("wait_s", "float", True, "s", "waiting in it"))
        return frames.data_frame(columns, self._series_rows(name), "time by number of ranks")

    def _sizes(self) -> List[int]:
        return [row["ranks"] for row in self.document["sizes"]]

    def _account_rows(self) -> Iterator[Row]:
        for row in self.document["accounts"]:
            for ranks, gain_s in zip(self._sizes(), row["gain_s"]):
                yield (row["kind"], ranks, gain_s)

    def _factor_rows(self) -> Iterator[Row]:
        for row in self.document["factors"]:
            for ranks, value in zip(self._sizes(), row["values"]):
                yield (row["factor"], row["is_product"], row["estimated"], ranks, value)

    def _series_rows(self, name: str) -> Iterator[Row]:
        for number, row in enumerate(self.document[name]):
            for ranks, time_s, wait_s in zip(self._sizes(), row["time_s"], row["wait_s"]):
                yield (number, row["what"], ranks, time_s, wait_s)

    def __repr__(self) -> str:
        return f"<mpiprof.Scaling of {self.program}: {self.headline}>"

    def _repr_html_(self) -> str:
        from .show import scaling_html
        return scaling_html(self)


def _side(paths: Paths) -> str:
    names = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    return ",".join(map(path_word, names))


def diff(a: Paths, b: Paths, options: Sequence[str] = ()) -> Comparison:
    """What changed between two runs, or between several runs on each side (mprof diff).

    `a` and `b` are profiles, or lists of them. `options` are further options of mprof diff.
    """
    document, said = json_of(["diff", _side(a), _side(b), *options], good=(0, 1, 3, 4))
    return Comparison(document, said)


def scale(runs: Sequence[PathLike], options: Sequence[str] = ()) -> Scaling:
    """How a program scales, and what stops it (mprof scale). `runs` are profiles of at least two
    numbers of ranks. `options` are further options, such as --weak."""
    document, said = json_of(["scale", *map(path_word, runs), *options])
    return Scaling(document, said)
