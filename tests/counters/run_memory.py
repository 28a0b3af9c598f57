#!/usr/bin/env python3
"""Memory and placement. Programs use a known amount of memory at known moments, and one rank is
killed. The test also checks what the report says of ranks that share a core, are too many, or are
bound as they should be."""

import os
import subprocess
import sys

from counter_jobs import expect, expect_between, expect_words, jobs, row

MEBIBYTES = 64  # as in usage.c
SLACK = 24  # what an MPI may need on its way
PLACEMENT = ("SHARED CORE", "OVERSUBSCRIBED", "not bound")


def run_job(tools, folder, ranks, program, options=(), status=0):
    launcher = tools.launcher(ranks)
    command = [tools.mprof, "run", "--", launcher[0], *options, *launcher[1:], *program]
    settings = jobs.environment(MPROF_OUTPUT=os.path.join(folder, "profile"), MPROF_SUMMARY="off")
    job = jobs.Job(command, settings, folder, tools.time_limit)
    if status == 0 and job.status != 0:
        raise jobs.Failure(f"the program failed: {job.describe()}")
    document, _ = jobs.report(tools, os.path.join(folder, "profile"), expected_status=status)
    return document


def mebibytes(document, rank, key):
    return row(document["ranks"], "rank", rank)[key] / (1 << 20)


def check_memory(tools, folder, arguments):
    document = run_job(tools, folder, 2, [arguments.program, "memory"])
    for rank in range(2):
        samples = {sample["moment"]: sample
                   for sample in row(document["ranks"], "rank", rank)["samples"]}
        entered, left, end = (samples[f"MPI_{name}"]
                              for name in ("Init entered", "Init left", "Finalize entered"))
        expect(entered["time_s"] <= left["time_s"] <= end["time_s"], True, "order of the samples")
        grown = (end["resident_bytes"] - left["resident_bytes"]) / (1 << 20)
        expect_between(grown, MEBIBYTES / 2, MEBIBYTES / 2 + SLACK, "MiB that the run grew by")
        peak = mebibytes(document, rank, "memory_bytes") - left["resident_bytes"] / (1 << 20)
        expect_between(peak, MEBIBYTES, MEBIBYTES + SLACK, "MiB that the peak is above MPI_Init")
        expect(mebibytes(document, rank, "init_memory_bytes"),
               (left["resident_bytes"] - entered["resident_bytes"]) / (
                   1 << 20), "growth in MPI_Init")
        expect_between(mebibytes(document, rank, "init_memory_bytes"), 0.5,
                       4096, "MiB that MPI_Init took")
        expect_between(row(document["ranks"], "rank", rank)["minor_faults"], MEBIBYTES * 16,
                       1e7, "page faults")
    text = subprocess.run([tools.mprof, "report", os.path.join(folder, "profile"), "--all"],
                          capture_output=True,
                          text=True, env=jobs.environment(), timeout=60, check=True).stdout
    # MB or GB: what the MPI takes by itself differs with the machine.
    for words in ("memory [", "MPI_Init", "growth"):
        expect_words(words, text, "the text report")


def check_killed(tools, folder, arguments):
    """Of a killed rank the last sample tells memory and CPU time."""
    document = run_job(tools, folder, 2, [arguments.program, "killed"], status=1)
    killed = row(document["ranks"], "rank", 1)
    expect(killed["complete"], False, "rank 1 complete")
    expect_between(killed["memory_bytes"] / (1 << 20), MEBIBYTES,
                   4096, "peak MiB of the killed rank")
    expect_between(killed["user_s"] + killed["system_s"], 0.001,
                   60, "CPU seconds of the killed rank")
    moments = [sample["moment"] for sample in killed["samples"]]
    expect(moments[:2], ["MPI_Init entered", "MPI_Init left"], "the first samples")
    expect_between(moments.count("running"), 1, 3, "samples while it was running")
    last = killed["samples"][-1]
    expect_between(last["resident_bytes"] / (1 << 20), MEBIBYTES,
                   4096, "resident MiB at the last sample")


def placement_remarks(document):
    remarks = document["verdict"]["extra"] + document["quality"]["remarks"]
    return [remark for remark in remarks if any(word in remark for word in PLACEMENT)]


def bindings(document):
    return [(row["cpus"], row["rank_list"]) for row in document["bindings"]]


def check_bound(tools, folder, arguments):
    """All ranks on one CPU: one remark that names them."""
    document = run_job(tools, folder, 2, [arguments.program, "bound"], arguments.unbound.split())
    remarks = placement_remarks(document)
    expect(len(remarks), 1, f"remarks {remarks}")
    expect_words("SHARED CORE: ranks 0 and 1", remarks[0], "the remark")
    for rank in document["ranks"]:
        expect(rank["cpus_allowed"], 1, "CPUs that a rank may run on")
        expect(rank["cpu_list"], rank["cpu"], "the CPUs and where it runs")
    expect(bindings(document), [(document["ranks"][0]["cpu"], "0-1")], "who sits where")


def check_crowded(tools, folder, arguments):
    """One rank more than there are CPUs."""
    cpus = len(os.sched_getaffinity(0))
    jobs.need(cpus < 9, "a machine with at most 8 CPUs")
    document = run_job(tools, folder, cpus + 1, [arguments.program], arguments.unbound.split())
    remarks = placement_remarks(document)
    expect(len(remarks), 1, f"remarks {remarks}")
    expect_words(f"OVERSUBSCRIBED: {cpus + 1} ranks", remarks[0], "the remark")


def check_free(tools, folder, arguments):
    """Two ranks bound to a core each: nothing to remark; not bound: they are told."""
    cpus = len(os.sched_getaffinity(0))
    jobs.need(cpus >= 2, "second CPU")
    document = run_job(tools, folder, 2, [arguments.program], arguments.to_core.split())
    expect(placement_remarks(document), [], "remarks on ranks with a core each")
    expect(sorted(bindings(document)),
           sorted((rank["cpu_list"], str(rank["rank"])) for rank in document["ranks"]),
           "who sits where, with a core each")
    again = os.path.join(folder, "unbound")
    os.mkdir(again)
    document = run_job(tools, again, 2, [arguments.program], arguments.unbound.split())
    expect([rank["cpus_allowed"] for rank in document["ranks"]],
           [cpus, cpus], "CPUs of unbound ranks")
    expect([ranks for _, ranks in bindings(document)], ["0-1"], "who sits anywhere")
    if cpus == os.cpu_count():
        expect_words("not bound: ranks 0 and 1", " ".join(placement_remarks(document)),
                     "the report")


CASES = {"memory": check_memory, "killed": check_killed, "bound": check_bound,
         "crowded": check_crowded,
         "free": check_free}


def run(tools, arguments):
    with jobs.Folder("memory", tools.keep) as folder:
        CASES[arguments.case](tools, folder.path, arguments)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("--unbound", default="",
                        help="options of this mpirun for ranks that are not bound")
    parser.add_argument("--to-core", default="", help="and for ranks with a core each")
    parser.add_argument("case", choices=CASES)
    parser.add_argument("program", help="usage")
    sys.exit(jobs.main(run, parser))
