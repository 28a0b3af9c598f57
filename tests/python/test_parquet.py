#!/usr/bin/env python3
"""mpiprof.to_parquet(): DuckDB reads what it writes as one table per folder; runs are there once,
and whole if they are in runs. MPIPROF_TEST_RUNS is how many runs there are. Needs pyarrow and
duckdb."""
import os
import shutil
import unittest
from unittest import mock

import samples

duckdb = samples.need("duckdb")
parquet = samples.need("pyarrow.parquet").parquet

import mpiprof  # noqa: E402
from mpiprof import parquet_store  # noqa: E402
from mpiprof.runs import run_tables  # noqa: E402

RUNS = int(os.environ.get("MPIPROF_TEST_RUNS", "40"))


class ManyRuns(unittest.TestCase):
    """Run i takes i + 1 s and is of the program app(i % 10)."""

    @classmethod
    def setUpClass(cls):
        cls.folder = samples.work_folder("parquet")
        cls.runs = samples.many_runs(cls.folder, RUNS)
        cls.target = cls.folder / "runs of a year"
        mpiprof.to_parquet(cls.runs, cls.target, by_rank=True)
        cls.one = samples.report_json(samples.FINISHED, "--by-rank")

    def query(self, text):
        names = {table: f"read_parquet('{self.target}/{table}/*.parquet')"
                 for table in ("runs", "functions", "rank_functions", "matrix", "lints", "files")}
        return duckdb.sql(text.format(**names)).fetchall()

    def test_sums_are_those_of_arithmetic(self):
        self.assertEqual(self.query("SELECT count(*), sum(wallclock_s) FROM {runs}"),
                         [(RUNS, RUNS * (RUNS + 1) / 2)])
        self.assertEqual(self.query("SELECT sum(calls) FROM {functions}"),
                         [(RUNS * self.one["totals"]["calls"],)])
        self.assertEqual(self.query("SELECT sum(bytes) FROM {matrix}"),
                         [(RUNS * sum(row["bytes"] for row in self.one["matrix"]),)])

    def test_tables_join_by_run(self):
        found = self.query("SELECT runs.program, count(DISTINCT run), sum(r.calls) FROM {runs} "
                           "runs JOIN {rank_functions} r USING (run) WHERE rank = 2 "
                           "GROUP BY 1 ORDER BY 1")
        calls = sum(row["calls"] for row in self.one["rank_functions"] if row["rank"] == 2)
        of_one = [len(range(digit, RUNS, 10)) for digit in range(10)]
        self.assertEqual(found, [(f"app{digit}", of_one[digit], of_one[digit] * calls)
                                 for digit in range(min(10, RUNS))])

    def test_a_table_without_rows_has_its_columns(self):
        self.assertEqual(self.query("SELECT run, name, read_bytes FROM {files}"), [])

    def test_every_table_has_the_documented_columns(self):
        for table in run_tables():
            found = duckdb.sql(f"DESCRIBE SELECT * FROM '{self.target}/{table.name}/*.parquet'")
            kinds = {"int": "BIGINT", "float": "DOUBLE", "bool": "BOOLEAN", "text": "VARCHAR"}
            expected = [("run", "VARCHAR")] + [(column.name, kinds[column.type])
                                               for column in table.columns]
            self.assertEqual([row[:2] for row in found.fetchall()], expected)

    def test_a_run_that_is_added_again_is_there_once(self):
        before = self.query("SELECT count(*) FROM {functions}")
        mpiprof.to_parquet(self.runs[:3], self.target, by_rank=True)
        self.assertEqual(self.query("SELECT count(*) FROM {functions}"), before)

    def test_units_are_in_the_files(self):
        schema = parquet.read_schema(next((self.target / "functions").glob("0*.parquet")))
        self.assertEqual(schema.field("time_s").metadata[b"unit"], b"s")
        self.assertEqual(schema.metadata[b"mpiprof_schema"], b"1")


class Adding(unittest.TestCase):
    def setUp(self):
        self.folder = samples.work_folder(f"parquet {self._testMethodName}")
        self.target = self.folder / "runs"

    def query(self, what, table):
        return duckdb.sql(f"SELECT {what} FROM '{self.target}/{table}/*.parquet'").fetchall()

    def test_runs_of_one_number_that_began_at_other_times_are_two(self):
        """As those of programs that use sessions alone, in one job."""
        document = samples.report_json(samples.FINISHED)
        first = samples.saved(self.folder, "a", document)
        document["run"]["start"] = "2031-01-01T00:00:00.000Z"
        second = samples.saved(self.folder, "b", document)
        mpiprof.to_parquet([first, second], self.target)
        self.assertEqual(self.query("count(*)", "runs"), [(2,)])

    def test_a_run_that_went_on_replaces_what_was_there(self):
        document = samples.report_json(samples.FINISHED)
        document["functions"].pop()
        document["run"]["complete"] = False
        mpiprof.to_parquet(samples.saved(self.folder, "early", document), self.target)
        mpiprof.to_parquet(samples.FINISHED, self.target)
        self.assertEqual(self.query("complete", "runs"), [(True,)])
        self.assertEqual(self.query("count(*)", "functions"), [(len(document["functions"]) + 1,)])

    def test_what_cannot_be_read_is_named_and_the_others_are_added(self):
        with self.assertRaisesRegex(mpiprof.MprofError, "nothing.*\n1 of 2 runs were not added"):
            mpiprof.to_parquet([self.folder / "nothing", samples.FINISHED], self.target)
        self.assertEqual(self.query("count(*)", "runs"), [(1,)])

    def test_nothing_is_written_into_a_profile(self):
        profile = self.folder / "run.mprof"
        shutil.copytree(samples.FINISHED, profile)
        for target in (profile, profile / "x"):
            with self.assertRaisesRegex(mpiprof.MprofError, "profile"):
                mpiprof.to_parquet(profile, target)
        self.assertEqual(len(list(profile.iterdir())), 4)


class Interrupted(unittest.TestCase):
    def test_a_run_that_is_half_there_is_not_in_runs(self):
        folder = samples.work_folder("half")
        write = parquet_store._Writer.write

        def stop_at_ranks(writer, table, file_name, *rest):
            if table == "ranks" and file_name != parquet_store.EMPTY:
                raise KeyboardInterrupt
            write(writer, table, file_name, *rest)

        mpiprof.to_parquet(samples.another_run(folder), folder / "p")
        mpiprof.to_parquet(samples.FINISHED, folder / "p")
        with mock.patch.object(parquet_store._Writer, "write", stop_at_ranks), \
                self.assertRaises(KeyboardInterrupt):
            mpiprof.to_parquet(samples.FINISHED, folder / "p")
        runs = f"SELECT run_id FROM '{folder}/p/runs/*.parquet'"
        self.assertEqual(duckdb.sql(runs).fetchall(), [("00000000000000aa",)])
        mpiprof.to_parquet(samples.FINISHED, folder / "p")
        self.assertEqual(len(duckdb.sql(runs).fetchall()), 2)
        self.assertEqual(list((folder / "p").glob("*/.*")), [])


if __name__ == "__main__":
    unittest.main()
