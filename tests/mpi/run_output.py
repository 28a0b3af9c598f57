#!/usr/bin/env python3
"""Runs a program without and with mprof. The standard output must be the same, byte for byte, and
so must the exit status.

What mprof says goes to standard error, or where MPROF_SUMMARY wants it, or nowhere. If the profile
cannot be written, the program runs on and mprof gives one warning.
"""

import glob
import json
import os
import re
import shutil
import subprocess
import sys

import jobs

RANKS = 2


def run(tools, folder, program, end, **variables):
    return jobs.run_profiled(tools, folder, RANKS, [program, end], **variables)


def compare(alone, profiled, what):
    if profiled.stdout != alone.stdout or profiled.status != alone.status:
        raise jobs.Failure(f"{what}: not as without mprof\n{alone.describe()}\n"
                           f"{profiled.describe()}")
    if b"a line on standard error" not in profiled.stderr:
        raise jobs.Failure(f"{what}: the program's standard error is lost: {profiled.describe()}")


def check_ends(tools, folder, program):
    for end, expected in (("0", 0), ("3", 3), ("abort", 4)):
        alone = jobs.run_preloaded(tools, folder.sub(f"alone-{end}"), RANKS, [program, end], None)
        if alone.status != expected or b"direct" not in alone.stdout:
            raise jobs.Failure(f"the program alone: {alone.describe()}")
        quiet = run(tools, folder.sub(f"off-{end}"), program, end, MPROF_SUMMARY="off")
        compare(alone, quiet, f"MPROF_SUMMARY=off, end {end}")
        if jobs.own_lines(quiet):
            raise jobs.Failure(f"MPROF_SUMMARY=off is not silent: {quiet.describe()}")
        loud = run(tools, folder.sub(f"text-{end}"), program, end, MPROF_SUMMARY=None)
        compare(alone, loud, f"MPROF_SUMMARY=text, end {end}")
        if end != "abort" and b"MPI_Allreduce" not in loud.stderr:
            raise jobs.Failure(f"no summary on standard error: {loud.describe()}")
        print(f"end {end}: exit status {alone.status}, {len(alone.stdout)} bytes of output")
    return jobs.run_preloaded(tools, folder.sub("alone"), RANKS, [program, "0"], None)


def check_summary_file(tools, folder, program, alone):
    where = folder.sub("file")
    path = os.path.join(where, "summary.txt")
    job = run(tools, where, program, "0", MPROF_SUMMARY=path)
    compare(alone, job, "MPROF_SUMMARY=file")
    if [line for line in jobs.own_lines(job) if not line.startswith("mprof: the profile is in ")]:
        raise jobs.Failure(f"MPROF_SUMMARY=file: more than where it is: {job.describe()}")
    with open(path, encoding="utf-8") as file:
        if "MPI_Allreduce" not in file.read():
            raise jobs.Failure(f"no summary in {path}")


def check_locale(tools, folder, program):
    """Where a country writes 0,85 and So, the summary has 0.85 and Sun, and times have their zone.
    What it says in short is what mprof list has of a run without a report."""
    where = folder.sub("locale")
    made = subprocess.run(["localedef", "--no-archive", "-i", "de_DE", "-f", "UTF-8",
                           os.path.join(where, "de_DE.UTF-8")], capture_output=True, check=False)
    if made.returncode != 0:
        print("no German locale could be made: the usual one has to do")
    # Its own profile folder: others lie beside it.
    job = run(tools, where, program, "0", MPROF_SUMMARY="text", LOCPATH=where, TZ="XYZ-3",
              LC_ALL="de_DE.UTF-8" if made.returncode == 0 else "C",
              MPROF_OUTPUT=os.path.join(where, "list", "run.mprof"))
    text = job.stderr.decode(errors="replace")
    if made.returncode == 0 and b"0," not in job.stdout:
        raise jobs.Failure(f"the program itself does not write as in German: {job.describe()}")
    head = text[text.index("##mprof"):]
    times = re.findall(r"# (?:start|stop) +: (\w{3} \w{3} [ 0-9]\d [0-9:]{8} \d{4} XYZ) ", head)
    if len(times) != 2 or re.search(r"\d,\d", head):
        raise jobs.Failure(f"not as in the plain locale, or without a zone:\n{head}")
    if any(len(line) > 80 for line in head.splitlines() if line.startswith("#")):
        raise jobs.Failure(f"a line of more than 80 columns:\n{head}")
    share = re.search(r"VERDICT +: MPI takes (\S+) of the run", head)[1]
    listed = subprocess.run([tools.mprof, "list", os.path.join(where, "list"), "--json", "-"],
                            capture_output=True, check=True, text=True,
                            env={**os.environ, "MPROF_CACHE": "off"})
    rows = json.loads(listed.stdout)["profiles"]
    if [(row["summary"], row["verdict_class"]) for row in rows] != [(f"MPI {share}", None)]:
        raise jobs.Failure(f"mprof list says {rows}, and the summary {share}")
    print(f"locale: {times[0]}, MPI {share}")


