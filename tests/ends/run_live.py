#!/usr/bin/env python3
"""MPROF_LIVE: the record lies in a folder of the node while the program runs. Nothing is left there
after a good end.

After a job was killed, its record is found from the profile folder and on its own. When the record
is gone, the report says where it was.
"""

import glob
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "mpi"))
import jobs  # noqa: E402

RANKS = 2


def run(tools, folder, program, mode, live, before=()):
    progress = os.path.join(folder, "progress")
    with open(progress, "wb") as file:
        file.write(bytes(4096))
    return jobs.run_profiled(tools, folder, RANKS, [*before, program, mode, progress],
                             MPROF_LIVE=live)


def expect(condition, what):
    if not condition:
        raise jobs.Failure(what)


def check_good_end(tools, folder, program):
    where, live = folder.sub("good"), folder.sub("node")
    job = run(tools, where, program, "finalize", live)
    expect(job.status == 0 and not jobs.own_lines(job), job.describe())
    expect(os.listdir(live) == [], f"left on the node: {os.listdir(live)}")
    files = glob.glob(os.path.join(where, "profile", "*"))
    expect(len(files) == (1 if tools.files in ("node", "job") else RANKS)
           and not any(os.path.islink(path) for path in files), f"rank files: {files}")
    jobs.report(tools, os.path.join(where, "profile"))


def check_killed(tools, folder, program):
    where, live = folder.sub("killed"), folder.sub("node2")
    run(tools, where, program, "_exit", live)
    profile = os.path.join(where, "profile")
    expect(all(os.path.islink(path) for path in glob.glob(os.path.join(profile, "*"))), "no links")
    by_link, _ = jobs.report(tools, profile, expected_status=1)
    [left] = glob.glob(os.path.join(live, "mprof-*"))
    on_node, _ = jobs.report(tools, left, expected_status=1)
    expect(by_link["totals"] == on_node["totals"]
           and by_link["totals"]["calls"] > 600, f"calls: {by_link['totals']}")
    shutil.rmtree(left)
    done = subprocess.run([tools.mprof, "report", profile], capture_output=True, text=True,
                          env=jobs.environment(), timeout=60, check=False)
    expect(done.returncode == 2
           and f"a link to {left}" in done.stderr and "chmod" not in done.stderr,
           f"{done.returncode} {done.stderr}")
    print(done.stderr)


def check_no_folder(tools, folder, program):
    where = folder.sub("none")
    job = run(tools, where, program, "finalize", "/nonexistent/folder")
    lines = jobs.own_lines(job)
    expect(job.status == 0 and len(lines) == 1 and "/nonexistent/folder" in lines[0],
           job.describe())
    jobs.report(tools, os.path.join(where, "profile"))


def check_not_finished(tools, folder, program):
    """Each node says where its record is, whichever rank is the last. Rank 0 says, earlier or
    later, that there is no file of the job."""
    where, live = folder.sub("refused"), folder.sub("node3")
    refuse = os.path.join(os.path.dirname(program), "refuse")
    job = run(tools, where, program, "finalize", live,
              [refuse, "EPERM", "rename,renameat,renameat2"])
    lines = jobs.own_lines(job)
    stays = [line for line in lines if f"the record stays in {live}/" in line]
    others = [line for line in lines if line not in stays]
    expect(job.status == 0 and len(stays) == 1, job.describe())
    expect(len(others) == (1 if tools.files == "job" else 0)
           and all("cannot write the file of the job" in line for line in others), job.describe())
    document, _ = jobs.report(tools, os.path.join(where, "profile"))
    expect(document["run"]["complete"], document["run"])


def check(tools, arguments):
    with jobs.Folder("live", tools.keep) as folder:
        check_good_end(tools, folder, arguments.program)
        check_killed(tools, folder, arguments.program)
        check_no_folder(tools, folder, arguments.program)
        if tools.files in ("node", "job"):
            check_not_finished(tools, folder, arguments.program)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("program", help="ends/ending")
    sys.exit(jobs.main(check, parser))
