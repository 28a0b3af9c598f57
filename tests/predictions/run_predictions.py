#!/usr/bin/env python3
"""What reports say a change would save, and what it saves: each change is made in a small program
(share/demo/steps.c, tests/tune/tuned.c, tests/place/far.c), and the program run in both forms.

A report states an interval, "1.2 s to 1.5 s", or a bound, "up to 1.5 s", which is the interval from
0. What is measured has an error, too: half the range of the runs of each form, added (of five
runs, of the middle three). A prediction holds if the two intervals have a point in common. It holds
within noise if they are less than 5 % of the run apart: by so much two runs may differ by chance
(mprof diff), and a report is of one run.

As a test it makes the changes that are quick, and fails if fewer than 80 % hold, within noise or
better. It also reads share/doc/evidence/predictions.md: each change has a row there, and at least
80 % of the rows say so. --write makes all changes and writes that document.
"""

import collections
import datetime
import json
import os
import re
import shutil
import statistics
import subprocess
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TESTS, "mpi"))
import jobs  # noqa: E402  pylint: disable=wrong-import-position

HELD = 0.8  # of the predictions
REPORTS = 3  # the one of the run of middle length predicts
NOISE = 0.05  # of a run: verdict_thresholds.single_run_noise
# Over TCP: within a node Open MPI's shared memory keeps the sender of 3,000 bytes until the
# receiver has taken them, whatever the limit; that of 100 bytes it does not keep.
TCP = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self"}
EAGER = {"OMPI_MCA_btl_tcp_eager_limit": "131072", "OMPI_MCA_btl_tcp_max_send_size": "131072"}

# `said` is what of the report predicts the gain: "gain" of the verdict, "loads" of shared memory,
# else an expression that fits one of the next steps. `words` start the program; behind them `done`
# does it changed, or `settings` do.
Change = collections.namedtuple("Change", "name said words done settings quick")
CHANGES = [
    Change("work shared evenly", "gain", ["steps", "uneven"], ["done"], {}, True),
    Change("barriers taken out", "Remove the", ["steps", "barriers"], ["done"], {}, True),
    # A message takes half as long in some runs as in others, on a virtual machine.
    Change("2,000 messages put into one", "Send fewer", ["steps", "messages"], ["done"], {}, False),
    Change("eager limit above the messages", "eager limit", ["tuned", "late", "100", "100000"],
           [], EAGER, True),
    Change("2,000 reductions put into one", "Put several", ["steps", "reductions"], ["done"], {},
           False),
    Change("MPI_Ibcast, and computing meanwhile", "late for|start earlier", ["steps", "root"],
           ["done"], {}, False),
    Change("ten pieces instead of one after the other", "at the same time", ["steps", "turns"],
           ["done"], {}, False),
    Change("one in a hundred of the polls", "Wait with", ["steps", "polling"], ["done"], {}, False),
    Change("one MPI_File_sync instead of 40", "Sync ", ["steps", "syncs"], ["done"], {}, False),
    Change("10,000 small writes put into one", "Read and write more", ["steps", "writes"], ["done"],
           {}, False),
    Change("neighbour's block read in shared memory", "loads", ["steps", "copies"], ["done"], {},
           False),
]
ORDER = "partners put on the same node (`mprof place`)"

