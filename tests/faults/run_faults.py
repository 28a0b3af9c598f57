#!/usr/bin/env python3
"""Lets each allocation and each system call of libmprof fail, one at a time (faults.c), in a
program that uses everything.

    run_faults.py --mpi MPI --mpirun FILE --library FILE --mprof FILE
                  [--seconds N] [--only TEXT] [--list] PROGRAM

Each time the program's output, status and (roughly) time must be those without mprof. Nothing may
be lost in silence: the calls that the program made must be in the report, or the report must say
that they are lost. If a rank has no record, the report or standard error must say that it is
missing.

The first call of each place comes first, once. If there is time left, or no limit (--seconds 0),
the other ranks, other calls and other ways to fail follow. A failure names the fault. --only with
that name runs it alone.
"""

import collections
import difflib
import json
import os
import re
import subprocess
import sys
import time
import zlib

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, os.pardir, "mpi"))
import jobs  # noqa: E402

RANKS = 2
FIRST_CALLS = 3  # of a place, and its last one: what comes between is more of the same

# How the program and mprof are used: words for the program, and variables.
SCENES = {
    "plain": ([], {"MPROF_MEMORY": "2M",
                   "MPROF_COUNTERS": "page-faults,cpu-migrations", "MPROF_SUMMARY": "text"}),
    "live": (["sessions"], {"MPROF_LIVE": "{folder}/live", "MPROF_SUMMARY": "{folder}/summary",
                            "MPROF_EVENTS": "1M"}),
}

# Beside the error of faults.c: 4 EINTR, 12 ENOMEM, 28 ENOSPC.
WAYS = {"read": ("short", "4"), "pread": ("short", "4"), "write": ("short", "4", "since"),
        "pwrite": ("short", "4", "since"), "readlink": ("short",), "process_vm_readv": ("since",),
        "open": ("4", "28", "since"), "openat": ("28", "since"),
        "close": ("4", "28", "since"), "mkdir": ("28",), "posix_fallocate": ("4", "since"),
        "poll": ("4",),
        "mmap": ("since",), "malloc": ("since",), "calloc": ("since",),
        "mprotect": ("since",), "arena_allocate": ("since",),
        "syscall": ("since",)}


# What libmprof calls of other libraries and cannot fail, or whose failure is not the system's:
# locks, text, sorting, and what is said by a null pointer as a rule. Whatever else it calls has a
# row in faults.c.
CANNOT_FAIL = set("""
    ZSTD_trace_compress_begin ZSTD_trace_compress_end _ITM_deregisterTMCloneTable
    _ITM_registerTMCloneTable __ctype_b_loc __ctype_tolower_loc __cxa_finalize __environ
    __errno_location __gmon_start__ __progname __pthread_key_create __stack_chk_fail
    __tls_get_addr _dl_find_object _r_debug abort closedir dirfd dl_iterate_phdr dlclose dlerror
    dlvsym environ free getauxval getenv geteuid getpgrp getpid getppid
    on_exit program_invocation_short_name pthread_attr_destroy pthread_key_delete
    pthread_mutex_destroy pthread_mutex_init
    pthread_mutex_lock pthread_mutex_unlock pthread_once pthread_self qsort sched_yield
    secure_getenv snprintf stpcpy strerror strftime sysconf uselocale usleep vsnprintf""".split())
TEXT_FUNCTION = re.compile(r"_*(mem|str|isoc23_str)[a-z]+(_chk)?$")


def check_rows(library):
    """Each function that libmprof.so calls has a row in faults.c, or cannot fail."""
    with open(os.path.join(HERE, "faults.c"), encoding="ascii") as file:
        rows = set(re.findall(r"^[A-Z]+\((\w+),", file.read(), re.M))
    listed = subprocess.run(["nm", "-uD",
                             library], capture_output=True, text=True, check=True).stdout
    called = {line.split()[1].split("@")[0] for line in listed.splitlines()}
    unknown = {name for name in called - rows - CANNOT_FAIL if not TEXT_FUNCTION.match(name)}
    if unknown:
        raise jobs.Failure(f"libmprof calls {', '.join(sorted(unknown))}: give each a row in "
                           "faults.c, "
                           "or say in run_faults.py that it cannot fail")


class Fault:
    """One call that fails: at which place, in which scene, the how manyeth, how, and on which rank
    ("all": on each)."""

    def __init__(self, place, scene, number, how, rank):
        self.place, self.scene, self.number, self.how, self.rank = place, scene, number, how, rank

    def __str__(self):
        return f"{self.scene}:{self.place.name}#{self.number}:{self.how}:{self.rank}"

    def variable(self):
        return f"{self.place.site}#{self.number}:{self.how}:{self.rank}"


