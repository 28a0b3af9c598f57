#!/usr/bin/env python3
"""The tables of a real run have what traffic.c does, by arithmetic: rank by function, rank by call
site, the matrix, message sizes. What they say of times adds up. Needs Python's library only."""
import collections
import os
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(TESTS, "mpi"), os.path.join(os.path.dirname(TESTS), "python")]
import jobs  # noqa: E402
import mpiprof  # noqa: E402

STEPS = 5
DOUBLE = 8


def expect(found, wanted, what):
    if found != wanted:
        raise jobs.Failure(f"{what}: {found}, not {wanted}")


def expect_near(found, wanted, what):
    if abs(found - wanted) > 1e-6 * max(abs(wanted), 1e-3):
        raise jobs.Failure(f"{what}: {found}, not {wanted}")


def message_bytes(rank):
    return 1000 * (rank + 1) * DOUBLE


def calls_and_bytes(rank, ranks):
    """By function, of one rank."""
    before = (rank - 1) % ranks
    wanted = {"MPI_Isend": (STEPS, STEPS * message_bytes(rank)),
              "MPI_Recv": (STEPS, STEPS * message_bytes(before)),
              "MPI_Wait": (STEPS, 0), "MPI_Allreduce": (STEPS, STEPS * 4 * DOUBLE),
              "MPI_Init": (1, 0), "MPI_Finalize": (1, 0)}
    if rank == ranks - 1:
        wanted["MPI_Get_processor_name"] = (3, 0)
    return wanted


def check_functions(report, ranks):
    found = collections.defaultdict(dict)
    for row in report.rows("rank_functions"):
        found[row["rank"]][row["function"]] = (row["calls"], row["bytes"])
    for rank in range(ranks):
        wanted = calls_and_bytes(rank, ranks)
        mine = {name: figures for name, figures in found[rank].items()
                if name in wanted or name == "MPI_Get_processor_name"}
        expect(mine, wanted, f"rank {rank}")


def check_callsites(report, ranks):
    """Every function but those of the clock is called in one line."""
    sites = report.rows("callsites")
    found = collections.Counter()
    for row in report.rows("rank_callsites"):
        site = sites[row["callsite"]]
        if site["function"] == "MPI_Isend":
            expect(os.path.basename(site["file"]), "traffic.c", "the file of a call site")
        found[row["rank"], site["function"]] += row["bytes"]
    for rank in range(ranks):
        for function, (_, size) in calls_and_bytes(rank, ranks).items():
            expect(found[rank, function], size, f"bytes of {function} on rank {rank}, by call site")


def check_matrix(report, ranks):
    found = {(row["source"], row["destination"]): (row["messages"], row["bytes"])
             for row in report.rows("matrix")}
    wanted = {(rank, (rank + 1) % ranks): (STEPS, STEPS * message_bytes(rank))
              for rank in range(ranks)}
    expect(found, wanted, "the matrix")
    sizes = {row["bytes"]: row["calls"] for row in report.rows("messages")
             if row["function"] == "MPI_Isend"}
    expect(sizes, {message_bytes(rank): STEPS for rank in range(ranks)}, "sizes of messages")


def check_times(report):
    mpi_s = collections.Counter()
    for row in report.rows("rank_functions"):
        mpi_s[row["rank"]] += row["time_s"]
    rows = report.rows("ranks")
    for row in rows:
        expect_near(mpi_s[row["rank"]], row["mpi_s"], f"MPI time of rank {row['rank']}")
    wallclock_s = sum(row["wallclock_s"] for row in rows)
    expect_near(100 * sum(mpi_s.values()) / wallclock_s, report.comm_percent, "%comm")
    expect_near(max(row["wallclock_s"] for row in rows), report.wallclock_s, "wallclock")
    for row in rows:
        parts_s = row["compute_s"] + row["mpi_thread_s"] + row["own_s"]
        expect_near(parts_s, row["wallclock_s"], f"the parts of rank {row['rank']}")
    # The loop ends by MPI_Wtime, and where a CPU is taken away the call that it happens in is long:
    # at least so much is in the loop and in the calls of it, whatever else the machine does.
    clock_s = sum(row["time_s"] for row in report.rows("rank_functions")
                  if (row["rank"], row["function"]) == (0, "MPI_Wtime"))
    loops_s = rows[0]["compute_s"] + clock_s + rows[0]["own_s"]
    if loops_s < STEPS * 0.02:
        raise jobs.Failure(f"rank 0 computed {loops_s} s, its clock included")


def check_comparison(profile):
    change = mpiprof.diff(profile, profile)
    expect((change.outcome, change.wallclock_s.difference), ("same", 0), "a run against itself")


def check(tools, arguments):
    os.environ["MPIPROF_MPROF"] = tools.mprof
    with jobs.Folder("tables", tools.keep) as folder:
        profile = os.path.join(folder.path, "traffic.mprof")
        job = jobs.Job([tools.mprof, "run", "--output", profile, "--",
                        *tools.launcher(arguments.ranks), arguments.program, str(STEPS)],
                       jobs.environment(), folder.path, tools.time_limit)
        if job.status != 0:
            raise jobs.Failure(job.describe())
        report = mpiprof.open(profile)
        expect((report.rank_count, report.complete), (arguments.ranks, True), "the run")
        check_functions(report, arguments.ranks)
        check_callsites(report, arguments.ranks)
        check_matrix(report, arguments.ranks)
        check_times(report)
        check_comparison(profile)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="traffic")
    parser.add_argument("--ranks", type=int, required=True)
    sys.exit(jobs.main(check, parser))
