#!/usr/bin/env python3
"""Lines of Python scripts are call sites: each line that calls MPI through mpi4py, two calls of one
line and two paths to one line. Counts are those that the script says by arithmetic.

    lines      lines.py: functions, methods, recursion, generators, lambdas, pickled objects,
               threads, code objects that are made and gone
    same       what it prints and its exit status are as without mprof
    off        with MPROF_CALLSITES=0 there are no call sites, and all is counted
    scrubbed   mprof scrub keeps line, file name and function, and no folder; with --no-names no
               function either
    native     a library in C that a script calls by ctypes: its frames, then the script's
    unread     an interpreter that is built in an unknown way: said so, and the paths are those of
               the C stack
    late       who waits in recv() waits for the rank that sends late, and at the line of recv()
    live       mprof hang knows the line of a running job, and of a killed one
"""

import collections
import json
import os
import re
import signal
import subprocess
import sys
import time

import jobs
import needs

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = os.path.join(HERE, "scripts")
RANKS = 3
MADE = 200  # calls of made_and_gone()


def script(arguments, name, *words):
    return [arguments.python, os.path.join(SCRIPTS, name), *words]


def line_with(name, mark):
    with open(os.path.join(SCRIPTS, name), encoding="utf-8") as file:
        return [number for number, line in enumerate(file, 1) if mark in line][0]


