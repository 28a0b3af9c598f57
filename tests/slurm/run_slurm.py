#!/usr/bin/env python3
"""Jobs on a real Slurm of two nodes, which this test starts and ends (cluster.py).

Open MPI 4.1 is started by srun with PMIx, MPICH 5 with PMI2. Protected are: the names of folders,
the numbers of calls, what is said of a job that was cancelled, reached its time limit or was
requeued, and the recipe for all jobs of a centre (share/recipes/always-on) up to its archive. What
is expected follows from the program known_calls.c and from the jobs that are started.
"""

import argparse
import glob
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

from cluster import Cluster, need
from jobs import Folder, copy_for_all, open_to_all

TASKS = 50  # of the job array
NOBODY = 65534


class Failed(Exception):
    """What was not as expected."""


def expect(is_so, what, *shown):
    if not is_so:
        raise Failed("\n".join([what, *map(str, shown)]))


def compile_program(source, folder, environments):
    """By MPI: (program, srun's --mpi)."""
    mpich = pathlib.Path(environments).resolve() / "mpich"
    compilers = {"openmpi": (["mpicc.openmpi"], "pmix"),
                 "mpich": ([str(mpich / "bin/mpicc"), f"-Wl,-rpath,{mpich}/lib"], "pmi2")}
    programs = {}
    for name, (compiler, kind) in compilers.items():
        need(shutil.which(compiler[0]), compiler[0])
        program = folder / f"calls_{name}"
        subprocess.run([*compiler, "-O1", "-g", source, "-o", program], check=True)
        programs[name] = (program, f"--mpi={kind}")
    return programs


class Jobs:
    """Starts jobs and looks at their profiles. Each test has a folder of its own."""

    def __init__(self, cluster, arguments, work):
        self.cluster, self.work = cluster, work
        self.mprof = str(pathlib.Path(arguments.mprof).resolve())
        self.programs = compile_program(arguments.program, work, arguments.environments)

    def folder(self, name):
        path = self.work / name
        path.mkdir()
        return path

    def srun(self, mpi, folder, words, *options, profiled=True, **environment):
        program, kind = self.programs[mpi]
        run = [self.mprof, "run"] if profiled else []
        status, output = self.cluster.do(["srun", kind, *options, *run, program, *words], folder,
                                         120, **environment)
        expect(status == 0, f"srun ended with {status}", output)
        return output

    def submit(self, folder, script, *options):
        """The job's number."""
        file = folder / f"job{len(list(folder.glob('job*.sh')))}.sh"
        file.write_text("#!/bin/bash\n" + script, encoding="utf-8")
        status, output = self.cluster.do(["sbatch", "--parsable", *options, file], folder)
        expect(status == 0, "sbatch", output)
        return output.strip()

    def wait(self, number, seconds=120):
        expect(self.cluster.becomes(lambda: not self.cluster.jobs("-j", number), seconds),
               f"job {number} did not end", self.cluster.do(["scontrol", "show", "job"])[1])

    def wait_for_epilogs(self):
        """Where a node does not answer, Slurm tells it two minutes later that the job has ended."""
        expect(self.cluster.becomes(lambda: not self.cluster.jobs("-t", "completing"), 180),
               "jobs are still completing", self.cluster.do(["squeue"])[1])

    def report(self, profile, status=0, **environment):
        """(JSON report, standard error)"""
        done = self.cluster.start_command(["sh", "-c", f'"{self.mprof}" report "{profile}" '
                                           f'--json "{profile}.json"'], **environment)
        said = done.communicate(timeout=60)[0]
        expect(done.returncode == status, f"mprof report {profile}: {done.returncode}", said)
        return json.loads(pathlib.Path(f"{profile}.json").read_text(encoding="utf-8")), said

    def check(self, profile, ranks, nodes, calls):
        report = self.report(profile)[0]
        run = report["run"]
        expect((run["ranks"], run["nodes"], run["end"]) == (ranks, nodes, "completed"),
               f"{profile}: {run}")
        counts = {row["function"]: row["calls"] for row in report["functions"]}
        expect(counts["MPI_Allreduce"] == counts["MPI_Sendrecv"] == ranks * calls
               and counts["MPI_Init"] == ranks, f"{profile}: not {calls} calls per rank", counts)
        return report


