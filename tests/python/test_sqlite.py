#!/usr/bin/env python3
"""mpiprof.to_sqlite(): runs are there once, whole or not at all, and no package is needed.

pandas, pyarrow and the like cannot be imported here, whether they are installed or not.
"""
import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

PACKAGES = ("pandas", "numpy", "pyarrow", "scipy")
sys.modules.update(dict.fromkeys(PACKAGES))  # importing one of these fails

import samples  # noqa: E402

import mpiprof  # noqa: E402
from mpiprof import sqlite_store  # noqa: E402
from mpiprof.runs import run_tables  # noqa: E402

TABLES = ["runs", *(table.name for table in run_tables())]


def query(file, text):
    with contextlib.closing(sqlite3.connect(file)) as connection:
        return connection.execute(text).fetchall()


def counts(file):
    """Rows by table and run."""
    return {table: dict(query(file, f'SELECT run, count(*) FROM "{table}" GROUP BY run'))
            for table in TABLES}


class Adding(unittest.TestCase):
    def setUp(self):
        self.folder = samples.work_folder(f"sqlite {self._testMethodName}")
        self.file = self.folder / "runs.db"

    def test_figures_are_those_of_the_reports(self):
        another = samples.another_run(self.folder)
        mpiprof.to_sqlite([samples.FINISHED, another], self.file, by_rank=True)
        for report in (samples.report_json(samples.FINISHED), mpiprof.open(another).document):
            run = report["run"]["run_id"]
            found = query(self.file, "SELECT sum(f.calls), sum(f.time_s), runs.wallclock_s, "
                          f"runs.program FROM functions f JOIN runs USING (run) "
                          f"WHERE runs.run_id = '{run}'")[0]
            self.assertEqual(found[0], report["totals"]["calls"])
            self.assertAlmostEqual(found[1], report["totals"]["mpi_s"])
            self.assertEqual(found[2:], (report["run"]["wallclock_s"], report["run"]["program"]))
            by_rank = query(self.file, "SELECT r.function, sum(r.bytes) FROM rank_functions r JOIN "
                            f"runs USING (run) WHERE runs.run_id = '{run}' GROUP BY 1")
            self.assertEqual(dict(by_rank),
                             {row["function"]: row["bytes"] for row in report["functions"]})

    def test_a_run_that_is_added_twice_is_there_once(self):
        copy = self.folder / "a copy"
        shutil.copytree(samples.FINISHED, copy)
        mpiprof.to_sqlite([samples.FINISHED, samples.another_run(self.folder)], self.file)
        before = counts(self.file)
        mpiprof.to_sqlite([copy, samples.FINISHED], self.file)
        self.assertEqual(counts(self.file), before)
        self.assertEqual(len(before["runs"]), 2)

    def test_runs_of_one_number_that_began_at_other_times_are_two(self):
        """As those of programs that use sessions alone, in one job."""
        document = samples.report_json(samples.FINISHED)
        first = samples.saved(self.folder, "a", document)
        document["run"]["start"] = "2031-01-01T00:00:00.000Z"
        second = samples.saved(self.folder, "b", document)
        mpiprof.to_sqlite([first, second], self.file)
        self.assertEqual(len(counts(self.file)["runs"]), 2)

    def test_a_run_that_went_on_replaces_what_was_there(self):
        document = samples.report_json(samples.FINISHED)
        document["functions"].pop()
        document["run"]["complete"] = False
        early = samples.saved(self.folder, "early", document)
        mpiprof.to_sqlite(early, self.file)
        mpiprof.to_sqlite(samples.FINISHED, self.file)
        self.assertEqual(query(self.file, "SELECT complete FROM runs"), [(1,)])
        self.assertEqual(query(self.file, "SELECT count(*) FROM functions"),
                         [(len(document["functions"]) + 1,)])

    def test_what_cannot_be_read_is_named_and_the_others_are_added(self):
        with self.assertRaisesRegex(mpiprof.MprofError, "nothing.*\n1 of 2 runs were not added"):
            mpiprof.to_sqlite([self.folder / "nothing", samples.FINISHED], self.file)
        self.assertEqual(len(counts(self.file)["runs"]), 1)

    def test_foreign_and_newer_files_are_refused_and_stay(self):
        for text in ("CREATE TABLE mine (x)", "PRAGMA user_version = 99"):
            file = self.folder / f"{len(text)}.db"
            if text.startswith("PRAGMA"):
                mpiprof.to_sqlite([], file)
            with contextlib.closing(sqlite3.connect(file)) as connection:
                connection.execute(text)
                connection.commit()
            before = file.read_bytes()
            with self.assertRaises(mpiprof.MprofError):
                mpiprof.to_sqlite(samples.FINISHED, file)
            self.assertEqual(file.read_bytes(), before)
        text = self.folder / "text.db"
        text.write_text("no database " * 200)
        with self.assertRaisesRegex(mpiprof.MprofError, "text.db"):
            mpiprof.to_sqlite(samples.FINISHED, text)

    def test_a_file_of_an_older_version_gets_new_columns(self):
        mpiprof.to_sqlite(samples.another_run(self.folder), self.file)
        with contextlib.closing(sqlite3.connect(self.file)) as connection:
            connection.execute("ALTER TABLE functions DROP COLUMN max_rank")
            connection.execute("DROP TABLE lints")
            connection.commit()
        mpiprof.to_sqlite(samples.FINISHED, self.file)
        self.assertEqual(query(self.file, "SELECT count(DISTINCT run), count(DISTINCT "
                               "CASE WHEN max_rank IS NULL THEN run END) FROM functions"),
                         [(2, 1)])
        self.assertEqual(len(counts(self.file)["lints"]), 1)

    def test_nothing_is_written_into_a_profile(self):
        profile = self.folder / "run.mprof"
        shutil.copytree(samples.FINISHED, profile)
        for target in (profile, profile / "x.db"):
            with self.assertRaisesRegex(mpiprof.MprofError, "profile"):
                mpiprof.to_sqlite(profile, target)
        self.assertEqual(len(list(profile.iterdir())), 4)

    def test_a_number_beyond_64_bit_is_kept_to_16_digits(self):
        document = samples.report_json(samples.FINISHED)
        document["functions"][0]["bytes"] = 2**64 - 1
        mpiprof.to_sqlite(samples.saved(self.folder, "big", document), self.file)
        self.assertEqual(query(self.file, "SELECT max(bytes) FROM functions"), [(float(2**64),)])

    def test_packages_were_not_there(self):
        with self.assertRaisesRegex(mpiprof.MissingPackage, "pandas.*pip install"):
            mpiprof.open(samples.FINISHED).table("ranks")
        with self.assertRaisesRegex(mpiprof.MissingPackage, "pyarrow.*pip install"):
            mpiprof.to_parquet(samples.FINISHED, self.folder / "parquet")
        with self.assertRaisesRegex(mpiprof.MissingPackage, "scipy.*pip install"):
            mpiprof.open(samples.FINISHED).sparse_matrix()


