#!/usr/bin/env python3
"""Every way a job can end, without and with mprof: what was recorded, the exit status, the time it
takes to end, and what is left.

The program counts its calls itself. So the test knows for each end how many calls there must be.
The result is a column of the table in ends.md, which has to be what this run found
(--table). --write puts it there.
"""

import glob
import os
import re
import signal
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "mpi"))
import control_group  # noqa: E402
import doc_table  # noqa: E402
import jobs  # noqa: E402

RANKS = 2
ROW = struct.Struct("qqq")
OTHER_CALLS = 3  # MPI_Init, MPI_Comm_rank, MPI_Comm_size
# Ending under mprof may take that much longer before it counts as longer: the machine may be busy,
# and a rank writes a file.
SLACK_S = 1.5
COLUMNS = ["end", "MPI", "calls kept", "exit status", "time to end", "left-overs"]


class End:
    """One row. `signals` are sent one after the other, a second apart, to `target`: rank, ranks or
    mpirun. The job gets no more memory than `memory_bytes`."""

    def __init__(self, name, mode, *signals, target=None, end=None, memory_bytes=None):
        self.name, self.mode, self.signals, self.target, self.end = name, mode, signals, target, end
        self.memory_bytes = memory_bytes


TERM, INT, KILL = signal.SIGTERM, signal.SIGINT, signal.SIGKILL
ENDS = [
    End("MPI_Finalize", "finalize", end="finalize"),
    End("MPI_Finalize, one rank 2 s later", "late", end="finalize"),
    End("one rank dies while the others are in MPI_Finalize", "never", end="none"),
    End("all return from main without MPI_Finalize", "return", end="exit"),
    End("exit on one rank", "exit", end="exit"),
    End("_exit on one rank", "_exit", end="none"),
    End("MPI_Abort on one rank", "abort", end="abort"),
    End("SIGSEGV in one rank", "crash", end="none"),
    End("SIGABRT in one rank", "assert", end="none"),
    End("SIGTERM to one rank", "forever", TERM, target="rank", end="none"),
    End("SIGTERM to all ranks", "forever", TERM, target="ranks", end="none"),
    End("SIGTERM to mpirun", "forever", TERM, target="mpirun", end="none"),
    End("SIGINT to one rank", "forever", INT, target="rank", end="none"),
    End("SIGINT to all ranks", "forever", INT, target="ranks", end="none"),
    End("SIGINT to mpirun", "forever", INT, target="mpirun", end="none"),
    End("SIGKILL to one rank", "forever", KILL, target="rank", end="none"),
    End("one rank takes all memory, and the kernel kills it", "eat", end="none",
        memory_bytes=400 << 20),
    End("SIGKILL to all ranks", "forever", KILL, target="ranks", end="none"),
    End("SIGKILL to mpirun", "forever", KILL, target="mpirun", end="none"),
    End("time limit: SIGTERM is ignored, then SIGKILL to all ranks", "deaf", TERM, KILL,
        target="ranks", end="none"),
]


def read_progress(path, ranks=RANKS):
    with open(path, "rb") as file:
        data = file.read()
    return [ROW.unpack_from(data, rank * ROW.size) for rank in range(ranks)]


class Ended:
    """What became of one job."""

    def __init__(self, tools, end, folder, program, profiled, around):
        self.folder, self.progress = folder, os.path.join(folder, "progress")
        self.last_signal = None
        with open(self.progress, "wb") as file:
            file.write(bytes(4096))
        command = tools.launcher(RANKS) + [program, end.mode, self.progress]
        settings = {}
        if profiled:
            command = [tools.mprof, "run", "--"] + command
            settings = {"MPROF_OUTPUT": os.path.join(folder, "profile"), "MPROF_SUMMARY": "off"}
        command = around + command
        while_running = self.signals(end) if end.signals else None
        before = set(glob.glob("/dev/shm/*"))
        start = time.monotonic()
        job = jobs.Job(command, jobs.environment(**settings), folder,
                       tools.time_limit, while_running)
        self.seconds = time.monotonic() - (self.last_signal or start)
        self.status, self.described = job.status, job.describe()
        self.left = self.left_over(before)
        self.rows = read_progress(self.progress)  # when nobody counts on

    def signals(self, end):
        def while_running(launcher):
            deadline = time.monotonic() + 60
            while not all(row[2] > 500 for row in read_progress(self.progress)):
                if time.monotonic() > deadline or launcher.poll() is not None:
                    raise jobs.Failure("the program did not get going")
                time.sleep(0.005)
            processes = [row[0] for row in read_progress(self.progress)]
            # mprof run waits for mpirun: it passes signals on, and mpirun is killed with it.
            targets = {"rank": processes[1:2], "ranks": processes,
                       "mpirun": [launcher.pid]}[end.target]
            for number, which in enumerate(end.signals):
                time.sleep(1 if number else 0)
                self.last_signal = time.monotonic()
                for process in targets:
                    try:
                        os.kill(process, which)
                    except ProcessLookupError:
                        pass
        return while_running

    def left_over(self, before):
        """Processes that are still there 5 s after the end (and are ended then), files of mprof
        that are neither rank files nor those of a node."""
        deadline = time.monotonic() + 5
        alive = [row[0] for row in read_progress(self.progress) if row[0]]
        while alive and time.monotonic() < deadline:
            alive = [process for process in alive if is_running(process)]
            time.sleep(0.01)
        jobs.end_processes(alive)
        left = [f"process {process}" for process in alive]
        left += [path for path in set(glob.glob("/dev/shm/*")) - before
                 if "mprof" in os.path.basename(path)]
        for path in glob.glob(os.path.join(self.folder, "profile", "*")):
            if not re.fullmatch(r"(rank-\d+|node-[\w.-]+|job)[.]mprof", os.path.basename(path)):
                left.append(path)
        return left