def profiles_in(folder):
    return sorted(os.path.basename(path) for path in glob.glob(f"{folder}/*.mprof"))


def case_srun(jobs):
    """One srun is one job: the number of its only step tells nothing."""
    folder = jobs.folder("srun")
    for calls, mpi in ((11, "openmpi"), (12, "mpich")):
        jobs.srun(mpi, folder, [calls], "-N2", "--ntasks-per-node=2")
        names = [name for name in profiles_in(folder) if mpi in name]
        expect(len(names) == 1 and re.fullmatch(rf"calls_{mpi}[.]\d+[.]mprof", names[0]),
               "names of folders", names)
        jobs.check(folder / names[0], 4, 2, calls)


def case_steps(jobs):
    """Steps one after the other have their numbers. Two at once with one --output do not mix."""
    folder = jobs.folder("steps")
    for mpi, (program, kind) in jobs.programs.items():
        output = folder / f"{mpi}-both.mprof"
        alone = f"srun {kind} --exact -N1 -n1 {jobs.mprof} run --output {output} {program}"
        number = jobs.submit(folder, f"""
srun {kind} {jobs.mprof} run {program} 10
srun {kind} {jobs.mprof} run {program} 20
{alone} 30 2 & {alone} 40 2 &
wait
mpirun.openmpi --oversubscribe -n 2 {jobs.mprof} run {jobs.programs["openmpi"][0]} 50
""", "-N2", "--ntasks-per-node=2", f"--output={folder}/{mpi}.out")
        jobs.wait(number)
        said = (folder / f"{mpi}.out").read_text(encoding="utf-8")
        wanted = [f"calls_{mpi}.{number}.{step}.mprof" for step in (0, 1)]
        wanted += [f"calls_openmpi.{number}.mprof", f"{mpi}-both-2.mprof", f"{mpi}-both.mprof"]
        found = [name for name in profiles_in(folder) if number in name or f"{mpi}-" in name]
        expect(found == sorted(wanted), f"steps of job {number}", found, said)
        for name, calls in zip(wanted[:2], (10, 20)):
            jobs.check(folder / name, 4, 2, calls)
        jobs.check(folder / wanted[2], 2, 1, 50)
        both = sorted(jobs.report(folder / name)[0]["totals"]["calls"] for name in wanted[3:])
        expect(both[1] - both[0] == 2 * 10, "calls of the two at once", both)
        expect("the profile goes to" in said, "the second of two at once says nothing", said)


def case_some_ranks(jobs):
    """PMI2 takes no notices: who of one node has libmprof is known from the step's own numbers. The
    rank without it does not hold up the others, and their profile is one."""
    folder = jobs.folder("some-ranks")
    program, kind = jobs.programs["mpich"]
    profile = folder / "some.mprof"
    script = f"""[ $SLURM_PROCID = 1 ] && exec {program} 13
exec {jobs.mprof} run --output {profile} {program} 13"""
    status, output = jobs.cluster.do(["srun", kind, "-N1", "-n3", "sh", "-c", script], folder, 60)
    expect(status == 0, f"srun ended with {status}", output)
    expect(profiles_in(folder) == [profile.name], "one profile", profiles_in(folder))
    report = jobs.report(profile, status=1)[0]
    counts = {row["function"]: row["calls"] for row in report["functions"]}
    expect(counts["MPI_Allreduce"] == 2 * 13, "calls of two ranks", counts)
    expect([row["rank"] for row in report["ranks"]] == [0, 2], "ranks", report["run"])


