#!/usr/bin/env python3
"""Runs one cell of the table: the test program in one language with one MPI.

    run_cell.py BUILD LANGUAGE --environments DIR --programs DIR --results DIR --mprof FILE

The program runs twice on 2 ranks, without mprof and with it. MPI must give the same answers. mprof
must count what the program says is true. Exit status 0: exact; 77: skipped, with the reason; 1:
wrong, with the difference. The result is also written to DIR/BUILD.LANGUAGE.json, for
make_table.py.
"""

import argparse
import glob
import json
import os
import re
import signal
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, "..", "mpi"))

import builds  # noqa: E402
import counts  # noqa: E402
import jobs  # noqa: E402

RANKS = 2


def program_command(build, arguments):
    """(command, environment) of the test program."""
    folder = os.path.join(arguments.programs, build.name)
    language = arguments.language
    if language == "mpi4py":
        python, variables = build.python()
        return [python, os.path.join(HERE, "calls.py")], variables
    interface = language.removeprefix("late_")
    if interface in builds.FORTRAN:
        build.fortran_compiler(interface)  # not applicable? not installed?
    else:
        build.c_compiler()
    path = os.path.join(folder, language)
    if language == "dlsym":
        return [path], {"DLSYM_LIBMPI": build.libmpi_path()}
    if language.startswith("late_"):
        return [path, path + ".so"], {}
    return [path], {}


def need_program(command):
    """Compiled? If not: skipped where the compiler is absent, wrong where it failed."""
    if os.path.exists(command[0]):
        return
    for end, kind in ((".skipped", builds.Skipped), (".failed", jobs.Failure)):
        if os.path.exists(command[0] + end):
            with open(command[0] + end, encoding="utf-8") as file:
                raise kind(file.read().strip())
    raise builds.Skipped(f"{os.path.basename(command[0])} is not compiled: run compile_programs.py")

# mprof stands behind the launcher, so only Open MPI passes it on to what the program spawns.
SPAWNED = "incomplete: world 1 has no readable file"


def shared_segments():
    """What MPICH and Intel MPI leave behind if a job fails, beyond what jobs.py knows."""
    return set(glob.glob("/dev/shm/mpich_shm*") + glob.glob("/dev/shm/Intel_MPI_*"))


def run(build, arguments, folder, command, variables, mprof):
    """One job. Only the program itself is preloaded: mpirun ... mprof run program."""
    truth = os.path.join(folder, "with" if mprof else "without")
    os.makedirs(truth)
    variables = dict(build.variables(), TRUTH_DIR=truth, **variables)
    launcher = build.mpirun(RANKS)
    if mprof:
        variables.update(MPROF_OUTPUT=os.path.join(folder, "profile"), MPROF_SUMMARY="off")
        launcher = launcher + [os.path.abspath(arguments.mprof), "run"]
    before = shared_segments()
    try:
        job = jobs.Job(launcher + command, jobs.environment(**variables), folder,
                       arguments.time_limit)
    finally:
        jobs.remove_segments(shared_segments() - before)  # of those that no process uses
    if job.status != 0:
        raise jobs.Failure(f"{'under' if mprof else 'without'} mprof: {job.describe()}")
    return job, truth


def read_results(folder):
    texts = {}
    for rank in range(RANKS):
        path = os.path.join(folder, f"results-{rank}.txt")
        with open(path, encoding="utf-8", errors="replace") as file:
            texts[rank] = file.read().splitlines()
    return texts


def compare_results(without, under):
    """What MPI answered, line by line."""
    lines = []
    for rank in range(RANKS):
        first, second = without[rank], under[rank]
        if len(first) != len(second):
            lines.append(
                f"rank {rank}: {len(first)} lines without mprof, {len(second)} under mprof")
        lines += [f"rank {rank}: without mprof '{one}', under mprof '{two}'"
                  for one, two in zip(first, second) if one != two]
    return lines


def fold_large_counts(table):
    """mpi4py calls MPI_Send_c where there is one, else MPI_Send: the truth knows only MPI_Send."""
    for name in list(table.functions):
        if name.endswith("_c"):
            table.functions[name[:-2]].update(table.functions.pop(name))


