#!/usr/bin/env python3
"""The script of the page on Slurm runs on a real Slurm of two nodes (tests/slurm/cluster.py): the
profile is there, named after job and step, with the lines of its program.

    run_slurm_page.py SOURCE_DIR BUILD_DIR WORK_DIR
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "slurm"))
from cluster import Cluster, needs  # noqa: E402  pylint: disable=wrong-import-position


def make_job(source, folder):
    """mprof is in PATH in place of a module."""
    subprocess.run(["mpicc.openmpi", "-O2", "-g", source / "share/demo/heat.c", "-o",
                    folder / "heat", "-lm"], check=True)
    page = (source / "share/doc/howto/slurm-jobs.md").read_text(encoding="utf-8")
    script = re.search(r"^```bash\n(.*?)^```$", page, re.M | re.S)[1]
    if "\nsrun mprof run" not in script:
        sys.exit("the page has no script")
    (folder / "heat.sh").write_text(script.replace("module load", ": module load"),
                                    encoding="utf-8")


def check_job(cluster, folder, build):
    status, output = cluster.do(
        ["sbatch", "--parsable", "--export=ALL", "--output=output.txt", "heat.sh"], folder,
        PATH=f"{build}/bin:{os.environ['PATH']}", SLURM_MPI_TYPE="pmix")
    number = output.strip()
    if status != 0 or not cluster.becomes(lambda: not cluster.jobs("-j", number), 150):
        sys.exit(f"job {number} did not end: {output}")
    said = (folder / "output.txt").read_text(encoding="utf-8")
    print(said)
    profile = folder / f"heat.{number}.0.mprof"
    report = cluster.do([f"{build}/bin/mprof", "report", profile], folder)[1]
    wrong = [what for what, is_so in (
        ("a profile of 4 ranks", len(list(profile.glob("rank-*"))) == 4),
        ("a page", "</html>" in (folder / f"heat.{number}.html").read_text(encoding="utf-8")),
        ("a report", "# VERDICT" in said),
        ("lines of the program", re.search(r"^# heat.c:\d+ +MPI_Waitall", report, re.M)))
        if not is_so]
    if wrong:
        sys.exit(f"there is not: {', '.join(wrong)}\n{report}")


def main():
    source, build, work = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    needs.need("mpicc.openmpi:")
    shutil.rmtree(work, ignore_errors=True)
    (work / "job").mkdir(parents=True)
    make_job(source, work / "job")
    with Cluster(2, work / "slurm") as cluster:
        check_job(cluster, work / "job", build)


if __name__ == "__main__":
    main()
