#!/usr/bin/env python3
"""Runs program.c with the fake MPI under libmprof.so, natively or for another architecture under
qemu-user, and compares the profile with what the program does. The same for call_paths.c.

    run.py --source DIR --mprof MPROF --work DIR [--library libmprof.so]
           [--cross TRIPLE --compiler gcc|clang --qemu QEMU --sysroot DIR]

With --cross, libmprof.so is built for that architecture first, by that compiler. The programs are
built by both. Exit status: 0 right, 1 wrong, 77 skipped.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "groups"))
import needs  # noqa: E402

import call_paths  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


def compilers_of(cross):
    """{name: command} of those that are there."""
    if not cross:
        found = {"gcc": "gcc:", "clang": "clang:"}
        commands = {"gcc": ["gcc"], "clang": ["clang"]}
    else:
        found = {"gcc": f"{cross}-gcc:", "clang": f"clang:--target={cross}"}
        commands = {"gcc": [f"{cross}-gcc"], "clang": ["clang", f"--target={cross}"]}
    return {name: commands[name] for name in found if needs.why_not(found[name]) is None}


def build_library(arguments, work):
    """libmprof.so for the other architecture, by the project's own CMake files."""
    build = work / "build"
    compiler = "clang" if arguments.compiler == "clang" else f"{arguments.cross}-gcc"
    options = [f"-DCMAKE_{language}_COMPILER{of}"
               for language in ("C", "CXX", "ASM")
               for of in (f"={compiler}", f"_TARGET={arguments.cross}")]
    subprocess.run(["cmake", "-S", arguments.source, "-B", build, "-G", "Ninja",
                    "-DMPROF_TESTS=OFF", "-DMPROF_PARSER=OFF", "-DCMAKE_SYSTEM_NAME=Linux",
                    f"-DCMAKE_SYSTEM_PROCESSOR={arguments.cross.split('-')[0]}", *options,
                    "-DCMAKE_CXX_COMPILER_WORKS=ON", "-DMPROF_STATIC_ZSTD=OFF"],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", build, "--target", "mprof_preload", "--parallel",
                    "2"], check=True,
                   stdout=subprocess.DEVNULL)
    return build / "lib" / "libmprof.so"


