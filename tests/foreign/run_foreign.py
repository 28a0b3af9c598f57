#!/usr/bin/env python3
"""Test suites of others. Each test runs without and with mprof, and must have the same outcome.

    run_foreign.py get SUITE FOLDER
    run_foreign.py run SUITE FOLDER BUILD --environments DIR --library FILE --mprof FILE
                   [--whole] [--only TEXT]

"get" downloads a suite (SUITES) into FOLDER by its own client, pip or apt-get. If something cannot
be downloaded, FOLDER/SUITE.failed says so, and its tests are skipped with that reason. BUILD is an
MPI of tests/languages/builds.py. Without --whole a few minutes of the suite are run.

The outcome of a test is what the test says of itself. A test that fails by the MPI's own fault must
fail with mprof, too. A test that ends in several ways without mprof may end in each of them with
it: what differs is run again without mprof, until it ends so there, too. That is printed. Exit
status 0: the same; 1: not, with the list; 77: skipped.
"""

import argparse
import glob
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
for other in ("mpi", "languages"):
    sys.path.insert(1, os.path.join(HERE, os.pardir, other))

import builds  # noqa: E402
import jobs  # noqa: E402

MOST_RANKS = 4
MPI4PY = "4.1.2"
RETRY = os.path.join(HERE, os.pardir, os.pardir, "share", "retry")
# Ranks that share the launcher's standard error write into each other's lines.
OWN_FILE = ["sh", "-c", 'exec "$@" 2> rank.$$', "sh"]


class NotToBeHad(Exception):
    """The suite cannot be downloaded here; its text says why."""


def download(command, folder, time_limit=900):
    try:
        done = subprocess.run([RETRY, *command], cwd=folder, capture_output=True, text=True,
                              timeout=time_limit, check=False)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise NotToBeHad(str(problem)) from problem
    if done.returncode != 0:
        raise NotToBeHad(f"{command[0]}: {(done.stderr or done.stdout).strip()[-300:]}")


def unpack(folder, pattern):
    archives = glob.glob(os.path.join(folder, pattern))
    if not archives:
        raise NotToBeHad(f"no {pattern}")
    with tarfile.open(archives[0]) as archive:
        archive.extractall(folder)


# ---- mpi4py: its own tests, in its source distribution -------------------------------------------


class Mpi4py:
    SHORT = ("exceptions", "comm", "errhandler", "request", "win", "group", "info", "session")

    def __init__(self, folder, build, arguments):
        self.folder, self.build, self.arguments = folder, build, arguments

    @staticmethod
    def get(folder):
        download([sys.executable, "-m", "pip", "download", "--no-deps", "--no-cache-dir",
                  "--no-binary", "mpi4py", f"mpi4py=={MPI4PY}", "--dest", folder], folder)
        unpack(folder, "mpi4py-*.tar.gz")

    def tests(self):
        """(name, command behind the launcher, ranks, variables): a file of tests at a time, on one
        rank and on two."""
        if self.build.name == "openmpi4":
            raise builds.NotApplicable("Debian's mpi4py for this MPI is an old one")
        [top] = glob.glob(os.path.join(self.folder, "mpi4py-*/"))
        python, variables = self.build.python()
        names = sorted(os.path.basename(path)[len("test_"):-len(".py")]
                       for path in glob.glob(os.path.join(top, "test", "test_*.py")))
        for name in names:
            if self.arguments.whole or self.arguments.only or name in self.SHORT:
                for ranks in (1, 2):
                    yield (f"{name}, {ranks} ranks",
                           [python, "-B", os.path.join(top, "test", "main.py"), "-v",
                            "-i", f"test_{name}[.]py$"],
                           ranks, variables)

    @staticmethod
    def outcome(job):
        """What each test of the file came to; of two ranks the sums at the end."""
        text = job.stderr.decode(errors="replace")
        single = sorted(re.findall(r"^(test\w+ \([\w.]+\)).*\.\.\. (ok|FAIL|ERROR|skipped)",
                                   text, re.M))
        if "Ran 0 tests" in text:
            raise jobs.Failure(f"mpi4py ran none of its tests: {job.describe()}")
        sums = sorted(re.findall(r"^(OK|FAILED|Ran \d+ tests?)(.*?)(?: in [\d.]+s)?$", text, re.M))
        return (job.status, tuple(sums), tuple(single) if "-n 1 " in " ".join(job.command) else ())


# ---- MPICH: the suite of its source package, which is for every MPI ------------------------------


