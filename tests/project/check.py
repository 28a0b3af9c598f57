#!/usr/bin/env python3
"""mprof run --check on real programs: linked with each MPI that is installed, linked statically,
with functions that would not be seen, scripts, and programs without MPI.

usage: check.py MPROF WORK_DIR
"""

import os
import shutil
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "groups"))
import needs  # noqa: E402

MPROF, WORK = sys.argv[1:]

ORDINARY = """
#include <mpi.h>
int main(int argc, char **argv) { MPI_Init(&argc, &argv); return MPI_Finalize(); }
"""
GAPS = """
#include <mpi.h>
int MPIX_Extension(void);
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPIX_Extension();
    return MPI_Finalize();
}
"""
EXTENSION = "int MPIX_Extension(void) { return 0; }\n"
FAKE_MPI = """
#include <stddef.h>
int PMPI_Init(int *c, char ***v) { return c == NULL && v == NULL; }
int MPI_Init(int *c, char ***v) __attribute__((weak, alias("PMPI_Init")));
"""
WITH_FAKE = "int MPI_Init(int *, char ***);\nint main(void) { return MPI_Init(0, 0); }\n"

TOOL = ("#include <mpi.h>\n"
        "int MPI_Finalize(void) { PMPI_Barrier(MPI_COMM_WORLD); return PMPI_Finalize(); }\n"
        "int MPI_Barrier(MPI_Comm comm) { return PMPI_Barrier(comm); }\n"
        "int MPI_Init(int *c, char ***v) { return PMPI_Init(c, v); }\n")

failures = 0


def write(name, text, mode=0o644):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(name, mode)
    return os.path.join(".", name)


def build(compiler, output, text, *options):
    write(output + ".c", text)
    subprocess.run([compiler, "-o", output, output + ".c", *options], check=True)
    return os.path.join(".", output)


def expect(what, status, words, *command, absent=()):
    global failures
    done = subprocess.run([MPROF, "run", "--check", *command], capture_output=True, text=True,
                          timeout=60, check=False)
    wrong = [word for word in words if word not in done.stdout]
    wrong += [f"not {word}" for word in absent if word in done.stdout]
    if done.returncode == status and not wrong and not done.stderr:
        print(f"{what}: ok")
        return
    failures += 1
    print(f"{what}: FAILED: status {done.returncode}, expected {status}; not as expected: {wrong}\n"
          f"{done.stdout}{done.stderr}")


def check_mpi(mpi):
    compiler, reason = "mpicc." + mpi, needs.why_not(f"mpicc.{mpi}:")
    if reason:
        print(f"{mpi}: skipped, {reason}")
        return
    ordinary = build(compiler, mpi, ORDINARY)
    expect(mpi, 0, [f"ABI       : {mpi}", "soname    : libmpi", "with every MPI call"], ordinary)
    expect(f"{mpi} behind a launcher", 0, ["launcher  : mpiexec", f"ABI       : {mpi}"],
           "mpiexec", "-n", "2", ordinary, "4")
    build(compiler, "libextension.so", EXTENSION, "-shared", "-fPIC")
    gaps = build(compiler, mpi + "_gaps", GAPS, "-L.", "-lextension", "-Wl,-rpath,$ORIGIN")
    expect(f"{mpi} with gaps", 1,
           ["not seen  : MPIX_Extension (the program)",
            "not seen  : PMPI_Comm_rank (the program)"], gaps,
           absent=["MPI_Finalize ("])
    hidden = build(compiler, mpi + "_hidden", ORDINARY.replace("MPI_Init", "PMPI_Init"))
    expect(f"{mpi} that begins unseen", 2, ["starts with PMPI_Init"], hidden)
    lost = build(compiler, mpi + "_lost", GAPS, "-L.", "-lextension")
    expect(f"{mpi} with a lost library", 2, ["not found : libextension.so", "does not start here"],
           lost)


