#!/usr/bin/env python3
"""Where a run's files go when something is there already. No run replaces another's. All ranks
agree on the name. Nothing is written through what another user has put there.

Files that belong to nobody (uid 65534) play the other user. So these parts need to be root, and
root is the victim then.
"""

import glob
import os
import re
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "mpi"))
import jobs  # noqa: E402

RANKS = 2
NOBODY = 65534
STATUS = 3  # ends/short's own


def expect(condition, what):
    if not condition:
        raise jobs.Failure(what)


def content(folder):
    """{name: bytes} of all files, also of those that links lead to."""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "**"), recursive=True)
                       + glob.glob(os.path.join(folder, ".*"))):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
        else:
            found[os.path.relpath(path, folder)] = None
    return found


def run(tools, where, program, *, mode="plain", status=STATUS, **variables):
    """A job, and what mprof said."""
    job = jobs.run_profiled(tools, where, RANKS, [program, mode], **jobs.END_AT_ONCE, **variables)
    expect(job.status == status, job.describe())
    return [line for line in job.stderr.decode(errors="replace").splitlines()
            if line.startswith("mprof:")]


def is_complete(tools, profile):
    document, _ = jobs.report(tools, profile)
    names = sorted(os.listdir(profile))
    expect(document["run"]["complete"]
           and names == [f"rank-{rank}.mprof" for rank in range(RANKS)], f"{profile}: {names}")
    mode = os.stat(profile).st_mode & 0o777
    expect(mode == 0o700 or "made" in os.path.basename(profile), f"{profile}: mode {mode:o}")


def check_second_run(tools, folder, program):
    """The next free name, and one line; a name in front of .mprof; the first stays as it is."""
    where = folder.sub("second")
    names = {"out": "out-2", "app.mprof": "app-2.mprof", "slash/": "slash-2",
             "deep/er/out": "deep/er/out-2"}
    for output, second in names.items():
        settings = {"MPROF_OUTPUT": output}
        expect(run(tools, where, program, **settings) == [], "a first run is not silent")
        first = os.path.join(where, output)
        before = content(first)
        said = run(tools, where, program, **settings)
        expect(len(said) == 1 and os.path.join(where, second) in said[
            0], f"the second run into {output} says {said}")
        expect(content(first) == before, f"{output}: the first run's files are not as they were")
        is_complete(tools, first)
        is_complete(tools, os.path.join(where, second))
    run(tools, where, program, MPROF_OUTPUT="out")
    is_complete(tools, os.path.join(where, "out-3"))
    print("a second run:", said)


def check_made_before(tools, folder, program):
    """An empty folder of the user, or a link of the user to one, is used; a file is not; a killed
    run's folder neither."""
    where = folder.sub("before")
    made = folder.sub("before", "made")
    os.chmod(made, 0o755)
    os.symlink("made", os.path.join(where, "link"))
    with open(os.path.join(made, "notes.txt"), "w", encoding="utf-8") as file:
        file.write("notes")
    expect(run(tools, where, program, MPROF_OUTPUT="link")
           == [], "a link of the user's own is not followed")
    os.remove(os.path.join(made, "notes.txt"))
    is_complete(tools, made)
    with open(os.path.join(where, "file"), "w", encoding="utf-8"):
        pass
    os.symlink("nowhere", os.path.join(where, "dangling"))
    os.makedirs(os.path.join(where, "killed"))
    with open(os.path.join(where, "killed", "rank-1.mprof"), "w", encoding="utf-8") as file:
        file.write("left")
    for name in ("file", "dangling", "killed"):
        expect(len(run(tools, where, program, MPROF_OUTPUT=name)) == 1, name)
        is_complete(tools, os.path.join(where, name + "-2"))
    expect(content(os.path.join(where, "killed"))["rank-1.mprof"]
           == b"left", "a killed run's file was replaced")


