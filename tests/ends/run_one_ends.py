#!/usr/bin/env python3
"""One rank ends the job while another one computes and a third waits for that one. The first
sentence names who ended the job and where, and not who computes. In C in four ways; in Fortran by a
read at the end of a file, whose runtime calls exit() from deep inside; in Python by an exception
under mpi4py.run, which calls MPI_Abort. A call that fails, where the MPI takes errors for
fatal, is named with Open MPI; MPICH's launcher kills the ranks before anything can be noted: there
nobody is blamed, and no ring is told of. With `mprof run` before the launcher a rank that a signal
ends is named, with the signal; no rank is where somebody ends the launcher, or kills ranks.
"""

import os
import re
import signal
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "mpi"))
import jobs  # noqa: E402

# Of a mode: what the sentence says before and behind the line of the program. CALL stands for the
# line of exit() or abort().
SENTENCES = {
    "abort": (r"ABORTED: rank 2 called MPI_Abort\(3\) at ", r"\."),
    "abort_late": (r"ABORTED: rank 2 called MPI_Abort\(3\) at ", r"\."),
    "abort_all": (r"ABORTED: rank 2 called MPI_Abort\(3\) at ", ""),
    "exit": (r"EXITED: rank 2 exited with status 4 at CALL without MPI_Finalize, after "
             r"MPI_Barrier at ", r"\."),
    "abrt": (r"DIED: rank 2 called abort\(\) at CALL, after MPI_Barrier at ", r"\."),
    "claim": (r"DIED: rank 2 called abort\(\) at CALL, after MPI_Barrier at ", r"\."),
}
CALLS = {"exit": "exit_call", "abrt": "abort_call", "claim": "assert_call"}
SCRIPT = """from mpi4py import MPI
import time
if MPI.COMM_WORLD.rank == 2:
    time.sleep(0.3)
    raise ValueError("planted")
if MPI.COMM_WORLD.rank == 0:
    time.sleep(20)
MPI.COMM_WORLD.barrier()
"""
FORTRAN = """program ends
  use mpi
  integer :: error, rank, number
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  if (rank == 2) then
    open(10, file='/dev/null', form='unformatted')
    read(10) number
  end if
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program ends
"""


