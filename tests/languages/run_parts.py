#!/usr/bin/env python3
"""Jobs of which a part is missing, with the MPIs that come as Python wheels.

    run_parts.py BUILD nodes|dies ...

nodes: two nodes, two ranks on each. Some have mprof, or all have and MPROF_RANKS names some.
dies: a rank dies, the launcher lets the others go on, and nobody waits for it. Open MPI's own
MPI_Finalize hangs now and then when a rank has died, without mprof, too.
"""

import argparse
import os
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, os.pardir, name) for name in ("mpi", "connections", "groups")]
import builds  # noqa: E402
import jobs  # noqa: E402
import run_some_ranks  # noqa: E402
from nodes import Nodes  # noqa: E402

RANKS, NODES = 4, 2
SLACK_S = 8
MOST_HANGS = 4
SOURCES = {"nodes": os.path.join(HERE, os.pardir, "mpi", "programs", "some_ranks.c"),
           "dies": os.path.join(HERE, "one_dies.c")}


def compile_program(build, case, folder):
    program = os.path.join(folder, case)
    command, options = build.c_compiler()
    variables = dict(os.environ)
    if build.name == "openmpi5":
        variables["OPAL_PREFIX"] = build.path()
    subprocess.run([*command, "-o", program, SOURCES[case], *options], check=True, env=variables)
    return program


def environment(build, **variables):
    if build.name == "openmpi5":
        variables.update(OPAL_PREFIX=build.path(), OMPI_ALLOW_RUN_AS_ROOT=1,
                         OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
    return jobs.environment(**variables)


def on_nodes(arguments, build, folder, program, nodes, name, settings):
    where = folder.sub(name)
    words = [f"SET_{rank}=" + (" ".join(f"{key}='{value}'" for key, value in row.items())
                               or "NOTHING=1") for rank, row in enumerate(settings)]
    hosts = ["--prefix", build.path(), "--host"] if build.name == "openmpi5" else ["-hosts"]
    variables = {**nodes.settings(), **build.variables()}
    variables.pop("I_MPI_FABRICS", None)
    command = [build.path("bin", "mpiexec"), *hosts, nodes.hosts(RANKS // NODES), "-n", str(RANKS)]
    job = jobs.Job(nodes.on(0, command) + ["env", *words, *run_some_ranks.START, program, "0"],
                   environment(build, **variables), where, arguments.time_limit)
    print(f"{build.title}, {name}: {job.seconds:.2f} s")
    if (job.status, job.stdout) != (0, b"sum %d\n" % (RANKS * run_some_ranks.ROUNDS)):
        raise jobs.Failure(job.describe())
    profile = os.path.join(where, "profile")
    return sorted(os.listdir(profile)) if os.path.isdir(profile) else []


def check_nodes(arguments, build, folder, program):
    with Nodes(NODES) as nodes:
        for ranks, option in (([], None), ([0, 3], None), ([1, 2], None), ([0, 1, 2, 3], None),
                              ([1, 3], "1,3")):
            name = "_".join(map(str, ranks)) + (f" of {option}" if option else "")
            setting = {"LD_PRELOAD": arguments.library, "MPROF_SUMMARY": "off",
                       "MPROF_OUTPUT": os.path.join(folder.sub(name), "profile")}
            if option:
                setting["MPROF_RANKS"] = option
            settings = [setting if rank in ranks or option else {} for rank in range(RANKS)]
            found = on_nodes(arguments, build, folder, program, nodes, name, settings)
            if found != [f"rank-{rank}.mprof" for rank in ranks]:
                raise jobs.Failure(f"{name}: {found}")


GO_ON = {"openmpi5": ["--with-ft", "ulfm", "--map-by", ":OVERSUBSCRIBE"],
         "mpich5": ["-disable-auto-cleanup"]}


def run_dying(arguments, build, folder, program, **variables):
    command = [build.path("bin", "mpiexec"), *GO_ON[build.name], "-n", str(RANKS)]
    settings = environment(build, **variables)
    preload = settings.pop("PRELOAD", "")
    return jobs.Job([*command, "env", f"LD_PRELOAD={preload}", program], settings, folder,
                    arguments.time_limit)


def run_until_it_ends(what, run):
    for number in range(MOST_HANGS):
        try:
            return run(number)
        except jobs.NotDone:
            print(f"{what}: hangs in MPI_Finalize")
    raise jobs.Failure(f"{what}: hangs {MOST_HANGS} times")


def through(job):
    """The ranks that came through MPI_Finalize. What Hydra says has numbers of processes."""
    return sorted(word for word in job.stdout.split() if word.startswith(b"rank_"))


def check_dies(arguments, build, folder, program):
    alone = run_until_it_ends("without mprof", lambda number: run_dying(
        arguments, build, folder.sub(f"alone{number}"), program))
    job = run_until_it_ends("with mprof", lambda number: run_dying(
        arguments, build, folder.sub(f"mprof{number}"), program, PRELOAD=arguments.library,
        MPROF_PATIENCE=arguments.time_limit,
        MPROF_OUTPUT=os.path.join(folder.sub(f"mprof{number}"), "profile")))
    print(f"with mprof {job.seconds:.2f} s, without {alone.seconds:.2f} s")
    if job.status != alone.status or through(job) != through(alone):
        raise jobs.Failure(f"{job.describe()}\n{alone.describe()}")
    if job.seconds > alone.seconds + SLACK_S:
        raise jobs.Failure("somebody waited for the dead rank")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", choices=builds.BUILDS)
    parser.add_argument("case", choices=SOURCES)
    parser.add_argument("--environments", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--time-limit", type=float, default=60)
    arguments = parser.parse_args()
    build = builds.BUILDS[arguments.build]
    build.folder = arguments.environments
    arguments.library = os.path.abspath(arguments.library)
    check = {"nodes": check_nodes, "dies": check_dies}[arguments.case]
    try:
        with jobs.Folder("parts") as folder:
            check(arguments, build, folder, compile_program(build, arguments.case, folder.path))
    except (builds.Skipped, builds.NotApplicable) as reason:
        print(f"skipped: {reason}")
        return 77
    except jobs.Failure as failure:
        print(f"FAILED: {failure}")
        return 1
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())
