"""The programs of the zoo: what their head lines say, how they are built and started (score.py).

A head line is "zoo: CASE KIND rank RANK at PLACE WORDS". RANK is a number, "last", "lower" or
"upper" (one of that half), "changes" or "any" (none need be named). PLACE is one or more functions
of the source, "|" between: each of them is right. WORDS: "threads" (one rank with a team),
"two_programs" (the last rank is one by itself), "ends" (a rank ends the job), "three" (at least so
many ranks), "mpich" (not with Open MPI), and the particular cause that must be named
(judge.PARTICULAR).
"""

import glob
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "mpi"))
import jobs  # noqa: E402

KINDS = ("uneven", "blocked", "kernel", "files", "in_turn", "latency", "bandwidth", "threads",
         "start-up", "pickling", "blocked+uneven", "ended", "healthy")
HEAD = re.compile(r"\bzoo: (\S+) (\S+)(?: rank (\S+))?(?: at (\S+))?((?: [a-z_]+)*)$")
OWN = ("score.py", "programs.py", "judge.py")
PYTHON = "/usr/bin/python3"  # whose mpi4py is Debian's, for Open MPI


class Program:
    """One case of one source."""

    def __init__(self, source, found):
        self.source = source
        self.case, self.kind, self.rank, places, words = found.groups()
        self.words = words.split()
        self.functions = places.split("|") if places else []
        self.name = f"{os.path.basename(source).rsplit('.', 1)[0]}.{self.case}"
        if self.kind not in KINDS or self.rank is None and self.kind != "healthy":
            raise ValueError(f"{source}: {found[0]}")

    def guilty(self, ranks):
        """Ranks of which one must be named; None: no rank need be."""
        if "threads" in self.words or self.rank in ("any", "changes", None):
            return None
        half = ranks // 2
        groups = {"last": {ranks - 1}, "lower": set(range(ranks - half)),
                  "upper": set(range(half, ranks))}
        return groups[self.rank] if self.rank in groups else {int(self.rank)}

    def ranks(self, usual):
        return max(3, usual) if "three" in self.words else usual

    def places(self):
        """Words of which one must be said: the functions, and their lines."""
        base, words = os.path.basename(self.source), set()
        with open(self.source, encoding="utf-8") as file:
            lines = file.read().splitlines()
        ends = re.compile(r"^\S" if base.endswith(".py") else r"^}|^\s*end subroutine")
        for function in self.functions:
            begins = re.compile(rf"^(?:PLACE |def |\s*subroutine ){function}\b")
            first = next(i for i, line in enumerate(lines) if begins.match(line))
            last = next(i for i in range(first + 1, len(lines)) if ends.match(lines[i]))
            words |= {function} | {f"{base}:{i + 1}" for i in range(first, last + 1)}
        return words

    def executable(self, folder, mpi):
        return os.path.join(folder, mpi, os.path.basename(self.source).rsplit(".", 1)[0])

    def command(self, tools, folder, ranks, form):
        """The launcher with all it starts; None: not with this MPI."""
        words = [self.case, form, folder]
        if "mpich" in self.words and tools.mpi != "mpich":
            return None
        if self.source.endswith(".py"):
            if tools.mpi != "openmpi" or not os.path.exists(PYTHON):
                return None
            program = [PYTHON, self.source] + words
        else:
            program = [self.executable(tools.built, tools.mpi)] + words
        if "two_programs" in self.words:
            return tools.launcher(ranks - 1) + program + [":", "-n", "1"] + program
        if "threads" in self.words:
            bind = ["--bind-to", "none"] if tools.mpi == "openmpi" else []
            return tools.launcher(1) + bind + program
        return tools.launcher(ranks) + program


def all_programs(pattern=""):
    programs = []
    for source in sorted(glob.glob(os.path.join(HERE, "**", "*.*"), recursive=True)):
        if source.endswith((".c", ".f90", ".py")) and os.path.basename(source) not in OWN:
            with open(source, encoding="utf-8") as file:
                found = [HEAD.search(line.rstrip()) for line in file]
            programs += [Program(source, head) for head in found if head]
    return [program for program in programs if re.search(pattern, program.name)]


def build(programs, mpi, compilers, folder):
    """Compiles what is missing or older than its source. -> sources without a compiler"""
    os.makedirs(os.path.join(folder, mpi), exist_ok=True)
    missing = set()
    for program in programs:
        path, source = program.executable(folder, mpi), program.source
        if source.endswith(".py"):
            continue
        fortran = source.endswith(".f90")
        compiler = compilers["fortran" if fortran else "c"]
        newest = max(os.path.getmtime(file) for file in (source, os.path.join(HERE, "zoo.h")))
        if os.path.exists(path) and os.path.getmtime(path) > newest:
            continue
        flags = ["-O1", "-g", "-Wall", "-fopenmp"]
        if not fortran:
            flags += ["-std=c11", "-D_GNU_SOURCE", "-Wextra", f"-I{HERE}", "-pthread"]
        if shutil.which(compiler) is None:
            missing.add(source)
        else:
            subprocess.run(jobs.WORDS_BEFORE + [compiler, *flags, "-o", path, source], check=True)
    return missing
