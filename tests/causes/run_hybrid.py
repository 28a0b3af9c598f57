#!/usr/bin/env python3
"""Programs with OpenMP and a planted cause (hybrid.c): does the report find it, and is what it says
to be gained what the program lost by its own clocks, within 5 per cent or 50 ms? One rank with two
threads, for two CPUs. With --hogs other load takes the CPUs. Then the load is named, not the
program, or the program is called what it is."""

import contextlib
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mpi"))
import jobs  # noqa: E402
import run_causes  # noqa: E402

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hybrid.c")
LOAD = run_causes.NO_CPU
SERIAL, UNEVEN = sorted(run_causes.OF_THREADS)
CASES = {  # class, and words that must be said
    "openmp_imbalance": (UNEVEN, "schedule(dynamic)"),
    "serial_part": (SERIAL, "outside parallel regions"),
    "healthy_hybrid": ("compute bound", "2 threads per rank"),
}


def named_place(case):
    with open(SOURCE, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if f"named: {case} " in line:
                return f"hybrid.c:{number}"
    return ""


def check_report(report, case, lost_s):
    verdict = report["verdict"]
    class_name, words = CASES[case]
    said = " ".join([verdict["headline"], verdict["why"], report["openmp"]["sentence"]] +
                    [step["action"] for step in verdict["next"]])
    if verdict["class"] != class_name:
        raise jobs.Failure(f"{verdict['class']} instead of {class_name}: {said}")
    for word in (words, named_place(case)):
        if word not in said:
            raise jobs.Failure(f"{word!r} is not named: {said}")
    if lost_s > 0 and abs(verdict["gain_s"] - lost_s) > max(0.05 * lost_s, 0.05):
        raise jobs.Failure(f"a gain of {verdict['gain_s']} s, but {lost_s} s were lost")
    if (verdict["gain_s"] or 0) > report["run"]["wallclock_s"]:
        raise jobs.Failure(f"a gain of {verdict['gain_s']} s of {report['run']['wallclock_s']} s")
    print(f"{verdict['headline']} {verdict['gain']} {lost_s} s were lost.")


@contextlib.contextmanager
def other_load(hogs):
    """So many processes that compute, meanwhile."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(hogs)]
    try:
        yield
    finally:
        for hog in running:
            hog.kill()
            hog.wait()


def check_beside_load(report, case):
    """How much the load takes is the kernel's choice. What is said must be of the load or of the
    program as it is."""
    verdict = report["verdict"]
    said = f"{verdict['class']}: {verdict['headline']} {verdict['why']}"
    if verdict["class"] not in (CASES[case][0], LOAD):
        raise jobs.Failure(said)
    if verdict["class"] == LOAD and "another program" not in said.lower():
        raise jobs.Failure(f"the load is not named: {said}")
    print(said)


def check_once(tools, arguments):
    with jobs.Folder("hybrid", tools.keep) as folder:
        # Open MPI would bind the rank and all its threads to one core. A thread that waits must not
        # spin: it may share a CPU with the one that works.
        job = jobs.run_profiled(tools, folder.path, 1, [arguments.program, arguments.case],
                                OMPI_MCA_hwloc_base_binding_policy="none",
                                OMP_WAIT_POLICY="passive")
        if job.status != 0:
            raise jobs.Failure(job.describe())
        report, _ = jobs.report(tools, os.path.join(folder.path, "profile"))
        if arguments.hogs:
            check_beside_load(report, arguments.case)
            return
        lost_s = float(re.search(rb"^lost ([\d.]+)$", job.stdout, re.MULTILINE)[1])
        check_report(report, arguments.case, lost_s)


def run(tools, arguments):
    jobs.need((os.cpu_count() or 1) >= 2, "two CPUs")
    if not arguments.hogs:
        jobs.go_first()
    for _ in range(arguments.turns):
        with other_load(arguments.hogs):
            check_once(tools, arguments)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program")
    parser.add_argument("case", choices=sorted(CASES))
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--hogs", type=int, default=0, help="processes that compute meanwhile")
    sys.exit(jobs.main(run, parser))
