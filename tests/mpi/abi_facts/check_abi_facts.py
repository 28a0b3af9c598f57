#!/usr/bin/env python3
"""Compares libmprof's facts of an MPI's ABI (libmprof/api/abi_facts.txt) with the real mpi.h and
library of that MPI.

Each line of the table becomes a line of a C program. The MPI's mpicc compiles it. The program
prints what differs. It never calls MPI_Init, so it runs without mpirun. Some facts are of things
that this MPI's mpi.h does not have (MPI_Session in Open MPI 4). They are left out and named.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), *2 * [os.pardir],
                             "groups"))
import needs  # noqa: E402

HEAD = r"""
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
static int checked, wrong;
static void check(const char *name, int equal, long long real)
{
    checked++;
    if (!equal) {
        wrong++;
        printf("%s: the table is wrong, real value %lld (0x%llx)\n", name, real, real);
    }
}
"""
TAIL = r"""    printf("%d facts checked, %d wrong\n", checked, wrong);
    return wrong != 0;
}
"""


def facts(path, family):
    """(kind, name, value) of each line."""
    families = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            kind, name, *values = line.split("#")[0].split() or ("", "")
            if kind == "family":
                families = values
            elif kind and (len(values) != len(families) or family not in families):
                sys.exit(f"{path}: no column for {family}, or not understood: {line!r}")
            elif kind:
                yield kind, name, values[families.index(family)]


def c_lines(kind, name, value):
    """(lines in front of main, the C expressions `equal` and `real`)."""
    plain = re.sub(r"\(.*", "", name)
    if kind == "type":  # GCC's and clang's classes: 1 integer, 5 pointer
        wanted = {"int": 1, "pointer": 5}[value]
        return "", f"__builtin_classify_type(({name})0) == {wanted}", f"sizeof({name})"
    if kind == "status":
        real = "sizeof(MPI_Status)" if name == "size" else f"offsetof(MPI_Status, {name})"
        return "", f"{real} == {value}", real
    if kind == "integer":
        return "", f"{name} == ({value})", name
    if kind == "handle" and value.startswith("&"):
        symbol = f"extern char {value[1:]}_[] __asm__(\"{value[1:]}\");"
        return symbol, f"(char *)({name}) == {value[1:]}_", f"(intptr_t)({name})"
    if kind in ("pointer", "handle"):
        narrow = f"(uint32_t)(uintptr_t)({plain}) == (uint32_t)({value})"
        wide = f"(uintptr_t)({plain}) == (uintptr_t)({value})"
        return "", f"sizeof({plain}) == 4 ? {narrow} : {wide}", f"(intptr_t)({plain})"
    sys.exit(f"unknown kind of fact: {kind}")


def names_in_header(mpicc, folder):
    """All identifiers of mpi.h: macros and, after the preprocessor, everything else."""
    source = os.path.join(folder, "early.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write("#include <mpi.h>\n")
    text = ""
    for options in (["-E"], ["-E", "-dM"]):
        text += subprocess.run([mpicc] + options + [source], check=True, capture_output=True,
                               text=True).stdout
    return set(re.findall(r"\w+", text))


def write_program(path, table, family, names):
    fronts, lines, missing = [], [], []
    for kind, name, value in facts(table, family):
        plain = re.sub(r"\(.*", "", name)
        if plain != "size" and plain not in names:
            missing.append(plain)
            continue
        front, equal, real = c_lines(kind, name, value)
        if front and front not in fronts:
            fronts.append(front)
        lines.append(f'    check("{kind} {plain}", {equal}, (long long)({real}));\n')
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD + "\n".join(fronts) + "\nint main(void)\n{\n" + "".join(lines) + TAIL)
    return missing


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpicc", required=True)
    parser.add_argument("--family", required=True)
    parser.add_argument("table", help="libmprof/api/abi_facts.txt")
    arguments = parser.parse_args()
    if arguments.family in ("openmpi", "mpich"):
        needs.need(f"mpicc.{arguments.family}:", bool(arguments.mpicc))
    with tempfile.TemporaryDirectory(prefix="mprof-abi-") as folder:
        source, program = os.path.join(folder, "facts.c"), os.path.join(folder, "facts")
        missing = write_program(source, arguments.table, arguments.family,
                                names_in_header(arguments.mpicc, folder))
        done = subprocess.run([arguments.mpicc, "-std=gnu11", "-w", source, "-o", program],
                              capture_output=True, text=True, check=False)
        if done.returncode == 0:
            done = subprocess.run([program], capture_output=True, text=True, check=False)
        print(done.stdout + done.stderr, end="")
        if missing:
            print(f"not in this mpi.h: {' '.join(missing)}")
        return done.returncode


if __name__ == "__main__":
    sys.exit(main())