class Mpich:
    FOLDERS = ("attr", "basic", "coll", "comm", "datatype", "errhan", "group", "info", "init",
               "io", "pt2pt", "rma", "topo")
    SHORT = 25  # tests, of all folders
    # (build, program) -> why its outcome is by chance, so that what lies on the stack decides.
    BY_CHANCE = {("openmpi4", "pt2pt/rqstatus"):
                 "it reads the MPI_ERROR of a status, "
                 "which Open MPI does not set for MPI_REQUEST_NULL"}
    # What its configure finds out, on a Linux of today.
    FOUND = ("STDC_HEADERS HAVE_STDIO_H HAVE_STDLIB_H HAVE_STRING_H HAVE_STDARG_H HAVE_UNISTD_H "
             "HAVE_SYS_TIME_H HAVE_SYS_RESOURCE_H HAVE_SYS_TYPES_H HAVE_SYS_STAT_H HAVE_INTTYPES_H "
             "HAVE_STDINT_H HAVE_MEMORY_H HAVE_PTHREAD_H HAVE_GETRUSAGE HAVE_USLEEP "
             "HAVE_GETTIMEOFDAY HAVE_LONG_DOUBLE HAVE_LONG_LONG HAVE_LONG_LONG_INT "
             "HAVE_FLOAT__COMPLEX HAVE_DOUBLE__COMPLEX HAVE_LONG_DOUBLE__COMPLEX HAVE__BOOL "
             "HAVE_INT8_T HAVE_INT16_T HAVE_INT32_T HAVE_INT64_T HAVE_UINT8_T HAVE_UINT16_T "
             "HAVE_UINT32_T HAVE_UINT64_T HAVE_MPI_WIN_CREATE HAVE_SNPRINTF HAVE_STRDUP "
             "HAVE_SETENV HAVE_FSTAT").split()
    UTIL = ("mtest.c", "mtest_common.c", "mtest_single.c")

    def __init__(self, folder, build, arguments):
        self.folder, self.build, self.arguments = folder, build, arguments
        [self.top] = glob.glob(os.path.join(folder, "mpich-*", "test", "mpi"))
        self.programs = os.path.join(folder, "programs", build.name)
        os.makedirs(self.programs, exist_ok=True)
        self.not_compiled = 0

    @staticmethod
    def get(folder):
        sources, lists = os.path.join(folder, "sources.list"), os.path.join(folder, "lists")
        os.makedirs(os.path.join(lists, "partial"), exist_ok=True)
        with open("/etc/os-release", encoding="utf-8") as file:
            release = dict(line.strip().split("=", 1) for line in file if "=" in line)
        if release.get("ID") != "debian":
            raise NotToBeHad("its source package is taken from Debian, and this is another system")
        with open(sources, "w", encoding="utf-8") as file:
            file.writelines("deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] "
                            f"{site} {suite} main\n"
                            for site, suite in Mpich.own_mirrors(release["VERSION_CODENAME"]))
        apt = ["apt-get", "-q", "-o", f"Dir::Etc::sourcelist={sources}",
               "-o", "Dir::Etc::sourceparts=-", "-o", f"Dir::State::lists={lists}"]
        download(apt + ["update"], folder)
        download(apt + ["source", "--download-only", "mpich"], folder)
        shutil.rmtree(lists, ignore_errors=True)
        unpack(folder, "mpich_*.orig.tar.xz")

    @staticmethod
    def own_mirrors(suite):
        """Where this system gets its packages from: (site, suite) pairs."""
        listed = subprocess.run(["apt-get", "indextargets", "--format",
                                 "$(SITE) $(RELEASE)", "Created-By: Packages"],
                                capture_output=True, text=True, check=False).stdout
        found = {tuple(line.split()) for line in listed.splitlines() if line.endswith(f" {suite}")}
        if not found:
            raise NotToBeHad(f"apt knows no mirror of {suite}: apt-get update")
        return sorted(found)

    def configure(self):
        with open(os.path.join(self.programs, "mpitestconf.h"), "w", encoding="utf-8") as file:
            file.writelines(f"#define {name} 1\n" for name in self.FOUND)
            file.write("#define THREAD_PACKAGE_POSIX 1\n#define THREAD_PACKAGE_NAME "
                       "THREAD_PACKAGE_POSIX\n")

    def compile(self, source):
        """The program, or None: this MPI lacks something of it."""
        output = os.path.join(self.programs,
                              os.path.relpath(source, self.top).replace(os.sep, "_")[:-len(".c")])
        if os.path.exists(output):
            return output
        command, libraries = self.build.c_compiler()
        done = subprocess.run(command + ["-w", "-O1", "-g", "-pthread", "-I" + self.programs,
                                         "-I" + os.path.join(self.top, "include"),
                                         "-I" + os.path.dirname(source), "-o", output, source] +
                              [os.path.join(self.top, "util", name) for name in self.UTIL]
                              + libraries + ["-lm"], capture_output=True, check=False)
        return output if done.returncode == 0 else None

    def listed(self):
        """(label, source, ranks, arguments) of all lines of the lists that need no other program
        and are not expected to fail."""
        for folder in self.FOLDERS:
            lines = []
            lists = os.path.join(self.top, folder, "testlist")
            for path in glob.glob(lists) or glob.glob(lists + ".in"):
                with open(path, encoding="utf-8") as file:
                    lines += [line.split() for line in file if re.match(r"\w+ \d", line)]
            for number, (name, ranks, *rest) in enumerate(lines):
                source = os.path.join(self.top, folder, name + ".c")
                by_chance = (self.build.name, f"{folder}/{name}") in self.BY_CHANCE
                is_to_fail = any(word.startswith("xfail") for word in rest)
                if os.path.exists(source) and not by_chance and not is_to_fail:
                    arguments = [word[len("arg="):] for word in rest if word.startswith("arg=")]
                    ranks = min(int(ranks), MOST_RANKS)
                    yield f"{folder}/{name} #{number}", source, ranks, arguments

    def tests(self):
        """The short form takes the same ones each time, spread over all folders by a hash of their
        names."""
        self.configure()
        chosen = [test for test in self.listed() if (self.arguments.only or "") in test[0]]
        if not self.arguments.whole and not self.arguments.only:
            chosen = sorted(chosen,
                            key=lambda test: hashlib.sha256(test[0].encode()).digest())[:self.SHORT]
        for label, source, ranks, arguments in chosen:
            program = self.compile(source)
            if program is None:
                self.not_compiled += 1
                continue
            yield label, [program, *arguments], ranks, {}

    @staticmethod
    def outcome(job):
        return job.status, b"No Errors" in job.stdout


