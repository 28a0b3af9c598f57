#!/usr/bin/env python3
"""Sources of other profilers that are not there, do not build, or do (tests/bench/bench_peers.py).

    peers_test.py WORK_FOLDER

The sources here are a few lines that stand for IPM and mpiP, the compiler is cc, and no MPI is
needed. What must hold: each peer gives one sentence that names it, with the log if it does not
build; the reader's folder stays as it is, and what is built once is not built again
unless its sources change.
"""
import contextlib
import io
import os
import pathlib
import shutil
import sys

import bench_peers

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "groups"))
import needs  # noqa: E402

COMPILERS = {"mpicc": "cc", "mpicxx": "c++", "mpif77": "f77", "mpifort": "f95"}
CONFIGURE = """#!/bin/sh
case " $* " in *" --with-cc=cc "*) ;; *) exit 1 ;; esac
printf 'shared:\\n\\tcc -shared -fPIC -o libmpiP.so mpiPi.c\\n' >Makefile
"""
WRAPPERS = """int MPI_Send(void) { return 0; }
int MPI_Iprobe(void) { return 0; }
static int MPI_Test(void) { return 0; }
int PMPI_Recv(void) { return MPI_Test(); }
"""


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def contents(folder):
    return {path.relative_to(folder): path.read_bytes()
            for path in folder.rglob("*") if path.is_file()}


def build(folder, build_folder):
    """What was built, and the sentences."""
    with contextlib.redirect_stdout(io.StringIO()) as said:
        built = bench_peers.build_all(folder, build_folder, COMPILERS, "/its/own")
    return built, said.getvalue().splitlines()


def test_nothing_there(work):
    (work / "empty").mkdir()
    built, said = build(work / "empty", work / "of_empty")
    assert not built, built
    assert len(said) == 2, said
    for line, name, file in zip(said, ("IPM", "mpiP"), ("ipm_key_mpi", "make-wrappers.py")):
        assert line.startswith(f"{name}: not in {work / 'empty'}") and file in line, line


def make_sources(folder):
    """IPM's cannot be built; mpiP's are one folder below."""
    write(folder / "ipm" / "include" / "ipm.h", "")
    write(folder / "ipm" / "etc" / "ipm_key_mpi", "")
    write(folder / "ipm" / "configure", "echo no compiler that it likes; exit 1\n")
    write(folder / "profilers" / "mpiP-3" / "mpiPi.c", WRAPPERS)
    write(folder / "profilers" / "mpiP-3" / "make-wrappers.py", "")
    write(folder / "profilers" / "mpiP-3" / "configure", CONFIGURE)


def test_builds(work):
    sources, build_folder = work / "sources", work / "of sources"
    make_sources(sources)
    before = contents(sources)
    built, said = build(sources, build_folder)
    assert list(built) == ["mpiP"], built
    log = build_folder / "IPM.log"
    assert str(log) in said[0] and said[0].startswith("IPM: "), said
    assert "no compiler that it likes" in log.read_text(), log.read_text()
    assert contents(sources) == before, "the reader's folder was written into"

    library, variables = built["mpiP"]
    assert bench_peers.wrapped_functions(library) == {"MPI_Send", "MPI_Iprobe"}
    assert variables == {"MPIP": "-f /its/own"}, variables
    again, said = build(sources, build_folder)
    assert again == built and said[1].endswith("built before"), said
    in_future = library.stat().st_mtime + 60
    os.utime(sources / "profilers" / "mpiP-3" / "mpiPi.c", (in_future, in_future))
    again, said = build(sources, build_folder)
    assert again == built and said[1] == f"mpiP: {library}", said


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    needs.need("make")
    work = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for test in (test_nothing_there, test_builds):
        test(work)


if __name__ == "__main__":
    main()
