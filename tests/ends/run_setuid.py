#!/usr/bin/env python3
"""A setuid program, run by a user who may do nothing else. The dynamic loader leaves libmprof out.
So the output is the same, and there is no file and no line of mprof. The same holds where libmprof
is one of the program's own libraries and therefore loaded. The same programs without the bit leave
a profile. So it means something that there is none. A program that becomes another user's after
MPI_Init cannot finish its file, and mprof says why.

The program is a single process without mpirun, because some MPIs refuse to start others for such a
user. The test needs to be root, to make the program setuid.
"""

import os
import shutil
import stat
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "mpi"))
import jobs  # noqa: E402

NOBODY = 65534


def run(tools, folder, program, library):
    """As a user who owns only `folder`."""
    os.chown(folder, NOBODY, NOBODY)
    command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    if library:
        command += ["env", f"LD_PRELOAD={library}"]
    # The dynamic loader takes TMPDIR away from a setuid program.
    settings = jobs.environment(HOME=folder, TMPDIR=folder, OMPI_MCA_orte_tmpdir_base=folder,
                                MPROF_OUTPUT=os.path.join(folder, "profile"))
    return jobs.Job(command + [program, "plain"], settings, folder, tools.time_limit)


def set_bit(program):
    os.chmod(program, os.stat(program).st_mode | stat.S_ISUID)


def check_unprofiled(folder, alone, setuid, name):
    if (setuid.status, setuid.stdout, setuid.stderr) != (alone.status, alone.stdout, alone.stderr):
        raise jobs.Failure(f"not as without mprof\n{alone.describe()}\n{setuid.describe()}")
    more = set(os.listdir(os.path.join(folder.path,
                                       name))) - set(os.listdir(os.path.join(folder.path, "alone")))
    if any("mprof" in name or name == "profile" for name in more):
        raise jobs.Failure(f"files: {sorted(more)}")


def check_linked(tools, folder, program, alone):
    """libmprof is where the program was built, and perhaps that user cannot read it there."""
    plain = run(tools, folder.sub("plain-linked"), program, None)
    if not os.path.isdir(os.path.join(folder.path, "plain-linked", "profile")):
        print(f"not tried with libmprof as one of the program's libraries: {plain.describe()}")
        return
    set_bit(program)
    setuid = run(tools, folder.sub("setuid-linked"), program, None)
    print(f"linked: status {setuid.status}, not setuid {plain.status}")
    check_unprofiled(folder, alone, setuid, "setuid-linked")


def check_stranger(tools, folder, program):
    """The folder is root's alone, so nobody cannot put the finished file there."""
    path = folder.sub("stranger")
    environment = jobs.environment(LD_PRELOAD=tools.library,
                                   MPROF_OUTPUT=os.path.join(path, "profile"))
    job = jobs.Job([program, "end-stranger"], environment, path, tools.time_limit)
    lines = [line for line in job.stderr.splitlines() if line.startswith(b"mprof: cannot finish")]
    reason = b"of rank 0 in %s: Permission denied" % os.path.join(path, "profile").encode()
    if job.status != 3 or len(lines) != 1 or reason not in lines[0]:
        raise jobs.Failure(f"a program that becomes another user's: {job.describe()}")


def check(tools, arguments):
    jobs.need(os.geteuid() == 0, "root, to make a program setuid")
    jobs.need(shutil.which("setpriv"), "setpriv")
    jobs.open_to_all()
    with jobs.Folder("setuid", tools.keep) as folder:
        os.chmod(folder.path, 0o755)
        program = jobs.copy_for_all(arguments.program, folder.path)
        linked = jobs.copy_for_all(arguments.linked, folder.path)
        library = jobs.copy_for_all(tools.library, folder.path)
        plain = run(tools, folder.sub("plain"), program, library)
        set_bit(program)
        alone = run(tools, folder.sub("alone"), program, None)
        jobs.need(alone.status == 3, f"setuid programs in this MPI: {alone.describe()}")
        setuid = run(tools, folder.sub("setuid"), program, library)
        print(f"status {setuid.status}, without mprof {alone.status}, not setuid {plain.status}")
        if not os.path.isdir(os.path.join(folder.path, "plain", "profile")):
            raise jobs.Failure(f"no profile of the program without the bit: {plain.describe()}")
        check_unprofiled(folder, alone, setuid, "setuid")
        check_linked(tools, folder, linked, alone)
        check_stranger(tools, folder, arguments.program)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="ends/short")
    parser.add_argument("linked", help="ends/short_linked")
    sys.exit(jobs.main(check, parser))
