"""Many runs in one SQLite file. Only Python's own library is used here.

What holds: a run is there whole or not at all, because all of it is one transaction. A run that is
there already is replaced. A file that an older version made gets the columns that are new; one of a
newer schema, or of another program, is refused.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from typing import Any, Iterator, List, Optional, Sequence, Tuple

from .errors import MprofError
from .program import PathLike
from .runs import (STORE_SCHEMA, AddedRun, Progress, Sources, StoredRun, check_target, columns_of,
                   run_columns, run_tables, sources_of, store_runs)
from .tables import Column

#: Which program made the file, in its head: "mpip".
APPLICATION = 0x6D706970

_TYPES = {"int": "INTEGER", "float": "REAL", "bool": "INTEGER", "text": "TEXT"}
_LARGEST = 2**63 - 1

# Columns by which rows are looked for, besides `run`.
_INDEXED = {"runs": ("program", "start"), "functions": ("function",), "callsites": ("function",)}


def _quoted(name: str) -> str:
    return f'"{name}"'  # names are those of tables.py: no quote is in them


def _all_tables() -> List[Tuple[str, Tuple[Column, ...]]]:
    return [("runs", run_columns()),
            *((table.name, columns_of(table)) for table in run_tables())]


def _column_sql(table: str, column: Column) -> str:
    text = f"{_quoted(column.name)} {_TYPES[column.type]}"
    if column.name == "run":
        return text + (" PRIMARY KEY NOT NULL" if table == "runs" else
                       " NOT NULL REFERENCES runs(run) ON DELETE CASCADE")
    return text


def _make_table(connection: sqlite3.Connection, name: str, columns: Sequence[Column]) -> None:
    known = {row[1] for row in connection.execute(f"PRAGMA table_info({_quoted(name)})")}
    if not known:
        parts = ", ".join(_column_sql(name, column) for column in columns)
        connection.execute(f"CREATE TABLE {_quoted(name)} ({parts})")
    for column in columns:
        if known and column.name not in known:
            connection.execute(f"ALTER TABLE {_quoted(name)} ADD COLUMN "
                               + _column_sql(name, column))
    for column_name in (*(("run",) if name != "runs" else ()), *_INDEXED.get(name, ())):
        connection.execute(f"CREATE INDEX IF NOT EXISTS {_quoted(f'{name}_{column_name}')} "
                           f"ON {_quoted(name)} ({_quoted(column_name)})")


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def _check_file(connection: sqlite3.Connection, name: str) -> None:
    has_tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] > 0
    if has_tables and _number(connection, "application_id") != APPLICATION:
        raise MprofError(f"{name} is a database of another program; nothing was written to it")
    version = _number(connection, "user_version")
    if version > STORE_SCHEMA:
        raise MprofError(f"{name} has schema {version}, and this mpiprof knows up to "
                         f"{STORE_SCHEMA}: a newer one is needed")


def _make_tables(connection: sqlite3.Connection, name: str) -> None:
    with _transaction(connection):
        _check_file(connection, name)
        for table, columns in _all_tables():
            _make_table(connection, table, columns)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {STORE_SCHEMA}")


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextlib.contextmanager
def _opened(name: str) -> Iterator[sqlite3.Connection]:
    """The file, with a lock that others wait for up to a minute."""
    try:
        with contextlib.closing(sqlite3.connect(name, timeout=60, isolation_level=None)) as opened:
            opened.execute("PRAGMA foreign_keys = ON")
            yield opened
    except sqlite3.Error as error:
        raise MprofError(f"{name}: {error}") from error


def _cell(value: Any) -> Any:
    """SQLite has whole numbers up to 2^63; a larger one is kept to 16 digits."""
    return float(value) if isinstance(value, int) and value > _LARGEST else value


def _insert(connection: sqlite3.Connection, table: str, columns: Sequence[Column],
            rows: Iterator[Tuple[Any, ...]]) -> None:
    names = ", ".join(_quoted(column.name) for column in columns)
    marks = ", ".join("?" * len(columns))
    connection.executemany(f"INSERT INTO {_quoted(table)} ({names}) VALUES ({marks})",
                           (tuple(map(_cell, row)) for row in rows))


def _add(connection: sqlite3.Connection, run: StoredRun) -> None:
    with _transaction(connection):
        connection.execute("DELETE FROM runs WHERE run = ?", (run.key,))
        _insert(connection, "runs", run_columns(), iter([run.run_row()]))
        for table in run_tables():
            _insert(connection, table.name, columns_of(table), run.rows(table))


def to_sqlite(folders: Sources, file: PathLike, *, world: Optional[int] = None,
              by_rank: bool = False, options: Sequence[str] = (),
              progress: Optional[Progress] = None) -> List[AddedRun]:
    """Adds runs to a SQLite file, which is made if it is not there. Needs no other package.

    `folders`: one or several of what open() takes, or Reports. A run that is there already is
    replaced, so adding it again changes nothing. `by_rank`: also the rows of each rank by function
    and call site, which are many. Each run is a transaction: when this is interrupted, the runs
    before are there and no part of another. If some runs cannot be read, the others are added, and
    the MprofError at the end names them. Gives what was added.
    """
    name = os.fspath(file)
    sources = sources_of(folders)
    check_target(name, sources)
    with _opened(name) as connection:
        _make_tables(connection, name)
        return store_runs(sources, lambda run: _add(connection, run), world=world,
                          by_rank=by_rank, options=options, progress=progress)
