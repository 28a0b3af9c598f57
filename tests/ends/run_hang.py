#!/usr/bin/env python3
"""A job that hangs is explained: while it hangs, when one of its ranks is gone or stopped, and
after it was killed. Each way to hang (hung.c) has its sentences.

The program says on which line it hangs (by a comment on that line). It is known which rank is to
blame.
"""

import json
import os
import re
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "mpi"))
import jobs  # noqa: E402

RANKS = 3
SEEN_AFTER_S = 2  # hung that long when it is looked at
ASLEEP_AFTER_S = 4  # later, a rank that sleeps is said to hang
# Ranks wait for each other, so that it does not matter what the others do.
DEADLOCKS = {"ring", "sends", "without", "tags", "two"}
# Also when nobody looks before it was killed.
PROVEN = DEADLOCKS
KILLED_TIMES = 6  # a healthy job, each time somewhere else


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


def check_stack(standing, text):
    """Of the rank outside MPI, which sleeps."""
    shown = json.dumps(standing, indent=1)
    if standing["stacks_remark"]:
        print(f"stacks: not checked: {standing['stacks_remark']}")
        return
    rows = [row for row in standing["stacks"] if row["is_first"]]
    expect("whose stack", [row["rank"] for row in rows] == [RANKS - 1], shown)
    expect("what it does", rows[0]["doing"] in ("in clock_nanosleep()", "sleeps"), shown)
    names = [frame["symbol"] for frame in rows[0]["frames"]]
    expect("its functions", names[-2:] == ["allreduce", "main"], shown)
    expect("in the text", re.search(r"allreduce \(hung[.]c:\d+\)", text), text)


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
        check_stack(standing, text)
        # 0.5 s: how far apart the ranks came out of MPI_Barrier, at most
        for row in standing["rows"]:
            expect("for how long", SEEN_AFTER_S - 0.5 <= row["shortest_s"] <= row["longest_s"] <=
                   seconds + 0.5, json.dumps(row))
        _, report_says = jobs.report(tools, profile, expected_status=1)
        expect("mprof report on a running job", "incomplete" in report_says, report_says)
        time.sleep(ASLEEP_AFTER_S)
        report, _ = jobs.report(tools, profile, expected_status=1)
        check_class(report, "HUNG")
        # when one is gone, the launcher may be faster with the others
        jobs.end_processes(processes)

    job = jobs.run_profiled(tools, folder.path, RANKS,
                            [arguments.program, "allreduce", progress], while_running)
    expect("the job was killed", job.status != 0, job.describe())
    standing, text = look(tools, profile)
    print(text)
    check_allreduce(standing, text, place, False)
    # Nothing tells that the rank outside MPI did not compute until it was killed.
    report, _ = jobs.report(tools, profile, expected_status=1)
    expect("a killed job", report["verdict"]["headline"].startswith(
        "DID NOT END: " + report["standing"]["headline"]), report["verdict"]["headline"])


def check_class(report, name):
    """The report begins with what `mprof hang` says."""
    verdict = report["verdict"]
    expect(f"the class is {name}", verdict["class"] == name, json.dumps(verdict, indent=1))
    expect("the headline", verdict["headline"] == f"HUNG: {report['standing']['headline']}.",
           verdict["headline"])


def sentences(tools, profile):
    """What is said, without line ends, and how wide the widest line is."""
    text = hang(tools, profile, "--width", "80")
    expect("at most 80 columns", max(map(len, text.splitlines())) <= 80, text)
    expect("nothing that a terminal obeys",
           not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text), text)
    return re.sub(r"\n# {12}", " ", text)


