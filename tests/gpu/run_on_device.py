#!/usr/bin/env python3
"""What is packed for a machine with a GPU (on_device/pack.sh) is whole and runs (run.sh): here with
the stand-in for the driver. It is below 60 MB, and ends within 4 minutes."""

import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mpi"))
import jobs  # noqa: E402  pylint: disable=wrong-import-position

HERE = pathlib.Path(__file__).resolve().parent
LONGEST_S = 240
WORDS = ("passed: programs with a real driver", "passed: a launch costs at most 3 % more")


def run_tool(command, folder, **variables):
    return subprocess.run([*jobs.WORDS_BEFORE, *command], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300, check=False,
                          env=jobs.environment(**variables))


def run(tools, arguments):
    jobs.go_first()  # what a launch costs is compared
    with jobs.Folder("gpu_on_device", tools.keep) as folder:
        packed = os.path.join(folder.path, "packed.tar.gz")
        done = run_tool(["sh", str(HERE / "on_device/pack.sh"), arguments.build, packed],
                        folder.path)
        if done.returncode != 0:
            raise jobs.Failure(f"it is not packed: {done.stdout}")
        run_tool(["tar", "-xzf", packed], folder.path)
        begin_s = time.monotonic()
        # Its libraries, not those around it.
        done = run_tool(["sh", "run.sh"], os.path.join(folder.path, "on_device"),
                        LD_LIBRARY_PATH=arguments.driver)
        if done.returncode != 0 or any(words not in done.stdout for words in WORDS):
            raise jobs.Failure(f"status {done.returncode}: {done.stdout}")
        if time.monotonic() - begin_s > LONGEST_S:
            raise jobs.Failure(f"it took {time.monotonic() - begin_s:.0f} s")


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("--build", required=True, help="folder of the build")
    parser.add_argument("--driver", required=True, help="folder of the stand-in for libcuda.so.1")
    sys.exit(jobs.main(run, parser))