def is_running(process):
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def kept_percent(tools, end, ended):
    """Of the calls that are known to have been made. Never more than were begun."""
    complete = end.end == "finalize"
    document, _ = jobs.report(tools, os.path.join(ended.folder, "profile"),
                              expected_status=0 if complete else 1)
    kept = made = 0
    ends = []
    for row in document["ranks"]:
        _, begun, done = ended.rows[row["rank"]]
        calls = row["calls"] - OTHER_CALLS - (row["end"] == "finalize")
        # MPI_Abort, MPI_Finalize in progress
        if calls > begun + (row["end"] == "abort") + (end.mode == "never"):
            raise jobs.Failure(f"rank {row['rank']}: {calls} calls of {begun} that were begun")
        kept += min(calls, done)
        made += done
        ends.append(row["end"])
    if end.end not in ends:
        raise jobs.Failure(f"{end.name}: the report calls the ends {ends}, none of them {end.end}")
    made += sum(ended.rows[rank][2]
                for rank in range(RANKS) if rank not in [row["rank"] for row in document["ranks"]])
    return 100 * kept / made


def ended_alone(tools, end, program, around):
    with jobs.Folder("end", tools.keep) as folder:
        return Ended(tools, end, folder.path, program, False, around)


def cells_of(tools, end, program, around):
    with jobs.Folder("end", tools.keep) as folder:
        alone = Ended(tools, end, folder.sub("alone"), program, False, around)
        mprof = Ended(tools, end, folder.sub("mprof"), program, True, around)
        percent = kept_percent(tools, end, mprof)
    later = mprof.seconds - alone.seconds
    print(f"{end.name}: {percent:.4g}% kept, status {mprof.status}, without {alone.status}, ended "
          f"after {mprof.seconds:.2f} s, "
          f"without {alone.seconds:.2f} s, left: {mprof.left or 'nothing'}, without "
          f"{alone.left or 'nothing'}", flush=True)
    left = [what for what in mprof.left if not (what.startswith("process") and alone.left)]
    # Some are left to chance by the launcher. MPICH's takes the bits of all ranks' statuses
    # together: with those that it kills itself, or without (exit on one rank: 5, or 9 of SIGKILL).
    launchers = {alone.status, alone.status | KILL} if tools.mpi == "mpich" else {alone.status}
    same_status = mprof.status in launchers or jobs.is_also_without_mprof(
        end.name, mprof.status, lambda: ended_alone(tools, end, program, around).status, most=60)
    # Open MPI's mpirun asks the other ranks to end and kills them a second or two later, or does
    # not need to.
    same_time = later < SLACK_S or jobs.is_also_without_mprof(
        f"{end.name}, {later:.1f} s longer", "as long",
        lambda: "as long" if mprof.seconds - ended_alone(tools, end, program, around).seconds
        < SLACK_S else "less")
    return [f"{percent:.4g}%",
            "same" if same_status else f"{mprof.status} instead of {alone.status}",
            "same" if same_time else f"{later:.1f} s longer",
            "none" if not left else str(len(left))]


def cells_in_group(tools, end, program):
    """None if the end needs a group with little memory, and there can be none here."""
    if end.memory_bytes is None:
        return cells_of(tools, end, program, [])
    group = control_group.little_memory(end.memory_bytes)
    try:
        if group.reason is None:
            return cells_of(tools, end, program, group.enter)
        print(f"{end.name}: skipped, {group.reason}", flush=True)
        return None
    finally:
        group.remove()


if __name__ == "__main__":
    jobs.go_first()  # seconds of two jobs are compared
    doc_table.main(__doc__, "ends/ending", "ends", COLUMNS, ENDS, cells_in_group)
