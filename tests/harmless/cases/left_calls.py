"""Calls that never end, or end on another thread."""

import re

from case import Case, TakeOut

COUNT = TakeOut("counting calls that were left",
                "libmprof/record/calls/call.c",
                "    call_count_left();\n    thread->outermost = call;\n",
                "    thread->outermost = call;\n")
DEEPER = TakeOut("seeing by what is overwritten that a call was left",
                 "libmprof/record/calls/call.c",
                 "!= 0 ? is_intact(thread->outermost, recorder->live)", "!= 0 ? true")
AROUND = TakeOut("the same around MPI's part of a call", "libmprof/record/calls/call.c",
                 ": is_intact_around_mpi(thread->outermost);",
                 ": is_intact_around_mpi(thread->outermost) || true;")
OWN_LOCKS = TakeOut("taking back locks that a thread left", "libmprof/base/lock.c",
                    "take_from(lock, 0, stack) ||\n           __atomic_load_n(&lock->owner, "
                    "__ATOMIC_RELAXED) == own_thread();", "take_from(lock, 0, stack);")
LOADER = TakeOut("finding libraries without the loader's lock", "libmprof/record/paths/modules.c",
                 "    __attribute__((weak));", ";\n#define find_object ((int (*)(void *, struct "
                 "found_object *))NULL)")
MEMORY = TakeOut("memory by the system calls themselves", "libmprof/base/private_memory.h",
                 "#ifdef MPROF_SHOWS_MEMORY /* to the sanitizer */", "#if 1")
HAND_OVER = TakeOut("the time between two threads with one recorder",
                    "libmprof/record/calls/attach.c",
                    "recorder->left_mpi_ticks + (clock_ticks() - recorder->left_ticks)", "0")


def check_no_overlap(_case, _job, profile, tools):
    import jobs  # not where only the names of the cases are asked for

    document, _ = jobs.report(tools, profile, expected_status=None)
    rows = find_rows(document, "overlapped_s")
    overlapped = sum(row["overlapped_s"] or 0 for row in rows)
    if not rows or overlapped > 0.1:
        raise jobs.Failure(f"{overlapped} s of 1 s overlapped with computing: {rows}")


def check_bounds(_case, job, profile, tools):
    """Calls that were completed count, those that were left may; and nearly all have their line."""
    import jobs

    low, high = map(int, re.search(rb"MPI_Comm_size: (\d+) completed of (\d+) begun",
                                   job.stderr).groups())
    document, _ = jobs.report(tools, profile, expected_status=None)
    counted = sum(row["calls"] for row in document["functions"]
                  if row["function"] == "MPI_Comm_size")
    placed = sum(row["calls"] for row in document["callsites"]
                 if row["function"] == "MPI_Comm_size" and row["file"])
    if not low <= counted <= high:
        raise jobs.Failure(f"{counted} calls counted, {low} completed, {high} begun")
    if placed < 0.9 * counted:
        raise jobs.Failure(f"{placed} of {counted} calls have a line")


def check_among_threads(case, job, profile, tools):
    """The lock that the last jump left is not waited for as long as one of a thread that sleeps."""
    import jobs

    check_bounds(case, job, profile, tools)
    waited_s = float(re.search(rb"waited ([0-9.]+) s", job.stderr)[1])
    if waited_s > 5:
        raise jobs.Failure(f"the threads went on for {waited_s} s")


def find_rows(value, key):
    if isinstance(value, dict):
        own = [value] if key in value else []
        return own + [row for part in value.values() for row in find_rows(part, key)]
    parts = value if isinstance(value, list) else []
    return [row for part in parts for row in find_rows(part, key)]


CASES = [
    Case("left_by_jump", "an error handler leaves calls by longjmp()", take_outs=[COUNT, DEEPER]),
    Case("left_by_exception", "an error handler leaves calls by a C++ exception",
         source="left_by_exception.cc",
         options=("-fexceptions", "-Wno-unused-parameter"), take_outs=[COUNT]),
    Case("left_anywhere", "a time limit leaves MPI calls at any instruction, by siglongjmp() in a "
         "signal handler",
         arguments=("jump",), ranks=1, check=check_bounds, take_outs=[AROUND, OWN_LOCKS, LOADER]),
    Case("left_after_loads", "the same where a library was just loaded or unloaded",
         source="left_anywhere.c", arguments=("jump_after_loads",), ranks=1, check=check_bounds,
         take_outs=[TakeOut("asking the loader only where the program does so itself",
                            "libmprof/record/paths/scripts.c", "    if (asked == 0)\n",
                            "    if (asked != loads)\n")]),
    Case("left_among_threads", "the same beside threads that call MPI, for which it then waits",
         source="left_anywhere.c", arguments=("jump_among_threads",), ranks=1,
         check=check_among_threads,
         take_outs=[TakeOut("seeing that a thread waits elsewhere", "libmprof/base/lock.c",
                            "    return has_left(lock, holder->thread, now_ns - "
                            "holder->begin_ns);", "    return false;")]),
    Case("left_by_cancellation", "threads are cancelled in MPI calls, asynchronously",
         source="left_anywhere.c", arguments=("cancel",), ranks=1, check=check_bounds,
         take_outs=[MEMORY]),
    Case("handed_over", "a request is completed by a thread that takes over the recorder of the "
         "one that started it",
         check=check_no_overlap, take_outs=[HAND_OVER]),
]
