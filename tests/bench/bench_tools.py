"""Builds and starts what tests/bench/run measures: the small programs of this folder, the tools in
front of MPI, and real programs. It needs Python's standard library only. Every process has a time
limit."""
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile
import time

import bench_peers

HERE = pathlib.Path(__file__).resolve().parent
INPUTS = HERE.parent / "mpi" / "inputs"
MPIS = {"Open MPI": "openmpi", "MPICH": "mpich"}
TIME_BINS = 26  # MPROF_SECTION_TIME_BINS
BY_TIME = ("take_reading", "time_bins_before", "time_bins_after")
PROGRAMS = ("bench_calls", "bench_partners", "bench_peak", "bench_steps")

# Tools in front of MPI: library and environment. mprof alone has the default settings.
TOOLS = {
    "none": (None, {}),
    "nothing": ("nothing.so", {}),
    "clock": ("clock.so", {}),
    "mprof": ("mprof", {}),
    "mprof, callsites 0": ("mprof", {"MPROF_CALLSITES": "0"}),
    "mprof, least": ("mprof", {"MPROF_CALLSITES": "0", "MPROF_CPU_SAMPLES": "0"}),
    "mprof, callsites 1": ("mprof", {"MPROF_CALLSITES": "1"}),
    "mprof, counters": ("mprof", {"MPROF_COUNTERS": "page-faults"}),
    "mprof, lint": ("mprof", {"MPROF_LINT": "1"}),
    "mprof, results": ("mprof", {"MPROF_RESULTS": "1"}),
}


