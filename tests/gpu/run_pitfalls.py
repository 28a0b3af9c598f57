#!/usr/bin/env python3
"""What a tool between a program and its GPU's driver can do wrong (gpu_pitfalls.c), on a stand-in
for the driver: the program checks what it sees, and here is checked what the report says. No
verdict depends on time."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mpi"))
import jobs  # noqa: E402  pylint: disable=wrong-import-position

RANKS = 2
STEPS = 8
MANY = 3000
MIB = 1 << 20
LOADS = 7  # a context, a module and five kernels
READABLE = {"FAKE_CUDA_READABLE": "1"}


def expect(found, expected, what):
    if found != expected:
        raise jobs.Failure(f"{what}: {found}, expected {expected}")


def line_of(source, text):
    with open(source, encoding="utf-8") as lines:
        return next(i for i, line in enumerate(lines, 1) if text in line)


def kernels_of_waits(document):
    return {row["place"]: row["kernel"] for row in document["gpu_sites"] if row["use"] == "wait"}


def place_of(source, text):
    return f"gpu_pitfalls.c:{line_of(source, text)}"


def figures(document, *names):
    """Of each rank."""
    return [[row[name] for name in names] for row in document["ranks"]]


def check_streams(document, source, _):
    """No stream gets the kernel of another one; of many some are not known."""
    kernels = kernels_of_waits(document)
    for kernel in ("inner", "border"):
        expect(kernels[place_of(source, f"/* of {kernel} */")], kernel, "the kernel before a wait")
    late = kernels[place_of(source, "/* of one of many */")]
    if late not in ("inner", None, ""):
        raise jobs.Failure(f"a stream with kernel inner has {late}")
    expect(figures(document, "gpu_waits"), RANKS * [[MANY + MANY // 2]], "waits")


def check_gone(document, source, _):
    kernels = kernels_of_waits(document)
    expect(kernels[place_of(source, "/* of inner */")], "inner", "the kernel of the first stream")
    expect(kernels[place_of(source, "/* of nothing */")] or "", "",
           "the kernel of a stream that had none")


def check_inner(document, source, _):
    expect(kernels_of_waits(document)[place_of(source, "/* of inner */")], "inner",
           "the kernel before a wait")


def check_own(document, source, _):
    expect(kernels_of_waits(document)[place_of(source, '"a wait"); /* of inner */')], "inner",
           "the kernel of this thread's own stream")


def broadcasts(document):
    """{(place, memory): calls}, of senders and of receivers."""
    sums = {}
    for row in document["gpu_buffers"]:
        if row["function"] == "MPI_Bcast":
            key = (row["place"], row["memory"])
            sums[key] = sums.get(key, 0) + row["calls"]
    return sums


def check_reused(document, source, _):
    """Memory is of the kind that it is at the time of the call."""
    expected = {(place_of(source, f"/* {memory} */"), memory): RANKS * STEPS
                for memory in ("device", "host", "pinned")}
    found = broadcasts(document)
    again = (place_of(source, "/* host again */"), "host")
    if found.pop(again, 0) == 0:
        raise jobs.Failure(f"no address was used for the third time: {found}")
    expect(found, expected, "buffers by line and memory")


def check_hosts(document, _source, __):
    """Bytes to and from the device by the kind of memory that it is at the time of the copy."""
    for row in document["ranks"]:
        expect([row[f"gpu_{where}_device_{kind}_bytes"] for where in ("to", "from")
                for kind in ("pageable", "pinned", "managed")],
               3 * [STEPS * MIB // 2] + 3 * [STEPS * MIB], "bytes by memory")


def check_asked(document, _source, __):
    for row in document["ranks"]:
        expect([row["gpu_from_device_pageable_bytes"], row["gpu_from_device_pinned_bytes"]],
               [MANY * 1024, MANY * 1024], "bytes by memory")


def check_left(document, _source, __):
    expect(sum(row["staged_bytes"] for row in document["gpu_buffers"]), 0, "staged bytes")
    expect(sum(row["calls"] for row in document["gpu_buffers"]), RANKS * STEPS, "buffers")


def check_batch(document, _source, __):
    expect(figures(document, "gpu_copies", "gpu_from_device_bytes", "gpu_to_device_bytes",
                   "gpu_elsewhere_bytes"), RANKS * [[STEPS, STEPS * 1019, 0, 0]], "lists of copies")


def not_ready(document):
    return [(row["line"], row["count"]) for row in document["lints"]
            if row["rule"] == "device-buffer-not-ready"]


def check_capture(document, source, _):
    """The driver is not asked while a stream is captured, else the program fails."""
    expect(not_ready(document), [(line_of(source, "/* not captured */"), RANKS * STEPS)],
           "buffers that are not ready")


def check_overlap(document, source, _):
    expect(not_ready(document), [(line_of(source, "/* not ready */"), RANKS * STEPS)],
           "buffers that are not ready")


def check_quiet(_document, _source, stdout):
    rows = re.findall(r"rank \d (\w+) (\d+) of (\d+)\n", stdout.decode())
    expect(len(rows), RANKS * 4, "counts of the driver")
    for name, of_program, all_calls in rows:
        expect(int(all_calls), int(of_program), f"calls of the driver: {name}")


def check_callbacks(document, _source, __):
    """A launch and a callback a step; the driver's threads add nothing."""
    expect(figures(document, "gpu_launches", "gpu_waits"), RANKS * [[2 * STEPS + LOADS, STEPS]],
           "calls of the driver")


