#!/usr/bin/env python3
"""The module as a package: `mypy --strict` finds nothing, also in a program that uses it, and pip
installs it into a new environment from a copy of its folder. Needs mypy, setuptools and wheel."""
import os
import shutil
import subprocess
import sys
import unittest
import venv

import samples

samples.need("mypy")
samples.need("setuptools")

USER = '''
import mpiprof

report = mpiprof.open("a.mprof")
wallclock: float = report.wallclock_s
wait: float = report.totals.wait_s or 0.0
steps: list[str] = [step.action for step in report.verdict.next]
change: float = mpiprof.diff("a", ["b", "c"]).wallclock_s.difference
slowest: float = float(report.ranks["compute_s"].max())
'''


def run(*words, cwd=None, env=None):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False,
                          cwd=cwd, env=env)


class Package(unittest.TestCase):
    def setUp(self):
        self.folder = samples.work_folder(f"package {self._testMethodName}")
        ignored = shutil.ignore_patterns("__pycache__", "build", "*.egg-info", ".mypy_cache")
        self.copy = shutil.copytree(samples.MODULE, self.folder / "a copy", ignore=ignored)

    def mypy(self, *words):
        return run(sys.executable, "-m", "mypy", "--cache-dir", self.folder / "cache", *words,
                   cwd=self.copy)

    def test_types_are_strict_and_right(self):
        done = self.mypy()
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_program_that_uses_it_is_checked(self):
        program = self.copy / "user.py"
        program.write_text(USER)
        self.assertEqual(self.mypy("user.py").returncode, 0, self.mypy("user.py").stdout)
        program.write_text(USER + "wrong: int = report.run.program\n")
        done = self.mypy("user.py")
        self.assertIn("user.py:10: error", done.stdout)

    def test_pip_installs_it_and_it_works_without_other_packages(self):
        place = self.folder / "env"
        venv.create(place, with_pip=True)
        # Built with what is here: no network.
        done = run(sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps",
                   "--no-index", "-w", self.folder, self.copy)
        self.assertEqual(done.returncode, 0, done.stderr)
        wheel = next(self.folder.glob("*.whl"))
        done = run(place / "bin/python3", "-m", "pip", "install", "--no-index", wheel)
        self.assertEqual(done.returncode, 0, done.stderr)
        environment = {"PATH": os.environ["PATH"], "MPIPROF_MPROF": samples.MPROF}
        done = run(place / "bin/python3", "-c", "import mpiprof, sys\n"
                   "print(mpiprof.__file__.startswith(sys.prefix), mpiprof.open(sys.argv[1]))",
                   samples.FINISHED, cwd=self.folder, env=environment)
        self.assertTrue(done.stdout.startswith("True <mpiprof.Report of heat: 4 ranks"),
                        done.stderr)
        done = run(samples.MPROF, "export", samples.FINISHED, "--parquet", self.folder / "x",
                   env={**environment, "MPIPROF_PYTHON": str(place / "bin/python3")})
        self.assertEqual(done.returncode, 2)
        self.assertIn("pip install pyarrow", done.stderr)


if __name__ == "__main__":
    unittest.main()
