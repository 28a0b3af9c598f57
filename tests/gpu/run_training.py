#!/usr/bin/env python3
"""Training jobs (nccl_training.c) whose ranks wait in an AllReduce of NCCL for a late rank, on
stand-ins for the driver, CUPTI and NCCL: what ranks wait there as the program measured it, and a
first sentence with the cause: the late rank, its seconds, and its kernel or line."""

import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mpi"))
import jobs  # noqa: E402  pylint: disable=wrong-import-position

RANKS = 2
STEPS = 50
LOAD_S, CHECK_S = 0.008, 0.004
BYTES = 4 * (1 << 20)
ENOUGH_SAMPLES = 20  # of the 40 to 60 of load_batch()
ID = "3f2a"


def expect(found, expected, what):
    if found != expected:
        raise jobs.Failure(f"{what}: {found}, expected {expected}")


def expect_near(value, expected, what, share=0.1, least=0.01):
    if value is None or abs(value - expected) > max(share * expected, least):
        raise jobs.Failure(f"{what}: {value}, expected {expected}")


def line_of(source, text):
    with open(source, encoding="utf-8") as lines:
        return next(i for i, line in enumerate(lines, 1) if text in line)


def account(document, name):
    rows = [row for row in document["accounts"] if row["name"] == name]
    return rows[0] if rows else {"gain_s": 0, "rank": None}


def check_verdict(document, name, *words):
    verdict = document["verdict"]
    expect(verdict["class"], name, f"the class ({verdict['headline']})")
    for word in words:
        if word not in verdict["headline"]:
            raise jobs.Failure(f"the first sentence does not say {word!r}: {verdict['headline']}")


def check_calls(document, source):
    """The line is that of the AllReduce, though a thread of NCCL's own tells when it runs."""
    rows = document["nccl_calls"]
    expect([[row["function"], row["place"], row["calls"], row["bytes"], row["ranks"]]
            for row in rows],
           [["AllReduce", f"nccl_training.c:{line_of(source, '/* here it reduces */')}",
             RANKS * STEPS, RANKS * STEPS * BYTES, RANKS]], "calls of NCCL")


def check_waits(document, waited):
    """For the rank that comes last, on the GPU and on the CPU that waits for the GPU."""
    for row in document["ranks"]:
        expect_near(row["nccl_wait_s"], waited[row["rank"]], f"rank {row['rank']} waits")
    caused_s = {row["rank"]: row["nccl_caused_s"] for row in document["ranks"]}
    expect_near(caused_s[1], waited[0], "rank 0 waits for rank 1")
    expect_near(document["nccl_calls"][0]["waited_s"], sum(waited), "waits in that call")


def check_time(document, waited):
    """Over time as in all, and as much in the phases."""
    rows, phases = document["nccl_time"], document["phases"]
    seconds = {name: sum(row[f"{name}_percent"] / 100 * row["length_s"] for row in rows)
               for name in ("running", "waiting")}
    expect_near(RANKS * seconds["waiting"], sum(waited), "waits over time")
    expect_near(RANKS * seconds["running"], document["nccl_calls"][0]["device_s"],
                "in NCCL over time")
    expect_near(sum(phase["nccl_s"] for phase in phases), seconds["running"], "in NCCL in phases")
    expect_near(sum(phase["nccl_wait_s"] for phase in phases), seconds["waiting"],
                "waits in phases")


def check_late(document, waited, source):
    check_calls(document, source)
    check_waits(document, waited)
    check_time(document, waited)
    row = document["nccl_communicators"][0]
    expect([row["last_rank"], row["compared"]], [1, STEPS], "who came last")
    # The GPU's own time of these, by its clock, is until they end.
    expect_near(row["waited_percent"], 100 * sum(waited) / document["nccl_calls"][0]["device_s"],
                "waiting, of the collectives' time", 0.05)


def check_kernel(document, waited, source):
    """Its GPU works 8 ms longer in each step, half of which evenness saves."""
    check_late(document, waited, source)
    place = f"nccl_training.c:{line_of(source, '/* here it waits */')}"
    kernel = "most in kernel stencil" if document["gpu_work"] else ""
    check_verdict(document, "GPU-imbalance bound", "Rank 1 waits", place, kernel)
    row = account(document, "uneven GPUs")
    expect(row["rank"], 1, "the rank whose GPU works longer")
    expect_near(row["gain_s"], waited[0] / 2, "what evenness saves", 0.2, 0.02)
    step = document["verdict"]["next"][0]
    if kernel and "kernel stencil" not in step["action"]:
        raise jobs.Failure(f"the first step does not name the kernel: {step}")


def check_computes(document):
    """Where threads leave their CPUs thousands of times a second the samples of computing pause,
    and its function is not known by a few of them."""
    is_sampled = document["quality"]["cpu_samples"] >= ENOUGH_SAMPLES
    check_verdict(document, "load-imbalance bound", "Rank 1 does",
                  "load_batch" if is_sampled else "")


