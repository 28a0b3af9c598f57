#!/usr/bin/env python3
"""Runs that change over time (phases.c): are the phases where the program says, is the sentence of
each the right one, and is it told what becomes slower?

When the parts of the run began, the program noted itself. A phase may begin two bins away from
that. In each run the sums over bins are those of the whole report.
"""

import array
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("mpi", "connections"):
    sys.path.insert(0, os.path.join(HERE, "..", folder))
import jobs  # noqa: E402
import nodes  # noqa: E402
import sums  # noqa: E402

SOURCE = os.path.join(HERE, "phases.c")
RANKS = 2  # they compute: a core for each
SLOW = RANKS - 1
BINS_OFF = 2
STATES = ("compute_s", "wait_s", "transfer_s", "file_s", "contention_s", "blocked_s", "startup_s")


def fail_unless(condition, what, report):
    if condition:
        return
    phases = "\n".join(f"  {row['from_s']:.3f} to {row['to_s']:.3f} {row['name']}: "
                       f"{row['headline']}" for row in report["phases"])
    raise jobs.Failure(f"{what}\nbins of {report['time']['bin_s']:.4f} s\n{phases}\n"
                       f"headline: {report['time']['headline']}\ndrift: {report['time']['drift']}")


def line_of(name):
    with open(SOURCE, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if re.search(rf"/\* calls: {name}\b", line):
                return f"phases.c:{number}"
    raise jobs.Failure(f"no line of {name}")


def read_marks(where):
    """By part of the run: when the first rank came to it."""
    ranks = []
    for rank in range(RANKS):
        values = array.array("d")
        with open(os.path.join(where, f"marks-{rank}"), "rb") as file:
            values.frombytes(file.read())
        ranks.append(values)
    return [min(times) for times in zip(*ranks)]


# ---- what is true of every run ------------------------------------------------------------------


def check_sums(report):
    """What the bins of all ranks add up to is what the report says of the whole run."""
    totals, bins = report["totals"], report["time"]["bins"]
    ranks = report["run"]["ranks"]

    def over_bins(key):
        return ranks * sum(row[key] or 0 for row in bins)

    def over_ranks(key):
        return sum(row[key] or 0 for row in report["ranks"])

    mpi_s = sum(over_bins(key) for key in ("wait_s", "transfer_s", "file_s", "startup_s"))
    pairs = [("calls", over_bins("calls"), totals["calls"]),
             ("MPI", mpi_s, totals["mpi_s"]),
             ("waiting", over_bins("wait_s"), totals["wait_s"]),
             ("computing", over_bins("compute_s"), over_ranks("on_cpu_s")),
             ("without a CPU", over_bins("contention_s"), over_ranks("contention_s")),
             ("blocked", over_bins("blocked_s"), over_ranks("blocked_s")),
             ("files", over_bins("file_s"), over_ranks("file_s")),
             ("start-up", over_bins("startup_s"), over_ranks("startup_s")),
             ("bytes", over_bins("bytes"), sum(row["bytes"] for row in report["functions"]))]
    for key in STATES:
        pairs.append((f"{key} of phases", ranks * sum(row[key] for row in report["phases"]),
                      over_bins(key)))
    for what, found, expected in pairs:
        fail_unless(not sums.differ(found, expected), f"{what}: bins have {found}, all {expected}",
                    report)


def check_axis(report):
    """Phases and bins cover the run without a gap."""
    phases, bins = report["phases"], report["time"]["bins"]
    fail_unless(phases[0]["from_s"] == 0, "the first phase does not begin at 0", report)
    for before, after in zip(phases, phases[1:]):
        fail_unless(before["to_s"] == after["from_s"], "a gap between phases", report)
    fail_unless(len(bins) >= 128, f"{len(bins)} bins of a run of over a second", report)


# ---- by case ------------------------------------------------------------------------------------


def check_begin(report, phase, mark_s, what):
    off_s = abs(phase["from_s"] - mark_s)
    print(f"{what}: began at {mark_s:.3f} s, found {phase['from_s']:.3f} s "
          f"({off_s / report['time']['bin_s']:.1f} bins away)")
    fail_unless(off_s <= BINS_OFF * report["time"]["bin_s"],
                f"{what} began at {mark_s:.4f} s, the phase at {phase['from_s']:.4f} s", report)


def phase_at(report, time_s):
    return next(row for row in report["phases"] if time_s < row["to_s"])


def middle(marks, part):
    return (marks[part] + marks[part + 1]) / 2


def expect_words(report, text, *words):
    for word in words:
        fail_unless(word in text, f"{word!r} is not in {text!r}", report)


class Run:
    """A report, its text, and what the program says of the run."""

    def __init__(self, report, text, where, how):
        self.report, self.text, self.how = report, text, how
        self.marks = read_marks(where)
        # What the slow rank does longer than the others.
        slow = f"rank {SLOW}" + (f" on node{SLOW + 1}" if report["run"]["nodes"] > 1 else "")
        self.slower = f"{slow} computes" if how == "spin" else f"{slow} is blocked"


def check_three(run):
    """Three phases, beside what MPI_Init and MPI_Finalize take."""
    report, marks = run.report, run.marks
    set_up, solve, write_out = (phase_at(report, middle(marks, part)) for part in range(3))
    names = ["set_up", "solve", "output"]
    fail_unless([row["name"] for row in (set_up, solve, write_out)] == names,
                f"the phases are not {names}", report)
    for part, phase in ((1, solve), (2, write_out)):
        check_begin(report, phase, marks[part], names[part])
    fail_unless(set_up["from_s"] == 0 or
                abs(set_up["from_s"] - marks[0]) <= BINS_OFF * report["time"]["bin_s"],
                "the set-up begins late", report)
    expect_words(report, set_up["headline"], f"MPI_Allreduce at {line_of('set_up')}", "wait",
                 run.slower)
    fail_unless(set_up["slowest_rank"] == SLOW, "the set-up's slowest rank", report)
    fail_unless(solve["wait_s"] < 0.2 * (marks[2] - marks[1]), "the solver is balanced", report)
    fail_unless(run.how == "sleep" or solve["slowest_rank"] is None, "a rank is blamed", report)
    expect_words(report, write_out["headline"], "MPI_File_write_at", line_of("write_out"),
                 "written at")
    if run.how == "spin":  # sleep is lost time, too; a second of output is more than the waiting
        expect_words(report, report["time"]["headline"] or "", "Output takes", "MPI_File_write_at")
    expect_words(report, run.text, *names)


def check_slows_down(run):
    """A phase begins in the middle, and from then on the others wait for the slow rank."""
    report, marks = run.report, run.marks
    before, behind = (phase_at(report, middle(marks, part)) for part in range(2))
    fail_unless(before is not behind, "nothing changes in the middle", report)
    check_begin(report, behind, marks[1], "slower")
    fail_unless(behind["slowest_rank"] == SLOW and before["slowest_rank"] is None,
                "the slow rank", report)
    expect_words(report, behind["headline"], "wait", run.slower,
                 f"MPI_Allreduce at {line_of('steps')}")
    expect_words(report, report["time"]["drift"] or "", f"Rank {SLOW} becomes slower")


def check_hiccup(run):
    """What repeats is one phase, in which the others wait."""
    report, marks = run.report, run.marks
    inside = [row for row in report["phases"] if row["from_s"] > marks[0] + 0.1 and
              row["to_s"] < marks[1] - 0.1]
    fail_unless(not inside, "hiccups are phases of their own", report)
    phase = phase_at(report, middle(marks, 0))
    expect_words(report, phase["headline"], "wait", f"rank {SLOW}",
                 f"MPI_Allreduce at {line_of('steps')}")
    fail_unless(phase["slowest_rank"] == SLOW, "the slow rank", report)
    fail_unless(not report["time"]["drift"], "nothing becomes slower", report)


def check_grows(run):
    """Steps of all ranks take longer and longer, from 10 to 30 ms, and no rank is to blame. The
    first tenth of them take 11 ms on average, the last tenth 29 ms."""
    report = run.report
    found = re.match(r"Steps become longer: one takes about ([0-9.]+) ms at first and ([0-9.]+) ms "
                     rf"at the end \(counted at {re.escape(line_of('steps'))}\). Most of that is "
                     r"outside MPI.", report["time"]["drift"] or "")
    fail_unless(found, "no steps become longer", report)
    first_ms, last_ms = float(found[1]), float(found[2])
    fail_unless(10 < first_ms < 14 and 26 < last_ms < 34, f"{first_ms} and {last_ms} ms", report)
    fail_unless(all(row["slowest_rank"] is None for row in report["phases"]
                    if row["to_s"] - row["from_s"] > 0.5), "a rank is blamed", report)


def check_burst(run):
    """While the hog runs the slow rank lacks its CPU, and at no other time."""
    report, marks = run.report, run.marks
    before, inside, behind = (phase_at(report, middle(marks, part)) for part in range(3))
    fail_unless(inside is not before and inside is not behind, "the burst is no phase", report)
    check_begin(report, inside, marks[1], "burst")
    check_begin(report, behind, marks[2], "after it")
    expect_words(report, inside["headline"], f"rank {SLOW} is kept off the CPU")
    fail_unless(inside["slowest_rank"] == SLOW, "the slow rank", report)
    burst_s = inside["contention_s"] * RANKS
    all_s = sum(row["contention_s"] for row in report["phases"]) * RANKS
    fail_unless(burst_s > 0.6 * all_s and burst_s > 0.2 * (marks[2] - marks[1]),
                f"{burst_s:.2f} of {all_s:.2f} s without a CPU are in the burst", report)


CHECKS = {"three": check_three, "slows_down": check_slows_down, "hiccup": check_hiccup,
          "grows": check_grows, "burst": check_burst, "on_nodes": check_three}


# ---- running ------------------------------------------------------------------------------------


def run_on_nodes(tools, where, words):
    """Open MPI on two nodes; a rank on each."""
    with nodes.Nodes(RANKS) as cluster:
        command = cluster.on(0, [tools.mprof, "run", "--"] + tools.launcher(RANKS) + [
            # Each node would bind its rank to the first CPU, and they are the same machine's.
            "--bind-to", "none",
            "--host", cluster.hosts(1), "--mca", "plm_rsh_agent", cluster.shell,
            "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "eth0",
            "--mca", "oob_tcp_if_include", "eth0"] + words)
        settings = jobs.environment(MPROF_OUTPUT=os.path.join(where, "profile"),
                                    MPROF_SUMMARY="off")
        return jobs.Job(command, settings, where, tools.time_limit)


def run_job(tools, arguments, how, where):
    if arguments.case != "on_nodes":
        return jobs.run_profiled(tools, where, RANKS,
                                 [arguments.program, arguments.case, how, where],
                                 **jobs.cpu_each(RANKS))
    return run_on_nodes(tools, where, [arguments.program, "three", how, where])


def check_once(tools, arguments, how):
    with jobs.Folder("phases", tools.keep) as folder:
        job = run_job(tools, arguments, how, folder.path)
        if job.status != 0:
            raise jobs.Failure(job.describe())
        profile = os.path.join(folder.path, "profile")
        report, _ = jobs.report(tools, profile)
        check_sums(report)
        check_axis(report)
        fail_unless((report["run"]["nodes"] > 1) == (arguments.case == "on_nodes"), "nodes", report)
        text = jobs.Job([tools.mprof, "report", profile, "--all"], jobs.environment(), folder.path,
                        tools.time_limit).stdout.decode()
        CHECKS[arguments.case](Run(report, text, folder.path, how))


def check(tools, arguments):
    """A hog needs a CPU of its own, so there is no burst among those that sleep."""
    jobs.need(len(os.sched_getaffinity(0)) >= RANKS, "CPU for each rank")
    jobs.go_first()
    for how in ("sleep", "spin") if arguments.case != "burst" else ("spin",):
        check_once(tools, arguments, how)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="phases")
    parser.add_argument("case", choices=CHECKS)
    sys.exit(jobs.main(check, parser))
