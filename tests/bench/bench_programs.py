"""What a tool adds to whole programs: the part "programs" of tests/bench/run.

A round runs a program once with each tool, in random order: without one, without one again, with a
library that only wraps, with one that reads the clock, with mprof, with mprof without samples and
without call sites, with IPM and mpiP where their sources are. The loop time is the program's own.
What counts are the per cent by which a run differs from the one without a tool of its round: their
median, and the interval in which it is with 95 % (bootstrap). The program without a tool again is
the control: rounds go on until its interval holds 0 and is at most CONTROL_WIDTH wide, or the time
is used up. Then the machine was no good for this, and the last line says so.

The jobs get the CPUs before other programs (jobs.go_first). Python's standard library only.
"""
import collections
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import time

import bench_tools

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "mpi"))
import jobs  # noqa: E402

CONTROL = "none again"
TOOLS = {
    CONTROL: (None, {}),
    "nothing": ("nothing.so", {}),
    "clock": ("clock.so", {}),
    "mprof": ("mprof", {}),
    "mprof, no samples": ("mprof", {"MPROF_CPU_SAMPLES": "0"}),
    "mprof, no call sites": ("mprof", {"MPROF_CALLSITES": "0"}),
}
CONTROL_WIDTH = 0.6
LEAST_ROUNDS = 7
RESAMPLES = 2000

# Of a run: seconds of the loop, CPU seconds of the whole job, how often its processes left a CPU.
Run = collections.namedtuple("Run", "loop user system voluntary involuntary")
# `loop` finds the seconds in what the program prints; None = the whole run. `changes` are those of
# its files.
Program = collections.namedtuple("Program", "command files ranks loop changes", defaults=({},))

# Ranks that share CPUs: the same number on each. Where the kernel may put three on one CPU, a run
# takes three times as long or not.
BOUND = ["--use-hwthread-cpus", "--map-by", "hwthread", "--bind-to", "hwthread:overload-allowed"]

OWN_LOOP = r"^loop\t([\d.]+)$"
# Of the inputs, what makes the programs run for seconds instead of half of one.
LONGER = {
    "hpcc": (None, {"hpccinf.txt": [("200          Ns", "2000         Ns")]}),
    "pw.x": (r"PWSCF +:.*CPU +([\d.]+)s WALL",
             {"hydrogen.in": [("ecutwfc = 12.0", "ecutwfc = 120.0")]}),
}
LAMMPS_LOOP = r"Loop time of ([\d.]+)"


def lammps(edge, steps, ranks):
    """An fcc box of edge^3 * 4 atoms."""
    return Program(["lmp", "-in", "lj.lmp"], ["lj.lmp"], ranks, LAMMPS_LOOP,
                   {"lj.lmp": [("0 8 0 8 0 8", " ".join([f"0 {edge}"] * 3)),
                               ("run             100", f"run             {steps}")]})


def programs(bench):
    """Name -> Program, of those that are there."""
    cpus = len(os.sched_getaffinity(0))
    steps = str(bench.folder / "bench_steps")
    all_programs = {
        "allreduce": Program([steps, "allreduce", "2000000"], [], cpus, OWN_LOOP),
        "halo": Program([steps, "halo", "400000"], [], cpus, OWN_LOOP),
        "allreduce, two ranks a CPU": Program([steps, "allreduce", "250000"], [], 2 * cpus,
                                              OWN_LOOP),
        "halo, two ranks a CPU": Program([steps, "halo", "60000"], [], 2 * cpus, OWN_LOOP),
        "lmp, small": lammps(5, 20000, cpus),
        "lmp, small, two ranks a CPU": lammps(5, 10000, 2 * cpus),
        "lmp, large": lammps(20, 400, cpus),
    }
    found = bench_tools.real_programs()
    for name, (loop, changes) in LONGER.items():
        if name in found:
            command, files, ranks = found[name]
            all_programs[name] = Program(command, files, ranks, loop, changes)
    return {name: program for name, program in all_programs.items()
            if shutil.which(program.command[0])}


