#!/usr/bin/env python3
"""Runs the zoo (programs.py) under mprof, each program and its mended twin, and prints how often
the first screen is right, half or wrong, how often a step is loud (judge.py), and each account's
gain beside what the twin takes less.

usage: score.py --score [--mpi openmpi mpich] [--conditions free twice beside nodes]
                [--programs REGEX]

free: 2 ranks on 2 CPUs; twice: 4 ranks on 2 CPUs; beside: 2 ranks and 2 busy loops of another
program; nodes: 2 ranks on two nodes, network namespaces that share the 2 CPUs, over TCP (as root,
and only where it is asked for; not for teams of threads). Programs that were committed after the
last change of the model stand apart as "unseen".
The jobs run in a control group that gets the CPUs first, the busy loops in the same one. With
--keep the profiles stay, and --from judges them again.
"""

import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys

import judge
import programs as zoo
from programs import jobs

sys.path.insert(0, os.path.join(zoo.HERE, "..", "..", "connections"))
import nodes  # noqa: E402

MODEL = ("parser/verdict", "parser/accounts")
# Ranks, busy loops.
CONDITIONS = {"free": (2, 0), "twice": (4, 0), "beside": (2, 2), "nodes": (2, 0)}
CROWDED = ("twice", "beside")
BUSY = "int main(void) { for (volatile long i = 0;; i++) ; }"


class Tools(jobs.Tools):
    def __init__(self, arguments, mpi):
        here = argparse.Namespace(**{**vars(arguments), "mpi": mpi})
        here.mpirun = getattr(arguments, f"mpirun_{mpi}")
        super().__init__(here)
        self.built = os.path.abspath(arguments.build)


