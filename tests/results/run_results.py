#!/usr/bin/env python3
"""mprof diff --results on real runs: what was planted in the second run is named exactly.

carries.c flips a bit in what one rank gives to one call of one step, alter_message.c a bit of a
message on its way; or the reduction of a step adds up in another order, by another algorithm of the
MPI; or the input is another one. Kind, rank, line and instance must be those of the plant, or for
the order those of the first rank and step whose printed result is another one. Two runs that do the
same are the same, with the numbers of reductions and messages that the program makes.

--turns N makes N cases, taken in turn from all of them, with ranks and steps by chance.
"""

import html
import json
import os
import random
import re
import subprocess
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TESTS, "mpi"))
import jobs  # noqa: E402  pylint: disable=wrong-import-position

FOLDER = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(FOLDER, "carries.c")
FLAGS = ["-g", "-O1", "-std=c11", "-D_GNU_SOURCE", "-Wno-stringop-overflow"]
STEPS = 4
LONG_STEPS = 700  # more than a record of 512K can hold one by one
# Of each rank and step.
REDUCTIONS_PER_STEP = 2  # on all ranks; and one on each of the two halves
COMPUTED = ("reduce", "column", "ring", "place", "later", "any", "replace", "alltoall", "gather",
            "match", "send")
OTHER_ORDER = {
    "openmpi": ({"OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
                 "OMPI_MCA_coll_tuned_allreduce_algorithm": "1"},
                {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
                 "OMPI_MCA_coll_tuned_allreduce_algorithm": "4"}),
    "mpich": ({"MPIR_CVAR_DEVICE_COLLECTIVES": "none",
               "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "recursive_doubling"},
              {"MPIR_CVAR_DEVICE_COLLECTIVES": "none",
               "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "nb",
               "MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM": "tsp_ring"}),
}


def marked_line(mark):
    with open(SOURCE, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if f"/* @{mark} */" in line:
                return number
    raise jobs.Failure(f"no line has the mark {mark}")


class Runs:
    def __init__(self, tools, folder, program, tool):
        self.tools, self.folder, self.program, self.tool = tools, folder, program, tool
        self.count = 0
        self.inputs = {}
        for name, text in (("one", "41.5"), ("two", "41.25")):
            self.inputs[name] = os.path.join(folder.path, name)
            with open(self.inputs[name], "w", encoding="utf-8") as file:
                file.write(text)

    def run(self, ranks, mark="none", rank=0, step=0, input_name="one", steps=STEPS, **variables):
        """The profile, and what the program printed: {(rank, step): bits}."""
        self.count += 1
        folder = self.folder.sub(f"run{self.count}")
        program = [self.program, str(steps), self.inputs[input_name], mark, str(rank), str(step)]
        job = jobs.run_profiled(self.tools, folder, ranks, program, MPROF_RESULTS="1",
                                MPROF_BASELINE="0", **variables)
        if job.status != 0:
            raise jobs.Failure(job.describe())
        printed = {(int(found[0]), int(found[1])): found[2] for found in
                   re.findall(r"rank (\d+) step (\d+) reduced (\w+)", job.stdout.decode())}
        return os.path.join(folder, "profile"), printed

    def compare(self, one, other, status):
        page = os.path.join(os.path.dirname(one), "results.html")
        done = subprocess.run([self.tools.mprof, "diff", "--results", one, other, "--json", "-",
                               "--html", page], capture_output=True, text=True, timeout=120,
                              env=jobs.environment(), check=False)
        if done.returncode != status:
            raise jobs.Failure(f"mprof diff --results {one} {other}: exit status "
                               f"{done.returncode} instead of {status}\n{done.stdout}\n"
                               f"{done.stderr}")
        answer = json.loads(done.stdout)
        with open(page, encoding="utf-8") as file:
            title = html.unescape(re.search("<title>(.*?)</title>", file.read())[1])
        if title != f"{answer['headline']} - mprof diff --results":
            raise jobs.Failure(f"the page is called {title}, the answer is {answer['headline']}")
        return answer


def expect(found, kind, mark, rank, instance):
    first = found["first"] or {}
    expected = {"kind": kind, "rank": rank, "line": marked_line(mark), "instance": instance}
    if {name: first.get(name) for name in expected} != expected:
        raise jobs.Failure(f"expected {expected}\nfound {json.dumps(found, indent=1)}")
    if os.path.basename(first["file"]) != "carries.c":
        raise jobs.Failure(f"the file is {first['file']}")


class Cases:
    """One function for each kind; `one` is the run without a plant."""

    def __init__(self, runs, mpi):
        self.runs, self.mpi = runs, mpi
        self.plain = {}

    def plain_run(self, ranks):
        if ranks not in self.plain:
            self.plain[ranks] = self.runs.run(ranks)[0]
        return self.plain[ranks]

    def same(self, ranks, _rank, _step):
        found = self.runs.compare(self.plain_run(ranks), self.runs.run(ranks)[0], 0)
        # To the right: 1 + 2 + 1 + 2 + 1; and rank 0 to all others.
        expected = {"same": True, "reductions": STEPS * (REDUCTIONS_PER_STEP + 2),
                    "messages": STEPS * (ranks * 7 + ranks - 1), "first": None}
        if {name: found[name] for name in expected} != expected:
            raise jobs.Failure(f"expected {expected}\nfound {json.dumps(found, indent=1)}")

    def computed(self, mark):
        def case(ranks, rank, step):
            rank = 0 if mark == "send" else rank
            instance = 1 + (step - 1) * (ranks - 1) if mark == "send" else step
            other, _ = self.runs.run(ranks, mark, rank, step)
            found = self.runs.compare(self.plain_run(ranks), other, 3)
            expect(found, "compute", mark, rank, instance)
        return case

    def message(self, ranks, rank, step):
        rank = max(rank, 1)
        preload = f"{self.runs.tools.library}:{self.runs.tool}"
        folder = {"ALTER_RANK": rank, "ALTER_CALL": step, **jobs.preload_settings(preload)}
        other = self.altered(ranks, folder)
        found = self.runs.compare(self.plain_run(ranks), other, 3)
        expect(found, "message", "recv", rank, step)
        if found["first"]["sender"] != 0:
            raise jobs.Failure(f"the sender is {found['first']['sender']}")

    def altered(self, ranks, variables):
        """The tool goes behind libmprof.so, in the programs alone."""
        runs = self.runs
        runs.count += 1
        folder = runs.folder.sub(f"run{runs.count}")
        profile = os.path.join(folder, "profile")
        command = runs.tools.launcher(ranks) + ["env"] + [
            f"{name}={value}" for name, value in variables.items()]
        program = [runs.program, str(STEPS), runs.inputs["one"], "none", "0", "0"]
        job = jobs.Job(command + program,
                       jobs.environment(MPROF_OUTPUT=profile, MPROF_SUMMARY="off",
                                        MPROF_RESULTS="1", MPROF_BASELINE="0"),
                       folder, runs.tools.time_limit)
        if job.status != 0:
            raise jobs.Failure(job.describe())
        return profile

    def order(self, ranks, _rank, step):
        ways = OTHER_ORDER[self.mpi]
        one, printed = self.runs.run(ranks, "inexact", 0, step, **ways[0])
        other, other_printed = self.runs.run(ranks, "inexact", 0, step, **ways[1])
        differing = [where for where in sorted(printed, key=lambda where: (where[1], where[0]))
                     if printed[where] != other_printed[where]]
        if not differing:
            raise jobs.Failure("the two algorithms give the same sums: nothing was planted")
        found = self.runs.compare(one, other, 3)
        expect(found, "order", "reduce", differing[0][0], differing[0][1])
        lines = [row for row in found["order_dependent"] if row["differs"]]
        if not lines or not found["settings"]:
            raise jobs.Failure(f"nothing on the order: {json.dumps(found, indent=1)}")

    def input(self, ranks, _rank, _step):
        other, _ = self.runs.run(ranks, input_name="two")
        found = self.runs.compare(self.plain_run(ranks), other, 3)
        expect(found, "input", "input", 0, 1)

    def narrow(self, _ranks, _rank, _step):
        """A record that is too small: an interval, and in a second run from there the instance.
        A rank alone, so that many steps take little time."""
        little = {"MPROF_MEMORY": "512K"}
        long = {"ranks": 1, "steps": LONG_STEPS}
        planted = {"mark": "reduce", "rank": 0, "step": LONG_STEPS // 2 + 1}
        runs = [self.runs.run(**long, **little)[0], self.runs.run(**long, **planted, **little)[0]]
        found = self.runs.compare(*runs, 3)
        first = found["first"]
        if not (first["instance"] <= planted["step"] <= first["last_instance"]
                and first["instance"] < first["last_instance"] and found["results_from"]):
            raise jobs.Failure(f"step {planted['step']}: {json.dumps(found, indent=1)}")
        little["MPROF_RESULTS_FROM"] = str(found["results_from"])
        runs = [self.runs.run(**long, **little)[0], self.runs.run(**long, **planted, **little)[0]]
        found = self.runs.compare(*runs, 3)
        expect(found, "compute", "reduce", 0, planted["step"])

    def all(self):
        return [("same", self.same), ("message", self.message), ("order", self.order),
                ("input", self.input), ("narrow", self.narrow)] + [
                    (mark, self.computed(mark)) for mark in COMPUTED]


def compiled(cc, folder, name, *options):
    target = os.path.join(folder, name)
    subprocess.run([cc, *FLAGS, *options, "-o", target, os.path.join(FOLDER, f"{name}.c"), "-lm"],
                   check=True)
    return target


def test(tools, arguments):
    jobs.need_compiler(tools, "mpicc", arguments.cc)
    chance = random.Random(arguments.seed)
    with jobs.Folder("results", tools.keep) as folder:
        runs = Runs(tools, folder, compiled(arguments.cc, folder.path, "carries"),
                    compiled(arguments.cc, folder.path, "alter_message", "-shared", "-fPIC"))
        cases = Cases(runs, tools.mpi).all()
        cases = [case for case in cases if arguments.only in ("", case[0])]
        turns = arguments.turns or len(cases)
        for turn in range(turns):
            name, case = cases[turn % len(cases)]
            ranks = 3 + (turn + turn // len(cases)) % 2
            rank, step = chance.randrange(ranks), chance.randrange(2, STEPS + 1)
            try:
                case(ranks, rank, step)
            except jobs.Failure as problem:
                raise jobs.Failure(f"case {turn + 1}, {name} on rank {rank} of {ranks}, step "
                                   f"{step}: {problem}") from problem
        print(f"{turns} of {turns} cases are named exactly")


def main():
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("--cc", default="", help="the mpicc of that MPI")
    parser.add_argument("--turns", type=int, default=0, help="0 = a case of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="cases of this kind alone")
    jobs.main(test, parser)


if __name__ == "__main__":
    main()
