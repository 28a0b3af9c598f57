#!/usr/bin/env python3
"""Samples of where the computing is (programs/hot_spots.c) on a real MPI. The report has the share
that the program measured itself, and nothing else changes for the program. Where the kernel forbids
samples, the report says so once. With MPROF_CPU_SAMPLES=0 there are none, and no word of it."""

import os
import re
import sys

import jobs

RANKS = 2
SECONDS = 4  # of CPU time of rank 0: 800 samples, a standard error of 1.6 points
OFTEN = 500  # samples per second of the run that asks for more
POINTS = 5
LINE = re.compile(rb"^rank \d+ hot ([\d.]+) cold ([\d.]+) interrupted (-?\d+)$", re.MULTILINE)
NOT_SAMPLED = "computing was not sampled"


def run(tools, folder, command, line=LINE, **variables):
    """The report, and what the program measured (programs/two_parts.h): seconds in its two parts.
    What else stands in its lines has to be 0."""
    job = jobs.run_profiled(tools, folder, RANKS, command, **variables)
    lines = line.findall(job.stdout)
    if job.status != 0 or len(lines) != RANKS:
        raise jobs.Failure(job.describe())
    if any(int(number) != 0 for _, _, *others in lines for number in others):
        raise jobs.Failure("a system call was interrupted, the child failed, or a descriptor is "
                           f"left: {job.describe()}")
    report, _ = jobs.report(tools, os.path.join(folder, "profile"))
    return report, sum(float(line[0]) for line in lines), sum(float(line[1]) for line in lines)


def check_not_sampled(report, why):
    remarks = [remark for remark in report["quality"]["remarks"] if NOT_SAMPLED in remark]
    told = len(remarks) == 1 and why in remarks[0] if why else not remarks
    if report["hotspots"] or not told:
        raise jobs.Failure(f"expected one remark with '{why}': {report['quality']['remarks']}, "
                           f"{report['hotspots']}")


def need_samples(report):
    """Skips where the kernel refuses. Threads that leave their CPU a thousand times in MPI_Init are
    no reason to end sampling."""
    refused = report["quality"]["cpu_samples_refused"]
    if refused is not None and "left their CPU" in refused:
        raise jobs.Failure(f"sampling ended without a reason: {refused}")
    jobs.need(refused is None, f"samples here: {refused}")


def check_shares(report, hot_s, cold_s, per_second=100):
    rows = [row for row in report["hotspots"] if row["segment"] == 0]
    by_symbol = {row["symbol"]: row for row in rows}
    truth = 100 * hot_s / (hot_s + cold_s)
    samples = report["segments"][0]["samples"]
    expected = (hot_s + cold_s) * per_second
    if not 0.8 * expected < samples < 1.1 * expected:
        raise jobs.Failure(f"{samples} samples of {expected:.0f}")
    for name, share in (("hot", truth), ("cold", 100 - truth)):
        row = by_symbol.get(name)
        if row is None or abs(row["percent"] - share) > POINTS:
            raise jobs.Failure(f"{name} takes {share:.1f}%, the report has {rows}")
        if row["place"] is None or not row["place"].startswith("hot_spots.c:"):
            raise jobs.Failure(f"{name} is at {row['place']}")
        segment = report["segments"][0]
        expected = {"function": name, "slowest_rank": row["max_rank"],
                    "from": segment["from"]["place"], "to": segment["to"]["place"]}
        found = {key: row[key] for key in expected}
        if found != expected or abs(100 * row["share"] - row["percent"]) > 1e-6:
            raise jobs.Failure(f"{row} instead of {expected}")
    if not report["segments"][0]["mostly_in"].startswith("hot (hot_spots.c:"):
        raise jobs.Failure(f"mostly in {report['segments'][0]['mostly_in']}")
    print(f"hot: {truth:.1f}%, of {samples} samples {by_symbol['hot']['percent']:.1f}%")


def check(tools, arguments):
    jobs.go_first()
    with jobs.Folder("hot-spots", tools.keep) as folder:
        report, _, _ = run(tools, folder.sub("off"), [arguments.program, "0.3"],
                           MPROF_CPU_SAMPLES="0")
        check_not_sampled(report, None)
        report, _, _ = run(tools, folder.sub("refused"), [arguments.program, "0.3", "refuse"])
        check_not_sampled(report, "the kernel forbids it")
        report, hot_s, cold_s = run(tools, folder.sub("sampled"), [arguments.program, str(SECONDS)])
        need_samples(report)
        check_shares(report, hot_s, cold_s)
        report, hot_s, cold_s = run(tools, folder.sub("often"), [arguments.program, "1"],
                                    MPROF_CPU_SAMPLES=str(OFTEN))
        need_samples(report)
        check_shares(report, hot_s, cold_s, OFTEN)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="programs/hot_spots")
    sys.exit(jobs.main(check, parser))
