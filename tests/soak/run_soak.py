#!/usr/bin/env python3
"""Many jobs, several at once, for some minutes, each into the same archive. Some are killed at
random moments. Protected are: no job is lost, none is twice in the archive, each call is counted,
nothing is left over, and neither a job nor the archive becomes slower or larger with their number.

    run_soak.py --minutes 10 --large 256 PROGRAM

PROGRAM is programs/progress: it ends after a number of calls, or goes on until it is killed, and
writes how many calls each rank has begun and done. `--large`: before all others, alone, there is a
job of so many ranks. What is expected follows from these numbers alone.
"""

import collections
import concurrent.futures
import glob
import json
import os
import pathlib
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "mpi"))
import jobs  # noqa: E402  pylint: disable=wrong-import-position
from run_kill import Progress  # noqa: E402  pylint: disable=wrong-import-position
from run_random_kill import kill_all  # noqa: E402  pylint: disable=wrong-import-position

AT_ONCE = 3
KILLED = 0.25  # part of the jobs
MOST_CALLS = 2000
LARGE_CALLS = 20
OTHER_CALLS = 4  # MPI_Init, MPI_Comm_rank, MPI_Comm_size, MPI_Finalize
FEWEST_JOBS = 50  # to say anything of growth
GROWTH = 2  # of the last fifth against the first; of CPU time, which other load changes little

# What a job is to be, and what became of it. `killed_after`: seconds, None = it ends by itself;
# `files`: MPROF_FILES.
Plan = collections.namedtuple("Plan", "number ranks calls killed_after files")
Done = collections.namedtuple("Done", "number killed calls rank_bytes report_s add_s")


