#!/usr/bin/env python3
"""mprof beside other things in the process or around it: children, signal handlers, other tools,
libraries of the program's own.

Each case runs without and with mprof. The output and the exit status must be the same. The profile
must have every call.
"""

import glob
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "mpi"))
import jobs  # noqa: E402
import needs  # noqa: E402

RANKS = 2
REDUCTIONS = 60  # that each program makes, on each rank
JEMALLOC = glob.glob("/usr/lib/*/libjemalloc.so.2")


def run(tools, folder, command, preload, ranks=RANKS, **variables):
    settings = {"MPROF_OUTPUT": os.path.join(folder, "profile"), "MPROF_SUMMARY": "off"}
    settings.update(variables)
    return jobs.run_preloaded(tools, folder, ranks, command, preload, **settings)


def same(alone, mprof):
    # Ranks may print in another order.
    lines = [sorted(job.stdout.splitlines()) for job in (alone, mprof)]
    if alone.status != mprof.status or lines[0] != lines[1]:
        raise jobs.Failure(f"not as without mprof\n{alone.describe()}\n{mprof.describe()}")
    if jobs.own_lines(mprof):
        raise jobs.Failure(f"mprof says: {jobs.own_lines(mprof)}")


def check_profile(tools, folder, ranks=RANKS, function="MPI_Allreduce", calls=REDUCTIONS):
    profile = os.path.join(folder, "profile")
    names = sorted(os.path.basename(path) for path in glob.glob(os.path.join(profile, "*")))
    if names != [f"rank-{rank}.mprof" for rank in range(ranks)]:
        raise jobs.Failure(f"files: {names}")
    document, _ = jobs.report(tools, profile)
    counted = {row["function"]: row["calls"] for row in document["functions"]}
    if counted.get(function) != ranks * calls:
        raise jobs.Failure(f"{function}: {counted.get(function)} calls instead of {ranks * calls}")


def both(tools, folder, command, ranks=RANKS, preload=None, expected=0, **variables):
    """Without and with mprof; `preload`: with {} for libmprof.so, other libraries in front or
    behind."""
    others = [part for part in (preload or "{}").split(":") if part != "{}"]
    alone = run(tools, folder.sub("alone"), command, ":".join(others) or None, ranks, **variables)
    if alone.status != expected:
        jobs.need(False, f"program that runs here without mprof\n{alone.describe()}")
    mprof = run(tools, folder.sub("mprof"), command, (preload or "{}").format(tools.library),
                ranks, **variables)
    same(alone, mprof)
    return alone, mprof


def check_processes(tools, arguments, folder):
    said = os.path.join(folder.path, "daemon")
    both(tools, folder, [arguments.program, said])
    deadline = time.monotonic() + 20
    while not os.path.exists(said) and time.monotonic() < deadline:
        time.sleep(0.05)
    if not os.path.exists(said):
        raise jobs.Failure("the daemon did not live on")
    time.sleep(0.2)
    check_profile(tools, os.path.join(folder.path, "mprof"))


def check_signals(tools, arguments, folder):
    both(tools, folder, [arguments.program])
    check_profile(tools, os.path.join(folder.path, "mprof"), calls=1)


def check_own_libraries(tools, arguments, folder):
    both(tools, folder, [arguments.program])
    check_profile(tools, os.path.join(folder.path, "mprof"))


def check_jemalloc(tools, arguments, folder):
    needs.need("libjemalloc.so.2", bool(JEMALLOC))
    for number, order in enumerate((f"{JEMALLOC[0]}:{{}}", f"{{}}:{JEMALLOC[0]}")):
        with jobs.Folder(f"jemalloc-{number}", tools.keep) as where:
            both(tools, where, [arguments.program], preload=order)
            check_profile(tools, os.path.join(where.path, "mprof"))


def check_tool(tools, arguments, folder):
    """Another tool that replaces MPI functions: in front, mprof sees what it passes on by PMPI_,
    which is nothing."""
    for number, order in enumerate((f"{arguments.tool}:{{}}", f"{{}}:{arguments.tool}")):
        with jobs.Folder(f"tool-{number}", tools.keep) as where:
            both(tools, where, [arguments.program], preload=order, TRUTH_DIR=where.sub("truth"))


def check_sanitizer(tools, arguments, folder):
    """GCC's AddressSanitizer wants to be the first library, or to be told that it need not be."""
    both(tools, folder, [arguments.program], ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0")
    check_profile(tools, os.path.join(folder.path, "mprof"))


def check_valgrind(tools, arguments, folder):
    needs.need("valgrind")
    command = ["valgrind", "-q", "--error-exitcode=0",
               f"--log-file={folder.path}/valgrind.%p", arguments.program]
    both(tools, folder, command, ranks=1)
    check_profile(tools, os.path.join(folder.path, "mprof"), ranks=1)
    # What valgrind says about the MPI itself is none of ours.
    for path in glob.glob(os.path.join(folder.path, "valgrind.*")):
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        if "libmprof.so" in text:
            raise jobs.Failure(f"valgrind names libmprof:\n{text[:3000]}")


def check_gdb(tools, arguments, folder):
    needs.need("gdb")
    gdb = ["gdb", "-batch", "-q", "-nx", "-iex", "set debuginfod enabled off", "-ex", "run",
           "-ex", "print $_exitcode"]
    profile = os.path.join(folder.path, "profile")
    for name, value in jobs.preload_settings(tools.library).items():
        gdb += ["-iex", f"set environment {name} {value}"]
    job = jobs.Job(gdb + ["--args", arguments.program],
                   jobs.environment(MPROF_OUTPUT=profile, MPROF_SUMMARY="off"), folder.path,
                   tools.time_limit)
    jobs.need(b"ptrace" not in job.stderr, f"permission to debug\n{job.describe()}")
    if b"= 0" not in job.stdout:
        raise jobs.Failure(f"under gdb: {job.describe()}")
    check_profile(tools, folder.path, ranks=1)


CASES = {name[len("check_"):]: function for name, function in list(globals().items())
         if name.startswith("check_") and name != "check_profile"}


def check(tools, arguments):
    with jobs.Folder(f"beside-{arguments.case}", tools.keep) as folder:
        CASES[arguments.case](tools, arguments, folder)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("case", choices=sorted(CASES))
    parser.add_argument("program")
    parser.add_argument("--tool", help="another tool's library")
    sys.exit(jobs.main(check, parser))
