#!/usr/bin/env python3
"""Jobs that run short of something: files, memory, stack, disk. They run without and with mprof.
The output and exit status must be the same. mprof may say at most one line on standard error. The
profile must be as good as it can be.

The result is a table in ends.md (doc_table.py). Some cases cannot be set up here (no
mount without being root, an MPI that itself does not run that way). They are skipped, and the test
says so.
"""

import os
import shlex
import shutil
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "mpi"))
import doc_table  # noqa: E402
import jobs  # noqa: E402
import needs  # noqa: E402

RANKS = 2
COLUMNS = ["what is short", "MPI", "exit status and output", "lines of mprof", "profile"]


class Case:
    """`inside` stands in front of the program in each rank, `around` in front of mpirun; {folder}
    and the like are replaced. With `each`, the case is run with each of these in place of
    {each}. `of_files`: by MPROF_FILES, the last three cells if they are not those of the table."""

    def __init__(self, name, mode="plain", inside="", around="", output="{folder}/profile",
                 while_running=None, summary="off", each=("",), of_files=None):
        self.name, self.mode, self.inside, self.around = name, mode, inside, around
        self.output, self.summary = output, summary
        self.while_running, self.each, self.of_files = while_running, each, of_files or {}


def mounted(options):
    """A file system of its own at {folder}/disk for mpirun and all below; what is left there is
    copied out at the end."""
    return (f"unshare -m sh -c 'mount --make-rprivate / && mkdir -p {{folder}}/disk && mount -t "
            f"tmpfs -o {options} none {{folder}}/disk; "
            '"$@"; status=$?; cp -r {folder}/disk/profile {folder}/ 2>/dev/null; exit $status\' sh')


