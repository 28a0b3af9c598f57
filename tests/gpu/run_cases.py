#!/usr/bin/env python3
"""Programs that do one thing each with a GPU (gpu_cases.c), on a stand-in for its driver or, in
tests/gpu/on_device, on a real one: each state within 5 % or 5 ms of what the program planted and
what its own clock showed, the class of the verdict, and the line and kernel that it names."""

import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mpi"))
import jobs  # noqa: E402  pylint: disable=wrong-import-position

RANKS = 2
STEPS = 8
MIB = 1 << 20
WAIT, WAIT_FOR_BORDER, COPY = ("/* here it waits */", "/* here it waits for the second */",
                               "/* here it copies */")
HANGS = {"stuck": "/* here it is stuck */", "polling": "/* here it asks */"}


def expect(found, expected, what):
    if found != expected:
        raise jobs.Failure(f"{what}: {found}, expected {expected}")


def expect_between(value, low, high, what):
    """Within 5 % or 5 ms."""
    if value is None or not min(0.95 * low, low - 0.005) <= value <= max(1.05 * high,
                                                                         high + 0.005):
        raise jobs.Failure(f"{what}: {value}, expected {low} to {high}")


def told(stdout):
    """[{"waits": (planted, measured), ...}, ...]"""
    ranks = [{"waits": (0, 0), "copies": (0, 0), "launches": (0, 0)} for _ in range(RANKS)]
    for rank, what, words in re.findall(r"rank (\d+) (\w+) ([\d. ]+)\n", stdout.decode()):
        ranks[int(rank)][what] = tuple(float(word) for word in words.split())
    return ranks


def line_of(source, text):
    with open(source, encoding="utf-8") as lines:
        return next(i for i, line in enumerate(lines, 1) if text in line)


def check_times(document, truths):
    """What is neither waiting nor copying has code and memory in it, too."""
    for row, truth in zip(document["ranks"], truths):
        what = f"of rank {row['rank']}"
        expect_between(row["gpu_wait_s"], *truth["waits"], f"waits {what}")
        expect_between(row["gpu_copy_s"], *truth["copies"], f"copies {what}")
        expect_between(row["gpu_launch_s"] - row["gpu_setup_s"], *truth["launches"],
                       f"launches {what}")


def check_verdict(document, name, *words):
    verdict = document["verdict"]
    expect(verdict["class"], name, f"the class ({verdict['headline']})")
    for word in words:
        if word not in verdict["headline"]:
            raise jobs.Failure(f"the first sentence does not say {word!r}: {verdict['headline']}")


def account(document, name):
    rows = [row for row in document["accounts"] if row["name"] == name]
    return rows[0] if rows else {"gain_s": 0, "gain_low_s": 0, "rank": None}


def check_even(document, source):
    place = f"gpu_cases.c:{line_of(source, WAIT)} after kernel stencil"
    check_verdict(document, "GPU bound", place)


def check_words_of_parts(document):
    """Phases and the causes of waiting do not say that rank 1 computes: it waits for its GPU.
    The few milliseconds before MPI_Finalize can be a phase of their own, in which it does."""
    said = [row["headline"] for row in document["phases"] if row["slowest_rank"] == 1
            and row["to_s"] - row["from_s"] > STEPS * 0.025]
    if not any("rank 1 waits for its GPU for" in words for words in said):
        raise jobs.Failure(f"no phase in which rank 1 waits for its GPU: {document['phases']}")
    if any("computes" in words for words in said):
        raise jobs.Failure(f"a phase in which rank 1 computes: {said}")
    expect([row["segment"] for row in document["causes"] if row["rank"] == 1 and row["segment"]],
           [], "where rank 1 computes longer")


def check_uneven(document, source):
    """Rank 1 waits 50 ms a step longer, half of which evenness saves."""
    place = f"gpu_cases.c:{line_of(source, WAIT)} after kernel stencil"
    check_verdict(document, "GPU-imbalance bound", "Rank 1 waits", place, "rank 0")
    check_words_of_parts(document)
    row = account(document, "uneven GPUs")
    expect(row["rank"], 1, "the rank whose GPU works longer")
    expect_between(row["gain_s"], STEPS * 0.023, STEPS * 0.026, "what evenness saves")
    steps = [step for step in document["verdict"]["next"] if step["account"] == "uneven GPUs"]
    if not steps or "Give rank 1's GPU less work" not in steps[0]["action"]:
        raise jobs.Failure(f"no step for the GPU of rank 1: {document['verdict']['next']}")
    expect_between(steps[0]["worth_s"], 0, row["gain_s"], "what the step saves")