class Ending:
    """Jobs of 2 ranks that sleep. One is cancelled, one requeued, one reaches its time limit. They
    take nearly no processor, so other cases run meanwhile."""

    def __init__(self, jobs):
        self.jobs, self.folder, self.numbers = jobs, jobs.folder("ending"), {}
        # Slurm counts time limits in minutes.
        for name, mpi in (("limit", "mpich"), ("cancelled", "openmpi"), ("requeued", "mpich")):
            program, kind = jobs.programs[mpi]
            self.numbers[name] = number = jobs.submit(
                self.folder,
                f"srun {kind} {jobs.mprof} run --output {self.folder}/{name}.mprof "
                f"{program} 25 $((SLURM_RESTART_COUNT ? 0 : 200)) {self.folder}/{name}.began\n",
                "-N2", "-n2", "--time=1", "--requeue", f"--output={self.folder}/{name}.out")
            expect(jobs.cluster.becomes((self.folder / f"{name}.began").exists, 60),
                   f"job {number} does not begin")

    def check(self, name, words):
        """What is said, and that each call until then is there. Slurm tells when it has cleared
        up."""
        profile = self.folder / f"{name}.mprof"
        self.jobs.cluster.becomes(
            lambda: self.jobs.report(profile, status=1)[0]["run"]["end"] == words, 15)
        report, said = self.jobs.report(profile, status=1)
        expect(report["run"]["end"] == words, f"{name}: {report['run']['end']}",
               self.jobs.cluster.do(["scontrol", "show", "job", self.numbers[name]])[1])
        expect(words in said, f"{name}: {said}")
        counts = {row["function"]: row["calls"] for row in report["functions"]}
        expect((counts["MPI_Allreduce"], counts["MPI_Sendrecv"]) == (50, 50), name, counts)

    def cancel(self):
        number = self.numbers["cancelled"]
        self.jobs.cluster.do(["scancel", number])
        self.jobs.wait(number)
        self.check("cancelled", "its job was cancelled")

    def accounts(self):
        """What sacct says when slurmctld has forgotten the job: of the time when it was running."""
        commands = self.jobs.folder("commands")
        start = int((self.folder / "cancelled.began").stat().st_mtime) - 20
        for lines, words in (
                ([f"TIMEOUT|{start}|{start + 60}"], "its job reached its time limit"),
                ([f"PREEMPTED|{start}", f"COMPLETED|{start + 3600}"], "its job was preempted"),
                ([f"TIMEOUT|{start - 3600}|{start - 1800}"], "killed or still running"),
                ([f"TIMEOUT|{start - 3600}", f"NODE_FAIL|{start}"], "its job lost a node"),
                ([f"OUT_OF_MEMORY|{start}"], "its job ran out of memory"),
                ([f"CANCELLED by 0|{start + 3600}"], "killed or still running"),
                ([f"FAILED|{start}", "", "|", "x"], "killed or still running"),
                ([], "killed or still running")):
            text = "#!/bin/sh\nprintf '%s\\n' " + " ".join(f"'{line}'" for line in lines) + "\n"
            for name, content in (("scontrol", "#!/bin/sh\nexit 1\n"), ("sacct", text)):
                (commands / name).write_text(content, encoding="utf-8")
                (commands / name).chmod(0o755)
            report = self.jobs.report(self.folder / "cancelled.mprof", 1,
                                      PATH=f"{commands}:{os.environ['PATH']}")[0]
            expect(report["run"]["end"] == words, f"{lines}: {report['run']['end']}")

    def requeue(self):
        """Slurm begins it anew after two minutes, for which this does not wait."""
        number = self.numbers["requeued"]
        self.jobs.cluster.do(["scontrol", "requeue", number])
        expect(self.jobs.cluster.becomes(
            lambda: "Restarts=1" in self.jobs.cluster.do(["scontrol", "show", "job", number])[1],
            20), "it is not requeued")
        self.check("requeued", "its job was put back into the queue")

    def end(self, centre):
        """No Epilog leaves anything behind then, but that of the requeued job, which may run."""
        cluster = self.jobs.cluster
        self.jobs.wait(self.numbers["limit"])
        self.check("limit", "its job reached its time limit")
        self.jobs.wait_for_epilogs()
        expect(cluster.becomes(
            lambda: set(os.listdir(centre.running)) <= {self.numbers["requeued"]}, 20),
               "left in the folder of running jobs",
               *sorted(centre.running.rglob("*")), *map(pathlib.Path.read_text,
                                                        cluster.folder.glob("node*.log")))


