"""The report of one run: its records, its tables, and how it shows in a notebook."""

from __future__ import annotations

import json
import os
from datetime import datetime
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple

from . import frames
from .program import Document, MprofError, PathLike, json_of, path_word, read_json
from .records import OpenMP, Quality, Run, Standing, TimeLine, Totals, Verdict
from .report_tables import ReportTables
from .show import seconds_text
from .tables import BY_NAME, TABLES, Table

if TYPE_CHECKING:
    import pandas

# What a document that is no report has instead.
_OTHERS = {"answer": "mprof diff: mpiprof.Comparison.open(path)",
           "scaling": "mprof scale: mpiprof.Scaling.open(path)"}


def report_arguments(path: str, world: Optional[int], options: Sequence[str]) -> List[str]:
    """The arguments of mprof for the report of a profile."""
    which = [] if world is None else ["--world", str(world)]
    return ["report", path_word(path), *which, *options]


class Report(ReportTables):
    """What mprof report says of one run.

    Objects of the report are attributes with typed attributes of their own (`report.verdict.why`),
    its lists are tables (`report.ranks`): see report_tables.py. `document` is the whole JSON, and
    `said` what mprof said while it read the profile: what is missing, for instance.
    """

    def __init__(self, document: Document, path: Optional[str] = None, said: str = "") -> None:
        if not isinstance(document.get("run"), dict) or "functions" not in document:
            names = [text for key, text in _OTHERS.items() if key in document]
            raise MprofError(f"{path or 'this JSON'} is not a report"
                             + (f", but of {names[0]}" if names else " of mprof"))
        self.document = document
        self.path = path
        self.said = said
        self._again: Optional[List[str]] = None  # how mprof is asked for the rows by rank

    @classmethod
    def open(cls, path: PathLike, world: Optional[int] = None,
             options: Sequence[str] = ()) -> Report:
        """See mpiprof.open()."""
        name = os.fspath(path)
        document = None if os.path.isdir(name) else read_json(name)
        if document is not None:
            if world not in (None, document.get("run", {}).get("world")):
                raise MprofError(f"{name} is a saved report; another world is not in it")
            return cls(document, name)
        arguments = report_arguments(name, world, options)
        document, said = json_of(arguments)
        report = cls(document, name, said)
        if "--by-rank" not in options:
            report._again = [*arguments, "--by-rank"]
        return report

    # ---- records

    @property
    def run(self) -> Run:
        """Facts of the run."""
        return Run.of(self._object("run"))

    @property
    def totals(self) -> Totals:
        """Sums over the ranks."""
        return Totals.of(self._object("totals"))

    @property
    def verdict(self) -> Verdict:
        """What bounds the run, and what to try."""
        return Verdict.of(self._object("verdict"))

    @property
    def quality(self) -> Quality:
        """How far this profile can be trusted."""
        return Quality.of(self._object("quality"))

    @property
    def time_line(self) -> TimeLine:
        """What holds for the whole time line; its bins are the table `time`."""
        return TimeLine.of(self._object("time"))

    @property
    def openmp(self) -> OpenMP:
        """How the threads of OpenMP are used."""
        return OpenMP.of(self._object("openmp"))

    @property
    def standing(self) -> Standing:
        """Where ranks stand that have not ended."""
        return Standing.of(self._object("standing"))

    def _object(self, key: str) -> Dict[str, Any]:
        found = self.document.get(key)
        return found if isinstance(found, dict) else {}

    # ---- single figures

    @property
    def schema(self) -> int:
        """The version of the JSON's schema."""
        return int(self.document["schema"])

    @property
    def mprof_version(self) -> Optional[str]:
        """The version of mprof that made the report."""
        return self.document.get("mprof")

    @property
    def program(self) -> Optional[str]:
        """The program's name without folders."""
        return self.run.program

    @property
    def wallclock_s(self) -> float:
        """Seconds from MPI_Init to the end of MPI_Finalize, of the rank that took longest."""
        return self.run.wallclock_s

    @property
    def rank_count(self) -> int:
        """Size of MPI_COMM_WORLD."""
        return self.run.ranks

    @property
    def node_count(self) -> int:
        """Hosts among the ranks that were read."""
        return self.run.nodes

    @property
    def comm_percent(self) -> float:
        """MPI time in per cent of the wallclock."""
        return self.totals.comm_percent

    @property
    def load_balance(self) -> float:
        """Mean / largest compute time of the ranks, 0 to 1."""
        return self.totals.load_balance

    @property
    def complete(self) -> bool:
        """Every rank was read and returned from MPI_Finalize."""
        return self.run.complete

    @property
    def start(self) -> Optional[datetime]:
        """When the first rank entered MPI_Init, in UTC."""
        text = self.run.start
        return None if text is None else datetime.fromisoformat(text.replace("Z", "+00:00"))

    # ---- tables

    def table(self, name: str) -> pandas.DataFrame:
        """A table as pandas.DataFrame, by its name: each call makes a new one."""
        table = self._table(name)
        return frames.data_frame(table.columns, table.rows(self._document_for(table)), table.shape)

    def arrow(self, name: str) -> Any:
        """The same as pyarrow.Table; the metadata of its fields have unit and meaning."""
        table = self._table(name)
        return frames.arrow_table(table.columns, table.rows(self._document_for(table)))

    def rows(self, name: str) -> List[Dict[str, Any]]:
        """The same as a list of dicts, for which no package is needed."""
        table = self._table(name)
        names = [column.name for column in table.columns]
        return [dict(zip(names, row)) for row in table.rows(self._document_for(table))]

    @staticmethod
    def table_names() -> Tuple[str, ...]:
        """The names of all tables."""
        return tuple(table.name for table in TABLES if not table.is_record)

    def sparse_matrix(self, values: str = "bytes") -> Any:
        """Who sent how much to whom, as scipy.sparse: an array in COO form, shape (ranks, ranks).

        A row is the source, a column the destination. `values`: bytes, messages,
        one_sided_bytes or one_sided_messages (whole numbers), or time_s (seconds). Without scipy:
        the table `matrix` has the same in rows.
        """
        known = [column.name for column in BY_NAME["matrix"].columns[2:]]
        if values not in known:
            raise MprofError(f"the matrix has no {values}; it has {', '.join(known)}")
        return frames.sparse_matrix(self.rows("matrix"), self.rank_count, values)

    @staticmethod
    def _table(name: str) -> Table:
        if name not in BY_NAME:
            raise MprofError(f"a report has no table {name}; it has "
                             + ", ".join(Report.table_names()))
        return BY_NAME[name]

    def _document_for(self, table: Table) -> Document:
        """Rows of ranks by function are many: mprof is asked for them when they are wanted."""
        # A run without call sites has rows of functions alone.
        if not table.needs_by_rank or any(self.document.get(key) for key in _BY_RANK):
            return self.document
        if self._again is not None:
            document, _ = json_of(self._again)
            self._again = None
            self.document.update({key: document[key] for key in _BY_RANK})
        elif self.document.get("functions"):
            raise MprofError(f"{self.path or 'this report'} was saved without the rows of "
                             f"{table.name}: mprof report FOLDER --json FILE --by-rank has them")
        return self.document

    # ---- files and display

    def save(self, path: PathLike) -> None:
        """Writes the JSON, which open() reads."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.document, file, ensure_ascii=False, indent=1)

    def __repr__(self) -> str:
        return (f"<mpiprof.Report of {self.program}: {self.rank_count} ranks, "
                f"{seconds_text(self.wallclock_s)}, {self.verdict.class_}>")

    def _repr_html_(self) -> str:
        from .show import report_html
        return report_html(self)


_BY_RANK = tuple(table.path for table in TABLES if table.needs_by_rank)
