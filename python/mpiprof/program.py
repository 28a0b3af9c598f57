"""Finds the program mprof, runs it, and reads the JSON that it writes or that was saved. Every file
of the module raises on purpose nothing but the exceptions here.

Python's memory_profiler has a command of the same name. `--version` distinguishes the two: this
one prints `mprof` and a version in one line.
"""

from __future__ import annotations

import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

PathLike = Union[str, "os.PathLike[str]"]
Document = Dict[str, Any]

#: The newest version of the schema that this module understands.
SCHEMA = 1

VARIABLE = "MPIPROF_MPROF"
NAMES = ("mprof", "mprof-mpi")  # the second is there where another program owns the first

# Where the program is, seen from this folder: in an installation (share/mprof/python/mpiprof), in
# the source tree (python/mpiprof) after a build, and in a wheel that brings it.
_BESIDE = ("../../../../bin", "../../build/bin", "bin")


class MprofError(Exception):
    """What went wrong, in words that can be shown to a user.

    `status` is the exit status of the program mprof if that is who said it (2: the input is of no
    use, or the arguments are wrong), else None.
    """

    def __init__(self, message: str, status: Optional[int] = None) -> None:
        super().__init__(message)
        self.status = status


class MissingPackage(MprofError, ImportError):
    """An optional package is not installed. The text says which, and how to get it."""

    def __init__(self, package: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the Python package {package}, which is not installed. "
            f"To install it: {sys.executable or 'python3'} -m pip install {package}")


def _is_mprof(path: str) -> bool:
    try:
        answer = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30,
                                stdin=subprocess.DEVNULL, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return re.fullmatch(r"mprof \d+\.\d+\S*", answer.stdout.strip()) is not None


def _candidates() -> List[str]:
    here = pathlib.Path(__file__).resolve().parent
    beside = [os.path.normpath(here / folder / name) for folder in _BESIDE for name in NAMES]
    on_path = [shutil.which(name, path=folder) for folder in os.get_exec_path() for name in NAMES]
    return [path for path in beside if os.access(path, os.X_OK)] + [p for p in on_path if p]


@functools.lru_cache(maxsize=None)
def _found(variable: Optional[str], search_path: str) -> str:
    if variable:
        if not _is_mprof(variable):
            raise MprofError(f"{VARIABLE} is {variable}, which is not the MPI profiler mprof")
        return variable
    others = []
    for path in _candidates():
        if _is_mprof(path):
            return path
        others.append(path)
    remark = f" {others[0]} is another program (memory_profiler has one)." if others else ""
    raise MprofError(f"The program mprof was not found beside this module or on PATH.{remark} "
                     f"Set {VARIABLE} to its path.")


def find_program() -> str:
    """The path of the program mprof: MPIPROF_MPROF, else beside the module, else on PATH."""
    return _found(os.environ.get(VARIABLE), os.environ.get("PATH", ""))


def path_word(path: PathLike) -> str:
    """The path as a word of a command line: one that begins with a dash is no option."""
    name = os.fspath(path)
    return os.path.join(os.curdir, name) if name.startswith("-") else name


def run_program(arguments: Sequence[str], good: Tuple[int, ...] = (0, 1)) -> Tuple[str, str]:
    """What mprof writes to standard output, and what it says on standard error.

    Exit status 1 says that a run is incomplete: there is a report all the same.
    """
    program = find_program()
    try:
        done = subprocess.run([program, *arguments], capture_output=True, stdin=subprocess.DEVNULL,
                              check=False)
    except OSError as error:
        raise MprofError(f"{program} cannot be started: {error}") from error
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode not in good:
        text = said or f"mprof ended with exit status {done.returncode}"
        raise MprofError(text, done.returncode)
    return done.stdout.decode("utf-8", "replace"), said


def json_of(arguments: Sequence[str], good: Tuple[int, ...] = (0, 1)) -> Tuple[Document, str]:
    """The document that `mprof ARGUMENTS --json -` writes, and what it says beside."""
    text, said = run_program([*arguments, "--json", "-"], good)
    return checked(json.loads(text), "mprof"), said


def read_json(path: PathLike) -> Optional[Document]:
    """A saved document; None if the file is something else, which mprof may know."""
    try:
        with open(path, "rb") as file:
            if file.read(1) != b"{":
                return None
            file.seek(0)
            return checked(json.load(file), os.fspath(path))
    except OSError as error:
        raise MprofError(f"{os.fspath(path)}: {error.strerror}") from error
    except ValueError as error:
        raise MprofError(f"{os.fspath(path)} is not JSON: {error}") from error


def checked(document: Any, name: str) -> Document:
    """The document, if its schema is one that this module knows."""
    schema = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(schema, int):
        raise MprofError(f"{name}: this JSON was not written by mprof: it has no key schema")
    if schema > SCHEMA:
        raise MprofError(f"{name}: its schema is {schema}, and this module knows up to {SCHEMA}: "
                         "a newer mpiprof reads it")
    return dict(document)
