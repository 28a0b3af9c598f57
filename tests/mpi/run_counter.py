#!/usr/bin/env python3
"""Runs a real program (LAMMPS, Quantum ESPRESSO's pw.x or hpcc) under mprof. Compares mprof's
counts with those of the independent counting library, and the results with those of the run alone.

LAMMPS and pw.x do the same in every run. They run three times: alone, with the counter and with
mprof. hpcc does not, because how often it sends depends on what it measures. It runs once alone,
and once with both. There the counter lies in front of libmprof.so and counts the same calls.
Results and exit status must be those of the run alone.
"""

import os
import re
import shutil
import sys

import counts
import jobs
import needs

INPUTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "inputs")
POLLING = re.compile(r"MPI_(Test(all|any|some)?|Iprobe|Improbe|Request_get_status)$")


def succeeded(job):
    if job.status != 0:
        raise jobs.Failure(f"the program failed: {job.describe()}")
    return job


def compare_counts(folder, profile, tools, ranks, only_bytes):
    document, _ = jobs.report(tools, profile)
    expected = counts.read_folder(folder, "counter", ranks)
    lines = counts.differences(expected, counts.of_report(document), only_bytes)
    if lines:
        raise jobs.Failure("\n".join([f"{len(lines)} differences"] + lines))
    calls = sum(function["calls"] for function in expected.functions.values())
    print(f"{len(expected.functions)} functions, {calls} calls, {len(expected.sizes)} sizes")


def compare_results(alone, others):
    if not alone:
        raise jobs.Failure("the program alone gave no results")
    for name, result in others.items():
        if result != alone:
            raise jobs.Failure(f"other results {name}:\n{alone}\n{result}")
    print(f"{len(alone)} lines of results are equal")


def check_three_runs(tools, folder, ranks, counter, program, results, files=()):
    """Of a program that does the same in every run. `results` finds lines in what it prints."""
    paths = [folder.sub(name) for name in ("alone", "counter", "mprof")]
    for path in paths:
        for name in files:
            shutil.copy(os.path.join(INPUTS, name), path)
    alone = succeeded(jobs.run_preloaded(tools, paths[0], ranks, program, None))
    counted = succeeded(jobs.run_preloaded(tools, paths[1], ranks, program, counter,
                                           COUNTER_DIR=paths[1]))
    profiled = succeeded(jobs.run_profiled(tools, paths[2], ranks, program))
    lines = [re.findall(results, job.stdout, re.M) for job in (alone, counted, profiled)]
    compare_results(lines[0], {"with the counter": lines[1], "with mprof": lines[2]})
    compare_counts(paths[1], os.path.join(paths[2], "profile"), tools, ranks,
                   lambda function: POLLING.match(function) is not None)


def check_lammps(tools, folder, ranks, counter):
    program = [shutil.which("lmp"), "-in", os.path.join(INPUTS, "lj.lmp"), "-log", "none"]
    check_three_runs(tools, folder, ranks, counter, program, rb"^ +\d+(?: +-?[\d.e+-]+)+ *$")


def check_pw(tools, folder, ranks, counter):
    """Fortran, and with four ranks C too: then ScaLAPACK diagonalises, whose BLACS are written in
    C."""
    program = [shutil.which("pw.x"), "-in", "hydrogen.in", "-ndiag", "4" if ranks >= 4 else "1"]
    energies = rb"^.* = +-?[\d.]+ Ry.*$"
    bands = rb"^(?: +-?\d+\.\d{4})+$"
    forces = rb"^ +atom .*force = .*$"
    check_three_runs(tools, folder, ranks, counter, program, b"|".join([energies, bands, forces]),
                     files=("hydrogen.in", "hydrogen.gth"))


def hpcc_results(folder):
    """What is the same in every run: success, and HPL's residual (DGEMM's has a random start)."""
    with open(os.path.join(folder, "hpccoutf.txt"), encoding="utf-8") as file:
        text = file.read()
    if "\nSuccess=1\n" not in text or "FAILED" in text:
        raise jobs.Failure(f"hpcc calls itself failed, see {folder}/hpccoutf.txt")
    return re.findall(r"^(?:\|\|Ax-b.*|.*tests completed and.*|"
                      r"(?:HPL_N|PTRANS_residual|Success|.*_errors?)=.*)$", text, re.M)


def check_hpcc(tools, folder, ranks, counter):
    paths = [folder.sub(name) for name in ("alone", "both")]
    for path in paths:
        shutil.copy(os.path.join(INPUTS, "hpccinf.txt"), path)
    program = [shutil.which("hpcc")]
    succeeded(jobs.run_preloaded(tools, paths[0], ranks, program, None))
    profile = os.path.join(paths[1], "profile")
    succeeded(jobs.run_preloaded(tools, paths[1], ranks, program, f"{counter}:{tools.library}",
                                 COUNTER_DIR=paths[1], MPROF_OUTPUT=profile, MPROF_SUMMARY="off"))
    compare_results(hpcc_results(paths[0]), {"with mprof": hpcc_results(paths[1])})
    compare_counts(paths[1], profile, tools, ranks, lambda function: False)


CASES = {"lmp": check_lammps, "hpcc": check_hpcc, "pw.x": check_pw}


def check(tools, arguments):
    needs.need(arguments.case)
    with jobs.Folder(arguments.case, tools.keep) as folder:
        CASES[arguments.case](tools, folder, arguments.ranks, arguments.counter)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--counter", required=True, help="the counting library")
    parser.add_argument("case", choices=sorted(CASES))
    sys.exit(jobs.main(check, parser))
