#!/usr/bin/env python3
"""So many ranks that mprof works on them in several threads, and keeps less of each rank:
run_threads.py MPROF GENERATE_RANKS FOLDER RANKS [RANKS_OF_FOLDER]

From 4,096 ranks entries are packed, from 16,384 the members of a communicator are divided between
threads, from some 24,600 and 28,300 journals and time bins of this run are thinned. Whatever mprof
does there, no rank is lost and none counted twice: calls, bytes, messages and seconds are what was
generated (cg_truth.py). The planted slow rank is named. The report does not depend on the number of
CPUs.

Without RANKS_OF_FOLDER only the JSON document of a merged file is made, once: that is for
ThreadSanitizer, whose message is an error of the report. With it pages are made as well, and a
folder of so many files is tested.
"""
import json
import os
import shutil
import subprocess
import sys

import cg_truth

MPROF, GENERATE, WORK = sys.argv[1:4]
RANKS = int(sys.argv[4])
RANKS_OF_FOLDER = int(sys.argv[5]) if len(sys.argv) > 5 else None
FORMS = ("json", "html") if RANKS_OF_FOLDER else ("json",)
RANKS_THINNED = 24_000  # of more ranks, not all that is in journals is kept
ONE_CPU = [sys.executable, "-c", "import os, sys; os.sched_setaffinity(0, "
           "[min(os.sched_getaffinity(0))]); os.execv(sys.argv[1], sys.argv[1:])"]
failures = []


def check(condition, what):
    print(("ok      " if condition else "FAILED  ") + what, flush=True)
    if not condition:
        failures.append(what)


def check_equal(found, expected, what):
    check(found == expected, what if found == expected else f"{what}: {found} is not {expected}")


def check_near(found, expected, part, what):
    check(abs(found - expected) <= part * abs(expected), f"{what}: {found:.9g}, {expected:.9g}")


def check_rows(found, expected, what):
    """Two dictionaries. Of many rows that differ, one is shown."""
    wrong = [key for key in found.keys() | expected.keys() if found.get(key) != expected.get(key)]
    shown = "".join(f"; {key}: {found.get(key)} is not {expected.get(key)}" for key in wrong[:1])
    check(not wrong, f"{what}: {len(wrong)} of {len(expected)} differ{shown}")


def total(rows, key):
    return sum(row[key] for row in rows)


def generate(name, ranks, slow_rank, *options):
    place = f"{WORK}/{name}"
    words = [place, str(ranks), "--slow-rank", str(slow_rank), *options]
    subprocess.run([GENERATE, *words], check=True)
    return place


def report_of(place, before=()):
    """The JSON document and the page, as they were written."""
    files = [f"{WORK}/report.{form}" for form in FORMS]
    outputs = [word for form, file in zip(FORMS, files) for word in (f"--{form}", file)]
    process = subprocess.run([*before, MPROF, "report", place, *outputs], stderr=subprocess.PIPE,
                             text=True, check=False)
    check(process.returncode == 0 and not process.stderr,
          f"report of {os.path.basename(place)}: exit status {process.returncode} "
          f"{process.stderr[:4000]}")
    if not all(map(os.path.exists, files)):
        sys.exit(1)
    contents = []
    for name in files:
        with open(name, "rb") as file:
            contents.append(file.read())
        os.remove(name)
    return contents


