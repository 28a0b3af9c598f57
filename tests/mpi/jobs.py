"""Starts MPI jobs for the tests: one class per kind of mpirun, a time limit, and nothing left
behind.

Used by the run_*.py scripts here. A job runs in a session of its own. So a time limit ends all its
processes, and only these. Python's standard library only.
"""

import argparse
import atexit
import functools
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import control_group
import sums

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "groups"))
import needs  # noqa: E402

SKIPPED = needs.SKIPPED


def need_compiler(tools, wrapper, path):
    """Skips the whole test if CMake found no such compiler ("mpicc", "mpifort") of this MPI."""
    needs.need(f"{wrapper}.{tools.mpi}:", bool(path))


# Open MPI's mpirun waits 2 s for the other ranks when one has ended with a status other than 0. For
# programs of which all ranks end so by themselves.
END_AT_ONCE = {"OMPI_MCA_odls_base_sigkill_timeout": "0"}


class Failure(Exception):
    """A test that failed; its text says how."""


WORDS_BEFORE = []  # of the command of each job: go_first()


def go_first():
    """For a test whose verdict depends on time: its jobs get the CPUs before all other programs of
    the machine. Without control groups that root may make they run as usual."""
    group = control_group.first()
    atexit.register(group.remove)
    WORDS_BEFORE[:] = group.enter


class Tools:
    """Where the things under test are, and which mpirun starts the programs."""

    def __init__(self, arguments):
        self.mpi = arguments.mpi
        self.mpirun = shutil.which(arguments.mpirun) if arguments.mpirun else None
        self.library = os.path.abspath(arguments.library)
        self.mprof = os.path.abspath(arguments.mprof)
        self.time_limit = arguments.time_limit
        self.keep = arguments.keep
        self.files = arguments.files

    def launcher(self, ranks):
        """The command in front of a program to run it on `ranks` ranks."""
        command = [self.mpirun]
        if self.mpi == "openmpi":
            command += ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
            if os.geteuid() == 0:
                command.append("--allow-run-as-root")
        return command + ["-n", str(ranks)]