HEAD = """# What is predicted, and what is gained

A record of runs that checks what reports promise.
{date}, {cpus} CPUs of a virtual machine, Open MPI 4.1.4. Each change was made in a small program
([steps.c](../../demo/steps.c), [tuned.c](../../../tests/tune/tuned.c),
[far.c](../../../tests/place/far.c)), which ran {turns} times in each form, in turn, without mprof.
*Predicted* is what the report of the program as found says the change would save; `up to` is the
interval from 0. *Measured* is the difference of the medians; its error is half the range of the
middle three runs of each form, added. A prediction *holds* if the two intervals have a point in
common. It does *within noise* if they are less than 5 % of the run apart: a report is of one run,
and by so much two runs may differ by chance. The report is of the middle one of {reports} runs.

`tests/predictions/run_predictions.py --write` makes this page (the target
`regenerate_predictions`); the test `predictions` makes the quick changes again.

| change | predicted | measured | holds |
|---|---|---|---|
"""
TAIL = """
{exact} of {all} hold, and {held} within noise.

Where the intervals come from:

* Perfect balance saves the slowest rank's computing beyond the mean, and no more than is waited.
  The lower end is 5 % of the run less: by so much two runs may differ by chance, as in
  [mprof diff](../howto/compare.md#noise).
* Barriers save at least what they cost without waiting, and at most all of their time. The waiting
  may move to the next call.
* Small messages and reductions that are put together save at least half of their time, two into
  one, and at most all of it. On a virtual machine a message takes half as long in some runs as in
  others: the row of messages holds only if the profiled run was one of the usual ones.
* For late receivers and roots at most what that rank waits there that waits longest in all: the
  whole run may wait for it.
* Polls cost their own time. Those between computing also slow what the processor computes beside
  them, so fewer of them may save somewhat more.
* `mprof place` says its uncertainty itself ([how](../howto/place.md)).
* Direct loads in shared memory cost a flag each, and between nothing and the time in which the
  machine's messages move the bytes.
* All other steps say `up to`: nobody can tell what the change leaves.
* `mprof tune` predicts nothing: it measures, and says the noise ([how](../howto/tune.md)).

How much less time [programs with a planted cause](zoo.md) take once it is fixed is shown beside
their accounts.
"""


class Programs:
    """Runs them, as found and changed."""

    def __init__(self, tools, arguments, folder):
        self.tools, self.folder = tools, folder
        self.paths = {"steps": arguments.steps, "tuned": arguments.tuned}

    def job(self, front, change, is_done, **settings):
        words = [self.paths[change.words[0]], *change.words[1:], *(change.done if is_done else [])]
        if change.settings:
            settings = {**settings, **TCP, **(change.settings if is_done else {})}
        environment = jobs.environment(**settings)
        done = jobs.Job([*front, *self.tools.launcher(2), *words], environment, self.folder,
                        self.tools.time_limit)
        if done.status != 0:
            raise jobs.Failure(done.describe())
        return done

    def report(self, change):
        profile = os.path.join(self.folder, change.words[1])
        shutil.rmtree(profile, ignore_errors=True)
        self.job([self.tools.mprof, "run", "--"], change, False, MPROF_OUTPUT=profile,
                 MPROF_SUMMARY="off")
        done = jobs.Job([self.tools.mprof, "report", profile, "--json", "-"], jobs.environment(),
                        self.folder, self.tools.time_limit)
        return json.loads(done.stdout)

    def took_s(self, change, is_done):
        return float(re.search(rb"^(?:took )?([\d.]+)( s)?$", self.job([], change, is_done).stdout,
                               re.M)[1])


def predicted(change, report):
    """Low, high; or None: it is not said."""
    verdict, totals, ranks = report["verdict"], report["totals"], report["run"]["ranks"]
    if change.said == "gain":
        return verdict["gain_low_s"] or 0, verdict["gain_s"]
    if change.said == "loads":
        return totals["load_saves_low_s"] / ranks, totals["load_saves_high_s"] / ranks
    for step in verdict["next"]:
        if re.search(change.said, step["action"]) and step["worth_s"] is not None:
            return step["worth_low_s"] or 0, step["worth_s"]
    print(json.dumps(verdict["next"], indent=1))
    return None


class Row:
    def __init__(self, name, interval, gain_s, error_s, run_s):
        self.name, self.gain_s, self.error_s = name, gain_s, error_s
        self.noise_s = NOISE * run_s
        self.low_s, self.high_s = interval or (0, 0)
        self.is_said = interval is not None

    def is_within(self, error_s):
        return self.is_said and self.low_s - error_s <= self.gain_s <= self.high_s + error_s

    def holds(self):
        if self.is_within(self.error_s):
            return "yes"
        return "within noise" if self.is_within(self.error_s + self.noise_s) else "no"

    def text(self):
        said = (f"{self.low_s:.2f} to {self.high_s:.2f} s" if self.low_s > 0 else
                f"up to {self.high_s:.2f} s" if self.is_said else "nothing")
        return (f"| {self.name} | {said} | {self.gain_s:.2f} +- {self.error_s:.2f} s | "
                f"{self.holds()} |")