class Interrupted(unittest.TestCase):
    def test_a_killed_command_leaves_whole_runs_only(self):
        folder = samples.work_folder("killed")
        file = folder / "runs.db"
        runs = samples.many_runs(folder, 60)
        whole = self.rows_of_one(folder, runs[0])
        for turn, wanted in enumerate((3, 17, 31)):
            self.kill_after(file, runs, wanted, delay_s=0.003 * turn)
            self.assertEqual(query(file, "PRAGMA integrity_check"), [("ok",)])
            self.assertEqual(query(file, "PRAGMA foreign_key_check"), [])
            found = counts(file)
            self.assertGreaterEqual(len(found["runs"]), wanted)
            self.assertLess(len(found["runs"]), len(runs))
            for table in TABLES:
                expected = {run: whole[table] for run in found["runs"] if whole[table]}
                self.assertEqual(found[table], expected, table)
        mpiprof.to_sqlite(runs, file)
        self.assertEqual(len(counts(file)["runs"]), len(runs))

    @staticmethod
    def rows_of_one(folder, run):
        file = folder / "one.db"
        mpiprof.to_sqlite(run, file)
        return {table: sum(rows.values()) for table, rows in counts(file).items()}

    def kill_after(self, file, runs, wanted, delay_s):
        """Kills the command once so many runs are there."""
        file.unlink(missing_ok=True)
        sqlite_store.to_sqlite([], file)
        child = subprocess.Popen([sys.executable, "-B", "-m", "mpiprof", "export", *runs,
                                  "--sqlite", file], env={**os.environ,
                                                          "PYTHONPATH": str(samples.MODULE)})
        end = time.monotonic() + 60
        while query(file, "SELECT count(*) FROM runs")[0][0] < wanted:
            self.assertLess(time.monotonic(), end, "the command takes too long")
            time.sleep(0.002)
        time.sleep(delay_s)
        child.send_signal(signal.SIGKILL)
        child.wait()


class AtATime(unittest.TestCase):
    def test_two_commands_write_to_one_file(self):
        folder = samples.work_folder("together")
        runs = samples.many_runs(folder, 20)
        command = [sys.executable, "-B", "-m", "mpiprof", "export", "--sqlite", folder / "runs.db"]
        environment = {**os.environ, "PYTHONPATH": str(samples.MODULE)}
        children = [subprocess.Popen([*command, *part], env=environment)
                    for part in (runs[:12], runs[8:])]
        self.assertEqual([child.wait(timeout=120) for child in children], [0, 0])
        self.assertEqual(len(counts(folder / "runs.db")["runs"]), 20)


if __name__ == "__main__":
    unittest.main()
