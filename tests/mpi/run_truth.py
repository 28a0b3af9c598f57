#!/usr/bin/env python3
"""Runs a truth program under mprof and compares what mprof counted with what the program says is
true.

Nothing may be missing and nothing may be too much: calls and bytes of every function, every message
size, every cell of the matrix. With --memory SIZE mprof gets too little memory. Then sizes may be
inexact, but not the totals; --calls names more totals, of a region or a communicator. With
--counter FILE the counting library of tests/mpi/counter takes mprof's place, which tests the test.
With --linked the program contains libmprof.a and its MPI, and is started as it is. With --turns N
all this is done N times.
"""

import sys

import counts
import jobs


def check(tools, arguments):
    for _ in range(arguments.turns):
        try:
            check_once(tools, arguments)
        except jobs.NotDone as problem:
            # One stood still with MPICH, in neighbour collectives of three ranks on two busy CPUs.
            if arguments.may_stand and stands_also_alone(tools, arguments):
                jobs.need(False, "end of this program here, also without mprof")
            if not arguments.counter:
                raise
            print(f"once more, because a run without libmprof.so hung: {problem}")
            check_once(tools, arguments)


def stands_also_alone(tools, arguments, most=10):
    """Whether one of a few runs without mprof does not end either."""
    for number in range(1, most + 1):
        try:
            with jobs.Folder("alone") as folder:
                jobs.run_preloaded(tools, folder.path, arguments.ranks, [arguments.program], None,
                                   TRUTH_DIR=folder.path)
        except jobs.NotDone as problem:
            print(f"also without mprof, in run {number}: {problem}")
            return True
    return False


def check_once(tools, arguments):
    with jobs.Folder("truth", tools.keep) as folder:
        truth = folder.sub("truth")
        program = [arguments.program]
        if arguments.may_lack:
            jobs.skip_if_lacking(tools, folder, arguments.ranks, program, arguments.may_lack)
        if arguments.counter:
            job = jobs.run_preloaded(tools, folder.path, arguments.ranks, program,
                                     arguments.counter, TRUTH_DIR=truth, COUNTER_DIR=truth)
        elif arguments.linked:
            job = jobs.run_preloaded(tools, folder.path, arguments.ranks, program, None,
                                     TRUTH_DIR=truth, MPROF_SUMMARY="off",
                                     MPROF_OUTPUT=folder.sub("profile"))
        else:
            job = jobs.run_profiled(tools, folder.path, arguments.ranks, program, TRUTH_DIR=truth,
                                    MPROF_MEMORY=arguments.memory,
                                    MPROF_RESULTS=arguments.results)
        if job.status != 0:
            raise jobs.Failure(f"the program failed: {job.describe()}")
        if job.stdout or jobs.own_lines(job):
            raise jobs.Failure(f"there is output, and should be none: {job.describe()}")
        expected = counts.read_folder(truth, "truth", arguments.ranks)
        if arguments.counter:
            measured = counts.read_folder(truth, "counter", arguments.ranks)
        else:
            document, _ = jobs.report(tools, folder.sub("profile"))
            check_quality(document, arguments.ranks)
            check_calls(document, arguments.calls)
            measured = counts.of_report(document)
            if arguments.memory:
                lost = check_lost_detail(document, measured)
                print(f"lost detail: {lost}")
                expected.sizes.clear()
                measured.sizes.clear()
        lines = counts.differences(expected, measured)
        if lines:
            raise jobs.Failure("\n".join([f"{len(lines)} differences"] + lines))
        print(f"{len(expected.functions)} functions, {len(expected.sizes)} sizes, "
              f"{len(expected.matrix)} pairs of ranks, {job.seconds:.1f} s")


def check_calls(document, wanted):
    """Calls of rows, as "regions:part:100" says of all ranks."""
    for text in wanted:
        table, name, calls = text.split(":")
        key = "region" if table == "regions" else "name"
        found = sum(row["calls"] for row in document[table] if row[key] == name)
        if found != int(calls):
            raise jobs.Failure(f"{found} calls of {name} in {table}, expected {calls}; "
                               f"{document['quality']}")


def check_quality(document, ranks):
    """A run that ended well is complete, on all ranks."""
    rows = document["ranks"]
    if len(rows) != ranks or not all(row["complete"] for row in rows):
        raise jobs.Failure(f"not all of {ranks} ranks are complete: {rows}")
    if not document["run"]["complete"]:
        raise jobs.Failure("the run is called incomplete")


def check_lost_detail(document, measured):
    """With too little memory the report says that detail was lost."""
    losses = ("binned_calls", "folded_calls", "folded_messages", "untracked_requests")
    lost = {key: document["quality"][key] for key in losses}
    if not any(lost.values()) or not measured.inexact:
        raise jobs.Failure("all is exact: there was memory enough, the test needs less")
    measured.inexact.clear()
    return lost


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--counter", help="the counting library, instead of mprof")
    parser.add_argument("--memory", help="MPROF_MEMORY")
    parser.add_argument("--calls", action="append", default=[], help="TABLE:NAME:CALLS")
    parser.add_argument("--results", help="MPROF_RESULTS: the wrappers that watch")
    parser.add_argument("--linked", action="store_true", help="the program contains libmprof.a")
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--may-stand", action="store_true",
                        help="skip if it does not end, nor one of a few runs without mprof")
    parser.add_argument("--may-lack", help=jobs.MAY_LACK)
    parser.add_argument("program")
    sys.exit(jobs.main(check, parser))
