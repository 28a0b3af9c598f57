#!/usr/bin/env python3
"""What NCCL's profiler interface tells (nccl_calls.c), in all its versions: counts, bytes, times as
planted, who came last to collectives, 10,000 communicators, and whatever is called wrongly."""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mpi"))
import jobs  # noqa: E402  pylint: disable=wrong-import-position

RANKS = 2
STEPS = 8
COUNT = 1000
MANY = 10000
ROWS = 255
VERSIONS = range(1, 7)
ID = "3f2a0000beef"


def expect(found, expected, what):
    if found != expected:
        raise jobs.Failure(f"{what}: {found}, expected {expected}")


def expect_between(value, low, high, what):
    if value is None or not low <= value <= high:
        raise jobs.Failure(f"{what}: {value}, expected {low} to {high}")


def check_call(row, datatype, call_bytes, least_s, is_timed, with_copies):
    calls = RANKS * STEPS * (2 if with_copies else 1)
    what = f"of {row['function']}"
    expect([row["communicator"], row["datatype"], row["call_bytes"], row["ranks"], row["calls"],
            row["bytes"], row["ended"]],
           [ID, datatype, call_bytes, RANKS, calls, calls * call_bytes, calls], f"row {what}")
    expect_between(row["time_s"], least_s, 60, f"time {what}")
    if is_timed:
        device_s = RANKS * STEPS * (0.010 if row["function"] == "AllReduce" else 0.002)
        expect_between(row["device_s"], 0.999 * device_s, 1.001 * device_s, f"kernels {what}")
    else:
        expect(row["device_s"], None, f"kernels {what}")


def check_functions(document):
    """Beside those of MPI, whose totals are without them."""
    of_calls = {f"nccl{row['function']}": row for row in document["nccl_calls"]}
    functions = {row["function"]: row for row in document["nccl_functions"]}
    expect(sorted(functions), sorted(of_calls), "functions of NCCL")
    for name, row in functions.items():
        expect([row[key] for key in ("calls", "bytes", "ended", "ranks")],
               [of_calls[name][key] for key in ("calls", "bytes", "ended", "ranks")], name)
        share = 100 * of_calls[name]["time_s"] / document["totals"]["wallclock_s"]
        expect_between(row["wall_percent"], 0.999 * share, 1.001 * share, f"share of {name}")
    of_mpi = document["functions"]
    expect([row["function"] for row in of_mpi if not row["function"].startswith("MPI_")], [],
           "functions of MPI")
    expect(document["totals"]["calls"], sum(row["calls"] for row in of_mpi), "calls of MPI")
    share = sum(row["wall_percent"] for row in of_mpi)
    expect_between(document["totals"]["comm_percent"], share - 0.01, share + 0.01, "%comm")


def check_calls(tools, profile, version):
    document, _ = jobs.report(tools, profile)
    check_functions(document)
    rows = {row["function"]: row for row in document["nccl_calls"]}
    expect(sorted(rows), ["AllReduce", "Send"], "functions")
    copies = version == 6
    check_call(rows["AllReduce"], "ncclFloat32", 4 * COUNT, RANKS * STEPS * 0.010, version >= 4,
               copies)
    check_call(rows["Send"], "ncclFloat64", 8 * COUNT, RANKS * STEPS * 0.002, version >= 4, False)
    expect([rows["AllReduce"]["message"], rows["Send"]["message"]], [False, True], "kinds")
    expect([[row["rank"], row["partner"], row["messages"], row["bytes"], row["same_node"]]
            for row in sorted(document["nccl_partners"], key=lambda row: row["rank"])],
           [[rank, 1 - rank, STEPS, STEPS * 8 * COUNT, True] for rank in range(RANKS)],
           "who sends to whom")
    comms = document["nccl_communicators"]
    expect(len(comms), 1, "communicators")
    expect([comms[0]["id"], comms[0]["name"], comms[0]["size"], comms[0]["ranks"]],
           [ID, "training", RANKS if version >= 4 else 0, RANKS], "the communicator")
    done = subprocess.run([tools.mprof, "report", profile, "--all"], capture_output=True,
                          timeout=60, env=jobs.environment(), check=False)
    text = done.stdout.decode(errors="replace")
    if "calls of NCCL move" not in text or "AllReduce 3.9 KiB ncclFloat32" not in text or \
            "ncclAllReduce " not in text:
        raise jobs.Failure(f"the report does not tell of NCCL: {text}")


def check_late(tools, profile, _):
    """Rank 1 is 20 ms late in three of four, and rank 0 in the others."""
    document, _ = jobs.report(tools, profile)
    row = document["nccl_communicators"][0]
    expect([row["compared"], row["last_rank"], row["last_calls_percent"]], [4 * STEPS, 1, 75],
           "who came last")
    expect_between(row["waited_s"], 4 * STEPS * 0.015, 4 * STEPS * 0.05, "waited for the last")
    expect_between(row["last_percent"], 55, 95, "of it for rank 1")


def check_many(tools, profile, _):
    document, _ = jobs.report(tools, profile)
    comms = document["nccl_communicators"]
    expect(len(comms), ROWS + 1, "communicators that are kept apart, and the rest")
    expect(sum(row["calls"] for row in document["nccl_calls"]), RANKS * MANY, "calls")
    expect(sum(row["bytes"] for row in document["nccl_calls"]), RANKS * MANY * 4 * COUNT, "bytes")


def check_bad(tools, profile, _):
    document, _ = jobs.report(tools, profile)
    if not document["nccl_calls"]:
        raise jobs.Failure("nothing is recorded")


def check_off(tools, profile, _):
    document, _ = jobs.report(tools, profile)
    expect([document["nccl_calls"], document["nccl_communicators"]], [[], []], "rows")


CASES = {"calls": check_calls, "late": check_late, "many": check_many, "bad": check_bad,
         "off": check_off}


def run_one(tools, case, version, arguments):
    """By mprof run, which names the plugin; with --gpu calls nobody does."""
    with jobs.Folder("nccl", tools.keep) as folder:
        variables = {"NCCL_PROFILER_PLUGIN": tools.library} if case == "off" else {}
        options = [] if case == "off" else ["--gpu", "kernels"]
        command = [tools.mprof, "run", *options, "--output", folder.sub("profile"), "--summary",
                   "off", "--", *tools.launcher(RANKS), arguments.program, case, str(version)]
        done = subprocess.run(command, capture_output=True, timeout=tools.time_limit, check=False,
                              env=jobs.environment(MPROF_LIBRARY=tools.library, **variables))
        if done.returncode != 0:
            raise jobs.Failure(f"version {version}: {done.stderr.decode(errors='replace')}")
        CASES[case](tools, folder.sub("profile"), version)


def run(tools, arguments):
    jobs.go_first()  # seconds are compared with the program's own
    for case in arguments.cases:
        for version in VERSIONS if case in ("calls", "bad") else [3, 5] if case == "many" else [5]:
            try:
                run_one(tools, case, version, arguments)
            except jobs.Failure as failure:
                raise jobs.Failure(f"{case}, version {version}: {failure}") from failure


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="nccl_calls")
    parser.add_argument("--cases", nargs="+", choices=sorted(CASES), default=sorted(CASES))
    sys.exit(jobs.main(run, parser))
