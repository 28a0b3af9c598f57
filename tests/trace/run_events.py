#!/usr/bin/env python3
"""Single calls on demand (--events) of a ring program: calls and arrows are those that its plan
says, of the whole run, of a window by region and by time, of the last part where the ring is too
small, and after kill -9. The file takes the space that it uses. A disk that is full, or a size that
cannot be had, is one warning, and the program runs on."""

import collections
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mpi"))
import jobs
import pftrace

RANKS = 2
STEPS = 500
IN_REGION = 40
# MPI_Init, MPI_Comm_rank, MPI_Comm_size before the steps; MPI_Barrier and MPI_Finalize behind them.
STEP = {"MPI_Irecv": 1, "MPI_Isend": 2, "MPI_Recv": 1, "MPI_Waitall": 1,
        "MPI_Sendrecv": 1, "MPI_Allreduce": 1}
CALLS_AROUND = 7  # the five above and two of MPI_Pcontrol
PIECE = 1 << 18  # bytes by which a file of events grows
MESSAGES = 3  # of a step and rank: in MPI_Recv, MPI_Waitall and MPI_Sendrecv


def expect(what, found, expected):
    if found != expected:
        raise jobs.Failure(f"{what}: {found}, expected {expected}")


class Run:
    """The trace of a run with these options."""

    def __init__(self, tools, program, words, killed=False, preload=(), **options):
        with jobs.Folder("events", tools.keep) as folder:
            profile = os.path.join(folder.path, "profile")
            target = os.path.join(folder.path, "run.pftrace")
            job = jobs.run_preloaded(tools, folder.path, RANKS, [program, *words],
                                     ":".join([tools.library, *preload]),
                                     MPROF_OUTPUT=profile, MPROF_SUMMARY="off", **options)
            self.output = job.stderr.decode(errors="replace")
            self.sizes = [os.path.getsize(os.path.join(profile, name))
                          for name in os.listdir(profile) if name.endswith(".events")]
            done = subprocess.run([tools.mprof, "trace", profile, "-o", target],
                                  capture_output=True, text=True, check=False)
            expect(f"exit status of mprof trace ({done.stderr})", done.returncode,
                   1 if killed else 0)
            self.said = done.stderr
            trace = pftrace.Trace(target)
            report = subprocess.run([tools.mprof, "report", profile, "--json", "-"],
                                    capture_output=True, text=True, check=False)
            self.report = json.loads(report.stdout)
        self.calls = trace.slices
        self.names = collections.Counter(call.name for call in self.calls)
        self.arrows = trace.arrows
        self.messages = len(self.arrows)
        if any(arrow.sent_us > arrow.received_us for arrow in self.arrows):
            raise jobs.Failure("a message was received before it was sent")


def check_whole(tools, program):
    run = Run(tools, program, [str(STEPS)], MPROF_EVENTS="1M")
    for name, count in STEP.items():
        expect(name, run.names[name], RANKS * STEPS * count)
    for name in ("MPI_Init", "MPI_Barrier", "MPI_Finalize"):
        expect(name, run.names[name], RANKS)
    expect("calls", len(run.calls),
           sum(row["calls"] for row in run.report["functions"]))
    expect("messages", run.messages, RANKS * STEPS * MESSAGES)
    if "have no arrow" in run.said:
        raise jobs.Failure(run.said)
    # seven calls, three messages sent and three received in a step, 32 bytes each, behind a page
    expect("sizes of the files", set(run.sizes), {4096 + 32 * (STEPS * 13 + CALLS_AROUND)})


def check_region(tools, program):
    run = Run(tools, program, [str(STEPS)], MPROF_EVENTS="1M", MPROF_EVENTS_REGION="steps")
    expected = collections.Counter({name: RANKS * IN_REGION * count
                                    for name, count in STEP.items()})
    expected["MPI_Pcontrol"] = RANKS  # the call that begins the region ends in it
    expect("calls in the region", run.names, expected)
    expect("messages in the region", run.messages, RANKS * IN_REGION * MESSAGES)


