#!/usr/bin/env python3
"""Programs with a planted cause (planted.c): does the report find it?

For each case: the verdict's class, the rank to blame, the line at which the waiting shows, the lines between which the slow
rank computes, and the waiting itself, against what the ranks' arrivals say (planted.c) within 10 per cent.
"""

import array
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mpi"))
import jobs  # noqa: E402
import sums  # noqa: E402

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "planted.c")
IMBALANCE, SYNCHRONISATION = "load-imbalance bound", "synchronisation bound"


def everyone_waits_s(steps):
    """In each step all ranks wait for the last one. `steps` holds the arrivals of all ranks, step by step."""
    return sum(max(step) - arrival for step in steps for arrival in step)


def wait_for_root_s(root):
    return lambda steps: sum(max(0.0, step[root] - arrival) for step in steps for arrival in step)


def pairs_wait_s(late):
    """Rank r and r ^ 1 meet; those of parity `late` are waited for."""
    return lambda steps: sum(max(0.0, step[rank] - step[rank ^ 1]) for step in steps for rank in range(late, len(step), 2))


def chain_wait_s(steps):
    """Two arrivals a step: at the receive from the rank before, and when it passes the message on."""
    waited = 0.0
    for before, after in zip(steps[0::2], steps[1::2]):
        waited += sum(max(0.0, after[rank - 1] - before[rank]) for rank in range(1, len(before)))
        waited += sum(max(0.0, after[-1] - arrival) for arrival in after)
    return waited


class Case:
    """`classes` that are right; `guilty(ranks)` the ranks to blame; `waiting_s(steps)` what was really waited."""

    def __init__(self, classes, ranks=None, guilty=None, waiting_s=None, words=()):
        self.classes = classes
        self.ranks = ranks or {"openmpi": 4, "mpich": 2}
        self.guilty = guilty
        self.waiting_s = waiting_s
        self.words = words


CASES = {
    "late_rank": Case([IMBALANCE], guilty=lambda n: {n // 2}, waiting_s=everyone_waits_s),
    "late_root": Case([IMBALANCE], guilty=lambda n: {1}, waiting_s=wait_for_root_s(1)),
    "late_sender": Case([IMBALANCE], guilty=lambda n: set(range(0, n, 2)), waiting_s=pairs_wait_s(0)),
    "late_receiver": Case([IMBALANCE], guilty=lambda n: set(range(1, n, 2)), waiting_s=pairs_wait_s(1)),
    "chain": Case([SYNCHRONISATION], waiting_s=chain_wait_s),
    "moving": Case([SYNCHRONISATION], waiting_s=everyone_waits_s),
    "barriers": Case([SYNCHRONISATION], words=["barrier"]),
    "polling": Case([IMBALANCE, SYNCHRONISATION, "mixed", "compute bound"], words=["MPI_Test"]),
    "tiny": Case(["latency bound"], ranks={"openmpi": 2, "mpich": 2}),
    "bandwidth": Case(["bandwidth bound"], ranks={"openmpi": 2, "mpich": 2}),
    "slow_start": Case(["start-up bound"]),
    "file_output": Case(["I/O bound"]),
    "healthy": Case(["compute bound"]),
}


def arrivals(folder, ranks):
    """Of each step the arrivals of all ranks."""
    columns = []
    for rank in range(ranks):
        values = array.array("d")
        with open(os.path.join(folder, f"arrivals-{rank}"), "rb") as file:
            values.frombytes(file.read())
        columns.append(values)
    return list(zip(*columns))


def marked_lines(kind, case):
    lines = set()
    with open(SOURCE, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            found = re.search(r"/\* ([a-z, ]+): (\w+)", line)
            if found and found[2] == case and kind in found[1]:
                lines.add(f"planted.c:{number}")
    return lines


def expect(condition, what, report):
    if not condition:
        verdict = report["verdict"]
        raise jobs.Failure(f"{what}\nverdict: {verdict['class']}: {verdict['headline']}\n{verdict['why']}\n"
                           f"waiting {report['totals']['wait_s']} s of {report['totals']['mpi_s']} s MPI, load balance "
                           f"{report['totals']['load_balance']}")


def check_class(name, report):
    case = CASES[name]
    expect(report["verdict"]["class"] in case.classes, f"the class is not one of {case.classes}", report)
    said = " ".join([report["verdict"]["headline"], report["verdict"]["why"]] +
                    [step["action"] + " " + step["evidence"] for step in report["verdict"]["next"]])
    for word in case.words:
        expect(word in said, f"{word!r} is not named: {said}", report)


def check_waiting(name, report, steps):
    case = CASES[name]
    if case.waiting_s is None:
        return
    true, found = case.waiting_s(steps), report["totals"]["wait_s"]
    print(f"{name}: waited {true:.3f} s, found {found:.3f} s ({found / true:.3f})")
    expect(abs(found - true) < 0.10 * true, f"waited {true:.3f} s, found {found:.3f}", report)
    places = marked_lines("waits", name)
    if places:
        worst = max(report["call_lines"], key=lambda row: row["wait_s"] or 0)
        expect(os.path.basename(worst["place"]) in places, f"most waiting at {worst['place']}, planted at {places}", report)


def check_guilty(name, report, ranks):
    case = CASES[name]
    if case.guilty is None:
        return
    guilty = case.guilty(ranks)
    blamed = {row["rank"] for row in report["causes"][:len(guilty)]}
    expect(blamed == guilty, f"blamed are {blamed}, guilty are {guilty}", report)
    slow = marked_lines("slow", name)
    segment = report["causes"][0]["segment"]
    expect(any(place in segment for place in slow), f"the computing is between {segment!r}, planted before {slow}", report)


def check_times(report):
    """Computing between calls, MPI and mprof's own time make up the whole run of each rank."""
    computing = sum(row["time_s"] for row in report["segments"])
    parts = computing + report["totals"]["mpi_s"] + sum(row["own_s"] for row in report["ranks"])
    wallclock = report["totals"]["wallclock_s"]
    # MPI time is net of one read of the clock per call.
    slack = 0.01 * wallclock + 0.005 * len(report["ranks"]) + 20e-9 * report["totals"]["calls"]
    expect(abs(parts - wallclock) < slack, f"segments, MPI and own time are {parts} s of {wallclock} s", report)


def run(tools, arguments):
    name = arguments.case
    ranks = CASES[name].ranks[tools.mpi]
    for _ in range(arguments.turns):
        with jobs.Folder("causes", tools.keep) as folder:
            where = folder.sub("profiled")
            job = jobs.run_profiled(tools, where, ranks, [arguments.program, name, where])
            if job.status != 0:
                raise jobs.Failure(job.describe())
            report, _ = jobs.report(tools, os.path.join(where, "profile"))
            sums.check(report)
            check_class(name, report)
            check_waiting(name, report, arrivals(where, ranks))
            check_guilty(name, report, ranks)
            check_times(report)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="planted")
    parser.add_argument("case", choices=CASES)
    parser.add_argument("--turns", type=int, default=1)
    sys.exit(jobs.main(run, parser))
