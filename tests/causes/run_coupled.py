#!/usr/bin/env python3
"""Jobs of several programs (coupled.c): does the report tell them apart, and who waits for whom?

Each case runs twice. Where the programs work by sleeping, what each of them computes, and what it
waits for its own ranks and for each other program, is compared with what the ranks noted
themselves. It may differ by 5 per cent or 50 ms, and by what other load on the machine took. Where
they work by computing, the verdict is judged, if there is a CPU for each rank.
"""

import array
import itertools
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mpi"))
import jobs  # noqa: E402

COUPLING, IMBALANCE = "coupling bound", "load-imbalance bound"
STEPS = 150


class Case:
    """`programs`: name, and what each of its ranks computes in a step, in us. `classes` that are
    right, None: all but that of coupled programs. `words` that must be said."""

    def __init__(self, programs, classes=(COUPLING,), words=(), turns=False):
        self.programs, self.classes, self.words = programs, classes, words
        self.turns = turns


FAST, SLOW = 4000, 14000
CASES = {
    "two_each": Case([("ocean", [FAST, FAST]), ("atmosphere", [SLOW, SLOW])],
                     words=["The ranks of ocean wait ",
                            "Give atmosphere more ranks and ocean fewer"]),
    "one_rank": Case([("ocean", [FAST]), ("atmosphere", [SLOW, SLOW])],
                     words=["The rank of ocean waits ", "Give atmosphere more ranks, or make its"]),
    "one_each": Case([("ocean", [SLOW]), ("atmosphere", [FAST])],
                     words=["The rank of atmosphere waits "]),
    "three": Case([("ocean", [FAST]), ("atmosphere", [SLOW]), ("land", [FAST])],
                  words=[" for atmosphere", "give atmosphere more ranks"]),
    "uneven": Case([("ocean", [FAST]), ("atmosphere", [FAST, FAST, SLOW])], (IMBALANCE,),
                   words=["the average rank of atmosphere"]),
    "in_turn": Case([("ocean", [SLOW]), ("atmosphere", [SLOW])],
                    words=["wait for each other in turn"], turns=True),
    "healthy": Case([("ocean", [SLOW]), ("atmosphere", [SLOW])], None),
    "arguments": Case([("ocean", [FAST]), ("ocean", [SLOW])], None),
}


def commands(case, how, folder, where):
    """The programs of the job with their arguments, as mpirun takes them, and their ranks."""
    words, ranks, first = [], [], 0
    for name, times in case.programs:
        if words:
            words += [":", "-n", str(len(times))]
        words += [os.path.join(folder, name), where, how, str(STEPS), str(first),
                  ",".join(map(str, times))] + ["turns"] * case.turns
        ranks.append(list(range(first, first + len(times))))
        first += len(times)
    return words, ranks


def read_times(where, name, ranks):
    """Of each step those of all ranks."""
    columns = []
    for rank in range(ranks):
        values = array.array("d")
        with open(os.path.join(where, f"{name}-{rank}"), "rb") as file:
            values.frombytes(file.read())
        columns.append(values)
    return list(zip(*columns))


class TrueWaits:
    """Ranks wait for the last one of their program, and then for the last program. `waits`:
    {(program, program waited for): s of its average rank}. `disturbed`: by program, what its
    average rank took to leave although nobody was waited for any more, where that is far more than
    usual: it had no CPU, and no tool could tell that from waiting. Ranks of MPICH, which spin while
    they wait, take CPUs from each other."""

    def __init__(self, arrivals, departures, ranks):
        self.waits = dict.fromkeys(itertools.product(range(len(ranks)), repeat=2), 0.0)
        rests = [[] for _ in ranks]
        for came, left in zip(arrivals, departures):
            last = [max(came[rank] for rank in own) for own in ranks]
            slowest = last.index(max(last))
            for program, own in enumerate(ranks):
                for rank in own:
                    self.waits[program, program] += (last[program] - came[rank]) / len(own)
                    rests[program].append((left[rank] - last[slowest]) / len(own))
                self.waits[program, slowest] += last[slowest] - last[program]
        usual = min(itertools.chain(*rests))
        self.disturbed = [sum(rest for rest in of if rest > 3 * usual) for of in rests]


def fail_unless(condition, what, report):
    if not condition:
        verdict = report["verdict"]
        rows = "\n".join(str(row) for row in report["programs"] + report["program_waits"])
        raise jobs.Failure(f"{what}\n{verdict['class']}: {verdict['headline']}\n{verdict['why']}\n"
                           f"{rows}")


def is_near(found, true, disturbed_s):
    return abs(found - true) <= max(0.05 * true, 0.05) + disturbed_s


def check_rows(case, report, ranks, where):
    """The programs, their ranks and what they compute."""
    fail_unless([row["program"] for row in report["programs"]] ==
                [name for name, _ in case.programs], "these are not the programs", report)
    (worked,) = read_times(where, "worked", sum(map(len, ranks)))
    for row, own in zip(report["programs"], ranks):
        found = [rank for part in row["where"] for rank in range(part["first"], part["last"] + 1)]
        fail_unless(found == own and row["ranks"] == len(own), "these are not its ranks", report)
        true = [worked[rank] for rank in own]
        mean_s = sum(true) / len(true)
        print(f"{row['program']} computes {mean_s:.3f} s, found {row['compute_s']:.3f} s")
        fail_unless(is_near(row["compute_s"], mean_s, 0), f"it computes {mean_s} s", report)
        fail_unless(abs(row["load_balance"] - mean_s / max(true)) < 0.05,
                    f"its balance is {mean_s / max(true)}", report)