def remove_profile(folder):
    """As soon as the program waits."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with open(os.path.join(folder, "stderr"), "rb") as file:
            if b"waiting" in file.read():
                shutil.rmtree(os.path.join(folder, "profile"), ignore_errors=True)
                return
        time.sleep(0.01)


CHROOT = ("unshare -m sh -c 'mount --make-rprivate / && mkdir -p {folder}/root && mount --bind / "
          "{folder}/root && "
          "mount -t tmpfs none {folder}/root/dev/shm && exec chroot {folder}/root \"$@\"' sh")
# What mprof asks the kernel for besides files. (Without unlink, Open MPI's own mpirun sometimes
# does not return.)
REFUSED = ["getcpu", "getrandom", "getrusage", "perf_event_open", "prlimit64",
           "process_vm_readv", "readlink,readlinkat", "sched_getaffinity", "sysinfo", "uname"]
MPICH_NEEDS = {"sched_getaffinity"}  # its ranks do not come out of MPI_Init without
CASES = [
    Case("nothing"),
    Case("the folder cannot be made", output="/dev/null/profile"),
    Case("the file system is read-only", around=mounted("ro"), output="{folder}/disk/profile"),
    # A record that can be no file is sent from memory.
    Case("the disk is full from the start", around=mounted("size=64k"),
         output="{folder}/disk/profile", of_files={"job": ["same", "1", "complete"]}),
    Case("the disk is full when the record grows", mode="many", around=mounted("size=1600k"),
         output="{folder}/disk/profile"),
    Case("the folder is removed during the run", mode="wait", while_running=remove_profile),
    Case("64 open files", inside="sh -c 'ulimit -n 64; exec \"$@\"' sh"),
    Case("8 MiB of address space to spare", inside="sh -c 'ulimit -v {peak}; exec \"$@\"' sh"),
    Case("stacks of 128 KiB, of threads that call MPI", mode="threads"),
    Case("chroot without /proc and /sys", inside=CHROOT),
    Case("standard error is closed", inside="sh -c 'exec \"$@\" 2>&-' sh"),
    Case("nobody reads standard error, where the summary goes", summary="text",
         inside="bash -c 'set -o pipefail; {{ \"$@\" 2>&1 >&3 | true; }} 3>&1' bash"),
    Case("files of at most 16 KiB (ulimit -f)",
         inside="env OMPI_MCA_btl=self,tcp prlimit --fsize=16384",
         of_files={"job": ["same", "1", "complete"]}),
    Case("files of at most 600 KiB, when the record grows", mode="many-limited"),
    Case("files that may not grow, from MPI_Finalize on", mode="end-limited"),
    Case("the quota is used up (fallocate, pwrite64: EDQUOT)",
         inside="{refuse} EDQUOT fallocate,pwrite64",
         of_files={"job": ["same", "1", "complete"]}),
    # The live file has the finished ones of all ranks then, in their parts.
    Case("rename is refused (EPERM)", inside="{refuse} EPERM rename,renameat,renameat2",
         of_files={"node": ["same", "0", "complete"], "job": ["same", "1", "complete"]}),
    Case("any other system call of mprof is refused (EPERM)", inside="{refuse} EPERM {each}",
         each=REFUSED, summary="{folder}/summary"),
    Case("all these are refused (EPERM)", inside="{refuse} EPERM {all}"),
    Case("all these are unknown (ENOSYS)", inside="{refuse} ENOSYS {all}"),
]


def split(template, **values):
    return [part.format(**values) for part in shlex.split(template)]


def run(tools, case, folder, program, values, profiled):
    values = {"folder": folder, **values}
    command = tools.launcher(RANKS) + split(case.inside, **values)
    settings = {}
    if profiled:
        # In the ranks alone, so that what stands in front of the program is not profiled and finds
        # nothing missing.
        command += ["env"] + [f"{name}={value}"
                              for name, value in jobs.preload_settings(tools.library).items()]
        settings = {"MPROF_OUTPUT": case.output.format(**values),
                    "MPROF_SUMMARY": case.summary.format(**values)}
    command = split(case.around, **values) + command + [program, case.mode]
    watch = None
    if case.while_running and profiled:
        def watch(_launcher):
            thread = threading.Thread(target=case.while_running, args=(folder,), daemon=True)
            thread.start()
    settings.update(jobs.END_AT_ONCE)
    return jobs.Job(command, jobs.environment(**settings), folder, tools.time_limit, watch)


def profile_of(tools, folder):
    done = subprocess.run([tools.mprof, "report", os.path.join(folder, "profile")],
                          capture_output=True, text=True,
                          env=jobs.environment(), timeout=60, check=False)
    if done.returncode == 0:
        return "complete"
    if done.returncode != 1:
        return "none"
    return "of some ranks" if "have no readable file" in done.stderr else "all calls, not finished"


def refused(mpi):
    return [call for call in REFUSED if mpi != "mpich" or call not in MPICH_NEEDS]


def cells_of_one(tools, case, each, program):
    """The row of the table, or None if the job does not run that way without mprof either."""
    with jobs.Folder("limits", tools.keep) as folder:
        values = {"each": each, "all": ",".join(refused(tools.mpi)),
                  "refuse": os.path.join(os.path.dirname(program), "refuse")}
        if "{peak}" in case.inside:
            job = jobs.run_preloaded(tools, folder.path, RANKS, [program, "peak"], None)
            values["peak"] = int(job.stdout.split(b"peak ")[1].split()[0]) + 8 * 1024
        alone = run(tools, case, folder.sub("alone"), program, values, False)
        if alone.status != 3 or b"sum " not in alone.stdout:
            print(f"{case.name} {each}: skipped, the job does not run without mprof either\n"
                  f"{alone.describe()}", flush=True)
            return None
        mprof = run(tools, case, folder.sub("mprof"), program, values, True)
        same = mprof.status == alone.status and mprof.stdout == alone.stdout
        lines = jobs.own_lines(mprof)
        # Without a folder, "" and a name is a path in /.
        if os.path.exists("/job.mprof") or os.path.exists("/rank-0.mprof"):
            raise jobs.Failure(f"{case.name}: a profile in /")
        cells = ["same" if same else f"{mprof.status} instead of {alone.status}", str(len(lines)),
                 profile_of(tools, os.path.join(folder.path, "mprof"))]
        print(f"{case.name} {each}: {cells} {lines}{'' if same else mprof.describe()}", flush=True)
        return cells


def cells_of(tools, case, program):
    """One row of all that `each` gave; None if none of them runs without mprof."""
    rows = [row for row in (cells_of_one(tools, case, each, program) for each in case.each
                        if each in ["", *refused(tools.mpi)]) if row is not None]
    cells = [" or ".join(sorted(set(cells))) for cells in zip(*rows)] if rows else None
    expected = case.of_files.get(tools.files)
    if cells and expected:
        if cells != expected:
            raise jobs.Failure(f"{case.name}: {cells} instead of {expected}")
        return None
    return cells


def check(found):
    bad = [f"{name}: {cells}" for name, cells in found.items() if cells[0] != "same"
           or cells[1] not in ("0", "1", "0 or 1")]
    if bad:
        raise jobs.Failure("\n".join(bad))


if __name__ == "__main__":
    needs.need("mount")
    jobs.go_first()  # 20,000 messages one by one: each would wait for the slice of another program
    doc_table.main(__doc__, "ends/short", "limits", COLUMNS, CASES, cells_of, check)