def check_unwritable(tools, folder, program, alone):
    where = folder.sub("unwritable")
    job = run(tools, where, program, "0", MPROF_OUTPUT="/dev/null/profile")
    compare(alone, job, "unwritable MPROF_OUTPUT")
    if len(jobs.own_lines(job)) != 1 or "/dev/null/profile" not in jobs.own_lines(job)[0]:
        raise jobs.Failure(f"not one warning that names the folder: {job.describe()}")
    print(f"unwritable: {jobs.own_lines(job)[0]}")


def check_no_folder(tools, folder, program, alone):
    """A device is no folder: one warning, and the default."""
    where = folder.sub("no-folder")
    job = run(tools, where, program, "0", MPROF_OUTPUT="/dev/null", MPROF_SUMMARY="off")
    compare(alone, job, "MPROF_OUTPUT=/dev/null")
    if jobs.own_lines(job) != ["mprof: MPROF_OUTPUT=/dev/null is not a folder; the default is "
                               "used"]:
        raise jobs.Failure(f"not one warning that says so: {job.describe()}")
    if not glob.glob(os.path.join(where, os.path.basename(program) + ".*.mprof")):
        raise jobs.Failure(f"no profile: {os.listdir(where)}")


def check_other_folder(tools, folder, program):
    """The program changes its folder before MPI_Init."""
    for name, output in (("relative", "here"), ("usual", None)):
        where = folder.sub(name)
        job = jobs.run_profiled(tools, where, RANKS, [program, "0", folder.sub("elsewhere")],
                                MPROF_OUTPUT=output, MPROF_SUMMARY="summary")
        left = [found for found in os.listdir(where) if not found.startswith("std")]
        if job.status != 0 or len(left) != 2 or os.listdir(folder.sub("elsewhere")):
            raise jobs.Failure(f"{name}: {os.listdir(where)} {job.describe()}")


def check_root_folder(tools, folder, program):
    """A new folder below / is one that nobody means; it is said. One that is there is meant."""
    if os.geteuid() != 0 or not os.access("/", os.W_OK):
        return
    where = f"/mprof-test-{os.getpid()}"
    try:
        for name, expected in (("first.mprof", 1), ("second.mprof", 0)):
            job = run(tools, folder.sub(name), program, "0", MPROF_SUMMARY="off",
                      MPROF_OUTPUT=f"{where}/{name}")
            said = [line for line in jobs.own_lines(job) if "in a new folder below /" in line]
            if len(said) != expected or not os.path.isdir(f"{where}/{name}"):
                raise jobs.Failure(f"{name}: not {expected} warnings: {job.describe()}")
    finally:
        shutil.rmtree(where, ignore_errors=True)


def check_misspelt(tools, folder, program, alone):
    """A variable that is nearly one of mprof's: one line of one rank."""
    where = folder.sub("misspelt")
    job = run(tools, where, program, "0", MPROF_MEMROY="1M", MPROF_ROOT="/opt")
    compare(alone, job, "a misspelt variable")
    said = [line for line in jobs.own_lines(job) if "##" not in line]
    if said != ["mprof: MPROF_MEMROY is not a variable of mprof and has no effect. "
                "Did you mean MPROF_MEMORY?"]:
        raise jobs.Failure(f"a misspelt variable: {said}\n{job.describe()}")