def line_of(source, mode):
    with open(source, encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            if f"[{mode}]" in text and text.rstrip().endswith("*/") and ";" in text:
                return f"{os.path.basename(source)}:{number}"
    raise jobs.Failure(f"{source} has no line [{mode}]")


def check_fatal(tools, headline, line):
    expected = ("ABORTED: rank 2 failed in MPI_Recv from rank 1, tag 0 at "
                f"{line} (MPI_ERR_TRUNCATE)")
    if tools.mpi == "openmpi":
        if not headline.startswith(expected):
            raise jobs.Failure(f"fatal: {headline!r}, expected {expected!r}")
    elif "ring" in headline or "waits for" in headline:
        raise jobs.Failure(f"fatal: {headline!r}, though the message was there")


def headline_of(tools, folder, program, is_told=True, settings=jobs.END_AT_ONCE):
    """Of the report, and as `mprof hang` says it."""
    job = jobs.run_profiled(tools, folder, 3, program, **settings)
    if job.status == 0:
        raise jobs.Failure(f"the job succeeded: {job.describe()}")
    profile = os.path.join(folder, "profile")
    report, _ = jobs.report(tools, profile, expected_status=1)
    if is_told and report["standing"]["ended_by"] != 2:
        raise jobs.Failure(f"ended by {report['standing']['ended_by']}: {report['standing']}")
    hang = jobs.Job([tools.mprof, "hang", profile], jobs.environment(), folder, 60)
    said = " ".join(re.sub(r"^#", "", line) for line in hang.stdout.decode().splitlines())
    sentence = report["standing"]["headline"]
    if sentence not in re.sub(r"\s+", " ", said):
        raise jobs.Failure(f"mprof hang does not say {sentence!r}:\n{hang.describe()}")
    return report["verdict"]["headline"]


def headline_under_run(tools, folder, program, name, while_running=None):
    """Of a job that `mprof run` starts."""
    profile = os.path.join(folder, name)
    jobs.Job([tools.mprof, "run", "--summary", "off", "--output", profile, "--"] +
             tools.launcher(3) + program, jobs.environment(), folder, 60, while_running)
    report, _ = jobs.report(tools, profile, expected_status=1)
    return report["standing"], report["verdict"]["headline"]


def check_deaths(tools, arguments):
    with jobs.Folder("one-ends-segv", tools.keep) as folder:
        standing, headline = headline_under_run(tools, folder.path, [arguments.program, "segv"],
                                                "segv")
        print(f"segv: {headline}")
        either = r"( \(or of _exit\(11\)\))?" if tools.mpi == "mpich" else ""
        last_call = re.escape(f"MPI_Barrier at {line_of(arguments.source, 'segv')}")
        expected = f"DIED: rank 2 died of SIGSEGV{either} outside MPI, after {last_call}\\."
        # MPICH's launcher ends the others so soon that who was first may not be seen. Rank 0 is
        # outside MPI as well.
        is_unseen = tools.mpi == "mpich" and standing["ended_by"] is None
        if not is_unseen and not (re.match(expected, headline) and standing["ended_by"] == 2):
            raise jobs.Failure(f"segv: {headline!r}, expected {expected!r}: {standing}")
    with jobs.Folder("one-ends-outside", tools.keep) as folder:
        def end_it(process):
            threading.Timer(3, process.send_signal, [signal.SIGTERM]).start()
        for mode, meanwhile in (("wait", end_it), ("kill", None)):
            standing, headline = headline_under_run(
                tools, folder.path, [arguments.program, mode], mode, meanwhile)
            print(f"{mode}: {headline}")
            if standing["ended_by"] is not None:
                raise jobs.Failure(f"{mode}: {headline!r}")


def check_fortran(tools, compiler):
    with jobs.Folder("one-ends-fortran", tools.keep) as folder:
        with open(os.path.join(folder.path, "reads.f90"), "w", encoding="utf-8") as file:
            file.write(FORTRAN)
        subprocess.run([compiler, "-O1", "-g", "-o", "reads", "reads.f90"], cwd=folder.path,
                       check=True)
        headline = headline_of(tools, folder.path, [os.path.join(folder.path, "reads")])
        print(f"fortran: {headline}")
        if not headline.startswith("EXITED: rank 2 exited with status 2 at reads.f90:9 without "
                                   "MPI_Finalize, after MPI_Barrier at reads.f90:6."):
            raise jobs.Failure(f"fortran: {headline!r}")


def check(tools, arguments):
    check_deaths(tools, arguments)
    for mode, (before, behind) in SENTENCES.items():
        with jobs.Folder(f"one-ends-{mode}", tools.keep) as folder:
            headline = headline_of(tools, folder.path, [arguments.program, mode])
            print(f"{mode}: {headline}")
            if "CALL" in before:
                call = line_of(arguments.source, CALLS[mode])
                before = before.replace("CALL", re.escape(call))
            expected = before + re.escape(line_of(arguments.source, mode)) + behind
            if not re.match(expected, headline):
                raise jobs.Failure(f"{mode}: {headline!r}, expected {expected!r}")
    with jobs.Folder("one-ends-fatal", tools.keep) as folder:
        headline = headline_of(tools, folder.path, [arguments.program, "fatal"],
                               is_told=tools.mpi == "openmpi",
                               settings={})  # a rank that fails needs time to leave
        print(f"fatal: {headline}")
        check_fatal(tools, headline, line_of(arguments.source, "fatal"))
    if arguments.fc:
        check_fortran(tools, arguments.fc)
    if tools.mpi != "openmpi":  # the mpi4py of Debian is for that one
        return
    python = "/usr/bin/python3"
    jobs.needs.need(f"{python}:mpi4py")
    with jobs.Folder("one-ends-python", tools.keep) as folder:
        with open(os.path.join(folder.path, "raises.py"), "w", encoding="utf-8") as file:
            file.write(SCRIPT)
        headline = headline_of(tools, folder.path, [python, "-m", "mpi4py.run", "raises.py"])
        print(f"python: {headline}")
        if not headline.startswith("ABORTED: rank 2 called MPI_Abort(1)"):
            raise jobs.Failure(f"python: {headline!r}")


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program")
    parser.add_argument("source")
    parser.add_argument("--fc", help="compiler of Fortran, of this MPI")
    sys.exit(jobs.main(check, parser))
