#!/usr/bin/env python3
"""mprof run --sizes and mprof scale of a program with planted scaling (scaling.c).

Cases: a part that one rank does alone, a part that grows with the ranks, and how the runs end. What
the program takes longer or shorter from size to size, by its own clock, is what the answer says.
"""

import json
import os
import re
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(TESTS, "mpi"), os.path.join(TESTS, "golden")]
import documented_keys  # noqa: E402  pylint: disable=wrong-import-position
import jobs  # noqa: E402  pylint: disable=wrong-import-position

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scaling.c")
STEPS = 10
SERIAL_MS, SHARED_MS, GROWING_MS = 60, 120, 30
LATER_S = 0.4  # that starting a program may take longer or shorter from run to run


def line_of(name):
    with open(SOURCE, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if f"/* calls: {name} */" in line:
                return f"scaling.c:{number}"
    raise jobs.Failure(f"no line of {name}")


def expect(condition, what, answer):
    if not condition:
        raise jobs.Failure(f"{what}\n{json.dumps(answer, indent=1)[:6000]}")


def run_sizes(tools, arguments, folder, *planted_ms):
    """The text of the answer, its JSON, and what the program took by size."""
    page = os.path.join(folder, "page.html")
    job = jobs.Job([tools.mprof, "run", "--sizes", arguments.sizes, "--output", "planted",
                    "--html", page, "--"] +
                   tools.launcher("{}") + [arguments.program] + [str(ms) for ms in planted_ms],
                   jobs.environment(), folder, tools.time_limit)
    if job.status != 0:
        raise jobs.Failure(job.describe())
    with open(page, encoding="utf-8") as file:
        if not file.read().lower().startswith("<!doctype html>"):
            raise jobs.Failure("--html wrote no page")
    sizes = [int(size) for size in arguments.sizes.split(",")]
    took_s = [float(seconds) for seconds in re.findall(rb"^took ([\d.]+)$", job.stdout, re.M)]
    profiles = [os.path.join(folder, f"planted.p{size}.mprof") for size in sizes]
    done = jobs.Job([tools.mprof, "scale", *profiles, "--json", "-"], jobs.environment(),
                    folder, tools.time_limit)
    if done.status != 0:
        raise jobs.Failure(done.describe())
    answer = json.loads(done.stdout)
    missing = documented_keys.missing(answer, arguments.keys)
    expect(not missing, f"keys that scale.md does not have: {missing}", answer)
    expect([run["ranks"] for run in answer["runs"]] == sizes, "the runs", answer)
    return job.stdout.decode(), answer, took_s


def check_arithmetic(answer, took_s):
    """Speed-up and efficiency are what their definition makes of the wallclock times, and these
    differ as the program's own clock says."""
    first = answer["runs"][0]
    for run, own_s in zip(answer["runs"], took_s):
        efficiency = first["wallclock_s"] * first["ranks"] / run["wallclock_s"] / run["ranks"]
        expect(abs(run["efficiency"] - efficiency) < 1e-6, f"{run['ranks']} ranks", answer)
        expect(abs(run["speedup"] - efficiency * run["ranks"]) < 1e-6, "speed-up", answer)
        off_s = (first["wallclock_s"] - took_s[0]) - (run["wallclock_s"] - own_s)
        expect(abs(off_s) < LATER_S, f"a run of {own_s} s has {run['wallclock_s']} s", answer)
    global_efficiency = next(row["values"] for row in answer["factors"]
                             if row["factor"] == "global efficiency")
    for values, run in zip(global_efficiency, answer["runs"]):
        expect(abs(values / global_efficiency[0] - run["efficiency"]) < 0.05,
               "the factors do not make the efficiency", answer)


def check_serial(tools, arguments, folder):
    """All wait for rank 0 in MPI_Bcast. What is to be named is what rank 0 does before it."""
    text, answer, took_s = run_sizes(tools, arguments, folder, SERIAL_MS, SHARED_MS, 0)
    check_arithmetic(answer, took_s)
    expect(answer["scaling"] == "strong", "it is strong scaling", answer)
    expect(answer["stops_at_ranks"] == 2 and answer["recommended_ranks"] == 1,
           "1.8 s and 1.2 s: 75 %", answer)
    between = f"between {line_of('shared')} and {line_of('serial')}"
    for words in (f"{between} on rank 0", "a serial part"):
        expect(words in answer["sentence"], f"{words!r} is not said", answer)
    expect("STOPS SCALING AT 2 RANKS" in text, text, answer)
    row = next(row for row in answer["segments"] if between in row["what"])
    for slowest_s, size in zip(row["slowest_s"], answer["sizes"]):
        # The first step's part begins at another call.
        planted_s = (STEPS - 1) * SERIAL_MS / 1000
        expect(0 <= slowest_s - planted_s < 0.1 * planted_s + 0.02,
               f"{slowest_s} s at {size['ranks']} ranks instead of {planted_s} s", answer)


def check_growing(tools, arguments, folder):
    """The last rank takes longer, the more ranks there are."""
    _, answer, took_s = run_sizes(tools, arguments, folder, 0, SHARED_MS, GROWING_MS)
    check_arithmetic(answer, took_s)
    stops_at = answer["stops_at_ranks"]
    expect(stops_at == 2, "1.5 s and 1.2 s: 63 %", answer)
    for words in (f"between {line_of('shared')} and {line_of('growing')}", f"rank {stops_at - 1}"):
        expect(words in answer["sentence"], f"{words!r} is not said", answer)


def refuse(tools, folder, status, words, *command):
    job = jobs.Job([tools.mprof, *command], jobs.environment(), folder, tools.time_limit)
    if job.status != status or words not in job.stderr:
        raise jobs.Failure(f"not {status} and {words!r}: {job.describe()}")


def check_ends(tools, arguments, folder):
    """A run that fails is the last one, and its status is that of all."""
    for sizes in ("4", "2,2", "1,x", "0,1"):
        refuse(tools, folder, 2, b"is not a list of at least two", "run", "--sizes", sizes, "--",
               "true", "{}")
    refuse(tools, folder, 2, b"needs {} in the command", "run", "--sizes", "1,2", "--", "true")
    refuse(tools, folder, 7, b"exit status 7 with 1 rank", "run", "--sizes", "1,2", "--", "sh",
           "-c", "exit 7 # {}")
    refuse(tools, folder, 143, b"signal 15 with 1 rank", "run", "--sizes", "1,2", "--", "sh", "-c",
           "kill -15 $$ # {}")
    refuse(tools, folder, 2, b"left no profile", "run", "--sizes", "1,2", "--", "echo", "{}")
    # The second size fails: the profile of the first is there.
    command = tools.launcher("{}") + ["sh", "-c", 'test {} = 1 && exec "$0" 0 0 0; exit 3',
                                      arguments.program]
    refuse(tools, folder, 3, b"with 2 ranks: no more runs", "run", "--sizes", "1,2,4", "--",
           *command)
    left = sorted(name for name in os.listdir(folder) if name.endswith(".mprof"))
    if left != ["scale.p1.mprof"]:
        raise jobs.Failure(f"profiles: {left}")
    profile = os.path.join(folder, left[0])
    refuse(tools, folder, 2, b"the same number of ranks", "scale", profile, profile)


CHECKS = {"serial": check_serial, "growing": check_growing, "ends": check_ends}


def check(tools, arguments):
    jobs.go_first()
    with jobs.Folder("sizes", tools.keep) as folder:
        CHECKS[arguments.case](tools, arguments, folder.path)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="scaling")
    parser.add_argument("case", choices=CHECKS)
    parser.add_argument("--sizes", required=True)
    parser.add_argument("--keys", required=True, help="scale.md")
    sys.exit(jobs.main(check, parser))