def check_default_folder(tools, folder, program, alone):
    where = folder.sub("default")
    compare(alone, run(tools, where, program, "0", MPROF_OUTPUT=None), "no MPROF_OUTPUT")
    names = {os.path.basename(path) for path in glob.glob(os.path.join(where, "*"))}
    profiles = [name for name in names
                if name.startswith(os.path.basename(program) + ".") and name.endswith(".mprof")]
    if len(profiles) != 1 or names != {"stdout", "stderr", profiles[0]}:
        raise jobs.Failure(f"files in the working directory: {sorted(names)}")
    print(f"default folder: {profiles[0]}")


def check_without_mpi(tools, folder):
    """A program that is no MPI program runs as ever and leaves nothing; a line says so."""
    where = folder.sub("without-mpi")
    job = jobs.Job([tools.mprof, "run", "--", "sh", "-c", "echo out; ls / | wc -l >&2; exit 5"],
                   jobs.environment(), where, 30)
    said = jobs.own_lines(job)
    is_said = len(said) == 1 and "left no profile" in said[0]
    if job.status != 5 or job.stdout != b"out\n" or not is_said:
        raise jobs.Failure(f"a program without MPI: {job.describe()}")
    if sorted(os.listdir(where)) != ["stderr", "stdout"]:
        raise jobs.Failure(f"a program without MPI leaves {os.listdir(where)}")


# Options of mprof run, how the program ends, whether a line says where the profile is, and whether
# there is a summary or a report. The summary says it, too.
WHERE = [
    ([], "0", False, True),
    ([], "abort", True, False),
    (["--summary", "summary.txt"], "0", True, False),
    (["--summary", "off"], "0", False, False),
    (["--summary", "0"], "0", False, False),
    (["--summary", "off"], "abort", False, False),
    (["--report"], "0", True, True),
    (["--report", "-o", "named"], "abort", True, True),
]


def check_where(tools, folder, program):
    """mprof run says once where the profile is; --report prints the report on standard error."""
    for number, (options, end, is_said, has_report) in enumerate(WHERE):
        where = folder.sub(f"where-{number}")
        command = [tools.mprof, "run", *options, "--", *tools.launcher(RANKS), program, end]
        job = jobs.Job(command, jobs.environment(), where, tools.time_limit)
        profile, = [name for name in os.listdir(where) if name.endswith(".mprof")
                    or name == "named"]
        said = f"mprof: the profile is in {profile}. Read it: mprof report {profile}\n".encode()
        if (job.stderr.count(said), job.stderr.count(b"##mprof ")) != (is_said, has_report):
            raise jobs.Failure(f"where the profile is: {job.describe()}")
        if b"mprof" in job.stdout:
            raise jobs.Failure(f"something of mprof on standard output: {job.describe()}")
    print(f"{len(WHERE)} runs say where the profile is")


def check_without_mpirun(tools, folder, program):
    """An MPI program may be started without mpirun; then it is rank 0 of 1."""
    where = folder.sub("singleton")
    profile = os.path.join(where, "profile")
    environment = jobs.environment(MPROF_OUTPUT=profile, MPROF_SUMMARY="off",
                                   **jobs.preload_settings(tools.library))
    job = jobs.Job([program, "0"], environment, where, 30)
    if job.status != 0 or b"line 0: 0.25\n" not in job.stdout:
        raise jobs.Failure(f"without mpirun: {job.describe()}")
    document, _ = jobs.report(tools, profile)
    if [row["complete"] for row in document["ranks"]] != [True]:
        raise jobs.Failure(f"without mpirun: {document['ranks']}")


def check(tools, arguments):
    with jobs.Folder("output", tools.keep) as folder:
        alone = check_ends(tools, folder, arguments.program)
        check_summary_file(tools, folder, arguments.program, alone)
        check_locale(tools, folder, arguments.program)
        check_unwritable(tools, folder, arguments.program, alone)
        check_no_folder(tools, folder, arguments.program, alone)
        check_other_folder(tools, folder, arguments.program)
        check_root_folder(tools, folder, arguments.program)
        check_misspelt(tools, folder, arguments.program, alone)
        check_default_folder(tools, folder, arguments.program, alone)
        check_where(tools, folder, arguments.program)
        check_without_mpi(tools, folder)
        check_without_mpirun(tools, folder, arguments.program)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="programs/output")
    sys.exit(jobs.main(check, parser))
