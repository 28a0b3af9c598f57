"""Calls that never end, or end on another thread."""

from case import Case, TakeOut

COUNT = TakeOut("counting calls that were left",
                "libmprof/record/attach.c", "    call_count_left();\n", "")
DEEPER = TakeOut("seeing by what is overwritten that a call was left", "libmprof/record/call.c",
                 "    return is_intact(thread->outermost, recorder->live);",
                  "    return is_intact || true;")
HAND_OVER = TakeOut("the time between two threads with one recorder", "libmprof/record/recorder.c",
                    "recorder->left_mpi_ticks + (clock_ticks() - recorder->left_ticks)", "0")


def check_no_overlap(_case, _job, profile, tools):
    import jobs  # not where only the names of the cases are asked for

    document, _ = jobs.report(tools, profile, expected_status=None)
    rows = find_rows(document, "overlapped_s")
    overlapped = sum(row["overlapped_s"] or 0 for row in rows)
    if not rows or overlapped > 0.1:
        raise jobs.Failure(f"{overlapped} s of 1 s overlapped with computing: {rows}")


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
    Case("handed_over", "a request is completed by a thread that takes over the recorder of the "
         "one that started it",
         check=check_no_overlap, take_outs=[HAND_OVER]),
]