def spread_s(times):
    """Without the shortest and the longest of five runs: one of them may be an exception."""
    kept = sorted(times)[1:-1] if len(times) >= 5 else times
    return max(kept) - min(kept)


def make_change(programs, change, turns, count):
    reports = sorted((programs.report(change) for _ in range(count)),
                     key=lambda report: report["run"]["wallclock_s"])
    interval = predicted(change, reports[count // 2])
    before, after = [], []
    for turn in range(turns):
        for is_done in (False, True) if turn % 2 == 0 else (True, False):
            (after if is_done else before).append(programs.took_s(change, is_done))
    error_s = (spread_s(before) + spread_s(after)) / 2
    before_s = statistics.median(before)
    row = Row(change.name, interval, before_s - statistics.median(after), error_s, before_s)
    print(row.text(), flush=True)
    return row


def order_row(tools):
    """By the test of mprof place, which needs root for its nodes."""
    script = os.path.join(TESTS, "place", "run_place.py")
    done = subprocess.run(
        [sys.executable, script, "--mpi", tools.mpi, "--mpirun", tools.mpirun, "--library",
         tools.library, "--mprof", tools.mprof, "--keys",
         os.path.join(TESTS, "..", "share", "doc", "howto", "place.md")],
        capture_output=True, text=True, check=False)
    found = re.search(r"^saves: predicted ([\d.]+) s \+- ([\d.]+) s, measured ([\d.]+) s",
                      done.stdout, re.M)
    if not found:
        raise jobs.Failure(f"run_place.py: {done.stdout}{done.stderr}")
    saves_s, error_s, measured_s = map(float, found.groups())
    row = Row(ORDER, (saves_s - error_s, saves_s + error_s), measured_s, 0, 0)
    print(row.text(), flush=True)
    return row


def held_of(rows):
    return sum(row.holds() != "no" for row in rows)


def expect_held(held, count, what):
    print(f"{what}: {held} of {count} hold, within noise or better")
    if held < HELD * count:
        raise jobs.Failure(f"{what}: only {held} of {count} predictions hold")


def check_document(path):
    with open(path, encoding="utf-8") as file:
        rows = re.findall(r"^\| (.*?) \| .* \| .* \| (yes|within noise|no) \|$", file.read(), re.M)
    names = [name for name, _ in rows]
    wanted = [change.name for change in CHANGES] + [ORDER]
    if sorted(names) != sorted(wanted):
        raise jobs.Failure(f"{path} has rows {names} instead of {wanted}")
    expect_held(sum(holds != "no" for _, holds in rows), len(rows), "in the document")


def check(tools, arguments):
    if len(os.sched_getaffinity(0)) < 2:
        print("skipped: two ranks need two CPUs")
        sys.exit(jobs.SKIPPED)
    jobs.go_first()
    with jobs.Folder("predictions", tools.keep) as folder:
        programs = Programs(tools, arguments, folder.path)
        if not arguments.write:
            check_document(arguments.document)
            rows = [make_change(programs, change, arguments.turns, 1) for change in CHANGES
                    if change.quick]
            expect_held(held_of(rows), len(rows), "now")
            return
        rows = [make_change(programs, change, arguments.turns, REPORTS) for change in CHANGES]
    rows.append(order_row(tools))
    exact = sum(row.holds() == "yes" for row in rows)
    held = held_of(rows)
    with open(arguments.document, "w", encoding="utf-8") as file:
        file.write(HEAD.format(date=datetime.date.today(), cpus=os.cpu_count(),
                               turns=arguments.turns, reports=REPORTS))
        file.write("".join(row.text() + "\n" for row in rows))
        file.write(TAIL.format(exact=exact, held=held, all=len(rows)))
    expect_held(held, len(rows), "in the document")


if __name__ == "__main__":
    options = jobs.argument_parser(__doc__)
    options.add_argument("--steps", required=True, help="the program of share/demo/steps.c")
    options.add_argument("--tuned", required=True, help="the program of tests/tune/tuned.c")
    options.add_argument("--document", required=True, help="predictions.md")
    options.add_argument("--turns", type=int, default=3, help="runs of each form")
    options.add_argument("--write", action="store_true", help="make all changes, and the document")
    sys.exit(jobs.main(check, options))
