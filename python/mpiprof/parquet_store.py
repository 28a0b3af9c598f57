"""Many runs as Parquet: a folder per table, a file per run in it. Needs pyarrow.

    DIR/runs/RUN.parquet  DIR/functions/RUN.parquet  DIR/ranks/RUN.parquet ...

DuckDB, Spark and pandas read a folder as one table. What holds: a file is there whole or not at
all, because it is renamed when it is complete. The row in runs is written last and taken away
first, so a run that has one is whole. Each folder has a file without rows, empty.parquet, from
which a reader learns the columns even if no run has a row.
"""

from __future__ import annotations

import os
import pathlib
from typing import Any, Iterable, List, Optional, Sequence

from . import frames
from .program import MprofError, PathLike
from .runs import (STORE_SCHEMA, AddedRun, Progress, Sources, StoredRun, check_target, columns_of,
                   run_columns, run_tables, sources_of, store_runs)
from .tables import Column, Row

EMPTY = "empty.parquet"


class _Writer:
    """Writes tables below a folder."""

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder
        self._parquet = frames.optional_package("pyarrow.parquet", "Parquet")

    def path(self, table: str, file_name: str) -> pathlib.Path:
        return self._folder / table / file_name

    def write(self, table: str, file_name: str, columns: Sequence[Column],
              rows: Iterable[Row]) -> None:
        """A file of a table. Without rows there is none: what was there is taken away."""
        known = list(rows)
        path = self.path(table, file_name)
        if known or file_name == EMPTY:
            self._write_whole(path, frames.arrow_table(columns, known))
        else:
            path.unlink(missing_ok=True)

    def _write_whole(self, path: pathlib.Path, made: Any) -> None:
        # Readers leave out what begins with a point.
        part = path.with_name(f".{path.name}.{os.getpid()}")
        marked = made.replace_schema_metadata({"mpiprof_schema": str(STORE_SCHEMA)})
        try:
            self._parquet.write_table(marked, part, compression="zstd")
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


def _make_folders(writer: _Writer) -> None:
    tables = [("runs", run_columns()), *((t.name, columns_of(t)) for t in run_tables())]
    for name, columns in tables:
        writer.path(name, EMPTY).parent.mkdir(parents=True, exist_ok=True)
        writer.write(name, EMPTY, columns, [])


def _add(writer: _Writer, run: StoredRun) -> None:
    file_name = f"{run.key}.parquet"
    writer.path("runs", file_name).unlink(missing_ok=True)
    for table in run_tables():
        writer.write(table.name, file_name, columns_of(table), run.rows(table))
    writer.write("runs", file_name, run_columns(), [run.run_row()])


def to_parquet(folders: Sources, directory: PathLike, *, world: Optional[int] = None,
               by_rank: bool = False, options: Sequence[str] = (),
               progress: Optional[Progress] = None) -> List[AddedRun]:
    """Adds runs to a directory of Parquet files, which is made if it is not there. Needs pyarrow.

    `folders`: one or several of what open() takes, or Reports. A run that is there already is
    replaced, so adding it again changes nothing. `by_rank`: also the rows of each rank by function
    and call site, which are many. If some runs cannot be read, the others are added, and the
    MprofError at the end names them. Gives what was added.
    """
    sources = sources_of(folders)
    check_target(os.fspath(directory), sources)
    try:
        writer = _Writer(pathlib.Path(directory))
        _make_folders(writer)
        return store_runs(sources, lambda run: _add(writer, run), world=world, by_rank=by_rank,
                          options=options, progress=progress)
    except OSError as error:
        raise MprofError(f"{os.fspath(directory)}: {error}") from error
