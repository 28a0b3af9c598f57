#!/usr/bin/env python3
"""The mistakes that users make, and the whole of what mprof says to each of them: what is wrong,
and what to do next. Nothing else may stand on standard error.

    whole_messages.py MPROF GOLDEN_FOLDER BAD_FILES

In a message {bad} stands for the folder of bad files, {help} for "mprof COMMAND --help". A row runs
in an empty folder, or in one with the profiles that it names: {name there: golden profile}.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

REPORT_USAGE = ("Usage: mprof report [FOLDER] [--all|--brief] [--html FILE] [--json FILE]; "
                "more: mprof report --help")
NO_PROFILE = ("mprof: there is no profile in this folder. Make one: mprof run -- mpirun -n 4 "
              "./app, or name one: mprof {} FOLDER")
ABSENT = ("mprof: {}: there is no such file or folder. Look at its name: ls -d *.mprof lists the "
          "profiles here")
OTHER_FILE = "Name another file, in a place with space where you may write"
MERGE_USAGE = ("Usage: mprof merge FOLDER -o FILE [--lines | --no-names]; more: mprof merge "
               "--help")
ONE = {"app.1.mprof": "finished"}
TWO = {"app.1.mprof": "finished", "app.2.mprof": "finished"}

# (command line, exit status, message, profiles in the folder)
ROWS = [
    # The command line.
    ("reprot", 2, "mprof: there is no command reprot. Did you mean mprof report? mprof --help "
     "lists all", {}),
    ("frobnicate", 2, "mprof: there is no command frobnicate. mprof --help lists what there is",
     {}),
    ("app.1.mprof", 2, "mprof: there is no command app.1.mprof. Did you mean mprof report "
     "app.1.mprof? mprof --help lists all", ONE),
    ("sh -n 4 ./app", 2, "mprof: there is no command sh. Did you mean mprof run -- sh ...? "
     "mprof --help lists all", {}),
    ("--verison", 2, "mprof: there is no option --verison. Did you mean --version? mprof --help "
     "lists all", {}),
    ("report --hmtl=r.html", 2, "mprof: report: there is no option --hmtl. Did you mean --html? "
     "mprof report --help lists all", ONE),
    ("report --hmtl r.html app.1.mprof", 2, "mprof: report: there is no option --hmtl. Did you "
     "mean --html? mprof report --help lists all", ONE),
    ("report --frobnicate", 2, "mprof: report: there is no option --frobnicate. mprof report "
     "--help lists what there is", ONE),
    ("report app.1.mprof app.2.mprof", 2, "mprof: report: app.2.mprof is one word too many. "
     "mprof report --help lists what there is", TWO),
    ("help", 2, "mprof: there is no command help. Did you mean mprof --help? mprof --help lists "
     "all", {}),
    ("report --html", 2, "mprof: report: --html needs a value: --html FILE. " + REPORT_USAGE, ONE),
    ("report --html a --html b", 2, "mprof: report: --html is given 2 times. Once is enough. " +
     REPORT_USAGE, ONE),
    ("report --world x", 2, "mprof: report: --world needs a number, and x is not one. " +
     REPORT_USAGE, ONE),
    ("report --width 10", 2, "mprof: report: --width: 10 is not a number from 80 to 500. " +
     REPORT_USAGE, ONE),
    ("top --interval 0", 2, "mprof: top: --interval: 0 is not a number from 0.1 to 3600. Usage: "
     "mprof top [FOLDER] [--interval SECONDS] [--once]; more: mprof top --help", ONE),
    ("merge app.1.mprof", 2, "mprof: merge: --output is required. " + MERGE_USAGE, ONE),
    ("merge app.1.mprof -o new --lines --no-names", 2, "mprof: merge: --lines and --no-names do "
     "not go together. " + MERGE_USAGE, ONE),
    ("diff app.1.mprof", 2, "mprof: diff: B is required. Usage: mprof diff A[,A2...] B[,B2...] "
     "[--fail-if-slower 5%] [--json FILE]; more: mprof diff --help", ONE),
    ("run", 2, "mprof: run: COMMAND is required. Usage: mprof run [OPTIONS] [--] COMMAND "
     "[ARGUMENTS...]; more: mprof run --help", {}),
    ("run -n 4 ./app", 2, "mprof: run: -n is an option of the launcher: mprof run -- mpirun -n 4 "
     "./app", {}),
    ("run --memroy 4M -- true", 2, "mprof: run: there is no option --memroy. Did you mean "
     "--memory? mprof run --help lists all", {}),

    # Which profile.
    ("report", 2, NO_PROFILE.format("report"), {}),
    ("hang", 2, NO_PROFILE.format("hang"), {}),
    ("top", 2, NO_PROFILE.format("top"), {}),
    ("report", 0, "mprof: this is app.1.mprof", ONE),
    ("report", 0, "mprof: this is app.2.mprof, the newest of 2 here", TWO),
    ("hang", 0, "mprof: this is app.2.mprof, the newest of 2 here", TWO),
    ("report app.3.mprof", 2, ABSENT.format("app.3.mprof"), ONE),
    ("diff app.1.mprof app.3.mprof", 2, ABSENT.format("app.3.mprof"), ONE),
    ("merge app.3.mprof -o new.mprof", 2, ABSENT.format("app.3.mprof"), ONE),
    ("report --open --html -", 2, "mprof: this is app.1.mprof\nmprof: --open needs a page in a "
     "file: name one with --html FILE, or leave --html out", ONE),
    ("report app.1.mprof --open", 0, "mprof: no browser could be opened here. The page is "
     "{cwd}/app.1.html: copy it to a machine with a browser, or set BROWSER", ONE),
    ("report app.1.mprof --world 5", 2, "mprof: app.1.mprof: world 5 is not in it (only worlds 0)."
     " Leave the number out, or use another one", ONE),

    # Programs.
    ("run -- hostname", 0, "mprof: hostname is not an MPI program (it never called MPI_Init), so "
     "there is nothing to report. Name one after --; mprof run --check -- hostname says what "
     "mprof sees", {}),
    ("run --html a.html -- hostname", 0, "mprof: hostname is not an MPI program (it never called "
     "MPI_Init), so there is nothing to report. Name one after --; mprof run --check -- hostname "
     "says what mprof sees", {}),
    ("run --report -o new -- hostname", 0, "mprof: hostname is not an MPI program (it never "
     "called MPI_Init), so there is nothing to report. Name one after --; mprof run --check -- "
     "hostname "
     "says what mprof sees", {}),
    ("run -- sh -c true", 0, "mprof: sh and the programs that it started left no profile here: "
     "none called MPI_Init, or the profile is in another folder (name it with --output FOLDER). "
     "mprof run "
     "--check -- sh says what mprof sees", {}),
    ("run -- sh -c false", 1, "mprof: sh ended with status 1 and left no profile here. Its own "
     "messages say why", {}),
    ("run -- env sh -c false", 1, "mprof: env ended with status 1, and sh left no profile here. "
     "Their own messages say why", {}),
    ("run -- env LD_PRELOAD= sh -c true", 0, "mprof: env overwrites LD_PRELOAD, which takes "
     "mprof away from sh: no profile here. Put mprof run directly in front of sh, after env",
     {}),
    ("run -- env -u LD_PRELOAD sh -c false", 1, "mprof: env overwrites LD_PRELOAD, which takes "
     "mprof away from sh: no profile here. Put mprof run directly in front of sh, after env",
     {}),
    ("run -- env -i /bin/true", 0, "mprof: env overwrites LD_PRELOAD, which takes mprof away "
     "from true: no profile here. Put mprof run directly in front of true, after env", {}),
    ("run --check -- env LD_PRELOAD= sh", 2, "", {}),
    ("run -- env -u HOME", 0, "mprof: env ended with status 0 and left no profile here. No word "
     "after it names a program on this machine: check the program's name", {}),
    ("run --html - -- hostname", 2, "mprof: the page needs a file, because standard output is "
     "the command's. Name one: --html FILE", {}),
    ("run -- ./nothing", 127, "mprof: cannot start ./nothing: No such file or directory. Check "
     "its name, or name it with its folder", {}),

    # Files.
    ("report {bad}/empty", 2, "mprof: {bad}/empty: there is no profile in this folder. Either the "
     "program has not called MPI_Init yet, or its profile is in another folder", {}),
    ("report {bad}/text/notes.txt", 2, "mprof: {bad}/text/notes.txt: this file is not part of a "
     "profile. Name the folder that mprof run made, or a file in it", {}),
    ("report {bad}/truncated", 1, "mprof: {bad}/truncated/rank-1.mprof: the file is cut off. If "
     "it is a copy, copy it again; otherwise, the disk may have been full\n"
     "mprof: incomplete: 1 of 4 ranks has no readable file", {}),
    ("report {bad}/emptied", 1, "mprof: {bad}/emptied/rank-1.mprof: the file is empty. The rank "
     "was killed before it could write, or the disk was full\n"
     "mprof: incomplete: 1 of 4 ranks has no readable file", {}),
    ("report {bad}/flipped", 1, "mprof: {bad}/flipped/rank-1.mprof: the file is damaged. If it "
     "is a copy, copy it again; without it, the report covers the other ranks\n"
     "mprof: incomplete: 1 of 4 ranks has no readable file", {}),
    ("hang {bad}/newer", 2, "mprof: {bad}/newer: another version of mprof wrote it. Read it with "
     "the mprof that came with that libmprof.so", {}),
    ("report {bad}/text", 2, "mprof: {bad}/text/notes.txt: this file is not part of a profile. "
     "Name the "
     "folder that mprof run made, or a file in it", {}),
    ("top {bad}", 2, "mprof: {bad}: there is no profile in this folder. Either the program has "
     "not called MPI_Init yet, or its profile is in another folder", {}),
    ("report app.1.mprof --json app.1.mprof/rank-0.mprof", 2, "mprof: cannot write "
     "app.1.mprof/rank-0.mprof: a file that this command reads, or has written. " + OTHER_FILE,
     ONE),
    ("report app.1.mprof --html nowhere/r.html", 2, "mprof: cannot write nowhere/r.html: No such "
     "file or directory. " + OTHER_FILE, ONE),
    ("report app.1.mprof --csv app.1.mprof/rank-0.mprof", 2, "mprof: cannot make the folder "
     "app.1.mprof/rank-0.mprof: Not a directory. Name another one, where you may write", ONE),
    ("scrub app.1.mprof -o app.1.mprof/rank-0.mprof", 2, "mprof: app.1.mprof/rank-0.mprof: it "
     "cannot be written (a file that this command reads, or has written). Name another file with "
     "-o", ONE),
]


RUNS = re.compile(r"run .*-- ")


def make_folder(where, golden, profiles):
    """Each profile is newer than the one before it."""
    for seconds, (name, source) in enumerate(profiles.items()):
        folder = pathlib.Path(where) / name
        shutil.copytree(pathlib.Path(golden) / source, folder)
        os.utime(folder, (1e9 + seconds, 1e9 + seconds))


def environment():
    return {key: value for key, value in os.environ.items()
            if not key.startswith(("MPROF_", "OMPI_", "PMI", "SLURM_"))
            and key not in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "LD_PRELOAD")}


def check(mprof, golden, bad, row):
    words, status, message, profiles = row
    with tempfile.TemporaryDirectory() as where:
        where = os.path.realpath(where)
        make_folder(where, golden, profiles)
        before = set(os.listdir(where))
        command = [mprof, *(word.format(bad=bad) for word in words.split())]
        done = subprocess.run(command, cwd=where, text=True,
                              capture_output=True, env=environment(), check=False, timeout=60)
        added = set(os.listdir(where)) - before - {"app.1.html"}
        said = done.stderr.rstrip("\n")
        right = said == message.format(bad=bad, cwd=where)
    if right and done.returncode == status and not added:
        return True
    print(f"mprof {words}\n  exit status {done.returncode}, expected {status}; left: {added}\n"
          f"  said:     {said}\n  expected: {message}")
    return False


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    mprof, golden, bad = map(os.path.abspath, sys.argv[1:])
    # A build with sanitizers has no library to preload.
    library = os.path.join(os.path.dirname(mprof), "..", "lib", "libmprof.so")
    rows = [row for row in ROWS if os.path.exists(library) or not RUNS.match(row[0])]
    wrong = [row[0] for row in rows if not check(mprof, golden, bad, row)]
    print(f"{len(rows)} mistakes, {len(wrong)} with another message")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
