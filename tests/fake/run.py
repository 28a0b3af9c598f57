#!/usr/bin/env python3
"""Runs program.c with the fake MPI under libmprof.so, natively or for another architecture under
qemu-user, and compares the profile with what the program does.

    run.py --source DIR --mprof MPROF --work DIR [--library libmprof.so]
           [--cross TRIPLE --qemu QEMU --sysroot DIR]

With --cross, libmprof.so is built for that architecture first. Exit status: 0 right, 1 wrong, 77
skipped.
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

HERE = pathlib.Path(__file__).resolve().parent


def build_library(arguments, work):
    """libmprof.so for the other architecture, by the project's own CMake files."""
    build = work / "build"
    subprocess.run(["cmake", "-S", arguments.source, "-B", build, "-G", "Ninja",
                    "-DMPROF_TESTS=OFF", "-DMPROF_PARSER=OFF", "-DCMAKE_SYSTEM_NAME=Linux",
                    f"-DCMAKE_SYSTEM_PROCESSOR={arguments.cross.split('-')[0]}",
                    f"-DCMAKE_C_COMPILER={arguments.cross}-gcc", "-DCMAKE_CXX_COMPILER_WORKS=ON",
                    f"-DCMAKE_CXX_COMPILER={arguments.cross}-gcc", "-DMPROF_STATIC_ZSTD=OFF"],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", build, "--target", "mprof_preload", "--parallel",
                    "2"], check=True,
                   stdout=subprocess.DEVNULL)
    return build / "lib" / "libmprof.so"


def main():
    parser = argparse.ArgumentParser()
    for name in ("source", "mprof", "work"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("library", "cross", "qemu", "sysroot"):
        parser.add_argument(f"--{name}", default="")
    arguments = parser.parse_args()
    compiler = f"{arguments.cross}-gcc" if arguments.cross else "cc"
    for tool in [compiler + ":", arguments.qemu] if arguments.cross else []:
        needs.need(tool)
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
    print("exact")


def check_failing_end(arguments, work, library):
    """MPI_Finalize that returns an error ends the record: the rank was not killed."""
    shutil.rmtree(work / "profile", ignore_errors=True)
    run = subprocess.run([work / "program"], timeout=60, cwd=work, stdout=subprocess.DEVNULL,
                         env=dict(os.environ, LD_PRELOAD=str(library), MPROF_OUTPUT="profile",
                                  MPROF_SUMMARY="off", FAKE_FINALIZE_ERROR="13"))
    report = json.loads(subprocess.run([arguments.mprof, "report", work / "profile", "--json", "-"],
                                       capture_output=True, text=True).stdout)
    rank = report["ranks"][0]
    said = [remark for remark in report["quality"]["remarks"] if "code 13" in remark]
    if run.returncode != 13 or (rank["end"], rank["end_code"], rank["complete"]) != (
            "finalize", 13, True) or not said:
        sys.exit(f"MPI_Finalize returned 13, the program {run.returncode}: {rank['end']}, "
                 f"{rank['end_code']}, {report['quality']['remarks']}")


def check(arguments, work, library, program, first_calls):
    """Runs a program under mprof and compares; `first_calls` are those made before the MPI was
    known."""
    shutil.rmtree(work / "profile", ignore_errors=True)
    settings = {"LD_PRELOAD": str(library), "MPROF_OUTPUT": "profile", "MPROF_SUMMARY": "off"}
    if set(" ,") & set(str(library)):  # LD_PRELOAD cannot hold a space, nor QEMU's -E a comma
        settings["LD_PRELOAD"] = library.name
        settings["LD_LIBRARY_PATH"] = os.path.relpath(library.parent, work)
    command = [arguments.qemu, "-L", arguments.sysroot] if arguments.cross else ["env"]
    for name, value in settings.items():
        command += (["-E"] if arguments.cross else []) + [f"{name}={value}"]
    run = subprocess.run(command + program, capture_output=True, text=True, timeout=60, cwd=work)
    if run.returncode != 0 or run.stdout != "right\n" or run.stderr:
        sys.exit(
            f"{program}: status {run.returncode}, output {run.stdout!r}, errors {run.stderr!r}")
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