class Bench:
    """One MPI's programs and tools, in a folder of their own."""

    def __init__(self, mpi, build_folder):
        self.mpi = mpi
        self.name = MPIS[mpi]
        self.folder = build_folder / "bench" / self.name
        self.library = build_folder / "lib" / "libmprof.so"
        self.sections = build_folder / "tests" / "content_bytes"
        self.compiler = shutil.which(f"mpicc.{self.name}")
        self.mpirun = shutil.which(f"mpirun.{self.name}")
        self.tools = dict(TOOLS)
        self.peers = {}  # name -> the MPI functions that it wraps
        self.peers_output = None  # a temporary folder, as long as this object is there

    def build(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        command = [self.compiler, "-O2", "-g", "-pthread", "-Wno-stringop-overflow"]
        for program in PROGRAMS:
            subprocess.run([*command, "-o", self.folder / program, HERE / f"{program}.c"],
                           check=True)
        for name, option in (("nothing", []), ("clock", ["-DREAD_CLOCK"])):
            subprocess.run([*command, *option, "-shared", "-fPIC", "-o", self.folder / f"{name}.so",
                            HERE / "reference_tool.c"], check=True)

    def add_peers(self, folder):
        """IPM and mpiP, as further tools, if their sources are in the folder and can be built."""
        self.peers_output = tempfile.TemporaryDirectory()
        built = bench_peers.build_all(folder, self.folder / "peers",
                                      bench_peers.compilers_of(self.name), self.peers_output.name)
        self.tools.update(built)
        self.peers = {name: bench_peers.wrapped_functions(library)
                      for name, (library, _) in built.items()}

    def launcher(self, ranks, is_crowded=True):
        """Ranks that share a CPU yield while they wait."""
        command = [self.mpirun]
        if self.name == "openmpi":
            command += ["--oversubscribe", "--mca", "mpi_yield_when_idle", str(int(is_crowded))]
            if os.geteuid() == 0:
                command.append("--allow-run-as-root")
        return command + ["-n", str(ranks)]

    def environment(self, tool):
        """As assignments for env(1): mpirun itself must not be preloaded."""
        library, variables = self.tools[tool]
        if library is None:
            return []
        path = self.library if library == "mprof" else self.folder / library
        variables = {"LD_PRELOAD": path, "MPROF_SUMMARY": "off", "MPROF_OUTPUT": self.profile,
                     **variables}
        return ["env"] + [f"{name}={value}" for name, value in variables.items()]

    @property
    def profile(self):
        return self.folder / "profile"

    def run(self, command, tool="none", ranks=0, before=(), cwd=None, variables=()):
        """What the command printed; `before` stands between mpirun and the tool, such as valgrind
        or bench_peak."""
        shutil.rmtree(self.profile, ignore_errors=True)
        launcher = self.launcher(ranks) if ranks else []
        line = [*launcher, *before, *self.environment(tool), *command]
        environment = dict(os.environ, OMP_NUM_THREADS="1", **dict(variables))
        return subprocess.run([str(word) for word in line], cwd=cwd, env=environment,
                              check=True, text=True, timeout=900,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout

    def figures(self, arguments, tool, ranks=0):
        """Of lines "name TAB number", the largest number of each name. Other lines are a tool's."""
        found = {}
        text = self.run([self.folder / "bench_calls", *arguments], tool, ranks)
        for name, number in re.findall(r"^([^\t\n]+)\t([\d.]+)$", text, re.MULTILINE):
            found[name] = max(found.get(name, 0.0), float(number))
        return found

    def start_ns(self, tool, starts=50):
        """The least that a program with MPI takes that calls nothing of it."""
        program = str(self.folder / "bench_calls")
        library = TOOLS[tool][0]
        preload = {"LD_PRELOAD": str(self.library)} if library else {}
        least = math.inf
        for _ in range(starts):
            begin = time.perf_counter_ns()
            process = os.posix_spawn(program, [program, "nothing"], {**os.environ, **preload})
            os.waitpid(process, 0)
            least = min(least, time.perf_counter_ns() - begin)
        return {"start": least}

    def instructions(self, cases, tool, variables=(), calls=4000):
        """Case -> instructions per call, as callgrind counts them: the same each time, whatever
        else the machine does. What libmprof does so many times a second is left out, since there
        is more of it the slower the machine is. One process for all cases: its start is what
        takes time."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            self.run([self.folder / "bench_calls", "count", calls, *cases], tool, before=(
                "valgrind", "--tool=callgrind", "--collect-atstart=no",
                "--toggle-collect=counted", *(f"--toggle-collect={name}" for name in BY_TIME),
                "--zero-before=counted", "--dump-after=counted", "-q",
                "--trace-children=yes", "--trace-children-skip=*orted*",
                f"--callgrind-out-file={folder}/%p"), variables=variables)
            dumps = [path.read_text() for path in pathlib.Path(folder).iterdir()]
        counts = {}  # number of the dump -> instructions
        for dump in dumps:
            if "Trigger: --dump-after=counted" in dump:
                part = int(re.search(r"^part: (\d+)", dump, re.MULTILINE)[1])
                counts[part] = int(re.search(r"^totals: (\d+)", dump, re.MULTILINE)[1])
        if len(counts) != len(cases):
            raise SystemExit(f"{len(counts)} counts of {len(cases)} cases, {self.mpi}, {tool}")
        return {case: counts[part] / calls for case, part in zip(cases, sorted(counts))}

    def peak_kib(self, command, tool, ranks, cwd=None):
        """Means over ranks: `peak`, their largest resident sets, and `own`, without what they
        share."""
        peaks = self.folder / "peaks"
        peaks.unlink(missing_ok=True)
        self.run(command, tool, ranks, before=(self.folder / "bench_peak", peaks), cwd=cwd)
        rows = [line.split() for line in peaks.read_text().splitlines()]
        return {name: statistics.mean(int(row[i]) for row in rows)
                for i, name in enumerate(("peak", "own"))}

    def largest_file(self):
        """{bytes, content}: of the rank file that is largest, and of the one with most content
        before compression, time bins not counted: how many there are follows from how long the
        run took."""
        paths = list(self.profile.iterdir())
        return {"bytes": max(path.stat().st_size for path in paths),
                "content": max(self.content_bytes(path) for path in paths)}

    def content_bytes(self, path):
        rows = subprocess.run([self.sections, path], stdout=subprocess.PIPE, text=True, check=True)
        return sum(int(row.split()[1]) for row in rows.stdout.splitlines()
                   if int(row.split()[0]) != TIME_BINS)


def real_programs():
    """Name -> (command, files that it needs in its folder, ranks) of those that are installed and
    use Open MPI."""
    programs = {
        "hpcc": (["hpcc"], ["hpccinf.txt"], 2),
        "lmp": (["lmp", "-in", "lj.lmp"], ["lj.lmp"], 4),
        "pw.x": (["pw.x", "-in", "hydrogen.in"], ["hydrogen.in", "hydrogen.gth"], 2),
    }
    return {name: program for name, program in programs.items() if shutil.which(program[0][0])}


def program_folder(bench, name, files, changes=None):
    """`changes`: file -> (text, text in its place) pairs."""
    folder = bench.folder / re.sub(r"[^\w.]+", "_", name)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for file in files:
        text = (INPUTS / file).read_text()
        for old, new in (changes or {}).get(file, []):
            if old not in text:
                raise SystemExit(f"{INPUTS / file} has no {old!r}, which is to be replaced")
            text = text.replace(old, new)
        (folder / file).write_text(text)
    return folder