def check_copies(document, source):
    check_verdict(document, "copy bound", "Rank 1", f"gpu_cases.c:{line_of(source, COPY)}")
    expect(account(document, "GPU copies")["rank"], 1, "the rank that copies")
    expect(document["ranks"][1]["gpu_from_device_bytes"], STEPS * 3 * 16 * MIB, "bytes")


def check_launches(document, _):
    check_verdict(document, "launch bound", "gpu_cases.c:")


def check_graphs(document, source):
    check_verdict(document, "GPU bound", f"gpu_cases.c:{line_of(source, WAIT)} after a graph")


def check_streams(document, source):
    """Each wait follows the kernel of its own stream, not the one launched last."""
    kernels = {row["place"]: row["kernel"] for row in document["gpu_sites"] if row["use"] == "wait"}
    expect(kernels[f"gpu_cases.c:{line_of(source, WAIT)}"], "inner", "the kernel before a wait")
    expect(kernels[f"gpu_cases.c:{line_of(source, WAIT_FOR_BORDER)}"], "border",
           "the kernel before the other wait")


def check_events(document, source):
    """A wait for an event follows what was launched on its stream before it was recorded."""
    kernels = {row["place"]: row["kernel"] for row in document["gpu_sites"] if row["use"] == "wait"}
    for mark, kernel in (("/* here it waits for the event */", "inner"),
                         ("/* here it waits for the second, too */", "border")):
        expect(kernels[f"gpu_cases.c:{line_of(source, mark)}"], kernel, f"the kernel at {mark}")


def check_asks(document, source):
    """A rank that asks for its kernel waits for its GPU, with a CPU and without. Not all of it: in
    the time slice in which its kernel ends it may lack a CPU, and it uses one to sleep or yield."""
    for row, truth in zip(document["ranks"], document["truths"]):
        planted_s, measured_s = truth["waits"]
        what = f"of rank {row['rank']}: {truth}, {row}"
        if not 0.6 * planted_s <= row["gpu_wait_s"] <= 1.05 * measured_s:
            raise jobs.Failure(f"waits for the GPU {what}")
        if row["contention_s"] + row["blocked_s"] > 0.5 * row["gpu_wait_s"]:
            raise jobs.Failure(f"no CPU, or blocked {what}")
    place = f"gpu_cases.c:{line_of(source, '/* here it asks for it */')}"
    rows = [row for row in document["gpu_sites"] if row["place"] == place]
    expect([(row["use"], row["kernel"]) for row in rows], [("wait", "stencil")], "the line")
    waits_s = sum(row["gpu_wait_s"] for row in document["ranks"])
    expect_between(rows[0]["time_s"], waits_s - 0.01, waits_s, "time at the line")


def check_works(document, _):
    """What it computes between two questions is no waiting for the GPU: it lacks a CPU for that."""
    for row, truth in zip(document["ranks"], document["truths"]):
        if row["gpu_wait_s"] > 0.3 * truth["waits"][0] or \
                row["on_cpu_s"] + row["contention_s"] < 0.6 * truth["waits"][0]:
            raise jobs.Failure(f"computing between questions: {truth}, {row}")


def check_threads(document, _):
    for row in document["ranks"]:
        expect(row["gpu_waits"], 8 * STEPS, "waits of eight threads")
        expect(row["gpu_wait_s"], 0, "waits of the MPI thread")


def check_hidden(document, source):
    """Copies of which one in four waits for a kernel: GPU bound, not copy bound."""
    place = f"gpu_cases.c:{line_of(source, COPY)} after kernel stencil"
    check_verdict(document, "GPU bound", place)


def check_freeing(document, source):
    place = f"gpu_cases.c:{line_of(source, '/* here it frees */')} after kernel stencil"
    check_verdict(document, "GPU bound", place)


