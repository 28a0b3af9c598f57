"""What mprof diff and mprof scale say, as records and tables.

Their keys are those of share/doc/diff-json.md and scale.md. A change of a figure, such as `time_s`,
takes several columns: `time_s_a` and `time_s_b` are the means of both sides, `time_s_difference`,
`time_s_noise`, `time_s_outcome` and so on the rest of it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import (TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple,
                    Type, TypeVar, Union)

from . import frames
from .errors import MprofError
from .program import Document, PathLike, json_of, path_word, read_json
from .tables import Column, Row

if TYPE_CHECKING:
    import pandas

Paths = Union[PathLike, Sequence[PathLike]]


# Of a key of a row: what it is made of. `key:kind`, with `?` if it may be unknown.
_PARTS: Dict[str, str] = {
    "change": "a:float b:float difference:float difference_percent:float? noise:float "
              "outcome:text a_min:float a_max:float b_min:float b_max:float",
    "side": "place:text? file:text? line:int? symbol:text? module:text? offset:text?",
    "place": "function:text? match:text a:side? b:side?",
    "range": "value:float low:float high:float",
}
_COMMON = ("name:text outcome:text in_a:bool in_b:bool time_s:change wait_s:change? "
           "slowest_s:change? a_calls:float b_calls:float a_bytes:float b_bytes:float")
_DIFF: Dict[str, str] = {
    "totals": "name:text measure:text more_is_better:bool change:change",
    "segments": f"{_COMMON} from:place to:place fastest_s:change contention_s:change "
                "blocked_s:change ranks:text cause_s:float",
    "callsites": f"{_COMMON} site:place",
    "functions": f"{_COMMON} function:text",
    "sizes": f"{_COMMON} function:text low_bytes:int? high_bytes:int?",
    "regions": f"{_COMMON} region:text compute_s:change mpi_s:change",
    "phases": f"{_COMMON} mpi_percent:change a_place:text? b_place:text?",
    "ranks": f"{_COMMON} rank:int a_host:text? b_host:text? wallclock_s:change mpi_s:change",
}
_LAW = ("what:text kind:text function:text? place:text? symbol:text? file:text? line:int? "
        "law:text exponent:float? low:float? high:float? constant:float? factor:float? "
        "meaning:text? state:text projected_s:range? projected_share:float?")
_SCALE: Dict[str, str] = {
    "runs": "path:text ranks:int wallclock_s:float speedup:float efficiency:float complete:bool "
            "command:text? start:text? mpi_library:text?",
    "sizes": "ranks:int runs:int nodes:int wallclock_s:float noise_percent:float? "
             "core_hours:float speedup:float efficiency:float",
    "laws": _LAW,
    "segments": _LAW,
}
_UNITS = {"_s": "s", "_bytes": "bytes", "_percent": "%"}


def _unit(names: Sequence[str]) -> str:
    """By the end of the outermost name that has one, and nothing of words."""
    for name in names:
        for end, unit in _UNITS.items():
            if name.endswith(end):
                return unit
    return ""


def _columns(spec: str, before: Tuple[str, ...] = (), has_null: bool = False) -> Iterator[Column]:
    for word in spec.split():
        name, _, kind = word.partition(":")
        null = has_null or kind.endswith("?")
        names = (*before, name)
        part = _PARTS.get(kind.rstrip("?"))
        if part is not None:
            yield from _columns(part, names, null)
            continue
        unit = "%" if name == "difference_percent" else _unit(names)
        yield Column("_".join(names), kind.rstrip("?"), null,
                     "" if kind.startswith(("text", "bool")) else unit, "")


def _values(spec: str, row: Optional[Mapping[str, Any]]) -> Iterator[Any]:
    for word in spec.split():
        name, _, kind = word.partition(":")
        value = None if row is None else row.get(name)
        part = _PARTS.get(kind.rstrip("?"))
        if part is None:
            yield value
        else:
            yield from _values(part, value)


A = TypeVar("A", bound="_Answer")


class _Answer:
    """What both have in common: a document with lists that are tables."""

    SPECS: Dict[str, str] = {}
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
            raise MprofError(f"{os.fspath(path)} is no JSON of mprof {cls.COMMAND}")
        return cls(document)

    @classmethod
    def table_names(cls) -> Tuple[str, ...]:
        """The names of all tables."""
        return tuple(cls.SPECS)

    @classmethod
    def columns(cls, name: str) -> Tuple[Column, ...]:
        """The columns of a table, with type and unit."""
        if name not in cls.SPECS:
            raise MprofError(f"mprof {cls.COMMAND} has no table {name}; it has "
                             + ", ".join(cls.SPECS))
        return tuple(_columns(cls.SPECS[name]))

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
        for row in self.document.get(name) or []:
            yield tuple(_values(self.SPECS[name], row))


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

    SPECS = _DIFF
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

    SPECS = _SCALE
    COMMAND = "scale"
    KEY = "scaling"

    @property
    def program(self) -> Optional[str]:
        """The program's name."""
        found: Optional[str] = self.document["program"]
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
    def factors(self) -> pandas.DataFrame:
        """A row per factor and number of ranks; `value` 1: nothing is lost."""
        columns = tuple(_columns("factor:text is_product:bool estimated:bool ranks:int "
                                 "value:float?"))
        return frames.data_frame(columns, self._factor_rows(), "factors of the efficiency")

    def series(self, name: str = "laws") -> pandas.DataFrame:
        """What the rows of `laws` or `segments` took at each size, in seconds per rank.

        `row` is the row of that table, from 0; `time_s` the average rank's time.
        """
        columns = tuple(_columns("row:int what:text ranks:int time_s:float? wait_s:float?"))
        return frames.data_frame(columns, self._series_rows(name), "time by number of ranks")

    def _sizes(self) -> List[int]:
        return [row["ranks"] for row in self.document["sizes"]]

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
    document, said = json_of(["diff", _side(a), _side(b), *options], good=(0, 1, 3))
    return Comparison(document, said)


def scale(runs: Sequence[PathLike], options: Sequence[str] = ()) -> Scaling:
    """How a program scales, and what stops it (mprof scale). `runs` are profiles of at least two
    numbers of ranks. `options` are further options, such as --weak."""
    document, said = json_of(["scale", *map(path_word, runs), *options])
    return Scaling(document, said)
