#!/usr/bin/env python3
"""Profiles of many ranks: run_scale.py MPROF GENERATE_RANKS FOLDER

A merged file says the same as the folder it was made of. Damage costs the ranks of a block, and
mprof says so. mprof finds the planted imbalance. Memory grows by few bytes per rank, and pages stay
small.
"""
import json
import os
import shutil
import subprocess
import sys

MPROF, GENERATE, WORK = sys.argv[1:4]
failures = []


def check(condition, what):
    print(("ok      " if condition else "FAILED  ") + what)
    if not condition:
        failures.append(what)


def mprof(*arguments):
    """Exit status, standard output, standard error, kilobytes of memory at most."""
    process = subprocess.Popen([MPROF, *arguments], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    out, err = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, out, err, usage.ru_maxrss


def generate(ranks, missing=0):
    folder = f"{WORK}/{ranks}-{missing}"
    if not os.path.exists(folder):
        subprocess.run([GENERATE, folder, str(ranks), str(missing)], check=True)
    return folder


def report_of(path):
    status, out, err, _ = mprof("report", path, "--json", "-")
    check(status in (0, 1), f"report of {os.path.basename(path)}: exit status {status} {err[:200]}")
    return json.loads(out)


def flip(path, target, offset):
    with open(path, "rb") as source:
        content = bytearray(source.read())
    content[offset] ^= 1
    with open(target, "wb") as out:
        out.write(content)


def test_merged_file(folder, ranks, missing):
    merged = f"{WORK}/merged"
    status, _, err, _ = mprof("merge", folder, "-o", merged)
    check(status == 0 and f"{ranks - missing} files" in err, f"merge: {err.strip()}")
    of_folder = report_of(folder)
    check(report_of(merged) == of_folder, "the merged file's report is that of the folder")
    check(len(of_folder["quality"]["missing_ranks"]) == 1, "missing ranks are named")
    size = sum(os.path.getsize(f"{folder}/{name}") for name in os.listdir(folder))
    check(os.path.getsize(merged) * 2
          < size, f"it is less than half as large ({os.path.getsize(merged)} of {size} bytes)")

    one_cpu = [sys.executable, "-c", "import os, sys; os.sched_setaffinity(0, "
               "[min(os.sched_getaffinity(0))]); os.execv(sys.argv[1], sys.argv[1:])"]
    text = subprocess.run([*one_cpu, MPROF, "report", folder, "--json", "-"],
                          capture_output=True, text=True).stdout
    check(json.loads(text) == of_folder, "it is the same on one CPU")

    check(mprof("hang", merged)[0] == 0, "hang takes it")
    check(mprof("diff", folder, merged)[0] in (0, 1), "diff takes it")

    os.makedirs(f"{WORK}/parts", exist_ok=True)
    shutil.copy(merged, f"{WORK}/parts/part")
    mprof("merge", f"{WORK}/parts", "-o", f"{WORK}/again")
    check(report_of(f"{WORK}/again") == of_folder, "a merged file can be merged again")

    flip(merged, f"{WORK}/flipped", 1000)
    status, _, err, _ = mprof("report", f"{WORK}/flipped")
    check(status == 1 and "flipped" in err and "damaged" in err,
          "a changed byte costs a block and is named")
    flip(merged, f"{WORK}/header", 20)
    check(mprof("report", f"{WORK}/header")[0] == 2, "a changed header is refused")
    with open(merged, "rb") as source, open(f"{WORK}/short", "wb") as out:
        out.write(source.read()[:-100])
    check(mprof("report", f"{WORK}/short")[0] == 2, "a shorter file is refused")


def test_findings(report):
    check(report["verdict"]["class"] == "load-imbalance bound", "the class is load imbalance")
    check("node0003" in report["verdict"]["headline"], "the slow node is named")
    check(all(row["host"] == "node0003" for row in report["causes"]) and report["causes"],
          "all ranks that are waited for are on it")


def test_slow_rank():
    merged = f"{WORK}/slow"
    command = [GENERATE, merged, "500", "--merged", "--slow-rank", "321"]
    subprocess.run(command, check=True)
    first_words = " ".join(mprof("report", merged, "--brief")[1].split()[:40])
    check("ank 321 " in first_words, f"the one slow rank is named: {first_words}")


def test_memory():
    few, many = 1100, 2200  # with as many time bins per rank
    kilobytes = {ranks: mprof("report", generate(ranks))[3] for ranks in (few, many)}
    per_rank = (kilobytes[many] - kilobytes[few]) * 1024 / (many - few)
    check(per_rank < 15200, f"{per_rank:.0f} bytes of memory per rank")


def test_pages():
    for ranks, most in ((1, 276_000), (64, 352_000), (2200, 400_000)):
        page = f"{WORK}/{ranks}.html"
        status = mprof("report", generate(ranks), "--html", page)[0]
        check(status == 0 and os.path.getsize(page)
              <= most, f"page of {ranks} ranks: {os.path.getsize(page)} bytes")


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
test_merged_file(generate(600, 3), 600, 3)
test_findings(report_of(generate(256)))
test_slow_rank()
test_memory()
test_pages()
shutil.rmtree(WORK)
sys.exit(1 if failures else 0)
