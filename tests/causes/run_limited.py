#!/usr/bin/env python3
"""What a control group does to a job (limited.c): is it said that its CPU quota stops the ranks,
and that the kernel killed one of them for its memory; and not of jobs that only come near?

The truth is the group's own files, read before and after the job, and who was planted to be killed.
It needs root, and control groups that can be written to: version 2 or 1, whichever is there.
"""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "mpi"))
import control_group  # noqa: E402
import jobs  # noqa: E402

RANKS = 2
QUOTA_CPUS = 0.3
ENOUGH_CPUS = 1.5  # for what sleeps most of the time, and for MPI's own threads
MEMORY_BYTES = 400 << 20
STOPPED = r"CPU quota (of the control group on .* )?stopped"
KILLED = "its control group had no memory left"


class Case:
    """What is planted: "quota" or "memory"; `rank`: the one that is killed, None: any."""

    def __init__(self, limit, is_planted=True, rank=None):
        self.limit, self.is_planted, self.rank = limit, is_planted, rank

    def group(self, form):
        """The mended form has no limit that matters."""
        mended = form == "mended"
        if self.limit == "quota":
            limited = QUOTA_CPUS if self.is_planted else ENOUGH_CPUS
            return control_group.cpu_quota(64 if mended else limited)
        return control_group.little_memory(MEMORY_BYTES)


CASES = {"steady": Case("quota"), "bursts": Case("quota"), "seldom": Case("quota", False),
         "one_grows": Case("memory", rank=1), "all_grow": Case("memory"),
         "full_table": Case("memory", False)}


def fail_unless(condition, what, brief):
    if not condition:
        raise jobs.Failure(f"{what}\n{brief}")


def counted(group, names):
    """The first of these numbers in the group's files; None: there is none."""
    for file in ("cpu.stat", "memory.events", "memory.oom_control"):
        path = os.path.join(group.path, file)
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as text:
            numbers = dict(line.split()[:2] for line in text if len(line.split()) >= 2)
        for name in names:
            if name in numbers:
                return int(numbers[name])
    return None


def check_quota(report, group, brief, is_stopped):
    """What the ranks counted is part of what the group counted until the job was gone."""
    periods = counted(group, ["nr_throttled"])
    throttles = [row["throttles"] for row in report["ranks"]]
    fail_unless(all(count is not None and count <= periods for count in throttles),
                f"stopped in {throttles} periods; the group says {periods}", brief)
    said = bool(re.search(STOPPED, re.sub(r"\s+#?\s*", " ", brief)))
    fail_unless(said == is_stopped, f"the quota is {'not ' * (not said)}blamed", brief)
    if is_stopped:
        fail_unless(min(throttles) >= periods / 4,
                    f"stopped in {throttles} periods; the group says {periods}", brief)


def check_memory(tools, group, brief, case, is_killed):
    """MPICH's launcher does not tell which rank died first: it may not be known."""
    kills = counted(group, ["oom_kill"])
    if is_killed and not kills:
        jobs.need(False, "kernel that kills here")
    text = re.sub(r"\s+#?\s*", " ", brief)
    said = KILLED in text
    if is_killed and not said and tools.mpi == "mpich":
        return
    fail_unless(said == is_killed, f"{kills} killed, and it is {'not ' * (not said)}said", brief)
    if is_killed and case.rank is not None:
        named = re.search(rf"\b[Rr]ank (\d+) died of SIGKILL.*?: the kernel killed it", text)
        fail_unless(named and int(named[1]) == case.rank, f"rank {case.rank} is not named", brief)


def first_screen(tools, profile):
    done = subprocess.run([tools.mprof, "report", profile, "--brief"], capture_output=True,
                          text=True, timeout=60, env=jobs.environment(), check=False)
    return done.stdout


def run(tools, program, name, form):
    case = CASES[name]
    group = case.group(form)
    jobs.need(group.reason is None, f"control group: {group.reason}")
    try:
        with jobs.Folder("limited", tools.keep) as folder:
            profile = os.path.join(folder.path, "profile")
            command = group.enter + [tools.mprof, "run", "--output", profile, "--"]
            job = jobs.Job(command + tools.launcher(RANKS) + [program, name, form],
                           jobs.environment(MPROF_LIBRARY=tools.library), folder.sub("job"),
                           tools.time_limit)
            brief = first_screen(tools, profile)
            is_planted = case.is_planted and form == "planted"
            fail_unless((job.status != 0) == (is_planted and case.limit == "memory"),
                        f"exit status {job.status}: {job.describe()}", brief)
            if case.limit == "quota":
                check_quota(jobs.report(tools, profile, adds_up=False)[0], group, brief, is_planted)
            else:
                check_memory(tools, group, brief, case, is_planted)
    finally:
        group.remove()
    print(f"{name}, {form}: as planted")


def check(tools, arguments):
    for form in ("planted", "mended") if CASES[arguments.case].is_planted else ("planted",):
        run(tools, os.path.abspath(arguments.program), arguments.case, form)


if __name__ == "__main__":
    jobs_parser = jobs.argument_parser(__doc__)
    jobs_parser.add_argument("program", help="limited")
    jobs_parser.add_argument("case", choices=sorted(CASES))
    sys.exit(jobs.main(check, jobs_parser))