def main():
    parser = argparse.ArgumentParser()
    for name in ("source", "mprof", "work"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("library", "cross", "compiler", "qemu", "sysroot"):
        parser.add_argument(f"--{name}", default="")
    arguments = parser.parse_args()
    compiler = f"{arguments.cross}-gcc" if arguments.cross else "cc"
    for tool in [compiler + ":", arguments.qemu] if arguments.cross else []:
        needs.need(tool)
    if arguments.compiler == "clang":
        needs.need(f"clang:--target={arguments.cross}")
    work = pathlib.Path(arguments.work)
    work.mkdir(parents=True, exist_ok=True)
    library = build_library(arguments, work) if arguments.cross else pathlib.Path(arguments.library)

    fake = work / "libfakempi.so"
    links = [fake, "-Xlinker", "-rpath", "-Xlinker", work]  # -Wl, would split it at a comma
    shared = [compiler, "-shared", "-fPIC", "-O1"]
    subprocess.run(shared + ["-Wl,-soname,libfakempi.so", "-o", fake, HERE / "fake_mpi.c"],
                   check=True)
    subprocess.run([compiler, "-O1", "-o", work / "program", HERE / "program.c"] + links,
                   check=True)
    subprocess.run(shared + ["-DAS_LIBRARY", "-o", work / "libprogram.so", HERE / "program.c"]
                   + links, check=True)
    subprocess.run([compiler, "-O1", "-o", work / "loading_program",
                    HERE / "loading_program.c"], check=True)

    check(arguments, work, library, [work / "program"], first_calls=0)
    check(arguments, work, library, [work / "loading_program", work / "libprogram.so"],
          first_calls=1)
    if not arguments.cross:
        check_failing_end(arguments, work, library)

    compilers = compilers_of(arguments.cross)
    architecture = arguments.cross.split("-")[0] or os.uname().machine
    for name, compiler in compilers.items():
        for options in ([], ["-fomit-frame-pointer", call_paths.PROTECTED[architecture]]):
            check_copied_stack(arguments, work, [*compiler, *options], name)

    check_process_start(arguments, work, next(iter(compilers.values())))

    def run_under_mprof(program):
        run(arguments, work, library, [program])
        return work / "profile"

    call_paths.check_all(compilers, architecture, work, fake, run_under_mprof, arguments.mprof)
    print("exact")


def settings_of(work, library):
    """With which a program in the folder `work` is profiled."""
    settings = {"LD_PRELOAD": str(library), "MPROF_OUTPUT": "profile", "MPROF_SUMMARY": "off"}
    if set(" ,") & set(str(library)):  # LD_PRELOAD cannot hold a space, nor QEMU's -E a comma
        settings["LD_PRELOAD"] = library.name
        settings["LD_LIBRARY_PATH"] = os.path.relpath(library.parent, work)
    return settings


def check_failing_end(arguments, work, library):
    """MPI_Finalize that returns an error ends the record: the rank was not killed."""
    shutil.rmtree(work / "profile", ignore_errors=True)
    run = subprocess.run([work / "program"], timeout=60, cwd=work, stdout=subprocess.DEVNULL,
                         env=dict(os.environ, **settings_of(work, library),
                                  FAKE_FINALIZE_ERROR="13"))
    report = json.loads(subprocess.run([arguments.mprof, "report", work / "profile", "--json", "-"],
                                       capture_output=True, text=True).stdout)
    rank = report["ranks"][0]
    said = [remark for remark in report["quality"]["remarks"] if "code 13" in remark]
    if run.returncode != 13 or (rank["end"], rank["end_code"], rank["complete"]) != (
            "finalize", 13, True) or not said:
        sys.exit(f"MPI_Finalize returned 13, the program {run.returncode}: {rank['end']}, "
                 f"{rank['end_code']}, {report['quality']['remarks']}")


def check_copied_stack(arguments, work, compiler, what):
    """The walk of a copied stack, by itself."""
    libmprof = pathlib.Path(arguments.source) / "libmprof"
    program = work / "copied_stack"
    subprocess.run([*compiler, "-O2", "-I", libmprof, "-I", libmprof.parent / "include",
                    "-o", program, HERE / "copied_stack.c",
                    libmprof / "record" / "cpu" / "copied_stack.c",
                    libmprof / "record" / "paths" / "unwind_rules.c"], check=True)
    emulator = [arguments.qemu, "-L", arguments.sysroot] if arguments.cross else []
    done = subprocess.run([*emulator, program], capture_output=True, text=True, timeout=60,
                          check=False)
    if done.stdout != "right\n":
        sys.exit(f"copied stack, {what}: status {done.returncode}, {done.stdout}{done.stderr}")


def check_process_start(arguments, work, compiler):
    """A process began when others say, also in an emulator."""
    libmprof = pathlib.Path(arguments.source) / "libmprof"
    program = work / "process_start"
    subprocess.run([*compiler, "-O2", "-ffunction-sections", "-Wl,--gc-sections", "-I", libmprof,
                    "-I", libmprof.parent / "include", "-o", program, HERE / "process_start.c",
                    libmprof / "mpi" / "launcher.c", libmprof / "base" / "own_file.c"], check=True)
    emulator = [arguments.qemu, "-L", arguments.sysroot] if arguments.cross else []
    done = subprocess.run(["sh", "-c", 'sleep 0.1; exec "$@"', "sh", *emulator, program],
                          capture_output=True, text=True, timeout=60, check=False)
    if done.stdout != "right\n":
        sys.exit(f"start of a process: status {done.returncode}, {done.stdout}{done.stderr}")


def run(arguments, work, library, program):
    """Runs a program under mprof. Returns its output."""
    shutil.rmtree(work / "profile", ignore_errors=True)
    settings = settings_of(work, library)
    command = [arguments.qemu, "-L", arguments.sysroot] if arguments.cross else ["env"]
    for name, value in settings.items():
        command += (["-E"] if arguments.cross else []) + [f"{name}={value}"]
    done = subprocess.run(command + program, capture_output=True, text=True, timeout=60, cwd=work)
    if done.returncode != 0 or done.stderr:
        sys.exit(
            f"{program}: status {done.returncode}, output {done.stdout!r}, errors {done.stderr!r}")
    return done.stdout


def check(arguments, work, library, program, first_calls):
    """Runs a program under mprof and compares; `first_calls` are those made before the MPI was
    known."""
    output = run(arguments, work, library, program)
    if output != "right\n":
        sys.exit(f"{program}: output {output!r}")
    report = json.loads(subprocess.run([arguments.mprof, "report", work / "profile", "--json", "-"],
                                       capture_output=True, text=True, check=True).stdout)
    counted = {row["function"]: (row["calls"], row["bytes"]) for row in report["functions"]}
    expected = {"MPI_Init": (1, 0), "MPI_Finalize": (1, 0), "MPI_Wtime": (2, 0),
                "MPI_Pcontrol": (1, 0),
                "MPI_Send": (1, 80), "MPI_Neighbor_alltoallw": (1 + first_calls, 0)}
    if counted != expected:
        sys.exit(f"{program}: counted {counted}\nexpected {expected}")


if __name__ == "__main__":
    main()