def run_once(bench, program, folder, tool):
    shutil.rmtree(bench.profile, ignore_errors=True)
    is_crowded = program.ranks > len(os.sched_getaffinity(0))
    mpirun, *options = bench.launcher(program.ranks, is_crowded)
    line = [*jobs.WORDS_BEFORE, "timeout", "300", mpirun, *(BOUND if is_crowded else []), *options,
            *bench.environment(tool), *program.command]
    begin = time.monotonic()
    process = subprocess.Popen([str(word) for word in line], cwd=folder,
                               env=dict(os.environ, OMP_NUM_THREADS="1"), text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - begin
    if program.loop is not None:
        found = re.search(program.loop, text, re.MULTILINE)
        seconds = float(found[1]) if found else 0
    if process.returncode != 0 or seconds == 0:
        raise SystemExit(f"{' '.join(map(str, line))}: exit status {process.returncode}\n{text}")
    return Run(seconds, usage.ru_utime, usage.ru_stime, usage.ru_nvcsw, usage.ru_nivcsw)


def interval(values):
    """The median, and where it is with 95 %, by resampling; the same each time."""
    chance = random.Random(1)
    medians = sorted(statistics.median(chance.choices(values, k=len(values)))
                     for _ in range(RESAMPLES))
    cut = RESAMPLES // 40
    return statistics.median(values), medians[cut], medians[-1 - cut]


def differences(runs, tool, other="none"):
    return [100 * (run.loop / base.loop - 1) for run, base in zip(runs[tool], runs[other])]


def is_good(runs):
    _, low, high = interval(differences(runs, CONTROL))
    return low <= 0 <= high and high - low <= CONTROL_WIDTH


def run_rounds(bench, program, folder, tools, minutes):
    runs = {tool: [] for tool in tools}
    begin = time.monotonic()
    while True:
        for tool in random.sample(tools, len(tools)):
            runs[tool].append(run_once(bench, program, folder, tool))
        rounds = len(runs[tools[0]])
        passed = time.monotonic() - begin
        if passed * (rounds + 1) / rounds > 60 * minutes or \
                (rounds >= LEAST_ROUNDS and is_good(runs)):
            return runs


def print_table(title, runs):
    print(f"\n{title}: {statistics.median(run.loop for run in runs['none']):.3f} s without a tool, "
          f"{len(runs['none'])} rounds; per cent more, with the interval of 95 %; of the job, "
          "medians")
    print(f"{'':22} {'more':>7} {'from':>7} {'to':>7} {'user s':>8} {'system s':>8} "
          f"{'voluntary':>10} {'involuntary':>11}")
    for tool, found in runs.items():
        middle, low, high = interval(differences(runs, tool))
        user, system, voluntary, involuntary = (statistics.median(run[i] for run in found)
                                                for i in range(1, len(Run._fields)))
        print(f"{tool:22} {middle:+7.2f} {low:+7.2f} {high:+7.2f} {user:8.2f} {system:8.2f} "
              f"{voluntary:10.0f} {involuntary:11.0f}")
    for tool in runs:
        if tool.startswith("IPM"):
            middle, low, high = interval(differences(runs, "mprof", tool))
            print(f"mprof beside {tool}: {middle:+.2f} [{low:+.2f}, {high:+.2f}]")
    if not is_good(runs):
        print("The control says that the machine was no good for this: what is less than the width "
              "of its interval is noise.", flush=True)


def measure(bench, only, minutes):
    """Program -> tool -> runs."""
    jobs.go_first()
    bench.tools.update(TOOLS)
    tools = ["none", *TOOLS, *bench.peers]
    measured = {}
    for name, program in programs(bench).items():
        if only and name not in only:
            continue
        folder = bench_tools.program_folder(bench, name, program.files, program.changes)
        measured[name] = run_rounds(bench, program, folder, tools, minutes)
        print_table(f"{bench.mpi}, {name}, {program.ranks} ranks", measured[name])
    return measured
