#!/usr/bin/env python3
"""Compiles the test programs for every MPI build that is installed.

    compile_programs.py --environments DIR --output DIR [--only BUILD]

It makes DIR/BUILD/LANGUAGE. If a program cannot be compiled, a file beside it says why:
LANGUAGE.skipped if a compiler or an MPI is absent, LANGUAGE.failed with the compiler's output if it
failed. It leaves alone what is newer than its sources.
"""

import argparse
import os
import subprocess
import sys

sys.dont_write_bytecode = True
import builds  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TRUTH = os.path.normpath(os.path.join(HERE, "..", "mpi", "truth"))

# As in tests/mpi: GCC does not know that some MPI constants are addresses that nobody reads.
C_OPTIONS = ["-D_GNU_SOURCE", "-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Wno-stringop-overflow",
             "-Wno-stringop-overread", "-pthread", "-I" + HERE, "-I" + TRUTH]
FORTRAN_OPTIONS = ["-O1", "-g", "-cpp", "-ffree-line-length-none", "-fallow-argument-mismatch"]
LINK_VARIANTS = {"z_now": ["-Wl,-z,now"], "fno_plt": ["-fno-plt"],
                 "no_pie": ["-no-pie", "-fno-pie"],
                 "z_now_fno_plt": ["-Wl,-z,now", "-fno-plt"]}
FAMILY_MACRO = {"openmpi": "FAMILY_OPENMPI", "mpich": "FAMILY_MPICH", "mpi5": "FAMILY_MPI5"}
INTERFACE = {"mpif_h": "1", "use_mpi": "2", "mpi_f08": "3"}


def source(name):
    return os.path.join(HERE, name)


def commands(build, language, output):
    """The commands that make `output`."""
    if language == "dlsym":  # no MPI needed
        return [["gcc", "-I" + source("by_dlsym"), "-D" + FAMILY_MACRO[build.family]] + C_OPTIONS +
                (["-DERRORS_RETURN_OF_INTEL"] if build.name == "intel_abi" else []) +
                ["-Wno-strict-prototypes", source("calls.c"), "-o", output, "-ldl"]]
    if language == "c" or language in LINK_VARIANTS:
        compiler, libraries = build.c_compiler()
        return [compiler + C_OPTIONS + LINK_VARIANTS.get(language, []) +
                [source("calls.c"), "-o", output] + libraries]
    late = language.startswith("late_")
    interface = language.removeprefix("late_")
    compiler, libraries = build.fortran_compiler(interface)
    folder = output + ".modules"
    os.makedirs(folder, exist_ok=True)
    # Without interfaces gfortran warns of every two calls with buffers of different types.
    quiet = [] if interface == "mpi_f08" else ["-w"]
    compile_it = (compiler + FORTRAN_OPTIONS + quiet +
                  ["-J" + folder, "-DINTERFACE=" + INTERFACE[interface]])
    sources = [source("truth.F90"), source("calls.F90")]
    if not late:
        return [compile_it + sources + ["-o", output] + libraries]
    return [compile_it + ["-DAS_LIBRARY", "-shared", "-fPIC"] + sources +
            ["-o", output + ".so"] + libraries,
            ["gcc"] + C_OPTIONS + [source("late.c"), "-o", output, "-ldl"]]


def newest_source():
    files = [os.path.join(folder, name) for folder in (HERE, source("by_dlsym"), TRUTH)
             for name in os.listdir(folder) if name.endswith((".c", ".h", ".F90", ".py"))]
    return max(os.path.getmtime(file) for file in files)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + "\n")


def compile_one(build, language, output, newest):
    """What became of it, in a word."""
    if os.path.exists(output) and os.path.getmtime(output) > newest:
        return "there"
    for path in (output, output + ".skipped", output + ".failed"):
        if os.path.lexists(path):
            os.unlink(path)
    try:
        for command in commands(build, language, output):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                if os.path.exists(output):
                    os.unlink(output)
                write(output + ".failed", f"{' '.join(command)}\n{done.stderr[-3000:]}")
                return "FAILED: " + done.stderr[-1500:]
            if done.stderr:
                print(f"{build.name} {language}:\n{done.stderr[:1500]}")
    except builds.NotApplicable as reason:
        write(output + ".skipped", str(reason))
        return f"n/a: {reason}"
    except builds.Skipped as reason:
        write(output + ".skipped", str(reason))
        return f"skipped: {reason}"
    return "compiled"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--environments", required=True, help="what install_mpis.sh made")
    parser.add_argument("--output", required=True)
    parser.add_argument("--only", choices=builds.BUILDS)
    arguments = parser.parse_args()
    newest = newest_source()
    for name, language in builds.cells():
        if language == "mpi4py" or arguments.only not in (None, name):
            continue
        build = builds.BUILDS[name]
        build.folder = arguments.environments
        folder = os.path.join(arguments.output, name)
        os.makedirs(folder, exist_ok=True)
        state = compile_one(build, language, os.path.join(folder, language), newest)
        print(f"{name} {language}: {state}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
