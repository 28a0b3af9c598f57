#!/usr/bin/env python3
"""Real runtimes of a GPU where no GPU is: programs do with mprof as without, to the words in which
they say that there is no driver.

    runtimes   compiled by NVIDIA's nvcc, with libcudart shared and static, with MPI and without;
               also beside the stand-in for the driver, which they refuse
    torch      PyTorch that trains, with gloo, with MPI and without
"""
import difflib
import os
import pathlib
import re
import socket
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mpi"))
import jobs  # noqa: E402  pylint: disable=wrong-import-position
import needs  # noqa: E402  pylint: disable=wrong-import-position

RANKS = 2
HERE = pathlib.Path(__file__).resolve().parent
MODES = ("off", "calls", "kernels")
PYTHON = "/usr/bin/python3"


def run_tool(command, **variables):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False,
                          env=jobs.environment(**variables))
    if done.returncode != 0:
        raise jobs.Failure(f"{command[0]}: {done.stdout}{done.stderr}")


def toolkit_of(packages):
    """The folder of CUDA's toolkit among the installed packages of Python."""
    failed = pathlib.Path(packages).with_suffix(".failed")
    jobs.need(not failed.exists(), "CUDA's toolkit: " + (failed.read_text() if failed.exists()
                                                         else ""))
    found = [path.parents[1] for path in pathlib.Path(packages).glob("lib/*/site-packages/nvidia/"
                                                                     "*/bin/nvcc")]
    jobs.need(found, f"nvcc in {packages}")
    return found[0]


def build(folder, toolkit, compiler):
    """{name: program}"""
    toolkit_libraries = toolkit / "lib"
    compiled = os.path.join(folder, "runtime.o")
    run_tool([str(toolkit / "bin/nvcc"), "-ccbin", "g++", "-c", str(HERE / "real_runtime.cu"),
              "-o", compiled])
    shared = next(toolkit_libraries.glob("libcudart.so.*"))
    runtimes = {"static": [str(toolkit_libraries / "libcudart_static.a")],
                "shared": [str(shared), f"-Wl,-rpath,{toolkit_libraries}"]}
    programs = {}
    for name, words in runtimes.items():
        for kind, command in (("alone", ["gcc"]), ("mpi", [compiler, "-DWITH_MPI"])):
            program = os.path.join(folder, f"{kind}_{name}")
            run_tool(command + [str(HERE / "real_main.c"), compiled, *words, "-lstdc++", "-ldl",
                                "-lrt", "-pthread", "-o", program])
            programs[f"{kind}_{name}"] = program
    return programs


def said(job):
    """Its status and lines, without what is an MPI's, a launcher's or mprof's own."""
    lines = sorted(line for line in job.stdout.decode().splitlines() if line.startswith("rank "))
    errors = [line for line in job.stderr.decode(errors="replace").splitlines()
              if re.search("cuda|torch|Traceback|Error", line)]
    own = jobs.own_lines(job)
    return [f"status {job.status}"] + lines + [line for line in errors if line not in own]


def check_equal(what, alone, profiled):
    difference = list(difflib.unified_diff(said(alone), said(profiled), "without mprof", "with it",
                                           lineterm=""))
    if difference:
        raise jobs.Failure("\n".join([what] + difference))


def settings_of(folder, mode):
    return {"MPROF_OUTPUT": os.path.join(folder, mode), "MPROF_SUMMARY": "off", "MPROF_GPU": mode}


def run_alone(tools, folder, command, environment):
    """Without MPI: libmprof.so is preloaded, and makes no profile."""
    return jobs.Job(command, jobs.environment(**environment), folder, tools.time_limit)