def check_tools(mpi):
    compiler = "mpicc." + mpi
    if needs.why_not(compiler + ":"):
        return
    build(compiler, "libtool.so", TOOL, "-shared", "-fPIC")
    linked = build(compiler, mpi + "_beside_tool", ORDINARY, "-Wl,--no-as-needed", "-L.",
                   "-ltool", "-Wl,-rpath,$ORIGIN")
    expect(f"{mpi} with a tool", 0, ["libtool.so", "with every MPI call"], linked)
    inside = build(compiler, mpi + "_with_tool", ORDINARY + TOOL)
    expect(f"{mpi} with a tool in the program", 0,
           ["tool      : ./" + mpi, "with every MPI call"], inside)
    sanitized = build(compiler, mpi + "_sanitized", ORDINARY, "-fsanitize=address")
    expect(f"{mpi} with AddressSanitizer", 0, ["with every MPI call"], sanitized)


def check_other_libraries():
    reason = needs.why_not("musl-gcc:")
    if reason:
        print(f"musl: skipped, {reason}")
        return
    expect("musl", 2,
           ["Cannot be profiled: the program's dynamic linker is", "musl", "not that of glibc"],
           build("musl-gcc", "for_musl", "int main(void) { return 0; }\n"))


def check_static():
    subprocess.run(["cc", "-c", "-o", "fake.o", write("fake.c", FAKE_MPI)], check=True)
    subprocess.run(["ar", "rcs", "libfakempi.a", "fake.o"], check=True)
    advice = ["in the program (linked statically)", "Cannot be profiled", "libmprof.a"]
    for name, options in (("static", []), ("static_all", ["-static"]),
                          ("static_exported", ["-rdynamic", "-s"])):
        program = build("cc", name, WITH_FAKE, "libfakempi.a", *options)
        expect(name, 2, advice, program)
    marked = build("cc", "marked", "void *mpi_slots[1];\n" + WITH_FAKE, "libfakempi.a")
    expect("with libmprof.a", 0, ["with libmprof.a"], marked)
    stripped = build("cc", "static_stripped", WITH_FAKE, "libfakempi.a", "-static", "-s")
    expect("static and stripped", 2, ["linked statically"], stripped)
    tree = os.path.join(os.path.dirname(MPROF), os.pardir, "tests", "mpi", "mpich-static")
    if os.path.exists(os.path.join(tree, "blocking_nothing")):
        expect("MPICH, static", 2, advice, os.path.join(tree, "blocking_nothing"))
        expect("MPICH, static, with libmprof.a", 0, ["with libmprof.a"],
               os.path.join(tree, "blocking_linked"))
    else:
        print("MPICH, static: skipped, not built")


def check_others():
    expect("script", 1, ["script    : ./script.py", "at import"],
           write("script.py", f"#!{sys.executable}\nimport mpi4py\n", 0o755))
    expect("interpreter", 1, ["MPI       : none is linked", "at import"],
           os.path.realpath(sys.executable), "x.py")
    expect("true", 2, ["neither uses nor loads an MPI"], "/bin/true")
    expect("starts others", 1, ["can start others"],
           build("cc", "starter", "#include <unistd.h>\n"
                 "int main(int c, char **v) { return c > 1 ? execvp(v[1], v + 1) : 0; }\n"))
    expect("not found", 2, ["./nothing: no such program"], "./nothing")
    expect("not found behind a launcher", 2, ["behind mpirun"], "mpirun", "-n", "2", "./nothing")
    expect("no executable", 2, ["no such program"], write("text", "text"))
    expect("neither program nor script", 2, ["expected an executable"],
           write("junk", "text", 0o755))


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
os.chdir(WORK)
# So that launchers are there without an MPI.
os.makedirs("bin")
for name in ("mpirun", "mpiexec"):
    write(os.path.join("bin", name), "#!/bin/sh\n", 0o755)
os.environ["PATH"] = os.path.join(WORK, "bin") + ":" + os.environ["PATH"]
check_mpi("openmpi")
check_mpi("mpich")
check_tools("openmpi")
check_tools("mpich")
check_other_libraries()
check_static()
check_others()
sys.exit(failures != 0)
