"""One real report page for each verdict: runs programs of the repository that are bound by it.
make_site calls write(). Open MPI is needed, and a CPU for each rank. What has another verdict than
its title, or whose ranks lacked their CPUs as on a busy machine, gets no page.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import typing

TOP = pathlib.Path(__file__).resolve().parents[2]
TRIES = 3  # other load may make a verdict another one
HANGS_S = 6
CROWDED_PERCENT = 5  # of a run, without a CPU


class Program(typing.NamedTuple):
    verdict: str  # the class that its report must have
    words: str  # what the program does
    source: str
    ranks: int
    arguments: str  # of the program; {folder} is where it may write
    flags: str = "-O2 -g"
    threads: int = 1
    second: str = ""  # arguments of a second program in the same job


PROGRAMS = [
    Program("compute bound", "Two ranks compute the same and seldom meet. Nothing is wrong here.",
            "tests/causes/planted.c", 2, "healthy {folder}"),
    Program("load-imbalance bound", "The demo: rank 1 does the arithmetic of each step four times.",
            "share/demo/heat.c", 2, "--imbalance --steps 700"),
    Program("synchronisation bound", "Another rank computes longer in each step, and all wait for "
            "it in a barrier.", "tests/causes/planted.c", 2, "in_turn {folder}"),
    Program("latency bound", "Many messages of a few bytes.",
            "tests/causes/planted.c", 2, "tiny {folder}"),
    Program("bandwidth bound", "Few messages of many bytes.",
            "tests/causes/planted.c", 2, "bandwidth {folder}"),
    Program("start-up bound", "One rank comes late to MPI_Init, and there is little else.",
            "tests/causes/planted.c", 2, "slow_start {folder}"),
    Program("I/O bound", "Each number is written by a call of its own.",
            "tests/causes/planted.c", 2, "small_writes {folder}"),
    Program("kept off the CPU", "Each rank starts more threads than it has CPUs.",
            "tests/causes/planted.c", 2, "many_threads {folder}"),
    Program("blocked", "A rank sleeps, outside of MPI.",
            "tests/causes/planted.c", 2, "sleeping {folder}"),
    Program("serial part", "One thread works while the others have nothing to do.",
            "tests/causes/hybrid.c", 1, "serial_part", "-O1 -g -fopenmp", 2),
    Program("thread imbalance", "One thread has more to do than the other.",
            "tests/causes/hybrid.c", 1, "openmp_imbalance", "-O1 -g -fopenmp", 2),
    Program("coupling bound", "Two programs in one job: the ocean waits for the atmosphere.",
            "tests/causes/coupled.c", 1, "{folder} compute 150 0 4000",
            second="{folder} compute 150 1 14000"),
    Program("HUNG", "Each rank waits for a message that the next one never sends.",
            "tests/ends/hung.c", 2, "ring {folder}/processes"),
]


def slug(program):
    return program.verdict.lower().replace(" ", "-").replace("/", "").replace("_", "-")


def cpus_of(program):
    """What it needs, so that each rank and thread has a CPU."""
    return program.ranks * program.threads * (2 if program.second else 1)


class Runner:
    def __init__(self, mprof, work):
        self.mprof, self.work = mprof, work
        self.mpirun = ["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
        if os.geteuid() == 0:
            self.mpirun.append("--allow-run-as-root")
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith("MPROF_")}
        self.environment.update(COLUMNS="80", LC_ALL="C.UTF-8")

    def command(self, program, folder):
        """The folder has the program as `program`, or twice, under the names of its parts."""
        names = ["ocean", "atmosphere"] if program.second else [pathlib.Path(program.source).stem]
        for name in names:
            subprocess.run(["mpicc.openmpi", "-std=c11", "-D_GNU_SOURCE", *program.flags.split(),
                            "-pthread", "-o", folder / name, TOP / program.source, "-lm"],
                           check=True)
        # Else Open MPI binds a rank and all its threads to one core.
        binding = ["--bind-to", "none"] if program.threads > 1 else []
        words = [*self.mpirun, *binding, "-n", str(program.ranks), "-x",
                 f"OMP_NUM_THREADS={program.threads}", folder / names[0],
                 *program.arguments.format(folder=folder).split()]
        if program.second:
            words += [":", "-n", str(program.ranks), folder / names[1],
                      *program.second.format(folder=folder).split()]
        return [self.mprof, "run", "--summary", "off", "--output", folder / "profile", "--",
                *map(str, words)]

    def run(self, program):
        """Returns the folder of the profile."""
        folder = self.work / slug(program)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "processes").write_bytes(bytes(4 * program.ranks))
        with open(folder / "output.txt", "wb") as output:
            job = subprocess.Popen(self.command(program, folder), cwd=folder, stdout=output,
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                   env=self.environment, start_new_session=True)
            if program.verdict == "HUNG":
                time.sleep(HANGS_S)
                # What people see of a hanging job, they see before they end it.
                shutil.copytree(folder / "profile", folder / "hanging")
                os.killpg(job.pid, signal.SIGKILL)
            job.wait(timeout=300)
        return folder / ("hanging" if program.verdict == "HUNG" else "profile")

    def read(self, profile, *options):
        return subprocess.run([self.mprof, "report", profile, *options], env=self.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=False).stdout

    def profile_with_verdict(self, program):
        """(its profile, what is wrong with it): that of the last try if none was right."""
        for _ in range(TRIES):
            profile = self.run(program)
            wrong = flaw_of(program, json.loads(self.read(profile, "--json", "-")))
            if not wrong:
                break
        return profile, wrong


def flaw_of(program, report):
    """Of a run for the gallery; "" = it is as it should be."""
    found = report["verdict"]["class"]
    if found != program.verdict:
        return f"{program.source} {program.arguments} is {found}, not {program.verdict}"
    lacked = sum(part["percent"] for part in report["time_parts"]
                 if part["state"] == "waiting for a CPU")
    if lacked > CROWDED_PERCENT and found != "kept off the CPU":
        return f"{program.verdict}: its ranks had no CPU for {lacked:.0f} % of the run"
    return ""


def first_lines(report):
    begin = report.index("# VERDICT")
    return report[begin:report.index("\n#\n", begin)]


def write(mprof, work, folder):
    """A page for each verdict into `folder`, and gallery text. Returns it, and what is left out."""
    runner = Runner(mprof, work)
    folder.mkdir(parents=True, exist_ok=True)
    text, left_out = "", []
    for program in PROGRAMS:
        if cpus_of(program) > len(os.sched_getaffinity(0)):
            left_out.append(f"{program.verdict}: {cpus_of(program)} CPUs are needed")
            continue
        profile, wrong = runner.profile_with_verdict(program)
        if wrong:
            left_out.append(wrong)
            continue
        page = folder / f"{slug(program)}.html"
        runner.read(profile, "--html", page)
        title = program.verdict[0].upper() + program.verdict[1:]
        text += (f"\n## {title}\n\n{program.words} `{program.source}`, {program.ranks} "
                 f"{'rank' if program.ranks == 1 else 'ranks'}. "
                 f"**[The whole page](verdicts/{page.name})**\n\n"
                 f"```text\n{first_lines(runner.read(profile))}\n```\n")
    return text, left_out
