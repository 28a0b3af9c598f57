#!/usr/bin/env python3
"""What the benchmark writes into documents (tests/bench/bench_documents.py), from figures that are
made up.

    documents_test.py WORK_FOLDER

What must hold: text outside the markers stays; figures are differences to the run without a
tool, per call; a tool that does not wrap a function gets a dash; the picture is well-formed.
"""
import contextlib
import io
import pathlib
import shutil
import sys
import xml.etree.ElementTree

import bench_documents as documents
import bench_table

THREE = "MPI_Irecv + MPI_Isend + MPI_Waitall"


def made_up():
    none = {"MPI_Comm_rank": {"min": 5.0}, THREE: {"min": 100.0}}
    slower = {case: {"min": 10 + 2 * found["min"]} for case, found in none.items()}
    calls = {"none": none, "mprof": slower, "clock": slower, "IPM": {THREE: slower[THREE]}}
    more = {"none": (0.0, 0.0, 0.0), "mprof": (5.0, -0.25, 6.5), "clock": (-1.0, -2.0, 0.5)}
    return {
        "date": "2000-01-02T03:04",
        "machine": "a machine",
        "rounds per call": 3,
        "figures": {"hpcc": 1.25},
        "details": {
            documents.CALLS: {"An MPI": calls},
            "lmp, small, per cent": {"An MPI": more},
        },
    }


def written(path, name, write):
    """The document's lines after `write`; it has text before and after its markers."""
    path.write_text(f"before\n<!-- {name}: begin -->\nold\n<!-- {name}: end -->\nafter\n")
    with contextlib.redirect_stdout(io.StringIO()):
        write()
    lines = path.read_text().splitlines()
    assert (lines[0], lines[-1]) == ("before", "after") and "old" not in lines, lines
    assert lines[1] == f"<!-- {name}: begin (./dev bench, 2000-01-02) -->", lines
    return lines


def test_functions():
    assert bench_table.functions_of("MPI_Send to MPI_PROC_NULL") == ["MPI_Send"]
    assert bench_table.calls_of("the same, sizes and tags in mixed order") == 3


def test_peers(report):
    lines = written(documents.COSTS, "peers", lambda: documents.write_peers(report))
    assert "| | mprof | clock | IPM |" in lines, lines
    assert "| MPI_Comm_rank | 15.0 | 15.0 | - |" in lines, lines
    assert f"| {THREE}, per call | 36.7 | 36.7 | 36.7 |" in lines, lines


def test_calls(report):
    """A setting that was not measured gets a dash, as a tool that does not wrap the function."""
    lines = written(documents.COSTS, "calls", lambda: documents.write_calls(report))
    assert "| MPI_Comm_rank | 15.0 | 15.0 | - | - |" in lines, lines


def test_no_peers(report):
    """Then the table of the last time stays."""
    del report["details"][documents.CALLS]["An MPI"]["IPM"]
    documents.COSTS.write_text("as it was")
    with contextlib.redirect_stdout(io.StringIO()):
        documents.write_peers(report)
    assert documents.COSTS.read_text() == "as it was"


def test_bars(report):
    bars = {"hpcc": bench_table.Bar(1.03, None, "times"), "lmp": bench_table.Bar(2, None, "not")}
    lines = written(documents.COSTS, "bars", lambda: documents.write_bars(report, bars))
    assert "| hpcc | 1.25 | 1.03 | times |" in lines, lines
    assert not any("lmp" in line for line in lines), lines


def test_readme(report):
    lines = written(documents.README, "costs", lambda: documents.write_readme(report))
    sentence = ("added 5.0 % [-0.2, 6.5] (LAMMPS that waits for messages) to the run time of "
                "programs, and 15 to 37 ns to an MPI call")
    assert sentence in lines[3], lines
    picture = documents.PICTURE.read_text()
    xml.etree.ElementTree.fromstring(picture)
    assert ">5.0 %<" in picture and ">15 ns<" in picture, picture


def test_readme_of_several_programs(report):
    """The least and the most that was added."""
    report["details"]["hpcc, per cent"] = {"An MPI": {
        tool: (cost[0] - 7, -8, 1) for tool, cost in
        report["details"]["lmp, small, per cent"]["An MPI"].items()}}
    lines = written(documents.README, "costs", lambda: documents.write_readme(report))
    assert "added between -2.0 % [-8.0, 1.0] (hpcc) and 5.0 % [-0.2, 6.5] (L" in lines[3], lines


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    work = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    documents.TOP, documents.PICTURE = work, work / "costs.svg"
    documents.README, documents.COSTS = work / "readme", work / "costs"
    test_functions()
    for test in (test_peers, test_calls, test_no_peers, test_bars, test_readme,
                 test_readme_of_several_programs):
        test(made_up())


if __name__ == "__main__":
    main()