def check_end(document, _source, __):
    expect(figures(document, "gpu_waits", "complete"), RANKS * [[0, True]],
           "waits before the end of MPI")


def check_reopen(document, _source, __):
    expect(figures(document, "gpu_waits"), RANKS * [[STEPS]], "waits")


def check_nothing(_document, _source, __):
    """The program has checked it."""


def check_late(document, _source, __):
    expect(sum(row["calls"] for row in document["gpu_buffers"] if row["memory"] == "device"),
           RANKS * STEPS, "buffers on the device")


CASES = {
    "streams": (check_streams, {}), "gone": (check_gone, {}), "own": (check_own, {}),
    "extended": (check_inner, {}), "reused": (check_reused, READABLE), "left": (check_left, {}),
    "hosts": (check_hosts, {}), "asked": (check_asked, {}), "batch": (check_batch, {}),
    "capture": (check_capture, {"MPROF_LINT": "1", **READABLE}),
    "overlap": (check_overlap, {"MPROF_LINT": "1", **READABLE}),
    "quiet": (check_quiet, READABLE), "fork": (check_inner, READABLE),
    "callbacks": (check_callbacks, {}), "end": (check_end, {}), "reopen": (check_reopen, {}),
    "foreign": (check_nothing, {}), "late": (check_late, {"MPROF_RESULTS": "1"})}


def run_case(tools, case, arguments):
    check, variables = CASES[case]
    path = f"{arguments.driver}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    with jobs.Folder("gpu_pitfalls", tools.keep) as folder:
        job = jobs.run_profiled(tools, folder.path, RANKS, [arguments.program, case],
                                **variables, LD_LIBRARY_PATH=path)
        if job.status != 0:
            raise jobs.Failure(f"the program failed: {job.describe()}")
        document, _ = jobs.report(tools, folder.sub("profile"))
        check(document, arguments.source, job.stdout)


def run(tools, arguments):
    for case in arguments.cases:
        try:
            run_case(tools, case, arguments)
        except jobs.Failure as failure:
            raise jobs.Failure(f"{case}: {failure}") from failure


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="gpu_pitfalls")
    parser.add_argument("--source", required=True, help="gpu_pitfalls.c, whose lines are named")
    parser.add_argument("--driver", required=True, help="folder of the stand-in for libcuda.so.1")
    parser.add_argument("--cases", nargs="+", choices=sorted(CASES), default=sorted(CASES))
    sys.exit(jobs.main(run, parser))
