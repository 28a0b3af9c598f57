#!/usr/bin/env python3
"""Time that ranks spend in the driver of a GPU, with a stand-in for the driver (fake_cuda.c). The
program (gpu_work.c) says what it planted, and what its own clock showed around the calls: the truth
lies between. Waits, copies and all else are told apart, and the states of a rank add up."""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mpi"))
import jobs  # noqa: E402  pylint: disable=wrong-import-position

RANKS = 2
QUERY_S = 2e-6  # QUERY_NS of fake_cuda.h
STATES = ("on_cpu_s", "contention_s", "blocked_s", "gpu_wait_s", "gpu_copy_s", "gpu_launch_s",
          "mpi_thread_s", "own_s")


def expect(found, expected, what):
    if found != expected:
        raise jobs.Failure(f"{what}: {found}, expected {expected}")


def expect_between(value, low, high, what):
    """Within 5 % or 5 ms."""
    if value is None or not min(0.95 * low, low - 0.005) <= value <= max(1.05 * high,
                                                                          high + 0.005):
        raise jobs.Failure(f"{what}: {value}, expected {low} to {high}")


def told(stdout):
    """[{"waits": (planted, measured, calls), ..., "bytes": (to, from, on the device)}, ...]"""
    ranks = [{} for _ in range(RANKS)]
    for rank, what, words in re.findall(r"rank (\d+) (\w+) ([\d. ]+)\n", stdout.decode()):
        ranks[int(rank)][what] = tuple(float(word) for word in words.split())
    return ranks


def check_states(row):
    """They add up to the wall time."""
    states = {name: row[name] for name in STATES}
    if None in states.values():
        raise jobs.Failure(f"a state is not known: {states}")
    if abs(sum(states.values()) - row["wallclock_s"]) > 1e-3 + 1e-3 * row["wallclock_s"]:
        raise jobs.Failure(f"{states} do not add up to {row['wallclock_s']}")


def check_counts(row, truth, what):
    """Launches are all other calls that are timed: each load is one, memory is taken and freed."""
    expect(row["gpu_waits"], truth["waits"][2], f"waits of {what}")
    expect(row["gpu_polls"], truth["polls"][2], f"polls of {what}")
    expect(row["gpu_copies"], truth["copies"][2], f"copies of {what}")
    memory = 2 * truth["loads"][2]
    expect(row["gpu_launches"], truth["launches"][2] + truth["loads"][2] + memory,
           f"other calls of {what}")
    sizes = [row[f"gpu_{where}_device_bytes"] for where in ("to", "from", "on")]
    expect(sizes, list(truth["bytes"]), f"bytes of {what}")
    expect(row["gpu_elsewhere_bytes"], 0, f"other bytes of {what}")


def check_times(row, truth, what):
    waits, polls = truth["waits"], truth["polls"]
    expect_between(row["gpu_wait_s"], waits[0], waits[1] + polls[1], f"waits of {what}")
    expect_between(row["gpu_copy_s"], *truth["copies"][:2], f"copies of {what}")
    launches, loads = truth["launches"], truth["loads"]
    expect_between(row["gpu_launch_s"], launches[0] + loads[0], launches[1] + loads[1],
                   f"other calls of {what}")


def check_sleep(row, truth, what):
    """A thread that sleeps in the driver is not blocked by the program's own doing."""
    expect_between(row["gpu_off_cpu_s"], 0.9 * truth["waits"][0], row["gpu_wait_s"]
                   + row["gpu_copy_s"] + row["gpu_launch_s"], f"sleep of {what}")
    if row["blocked_s"] > 0.06 + 0.5 * truth["waits"][0]:
        raise jobs.Failure(f"{what} is blocked for {row['blocked_s']} s")


def check_summary(document, stderr):
    """That of MPI_Finalize: time in the driver is no computing."""
    totals = {name: float(total) for name, total in
              re.findall(r"# (compute|GPU driver) *: +([\d.]+) ", stderr.decode())}
    driver_s = sum(row[f"gpu_{what}_s"] for row in document["ranks"]
                   for what in ("wait", "copy", "launch"))
    outside_s = sum(row["compute_s"] for row in document["ranks"])
    expect_between(totals.get("GPU driver"), driver_s - 0.02, driver_s + 0.02,
                   "time in the driver, in the summary")
    expect_between(totals["compute"] + totals["GPU driver"], outside_s - 0.02, outside_s + 0.02,
                   "computing, in the summary")


def check_bins(document):
    """The run over time has the same states."""
    for name in ("gpu_wait_s", "gpu_copy_s", "gpu_launch_s"):
        total = document["totals"][name] / RANKS
        expect_between(sum(row[name] for row in document["time"]["bins"]), total, total,
                       f"{name} of the bins")


def text_of(tools, profile):
    """Its words, without line breaks."""
    done = subprocess.run([tools.mprof, "report", profile, "--all"], capture_output=True,
                          timeout=60, env=jobs.environment(), check=False)
    return " ".join(done.stdout.decode(errors="replace").replace("#", " ").split())


def check_text(tools, profile):
    text = text_of(tools, profile)
    for words in (r"The average rank waits \d+ ms for its GPU", r"Rank 1 waits longest: \d+ ms",
                  r"GPU wait :", r"waiting for the GPU \d+%"):
        if not re.search(words, text):
            raise jobs.Failure(f"the report does not say {words!r}: {text}")


