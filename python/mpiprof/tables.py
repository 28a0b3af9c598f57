"""The table of tables: which list of the JSON report gives which table, and what its columns are.

Everything else is made from it: the DataFrames of a Report, the Parquet files, the tables of the
SQLite file, the properties in report_tables.py and the documents. Types, units and meanings of the
columns come from fields.py. No package outside Python's library is used here.

A table has rows, and a row is a tuple with a value per column; None = not measured or not known.
"""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import (Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple)

from .fields import Field, all_fields

Row = Tuple[Any, ...]


@dataclass(frozen=True)
class Column:
    """A column of a table: `type` is int, float, bool or text."""

    name: str
    type: str
    has_null: bool
    unit: str
    meaning: str

    @property
    def dtype(self) -> str:
        """The pandas type. Whole numbers and truths that may be unknown have nullable types."""
        nullable = {"int": "Int64", "bool": "boolean"}
        always = {"int": "int64", "float": "float64", "bool": "bool", "text": "string"}
        return nullable.get(self.type, always[self.type]) if self.has_null else always[self.type]


@dataclass(frozen=True)
class Key:
    """A column that says to which outer row a row belongs: a key of it, or else its number."""

    column: str
    key: Optional[str] = None  # None: the number of the outer row, from 0

    def of(self, number: int, row: Mapping[str, Any]) -> Any:
        return number if self.key is None else row.get(self.key)


@dataclass(frozen=True)
class Table:
    """One table. `path` is where its rows are in the document: `ranks[].samples`."""

    name: str
    path: str
    shape: str  # a row per ...
    number: Optional[str] = None  # a first column with the number of the row, from 0
    outer: Optional[Key] = None
    is_single: bool = False  # the path is that of an object, not of a list
    needs_by_rank: bool = False

    @property
    def is_record(self) -> bool:
        """An object of the document: one row, and a record of the Report instead of a table."""
        return self.is_single and type(self) is Table

    @functools.cached_property
    def columns(self) -> Tuple[Column, ...]:
        return (*self._key_columns(), *(_column(name, all_fields()[self._row_key(name)])
                                        for name in self._names))

    def rows(self, document: Mapping[str, Any]) -> Iterator[Row]:
        names = [name.split(".") for name in self._names]
        for place in _places(document, self.path):
            outer = () if self.outer is None else (self.outer.of(place.outer_number, place.outer),)
            own = () if self.number is None else (place.number,)
            yield (*outer, *own, *(_value(place.row, name) for name in names))

    @functools.cached_property
    def _names(self) -> List[str]:
        """The keys of a row, `from.file` for the key `file` of an object in it."""
        start = self._row_key("")
        keys = [key for key in all_fields() if key.startswith(start)]
        return [key[len(start):] for key in keys
                if "[]" not in key[len(start):] and all_fields()[key].is_cell]

    def _row_key(self, name: str) -> str:
        return self.path + ("." if self.is_single else "[].") + name

    def _outer_column(self, key: Key) -> Column:
        outer = self.path.partition("[]")[0]
        if key.key is None:
            return Column(key.column, "int", False, "", f"the row of {outer}, from 0")
        field = all_fields()[f"{outer}[].{key.key}"]
        return Column(key.column, field.type, field.has_null, field.unit, field.meaning)

    def _key_columns(self) -> Iterator[Column]:
        if self.outer is not None:
            yield self._outer_column(self.outer)
        if self.number is not None:
            yield Column(self.number, "int", False, "", "the number of the row, from 0")


@dataclass(frozen=True)
class SeriesTable(Table):
    """Lists of the same length side by side: a row per place in them."""

    lists: Tuple[Tuple[str, str], ...] = ()  # key, column
    fixed: Tuple[str, ...] = ()  # keys of the outer row that each row repeats

    @functools.cached_property
    def columns(self) -> Tuple[Column, ...]:
        fixed = [_column(name, all_fields()[self._row_key(name)]) for name in self.fixed]
        series = [_series_column(name, all_fields()[self._row_key(key)])
                  for key, name in self.lists]
        return (*fixed, *self._key_columns(), *series)

    def rows(self, document: Mapping[str, Any]) -> Iterator[Row]:
        for place in _places(document, self.path):
            row = place.row
            first = [row.get(name) for name in self.fixed]
            if self.outer is not None:
                first.append(self.outer.of(place.number, row))
            lists = [row.get(key) or [] for key, _ in self.lists]
            length = max(map(len, lists), default=0)
            # A list that is empty: none at any time.
            columns = [values or itertools.repeat(0, length) for values in lists]
            for number, values in enumerate(zip(*columns)):
                yield (*first, number, *values)