def functions_only(table):
    """Without sizes and partners: tests/mpi looks at those."""
    result = counts.Counts()
    result.functions = table.functions
    return result


def compare_counts(truth_folder, document):
    """Calls and bytes of every function. A truth with the key `bytes_only` is of a language whose
    runtime calls MPI by itself (mpi4py): the functions listed there, and those that it does not
    name at all, are compared by bytes only."""
    expected = counts.read_folder(truth_folder, "truth", RANKS)
    measured = counts.of_report(document)
    with open(os.path.join(truth_folder, "truth-0.json"), encoding="utf-8") as file:
        loose = json.load(file).get("bytes_only")
    if loose is not None:
        fold_large_counts(measured)
        loose = set(loose) | (set(measured.functions) - set(expected.functions))
    expected, measured = functions_only(expected), functions_only(measured)
    summary = (f"{len(expected.functions)} functions, "
               f"{sum(row['calls'] for row in expected.functions.values())} calls")
    unseen = sorted(name for name, row in expected.functions.items()
                    if row["optional_calls"] > 0 and name not in measured.functions)
    if unseen:
        summary += "; not seen, as this MPI does them without its C functions: " + ", ".join(unseen)
    return counts.differences(expected,
                              measured, lambda name: loose is not None and name in loose), summary


def check(build, arguments):
    command, variables = program_command(build, arguments)
    need_program(command)
    build.mpirun(RANKS)
    with jobs.Folder("cell", arguments.keep) as folder:
        _, without = run(build, arguments, folder.path, command, variables, mprof=False)
        job, truth = run(build, arguments, folder.path, command, variables, mprof=True)
        if jobs.own_lines(job):
            raise jobs.Failure(f"mprof says something: {job.describe()}")
        lines = compare_results(read_results(without), read_results(truth))
        document, said = jobs.report(arguments, os.path.join(folder.path, "profile"),
                                     expected_status=None)
        if set(re.findall("incomplete.*", said)) - {SPAWNED}:
            raise jobs.Failure(f"the report says: {said}")
        rows = document["ranks"]
        if len(rows) != RANKS or not all(row["complete"] for row in rows):
            lines.append(f"not all ranks are complete: {rows}")
        more, summary = compare_counts(truth, document)
        lines += more
        if lines:
            raise jobs.Failure("\n".join([f"{len(lines)} differences"] + lines))
        return summary


def judge(build, arguments):
    """(state, detail): exact, n/a, skipped or WRONG."""
    try:
        return "exact", check(build, arguments)
    except builds.NotApplicable as reason:
        return "n/a", str(reason)
    except builds.Skipped as reason:
        return "skipped", str(reason)
    except (jobs.Failure, OSError) as failure:
        return "WRONG", str(failure)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", choices=builds.BUILDS)
    parser.add_argument("language", choices=list(builds.LANGUAGES) + list(builds.VARIANTS))
    parser.add_argument("--environments", required=True, help="what install_mpis.sh made")
    parser.add_argument("--programs", required=True, help="what compile_programs.py made")
    parser.add_argument("--results", required=True)
    parser.add_argument("--mprof", required=True)
    parser.add_argument("--time-limit", type=float, default=60, metavar="SECONDS")
    parser.add_argument("--keep", action="store_true", help="keep the folder with all files")
    arguments = parser.parse_args()
    # So that what is under way is tidied up.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    build = builds.BUILDS[arguments.build]
    build.folder = arguments.environments
    state, detail = judge(build, arguments)
    os.makedirs(arguments.results, exist_ok=True)
    path = os.path.join(arguments.results, f"{arguments.build}.{arguments.language}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"build": arguments.build, "language": arguments.language, "state": state,
                   "detail": detail}, file, indent=1)
    if state in ("n/a", "skipped"):
        print(f"skipped: {detail}")
        return jobs.SKIPPED
    print(f"{state}: {detail}")
    return 0 if state == "exact" else 1


if __name__ == "__main__":
    sys.exit(main())
