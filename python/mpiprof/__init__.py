"""The data of MPI profiles that mprof made, as tables.

    >>> import mpiprof
    >>> report = mpiprof.open(example)
    >>> report.verdict.class_
    'load-imbalance bound'
    >>> sum(row["calls"] for row in report.rows("functions")) == report.totals.calls
    True

`mpiprof.open()` gives a Report. Its lists are tables (pandas), `report.arrow(name)` gives the same
for Arrow and `report.rows(name)` as plain dicts, for which no package is needed. `diff()` and
`scale()` compare runs, `to_parquet()` puts many runs into one place.

The module reads what the program mprof writes. It finds the program by the variable MPIPROF_MPROF,
beside itself, or on PATH. Everything that goes wrong is an MprofError.
"""

from __future__ import annotations

from typing import Optional, Sequence

from .compare import Change, Comparison, Scaling, diff, scale
from .graphs import to_hatchet, to_literal, to_thicket
from .parquet_store import to_parquet
from .program import MissingPackage, MprofError, PathLike, find_program
from .report import Report
from .tables import TABLES, Column, Table
from .version import VERSION

__all__ = ["Change", "Column", "Comparison", "MissingPackage", "MprofError", "Report", "Scaling",
           "TABLES", "Table", "diff", "find_program", "open", "scale", "to_hatchet", "to_literal",
           "to_parquet", "to_thicket"]
__version__ = VERSION


def open(path: PathLike, world: Optional[int] = None,
         options: Sequence[str] = ()) -> Report:
    """The report of a run.

    `path` is a profile folder (also of a job that still runs, or was killed), a merged file, a
    single rank file, or a saved JSON file of `mprof report --json`. `world`: which MPI_COMM_WORLD
    of a run that spawned others. `options` are further options of mprof report, such as
    ["--sysroot", "/mnt/cluster"], or ["--by-rank"], which reads rows of each rank by function at
    once and not when they are wanted.
    """
    return Report.open(path, world, options)