@dataclass(frozen=True)
class NamedTable(Table):
    """Objects whose keys only the run knows, such as counters: a row per name."""

    name_column: str = "name"
    values: Tuple[Tuple[str, str], ...] = ()  # key of the object, column

    @functools.cached_property
    def columns(self) -> Tuple[Column, ...]:
        fields = [all_fields()[self._row_key(key)] for key, _ in self.values]
        name = Column(self.name_column, "text", False, "", "its name")
        return (*self._key_columns(), name,
                *(Column(column, "text" if field.type == "texts by name" else "float",
                         field.type != "texts by name", field.unit, field.meaning)
                  for field, (_, column) in zip(fields, self.values)))

    def rows(self, document: Mapping[str, Any]) -> Iterator[Row]:
        for place in _places(document, self.path):
            keys = () if self.outer is None else (self.outer.of(place.number, place.row),)
            objects = [place.row.get(key) or {} for key, _ in self.values]
            for name in objects[0]:
                yield (*keys, name, *(values.get(name) for values in objects))


@dataclass(frozen=True)
class TextsTable(Table):
    """All lists of texts in the objects of the document, such as `quality.remarks`."""

    @functools.cached_property
    def columns(self) -> Tuple[Column, ...]:
        return (Column("list", "text", False, "", "the list: " + ", ".join(self.lists())),
                Column("number", "int", False, "", "the place in it, from 0"),
                Column("text", "text", False, "", "its words"))

    def rows(self, document: Mapping[str, Any]) -> Iterator[Row]:
        for key in self.lists():
            for number, text in enumerate(_at(document, key) or []):
                yield (key, number, text)

    @staticmethod
    def lists() -> List[str]:
        return [field.key for field in all_fields().values()
                if field.type == "list of text" and "[]" not in field.key]


def _column(name: str, field: Field) -> Column:
    return Column(name.replace(".", "_"), field.type, field.has_null, field.unit, field.meaning)


def _series_column(name: str, field: Field) -> Column:
    return Column(name, field.type[len("list of "):], False, field.unit, field.meaning)


def _at(document: Mapping[str, Any], path: str) -> Any:
    found: Any = document
    for key in path.split("."):
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def _value(row: Mapping[str, Any], name: Sequence[str]) -> Any:
    for key in name[:-1]:
        row = row.get(key) or {}
    return row.get(name[-1])


def _objects(found: Any) -> List[Dict[str, Any]]:
    """The rows of a list; an object is a list of one. Nothing: the document is older."""
    if found is None:
        return []
    return found if isinstance(found, list) else [found]


class _Place(NamedTuple):
    """A row in the document, and the row of another list that it is in."""

    outer_number: int
    outer: Mapping[str, Any]
    number: int
    row: Mapping[str, Any]


def _places(document: Mapping[str, Any], path: str) -> Iterator[_Place]:
    list_path, _, inner = path.partition("[].")
    if not inner:
        for number, row in enumerate(_objects(_at(document, list_path))):
            yield _Place(0, document, number, row)
        return
    for outer_number, outer in enumerate(_objects(_at(document, list_path))):
        for number, row in enumerate(_objects(_at(outer, inner))):
            yield _Place(outer_number, outer, number, row)


_STATES = ("compute_s", "wait_s", "transfer_s", "file_s", "contention_s", "blocked_s",
           "gpu_wait_s", "gpu_copy_s", "gpu_launch_s", "startup_s")
_BINS = (*((state, state) for state in _STATES), ("call_lines", "call_line"))
_OF_RANK = Key("rank", "rank")