def check_host_bytes(row, to_device, from_device):
    """By the kind of the host's memory: pageable, pinned, managed."""
    for where, expected in (("to_device", to_device), ("from_device", from_device)):
        expect([row[f"gpu_{where}_{kind}_bytes"] for kind in ("pageable", "pinned", "managed")],
               expected, f"bytes of copies {where} by memory")


def check_memory(document, _):
    """Each kind of memory was broadcast as often, and copied both ways."""
    for memory in ("host", "pinned", "managed"):
        rows = [row for row in document["gpu_buffers"]
                if row["memory"] == memory and row["function"] == "MPI_Bcast"]
        for received in (False, True):
            calls = sum(row["calls"] for row in rows if row["received"] is received)
            bytes_ = sum(row["bytes"] for row in rows if row["received"] is received)
            expect([calls, bytes_], [STEPS, STEPS * 4 * MIB], f"MPI_Bcast of {memory} memory, "
                   f"{'received' if received else 'sent'}")
    for row in document["ranks"]:
        expect([row["gpu_to_device_bytes"], row["gpu_from_device_bytes"]],
               [STEPS * 3 * 2 * MIB, STEPS * 3 * 4 * MIB], "bytes of copies")
        check_host_bytes(row, 3 * [STEPS * 2 * MIB], 3 * [STEPS * 4 * MIB])