def check_calls(report, truth):
    functions = truth.functions()
    check_rows({row["function"]: (row["calls"], row["bytes"]) for row in report["functions"]},
               functions, "calls and bytes of functions")
    calls = sum(calls for calls, _ in functions.values())
    check_equal(report["totals"]["calls"], calls, "all calls")
    for table in ("callsites", "messages", "communicators"):
        check_equal(total(report[table], "calls"), calls, f"all calls are in {table}")
    time = report["time"]["bins"]
    check_near(total(time, "calls") * truth.ranks, calls, 1e-6, "calls in the course of time")
    check_near(total(time, "bytes") * truth.ranks,
               sum(size for _, size in functions.values()), 1e-6, "bytes in the course of time")
    check_equal(sum(row["name"] == "row" for row in report["communicators"]),
                truth.ranks // truth.row, "communicators of rows")


def check_ranks(report, truth):
    every = range(truth.ranks)
    check_rows({row["rank"]: (row["calls"], row["sent_bytes"]) for row in report["ranks"]},
               {rank: (truth.calls_of(rank), truth.sent_bytes_of(rank)) for rank in every},
               "calls and sent bytes of ranks")
    check_rows({row["host"]: row["ranks"] for row in report["nodes"]}, truth.nodes(),
               "ranks of nodes")
    check_rows({(row["source"], row["destination"]): (row["messages"], row["bytes"])
                for row in report["matrix"]}, truth.messages(), "messages from rank to rank")
    wallclock_s = [truth.wallclock_s_of(rank) for rank in every]
    far = max(abs(row["wallclock_s"] - wallclock_s[row["rank"]]) for row in report["ranks"])
    check(far < 1e-8, f"wallclocks of ranks: {far:.3g} s off at most")
    check_near(report["totals"]["wallclock_s"], sum(wallclock_s), 1e-9, "their sum")


def check_slow_rank(report, truth, slow_rank):
    verdict = report["verdict"]
    first = f"LOAD-IMBALANCE BOUND. Rank {slow_rank} works for 35.7 s, the average rank for 24.0 s"
    check(verdict["headline"].startswith(first), f"{verdict['headline'][:len(first)]}")
    check_equal([row["rank"] for row in report["causes"]], [slow_rank], "it is the only cause")
    check_near(report["ranks"][slow_rank]["compute_s"], truth.compute_s_of_slowest(slow_rank), 1e-9,
               "what it computes")
    dot = max(report["callsites"], key=lambda row: row["time_s"])
    wait_s = dot["time_s"] - dot["calls"] * (cg_truth.REDUCE_S - cg_truth.READ_S)
    check_near(dot["wait_s"], wait_s, 0.01, "what the others wait at the dot product")
    check_near(report["causes"][0]["caused_wait_s"], wait_s, 0.01, "for that rank")
    check_equal(dot["last_rank"], slow_rank, "who is last there")


def check_report(document, ranks, slow_rank):
    truth, report = cg_truth.CgTruth(ranks), json.loads(document)
    quality = report["quality"]
    check_equal((report["run"]["ranks"], quality["ranks_read"], len(report["ranks"])),
                (ranks, ranks, ranks), "number of ranks")
    check_equal(quality["collectives"], ranks * cg_truth.COLLECTIVES, "collectives in journals")
    check_equal(quality["collectives_kept"] < quality["collectives"], ranks > RANKS_THINNED,
                f"{quality['collectives_kept']} of them kept")
    check_calls(report, truth)
    check_ranks(report, truth)
    check_slow_rank(report, truth, slow_rank)


def check_one_cpu(place, report):
    of_one_cpu = report_of(place, ONE_CPU)
    for form, on_all, on_one in zip(FORMS, report, of_one_cpu):
        check(on_one == on_all, f"{form}: byte for byte the same on one CPU")


def test_merged_file():
    slow_rank = RANKS - 1000  # of the last of the blocks that threads take
    place = generate("merged", RANKS, slow_rank, "--merged")
    report = report_of(place)
    check_report(report[0], RANKS, slow_rank)
    if RANKS_OF_FOLDER:
        check_one_cpu(place, report)


def test_folder():
    slow_rank = RANKS_OF_FOLDER - 1
    place = generate("folder", RANKS_OF_FOLDER, slow_rank)
    report = report_of(place)
    check_report(report[0], RANKS_OF_FOLDER, slow_rank)
    check_one_cpu(place, report)
    merged = f"{WORK}/merged_folder"
    subprocess.run([MPROF, "merge", place, "-o", merged], check=True, stderr=subprocess.DEVNULL)
    check(report_of(merged)[0] == report[0], "the merged file's report is that of the folder")


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
test_merged_file()
if RANKS_OF_FOLDER:
    test_folder()
shutil.rmtree(WORK)
sys.exit(1 if failures else 0)
