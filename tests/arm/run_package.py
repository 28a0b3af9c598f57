#!/usr/bin/env python3
"""The package for ARM as its user has it: unpacked, `mprof run` in front of mpirun, the summary,
the report with lines, the page, and `mprof hang` on a job that stands still. Runs in the system of
system.sh.
"""

import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "mpi"))
import jobs  # noqa: E402

RANKS = 2
SOURCE = os.path.join(HERE, "ring.c")
STANDS_AFTER_S = 20  # in a job that hangs; what runs here takes many times as long as elsewhere
SECONDS = 300


def lines_with(pattern):
    """{line of ring.c: what the pattern found}"""
    with open(SOURCE, encoding="utf-8") as file:
        found = {number: re.search(pattern, line) for number, line in enumerate(file, 1)}
    return {number: match for number, match in found.items() if match}


def said(tools, folder, *words):
    """What `mprof WORDS` prints."""
    done = subprocess.run([tools.mprof, *words], cwd=folder, capture_output=True, text=True,
                          env=jobs.environment(), timeout=SECONDS, check=False)
    if done.returncode != 0:
        raise jobs.Failure(f"mprof {' '.join(words)}: exit status {done.returncode}\n"
                           f"{done.stdout}{done.stderr}")
    return done.stdout


def expect(what, condition, shown):
    if not condition:
        raise jobs.Failure(f"not so: {what}\n{shown}")


def check_lines(document):
    """Each line of main() that calls the helper has its calls: the call paths are right."""
    counts = {}
    for row in document["callsites"]:
        if row["function"] == "MPI_Sendrecv":
            line = next(frame["line"] for frame in row["path"] if frame["symbol"] == "main")
            counts[line] = counts.get(line, 0) + row["calls"]
    expected = {line: RANKS * int(found[1]) for line, found in lines_with(r"@(\d+)").items()
                if "shift" in found.string}
    expect("calls of each line", counts == expected, f"{counts}, expected {expected}")
    quality = document["quality"]
    for key in ("callsite_disagreements", "callsite_blind_frames"):
        expect(f"no {key}", quality[key] == 0, str(quality))
    expect("the clock has a resolution", quality["clock_resolution_s"] > 0, str(quality))


def check_run(tools, program, folder):
    job = jobs.run_profiled(tools, folder, RANKS, [program], MPROF_SUMMARY=None)
    text = (job.stdout + job.stderr).decode(errors="replace")
    expect("it ended well", job.status == 0, job.describe())
    expect("there is a summary", "# VERDICT" in text, job.describe())
    document, _ = jobs.report(tools, os.path.join(folder, "profile"))
    check_lines(document)
    text = said(tools, folder, "report", "profile")
    expect("the report has lines", re.search(r"ring[.]c:\d+", text), text)
    said(tools, folder, "report", "profile", "--html", "page.html")
    with open(os.path.join(folder, "page.html"), encoding="utf-8") as file:
        page = file.read()
    expect("the page has a verdict", re.search("<h1>[A-Z]", page), page[:2000])
    print(document["verdict"]["headline"])


def check_hang(tools, program, folder):
    (line,) = lines_with(r"/\* hangs here")
    seen = []

    def while_running(launcher):
        deadline = time.monotonic() + SECONDS
        profile = os.path.join(folder, "profile")
        while not os.path.isdir(profile) and launcher.poll() is None:
            expect("a profile while the job runs", time.monotonic() < deadline, folder)
            time.sleep(0.2)
        time.sleep(STANDS_AFTER_S)
        seen.append(said(tools, folder, "hang", "profile"))
        jobs.end_processes(jobs.descendants(launcher.pid))

    jobs.run_profiled(tools, folder, RANKS, [program, "hang"], while_running)
    seen.append(said(tools, folder, "hang", "profile"))
    for when, text in zip(("while it stands", "after it was killed"), seen):
        words = " ".join(text.split())
        expect(f"mprof hang, {when}", f"MPI_Allreduce at ring.c:{line} waits for rank 1" in words,
               text)
        print(f"{when}: {words[:200]}")


def check(tools, _):
    with jobs.Folder("package", tools.keep) as folder:
        program = os.path.join(folder.path, "ring")
        subprocess.run([f"mpicc.{tools.mpi}", "-g", "-O1", "-o", program, SOURCE], check=True)
        check_run(tools, program, folder.sub("run"))
        check_hang(tools, program, folder.sub("hang"))


if __name__ == "__main__":
    sys.exit(jobs.main(check, jobs.argument_parser(__doc__)))
