#!/usr/bin/env python3
"""Where a rank stands that is not in MPI: mprof hang shows its threads, in C, Fortran and Python,
in a loop, in a read of a pipe and before a lock that a thread holds which was started late. The
rank then goes on, and the job ends as it would have: what it prints and how often it called MPI
are known.

The program says on which line it stands, by a comment there.
"""

import json
import mmap
import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "mpi"))
import jobs  # noqa: E402

RANKS = 2
LOOKS = 3
CALLS = {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Barrier": 2, "MPI_Finalize": 1}
NOBODY = 65534
# Where each program stands: the innermost of its own functions, by mode.
FUNCTIONS = {"loop": "endless_loop", "pipe": "read_answer", "lock": "wait_for_lock"}
OUTER = {".c": "main", ".f90": "standing", ".py": "<module>"}
LIBRARIES = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}
PYTHONS = ("python3.11", "python3.12", "python3.13", "python3.14")


def line_of(source, mode):
    with open(source, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if re.search(rf"stands: {mode}\b", line):
                return number
    raise jobs.Failure(f"{source}: no line of {mode}")


def expect(what, condition, shown):
    if not condition:
        raise jobs.Failure(f"{what}\n{shown}")


def hang(tools, profile, *options, **how):
    done = subprocess.run([tools.mprof, "hang", profile, *options], capture_output=True, text=True,
                          env=jobs.environment(), timeout=60, check=False, **how)
    expect("mprof hang", done.returncode == 0 and not done.stderr, done.stdout + done.stderr)
    return done.stdout


def look(tools, profile):
    return json.loads(hang(tools, profile, "--json", "-"))["standing"]


class Stage:
    """How far the standing rank may go."""

    def __init__(self, path):
        self.path = path
        with open(path, "wb") as file:
            file.write(b"\0")

    def set(self, number):
        with open(self.path, "r+b") as file, mmap.mmap(file.fileno(), 1) as stage:
            stage[0] = number


def until(tools, profile, is_there, seconds=30):
    """The last look."""
    deadline, standing = time.monotonic() + seconds, None
    while time.monotonic() < deadline:
        try:
            standing = look(tools, profile)
        except (jobs.Failure, json.JSONDecodeError):
            standing = None  # the profile is not there yet
        if standing and is_there(standing):
            return standing
        time.sleep(0.1)
    raise jobs.Failure(f"it does not come there\n{json.dumps(standing, indent=1)}")


def stack_of_main(standing):
    return next((row for row in standing["stacks"] if row["is_first"]), {"frames": []})


def symbols(row):
    """Without the Fortran module around a procedure."""
    return [(frame["symbol"] or "").split("::")[-1] for frame in row["frames"]]


def check_stack(standing, source, mode):
    shown = json.dumps(standing, indent=1)
    rows = standing["stacks"]
    expect("whose stacks", {row["rank"] for row in rows} == {RANKS - 1}, shown)
    main = stack_of_main(standing)
    names = symbols(main)
    expect("its functions", FUNCTIONS[mode] in names and names[-1] == OUTER[kind(source)] or
           kind(source) == ".f90" and names[-1] == "main", shown)
    frame = main["frames"][names.index(FUNCTIONS[mode])]
    line, base = line_of(source, mode), os.path.basename(source)
    # The loop has a line for its condition and one for what it does.
    near = (line, line - 1) if mode == "loop" else (line,)
    expect(f"the line {base}:{line}", os.path.basename(frame["file"]) == base and
           frame["line"] in near, shown)
    doing = {"loop": "runs", "pipe": "in read() of /", "lock": "waits for a lock that thread "}
    if mode != "lock" or kind(source) == ".c":
        expect("what it does", main["doing"].startswith(doing[mode]), shown)
    if mode == "lock":
        late = [row for row in rows if not row["is_first"]]
        expect("the late thread", len(late) == 1 and late[0]["doing"] == "runs" and
               [name for name in symbols(late[0]) if name in ("endless_loop", "hold_lock")] ==
               ["endless_loop", "hold_lock"], shown)
        if kind(source) == ".c":
            expect("who holds it", main["doing"].endswith(f"thread {late[0]['thread']} holds"),
                   shown)


def kind(source):
    return os.path.splitext(source)[1]


def check_others(tools, folder, profile, source, mode):
    """What the text says, what is left out on request, and what another user sees."""
    line = line_of(source, mode)
    text = hang(tools, profile)
    expect("in the text", re.search(
        rf"{FUNCTIONS[mode]} \({re.escape(os.path.basename(source))}:({line}|{line - 1})\)", text),
        text)
    without = json.loads(hang(tools, profile, "--no-stacks", "--json", "-"))["standing"]
    expect("--no-stacks", without["stacks"] == [] and without["rows"], json.dumps(without))
    if os.geteuid() == 0:
        for path in ("-R", profile), (os.path.dirname(profile),), (folder,):
            subprocess.run(["chmod", "a+rX", *path], check=True)
        other = hang(tools, profile, user=NOBODY, group=NOBODY, extra_groups=[])
        joined = re.sub(r"\n#\s+", " ", other)
        expect("another user is told why", "run mprof hang as the user of the job" in joined or
               "kernel.yama.ptrace_scope is" in joined, other)


def stand(tools, arguments, folder, command, source, mode):
    where = folder.sub(f"{kind(source)[1:]}-{mode}-{os.path.basename(command[0])}")
    stage, pipe = Stage(os.path.join(where, "stage")), os.path.join(where, "pipe")
    profile = os.path.join(where, "profile")
    os.mkfifo(pipe)
    words = [mode, stage.path, pipe] + arguments
    # Held open, or the rank's pipe has no other end.
    end = os.open(pipe, os.O_RDWR)

    def while_running(_):
        if mode == "lock":
            before = until(tools, profile, lambda standing: "late_thread" in symbols(
                stack_of_main(standing)))
            expect("no thread yet", all(row["is_first"] for row in before["stacks"]), str(before))
            stage.set(1)
        until(tools, profile,
              lambda standing: FUNCTIONS[mode] in symbols(stack_of_main(standing)))
        for _ in range(LOOKS):
            check_stack(look(tools, profile), source, mode)
        check_others(tools, folder.path, profile, source, mode)
        os.write(end, b"x")
        stage.set(2)

    try:
        job = jobs.run_profiled(tools, where, RANKS, command + words, while_running)
    finally:
        os.close(end)
    expect("it ends well", job.status == 0, job.describe())
    said = sorted(re.findall(r"^rank \d+ of \d+ went on$", job.stdout.decode(), re.M))
    expect("its output", said == [f"rank {rank} of {RANKS} went on" for rank in range(RANKS)],
           job.describe())
    report, _ = jobs.report(tools, profile)
    calls = {row["function"]: row["calls"] for row in report["functions"]}
    expect("its calls", calls == {name: count * RANKS for name, count in CALLS.items()},
           json.dumps(calls))
    print(f"{command[-1]} {mode}: as planted")


def pythons():
    """Interpreters of this machine whose frames can be read, one of each version."""
    found = {}
    home = os.path.expanduser("~/.pyenv/versions")
    folders = [os.path.join(home, name, "bin") for name in sorted(os.listdir(home))] \
        if os.path.isdir(home) else []
    for name in PYTHONS:
        path = shutil.which(name, path=os.pathsep.join(["/usr/bin", "/usr/local/bin"] + folders))
        if path:
            found[name] = path
    return found


def check(tools, arguments):
    jobs.go_first()
    with jobs.Folder("standing", tools.keep) as folder:
        if kind(arguments.source) != ".py":
            modes = ("loop", "pipe", "lock") if kind(arguments.source) == ".c" else ("loop", "pipe")
            for mode in modes:
                stand(tools, [], folder, [arguments.program], arguments.source, mode)
            return
        interpreters = pythons()
        jobs.need(interpreters, "Python 3.11 or newer")
        for number, (name, path) in enumerate(interpreters.items()):
            print(f"{name}: {path}")
            for mode in ("loop", "pipe", "lock")[:None if number == 0 else 1]:
                stand(tools, [LIBRARIES[tools.mpi]], folder, [path, arguments.source],
                      arguments.source, mode)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="ends/standing, or - for Python")
    parser.add_argument("source", help="its source")
    sys.exit(jobs.main(check, parser))
