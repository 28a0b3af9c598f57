#!/usr/bin/env python3
"""Jobs of which only some ranks are profiled, or have another version of mprof, or other options.

Each must end as without mprof: nobody may wait for an answer of a rank that has no mprof. The ranks
that have one are profiled, and the report names the others. It does not blame a rank for being the
last where that was one that is not profiled.
"""

import glob
import os
import re
import subprocess
import sys
import time

import jobs

RANKS = 3
ROUNDS = 20  # of some_ranks.c
SLACK_S = 5  # all ranks share few CPUs
# Words in front of the program: each rank gets the variables that are meant for it.
START = ["sh", "-c", 'eval "export $(eval echo \\$SET_${OMPI_COMM_WORLD_RANK:-$PMI_RANK})"; '
         'exec "$@"', "sh"]


def run(tools, folder, program, late, settings):
    """A job in which rank N has the variables settings[N], {} = no mprof. Where the profiles of
    ranks go is in MPROF_OUTPUT."""
    variables = {f"SET_{rank}": " ".join(f"{name}='{value}'" for name, value in row.items())
                 or "NOTHING=1" for rank, row in enumerate(settings)}
    return jobs.Job(tools.launcher(RANKS) + START + [program, str(late)],
                    jobs.environment(**variables), folder, tools.time_limit)


def rosters():
    """The segments of shared memory that have a name."""
    with open("/proc/sysvipc/shm", encoding="ascii") as file:
        rows = [line.split() for line in file.readlines()[1:]]
    return {row[1] for row in rows if row[0] != "0"}


class Case:
    """One job beside the same without mprof."""

    alone = {}  # by the late rank

    def __init__(self, tools, folder, arguments, name, settings, late=0):
        self.tools, self.folder, self.name = tools, folder.sub(name), name
        if late not in self.alone:
            self.alone[late] = run(tools, folder.sub(f"alone_{late}"), arguments.program, late,
                                   [{}] * RANKS)
        alone = self.alone[late]
        before = rosters()
        self.job = run(tools, self.folder, arguments.program, late, settings)
        print(f"{name}: {self.job.seconds:.2f} s, without mprof {alone.seconds:.2f} s")
        if alone.status != 0:
            raise jobs.Failure(alone.describe())
        if (self.job.status, self.job.stdout) != (alone.status, alone.stdout):
            raise jobs.Failure(f"{name}: not as without mprof\n{self.job.describe()}\n"
                               f"{alone.describe()}")
        if self.job.seconds > alone.seconds + SLACK_S:
            raise jobs.Failure(f"{name}: {self.job.seconds:.1f} s, without mprof "
                               f"{alone.seconds:.1f} s")
        left = rosters() - before
        if left:
            time.sleep(5)
            left &= rosters()  # without those of other jobs, which were in MPI_Init
        if left:
            raise jobs.Failure(f"{name}: left over: {left}")

    def check_report(self, ranks, profile="profile"):
        """The profile is of these ranks, and holds all that they did."""
        document, said = jobs.report(self.tools, os.path.join(self.folder, profile),
                                     expected_status=0 if len(ranks) == RANKS else 1)
        found = [row["rank"] for row in document["ranks"]]
        calls = {row["function"]: row["calls"] for row in document["functions"]}
        if found != ranks or document["run"]["ranks"] != RANKS:
            raise jobs.Failure(f"{self.name}: ranks {found} of {document['run']['ranks']}")
        if calls != {"MPI_Init": len(ranks), "MPI_Comm_rank": len(ranks),
                     "MPI_Allreduce": ROUNDS * len(ranks), "MPI_Finalize": len(ranks)}:
            raise jobs.Failure(f"{self.name}: {calls}")
        others = RANKS - len(ranks)
        words = f"{others} of {RANKS} ranks {'is' if others == 1 else 'are'} not profiled"
        if (others > 0) != (words in said):
            raise jobs.Failure(f"{self.name}: {said!r} instead of {words!r}")
        return document

    def check_summary(self, text, expected):
        found = re.search(r"mpi_tasks : (.*?)  +%comm", text)
        if not found or found[1] != expected:
            raise jobs.Failure(f"{self.name}: not a summary of {expected}: {text}")


