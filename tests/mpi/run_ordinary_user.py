#!/usr/bin/env python3
"""Samples of the CPU (programs/hot_spots.c) for an ordinary user: with memory for the kernel's
rings left, and with none left. What the kernel lets this user do is tried here without mprof. The
program prints the same, no system call of it is interrupted, and the report says once what is
missing.

root becomes the user `nobody` for that, as root itself has no limits."""

import contextlib
import ctypes
import mmap
import os
import resource
import sys

import jobs
import run_hot_spots

NOBODY = 65534
TASK_CLOCK = (1).to_bytes(4, "little") + (112).to_bytes(4, "little") + (1).to_bytes(8, "little")
PERIOD_AND_TYPE = (10_000_000).to_bytes(8, "little") + (1).to_bytes(8, "little")
EXCLUDE_KERNEL = (1 << 5).to_bytes(8, "little")
SYS_PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}
C_LIBRARY = ctypes.CDLL(None, use_errno=True)


def open_event():
    """The number of an event that samples this process, or -1."""
    attributes = TASK_CLOCK + PERIOD_AND_TYPE + bytes(8) + EXCLUDE_KERNEL
    return C_LIBRARY.syscall(SYS_PERF_EVENT_OPEN[os.uname().machine], attributes.ljust(112, b"\0"),
                             0, -1, -1, 0)


def map_ring(pages):
    """False: there is no memory for a ring of that many pages of data."""
    event = open_event()
    if event < 0:
        return False
    C_LIBRARY.mmap.restype = ctypes.c_void_p
    C_LIBRARY.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + 3 * [ctypes.c_int] + \
        [ctypes.c_long]
    mapped = C_LIBRARY.mmap(None, (1 + pages) * mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE,
                            mmap.MAP_SHARED, event, 0)
    os.close(event)
    return mapped != ctypes.c_void_p(-1).value


@contextlib.contextmanager
def no_memory_left():
    """A child of the same user holds all of it meanwhile. Gives how many rings these are."""
    told, stop = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(stop[1])
        rings = sum(map_ring(pages) for pages in 40 * [64] + 400 * [8] + 4000 * [1])
        os.write(told[1], str(rings).encode())
        os.read(stop[0], 1)  # until the parent closes it
        os._exit(0)
    os.close(stop[0])
    os.close(told[1])
    try:
        yield int(os.read(told[0], 16) or 0)
    finally:
        os.close(stop[1])
        os.close(told[0])
        os.waitpid(child, 0)


def become_an_ordinary_user(tools, arguments, folder):
    """In a folder of that user, with copies of what runs."""
    if os.geteuid() != 0:
        return
    arguments.program = jobs.copy_for_all(arguments.program, folder)
    tools.mprof = jobs.copy_for_all(tools.mprof, os.path.join(folder, "bin"))
    tools.library = jobs.copy_for_all(tools.library, os.path.join(folder, "lib"))
    for path in (folder, os.path.dirname(tools.mprof), os.path.dirname(tools.library)):
        os.chown(path, NOBODY, NOBODY)
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    os.environ["HOME"] = folder


def check(tools, arguments):
    jobs.need(os.uname().machine in SYS_PERF_EVENT_OPEN, "number of perf_event_open")
    if os.geteuid() == 0:
        jobs.open_to_all()
    with jobs.Folder("ordinary-user", tools.keep) as folder:
        become_an_ordinary_user(tools, arguments, folder.path)
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))
        program = [arguments.program, "0.5"]
        event = open_event()
        report, _, _ = run_hot_spots.run(tools, folder.sub("as-it-is"), program)
        if event < 0:
            run_hot_spots.check_not_sampled(report, "perf_event_paranoid")
            print("the kernel forbids an ordinary user to sample")
            return
        os.close(event)
        refused = report["quality"]["cpu_samples_refused"]
        if refused or not report["hotspots"]:
            raise jobs.Failure(f"not sampled: {refused}")
        with no_memory_left() as rings:
            jobs.need(not map_ring(1), f"limit of the memory of rings ({rings} were mapped)")
            report, _, _ = run_hot_spots.run(tools, folder.sub("no-memory"), program)
        run_hot_spots.check_not_sampled(report, "perf_event_mlock_kb")
        print(f"{rings} rings of others left no memory")


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="programs/hot_spots")
    sys.exit(jobs.main(check, parser))