def compare_alone(tools, folder, name, command, environment):
    without = run_alone(tools, folder, command, environment)
    for mode in MODES:
        variables = {**environment, **settings_of(folder, mode),
                     **jobs.preload_settings(tools.library)}
        if "LD_LIBRARY_PATH" in environment and " " in tools.library:
            variables["LD_LIBRARY_PATH"] += ":" + environment["LD_LIBRARY_PATH"]
        check_equal(f"{name}, {mode}", without, run_alone(tools, folder, command, variables))
    return without


def compare_jobs(tools, folder, name, command, environment):
    """Also returns the last job, and the profile in which the calls of the driver are."""
    environment = {**environment, **jobs.END_AT_ONCE}
    without = jobs.run_preloaded(tools, folder, RANKS, command, None, **environment)
    for mode in MODES:
        where = os.path.join(folder, name)
        os.makedirs(where, exist_ok=True)
        profiled = jobs.run_profiled(tools, where, RANKS, command,
                                     **{**environment, **settings_of(where, mode)})
        check_equal(f"{name}, {mode}", without, profiled)
    return without, profiled, os.path.join(where, "calls")


def check_told(job, words):
    if job.status in (0, None) or words not in job.stdout.decode():
        raise jobs.Failure(f"the program does not say {words!r}: {job.describe()}")


def check_cupti(folder, job):
    """NVIDIA's own, beside the shared runtime, refuses the stand-in, too."""
    if "CUPTI refuses it" not in " ".join(jobs.own_lines(job)):
        raise jobs.Failure(f"{folder}: not a word of CUPTI: {job.describe()}")


def check_seen(tools, profile, runtime):
    """The runtime calls cuInit before it refuses the stand-in: its one call that is timed."""
    document, _ = jobs.report(tools, profile, expected_status=None)
    for row in document["ranks"]:
        if row["gpu_launches"] != 1:
            raise jobs.Failure(f"calls of the driver by the {runtime} runtime: "
                               f"{row['gpu_launches']} instead of 1")


def check_runtimes(tools, arguments):
    jobs.need_compiler(tools, "mpicc", arguments.compiler)
    toolkit = toolkit_of(arguments.packages)
    with jobs.Folder("real", tools.keep) as folder:
        programs = build(folder.path, toolkit, arguments.compiler)
        for driver, words in (("", "35 cudaErrorInsufficientDriver"),
                              (arguments.driver, "36 cudaErrorCallRequiresNewerDriver")):
            environment = {"LD_LIBRARY_PATH": driver} if driver else {}
            where = folder.sub("refused" if driver else "none")
            for runtime in ("static", "shared"):
                name = f"alone_{runtime}"
                check_told(compare_alone(tools, where, name, [programs[name]], environment), words)
                name = f"mpi_{runtime}"
                job, last, profile = compare_jobs(tools, where, name, [programs[name]],
                                                  environment)
                check_told(job, words)
                if driver:
                    check_seen(tools, profile, runtime)
                if driver and runtime == "shared":
                    check_cupti(where, last)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


def check_torch(tools, arguments):
    python = arguments.python
    if python == PYTHON:
        needs.need(f"{PYTHON}:torch")
        needs.need(f"{PYTHON}:mpi4py")
    command = [python, str(HERE / "train.py"), free_port()]
    with jobs.Folder("torch", tools.keep) as folder:
        check_told(compare_alone(tools, folder.path, "torch", command, {}), "rank 0 loss ")
        job, _, _ = compare_jobs(tools, folder.path, "torch with MPI", command + ["mpi"], {})
        check_told(job, "rank 1 loss ")


def run(tools, arguments):
    {"runtimes": check_runtimes, "torch": check_torch}[arguments.case](tools, arguments)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("case", choices=["runtimes", "torch"])
    parser.add_argument("--packages", help="folder that has nvcc (install_packages.py)")
    parser.add_argument("--compiler", help="the MPI's mpicc")
    parser.add_argument("--driver", help="folder of the stand-in for libcuda.so.1")
    parser.add_argument("--python", default=PYTHON, help="one that has torch and mpi4py")
    sys.exit(jobs.main(run, parser))