def check_some(tools, folder, arguments):
    """Some ranks have none."""
    for ranks, late in [([0], 1), ([1, 2], 0), ([1], 0)]:
        for files in ("rank", "node", "job"):
            name = "_".join(map(str, ranks)) + "_" + files
            settings = [{"LD_PRELOAD": tools.library, "MPROF_FILES": files,
                         "MPROF_OUTPUT": os.path.join(folder.sub(name), "profile")}
                        if rank in ranks else {} for rank in range(RANKS)]
            case = Case(tools, folder, arguments, name, settings, late)
            case.check_summary(case.job.stderr.decode(), f"{len(ranks)} of {RANKS}")
            verdict = case.check_report(ranks)["verdict"]
            if re.search(rf"[Rr]anks? (?!{late}\b)\d", verdict["headline"] + verdict["why"]):
                raise jobs.Failure(f"{name}: the late rank {late} is not profiled, and the report "
                                   f"blames another: {verdict['headline']} {verdict['why']}")


def other_version(tools, folder):
    """A copy of the library that says that it has another version."""
    with open(tools.library, "rb") as file:
        content = file.read()
    said = subprocess.run([tools.mprof, "--version"], capture_output=True, check=True).stdout
    version = re.search(rb"\d+\.\d+\.\d+", said)[0]
    path = os.path.join(folder.sub("other"), "libmprof.so")
    with open(path, "wb") as file:
        file.write(content.replace(version, version[:-1] + b"%d" % (9 - int(version[-1:]))))
    return path


def check_versions(tools, folder, arguments):
    """Two versions, in either order: two profiles, each of the ranks of its version."""
    other = other_version(tools, folder)
    for name, libraries in [("old_first", [other, tools.library, tools.library]),
                            ("new_first", [tools.library, other, other])]:
        settings = [{"LD_PRELOAD": library, "MPROF_OUTPUT": os.path.join(
            folder.sub(name), "profile" if library == tools.library else "other")}
            for library in libraries]
        case = Case(tools, folder, arguments, name, settings)
        for profile, library in [("profile", tools.library), ("other", other)]:
            case.check_report([rank for rank in range(RANKS) if libraries[rank] == library],
                              profile)
    # With one folder for both, the second one takes another name.
    settings = [{"LD_PRELOAD": library, "MPROF_OUTPUT": os.path.join(
        folder.sub("one_folder"), "profile")} for library in [other, tools.library, tools.library]]
    case = Case(tools, folder, arguments, "one_folder", settings)
    found = sorted(len(glob.glob(os.path.join(path, "*.mprof")))
                   for path in glob.glob(os.path.join(case.folder, "profile*")))
    if found != [1, 2]:
        raise jobs.Failure(f"one_folder: profiles with {found} files")


def check_options(tools, folder, arguments):
    """Options of one rank that the others do not have: those of the first rank hold."""
    for name, options in [("baseline", {"MPROF_BASELINE": "0"}), ("summary", {
            "MPROF_SUMMARY": "off"}), ("both", {"MPROF_BASELINE": "0", "MPROF_SUMMARY": "off"})]:
        for rank in (0, 2):
            settings = [{"LD_PRELOAD": tools.library, **(options if rank == other else {}),
                         "MPROF_OUTPUT": os.path.join(folder.sub(f"{name}_{rank}"), "profile")}
                        for other in range(RANKS)]
            case = Case(tools, folder, arguments, f"{name}_{rank}", settings)
            case.check_report(list(range(RANKS)))
            has_summary = b"##mprof" in case.job.stderr
            if has_summary != (rank != 0 or "MPROF_SUMMARY" not in options):
                raise jobs.Failure(f"{name}_{rank}: {'a' if has_summary else 'no'} summary")


CHECKS = {"some": check_some, "versions": check_versions, "options": check_options}


def check(tools, arguments):
    with jobs.Folder("some_ranks", tools.keep) as folder:
        CHECKS[arguments.case](tools, folder, arguments)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="programs/some_ranks")
    parser.add_argument("case", choices=CHECKS)
    sys.exit(jobs.main(check, parser))