def argument_parser(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--mpi", choices=["openmpi", "mpich"], required=True)
    parser.add_argument("--mpirun", default="", help="the mpirun of that MPI")
    parser.add_argument("--library", default="", help="libmprof.so")
    parser.add_argument("--mprof", default="", help="the mprof command")
    parser.add_argument("--time-limit", type=float, default=120, metavar="SECONDS")
    parser.add_argument("--missing", default="",
                        help="skip: this was not found to build the program")
    parser.add_argument("--needs", default=[], action="append", metavar="NAME",
                        help="skip without this (tests/groups/needs.py)")
    parser.add_argument("--files", default="", help="MPROF_FILES of all jobs")
    parser.add_argument("--keep", action="store_true", help="keep the folder with all files")
    return parser


def need(condition, what):
    """Skips the whole test if the machine is not one for it. What can be installed is asked of
    needs.py."""
    if not condition:
        print(f"skipped: no {what}")
        sys.exit(SKIPPED)


class NotDone(Failure):
    """The job did not end in time and was killed."""

    def __init__(self, job, time_limit):
        super().__init__(f"not done after {time_limit} s: {job.describe()}")
        self.job = job


class Job:
    """What became of a program: exit status, stdout and stderr (bytes), seconds."""

    def __init__(self, command, environment, folder, time_limit, while_running=None):
        before = shared_segments()
        start = time.monotonic()
        self.command = command
        with open(os.path.join(folder, "stdout"), "w+b") as out, \
                open(os.path.join(folder, "stderr"), "w+b") as err:
            process = subprocess.Popen(WORDS_BEFORE + command, stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=err, env=environment, cwd=folder,
                                       start_new_session=True)
            try:
                self.processes = {process.pid}
                if while_running is not None:
                    while_running(process)
                self.status = process.wait(timeout=time_limit)
            except BaseException as problem:
                self.processes |= descendants(process.pid)
                end_processes(self.processes)
                process.wait()
                if not isinstance(problem, subprocess.TimeoutExpired):
                    raise
                self.status = None
            out.seek(0)
            err.seek(0)
            self.stdout, self.stderr = out.read(), err.read()
        self.seconds = time.monotonic() - start
        remove_segments(shared_segments() - before)
        if self.status is None:
            raise NotDone(self, time_limit)

    def describe(self):
        return (f"{' '.join(self.command)}\nexit status {self.status}\n"
                f"--- stdout\n{tail(self.stdout)}\n--- stderr\n{tail(self.stderr)}")


def tail(data, characters=3000):
    text = data.decode(errors="replace")
    return text if len(text) <= characters else "...\n" + text[-characters:]


def parents():
    """{process id: parent's process id} of all processes."""
    table = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
            continue  # it has ended meanwhile
        table[int(text.split(" ", 1)[0])] = int(text[text.rindex(")") + 2:].split()[1])
    return table


def descendants(root):
    table = parents()
    found = {root}
    while True:
        more = {child for child, parent in table.items() if parent in found} - found
        if not more:
            return found
        found |= more


def end_processes(processes):
    for process in processes:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass


def shared_segments():
    return set(glob.glob("/dev/shm/vader_segment.*") + glob.glob("/dev/shm/mpich_shar_tmp*"))


def mapped_segments():
    used = set()
    for path in glob.glob("/proc/[0-9]*/maps"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                used.update(re.findall(r"/dev/shm/\S+", file.read()))
        except OSError:
            continue
    return used


def remove_segments(segments):
    """Removes what a killed job left in shared memory: of the given files those that no process has
    mapped, also a moment later: another job may have made one just now."""
    left = segments and segments - mapped_segments()
    if left:
        time.sleep(0.3)
        left -= mapped_segments()
    for segment in left:
        try:
            os.unlink(segment)
        except OSError:
            pass


# A path in a message of the MPI may contain the word, too: a clone of mprof, or a test's folder.
OWN_LINE = re.compile(r"(?:^|[^\w/.-])mprof: |##mprof ")


def own_lines(job):
    """The lines of mprof on a job's standard error, those of its summary but for the first left
    out."""
    return [line for line in job.stderr.decode(errors="replace").splitlines()
            if OWN_LINE.search(line)]


@functools.cache
def session_folder():
    """Open MPI 4.1 fails if two mpiruns make its folder in /tmp at the same time; so each test has
    one of its own. A test that runs several at once gives each one, too. mprof keeps lines of
    programs there."""
    path = tempfile.mkdtemp(prefix="mprof-session-")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


FILES_OF_JOBS = []  # --files
COMMAND = []  # mprof
PROFILES = set()  # that jobs were to make, and whose sums nobody has looked at yet


def environment(**variables):
    """The environment of a job: nothing of mprof or of an outer MPI job but what is asked for.

    A value of None is left out.
    """
    result = {key: value for key, value in os.environ.items()
              if not key.startswith(("MPROF_", "OMPI_", "PMIX_", "PMI_", "MPIR_CVAR", "HYDRA_"))
              and key != "LD_PRELOAD"}
    result["OMP_NUM_THREADS"] = "1"
    if FILES_OF_JOBS:
        result["MPROF_FILES"] = FILES_OF_JOBS[0]
    result["OMPI_MCA_orte_tmpdir_base"] = session_folder()
    result["XDG_CACHE_HOME"] = session_folder()  # what another mprof kept there is none of ours
    result.update({key: str(value) for key, value in variables.items() if value is not None})
    if "MPROF_OUTPUT" in result:
        PROFILES.add(result["MPROF_OUTPUT"])
    return result


def problem_of_sums(profile):
    """What does not add up in the report of a profile of which the test read none; "" if all does,
    or if it cannot be read: a test may have damaged it on purpose."""
    if not COMMAND or not os.path.isdir(profile):
        return ""
    done = subprocess.run([COMMAND[0], "report", profile, "--json", "-"], capture_output=True,
                          timeout=60, env=environment(), check=False)
    if done.returncode > 1:
        return ""
    try:
        sums.check(json.loads(done.stdout))
    except sums.Wrong as problem:
        return f"the report of {profile} does not add up: {problem}\n"
    return ""


class Folder:
    """A folder for one test. It is kept, and named, if the test fails. All profiles that its jobs
    made must add up (sums.py), also those of which the test reads no report."""

    def __init__(self, name, keep=False):
        self.path = tempfile.mkdtemp(prefix=f"mprof-{name}-")
        self.keep = keep

    def __enter__(self):
        return self

    def __exit__(self, kind, problem, trace):
        wrong = ""
        if kind is None:
            wrong = "".join(problem_of_sums(profile) for profile in sorted(PROFILES)
                            if profile.startswith(self.path + os.sep))
        if self.keep or wrong or kind not in (None, SystemExit):
            print(f"files: {self.path}")
        else:
            shutil.rmtree(self.path, ignore_errors=True)
        if wrong:
            raise Failure(wrong)

    def sub(self, *names):
        path = os.path.join(self.path, *names)
        os.makedirs(path, exist_ok=True)
        return path


def open_to_all():
    """For a test that becomes another user, before it makes its first folder: root's folder of
    temporary files, and what a strict umask made, may be closed to that user. /tmp may be too small
    for copies of mprof."""
    os.umask(0o022)
    tempfile.tempdir = os.environ["TMPDIR"] = "/var/tmp"


def copy_for_all(file, folder):
    """The path of a copy of a program or library that every user may run: the build folder, such as
    that of a clone in /root, may be closed to others."""
    os.makedirs(folder, exist_ok=True)
    copy = shutil.copy(file, folder)
    os.chmod(copy, 0o755)
    return copy


def preload_settings(preload):
    """The variables that preload these libraries (names with ":" between): a path with a space goes
    by way of LD_LIBRARY_PATH, because LD_PRELOAD cannot hold it."""
    paths = str(preload).split(":")
    if not any(" " in path for path in paths):
        return {"LD_PRELOAD": str(preload)}
    return {"LD_PRELOAD": ":".join(os.path.basename(path) for path in paths),
            "LD_LIBRARY_PATH": ":".join(os.path.dirname(path) for path in paths)}


def preload_command(preload):
    """Words in front of a program: with them it is started with these libraries."""
    return ["env"] + [f"{name}={value}" for name, value in preload_settings(preload).items()]


def run_preloaded(tools, folder, ranks, program, preload, **variables):
    """A job with LD_PRELOAD in the programs, and not in mpirun or its helpers."""
    command = tools.launcher(ranks)
    if preload:
        command = command + ["env"] + [f"{name}={value}"
                                       for name, value in preload_settings(preload).items()]
    return Job(command + program, environment(**variables), folder, tools.time_limit)


def run_profiled(tools, folder, ranks, program, while_running=None, **variables):
    """A job under `mprof run`; its profile is in folder/profile."""
    settings = {"MPROF_OUTPUT": os.path.join(folder, "profile"), "MPROF_SUMMARY": "off"}
    settings.update(variables)
    command = [tools.mprof, "run", "--"] + tools.launcher(ranks) + program
    return Job(command, environment(**settings), folder, tools.time_limit, while_running)


def cpu_each(ranks):
    """Settings with which each rank has a CPU of its own, if there are as many. MPICH's ranks spin
    while they wait, and the kernel may let two share a CPU for long. Open MPI binds two by
    itself."""
    return {"HYDRA_BINDING": "hwthread"} if ranks <= len(os.sched_getaffinity(0)) else {}


def is_also_without_mprof(what, outcome, run_alone, most=20):
    """Whether a run without mprof, which run_alone() makes, has the same outcome, too: what an MPI
    or its launcher leaves to chance. The run with mprof is not repeated."""
    for number in range(1, most + 1):
        if run_alone() == outcome:
            print(f"{what}: {outcome} also without mprof, in the {number}. further run", flush=True)
            return True
    return False


MAY_LACK = "what this MPI may lack: skip if the program does not run without mprof"


def skip_if_lacking(tools, folder, ranks, program, what):
    """Skips the test if the program does not run without mprof, for want of `what`."""
    where = folder.sub("alone")
    job = run_preloaded(tools, where, ranks, program, None, TRUTH_DIR=where)
    need(job.status == 0, f"{what} in this MPI")


def first_screen(tools, profile):
    """Its words, the lines joined."""
    done = subprocess.run([tools.mprof, "report", "--brief", profile], capture_output=True,
                          timeout=60, text=True, env=environment(), check=False)
    if done.returncode != 0:
        raise Failure(done.stdout + done.stderr)
    return " ".join(done.stdout.replace("\n#", " ").split())


def report(tools, profile, *options, expected_status=0, adds_up=True):
    """The JSON report of a profile, and what it said on standard error. A status of None: 0 or 1, a
    report in any case. Its tables must add up to the same totals (sums.py), but where the test has
    planted something that does not."""
    done = subprocess.run([tools.mprof, "report", profile, *options, "--json", "-"],
                          capture_output=True, timeout=max(60, getattr(tools, "time_limit", 0)),
                          env=environment(), check=False)
    if done.returncode != expected_status and not (expected_status is None and done.returncode < 2):
        raise Failure(f"mprof report: exit status {done.returncode} instead of {expected_status}\n"
                      f"{tail(done.stdout)}\n{tail(done.stderr)}")
    document = json.loads(done.stdout)
    PROFILES.discard(str(profile))
    if adds_up:
        try:
            sums.check(document)
        except sums.Wrong as problem:
            raise Failure(f"the report of {profile} does not add up: {problem}") from None
    return document, done.stderr.decode(errors="replace")


def main(test, parser):
    """Runs test(tools, arguments); prints a failure and gives the exit status."""
    # So that what is under way is tidied up.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    arguments = parser.parse_args()
    tools = Tools(arguments)
    COMMAND.append(tools.mprof)
    if tools.files:
        FILES_OF_JOBS.append(tools.files)
    needs.keep(f"mpicc.{tools.mpi}:")  # by which CMake built the programs
    needs.need("mpirun." + tools.mpi, bool(tools.mpirun))
    for name in arguments.needs:
        needs.need(name)
    need(not arguments.missing, arguments.missing)
    try:
        test(tools, arguments)
    except Failure as failure:
        print(f"FAILED: {failure}")
        sys.exit(1)
    print("passed")