def has_cpus(case):
    return sum(len(times) for _, times in case.programs) <= (os.cpu_count() or 1)


def check_waits(case, report, ranks, where):
    names = [name for name, _ in case.programs]
    found = {(row["program"], row["waits_for"]): row["wait_s"] for row in report["program_waits"]}
    fail_unless(len(found) == len(names) ** 2, "not a row for each pair", report)
    for row in report["programs"]:
        all_s = sum(seconds for (waiter, _), seconds in found.items() if waiter == row["program"])
        fail_unless(abs(all_s + row["unknown_wait_s"] - row["wait_s"]) < 1e-6,
                    "the waiting does not add up", report)
    count = sum(map(len, ranks))
    if case.turns:
        (worked,) = read_times(where, "worked", count)
        expected, disturbed = {(0, 1): worked[1], (1, 0): worked[0]}, [0.05, 0.05]
    else:
        times = TrueWaits(read_times(where, "arrivals", count),
                          read_times(where, "departures", count), ranks)
        expected, disturbed = times.waits, times.disturbed
    wrong = []
    for (waiter, other), true_s in sorted(expected.items()):
        seconds = found[names[waiter], names[other]]
        what = (f"{names[waiter]} waits {true_s:.3f} s for {names[other]}, found {seconds:.3f} s, "
                f"disturbed {disturbed[waiter]:.3f} s")
        print(what)
        if not is_near(seconds, true_s, max(disturbed)):
            wrong.append(what)
    fail_unless(not wrong, f"the waiting is wrong: {wrong}", report)


def check_verdict(case, report):
    verdict = report["verdict"]
    said = " ".join([verdict["headline"], verdict["why"]] +
                    [step["action"] for step in verdict["next"]])
    print(f"{verdict['headline']} {verdict['gain'] or ''}")
    if case.classes is None:
        fail_unless(verdict["class"] != COUPLING and "more ranks" not in said, "it is blamed",
                    report)
        return
    fail_unless(verdict["class"] in case.classes, f"the class is not one of {case.classes}", report)
    for word in case.words:
        fail_unless(word in said, f"{word!r} is not said: {said}", report)


def check_merged(tools, report, profile):
    merged = profile + "-merged.mprof"
    job = jobs.Job([tools.mprof, "merge", profile, "-o", merged], jobs.environment(),
                   os.path.dirname(profile), tools.time_limit)
    if job.status != 0:
        raise jobs.Failure(job.describe())
    again, _ = jobs.report(tools, merged)
    for key in ("programs", "program_waits"):
        fail_unless(again[key] == report[key], f"{key} differ after mprof merge", again)


def check_missing(tools, profile, case, ranks):
    """Without the files of the last program's ranks it is not there. Without some of them it is."""
    for gone, left in ((ranks[-1], len(ranks) - 1), (ranks[-1][1:], len(ranks))):
        if not gone:
            continue
        rest = f"{profile}-without-{gone[0]}"
        shutil.copytree(profile, rest, ignore=shutil.ignore_patterns(
            *(f"rank-{rank}.mprof" for rank in gone)))
        report, _ = jobs.report(tools, rest, expected_status=1)
        fail_unless([row["program"] for row in report["programs"]] ==
                    [name for name, _ in case.programs[:left]] * (left > 1),
                    f"without ranks {gone} there are programs", report)
        for row, own in zip(report["programs"], ranks):
            fail_unless(row["ranks"] == len(set(own) - set(gone)), "wrong number of ranks", report)


def run_job(tools, arguments, how, where):
    """The report, its text, the profile, and the ranks of each program."""
    words, ranks = commands(CASES[arguments.case], how, arguments.folder, where)
    job = jobs.run_profiled(tools, where, len(ranks[0]), words,
                            **jobs.cpu_each(sum(map(len, ranks))))
    if job.status != 0:
        raise jobs.Failure(job.describe())
    profile = os.path.join(where, "profile")
    report, _ = jobs.report(tools, profile)
    text = jobs.Job([tools.mprof, "report", profile, "--all"], jobs.environment(), where,
                    tools.time_limit)
    return report, text.stdout.decode(), profile, ranks


def check_figures(tools, arguments):
    case = CASES[arguments.case]
    with jobs.Folder("coupled", tools.keep) as folder:
        where = folder.sub("sleeping")
        report, text, profile, ranks = run_job(tools, arguments, "sleep", where)
        is_one = len({name for name, _ in case.programs}) == 1
        fail_unless(("programs, per rank" in text) == (not is_one), "the text has the wrong tables",
                    report)
        if is_one:
            fail_unless(report["programs"] == [] and report["program_waits"] == [],
                        "one program has rows", report)
            return
        check_rows(case, report, ranks, where)
        check_merged(tools, report, profile)
        check_missing(tools, profile, case, ranks)
        check_waits(case, report, ranks, where)


def run(tools, arguments):
    jobs.go_first()
    check_figures(tools, arguments)
    if has_cpus(CASES[arguments.case]):
        with jobs.Folder("coupled", tools.keep) as folder:
            report, *_ = run_job(tools, arguments, "spin", folder.sub("computing"))
            check_verdict(CASES[arguments.case], report)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("folder", help="with the programs")
    parser.add_argument("case", choices=CASES)
    sys.exit(jobs.main(run, parser))
