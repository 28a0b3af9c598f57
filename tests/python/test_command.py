#!/usr/bin/env python3
"""mprof export --parquet: how the command finds Python and the module, and what it says if
something is missing. Runs the command in the build tree, and an installed one.

MPIPROF_TEST_BUILD is the build folder, MPIPROF_TEST_PYTHON a Python without pyarrow."""
import importlib.util
import os
import shutil
import subprocess
import sys
import unittest

import samples

BUILD = os.environ["MPIPROF_TEST_BUILD"]
HAS_ARROW = importlib.util.find_spec("pyarrow") is not None


def export(mprof, *words, **variables):
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("MPIPROF_")}
    return subprocess.run([mprof, "export", *words], capture_output=True, text=True, check=False,
                          env={**environment, "MPIPROF_PYTHON": sys.executable, **variables})


def runs_in(folder):
    return len(list((folder / "runs").glob("[!e]*.parquet")))


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = samples.work_folder(f"command {self._testMethodName}")
        self.target = self.folder / "runs"
        if not HAS_ARROW and isinstance(self, Command):
            self.skipTest("no pyarrow")

    def check(self, done, status, words):
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertRegex(done.stderr, words)
        self.assertNotIn("Traceback", done.stderr)

    def test_in_the_build_tree(self):
        self.check(export(samples.MPROF, samples.FINISHED, "--parquet", self.target), 0, "^$")
        self.assertEqual(runs_in(self.target), 1)

    def test_installed_and_moved(self):
        prefix = self.folder / "soft ware"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", self.folder / "first"],
                       check=True, capture_output=True)
        (self.folder / "first").rename(prefix)
        done = export(prefix / "bin/mprof", samples.FINISHED, "--parquet", self.target)
        self.check(done, 0, "^$")
        self.assertEqual(runs_in(self.target), 1)
        code = "import mpiprof; print(mpiprof.find_program())"
        found = subprocess.run(["python3", "-B", "-c", code], capture_output=True, text=True,
                               check=True, env={"PYTHONPATH": str(prefix / "share/mprof/python"),
                                                "PATH": "/usr/bin:/bin"})
        self.assertEqual(found.stdout.strip(), str(prefix / "bin/mprof"))

    def test_other_formats_are_written_too(self):
        folded = self.folder / "run.folded"
        done = export(samples.MPROF, samples.FINISHED, "--parquet", self.target, "--folded", folded)
        self.check(done, 0, "^$")
        self.assertTrue(folded.read_text())
        self.assertEqual(runs_in(self.target), 1)

    def test_an_incomplete_run_is_added_and_said(self):
        done = export(samples.MPROF, samples.KILLED, "--parquet", self.target)
        self.check(done, 1, "^mprof: incomplete: 1 of 4 ranks")
        self.assertEqual(runs_in(self.target), 1)

    def test_a_run_that_cannot_be_read_is_named(self):
        done = export(samples.MPROF, samples.FINISHED, self.folder / "nothing", "--parquet",
                      self.target)
        self.check(done, 2, "nothing.*\nmprof: 1 of 2 runs were not added")

    def test_names_that_begin_with_a_dash_are_names(self):
        shutil.copytree(samples.FINISHED, self.folder / "--sysroot")
        done = subprocess.run([samples.MPROF, "export", "--parquet=-x", "--", "--sysroot"],
                              cwd=self.folder, capture_output=True, text=True, check=False,
                              env={**os.environ, "MPIPROF_PYTHON": sys.executable})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(runs_in(self.folder / "-x"), 1)

    def test_files_of_the_working_folder_are_not_imported(self):
        for name in ("pyarrow.py", "mpiprof.py", "json.py"):
            (self.folder / name).write_text("raise SystemExit(99)")
        done = subprocess.run([samples.MPROF, "export", samples.FINISHED, "--parquet", "x"],
                              cwd=self.folder, capture_output=True, text=True, check=False,
                              env={**os.environ, "MPIPROF_PYTHON": sys.executable})
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Missing(unittest.TestCase):
    setUp, check = Command.setUp, Command.check

    def test_python(self):
        done = export(samples.MPROF, samples.FINISHED, "--parquet", self.target, PATH="/nowhere",
                      MPIPROF_PYTHON="python3")
        self.check(done, 2, "needs Python 3.9 or later, and python3 cannot be started: No such")

    def test_a_new_python(self):
        """Whatever the module's syntax needs, an old one says what is wrong."""
        old = script(self.folder / "python3", 'code="$2"; shift 2\nexec python3 -c "import sys\n'
                     'sys.version_info = (3, 6, 8)\n$code" "$@"\n')
        done = export(samples.MPROF, samples.FINISHED, "--parquet", self.target,
                      MPIPROF_PYTHON=str(old))
        self.check(done, 2, "Python 3.9 or later, and .* is 3.6: set MPIPROF_PYTHON")

    def test_the_module(self):
        alone = self.folder / "bin/mprof"
        alone.parent.mkdir()
        shutil.copy(samples.MPROF, alone)
        done = export(alone, samples.FINISHED, "--parquet", self.target, PYTHONNOUSERSITE="1",
                      MPIPROF_PYTHON=os.environ["MPIPROF_TEST_PYTHON"])
        self.check(done, 2, "needs the Python module mpiprof.*pip install")
        if HAS_ARROW:
            done = export(alone, samples.FINISHED, "--parquet", self.target,
                          PYTHONPATH=str(samples.MODULE))
            self.check(done, 0, "^$")  # as pip installs it

    def test_pyarrow(self):
        done = export(samples.MPROF, samples.FINISHED, "--parquet", self.folder / "p",
                      MPIPROF_PYTHON=os.environ["MPIPROF_TEST_PYTHON"])
        self.check(done, 2, "^mprof: Parquet needs the Python package pyarrow.*pip install pyarrow")
        self.assertFalse((self.folder / "p").exists())

    def test_a_target(self):
        done = export(samples.MPROF, samples.FINISHED)
        self.check(done, 2, "--parquet, --folded or --openmetrics is required")


if __name__ == "__main__":
    unittest.main()