def check_registered(document, source):
    """Memory is pinned where it was registered, and as long as it is. Boxes are copies to the
    device, though most of the time copies come from there."""
    for row in document["ranks"]:
        check_host_bytes(row, [STEPS * MIB // 2, STEPS * 5 * MIB // 4, 0],
                         [(STEPS + 1) * MIB, STEPS * 3 * MIB, 0])
    sites = {row["place"]: row for row in document["gpu_sites"] if row["use"] == "copy"}
    place = f"gpu_cases.c:{line_of(source, COPY)}"
    expect(sites[place]["pageable_bytes"], RANKS * (STEPS + 1) * MIB, "pageable bytes of a line")


def check_kinds(document, source):
    """Each way as many bytes as planted; rows that follow each other in the host's memory and are
    sent from there are staged."""
    for row in document["ranks"]:
        expect([row[f"gpu_{where}_bytes"] for where in ("from_device", "to_device", "on_device",
                                                        "elsewhere")],
               [STEPS * 6 * MIB, STEPS * 2 * MIB, STEPS * MIB, 0], "bytes of copies")
    line = line_of(source, "/* of rows */")
    expect([(row["place"], row["staged_bytes"]) for row in document["gpu_buffers"]
            if not row["received"]], [(f"gpu_cases.c:{line}", STEPS * 2 * MIB)], "staged bytes")


def check_staging(document, _):
    """Sent: of each copy of 8 MiB 4 MiB and 1 KiB. Received: half of 8 MiB was copied."""
    rows = {(row["function"], row["received"]): row for row in document["gpu_buffers"]}
    copy_s = 8 * MIB / 1e9
    slower_s = sum(truth["copies"][1] - truth["copies"][0] for truth in document["truths"])
    for key, staged, seconds in (
            (("MPI_Send", False), 4 * MIB, copy_s / 2), (("MPI_Sendrecv", False), 1024, 0),
            (("MPI_Irecv", True), 4 * MIB, copy_s / 2), (("MPI_Sendrecv", True), 0, 0)):
        expect(rows[key]["staged_bytes"], RANKS * STEPS * staged, f"staged bytes of {key}")
        low_s = RANKS * STEPS * seconds
        expect_between(rows[key]["staged_s"], low_s, low_s + slower_s, f"seconds of {key}")
        expect(rows[key]["memory"], "host", f"memory of {key}")
    steps = [step["action"] for step in document["verdict"]["next"]]
    if not any("go through host memory" in action for action in steps):
        raise jobs.Failure(f"no step is about staging: {steps}")
    if {row["gpu_uuid"] for row in document["ranks"]} != {"GPU-00010203-0405-0607-0809-"
                                                          "0a0b0c0d0e0f"}:
        raise jobs.Failure(f"the UUIDs are {[row['gpu_uuid'] for row in document['ranks']]}")
    if not any("SHARED GPU: ranks 0 and 1" in words for words in document["verdict"]["extra"]):
        raise jobs.Failure(f"nobody says that both ranks use one GPU: {document['verdict']}")


def lints(document, rule):
    return [row for row in document["lints"] if row["rule"] == rule]


def check_sent_from_gpu(document, source, is_early):
    line = line_of(source, "/* from the GPU */")
    found = lints(document, "device-buffer-not-ready")
    expect([(row["line"], row["count"]) for row in found],
           [(line, RANKS * STEPS)] if is_early else [], "buffers that are not ready")
    if is_early and "kernel pack" not in found[0]["message"]:
        raise jobs.Failure(f"the kernel is not named: {found}")
    rows = [row for row in document["gpu_buffers"] if row["memory"] == "device"]
    expect(sorted((row["function"], row["received"], row["calls"], row["bytes"]) for row in rows),
           [("MPI_Bcast", received, STEPS, STEPS * 1024) for received in (False, True)],
           "buffers on the device")


def check_early(document, source):
    check_sent_from_gpu(document, source, True)


def check_ready(document, source):
    check_sent_from_gpu(document, source, False)


def check_died(tools, profile, source):
    """An MPI without CUDA cannot read the buffer: the rank died in the call."""
    document, _ = jobs.report(tools, profile, expected_status=None, adds_up=False)
    if document["run"]["mpi_gpu"] != "no":
        return
    found = lints(document, "device-buffer-given-to-plain-mpi")
    expect({row["line"] for row in found}, {line_of(source, "/* from the GPU */")},
           "buffers that this MPI cannot read")


def check_nothing(document, _):
    for row in document["ranks"]:
        expect([row["gpu_wait_s"], row["gpu_copies"]], [None, None], "figures without a driver")
    expect([document["gpu_sites"], document["gpu_buffers"]], [[], []], "rows without a driver")


CHECKS = {"even": check_even, "late": check_even, "uneven": check_uneven,
          "copies": check_copies, "launches": check_launches, "graphs": check_graphs,
          "streams": check_streams, "events": check_events, "kinds": check_kinds,
          "threads": check_threads, "hidden": check_hidden, "memory": check_memory,
          "freeing": check_freeing, "staging": check_staging, "registered": check_registered,
          "crowded": check_asks, "yields": check_asks, "naps": check_asks,
          "works": check_works, "nothing": check_nothing, "early": check_early,
          "ready": check_ready}


def words_of(tools, *command):
    done = subprocess.run([tools.mprof, *command], capture_output=True, timeout=60,
                          env=jobs.environment(), check=False)
    return " ".join(done.stdout.decode(errors="replace").replace("#", " ").split())


def check_first_screen(tools, profile, source):
    """It names the rank, the line and the kernel."""
    text = words_of(tools, "report", profile, "--brief")
    for words in ("GPU-IMBALANCE BOUND", "Rank 1", f"gpu_cases.c:{line_of(source, WAIT)}",
                  "kernel stencil"):
        if words not in text:
            raise jobs.Failure(f"the first screen does not say {words!r}: {text}")


def check_all_places(tools, profile, folder):
    """What has states of time has those of the GPU: the trace, the page, Python's tables, the
    comparison of runs, and of sizes. The run is compared with itself."""
    trace, page = os.path.join(folder, "a.pftrace"), os.path.join(folder, "a.html")
    words_of(tools, "trace", profile, "-o", trace)
    words_of(tools, "report", profile, "--html", page)
    for path, words in ((trace, b"rank 1: GPU wait"), (trace, b"GPU other"),
                        (page, b"gpu_wait_s")):
        with open(path, "rb") as file:
            if words not in file.read():
                raise jobs.Failure(f"{path} has no {words!r}")
    compared = words_of(tools, "diff", profile, profile, "--json", "-")
    for figure in ("GPU wait", "GPU other"):
        if figure not in compared:
            raise jobs.Failure(f"mprof diff has no {figure!r}: {compared}")


def run_case(tools, case, arguments):
    environment = {}
    if arguments.driver:
        environment["LD_LIBRARY_PATH"] = (f"{arguments.driver}:"
                                          f"{os.environ.get('LD_LIBRARY_PATH', '')}")
    if case in ("early", "ready"):
        environment.update(MPROF_LINT="1", FAKE_CUDA_READABLE="1")
    with jobs.Folder("gpu_cases", tools.keep) as folder:
        job = jobs.run_profiled(tools, folder.path, RANKS, [arguments.program, case], **environment)
        if job.status != 0:
            raise jobs.Failure(f"the program failed: {job.describe()}")
        profile = folder.sub("profile")
        document, _ = jobs.report(tools, profile)
        document["truths"] = told(job.stdout)
        if case not in ("threads", "nothing", "early", "ready", "crowded", "yields", "naps",
                        "works"):
            check_times(document, document["truths"])
        CHECKS[case](document, arguments.source)
        if case == "uneven":
            check_first_screen(tools, profile, arguments.source)
            check_all_places(tools, profile, folder.path)


def run_death(tools, arguments):
    with jobs.Folder("gpu_cases", tools.keep) as folder:
        job = jobs.run_profiled(tools, folder.path, RANKS, [arguments.program, "ready"],
                                LD_LIBRARY_PATH=arguments.driver)
        if job.status == 0:
            raise jobs.Failure("an MPI without CUDA has read memory of the device")
        check_died(tools, folder.sub("profile"), arguments.source)


def look_until(tools, folder, words):
    """While the job runs: `mprof hang` says where the rank is. Then the rank may be killed."""
    def look(_):
        end_s, said = time.monotonic() + 40, ""
        while words not in said and time.monotonic() < end_s:
            time.sleep(0.5)
            said = words_of(tools, "hang", os.path.join(folder, "profile"))
        time.sleep(1)
        with open(os.path.join(folder, "enough"), "w", encoding="utf-8"):
            pass
        if words not in said:
            raise jobs.Failure(f"mprof hang does not say {words!r}: {said}")
    return look


def run_stuck(tools, case, arguments):
    """A rank that is killed in a wait for its GPU, or while it asks for its kernel: the wait is in
    the record, up to the job's end."""
    place = f"gpu_cases.c:{line_of(arguments.source, HANGS[case])}"
    with jobs.Folder("gpu_cases", tools.keep) as folder:
        words = f"waiting for its GPU at {place} after kernel border"
        job = jobs.run_profiled(tools, folder.path, RANKS, [arguments.program, case],
                                look_until(tools, folder.path, words), FAKE_CUDA_SLEEPS=1,
                                LD_LIBRARY_PATH=arguments.driver)
        profile = folder.sub("profile")
        if job.status == 0:
            raise jobs.Failure("no rank was killed")
        document, _ = jobs.report(tools, profile, expected_status=None)
        row = document["ranks"][1]
        # Of the program's time nearly all was the wait; one that polls can lack its CPU meanwhile.
        wait_s = row["gpu_wait_s"] + (row["contention_s"] if case == "polling" else 0)
        expect_between(wait_s, 0.5, row["wallclock_s"], "waits of the killed rank")
        if wait_s < 0.5 * (row["wallclock_s"] - 0.5):
            raise jobs.Failure(f"the wait in progress is not counted: {row}")
        expect([row["kernel"] for row in document["gpu_sites"]
                if (row["use"], row["place"]) == ("wait", place)], ["border"], "the wait's place")
        if case == "polling":  # it may have been killed between two polls
            return
        # With MPICH, mprof does not know which rank died first.
        said = words_of(tools, *(["hang", profile] if tools.mpi == "mpich"
                                 else ["report", profile, "--all"]))
        if words not in said:
            raise jobs.Failure(f"after the job, {words!r} is not said: {said}")


def run(tools, arguments):
    jobs.go_first()  # seconds are compared with the program's own
    if "ready" in arguments.cases:
        run_death(tools, arguments)
    for case in arguments.cases:
        if case in HANGS:
            run_stuck(tools, case, arguments)
            continue
        try:
            run_case(tools, case, arguments)
        except jobs.Failure as failure:
            raise jobs.Failure(f"{case}: {failure}") from failure


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="gpu_cases")
    parser.add_argument("--source", required=True, help="gpu_cases.c, whose lines are named")
    parser.add_argument("--driver", help="folder of the stand-in for libcuda.so.1")
    parser.add_argument("--cases", nargs="+", choices=sorted([*CHECKS, *HANGS]),
                        default=sorted(CHECKS))
    sys.exit(jobs.main(run, parser))
