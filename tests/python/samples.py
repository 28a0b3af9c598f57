"""What the tests in this folder share: where things are, sample profiles, and reports of many runs.

The test programs are started as `PYTHON -B test_X.py`, with these variables: MPIPROF_MPROF (the
command under test), MPIPROF_TEST_WORK (a folder for what is written). Needs Python's library only.
"""
import copy
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
MODULE = SOURCE / "python"
sys.path.insert(0, str(MODULE))

GOLDEN = SOURCE / "tests/golden"
FINISHED, KILLED, PHASES = GOLDEN / "finished", GOLDEN / "killed", GOLDEN / "phases"
MPROF = os.environ["MPIPROF_MPROF"]
SKIPPED = 77


def work_folder(name):
    """An empty folder."""
    folder = pathlib.Path(os.environ["MPIPROF_TEST_WORK"]) / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def report_json(profile, *options):
    done = subprocess.run([MPROF, "report", str(profile), "--json", "-", *options],
                          capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def saved(folder, name, document):
    path = folder / f"{name}.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def another_run(folder):
    """A report of PHASES, with a number of its own: the committed profiles all have the same."""
    document = report_json(PHASES, "--by-rank")
    document["run"]["run_id"] = "00000000000000aa"
    return saved(folder, "another", document)


def many_runs(folder, count):
    """Reports of so many runs: run i has the number i, and takes i + 1 seconds."""
    document = report_json(FINISHED, "--by-rank")
    paths = []
    for number in range(count):
        run = copy.deepcopy(document)
        run["run"].update(run_id=f"{number:016x}", wallclock_s=number + 1.0,
                          program=f"app{number % 10}")
        paths.append(saved(folder, f"run-{number}", run))
    return paths


def need(module):
    """Skips the test program if a package is missing."""
    try:
        return __import__(module)
    except ImportError:
        print(f"skipped: no {module}")
        sys.exit(SKIPPED)
