"""The command line of the module, which `mprof export` starts:

    python3 -m mpiprof export FOLDER... --parquet DIR [--by-rank]

Exit status as that of mprof export: 0 fine, 1 some run is incomplete, 2 something failed.
"""

from __future__ import annotations

import argparse
import sys
from typing import List, Optional

from . import __version__
from .parquet_store import to_parquet
from .program import MprofError
from .runs import AddedRun


def _arguments(words: Optional[List[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="mpiprof", description="The data of MPI profiles.")
    parser.add_argument("--version", action="version", version=f"mpiprof {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    export = commands.add_parser("export", help="add runs to Parquet files")
    export.add_argument("folders", nargs="+", metavar="FOLDER",
                        help="profiles, or saved reports (JSON)")
    export.add_argument("--parquet", metavar="DIR", required=True,
                        help="a folder per table, a file per run in it")
    export.add_argument("--by-rank", action="store_true",
                        help="also each rank's figures by function and call site")
    export.add_argument("--world", type=int, metavar="N", help="which world of each run")
    export.add_argument("--sysroot", metavar="FOLDER", help="like that of mprof report")
    export.add_argument("--debug-dir", metavar="FOLDER", action="append", default=[],
                        help="likewise")
    export.add_argument("--no-symbols", action="store_true", help="likewise")
    export.add_argument("--verbose", action="store_true", help="likewise")
    return parser.parse_args(words)


def _report_options(given: argparse.Namespace) -> List[str]:
    options = ["--sysroot", given.sysroot] if given.sysroot else []
    for folder in given.debug_dir:
        options += ["--debug-dir", folder]
    return (options + (["--no-symbols"] if given.no_symbols else [])
            + (["--verbose"] if given.verbose else []))


def _say(text: str) -> None:
    for line in text.splitlines():
        print(line if line.startswith("mprof: ") else f"mprof: {line}", file=sys.stderr)


def _show_progress(done: int, count: int, _: str) -> None:
    if count > 1 and sys.stderr.isatty():
        end = "\n" if done + 1 == count else ""
        print(f"\rmprof: {done + 1:,} of {count:,} runs", end=end, file=sys.stderr, flush=True)


def _export(given: argparse.Namespace) -> List[AddedRun]:
    return to_parquet(given.folders, given.parquet, world=given.world, by_rank=given.by_rank,
                      options=_report_options(given), progress=_show_progress)


def main(words: Optional[List[str]] = None) -> int:
    """Runs the command, and gives its exit status."""
    try:
        added = _export(_arguments(words))
    except MprofError as error:
        _say(str(error))
        return 2
    except KeyboardInterrupt:
        _say("interrupted: the runs before are there")
        return 130
    for run in added:
        _say(run.said)
    return 0 if all(run.complete for run in added) else 1


if __name__ == "__main__":
    sys.exit(main())
