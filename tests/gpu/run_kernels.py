#!/usr/bin/env python3
"""What CUPTI tells of a GPU (gpu_kernels.c), on stand-ins for it and for the driver: times and
counts of kernels and copies as planted, when the GPU is busy and why it is idle, records in any
order, dropped ones, names that go away, and a CUPTI that is not to be had."""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mpi"))
import jobs  # noqa: E402  pylint: disable=wrong-import-position

RANKS = 2
STEPS = 8
MIB = 1 << 20
COPY_S = MIB / 1e9
NAMES = 100
ROWS = 64


def expect(found, expected, what):
    if found != expected:
        raise jobs.Failure(f"{what}: {found}, expected {expected}")


def expect_near(value, expected, what, share=0.05, least=0.005):
    """Within 5 % or 5 ms."""
    if value is None or abs(value - expected) > max(share * expected, least):
        raise jobs.Failure(f"{what}: {value}, expected {expected}")


def told(stdout):
    """[{"in_mpi": 0.16, ...}, ...]"""
    ranks = [{} for _ in range(RANKS)]
    for rank, what, seconds in re.findall(r"rank (\d+) (\w+) ([\d.]+)\n", stdout.decode()):
        ranks[int(rank)][what] = float(seconds)
    return ranks


def work(document, use, kernel=""):
    rows = [row for row in document["gpu_work"]
            if row["use"] == use and (row["kernel"] or "") == kernel]
    if len(rows) != 1:
        raise jobs.Failure(f"{use} {kernel}: {document['gpu_work']}")
    return rows[0]


def check_adds_up(document):
    """The bins have what the ranks have, and the states of each GPU fill the run."""
    for row in document["ranks"]:
        expect(row["gpu_kernels"], "recorded", f"kernels of rank {row['rank']}")
        parts = sum(row[f"gpu_{part}_s"] for part in ("computing", "communicating", "moving",
                                                      "idle"))
        expect_near(parts, row["gpu_devices"] * row["wallclock_s"], "states of the GPU", 0.001)
    for part in ("computing", "communicating", "moving"):
        bins = sum(row["length_s"] * row[f"{part}_percent"] / 100 for row in document["gpu_time"])
        ranks = sum(row[f"gpu_{part}_s"] for row in document["ranks"])
        expect_near(RANKS * bins, ranks, f"{part} in the bins", 0.001, 1e-6)


def check_kernels(document, runs):
    for use, kernel, count, seconds in (("kernel", "stencil", runs, 0.020 * runs),
                                        ("NCCL", "ncclDevKernel_AllReduce_Sum_f32", runs,
                                         0.010 * runs),
                                        ("copy to the GPU", "", runs, COPY_S * runs)):
        row = work(document, use, kernel)
        expect(row["count"], count, f"count of {use} {kernel}")
        expect_near(row["time_s"], seconds, f"time of {use} {kernel}", 0.001, 1e-5)
    expect(work(document, "copy to the GPU")["bytes"], runs * MIB, "bytes of copies")
    expect(work(document, "copy to the GPU")["pageable_bytes"], 0, "bytes that are not pinned")


def check_steps(tools, profile, truths):
    document, _ = jobs.report(tools, profile)
    check_adds_up(document)
    check_kernels(document, RANKS * STEPS)
    for row, truth in zip(document["ranks"], truths):
        expect_near(row["gpu_computing_s"], STEPS * 0.020, "computing", 0.01)
        expect_near(row["gpu_communicating_s"], STEPS * 0.010, "communicating", 0.01)
        expect_near(row["gpu_moving_s"], STEPS * COPY_S, "copying", 0.01)
        expect_near(row["gpu_idle_mpi_s"], truth["in_mpi"], "idle while the rank is in MPI", 0.05,
                    0.01)
        expect_near(row["gpu_idle_between_s"], truth["between"], "idle between launches", 0.05,
                    0.01)
        expect(row["gpu_dropped"], 0, "records that were dropped")
    done = subprocess.run([tools.mprof, "report", profile, "--all"], capture_output=True,
                          timeout=60, env=jobs.environment(), check=False)
    text = done.stdout.decode(errors="replace")
    words = " ".join(text.replace("#", " ").split())
    for part in ("The GPUs run the program's kernels for", "only NCCL's for",
                 "while ranks are in MPI", "NCCL: ncclDevKernel_AllReduce"):
        if part not in words:
            raise jobs.Failure(f"the report does not say {part!r}: {text}")


def check_streams(tools, profile, _):
    """NCCL's kernel counts where none of the program's runs: 10 of its 30 ms."""
    document, _ = jobs.report(tools, profile)
    check_adds_up(document)
    for row in document["ranks"]:
        expect_near(row["gpu_computing_s"], STEPS * 0.020, "computing", 0.01)
        expect_near(row["gpu_communicating_s"], STEPS * 0.010, "communicating alone", 0.01)
    expect_near(work(document, "NCCL", "ncclDevKernel_AllGather")["time_s"],
                RANKS * STEPS * 0.030, "all of NCCL's kernels", 0.001)


