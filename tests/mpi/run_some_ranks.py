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

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir,
                                "connections"))
from nodes import Nodes  # noqa: E402

RANKS = 3
NODES, RANKS_ON_NODES = 2, 4
MANY, SOME_OF_MANY = 64, 16
ROUNDS = 20  # of some_ranks.c
SLACK_S = 5  # all ranks share few CPUs
# Words in front of the program: each rank gets the variables that are meant for it.
START = ["sh", "-c", 'eval "export $(eval echo \\$SET_${OMPI_COMM_WORLD_RANK:-$PMI_RANK})"; '
         'exec "$@"', "sh"]


def launcher(tools, ranks, nodes):
    if nodes is None:
        return tools.launcher(ranks)
    hosts = {"mpich": "-hosts", "openmpi": "--host"}[tools.mpi]
    return nodes.on(0, [tools.mpirun, hosts, nodes.hosts(ranks // nodes.count), "-n", str(ranks)])


def run(tools, folder, program, late, settings, nodes):
    """A job in which rank N has the variables settings[N], {} = no mprof. Where the profiles of
    ranks go is in MPROF_OUTPUT."""
    words = [f"SET_{rank}=" + (" ".join(f"{name}='{value}'" for name, value in row.items())
                               or "NOTHING=1") for rank, row in enumerate(settings)]
    variables = nodes.settings() if nodes else {}
    return jobs.Job(launcher(tools, len(settings), nodes) + ["env", *words, *START, program,
                                                             str(late)],
                    jobs.environment(**variables), folder, tools.time_limit)


def rosters():
    """The segments of shared memory that have a name."""
    with open("/proc/sysvipc/shm", encoding="ascii") as file:
        rows = [line.split() for line in file.readlines()[1:]]
    return {row[1] for row in rows if row[0] != "0"}


class Case:
    """One job beside the same without mprof."""

    alone = {}  # by the late rank

    def __init__(self, tools, folder, arguments, name, settings, late=0, nodes=None):
        self.tools, self.folder, self.name = tools, folder.sub(name), name
        self.ranks = len(settings)
        if late not in self.alone:
            self.alone[late] = run(tools, folder.sub(f"alone_{late}"), arguments.program, late,
                                   [{}] * self.ranks, nodes)
        alone = self.alone[late]
        before = rosters()
        self.job = run(tools, self.folder, arguments.program, late, settings, nodes)
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
                                     expected_status=0 if len(ranks) == self.ranks else 1)
        found = [row["rank"] for row in document["ranks"]]
        calls = {row["function"]: row["calls"] for row in document["functions"]}
        if found != ranks or document["run"]["ranks"] != self.ranks:
            raise jobs.Failure(f"{self.name}: ranks {found} of {document['run']['ranks']}")
        if calls != {"MPI_Init": len(ranks), "MPI_Comm_rank": len(ranks),
                     "MPI_Allreduce": ROUNDS * len(ranks), "MPI_Finalize": len(ranks)}:
            raise jobs.Failure(f"{self.name}: {calls}")
        others = self.ranks - len(ranks)
        words = f"{others} of {self.ranks} ranks {'is' if others == 1 else 'are'} not profiled"
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


def profiled(tools, folder, name, ranks, count, **options):
    """Settings of a job of so many ranks, of which these have mprof."""
    return [{"LD_PRELOAD": tools.library, **options,
             "MPROF_OUTPUT": os.path.join(folder.sub(name), "profile")} if rank in ranks else {}
            for rank in range(count)]


def check_nodes(tools, folder, arguments):
    """On two nodes: some ranks of each, of one alone, all; and another version on one of them."""
    everybody = list(range(RANKS_ON_NODES))
    with Nodes(NODES) as nodes:
        for ranks, files in [([0], "rank"), ([0, 3], "rank"), ([1, 2], "node"), ([1, 2], "job"),
                             ([2, 3], "rank"), (everybody, "node")]:
            name = "_".join(map(str, ranks)) + "_" + files
            settings = profiled(tools, folder, name, ranks, RANKS_ON_NODES, MPROF_FILES=files)
            case = Case(tools, folder, arguments, name, settings, nodes=nodes)
            case.check_report(ranks)
        other = other_version(tools, folder)
        settings = [{"LD_PRELOAD": library, "MPROF_OUTPUT": os.path.join(
            folder.sub("versions"), "profile" if library == tools.library else "other")}
            for library in [other, tools.library, tools.library, other]]
        case = Case(tools, folder, arguments, "versions", settings, nodes=nodes)
        case.check_report([1, 2])
        case.check_report([0, 3], "other")


def check_listed(tools, folder, arguments):
    """MPROF_RANKS: all ranks have mprof, and some of them are profiled. On one node and on two."""
    lists = [("0,2-9", [0, 2, 3]), ("3", [3]), ("0-3", [0, 1, 2, 3])]
    with Nodes(NODES) as nodes:
        for text, ranks in lists:
            for place in (None, nodes):
                name = f"listed_{text}_{'nodes' if place else 'node'}"
                settings = profiled(tools, folder, name, range(RANKS_ON_NODES), RANKS_ON_NODES,
                                    MPROF_RANKS=text)
                case = Case(tools, folder, arguments, name, settings, nodes=place)
                case.check_report(ranks)
    for text, said in [("9-12", "names no rank"), ("2-0", "is not a list of ranks")]:
        settings = profiled(tools, folder, text, range(RANKS_ON_NODES), RANKS_ON_NODES,
                            MPROF_RANKS=text)
        case = Case(tools, folder, arguments, text, settings)
        if case.job.stderr.decode().count(said) != 1:
            raise jobs.Failure(f"MPROF_RANKS={text}: {case.job.describe()}")
        if os.path.exists(os.path.join(case.folder, "profile")) != (text == "2-0"):
            raise jobs.Failure(f"MPROF_RANKS={text}: the profile")


def check_many(tools, folder, arguments):
    """16 of 64 ranks, by the option of mprof run."""
    profile = os.path.join(folder.sub("many"), "profile")
    command = tools.launcher(MANY) + [tools.mprof, "run", "--ranks", f"0-{SOME_OF_MANY - 2},63",
                                      "-o", profile, arguments.program, "1"]
    job = jobs.Job(command, jobs.environment(), folder.sub("many"), tools.time_limit)
    if job.status != 0 or b"sum " not in job.stdout:
        raise jobs.Failure(job.describe())
    document, said = jobs.report(tools, profile, expected_status=1)
    found = [row["rank"] for row in document["ranks"]]
    if found != [*range(SOME_OF_MANY - 1), 63] or "48 of 64 ranks are not profiled" not in said:
        raise jobs.Failure(f"{found} {said}")


def coupled(tools, folder, program, profile, profiled_part):
    """Two programs, of one rank and of two; `mprof run` is in front of one of them."""
    words = tools.launcher(1)
    for part, count in enumerate((1, 2)):
        words += [":", "-n", str(count)] if part > 0 else []
        words += [tools.mprof, "run", "-o", profile] if part == profiled_part else []
        words += [program, "0"]
    return jobs.Job(words, jobs.environment(), folder, tools.time_limit)


def check_coupled(tools, folder, arguments):
    alone = coupled(tools, folder.sub("alone"), arguments.program, "", None)
    for part, ranks in enumerate(([0], [1, 2])):
        where = folder.sub(f"part_{part}")
        profile = os.path.join(where, "profile")
        job = coupled(tools, where, arguments.program, profile, part)
        print(f"ranks {ranks} of {RANKS}: {job.seconds:.2f} s, without mprof {alone.seconds:.2f} s")
        if (job.status, job.stdout) != (alone.status, alone.stdout) or alone.status != 0:
            raise jobs.Failure(f"not as without mprof\n{job.describe()}\n{alone.describe()}")
        if job.seconds > alone.seconds + SLACK_S:
            raise jobs.Failure(f"{job.seconds:.1f} s, without mprof {alone.seconds:.1f} s")
        document, said = jobs.report(tools, profile, expected_status=1)
        found = [row["rank"] for row in document["ranks"]]
        if found != ranks or f"{RANKS - len(ranks)} of {RANKS} ranks" not in said:
            raise jobs.Failure(f"{found} instead of {ranks}; {said}")


CHECKS = {"some": check_some, "coupled": check_coupled, "versions": check_versions,
          "options": check_options, "nodes": check_nodes, "listed": check_listed,
          "many": check_many}


def check(tools, arguments):
    jobs.go_first()  # seconds of two jobs are compared
    with jobs.Folder("some_ranks", tools.keep) as folder:
        CHECKS[arguments.case](tools, folder, arguments)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="programs/some_ranks")
    parser.add_argument("case", choices=CHECKS)
    sys.exit(jobs.main(check, parser))