def expected_calls():
    """{(line, MPI function): (calls of a rank, names of the function, places or None)}"""
    expected = {}
    with open(os.path.join(SCRIPTS, "lines.py"), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            for found in re.finditer(r"@(MPI_\w+) (\d+) (\S+)(?: x(\d))?", line):
                if line.lstrip().startswith('"'):
                    continue
                places = int(found[4]) if found[4] else None
                expected[number, found[1]] = (int(found[2]), found[3].split("|"), places)
    return expected


def function_of(row):
    """mpi4py calls MPI_Send_c where the MPI has it, else MPI_Send."""
    return row["function"].removesuffix("_c")


def rows_of(document, file):
    rows = collections.defaultdict(list)
    for row in document["callsites"]:
        if os.path.basename(row["file"] or "") == file:
            rows[row["line"], function_of(row)].append(row)
    return rows


def profile(tools, arguments, folder, *words, **variables):
    job = jobs.run_profiled(tools, folder, RANKS, script(arguments, "lines.py", *words),
                            **variables)
    jobs.need("no MPI_THREAD_MULTIPLE" not in job.describe(), "MPI_THREAD_MULTIPLE in this MPI")
    return job


def check_lines(document):
    rows = rows_of(document, "lines.py")
    for (line, function), (calls, names, places) in expected_calls().items():
        found = rows.get((line, function), [])
        here = f"lines.py:{line}, {function}"
        if sum(row["calls"] for row in found) != calls * RANKS:
            raise jobs.Failure(f"{here}: {[row['calls'] for row in found]} calls, expected "
                               f"{calls * RANKS}")
        if any(row["symbol"] not in names for row in found):
            raise jobs.Failure(f"{here} is in {[row['symbol'] for row in found]}, not {names}")
        if any(row["place"] != f"lines.py:{line}" for row in found):
            raise jobs.Failure(f"{here}: place {[row['place'] for row in found]}")
        if places is not None and len(found) != places:
            raise jobs.Failure(f"{here}: {len(found)} call sites, expected {places}")
        if any(row["path_cut"] or row["path"][-1]["symbol"] == "main" for row in found):
            raise jobs.Failure(f"{here}: the path ends before its begin: {found}")
    strangers = {key for key in rows if key[1] in ("MPI_Barrier", "MPI_Send", "MPI_Recv")}
    if not strangers <= set(expected_calls()):
        raise jobs.Failure(f"call sites that are none: {strangers - set(expected_calls())}")


def check_paths(document):
    """exchange() is called from two lines, of which one calls twice as often."""
    callers = collections.Counter()
    for row in rows_of(document, "lines.py").items():
        for site in row[1]:
            if site["symbol"] == "exchange" and function_of(site) == "MPI_Send":
                callers[site["path"][1]["symbol"], site["path"][1]["line"]] += site["calls"]
    if sorted(callers.values()) != [10 * RANKS, 20 * RANKS] or {
            symbol for symbol, _ in callers} != {"main"}:
        raise jobs.Failure(f"paths to exchange(): {callers}")


def check_made(document):
    """Two names by five lines; each as often as the other."""
    made = collections.Counter()
    for (line, function), rows in rows_of(document, "<string>").items():
        for row in rows:
            if function == "MPI_Barrier":
                made[row["symbol"], line] += row["calls"]
    expected = collections.Counter((f"made_{number % 2}", number % 5 + 2)
                                   for number in range(MADE))
    if made != {key: calls * RANKS for key, calls in expected.items()}:
        raise jobs.Failure(f"functions that were made and gone: {made}")


def case_lines(tools, arguments, folder):
    job = profile(tools, arguments, folder)
    if job.status != 0:
        raise jobs.Failure(job.describe())
    document = jobs.report(tools, os.path.join(folder, "profile"))[0]
    check_lines(document)
    check_paths(document)
    check_made(document)
    for key in ("calls", "bytes"):
        at_lines, of_functions = (sum(row[key] for row in document[table])
                                  for table in ("callsites", "functions"))
        if at_lines != of_functions:
            raise jobs.Failure(f"{key} of the call sites do not add up to those of the functions")
    if document["quality"]["callsite_disagreements"] != 0:
        raise jobs.Failure("paths were wrong")


def said(job):
    """The program's own lines. Ranks print in any order."""
    return sorted(re.findall(r"rank \d of \d is done", job.stdout.decode()))


def case_same(tools, arguments, folder):
    for words in ((), ("fail",)):
        where = os.path.join(folder, "-".join(("run", *words)))
        os.makedirs(where)
        without = jobs.run_preloaded(tools, where, RANKS, script(arguments, "lines.py", *words),
                                     None)
        under = profile(tools, arguments, where, *words)
        if (without.status, said(without)) != (under.status, said(under)):
            raise jobs.Failure(f"without mprof {without.describe()}, under it {under.describe()}")
        if (without.status == 0) != (words == ()):
            raise jobs.Failure(without.describe())


def case_off(tools, arguments, folder):
    job = profile(tools, arguments, folder, MPROF_CALLSITES="0")
    if job.status != 0:
        raise jobs.Failure(job.describe())
    document = jobs.report(tools, os.path.join(folder, "profile"))[0]
    barriers = sum(calls for (_, function), (calls, _, _) in expected_calls().items()
                   if function == "MPI_Barrier") + MADE
    counted = [row["calls"] for row in document["functions"] if row["function"] == "MPI_Barrier"]
    if counted != [barriers * RANKS] or document["callsites"]:
        raise jobs.Failure(f"{counted} calls of MPI_Barrier, {len(document['callsites'])} sites")


def case_scrubbed(tools, arguments, folder):
    profile(tools, arguments, folder)
    for options, kept, secrets in (([], ("exchange", "recursive"), (SCRIPTS,)),
                                   (["--no-names"], (), (SCRIPTS, "exchange", "recursive"))):
        scrubbed = os.path.join(folder, "scrubbed.mprof")
        subprocess.run([tools.mprof, "scrub", os.path.join(folder, "profile"), "-o", scrubbed,
                        *options], check=True, capture_output=True)
        document = jobs.report(tools, scrubbed)[0]
        places = {row["place"] for row in document["callsites"]}
        missing = {f"lines.py:{line}" for line, _ in expected_calls()} - places
        text = json.dumps([document["callsites"], document["call_lines"]])
        missing |= {name for name in kept if name not in text}
        if missing:
            raise jobs.Failure(f"not there after scrubbing {options}: {missing}")
        for secret in secrets:
            if secret in text:
                raise jobs.Failure(f"there after scrubbing {options}: {secret}")


def case_native(tools, arguments, folder):
    jobs.need_compiler(tools, "mpicc", arguments.cc)
    library = os.path.join(folder, "libnative.so")
    subprocess.run([arguments.cc, "-g", "-O1", "-shared", "-fPIC", "-o", library,
                    os.path.join(SCRIPTS, "native.c")], check=True)
    job = jobs.run_profiled(tools, folder, RANKS, script(arguments, "native.py", library))
    if job.status != 0:
        raise jobs.Failure(job.describe())
    document = jobs.report(tools, os.path.join(folder, "profile"))[0]
    paths = {(row["calls"], *((frame["symbol"], os.path.basename(frame["file"]), frame["line"])
                              for frame in row["path"]))
             for row in document["callsites"] if row["function"] == "MPI_Barrier"}
    inner = ("in_library", "native.c", line_with("native.c", "/* in the library */"))
    expected = {(calls * RANKS, inner, ("<module>", "native.py", line_with("native.py", mark)))
                for calls, mark in ((3, "# @3"), (4, "# @4"))}
    if paths != expected:
        raise jobs.Failure(f"paths {paths}, expected {expected}")


def case_unread(tools, arguments, folder):
    job = jobs.run_profiled(tools, folder, RANKS, script(arguments, "other_build.py"))
    if job.status != 0:
        raise jobs.Failure(job.describe())
    document = jobs.report(tools, os.path.join(folder, "profile"))[0]
    remarks = [remark for remark in document["quality"]["remarks"] if "lines of scripts" in remark]
    expected = (r"call paths have no lines of scripts: "
                r"Python 3[.]\S+ is not built in the usual way")
    if len(remarks) != 1 or not re.fullmatch(expected, remarks[0]):
        raise jobs.Failure(f"remarks: {document['quality']['remarks']}")
    barriers = [row["calls"] for row in document["callsites"] if row["function"] == "MPI_Barrier"]
    if rows_of(document, "other_build.py") or sum(barriers) != 5 * RANKS:
        raise jobs.Failure(f"lines of an interpreter that is not known: {barriers}")


def case_late(tools, arguments, folder):
    jobs.go_first()
    job = jobs.run_profiled(tools, folder, 2, script(arguments, "late.py"))
    waited = re.search(rb"^waited ([\d.]+)$", job.stdout, re.MULTILINE)
    if job.status != 0 or waited is None:
        raise jobs.Failure(job.describe())
    document = jobs.report(tools, os.path.join(folder, "profile"))[0]
    true_s, waits_at = float(waited[1]), f"late.py:{line_with('late.py', '# waits here')}"
    late_at = f"late.py:{line_with('late.py', '# late here')}"
    found_s = sum(row["wait_s"] or 0 for row in document["call_lines"] if row["place"] == waits_at)
    cause = document["causes"][0]
    what = f"rank 1 waited {true_s} s at {waits_at}, found {found_s} s; {cause}"
    print(what)
    if abs(found_s - true_s) > 0.1 * true_s or cause["rank"] != 0 or \
            late_at not in cause["segment"]:
        raise jobs.Failure(what)


def check_waiting(tools, profile_folder, when):
    """At most a minute later: a running job may not be there yet."""
    place = f"waits.py:{line_with('waits.py', '# waits here')}"
    deadline = time.monotonic() + (60 if when == "running" else 0)
    while True:
        done = subprocess.run([tools.mprof, "hang", profile_folder], capture_output=True, text=True,
                              timeout=60, check=False)
        if place in done.stdout:
            return
        if time.monotonic() > deadline:
            raise jobs.Failure(f"{when}: {place} is not in\n{done.stdout}{done.stderr}")
        time.sleep(0.1)


def case_live(tools, arguments, folder):
    """mprof hang while the job runs, and after rank 1 was killed."""
    for how in ("running", "killed"):
        where = os.path.join(folder, how)
        os.makedirs(where)
        command = [tools.mprof, "run", "-o", "profile", "--", *tools.launcher(2),
                   *script(arguments, "waits.py", how)]
        with subprocess.Popen(command, cwd=where, env=jobs.environment(MPROF_SUMMARY="off"),
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              start_new_session=True) as job:
            try:
                job.stdout.readline()
                if how == "killed":
                    job.wait(tools.time_limit)
                check_waiting(tools, os.path.join(where, "profile"), how)
            finally:
                if job.poll() is None:
                    os.killpg(job.pid, signal.SIGTERM)


CASES = {"lines": case_lines, "same": case_same, "off": case_off, "scrubbed": case_scrubbed,
         "native": case_native, "unread": case_unread, "late": case_late, "live": case_live}


def run(tools, arguments):
    is_there = os.path.exists(arguments.python) and subprocess.run(
        [arguments.python, "-c", "import mpi4py"], capture_output=True, check=False).returncode == 0
    if arguments.python == "/usr/bin/python3":
        needs.need(arguments.python + ":mpi4py", is_there)
    jobs.need(is_there, f"mpi4py for {arguments.python}")
    with jobs.Folder("scripts", tools.keep) as folder:
        CASES[arguments.case](tools, arguments, folder.sub("case"))


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("--cc", default="")
    parser.add_argument("--python", default="/usr/bin/python3", help="with an mpi4py for this MPI")
    parser.add_argument("case", choices=CASES)
    sys.exit(jobs.main(run, parser))