class Cluster(nodes.Nodes):
    """Two nodes. Where ranks are placed is said by files, which count for each program of a job."""

    def __init__(self):
        super().__init__(2)

    def settings_for(self, ranks, folder):
        slots = -(-ranks // self.count)
        files = {form: os.path.join(folder, f"hosts-{number}")
                 for number, form in enumerate(("node{} slots={}\n", "node{}:{}\n"))}
        for form, path in files.items():
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(form.format(node + 1, slots) for node in range(self.count))
        of_open_mpi, of_mpich = files.values()
        # Each node would bind its first rank to the first CPU, and they are the same machine's.
        return {**self.settings(), "HYDRA_HOST_FILE": of_mpich,
                "OMPI_MCA_orte_default_hostfile": of_open_mpi,
                "PRTE_MCA_prte_default_hostfile": of_open_mpi,
                "OMPI_MCA_hwloc_base_binding_policy": "none",
                "OMPI_MCA_osc": "^ucx",  # its windows need more than TCP
                "PRTE_MCA_hwloc_default_binding_policy": "none"}


class Hogs:
    """Busy loops beside the job, in its control group."""

    def __init__(self, count, program):
        self.processes = [subprocess.Popen(jobs.WORDS_BEFORE + [program]) for _ in range(count)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def busy_program(folder):
    path = os.path.join(folder, "busy")
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        subprocess.run(["cc", "-O1", "-x", "c", "-o", path, "-"], input=BUSY.encode(), check=True)
    return path


def run_once(tools, program, condition, form, folder):
    """Leaves folder/profile, which is made anew. -> False: not with this MPI, or not on nodes"""
    ranks, hogs = CONDITIONS[condition]
    ranks = program.ranks(ranks)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    command = program.command(tools, folder, ranks, form)
    if command is None or condition == "nodes" and "threads" in program.words:
        return False
    command = [tools.mprof, "run", "--"] + command
    settings = {"MPROF_OUTPUT": os.path.join(folder, "profile"),
                "MPROF_SUMMARY": os.path.join(folder, "summary"),
                "OMP_NUM_THREADS": str(ranks) if "threads" in program.words else "1"}
    if condition == "free" and "threads" not in program.words:
        settings.update(jobs.cpu_each(ranks))
    if condition == "nodes":
        command = tools.cluster.on(0, command)
        settings.update(tools.cluster.settings_for(ranks, folder))
    with Hogs(hogs, busy_program(tools.built)):
        job = jobs.Job(command, jobs.environment(**settings), folder, tools.time_limit)
    if job.status != 0 and "ends" not in program.words:
        raise jobs.Failure(job.describe())
    return True


def read_run(tools, folder):
    """(report, first screen)"""
    profile = os.path.join(folder, "profile")
    report, _ = jobs.report(tools, profile, expected_status=None)
    brief = subprocess.run([tools.mprof, "report", profile, "--brief"], capture_output=True,
                           timeout=60, env=jobs.environment(), check=False).stdout.decode()
    return report, brief


def read_summary(folder):
    try:
        with open(os.path.join(folder, "summary"), encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""  # a job that was ended has none


class Row:
    """What came of one program in one condition."""

    def __init__(self, tools, program, condition, folders):
        self.mpi, self.program, self.condition = tools.mpi, program, condition
        planted = [read_run(tools, folder) for folder in folders["planted"]]
        twins = [read_run(tools, folder) for folder in folders["mended"]]
        report, brief = planted[0]
        if condition == "nodes" and report["run"]["nodes"] < 2:
            raise jobs.Failure("all ranks were on one node")
        ranks = program.ranks(CONDITIONS[condition][0])
        crowded = condition in CROWDED or "three" in program.words
        self.mark, self.missing = judge.judge(program, ranks, crowded, brief)
        self.said = judge.sentences(brief)["VERDICT"]
        self.summary = judge.summary_differs(read_summary(folders["planted"][0]), self.said)
        self.spans = [judge.length(report, program.kind) for report, _ in planted]
        twin_spans = [judge.length(twin, program.kind) for twin, _ in twins]
        self.span = statistics.median(self.spans)
        self.gained = 0.0 if program.kind in ("healthy", "ended") else \
            self.span - statistics.median(twin_spans)
        self.noise = max(0.05 * self.span,
                         self.half_range(self.spans) + self.half_range(twin_spans))
        self.promised = judge.promised(report, program.kind, program.words)
        self.loud = [] if program.kind == "ended" else \
            judge.loud_steps(report, self.gained, self.span)
        self.twin_blamed = program.kind not in ("healthy", "ended") and judge.judge(
            program, ranks, crowded, twins[0][1])[0] != "wrong"
        self.holds = None
        if self.promised is not None and program.kind not in ("healthy", "ended"):
            self.holds = any(judge.gain_holds(gain, self.gained, self.noise)
                             for gain in self.promised)

    @staticmethod
    def half_range(values):
        return (max(values) - min(values)) / 2

    def text(self):
        gain = "-" if self.promised is None else f"{self.promised[0]:.2f}-{self.promised[1]:.2f}"
        marks = [self.mark] + ([f"(no {self.missing})"] if self.missing else []) + \
            ["loud"] * bool(self.loud) + ["twin blamed"] * self.twin_blamed + \
            ["gain off"] * (self.holds is False) + \
            [f"summary says {self.summary}"] * bool(self.summary)
        return (f"{self.mpi} {self.condition:6} {self.program.name:26} {self.program.kind:14} "
                f"{self.span:6.2f} s, gain {gain}, gained {self.gained:.2f}: {', '.join(marks)}\n"
                f"        {self.said[:160]}" + "".join(f"\n        loud: {x}" for x in self.loud))


def author_time(*options):
    done = subprocess.run(["git", "-C", zoo.HERE, "log", "--format=%at", *options],
                          capture_output=True, text=True, check=False)
    times = done.stdout.split()
    return int(times[0]) if done.returncode == 0 and times else None


def unseen_programs(programs):
    """Names of those that were committed after the last change of the model."""
    changed = author_time("-1", "--", *[f":/{path}" for path in MODEL]) or 0
    names = set()
    for program in programs:
        added = author_time("-1", "-S", f"zoo: {program.case} {program.kind}", "--", program.source)
        if added is not None and added > changed:
            names.add(program.name)
    return names


def totals(rows, title):
    if not rows:
        return
    count = {mark: sum(row.mark == mark for row in rows) for mark in ("right", "half", "wrong")}
    held = [row.holds for row in rows if row.holds is not None]
    print(f"{title:36} {len(rows):3} programs: right {count['right']} "
          f"({100 * count['right'] / len(rows):.0f} of 100), half {count['half']}, "
          f"wrong {count['wrong']}, loud {sum(bool(row.loud) for row in rows)}, "
          f"twins blamed {sum(row.twin_blamed for row in rows)}, "
          f"gains hold {sum(held)} of {len(held)}")


def print_totals(rows, unseen, conditions, mpis):
    for mpi in mpis:
        for condition in conditions:
            here = [row for row in rows if (row.mpi, row.condition) == (mpi, condition)]
            for title, chosen in (
                    ("seen", [row for row in here if row.program.name not in unseen]),
                    ("unseen", [row for row in here if row.program.name in unseen])):
                totals(chosen, f"{mpi}, {condition}, {title}")


def write_table(rows, path):
    """For predictions.md."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("| program | kind | condition | run | account | twin takes less | holds |\n"
                   "|---|---|---|---|---|---|---|\n")
        for row in rows:
            if row.promised is not None and row.holds is not None:
                file.write(f"| {row.program.name} | {row.program.kind} | {row.condition} | "
                           f"{row.span:.2f} s | {row.promised[0]:.2f} to {row.promised[1]:.2f} s | "
                           f"{row.gained:.2f} s | {'yes' if row.holds else 'no'} |\n")


def folders_of(where, tools, program, condition, turns):
    return {form: [os.path.join(where, tools.mpi, condition, program.name, f"{form}-{turn}")
                   for turn in range(turns)] for form in ("planted", "mended")}


def row_of(tools, arguments, program, condition, where):
    folders = folders_of(where, tools, program, condition, arguments.turns)
    if program.kind in ("healthy", "ended"):
        folders["mended"] = folders["planted"][:1]
    if arguments.again:
        folders = {form: [path for path in paths if os.path.exists(os.path.join(path, "profile"))]
                   for form, paths in folders.items()}
        if not all(folders.values()):
            return None
    else:
        for turn in range(arguments.turns):
            for form in ("planted", "mended"):
                if form == "mended" and program.kind in ("healthy", "ended"):
                    continue
                if not run_once(tools, program, condition, form, folders[form][turn]):
                    return None
    return Row(tools, program, condition, folders)


def all_rows(arguments, programs, where, cluster):
    rows, failed = [], 0
    for mpi in arguments.mpi:
        tools = Tools(arguments, mpi)
        tools.cluster = cluster
        jobs.needs.need(f"mpirun.{mpi}", bool(tools.mpirun))
        compilers = {"c": getattr(arguments, f"cc_{mpi}"),
                     "fortran": getattr(arguments, f"fortran_{mpi}")}
        missing = zoo.build(programs, mpi, compilers, tools.built)
        for program in programs:
            for condition in arguments.conditions:
                if program.source in missing:
                    continue
                try:
                    row = row_of(tools, arguments, program, condition, where)
                except jobs.Failure as failure:
                    print(f"{mpi} {condition} {program.name}: {failure}")
                    row = None
                    failed += 1
                if row is not None:
                    rows.append(row)
                    print(row.text(), flush=True)
    return rows, failed


def run(arguments):
    programs = zoo.all_programs(arguments.programs)
    if arguments.list:
        for program in programs:
            print(f"{program.name:26} {program.kind:14} rank {program.rank} at {program.functions}")
        return 0
    if not arguments.again:
        jobs.go_first()
    unseen = unseen_programs(programs)
    on_nodes = "nodes" in arguments.conditions and not arguments.again
    with jobs.Folder("zoo") as folder, \
            Cluster() if on_nodes else contextlib.nullcontext() as cluster:
        where = arguments.again or arguments.keep or folder.path
        rows, failed = all_rows(arguments, programs, where, cluster)
    print()
    print_totals(rows, unseen, arguments.conditions, arguments.mpi)
    if arguments.table:
        write_table(rows, arguments.table)
    bad = [row for row in rows if row.mark == "wrong" or row.loud or row.summary]
    return 1 if arguments.all_right and (bad or failed or not rows) else 0


def parsed():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--score", action="store_true", help="the whole zoo: what happens anyway")
    parser.add_argument("--all-right", action="store_true",
                        help="fails if one is wrong, loud or not run, or if a summary differs")
    parser.add_argument("--list", action="store_true", help="the programs, nothing is run")
    parser.add_argument("--mprof", required=True)
    parser.add_argument("--build", default="zoo-programs", help="folder of the executables")
    parser.add_argument("--mpi", nargs="+", default=["openmpi"], choices=["openmpi", "mpich"])
    parser.add_argument("--conditions", nargs="+", default=["free", *CROWDED], choices=CONDITIONS)
    parser.add_argument("--programs", default="", help="a regular expression for their names")
    parser.add_argument("--turns", type=int, default=1, 
                        help="runs of each form; gains are those of the medians")
    parser.add_argument("--time-limit", type=float, default=60)
    parser.add_argument("--keep", help="folder for the profiles")
    parser.add_argument("--from", dest="again", help="folder of --keep: judge these again")
    parser.add_argument("--table", help="file for the table of gains")
    for mpi in ("openmpi", "mpich"):
        parser.add_argument(f"--mpirun-{mpi}", default=f"mpirun.{mpi}")
        parser.add_argument(f"--cc-{mpi}", default=f"mpicc.{mpi}")
        parser.add_argument(f"--fortran-{mpi}", default=f"mpifort.{mpi}")
    arguments = parser.parse_args()
    arguments.library, arguments.files = "", ""
    return arguments


if __name__ == "__main__":
    sys.exit(run(parsed()))