class Place:
    """FUNCTION@OFFSET; `calls` has {scene: {rank: how often}}. The name says where that is in the
    source, as far as is known."""

    def __init__(self, site, name):
        self.site, self.name = site, name
        self.calls = collections.defaultdict(dict)

    def scene(self):
        return next(scene for scene in SCENES if scene in self.calls)

    def first_fault(self, odd):
        """On the first rank or on the last one, of those that come there."""
        ranks = sorted(self.calls[self.scene()])
        return Fault(self, self.scene(), 1, "error", ranks[-1 if odd else 0])

    def all_faults(self):
        for scene, counts in self.calls.items():
            last = max(counts.values())
            for number in sorted(set(range(1, min(last, FIRST_CALLS) + 1)) | {last}):
                for how in ("error",) + WAYS.get(self.site.split("@", 1)[0], ()):
                    ranks = [rank for rank, count in counts.items() if number <= count]
                    for rank in ranks + (["all"] if len(counts) > 1 else []):
                        yield Fault(self, scene, number, how, rank)


class Runner:
    """Runs the program in a scene."""

    def __init__(self, tools, program, folder):
        self.tools, self.program, self.folder = tools, program, folder
        self.runs = 0

    def run(self, scene, under_mprof=True, **variables):
        """(job, folder of the profile)"""
        self.runs += 1
        where = os.path.join(self.folder, str(self.runs))
        profile = os.path.join(where, "profile")
        os.makedirs(os.path.join(where, "live"))
        words, settings = SCENES[scene]
        program = [self.program, where] + words
        if under_mprof:
            preload = jobs.preload_settings(self.tools.library)
            program = ["env"] + [f"{key}={value}" for key, value in preload.items()] + program
            variables = {"MPROF_OUTPUT": profile,
                         **{key: value.format(folder=where) for key, value in settings.items()},
                         **variables}
        job = jobs.Job(self.tools.launcher(RANKS) + program, jobs.environment(**variables),
                       where, self.tools.time_limit)
        return job, profile