#: Every list and object of the report. The order is that of share/doc/reference/report-json.md.
TABLES: Tuple[Table, ...] = (
    Table("run", "run", "one row: the facts of the run", is_single=True),
    NamedTable("run_texts", "run", "a row per fact that the rank file holds in words",
               is_single=True, name_column="fact", values=(("texts", "text"),)),
    Table("totals", "totals", "one row: sums over the ranks", is_single=True),
    Table("time_parts", "time_parts", "a row per state of the average rank's time"),
    Table("phases", "phases", "a row per part of the run", number="phase"),
    Table("time_line", "time", "one row: what holds for the whole time line", is_single=True),
    Table("time", "time.bins", "a row per time bin", number="bin"),
    SeriesTable("rank_time", "time.ranks", "a row per rank, or group of ranks, and time bin",
                number="bin", fixed=("rank", "ranks", "outlier"), lists=_BINS),
    SeriesTable("rank_time_details", "time.details",
                "the same of nodes and ranks that the groups hide", number="bin",
                fixed=("rank", "ranks", "outlier", "host"), lists=_BINS),
    SeriesTable("steps", "time", "a row per step that repeats", is_single=True, number="step",
                lists=(("step_s", "step_s"), ("step_busy_s", "step_busy_s"))),
    Table("functions", "functions", "a row per MPI function"),
    Table("messages", "messages", "a row per function, kind, precision and message size"),
    Table("received", "received", "a row per function, precision and size that arrived"),
    Table("callsites", "callsites", "a row per MPI function and call path", number="callsite"),
    Table("callsite_paths", "callsites[].path", "a row per frame of a call path", number="depth",
          outer=Key("callsite")),
    Table("call_lines", "call_lines", "a row per MPI function and source line",
          number="call_line"),
    Table("segments", "segments", "a row per pair of MPI calls with computing between them",
          number="segment"),
    SeriesTable("segment_counters", "segments", "a row per segment and counter",
                outer=Key("segment"), number="counter", lists=(("counters", "total"),)),
    Table("hotspots", "hotspots", "a row per function that the CPU was in during a segment",
          number="hotspot"),
    Table("hotspot_paths", "hotspots[].path", "a row per frame around it", number="depth",
          outer=Key("hotspot")),
    Table("hot_lines", "hot_lines", "a row per source line that the CPU was in"),
    Table("hot_libraries", "hot_libraries", "a row per executable or library"),
    Table("fault_places", "fault_places", "a row per function with many page faults",
          number="fault_place"),
    Table("fault_paths", "fault_places[].path", "a row per frame around it", number="depth",
          outer=Key("fault_place")),
    Table("early_places", "early_places", "a row per function that computes before MPI_Init",
          number="early_place"),
    Table("early_paths", "early_places[].path", "a row per frame around it", number="depth",
          outer=Key("early_place")),
    Table("ranks", "ranks", "a row per rank that was read"),
    Table("samples", "ranks[].samples", "a row per rank and moment: its memory", outer=_OF_RANK),
    NamedTable("rank_counters", "ranks", "a row per rank and counter", outer=_OF_RANK,
               name_column="counter", values=(("counters", "total"),
                                              ("counters_in_mpi", "in_mpi"))),
    NamedTable("rank_metrics", "ranks", "a row per rank and metric", outer=_OF_RANK,
               name_column="metric", values=(("metrics", "value"),)),
    Table("rank_functions", "rank_functions", "a row per rank and MPI function",
          needs_by_rank=True),
    Table("rank_callsites", "rank_callsites", "a row per rank and row of callsites",
          needs_by_rank=True),
    Table("matrix", "matrix", "a row per pair of ranks with messages"),
    Table("nodes", "nodes", "a row per node"),
    NamedTable("node_facts", "nodes", "a row per node and fact of the machine",
               outer=Key("host", "host"), name_column="fact", values=(("facts", "text"),)),
    Table("node_figures", "node_figures", "a row per figure of the nodes", number="figure_row"),
    Table("node_differences", "node_figures[].different", "a row per figure and node that differs",
          outer=Key("figure", "figure")),
    Table("node_pairs", "node_pairs", "a row per pair of nodes"),
    Table("distances", "distances", "a row per distance of two ranks"),
    Table("communicators", "communicators", "a row per communicator"),
    Table("worlds", "worlds", "a row per other world of the run"),
    Table("world_missing_ranks", "worlds[].missing_ranks", "a row per range of ranks",
          outer=Key("world", "world")),
    Table("programs", "programs", "a row per program, if the job has several"),
    Table("program_ranks", "programs[].where", "a row per range of a program's ranks",
          outer=Key("program", "program")),
    Table("program_waits", "program_waits", "a row per program and program that it waits for"),
    Table("files", "files", "a row per file that was opened with MPI"),
    Table("plain_files", "plain_files", "a row per file that was read or written without MPI"),
    Table("openmp", "openmp", "one row: how the threads of OpenMP are used", is_single=True),
    Table("parallel_regions", "parallel_regions", "a row per parallel region of OpenMP"),
    Table("gpu_sites", "gpu_sites", "a row per place that calls a GPU driver"),
    Table("gpu_buffers", "gpu_buffers", "a row per line and memory of buffers of MPI calls"),
    Table("gpu_work", "gpu_work", "a row per kernel that GPUs ran, and per kind of copy"),
    Table("gpu_time", "gpu_time", "a row per bin of time: how busy the GPUs are"),
    Table("nccl_communicators", "nccl_communicators", "a row per communicator of NCCL"),
    Table("nccl_calls", "nccl_calls",
          "a row per communicator, line, function, datatype and size of NCCL's calls"),
    Table("nccl_partners", "nccl_partners",
          "a row per pair of ranks of which one sends to the other through NCCL"),
    Table("nccl_functions", "nccl_functions", "a row per function of NCCL"),
    Table("nccl_time", "nccl_time", "a row per bin of time: how long ranks are in NCCL"),
    Table("regions", "regions", "a row per region that the program names"),
    NamedTable("region_counters", "regions", "a row per region and counter",
               outer=Key("region", "region"), name_column="counter",
               values=(("counters", "total"),)),
    Table("bindings", "bindings", "a row per set of CPUs that ranks of a node are bound to"),
    Table("counters", "counters", "a row per counter"),
    Table("metrics", "metrics", "a row per metric"),
    Table("causes", "causes", "a row per rank that others waited for"),
    Table("transfers", "transfers", "a row per size of messages: what they cost"),
    Table("message_costs", "message_costs",
          "a row per size, locality and source: what a message takes"),
    Table("machine", "machine", "one row: what the machine can do, with --machine",
          is_single=True),
    Table("machine_times", "machine_times",
          "a row per collective and size, and per size of messages: here and on the machine"),
    Table("eager_limits", "eager_limits", "a row per distance: the eager limit among the sizes"),
    Table("touch_rules", "touch_rules", "a row per call site that a rule of the cache concerns"),
    Table("standing", "standing", "one row: where unfinished ranks are", is_single=True),
    Table("standing_rows", "standing.rows", "a row per place where such ranks are",
          number="standing_row"),
    Table("standing_ranks", "standing.rows[].where", "a row per range of ranks in such a place",
          outer=Key("standing_row")),
    Table("thread_stacks", "standing.stacks", "a row per thread of a rank outside MPI",
          number="stack"),
    Table("stack_frames", "standing.stacks[].frames", "a row per function on such a stack",
          number="frame", outer=Key("stack")),
    SeriesTable("look_at", "standing", "a row per rank to look at first", is_single=True,
                number="number", lists=(("look_at", "rank"),)),
    Table("last_calls", "last_calls", "a row per one of the last calls of such a rank"),
    Table("lints", "lints", "a row per broken rule of MPI and line"),
    Table("lint_rules", "lint_rules", "a row per rule"),
    Table("quality", "quality", "one row: how far the profile can be trusted", is_single=True),
    Table("missing_ranks", "quality.missing_ranks", "a row per range of ranks"),
    Table("missing_worlds", "quality.missing_worlds", "a row per range of worlds"),
    Table("damaged_files", "quality.damaged_files", "a row per file that could not be read"),
    Table("left_out_files", "quality.left_out_files", "a row per file that was left out"),
    Table("checks", "quality.checks", "a row per judgement of the profile"),
    TextsTable("texts", "", "a row per text of a list of texts"),
    Table("accounts", "accounts", "a row per cause: how much the run would save without it"),
    Table("accounting", "accounting", "one row: what the accounts are parts of", is_single=True),
    Table("account_order", "accounting.order", "a row per step of what adds up", number="step_row"),
    Table("account_windows", "accounting.windows", "a row per window: what causes cost there",
          number="window"),
    Table("verdict", "verdict", "one row: what bounds the run", is_single=True),
    Table("next_steps", "verdict.next", "a row per step to try", number="step"),
    Table("cards", "verdict.cards", "a row per card of the page"),
    Table("verdict_rules", "verdict.rules", "a row per class, in the order of trying"),
    Table("step_rules", "verdict.step_rules", "a row per rule for next steps"),
)

BY_NAME: Dict[str, Table] = {table.name: table for table in TABLES}