def check_uneven(document, work_s):
    """Rank 1 has so much more work than the other. Where it lacks a CPU, that costs more time."""
    row = account(document, "uneven")
    expect(row["rank"], 1, "the rank that computes longer")
    expect_near(row["rank_s"] - row["next_s"], work_s, "what it computes longer", 0.15)
    if row["gain_s"] < 0.85 * work_s / 2:
        raise jobs.Failure(f"what evenness saves: {row['gain_s']}, expected {work_s / 2}")
    if document["ranks"][1]["contention_s"] < 0.05 * work_s:
        expect_near(row["gain_s"], work_s / 2, "what evenness saves", 0.15)


def check_load(document, waited, source):
    check_late(document, waited, source)
    check_computes(document)
    check_uneven(document, STEPS * LOAD_S)
    why = document["verdict"]["why"]
    if "in NCCL's AllReduce (4.0 MiB) at nccl_training.c" not in why or "rank 1" not in why:
        raise jobs.Failure(f"NCCL is no place to wait: {why}")


def check_both(document, waited, source):
    """What rank 0 waits in NCCL and in MPI has one cause."""
    check_late(document, waited, source)
    check_computes(document)
    in_mpi_s = document["ranks"][0]["wait_thread_s"]
    if in_mpi_s < 0.7 * STEPS * CHECK_S:
        raise jobs.Failure(f"rank 0 does not wait in MPI, too: {in_mpi_s}")
    check_uneven(document, STEPS * (LOAD_S + CHECK_S))


def check_even(document, waited, source):
    """Nobody is late: ranks wait for their GPUs."""
    check_calls(document, source)
    check_waits(document, waited)
    check_verdict(document, "GPU bound", "Ranks wait for their GPUs")


# Program, variables, check. Without CUPTI it is not known which kernels run.
CASES = {"kernel": ("kernel", {}, check_kernel), "load": ("load", {}, check_load),
         "both": ("both", {}, check_both), "even": ("even", {}, check_even),
         "absent": ("kernel", {"CUDA_HOME": ""}, check_kernel)}


def waited_of(stdout):
    waited = dict(re.findall(r"rank (\d+) waited ([\d.]+)\n", stdout.decode()))
    return [float(waited[str(rank)]) for rank in range(RANKS)]


def check_text(tools, profile):
    done = subprocess.run([tools.mprof, "report", profile, "--all"], capture_output=True,
                          timeout=60, env=jobs.environment(), check=False)
    text = done.stdout.decode(errors="replace")
    words = " ".join(text.replace("#", " ").split())
    for part in ("100 calls of NCCL move 400 MiB in 1 communicator",
                 "In communicator training, ranks waited"):
        if part not in words:
            raise jobs.Failure(f"the report does not say {part!r}: {text}")


def check_diff(tools, profile, document):
    """With itself: the same on both sides, per rank."""
    done = subprocess.run([tools.mprof, "diff", profile, profile, "--json", "-"],
                          capture_output=True, timeout=60, env=jobs.environment(), check=True)
    comparison = json.loads(done.stdout)
    totals = {row["name"]: row["change"] for row in comparison["totals"]}
    expect([totals["NCCL calls"][side] for side in "ab"], [STEPS, STEPS], "calls of NCCL, compared")
    time_s = document["nccl_functions"][0]["time_s"] / RANKS
    expect_near(totals["NCCL"]["b"], time_s, "time in NCCL, compared", 1e-6, 1e-9)
    row = next(row for row in comparison["functions"] if row["function"] == "ncclAllReduce")
    expect_near(row["time_s"]["a"], time_s, "time of a function, compared", 1e-6, 1e-9)


def run_case(tools, case, arguments):
    program, variables, check = CASES[case]
    path = os.environ.get("LD_LIBRARY_PATH", "")
    settings = {"MPROF_GPU": "kernels", "LD_LIBRARY_PATH": f"{arguments.driver}:{path}",
                "CUDA_HOME": arguments.toolkit, "CUDA_INJECTION64_PATH": "",
                "FAKE_CUDA_SLEEPS": "1", "NCCL_PROFILER_PLUGIN": tools.library,
                **jobs.cpu_each(RANKS), **variables}
    with jobs.Folder("nccl_training", tools.keep) as folder:
        job = jobs.run_profiled(tools, folder.path, RANKS, [arguments.program, program],
                                **settings)
        if job.status != 0:
            raise jobs.Failure(f"the program failed: {job.describe()}")
        document, _ = jobs.report(tools, folder.sub("profile"))
        check(document, waited_of(job.stdout), arguments.source)
        check_text(tools, folder.sub("profile"))
        check_diff(tools, folder.sub("profile"), document)


def run(tools, arguments):
    jobs.go_first()  # seconds are compared with the program's own
    for case in arguments.cases:
        try:
            run_case(tools, case, arguments)
        except jobs.Failure as failure:
            raise jobs.Failure(f"{case}: {failure}") from failure


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="nccl_training")
    parser.add_argument("--driver", required=True, help="folder of the stand-in for libcuda.so.1")
    parser.add_argument("--toolkit", required=True, help="CUDA_HOME of the stand-in for CUPTI")
    parser.add_argument("--source", required=True, help="nccl_training.c")
    parser.add_argument("--cases", nargs="+", choices=sorted(CASES), default=sorted(CASES))
    sys.exit(jobs.main(run, parser))