class Centre:
    """The recipe for all jobs, with paths of this test: in a folder that the user nobody can
    enter, who reads the spool folder."""

    def __init__(self, work, recipes, mprof, library):
        self.folder = work / "always-on"
        self.spool, self.archive = work / "spool", work / "ingest/runs.db"
        self.running = self.spool / "root/running"
        self.folder.mkdir()
        for file in pathlib.Path(recipes).iterdir():
            copy_for_all(file, self.folder)
        prefix = work / "prefix"
        copy_for_all(mprof, prefix / "bin")
        copy_for_all(library, prefix / "lib")
        (self.spool / "root").mkdir(parents=True)
        os.chown(self.spool / "root", 0, NOBODY)
        os.chmod(self.spool / "root", 0o2750)
        self.archive.parent.mkdir()
        os.chown(self.archive.parent, NOBODY, NOBODY)
        self.prefix = prefix
        self.turn(False)
        self.allow(200)

    def settings(self):
        """Lines of slurm.conf."""
        return [f"TaskProlog={self.folder}/task-prolog.sh", f"Epilog={self.folder}/epilog.sh"]

    def turn(self, on):
        switch = self.spool / "off"
        if on:
            switch.unlink()
        else:
            switch.touch()

    def allow(self, megabytes):
        """The Epilog of an earlier job may be reading the settings."""
        new = self.folder / "always.conf.new"
        new.write_text(
            f"PATH={os.environ['PATH']}\nexport PATH\nprefix={self.prefix}\n"
            f"spool={self.spool}\narchive={self.archive}\n"
            f"megabytes={megabytes}\ndays=7\n", encoding="utf-8")
        new.rename(self.folder / "always.conf")

    def profiles(self):
        return profiles_in(self.spool / "root")

    def ingest(self):
        done = subprocess.run([str(self.folder / "ingest.sh")], user=NOBODY, group=NOBODY,
                              extra_groups=[], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, cwd="/", timeout=120)
        print(done.stdout)
        expect(done.returncode == 0, f"ingest.sh ended with {done.returncode}", done.stdout)
        return done.stdout


def case_switches(jobs, centre):
    """Off for all, off for one, and no more than a user may have."""
    folder = jobs.folder("switches")
    jobs.srun("mpich", folder, [1], "-n2", profiled=False)
    centre.turn(True)
    jobs.srun("mpich", folder, [1], "-n2", profiled=False, NO_MPROF="1")
    centre.allow(0)
    jobs.srun("mpich", folder, [1], "-n2", profiled=False)
    centre.allow(200)
    expect(not centre.profiles() and not profiles_in(folder), "profiled in spite of a switch",
           centre.profiles())
    # mpirun's helper on the other node is a step, but its rank here is none: both or none.
    number = jobs.submit(folder, "mpirun.openmpi --map-by node -n 2 "
                         f"{jobs.programs['openmpi'][0]} 1\n", "-N2", "-n2", "--output=/dev/null")
    jobs.wait(number)
    expect(not centre.profiles(), "mpirun is profiled", centre.profiles())
    output = jobs.srun("openmpi", folder, [7], "-N2", "-n2", profiled=False)
    expect(output == "", "srun prints something", output)
    expect(jobs.cluster.becomes(centre.profiles, 30), "the Epilog left no profile")
    jobs.check(centre.spool / "root" / centre.profiles()[0], 2, 2, 7)


def case_crashed(jobs, centre):
    """What a job left whose node crashed is gathered by the Epilog of another one."""
    folder = jobs.folder("crashed")
    jobs.srun("mpich", folder, [9], "-n1", NO_MPROF="1")
    profile = folder / profiles_in(folder)[0]
    jobs.wait_for_epilogs()  # which would gather it, too
    old, new = centre.running / "999999", centre.running / "999998"
    for left in (old, new):
        shutil.copytree(profile, left / f"{left.name}.0.mprof")
        (left / f"{left.name}.0.decision").touch()
    two_days_ago = time.time() - 2 * 86400
    os.utime(old, (two_days_ago, two_days_ago))
    jobs.srun("openmpi", folder, [1], "-n1", profiled=False)
    gathered = centre.spool / "root/999999.0.mprof"
    expect(jobs.cluster.becomes(lambda: gathered.exists() and not old.exists(), 30),
           "an old folder is not gathered", *old.rglob("*"))
    jobs.check(gathered, 1, 1, 9)
    expect(new.exists(), "a folder of today is taken for one of a crash")
    gathered.unlink()
    shutil.rmtree(new)