def check_planted(tools, profile, truths, sleeps, stderr):
    document, _ = jobs.report(tools, profile)
    check_summary(document, stderr)
    for row, truth in zip(document["ranks"], truths):
        what = f"rank {row['rank']}"
        check_counts(row, truth, what)
        check_times(row, truth, what)
        check_states(row)
        if sleeps:
            check_sleep(row, truth, what)
    check_bins(document)
    parts = {part["state"]: part["time_s"] for part in document["time_parts"]}
    expect_between(parts["waiting for the GPU"], document["totals"]["gpu_wait_s"] / RANKS,
                   document["totals"]["gpu_wait_s"] / RANKS, "the average rank's waiting")


def check_sites(tools, profile, truths, source):
    """Each place is that line of the program from which it called the runtime."""
    document, _ = jobs.report(tools, profile)
    rows = document["gpu_sites"]
    for use, fields, also in (("wait", ("gpu_waits", "gpu_polls"), RANKS),
                              ("copy", ("gpu_copies",), 0), ("other", ("gpu_launches",), 0)):
        # A copy that waits for a kernel is in both.
        expect(sum(row["calls"] for row in rows if row["use"] == use),
               sum(rank[field] for rank in document["ranks"] for field in fields) + also,
               f"calls of all places for {use}")
    with open(source, encoding="utf-8") as lines:
        line = 1 + [text.strip() for text in lines].index(
            "MEASURED(&waits, 1e-9 * (double)ns, runtime_wait(stream));")
    found = [row for row in rows if row["place"] == f"gpu_work.c:{line}"]
    expect([row["use"] for row in found], ["wait"], f"the places at line {line} in {rows}")
    expect(found[0]["calls"], 5 * RANKS, "its calls")
    expect(found[0]["function"], "kernel_and_wait", "its function")
    expect(found[0]["max_rank"], 1, "the rank that waits most")
    expect_between(found[0]["max_s"], 5 * 2 * 0.03, truths[1]["waits"][1], "its time there")
    expect_between(found[0]["longest_call_s"], 0.06, truths[1]["waits"][1], "the longest call")
    text = text_of(tools, profile)
    if f"Most of the waiting is at gpu_work.c:{line}" not in text:
        raise jobs.Failure(f"the report does not name line {line}: {text}")


def check_polls(tools, profile, truths):
    document, _ = jobs.report(tools, profile)
    for row, truth in zip(document["ranks"], truths):
        what = f"rank {row['rank']}"
        check_counts(row, truth, what)
        low = QUERY_S * truth["polls"][2]
        expect_between(row["gpu_wait_s"], low, truth["polls"][1], f"polls of {what}")
        check_states(row)


def check_threads(tools, profile, truths):
    """Counts are those of all threads; time of a thread without MPI is no state of the rank."""
    document, _ = jobs.report(tools, profile)
    for row, truth in zip(document["ranks"], truths):
        what = f"rank {row['rank']}"
        check_counts(row, truth, what)
        expect(row["gpu_wait_s"], 0, f"waits of {what}'s MPI thread")
        low, high = (sum(truth[kind][i] for kind in ("waits", "copies", "launches", "loads"))
                     for i in (0, 1))
        expect_between(row["gpu_other_threads_s"], low, high, f"the other thread of {what}")
        check_states(row)


def check_killed(tools, profile, truths):
    document, _ = jobs.report(tools, profile, expected_status=None)
    row = document["ranks"][1]
    expect(row["complete"], False, "rank 1 was killed")
    check_counts(row, truths[1], "the killed rank")
    expect_between(row["gpu_wait_s"], *truths[1]["waits"][:2], "waits of the killed rank")
    expect_between(row["wallclock_s"], truths[1]["waits"][0], 60, "the time of the killed rank")


def check_off(tools, profile):
    document, _ = jobs.report(tools, profile)
    for row in document["ranks"]:
        expect([row["gpu_wait_s"], row["gpu_copies"]], [None, None], "figures with MPROF_GPU=off")
    if "GPU" in text_of(tools, profile):
        raise jobs.Failure("the report tells of a GPU with MPROF_GPU=off")


def run(tools, arguments):
    case = arguments.case
    words = {"sleeps": ["planted"], "polls_timed": ["polls"], "off": ["checks", "0"],
             "checks": ["checks", "1"]}
    environment = {"LD_LIBRARY_PATH": f"{arguments.driver}:{os.environ.get('LD_LIBRARY_PATH', '')}"}
    if case == "sleeps":
        environment["FAKE_CUDA_SLEEPS"] = "1"
    if case in ("planted", "sleeps"):
        environment["MPROF_SUMMARY"] = "text"
    if case == "off":
        environment["MPROF_GPU"] = "off"
    if case == "polls_timed":
        environment["MPROF_SAMPLE"] = "0"
    with jobs.Folder("gpu", tools.keep) as folder:
        job = jobs.run_profiled(tools, folder.path, RANKS,
                                [arguments.program] + words.get(case, [case]), **environment)
        if (job.status != 0) != (case == "killed"):
            raise jobs.Failure(f"the program failed: {job.describe()}")
        profile, truths = folder.sub("profile"), told(job.stdout)
        if case in ("planted", "sleeps"):
            check_planted(tools, profile, truths, case == "sleeps", job.stderr)
            check_text(tools, profile)
            if arguments.source:
                check_sites(tools, profile, truths, arguments.source)
        elif case == "off":
            check_off(tools, profile)
        elif case != "checks":
            {"polls": check_polls, "polls_timed": check_polls, "threads": check_threads,
             "killed": check_killed}[case](tools, profile, truths)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("case", choices=["planted", "sleeps", "polls", "polls_timed", "threads",
                                         "killed", "checks", "off"])
    parser.add_argument("program", help="gpu_work")
    parser.add_argument("--source", help="gpu_work.c, whose lines the report has to name")
    parser.add_argument("--driver", required=True, help="folder of the stand-in for libcuda.so.1")
    sys.exit(jobs.main(run, parser))
