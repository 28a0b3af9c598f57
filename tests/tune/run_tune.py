#!/usr/bin/env python3
"""mprof tune of a program that a setting makes faster, or none does (tuned.c).

How often the program was started is counted by a shell in front of the launcher, and what a setting
gains is measured without mprof.
"""

import json
import os
import signal
import statistics
import sys
import time

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(TESTS, name) for name in ("mpi", "connections", "golden")]
import documented_keys  # noqa: E402  pylint: disable=wrong-import-position
import jobs  # noqa: E402  pylint: disable=wrong-import-position
import nodes  # noqa: E402  pylint: disable=wrong-import-position

YIELDING = {"OMPI_MCA_mpi_yield_when_idle": "1"}
# The launcher of some machines yields by itself when there are more ranks than slots.
BUSY = {"OMPI_MCA_mpi_yield_when_idle": "0"}


def expect(condition, what, answer):
    if not condition:
        raise jobs.Failure(f"{what}\n{json.dumps(answer, indent=1)[:6000]}")


class Tune:
    """Runs mprof tune on the program, and counts the starts of its launcher."""

    def __init__(self, tools, arguments, folder, ranks, words):
        self.tools, self.arguments, self.folder = tools, arguments, folder
        mpirun = [tools.mpirun]
        if tools.mpi == "openmpi":
            mpirun += ["--oversubscribe"] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])
        self.launch = mpirun + ["-n", str(ranks), arguments.program, *words]
        self.output = os.path.join(folder, "tune.json")
        self.starts = os.path.join(folder, "starts")
        self.settings = {}

    def command(self):
        """A shell that counts, and becomes the launcher."""
        return ["sh", "-c", f'echo start >> "{self.starts}"; exec "$0" "$@"', *self.launch]

    def run(self, *options, status=0, while_running=None, **environment):
        job = jobs.Job([self.tools.mprof, "tune", *options, "--json", self.output, "--",
                        *self.command()], jobs.environment(**self.settings, **environment),
                       self.folder, self.tools.time_limit, while_running)
        print(job.stderr.decode())
        if job.status != status:
            raise jobs.Failure(job.describe())
        with open(self.output, encoding="utf-8") as file:
            answer = json.load(file)
        missing = documented_keys.missing(answer, self.arguments.keys)
        expect(not missing, f"keys that tune.md does not have: {missing}", answer)
        with open(self.starts, encoding="utf-8") as file:
            starts = len(file.readlines())
        # A run that the user stopped tells nothing, and does not count.
        expect(starts in (answer["runs"], answer["runs"] + bool(answer["stopped"])),
               f"{starts} starts", answer)
        expect(starts <= answer["most_runs"], f"{starts} starts", answer)
        return answer

    def alone_s(self, **environment):
        job = jobs.Job(self.launch, jobs.environment(**self.settings, **environment), self.folder,
                       self.tools.time_limit)
        if job.status != 0:
            raise jobs.Failure(job.describe())
        return job.seconds


def trial(answer, name):
    found = [row for row in answer["trials"] if row["name"] == name]
    expect(found, f"{name} was not tried", answer)
    return found[0]


def check_yields(tools, arguments, folder):
    """More ranks than CPUs, which poll."""
    ranks = 2 * len(os.sched_getaffinity(0))
    tune = Tune(tools, arguments, folder, ranks, ["ring", "300", "8"])
    tune.settings = BUSY
    yielding = Tune(tools, arguments, folder, ranks, ["ring", "300", "8"])
    yielding.settings = YIELDING
    answer = tune.run("-n", "9", "-o", os.path.join(folder, "best.sh"))
    expect(answer["helps"] and answer["settings"] == YIELDING, "yielding", answer)
    expect(answer["line"].startswith("OMPI_MCA_mpi_yield_when_idle=1 sh -c "), "line", answer)
    with open(os.path.join(folder, "best.sh"), encoding="utf-8") as file:
        expect("export OMPI_MCA_mpi_yield_when_idle=1\n" in file.read(), "best.sh", answer)
    gain_s = (statistics.median(tune.alone_s() for _ in range(3)) -
              statistics.median(yielding.alone_s() for _ in range(3)))
    print(f"saves {answer['saves_s']:.3f} s, without mprof {gain_s:.3f} s")
    expect(gain_s / 2 < answer["saves_s"] < 2 * gain_s, f"{gain_s} s without mprof", answer)


def check_compute(tools, arguments, folder):
    """Two ranks compute, and nothing else."""
    tune = Tune(tools, arguments, folder, 2, ["compute", "10"])
    answer = tune.run("-n", "7")
    expect(not answer["helps"] and answer["headline"].startswith("Nothing "), "", answer)
    expect(answer["settings"] == {} and answer["line"] is None, "no line", answer)