def names_of(library, sites):
    """{site: "FUNCTION in caller"}, with the line where two would be called the same."""
    offsets = [f"0x{int(site.split('@')[1], 16) - 1:x}" for site in sites]
    try:
        lines = subprocess.run(["addr2line", "-f", "-e", library] + offsets,
                               capture_output=True, text=True, check=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        return {site: site for site in sites}
    names, count = {}, collections.Counter()
    for site, function, line in zip(sites, lines[::2], lines[1::2]):
        file, _, number = os.path.basename(line.split(" ", 1)[0]).partition(":")
        name = f"{site.split('@', 1)[0]}@{function}({file}:{number})"
        count[name] += 1
        names[site] = name if count[name] == 1 else f"{name}/{count[name]}"
    return names


def find_places(runner):
    """Where libmprof calls what can fail, in the order of the places in the library."""
    found = collections.defaultdict(dict)
    for scene in SCENES:
        log = os.path.join(runner.folder, f"log-{scene}")
        runner.run(scene, MPROF_TEST_FAULT_LOG=log)
        for rank in range(RANKS):
            with open(f"{log}.{rank}", encoding="ascii") as file:
                for line in file:
                    site, calls = line.split()
                    found[site].setdefault(scene, {})[rank] = int(calls)
    sites = sorted(found, key=lambda site: int(site.split("@")[1], 16))
    names = names_of(runner.tools.library, sites)
    places = []
    for site in sites:
        places.append(Place(site, names[site]))
        places[-1].calls.update(found[site])
    return places


def made(job, ranks):
    """What these ranks say that they called."""
    calls = collections.Counter()
    for rank, function, count in re.findall(rb"^calls (\d+) (\w+) (\d+)$", job.stdout, re.M):
        if int(rank) in ranks:
            calls[function.decode()] += int(count)
    return calls


def read_report(tools, profile):
    """The report, or None if there is no profile."""
    if not os.path.isdir(profile) or not any(name.endswith(".mprof")
                                             for name in os.listdir(profile)):
        return None
    done = subprocess.run([tools.mprof, "report", profile, "--no-symbols", "--json", "-"],
                          capture_output=True, text=True, check=False)
    if not done.stdout.startswith("{"):
        return None
    return json.loads(done.stdout)


def check_program(alone, job):
    theirs, ours = (sorted(each.stdout.decode(errors="replace").splitlines())
                    for each in (alone, job))
    if job.status != alone.status or ours != theirs:
        difference = "\n".join(difflib.unified_diff(theirs, ours, "without mprof", "with",
                                                    n=0, lineterm=""))
        raise jobs.Failure(f"exit status {job.status} instead of {alone.status}, and other "
                           f"output:\n{difference}\n{job.describe()}")
    if job.seconds > 3 * alone.seconds + 10:
        raise jobs.Failure(f"{job.seconds:.1f} s instead of {alone.seconds:.1f} s without mprof\n"
                           f"{job.describe()}")


def check_record(document, job, profile):
    """What became of the record, in words."""
    said = [line for line in jobs.own_lines(job) if line.startswith("mprof: ")]
    if document is None:
        if not said:
            raise jobs.Failure(f"no profile, and not a word\n{job.describe()}")
        return "no profile, said"
    ranks = {row["rank"] for row in document["ranks"]}
    quality = document["quality"]
    missing_ranks = sum(gap["last"] - gap["first"] + 1 for gap in quality["missing_ranks"])
    if len(ranks) + missing_ranks < RANKS and not said:
        raise jobs.Failure(f"ranks {ranks} in the report, {missing_ranks} missing, and not a word\n"
                           f"{job.describe()}")
    counted = {row["function"]: row["calls"] for row in document["functions"]}
    wrong = {name: (count, counted.get(name, 0)) for name, count in made(job, ranks).items()
             if counted.get(name, 0) != count}
    unfinished = quality["ranks_finished"] < len(ranks)
    if unfinished:  # the live file stays: MPI_Finalize is in progress there
        wrong.pop("MPI_Finalize", None)
    lost = sum(count - there for count, there in wrong.values())
    is_said = any("not recorded" in line or "not profiled" in line for line in said)
    if lost != quality.get("lost_calls", 0) and not is_said:
        raise jobs.Failure(f"calls (made, counted): {wrong}, said to be lost: "
                           f"{quality.get('lost_calls', 0)}\n"
                           f"{os.listdir(profile)}\n{job.describe()}")
    if len(ranks) < RANKS:
        return "rank missing, said"
    return "calls lost, counted" if lost else "live file" if unfinished else "whole"


def faults_in_turn(places, mpi):
    """The first of each place, then the others; none twice. Each MPI begins with another half of
    the places: in a short time all of them have their turn."""
    seen = set()
    halves = sorted(places,
                    key=lambda place: (zlib.crc32(place.site.encode()) & 1) != (mpi == "mpich"))
    for index, place in enumerate(halves):
        fault = place.first_fault(index % 2)
        seen.add(str(fault))
        yield fault
    for place in places:
        yield from (fault for fault in place.all_faults() if str(fault) not in seen)


def try_faults(runner, alone, faults, seconds):
    """({what became of it: how often}, names of those that failed)"""
    results, failures = collections.Counter(), []
    end = time.monotonic() + seconds
    for fault in faults:
        if seconds and time.monotonic() > end:
            break
        try:
            job, profile = runner.run(fault.scene, MPROF_TEST_FAULT=fault.variable())
            check_program(alone[fault.scene], job)
            results[check_record(read_report(runner.tools, profile), job, profile)] += 1
        except jobs.Failure as failure:
            failures.append(str(fault))
            print(f"FAILED {fault} (--only '{fault}' runs it alone, --keep keeps its files):\n"
                  f"{failure}\n", flush=True)
    return results, failures


def test(tools, arguments):
    jobs.need(os.path.exists(arguments.program), "MPI to compile the program with")
    if arguments.real:
        check_rows(arguments.real)
    with jobs.Folder(f"faults-{arguments.mpi}", arguments.keep) as folder:
        runner = Runner(tools, os.path.abspath(arguments.program), folder.path)
        alone = {scene: runner.run(scene, under_mprof=False)[0] for scene in SCENES}
        places = find_places(runner)
        faults = [fault for fault in faults_in_turn(places, tools.mpi)
                  if arguments.only in str(fault)]
        if arguments.list:
            print("\n".join(str(fault) for fault in faults))
            return
        results, failures = try_faults(runner, alone, faults, arguments.seconds)
        tried = sum(results.values()) + len(failures)
        words = ", ".join(f"{count} {word}" for word, count in sorted(results.items()))
        print(f"{len(places)} places, {len(faults)} faults, {tried} tried: {words}, "
              f"{len(failures)} failed")
        if tried < len(places) and not arguments.only:
            print(f"{len(places) - tried} places have not had their turn (--seconds "
                  f"{arguments.seconds:.0f})")
        if failures or not results:
            raise jobs.Failure("\n".join(failures) or "nothing was tried")


def main():
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("--seconds", type=float, default=40,
                        help="stop after that [40]; 0: try all")
    parser.add_argument("--only", default="", help="faults whose name contains this")
    parser.add_argument("--list", action="store_true",
                        help="the names of the faults, nothing is tried")
    parser.add_argument(
        "--real", default="",
        help="the libmprof.so without faults, to see that what it calls can be made to fail")
    parser.add_argument("program")
    jobs.main(test, parser)


if __name__ == "__main__":
    main()
