#!/usr/bin/env python3
"""Random programs (random_calls.c) with threads, regions, communicators, thousands of places
and sizes, and records that are too small for them: the sums of functions, regions, communicators
and pairs of ranks are what the program says by arithmetic. So are sizes, and each region, unless
the report says that some found no room.

By hand: --turns 1000 --first 1. A seed that fails is named; --first SEED --turns 1 runs it again.
"""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import counts  # noqa: E402
import jobs  # noqa: E402

MEMORIES = ("256K", "384K", "512K", "1M", None, None)


def forget_what_is_said_to_be_lost(both, quality):
    """Sizes become bins where there was no room for them. Calls of regions that found none are
    those of the regions around them."""
    for counts_of_one in both:
        if quality["binned_calls"] or quality["folded_calls"]:
            counts_of_one.sizes.clear()
            counts_of_one.inexact.clear()
        if quality["regions_not_kept"]:
            for table, name in list(counts_of_one.parts):
                if table == "regions":
                    part = counts_of_one.parts.pop((table, name))
                    counts_of_one.add_part(table, "(all)", part["calls"], part["bytes"])


def run_seed(tools, arguments, seed):
    choice = random.Random(seed)
    ranks = choice.choice((2, 2, 3)) if arguments.ranks is None else arguments.ranks
    memory = choice.choice(MEMORIES)
    with jobs.Folder(f"random-{seed}", tools.keep) as folder:
        truth = folder.sub("truth")
        job = jobs.run_profiled(tools, folder.path, ranks, [arguments.program, str(seed)],
                                TRUTH_DIR=truth, MPROF_MEMORY=memory)
        where = f"seed {seed}, {ranks} ranks, MPROF_MEMORY={memory}"
        if job.status != 0:
            raise jobs.Failure(f"{where}: the program failed: {job.describe()}")
        try:
            document, _ = jobs.report(tools, folder.sub("profile"))
        except jobs.Failure as problem:
            raise jobs.Failure(f"{where}: {problem}") from None
        expected = counts.read_folder(truth, "truth", ranks)
        if not document["regions"]:  # the program could begin some, and began none
            expected.parts.pop(("regions", ""), None)
        measured = counts.of_report(document)
        forget_what_is_said_to_be_lost((expected, measured), document["quality"])
        lines = counts.differences(expected, measured)
        if lines:
            lost = {key: value for key, value in document["quality"].items() if value}
            raise jobs.Failure("\n".join([f"{where}: {len(lines)} differences", *lines, str(lost)]))
        return sum(row["calls"] for row in document["functions"]), memory


def run(tools, arguments):
    total, failed = 0, []
    for seed in range(arguments.first, arguments.first + arguments.turns):
        try:
            calls, _ = run_seed(tools, arguments, seed)
            total += calls
        except jobs.Failure as problem:
            if not arguments.go_on:
                raise
            failed.append(seed)
            print(f"FAILED: {problem}", flush=True)
    print(f"{arguments.turns} programs, {total} calls")
    if failed:
        raise jobs.Failure(f"{len(failed)} of {arguments.turns} programs: seeds {failed}")


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--first", type=int, default=1, metavar="SEED")
    parser.add_argument("--ranks", type=int, help="instead of 2 or 3")
    parser.add_argument("--go-on", action="store_true", help="after a failure")
    parser.add_argument("program")
    sys.exit(jobs.main(run, parser))
