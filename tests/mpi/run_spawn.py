#!/usr/bin/env python3
"""Runs truth/spawn under mprof: two ranks that start two more. The rank files of each world must
hold what that world's truth says.

`mprof report FOLDER` reports world 0. It names the others, which `--world N` reports.

Behind the launcher, mprof is in no environment but that of the ranks. With Open MPI it reaches the
spawned world all the same. Where it does not, the report says that a world is missing.
"""

import glob
import os
import re
import sys

import counts
import jobs

RANKS = 2
CHILDREN = 2


def check_files(profile, files):
    names = sorted(os.path.basename(path) for path in glob.glob(os.path.join(profile, "*")))
    if files in ("node", "job"):
        if len(names) != 2 or not re.fullmatch(fr"{files}\S+ world-1-{files}\S+", " ".join(names)):
            raise jobs.Failure(f"files {names}, not one for each world")
        return
    expected = [f"rank-{rank}.mprof" for rank in range(RANKS)] + \
        [f"world-1-rank-{rank}.mprof" for rank in range(CHILDREN)]
    if names != expected:
        raise jobs.Failure(f"files {names} instead of {expected}")


def check_world(document, world, expected, ranks):
    run = document["run"]
    if run["world"] != world or run["ranks"] != ranks or not run["complete"]:
        raise jobs.Failure(f"not the complete world {world} of {ranks} ranks: {run}")
    lines = counts.differences(expected, counts.of_report(document))
    if lines:
        raise jobs.Failure("\n".join([f"world {world}: {len(lines)} differences"] + lines))
    print(f"world {world}: {len(expected.functions)} functions, {len(expected.sizes)} sizes, "
          f"{len(expected.matrix)} pairs of ranks, to other worlds {dict(expected.outside)}")


def in_folder_with_space(tools, folder):
    """Words that load mprof from there."""
    library = os.path.join(folder.sub("my tools"), os.path.basename(tools.library))
    os.symlink(tools.library, library)
    return jobs.preload_command(library)


def check_behind(tools, folder, program, name, words):
    """mpirun WORDS PROGRAM."""
    where, truth = folder.sub(name), folder.sub(f"{name}-truth")
    profile = os.path.join(where, "profile")
    settings = jobs.environment(TRUTH_DIR=truth, MPROF_OUTPUT=profile, MPROF_SUMMARY="off")
    command = [*tools.launcher(RANKS), *words, program]
    job = jobs.Job(command, settings, where, tools.time_limit)
    if job.status != 0 or jobs.own_lines(job):
        raise jobs.Failure(f"behind the launcher: {job.describe()}")
    document, said = jobs.report(tools, profile, expected_status=None)
    seen = [row["first"] for row in document["quality"]["missing_worlds"]]
    if tools.mpi == "openmpi":
        check_files(profile, tools.files)
        document, _ = jobs.report(tools, profile, "--world", "1")
        check_world(document, 1, counts.read_folder(truth, "child", CHILDREN), CHILDREN)
    elif seen != [1] or "world" not in said:
        raise jobs.Failure(f"no word of the world that is not recorded: {seen} {said!r}")


def check(tools, arguments):
    with jobs.Folder("spawn", tools.keep) as folder:
        truth = folder.sub("truth")
        if arguments.may_lack:
            jobs.skip_if_lacking(tools, folder, RANKS, [arguments.program], arguments.may_lack)
        job = jobs.run_profiled(tools, folder.path, RANKS, [arguments.program], TRUTH_DIR=truth)
        if job.status != 0 or job.stdout or jobs.own_lines(job):
            raise jobs.Failure(f"the program failed, or there is output: {job.describe()}")
        profile = folder.sub("profile")
        check_files(profile, tools.files)
        document, said = jobs.report(tools, profile)
        check_world(document, 0, counts.read_folder(truth, "truth", RANKS), RANKS)
        if not re.search(r"\bworlds? 1\b|world-1-", said):
            raise jobs.Failure(f"mprof report does not name world 1: {said!r}")
        document, _ = jobs.report(tools, profile, "--world", "1")
        check_world(document, 1, counts.read_folder(truth, "child", CHILDREN), CHILDREN)
        check_behind(tools, folder, arguments.program, "behind", [tools.mprof, "run"])
        check_behind(tools, folder, arguments.program, "space", in_folder_with_space(tools, folder))


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("--may-lack", help=jobs.MAY_LACK)
    parser.add_argument("program", help="truth/spawn")
    sys.exit(jobs.main(check, parser))