# By the mode of hung.c: what must be said, as regular expressions. PLACE stands for a place of
# hung.c, TIME for how long.
STUCK = {
    "ring": ["a ring of ranks that wait for each other: rank 0 in MPI_Recv"],
    "sends": ["a ring of ranks that wait for each other: rank 0 in MPI_Send PLACE waits for rank "
              "1, rank 1 in MPI_Send PLACE waits for rank 2, rank 2 in MPI_Send PLACE waits for "
              "rank 0"],
    "without": ["a ring of ranks that wait for each other: rank 0 in MPI_Barrier PLACE waits for "
                "rank 2, rank 2 in MPI_Recv PLACE waits for rank 0"],
    "named": ["2 ranks in MPI_Barrier on rows of the grid PLACE wait for rank 2, which is outside",
              "2 ranks in MPI_Barrier on rows of the grid PLACE, TIME: 0-1"],
    "garbled": [r"2 ranks in MPI_Barrier on .x1b\[2J"],
    "tags": ["waiting  : the tags of a message do not match: rank 0 in MPI_Ssend PLACE sends tag 1 "
             "to rank 1, rank 1 in MPI_Recv PLACE waits for tag 2 from rank 0",
             "rank 0 in MPI_Ssend to rank 1, tag 1, on turned PLACE, TIME",
             "rank 1 in MPI_Recv from rank 0, tag 2, on turned PLACE, TIME"],
    "two": ["a ring of ranks that wait for each other: rank 0 in MPI_Barrier on first PLACE waits "
            "for rank 1, rank 1 in MPI_Barrier on second PLACE waits for rank 0"],
    "wait": ["rank 0 in MPI_Wait for MPI_Irecv PLACE waits for rank 1, rank 1 in MPI_Wait for "
             "MPI_Issend PLACE waits for rank 2, which is outside MPI, TIME",
             "rank 0 in MPI_Wait for MPI_Irecv from rank 1, tag 7 PLACE, TIME",
             "rank 1 in MPI_Wait for MPI_Issend to rank 2, tag 8 PLACE, TIME"],
    "poll": ["rank 0 polling with MPI_Test for MPI_Irecv PLACE waits for rank 2, which is outside",
             "rank 0 polls with MPI_Test for MPI_Irecv from rank 2, tag 7 PLACE, TIME",
             "rank 1 polls with MPI_Iprobe for a message from any rank, tag 9 PLACE, TIME"],
    "lock": ["rank 0 in MPI_Recv PLACE waits for rank 1, rank 1 in MPI_Win_lock PLACE waits for "
             "the lock of rank 2, which is outside MPI, TIME",
             "rank 1 in MPI_Win_lock for the memory of rank 0 PLACE, TIME"],
    "stopped": ["2 ranks in MPI_Allreduce PLACE wait for rank 2, which is stopped .signal., "
                "outside MPI, TIME",
                "rank 2 is stopped .signal., outside MPI, after MPI_Barrier PLACE, TIME"],
}


def check_stuck(tools, arguments, folder, mode):
    where = folder.sub(mode)
    progress, profile = os.path.join(where, "processes"), os.path.join(where, "profile")
    with open(progress, "wb") as file:
        file.write(bytes(4 * RANKS))

    def while_running(launcher):
        processes = wait_for_processes(progress, launcher)
        try:
            time.sleep(SEEN_AFTER_S)
            if mode == "stopped":
                os.kill(processes[RANKS - 1], signal.SIGSTOP)
                time.sleep(0.5)
            text = sentences(tools, profile)
            print(mode, text, sep="\n")
            for sentence in STUCK[mode]:
                pattern = sentence.replace("PLACE", r"at hung[.]c:\d+")
                pattern = pattern.replace("TIME", r"for [1-9]\d*[.]\d+ s")
                expect(f"{mode}: {sentence}", re.search(pattern, text), text)
            if mode in DEADLOCKS:
                check_class(jobs.report(tools, profile, expected_status=1)[0], "HUNG")
        finally:
            jobs.end_processes(processes)

    program = [arguments.program, "allreduce" if mode == "stopped" else mode, progress]
    jobs.run_profiled(tools, where, RANKS, program, while_running)
    if mode in PROVEN:
        check_class(jobs.report(tools, profile, expected_status=1)[0], "HUNG")


def check_killed_in_good_health(tools, arguments, folder, time_s):
    """In calls all the time, but none of them is long."""
    where = folder.sub(f"healthy-{time_s:.2f}")
    progress, profile = os.path.join(where, "processes"), os.path.join(where, "profile")
    with open(progress, "wb") as file:
        file.write(bytes(4 * RANKS))

    def while_running(launcher):
        processes = wait_for_processes(progress, launcher)
        time.sleep(time_s)
        jobs.end_processes(processes)

    jobs.run_profiled(tools, where, RANKS, [arguments.program, "healthy", progress], while_running)
    report, _ = jobs.report(tools, profile, expected_status=1)
    headline = report["verdict"]["headline"]
    expect("it did not hang", report["verdict"]["class"] != "HUNG" and "HUNG" not in headline,
           headline)


def check(tools, arguments):
    jobs.go_first()
    with jobs.Folder("hang", tools.keep) as folder:
        for turn in range(KILLED_TIMES):
            check_killed_in_good_health(tools, arguments, folder, 0.3 + 0.07 * turn)
        check_collective(tools, arguments, folder)
        for mode in STUCK:
            check_stuck(tools, arguments, folder, mode)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="ends/hung")
    parser.add_argument("source", help="its source")
    sys.exit(jobs.main(check, parser))