def check_small(tools, program):
    run = Run(tools, program, [str(STEPS)], MPROF_EVENTS="64K")
    kept = (65536 - 4096) // 32
    whole = (kept - 2) // 13  # steps; MPI_Barrier and MPI_Finalize are the last two
    expect("MPI_Finalize", run.names["MPI_Finalize"], RANKS)
    for name in ("MPI_Allreduce", "MPI_Waitall"):
        if not RANKS * whole <= run.names[name] <= RANKS * (whole + 1):
            raise jobs.Failure(f"{name}: {run.names[name]}, expected {RANKS * whole} or some more")
    if run.messages < RANKS * (whole - 1) * MESSAGES:
        raise jobs.Failure(f"{run.messages} messages, expected {RANKS * whole * MESSAGES}")
    expect("sizes of the files", set(run.sizes), {65536})


def check_time(tools, program):
    """The first steps begin at once, the later ones after six seconds."""
    run = Run(tools, program, [str(STEPS), "pause"], MPROF_EVENTS="1M", MPROF_EVENTS_FROM="4")
    expect("MPI_Allreduce after four seconds", run.names["MPI_Allreduce"],
           RANKS * (STEPS - IN_REGION))
    expect("MPI_Init", run.names["MPI_Init"], 0)
    run = Run(tools, program, [str(STEPS), "pause"], MPROF_EVENTS="1M", MPROF_EVENTS_FOR="4")
    expect("MPI_Allreduce in the first four seconds", run.names["MPI_Allreduce"], RANKS * IN_REGION)
    expect("MPI_Init", run.names["MPI_Init"], RANKS)


def check_killed(tools, program):
    run = Run(tools, program, [str(STEPS), "kill"], killed=True, MPROF_EVENTS="1M")
    for name, count in STEP.items():
        expect(name, run.names[name], RANKS * STEPS * count)
    expect("messages", run.messages, RANKS * STEPS * MESSAGES)
    last = [row["function"] for row in run.report["last_calls"] if row["rank"] == 0]
    expect("last call in the report", last[-1], "MPI_Barrier")


def check_large(tools, program):
    """Space is taken as it is used."""
    run = Run(tools, program, ["10", "kill"], killed=True, MPROF_EVENTS="60G", MPROF_VERBOSE="0")
    expect("warnings", run.output.count("single calls"), 0)
    expect("MPI_Allreduce", run.names["MPI_Allreduce"], RANKS * 10)
    expect("sizes of the files", set(run.sizes), {4096 + PIECE})


def check_full_disk(tools, program, full_disk):
    """There is space for two pieces, of which the steps need three."""
    steps = 2 * PIECE // 32 // 13 + 500
    for end in ([], ["kill"]):
        run = Run(tools, program, [str(steps), *end], killed=bool(end), MPROF_EVENTS="64M",
                  MPROF_VERBOSE="0", preload=[full_disk], FULL_DISK_BYTES=str(4096 + 2 * PIECE))
        expect("warnings", run.output.count("no more space for single calls"), 1)
        expect("sizes of the files", set(run.sizes), {4096 + 2 * PIECE})
        whole = (2 * PIECE // 32 - 2) // 13
        if not RANKS * whole <= run.names["MPI_Allreduce"] <= RANKS * (whole + 1):
            raise jobs.Failure(f"MPI_Allreduce: {run.names['MPI_Allreduce']}, expected about "
                               f"{RANKS * whole}")
        expect("calls in the report", next(row["calls"] for row in run.report["functions"]
                                           if row["function"] == "MPI_Allreduce"), RANKS * steps)
    run = Run(tools, program, ["10"], MPROF_EVENTS="1M", MPROF_VERBOSE="0", preload=[full_disk],
              FULL_DISK_BYTES="4096")
    expect("warnings without any space", run.output.count("single calls"), 1)
    expect("calls", len(run.calls), 0)


def check_impossible(tools, program):
    run = Run(tools, program, ["10"], MPROF_EVENTS="63K")
    expect("the size as it was given", run.output.count("MPROF_EVENTS=63K is not"), 1)
    expect("calls", len(run.calls), 0)


def check(tools, arguments):
    jobs.go_first()
    for part in (check_whole, check_region, check_small, check_time, check_killed, check_large,
                 check_impossible):
        part(tools, arguments.program)
    check_full_disk(tools, arguments.program, arguments.full_disk)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program")
    parser.add_argument("full_disk")
    sys.exit(jobs.main(check, parser))