SUITES = {"mpi4py": Mpi4py, "mpich": Mpich}


# ---- all suites ----------------------------------------------------------------------------------


def run_once(suite, test, build, arguments, mprof):
    _, command, ranks, variables = test
    with jobs.Folder("foreign") as folder:
        settings = {**build.variables(), **variables}
        if mprof:
            settings.update(MPROF_OUTPUT=os.path.join(folder.path, "profile"), MPROF_SUMMARY="off")
            command = jobs.preload_command(arguments.library) + command
        try:
            job = jobs.Job(build.mpirun(ranks) + OWN_FILE + command, jobs.environment(**settings),
                           folder.path, 180)
        except jobs.NotDone:
            return ("not done",)
        for path in sorted(glob.glob(os.path.join(folder.path, "rank.*"))):
            with open(path, "rb") as file:
                job.stderr += file.read()
        said = jobs.own_lines(job) if mprof else []
        return suite.outcome(job) + ((tuple(said[:2]),) if said else ())


def same(suite, test, build, arguments):
    """None, or what differs."""
    alone, under = (run_once(suite, test, build, arguments, mprof) for mprof in (False, True))
    if under == alone or jobs.is_also_without_mprof(
            test[0], under, lambda: run_once(suite, test, build, arguments, False)):
        return None
    return f"{under} instead of {alone}"


def run(arguments):
    place = os.path.join(arguments.folder, arguments.suite)
    if not os.path.exists(os.path.join(place, "complete")):
        reason = "not downloaded"
        if os.path.exists(place + ".failed"):
            with open(place + ".failed", encoding="utf-8") as file:
                reason = file.read().strip()
        raise builds.Skipped(f"no test suite of {arguments.suite}: {reason}")
    build = builds.BUILDS[arguments.build]
    build.folder = arguments.environments
    build.mpirun(1)
    suite = SUITES[arguments.suite](place, build, arguments)
    count, differences = 0, []
    for test in suite.tests():
        if arguments.only and arguments.only not in test[0]:
            continue
        count += 1
        difference = same(suite, test, build, arguments)
        if difference:
            differences.append(f"{test[0]}: {difference}")
            print(differences[-1][:2000], flush=True)
    print(f"{arguments.suite}, {build.title}: {count} compared, {len(differences)} differ; "
          f"{getattr(suite, 'not_compiled', 0)} cannot be compiled for this MPI")
    if count == 0:
        raise builds.Skipped("nothing to run")
    return 1 if differences else 0


def get(arguments):
    place = os.path.join(os.path.abspath(arguments.folder), arguments.suite)
    if os.path.exists(os.path.join(place, "complete")):
        return
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    try:
        SUITES[arguments.suite].get(place)
        with open(os.path.join(place, "complete"), "w", encoding="utf-8"):
            pass
    except NotToBeHad as reason:
        with open(place + ".failed", "w", encoding="utf-8") as file:
            file.write(str(reason))
        print(f"not to be had: {reason}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("get", "run"))
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("folder", type=os.path.abspath)
    parser.add_argument("build", nargs="?", choices=builds.BUILDS)
    parser.add_argument("--environments")
    parser.add_argument("--library", type=os.path.abspath)
    parser.add_argument("--mprof", type=os.path.abspath)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--only", help="tests whose names contain this")
    arguments = parser.parse_args()
    # So that what is under way is tidied up.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    try:
        return get(arguments) if arguments.action == "get" else run(arguments)
    except (builds.Skipped, builds.NotApplicable) as reason:
        print(f"skipped: {reason}")
        return jobs.SKIPPED
    except jobs.Failure as failure:
        print(f"FAILED: {failure}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