def check_at_once(tools, folder, program):
    """Three jobs into one folder: three profiles."""
    where = folder.sub("at-once")
    problems = []

    def one(number):
        try:
            run(tools, folder.sub("at-once", f"job{number}"), program,
                MPROF_OUTPUT=os.path.join(where, "out"))
        except jobs.Failure as failure:
            problems.append(str(failure))
    threads = [threading.Thread(target=one, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect(not problems, "\n".join(problems))
    for name in ("out", "out-2", "out-3"):
        is_complete(tools, os.path.join(where, name))


def plant_links(target, victim):
    for name in ["rank-0.mprof", "rank-1.mprof", "rank-0.mprof.part", "rank-1.mprof.part"]:
        os.symlink(victim, os.path.join(target, name))
        os.lchown(os.path.join(target, name), NOBODY, NOBODY)


def check_other_user(tools, folder, program):
    """A folder of another user with links to files of ours, and links to folders of ours: passed
    over."""
    where = folder.sub("other")
    victim = os.path.join(where, "victim")
    with open(victim, "w", encoding="utf-8") as file:
        file.write("precious")
    theirs = folder.sub("other", "theirs")
    empty = folder.sub("other", "empty")
    ours = folder.sub("other", "ours")
    plant_links(theirs, victim)
    for path in (theirs, empty):
        os.chown(path, NOBODY, NOBODY)
        os.chmod(path, 0o777)
    os.symlink("ours", os.path.join(where, "link"))
    os.lchown(os.path.join(where, "link"), NOBODY, NOBODY)
    for name in ("theirs", "empty", "link"):
        said = run(tools, where, program, MPROF_OUTPUT=name)
        expect(len(said) == 1 and name + "-2" in said[0], f"{name}: {said}")
        is_complete(tools, os.path.join(where, name + "-2"))
    expect(os.listdir(empty) == []
           and os.listdir(ours) == [], f"written: {os.listdir(empty)} {os.listdir(ours)}")
    with open(victim, encoding="utf-8") as file:
        expect(file.read()
               == "precious", "a file of ours was written to through a link of another user")
    print("another user's folder:", said)


def check_page(tools, folder, program):
    """mprof run --html reads the folder that the run took, and not the one of an earlier run."""
    where = folder.sub("page")
    for turn in (1, 2):
        command = [tools.mprof, "run", "--html", "page.html",
                   "--"] + tools.launcher(RANKS) + [program, "plain"]
        job = jobs.Job(command, jobs.environment(MPROF_SUMMARY="off", **jobs.END_AT_ONCE),
                       where, tools.time_limit)
        said = re.findall(rb"page.html: the page of (\S+)", job.stderr)
        name = b"page.mprof" if turn == 1 else b"page-2.mprof"
        expect(job.status == STATUS and said == [name], job.describe())
    expect(b"page.html replaces" in job.stderr, job.describe())


def check_other_program(tools, folder, program):
    """An MPI program that a rank starts inherits MPROF_OUTPUT: it gets a folder of its own name
    beside that of the job, without a word."""
    where = folder.sub("child")
    expect(run(tools, where, program, mode="other", MPROF_OUTPUT="job.mprof") == [],
           "something is said of the folder of a rank's child")
    is_complete(tools, os.path.join(where, "job.mprof"))
    names = sorted(name for name in os.listdir(where) if name.endswith(".mprof"))
    expect(len(names) == 2 and names[1].startswith("short."), f"folders {names}")
    document, _ = jobs.report(tools, os.path.join(where, names[1]))
    expect(document["run"]["ranks"] == 1, f"the child's profile: {document['run']}")


def check_script(tools, folder, program):
    """A script that changes the folder before it starts the program: the profile is where the job
    was started."""
    where = folder.sub("script")
    inside = folder.sub("script", "inside")
    script = os.path.join(where, "start")
    with open(script, "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\ncd inside\nexec "$@"\n')
    os.chmod(script, 0o755)
    launch = [*tools.launcher(RANKS), script, program, "plain"]
    run_by = {"named": [tools.mprof, "run", "-o", "named", "--", *launch],
              "default": [tools.mprof, "run", "--", *launch]}
    if tools.mpi == "openmpi":  # its launcher tells where it was started
        run_by["preloaded"] = launch
    for number, (how, command) in enumerate(run_by.items()):
        preload = jobs.preload_settings(tools.library) if how == "preloaded" else {}
        job = jobs.Job(command, jobs.environment(MPROF_SUMMARY="off", **preload,
                                                 **jobs.END_AT_ONCE), where, tools.time_limit)
        expect(job.status == STATUS and os.listdir(inside) == [], job.describe())
        found = [name for name in os.listdir(where) if name == "named" or name.endswith(".mprof")]
        expect(len(found) == number + 1, f"{how}: folders {found}: {job.describe()}")


def check(tools, arguments):
    with jobs.Folder("folders", tools.keep) as folder:
        check_second_run(tools, folder, arguments.program)
        check_made_before(tools, folder, arguments.program)
        check_at_once(tools, folder, arguments.program)
        check_page(tools, folder, arguments.program)
        check_other_program(tools, folder, arguments.program)
        check_script(tools, folder, arguments.program)
        if os.geteuid() == 0:
            check_other_user(tools, folder, arguments.program)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="ends/short")
    sys.exit(jobs.main(check, parser))
