"""Many runs in one place: which tables an export has, what identifies a run, and how runs are read.

An export (parquet_store.py) has the tables of tables.py, each with the column `run` in front, and
`runs`, a row per run. export.md documents them. Only Python's own library is used here.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
import functools
import os
import re
from typing import (Any, Callable, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple,
                    Union)

from .fields import all_fields
from .program import Document, MprofError, PathLike
from .report import Report
from .tables import BY_NAME, TABLES, Column, Row, Table

#: Grows when the meaning of a column changes. Tables and columns are only ever added.
STORE_SCHEMA = 1

RUN = Column("run", "text", False, "", "which run: the row of runs")

# Columns of `runs` besides those of the table `run`: name, key of the report.
_MORE = (("mprof", "mprof"), ("verdict_class", "verdict.class"),
         ("verdict_state", "verdict.state"), ("verdict_headline", "verdict.headline"),
         ("gain_s", "verdict.gain_s"), ("comm_percent", "totals.comm_percent"),
         ("load_balance", "totals.load_balance"),
         ("parallel_efficiency", "totals.parallel_efficiency"))
_OWN = (Column("name", "text", True, "", "what the profile is called, without .mprof"),
        Column("path", "text", True, "", "where it was when it was added"))

# What `runs` has already.
_IN_RUNS = ("run",)


@functools.lru_cache(maxsize=None)
def run_columns() -> Tuple[Column, ...]:
    """The columns of the table `runs`."""
    more = [dataclasses.replace(_column_of(key), name=name, has_null=True) for name, key in _MORE]
    return (RUN, *_OWN, *BY_NAME["run"].columns, *more)


def _column_of(key: str) -> Column:
    field = all_fields()[key]
    return Column(key, field.type, field.has_null, field.unit, field.meaning)


@functools.lru_cache(maxsize=None)
def run_tables() -> Tuple[Table, ...]:
    """The tables of an export besides `runs`."""
    return tuple(table for table in TABLES if table.name not in _IN_RUNS)


@functools.lru_cache(maxsize=None)
def columns_of(table: Table) -> Tuple[Column, ...]:
    """The columns of such a table."""
    return (RUN, *table.columns)


@dataclasses.dataclass(frozen=True)
class StoredRun:
    """A run as an export has it."""

    key: str
    report: Report

    def run_row(self) -> Row:
        """The row of `runs`."""
        document, path = self.report.document, self.report.path
        name = None if path is None else re.sub(r"\.(mprof|json)$", "", os.path.basename(
            os.path.normpath(path)))
        where = None if path is None else os.path.abspath(path)
        run = next(iter(BY_NAME["run"].rows(document)))
        more = [_lookup(document, key) for _, key in _MORE]
        return (self.key, name, where, *run, *more)

    def rows(self, table: Table) -> Iterator[Row]:
        """The rows of a table, with the run in front."""
        for row in table.rows(self.report.document):
            yield (self.key, *row)


@dataclasses.dataclass(frozen=True)
class AddedRun:
    """What is said of a run that was added."""

    run: str  # its key
    path: Optional[str]
    complete: bool
    said: str  # by mprof, when it read it


def _lookup(document: Mapping[str, Any], key: str) -> Any:
    outer, _, inner = key.partition(".")
    found = document.get(outer)
    return found.get(inner) if inner and isinstance(found, dict) else found


def run_key(document: Document) -> str:
    """What identifies a run, in a text that a file can be called.

    It is the run's number that libmprof gave it, and when it began: programs that use sessions
    alone get the same number in one job. A spawned world is a run of its own.
    """
    run = document["run"]
    begin = re.sub(r"[-:]", "", run.get("start") or "")
    world = f"world{run['world']}" if run.get("world") else ""
    parts = [str(run.get("run_id") or ""), begin, world]
    key = "-".join(part for part in parts if part)
    if not re.fullmatch(r"[\w.-]+", key) or not run.get("run_id"):
        raise MprofError(f"the report has no valid run_id: {run.get('run_id')!r}")
    return key


Source = Union[PathLike, Report]
Sources = Union[Source, Iterable[Source]]
Progress = Callable[[int, int, str], None]  # how many are done, of how many, the next one


def sources_of(sources: Sources) -> List[Source]:
    """One or several, as a list."""
    if isinstance(sources, (str, os.PathLike, Report)):
        return [sources]
    return list(sources)


def _read(source: Source, world: Optional[int], options: Sequence[str]) -> StoredRun:
    report = source if isinstance(source, Report) else Report.open(source, world, options)
    if "--by-rank" in options and isinstance(source, Report):
        for table in TABLES:
            if table.needs_by_rank:
                source.rows(table.name)
    return StoredRun(run_key(report.document), report)


def _read_all(sources: List[Source], world: Optional[int],
              options: Sequence[str]) -> Iterator[Tuple[Source, Union[StoredRun, MprofError]]]:
    """The runs in their order. A few are read at a time, because mprof is a process of its own."""
    width = max(1, min(8, os.cpu_count() or 1))
    with contextlib.ExitStack() as stack:
        pool = stack.enter_context(concurrent.futures.ThreadPoolExecutor(width))
        stack.callback(pool.shutdown, wait=False)
        for first in range(0, len(sources), 2 * width):
            part = sources[first:first + 2 * width]
            futures = [pool.submit(_read, source, world, options) for source in part]
            for source, future in zip(part, futures):
                try:
                    yield source, future.result()
                except MprofError as error:
                    yield source, error


def check_target(target: str, sources: Sequence[Source]) -> None:
    """Nothing but the profile lies in a profile folder, and no input is written over."""
    if target == "-":
        raise MprofError("tables of runs need a file or folder: they cannot go to standard output")
    where = os.path.realpath(target)
    for source in sources:
        if isinstance(source, Report):
            continue
        profile = os.path.realpath(source)
        if where == profile or where.startswith(profile + os.sep):
            raise MprofError(f"{target} is a file of the profile {os.fspath(source)}, or is in "
                             "it: name another one")


def store_runs(sources: Sequence[Source], store: Callable[[StoredRun], None], *,
               world: Optional[int], by_rank: bool, options: Sequence[str],
               progress: Optional[Progress]) -> List[AddedRun]:
    """Reads runs and stores each. A run that cannot be read is left out, and named at the end."""
    todo = list(sources)
    more = [*options, "--by-rank"] if by_rank else list(options)
    added: List[AddedRun] = []
    failed: List[str] = []
    for number, (source, run) in enumerate(_read_all(todo, world, more)):
        if progress is not None:
            progress(number, len(todo), str(source))
        if isinstance(run, MprofError):
            failed.append(str(run))
            continue
        store(run)
        report = run.report
        added.append(AddedRun(run.key, report.path, report.complete, report.said))
    if failed:
        raise MprofError("\n".join([*failed, f"{len(failed)} of {len(todo)} runs were not "
                                    "added"]), 2)
    return added