def check_names(tools, profile, _):
    """Kernel i takes i + 1 units: the 64 longest have rows, and the rest is one."""
    document, _ = jobs.report(tools, profile)
    check_adds_up(document)
    unit_s = RANKS * 50e-6
    kernels = [row for row in document["gpu_work"] if row["use"] == "kernel"]
    expect(len(kernels), ROWS + 1, "rows of kernels")
    rest = NAMES - ROWS
    expect(work(document, "kernel")["count"], RANKS * rest, "count of all other kernels")
    expect_near(work(document, "kernel")["time_s"], unit_s * rest * (rest + 1) / 2,
                "time of all other kernels", 0.001, 1e-5)
    for i in range(rest, NAMES):
        row = work(document, "kernel", f"kernel_{i}_")
        expect_near(row["time_s"], unit_s * (i + 1), f"time of kernel {i}", 0.001, 1e-5)


def check_dropped(tools, profile, _):
    """Each third of 3 x 8 records is dropped: those of copies."""
    document, _ = jobs.report(tools, profile)
    for row in document["ranks"]:
        expect(row["gpu_dropped"], STEPS, "records that were dropped")
    expect([row["use"] for row in document["gpu_work"]], ["kernel", "NCCL"], "what is left")


def check_running(tools, profile, _):
    document, _ = jobs.report(tools, profile)
    for row in document["ranks"]:
        expect([row["gpu_kernels"], row["gpu_computing_s"]], ["recorded", 0],
               "a kernel that has not ended")


def check_killed(tools, profile, _):
    """What had been given back by then is there."""
    document, _ = jobs.report(tools, profile, expected_status=None)
    row = document["ranks"][1]
    expect([row["gpu_kernels"], row["complete"]], ["recorded", False], "the killed rank")
    if work(document, "kernel", "stencil")["count"] < RANKS * STEPS // 2:
        raise jobs.Failure(f"kernels before the end: {document['gpu_work']}")


def check_future(tools, profile, _):
    """Copies that end in the future are left out, and nothing else."""
    document, _ = jobs.report(tools, profile)
    check_adds_up(document)
    for row in document["ranks"]:
        expect_near(row["gpu_computing_s"], STEPS * 0.020, "computing", 0.01)
        expect(row["gpu_moving_s"], 0, "copying")
    expect([row["use"] for row in document["gpu_work"]], ["kernel", "NCCL"], "what is left")


def check_without(reason):
    def check(tools, profile, _):
        document, _ = jobs.report(tools, profile)
        for row in document["ranks"]:
            expect([row["gpu_kernels"], row["gpu_idle_s"]], [reason, None], "kernels")
            expect(row["gpu_waits"], STEPS, "calls of the driver")
        expect(document["gpu_work"], [], "rows of kernels")
    return check


CASES = {
    "steps": ("steps", {}, check_steps), "streams": ("streams", {}, check_streams),
    "names": ("names", {}, check_names),
    "dropped": ("steps", {"FAKE_CUPTI_DROP": "3"}, check_dropped),
    "future": ("steps", {"FAKE_CUPTI_FUTURE": "1"}, check_future),
    "running": ("running", {}, check_running), "killed": ("killed", {}, check_killed),
    "taken": ("steps", {"FAKE_CUPTI_TAKEN": "1"}, check_without("another tool has CUPTI")),
    "injected": ("steps", {"CUDA_INJECTION64_PATH": "/tmp/tool.so"},
                 check_without("another tool has CUPTI")),
    "old": ("steps", {"FAKE_CUPTI_OLD": "1"}, check_without("CUPTI is older than CUDA 12")),
    "refused": ("steps", {"FAKE_CUPTI_REFUSES": "1"},
                check_without("CUPTI refuses it (error 35)")),
    "absent": ("steps", {"CUDA_HOME": ""}, check_without("there is no CUPTI"))}

REFUSED = ("taken", "injected", "old", "refused", "absent")


def run_case(tools, case, arguments):
    program, variables, check = CASES[case]
    path = os.environ.get("LD_LIBRARY_PATH", "")
    settings = {"MPROF_GPU": "kernels", "LD_LIBRARY_PATH": f"{arguments.driver}:{path}",
                "CUDA_HOME": arguments.toolkit, "CUDA_INJECTION64_PATH": "", **variables}
    with jobs.Folder("gpu_kernels", tools.keep) as folder:
        job = jobs.run_profiled(tools, folder.path, RANKS, [arguments.program, program],
                                **settings)
        if (job.status != 0) != (case == "killed"):
            raise jobs.Failure(f"the program failed: {job.describe()}")
        if case in REFUSED and b"MPROF_GPU=kernels" not in job.stderr:
            raise jobs.Failure(f"no warning: {job.describe()}")
        check(tools, folder.sub("profile"), told(job.stdout))


def run(tools, arguments):
    jobs.go_first()  # seconds are compared with the program's own
    for case in arguments.cases:
        try:
            run_case(tools, case, arguments)
        except jobs.Failure as failure:
            raise jobs.Failure(f"{case}: {failure}") from failure


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="gpu_kernels")
    parser.add_argument("--driver", required=True, help="folder of the stand-in for libcuda.so.1")
    parser.add_argument("--toolkit", required=True, help="CUDA_HOME of the stand-in for CUPTI")
    parser.add_argument("--cases", nargs="+", choices=sorted(CASES), default=sorted(CASES))
    sys.exit(jobs.main(run, parser))