def case_array(jobs, centre):
    """Each task of an array is once in the archive, with its own number of calls."""
    jobs.wait_for_epilogs()  # of earlier jobs
    before = set(centre.profiles())
    program, kind = jobs.programs["mpich"]
    number = jobs.submit(jobs.folder("array"), f"srun {kind} {program} $SLURM_ARRAY_TASK_ID\n",
                         f"--array=1-{TASKS}", "-n1", "--output=/dev/null")
    jobs.wait(number, 240)
    wanted = {f"{number}_{task}.0.mprof" for task in range(1, TASKS + 1)}
    jobs.cluster.becomes(lambda: set(centre.profiles()) - before == wanted, 30)
    expect(set(centre.profiles()) - before == wanted, "profiles of the array",
           sorted(wanted ^ (set(centre.profiles()) - before)))
    said = centre.ingest()
    expect(f"{TASKS + len(before)} runs added" in said, "not all are added", said)
    expect(re.search(rf"^all +{TASKS + len(before)} ", said, re.M), "what it cost", said)
    centre.ingest()
    with sqlite3.connect(centre.archive) as archive:
        rows = archive.execute("SELECT input, calls, complete, owner FROM runs WHERE program = ?",
                               (program.name,)).fetchall()
    # By arithmetic: two calls per turn, and Init, rank, size, Barrier, Finalize.
    expected = [(str(task), 2 * task + 5, 1, "root") for task in range(1, TASKS + 1)]
    expect(sorted(rows) == sorted(expected), "runs in the archive",
           sorted(set(rows) ^ set(expected)), len(rows))


def case_array_names(jobs):
    folder = jobs.folder("names")
    program, kind = jobs.programs["openmpi"]
    number = jobs.submit(folder, f"srun {kind} {jobs.mprof} run {program} 3\n" * 2,
                         "--array=1-2", "-n1", "--output=/dev/null")
    jobs.wait(number)
    wanted = [f"calls_openmpi.{number}_{task}.mprof" for task in (1, 2)]
    wanted += [f"calls_openmpi.{number}_{task}.1.mprof" for task in (1, 2)]
    expect(profiles_in(folder) == sorted(wanted), "folders of an array", profiles_in(folder))
    report = jobs.check(folder / wanted[0], 1, 1, 3)
    expect(report["run"]["texts"]["job"] == f"{number}_1", "name of the job", report["run"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("mprof", "library", "program", "recipes", "environments", "work"):
        parser.add_argument(f"--{name}", required=True)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    work = pathlib.Path(arguments.work).resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        run(arguments, work)
    except Failed as failure:
        sys.exit(f"FAILED: {failure}")


def run(arguments, work):
    need(os.geteuid() == 0, "root, which Slurm needs")
    open_to_all()
    with Folder("centre") as folder:
        os.chmod(folder.path, 0o755)
        run_at(Centre(pathlib.Path(folder.path), arguments.recipes, arguments.mprof,
                      arguments.library), arguments, work)


def run_at(centre, arguments, work):
    with Cluster(2, work / "slurm", centre.settings()) as cluster:
        jobs = Jobs(cluster, arguments, work)
        ending = Ending(jobs)
        for name, case in (("cancel", ending.cancel), ("accounts", ending.accounts),
                           ("requeue", ending.requeue),
                           ("srun", lambda: case_srun(jobs)), ("steps", lambda: case_steps(jobs)),
                           ("some ranks", lambda: case_some_ranks(jobs)),
                           ("array names", lambda: case_array_names(jobs)),
                           ("switches", lambda: case_switches(jobs, centre)),
                           ("crashed node", lambda: case_crashed(jobs, centre)),
                           ("array", lambda: case_array(jobs, centre)),
                           ("time limit", lambda: ending.end(centre))):
            case()
            print(f"ok: {name}", flush=True)


if __name__ == "__main__":
    main()
