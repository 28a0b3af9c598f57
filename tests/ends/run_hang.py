#!/usr/bin/env python3
"""A job that hangs is explained: while it hangs, when one of its ranks is gone, and after it was
killed.

The program says on which line it hangs (by a comment on that line). It is known which rank is to
blame.
"""

import json
import os
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "mpi"))
import jobs  # noqa: E402

RANKS = 3
SEEN_AFTER_S = 2  # hung that long when it is looked at


def line_of(source, text):
    with open(source, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if text in line:
                return number
    raise jobs.Failure(f"no line with {text} in {source}")


def hang(tools, profile, *options):
    done = subprocess.run([tools.mprof, "hang", profile, *options], capture_output=True, text=True,
                          env=jobs.environment(), timeout=60, check=False)
    if done.returncode != 0 or done.stderr:
        raise jobs.Failure(f"mprof hang: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def expect(what, condition, shown):
    if not condition:
        raise jobs.Failure(f"{what}\n{shown}")


def wait_for_processes(path, launcher):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and launcher.poll() is None:
        with open(path, "rb") as file:
            processes = struct.unpack(f"{RANKS}i", file.read(4 * RANKS))
        if all(processes):
            return processes
        time.sleep(0.02)
    raise jobs.Failure("the program did not get going")


def check_allreduce(standing, text, place, running):
    rows = {row["state"]: row for row in standing["rows"]}
    shown = json.dumps(standing, indent=1)
    expect("two kinds of ranks", set(rows) == {"in call", "outside MPI"}, shown)
    inside, outside = rows["in call"], rows["outside MPI"]
    expect("who is in it", inside["where"] == [{"first": 0, "last": RANKS - 2}] and
           inside["function"] == "MPI_Allreduce" and inside["place"] == place, shown)
    expect("who is not", outside["where"] == [{"first": RANKS - 1, "last": RANKS - 1}] and
           outside["function"] == "MPI_Barrier", shown)
    expect("whether it runs", standing["running"] == running, shown)
    expect("the headline", standing["headline"].startswith(
        f"{RANKS - 1} ranks in MPI_Allreduce at {place} wait for rank {RANKS - 1}, which is "
        "outside MPI, "
        f"{'for' if running else 'since'} "), shown)
    expect("the text", f"wait for rank {RANKS - 1}" in " ".join(text.split()), text)


def look(tools, profile):
    return json.loads(hang(tools, profile, "--json", "-"))["standing"], hang(tools, profile)


def check_collective(tools, arguments, folder):
    progress, profile = os.path.join(folder.path, "processes"), os.path.join(folder.path, "profile")
    place = f"hung.c:{line_of(arguments.source, 'the collective that hangs')}"
    with open(progress, "wb") as file:
        file.write(bytes(4 * RANKS))

    def while_running(launcher):
        processes = wait_for_processes(progress, launcher)
        begin = time.monotonic()
        time.sleep(SEEN_AFTER_S)
        standing, text = look(tools, profile)
        seconds = time.monotonic() - begin
        print(text)
        check_allreduce(standing, text, place, True)
        # 0.5 s: how far apart the ranks came out of MPI_Barrier, at most
        for row in standing["rows"]:
            expect("for how long", SEEN_AFTER_S - 0.5 <= row["shortest_s"] <= row["longest_s"] <=
                   seconds + 0.5, json.dumps(row))
        _, report_says = jobs.report(tools, profile, expected_status=1)
        expect("mprof report on a running job", "incomplete" in report_says, report_says)
        # when one is gone, the launcher may be faster with the others
        jobs.end_processes(processes)

    job = jobs.run_profiled(tools, folder.path, RANKS,
                            [arguments.program, "allreduce", progress], while_running)
    expect("the job was killed", job.status != 0, job.describe())
    standing, text = look(tools, profile)
    print(text)
    check_allreduce(standing, text, place, False)


def check_ring(tools, arguments, folder):
    where = folder.sub("ring")
    progress, profile = os.path.join(where, "processes"), os.path.join(where, "profile")
    with open(progress, "wb") as file:
        file.write(bytes(4 * RANKS))

    def while_running(launcher):
        processes = wait_for_processes(progress, launcher)
        time.sleep(0.5)
        text = " ".join(hang(tools, profile).split())
        expect("a ring",
               "a ring of ranks that wait for each other: rank 0 in MPI_Recv" in text, text)
        jobs.end_processes(processes)

    jobs.run_profiled(tools, where, RANKS, [arguments.program, "ring", progress], while_running)


def check(tools, arguments):
    with jobs.Folder("hang", tools.keep) as folder:
        check_collective(tools, arguments, folder)
        check_ring(tools, arguments, folder)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="ends/hung")
    parser.add_argument("source", help="its source")
    sys.exit(jobs.main(check, parser))