class Soak:
    """The jobs, the archive, and what is expected of it."""

    def __init__(self, tools, arguments, folder):
        self.tools, self.folder, self.program = tools, pathlib.Path(folder), arguments.program
        self.archive = self.folder / "runs.db"
        self.numbers = random.Random(arguments.seed)
        self.lock, self.count = threading.Lock(), 0

    def plan(self):
        with self.lock:
            self.count += 1
            killed = self.numbers.random() < KILLED
            return Plan(self.count, self.numbers.randint(1, 3),
                        self.numbers.randint(1, MOST_CALLS),
                        self.numbers.uniform(0, 0.3) if killed else None,
                        self.numbers.choice(["rank", "node", "job"]))

    def run(self, plan):
        """Runs a job, looks at its profile, adds it to the archive and removes the profile."""
        folder = self.folder / f"job{plan.number}"
        folder.mkdir()
        progress = Progress(str(folder / "progress"))
        session = folder / "session"  # one of each mpirun's own: jobs.session_folder says why
        session.mkdir()
        mode = str(plan.calls) if plan.killed_after is None else "forever"
        job = jobs.run_profiled(
            self.tools, str(folder), plan.ranks, [self.program, mode, progress.path],
            None if plan.killed_after is None else kill_all(
                progress, plan.ranks, plan.killed_after, self.tools.time_limit),
            MPROF_FILES=plan.files, OMPI_MCA_orte_tmpdir_base=session,
            OMPI_MCA_btl_vader_backing_directory=session)
        profile = folder / "profile"
        if not profile.is_dir():
            raise jobs.Failure(f"{plan}: no profile\n{job.describe()}")
        output, _, report_s = self.mprof((0, 1), "report", profile, "--json", "-")
        document = json.loads(output)
        calls = self.check(plan, job, document, progress)
        rank_bytes = sum(file.stat().st_size for file in profile.iterdir()) / plan.ranks
        output, errors, add_s = self.mprof((int(plan.killed_after is not None),), "archive", "add",
                                           self.archive, profile)
        if ": 1 run added" not in output + errors:
            raise jobs.Failure(f"mprof archive add: {output}{errors}")
        for file in sorted(profile.iterdir()):
            if file.name.startswith("."):
                raise jobs.Failure(f"left in the profile: {file}")
            file.unlink()
        profile.rmdir()
        for name in ("progress", "stdout", "stderr"):
            (folder / name).unlink()
        shutil.rmtree(session)
        folder.rmdir()  # nothing else is there
        return Done(plan.number, plan.killed_after is not None, calls, rank_bytes, report_s, add_s)

    @staticmethod
    def check(plan, job, document, progress):
        """Of a job that ended: each call. Of one that was killed: all but the last of a rank."""
        rows = progress.rows(plan.ranks)
        calls = {row["function"]: row["calls"] for row in document["functions"]}
        if plan.killed_after is None:
            expected = plan.ranks * (plan.calls + OTHER_CALLS)
            is_right = (job.status == 0 and document["run"]["end"] == "completed" and
                        document["totals"]["calls"] == expected)
        else:
            begun, done = sum(row[1] for row in rows), sum(row[2] for row in rows)
            is_right = (job.status != 0 and not document["run"]["complete"] and
                        done <= calls.get("MPI_Sendrecv", 0) <= begun)
        if not is_right:
            raise jobs.Failure(f"{plan}: {document['run']} {document['totals']}\n{rows}\n"
                               f"{job.describe()}")
        return document["totals"]["calls"]

    def mprof(self, statuses, *words):
        """Standard output and standard error of a command, and its seconds of CPU time."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            with subprocess.Popen([self.tools.mprof, *words], stdout=out, stderr=err,
                                  env=jobs.environment()) as process:
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            output, errors = (file.read().decode(errors="replace") for file in (out, err))
        if process.returncode not in statuses:
            raise jobs.Failure(f"mprof {words}: exit status {process.returncode}\n{output}{errors}")
        return output, errors, usage.ru_utime + usage.ru_stime

    def worker(self, until):
        done = []
        while time.monotonic() < until:
            done.append(self.run(self.plan()))
        return done


def check_archive(soak, done):
    with sqlite3.connect(soak.archive) as archive:
        rows = archive.execute("SELECT calls, complete FROM runs").fetchall()
        check = archive.execute("PRAGMA integrity_check").fetchone()[0]
    expected = sorted((job.calls, int(not job.killed)) for job in done)
    if sorted(rows) != expected or check != "ok":
        lost = collections.Counter(expected)
        lost.subtract(collections.Counter(rows))
        raise jobs.Failure(f"in the archive are {len(rows)} runs, not {len(expected)}: {check} "
                           f"{[row for row in lost.items() if row[1]]}")


def check_growth(done):
    """By the median of the first and of the last fifth. Only of jobs that ended by themselves: what
    a killed one leaves depends on when it was."""
    ended = sorted(job for job in done if not job.killed)
    part = len(ended) // 5
    if len(ended) < FEWEST_JOBS:
        print(f"{len(ended)} jobs ended: too few to tell growth")
        return
    for name in ("rank_bytes", "report_s", "add_s"):
        first, last = (statistics.median(getattr(job, name) for job in jobs_of)
                       for jobs_of in (ended[:part], ended[-part:]))
        print(f"{name}: {first:.4g} in the first fifth, {last:.4g} in the last")
        if last > GROWTH * first:
            raise jobs.Failure(f"{name} grows: {first} in the first fifth, {last} in the last")


def check_left(soak):
    left = [path for path in soak.folder.iterdir() if path.name != "runs.db"]
    left += [command for command in commands() if str(soak.folder) in command]
    if left:
        raise jobs.Failure(f"left over: {left}")


def commands():
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            yield pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue


def check(tools, arguments):
    with jobs.Folder("soak", tools.keep) as folder, \
            concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        soak = Soak(tools, arguments, folder.path)
        done = []
        if arguments.large:
            soak.count += 1
            done.append(soak.run(Plan(soak.count, arguments.large, LARGE_CALLS, None, "job")))
        until = time.monotonic() + 60 * arguments.minutes
        workers = [pool.submit(soak.worker, until) for _ in range(AT_ONCE)]
        done += [job for worker in workers for job in worker.result()]
        print(f"{len(done)} jobs, {sum(job.killed for job in done)} killed, "
              f"{sum(job.calls for job in done)} calls")
        check_archive(soak, done)
        check_growth(done)
        check_left(soak)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--large", type=int, default=0, metavar="RANKS")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("program", help="programs/progress")
    sys.exit(jobs.main(check, parser))