def check_ends(tools, arguments, folder):
    """Ctrl-C in the middle. What was learned is written, and no process is left."""
    tune = Tune(tools, arguments, folder, 2 * len(os.sched_getaffinity(0)), ["ring", "300", "8"])
    tune.settings = BUSY
    seen = set()

    def interrupt(process):
        errors = os.path.join(folder, "stderr")
        end = time.monotonic() + tools.time_limit
        while time.monotonic() < end:
            with open(errors, encoding="utf-8", errors="replace") as file:
                if "run 5 of" in file.read():
                    break
            time.sleep(0.05)
        time.sleep(0.3)  # the next run is on
        seen.update(jobs.descendants(process.pid) - {process.pid})
        os.kill(process.pid, signal.SIGINT)

    answer = tune.run("-n", "30", status=1, while_running=interrupt)
    expect(answer["stopped"] and answer["runs"] == 5, "stopped after the fifth run", answer)
    expect(len(answer["base_s"]) + len(trial(answer, "yield when idle")["runs_s"]) == 4, "", answer)
    # Beside other load two runs of each may be too few to say that it helps.
    expect(trial(answer, "yield when idle")["saves_s"] > 0, "what was learned", answer)
    expect(answer["confidence"] in ("low", None), "one look", answer)
    expect(len(seen) > 2, f"processes: {seen}", answer)
    # The launcher does not wait for the ranks that it ends.
    end = time.monotonic() + 20
    while seen & set(jobs.parents()) and time.monotonic() < end:
        time.sleep(0.1)
    left = seen & set(jobs.parents())
    expect(not left, f"left running: {left}", answer)


def check_fails(tools, arguments, folder):
    """A setting with which the program fails."""
    tune = Tune(tools, arguments, folder, 2 * len(os.sched_getaffinity(0)), ["ring", "300", "8"])
    tune.settings = {**BUSY, "TUNED_FAIL": "1", **jobs.END_AT_ONCE}
    answer = tune.run("-n", "9")
    row = trial(answer, "yield when idle")
    expect(row["state"] == "failed" and "exit status 3" in row["reason"], "failed", answer)
    expect(not answer["helps"], "helps", answer)
    # A first run that fails: its status, and no answer.
    os.remove(tune.output)
    tune.settings = {**YIELDING, "TUNED_FAIL": "1", **jobs.END_AT_ONCE}
    job = jobs.Job([tools.mprof, "tune", "--json", tune.output, "--", *tune.command()],
                   jobs.environment(**tune.settings), folder, tools.time_limit)
    if job.status != 3 or b"in the first run" not in job.stderr or os.path.exists(tune.output):
        raise jobs.Failure(job.describe())


def check_hangs(tools, arguments, folder):
    """A setting with which the program hangs: it is ended with all its ranks."""
    tune = Tune(tools, arguments, folder, 2 * len(os.sched_getaffinity(0)), ["ring", "300", "8"])
    tune.settings = {**BUSY, "TUNED_HANG": "1"}
    answer = tune.run("-n", "5")
    row = trial(answer, "yield when idle")
    expect(row["state"] == "too long" and "was stopped after" in row["reason"], "too long", answer)
    expect(not answer["helps"], "helps", answer)
    for process in jobs.parents():
        try:
            with open(f"/proc/{process}/environ", "rb") as file:
                variables = file.read()
            with open(f"/proc/{process}/cmdline", "rb") as file:
                words = file.read()
        except OSError:
            continue
        if b"TUNED_HANG=1" in variables and folder.encode() in variables and b"ring" in words:
            raise jobs.Failure(f"left running: {process} {words}")


def check_eager(tools, arguments, folder):
    """Two nodes with TCP: sends just above the limit of 64 KiB wait for receivers that compute."""
    with nodes.Nodes(2, "1gbit") as cluster:
        tune = Tune(tools, arguments, folder, 2, ["late", "60", "100000"])
        tune.launch[1:1] = ["--host", cluster.hosts(1), "--bind-to", "none"]
        tune.launch = cluster.on(0, tune.launch)
        tune.settings = {**cluster.settings(), "OMPI_MCA_pml": "ob1"}
        answer = tune.run("-n", "13")
        before_s = statistics.median(tune.alone_s() for _ in range(3))
        raised = {"OMPI_MCA_btl_tcp_eager_limit": "131072",
                  "OMPI_MCA_btl_tcp_max_send_size": "131072"}
        gain_s = before_s - statistics.median(tune.alone_s(**raised) for _ in range(3))
    print(f"saves {answer['saves_s']} s, without mprof {gain_s:.3f} s of {before_s:.3f} s")
    expect(answer["settings"].get("OMPI_MCA_btl_tcp_eager_limit") == "131072", "limit", answer)
    expect(gain_s / 2 < answer["saves_s"] < 2 * gain_s, f"{gain_s} s without mprof", answer)


CHECKS = {name[6:]: check for name, check in list(globals().items()) if name.startswith("check_")}


def run_check(tools, arguments):
    jobs.go_first()
    with jobs.Folder("tune", tools.keep) as folder:
        CHECKS[arguments.case](tools, arguments, folder.path)


if __name__ == "__main__":
    options = jobs.argument_parser(__doc__)
    options.add_argument("program", help="tuned")
    options.add_argument("case", choices=CHECKS)
    options.add_argument("--keys", required=True, help="tune.md")
    sys.exit(jobs.main(run_check, options))
