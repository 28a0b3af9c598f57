#!/usr/bin/env python3
"""mpiprof.open(): what it opens and refuses, that every key of the report is in a table, and what
holds between the tables of any run. Runs without pandas; the types of DataFrames if it is there."""
import importlib.util
import os
import stat
import subprocess
import sys
import unittest
from unittest import mock

import samples

import mpiprof
from mpiprof import program, show
from mpiprof.fields import all_fields
from mpiprof.tables import (BY_NAME, TABLES, NamedTable, SeriesTable, TextsTable)

HAS_PANDAS = importlib.util.find_spec("pandas") is not None
HAS_ARROW = importlib.util.find_spec("pyarrow") is not None
HAS_SCIPY = importlib.util.find_spec("scipy") is not None


def keys_of(table):
    """The keys of the report that a table has."""
    start = table.path + ("." if table.is_single else "[].")
    if isinstance(table, TextsTable):
        return set(table.lists())
    if isinstance(table, SeriesTable):
        return {start + key for key, _ in table.lists} | {start + key for key in table.fixed}
    if isinstance(table, NamedTable):
        return {start + key for key, _ in table.values}
    found = {key for key, field in all_fields().items() if key.startswith(start)
             and "[]" not in key[len(start):] and field.is_cell}
    return found


def write_script(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


class Tables(unittest.TestCase):
    def test_every_key_of_the_report_is_in_a_table(self):
        containers = ("object", "list of object")
        wanted = {key for key, field in all_fields().items()
                  if field.type not in containers and key != "mprof"}
        self.assertEqual(wanted - set().union(*map(keys_of, TABLES)), set())

    def test_every_key_of_the_json_is_a_known_field(self):
        """The other way round: a key that the program writes is one that the module knows."""
        def keys(value, name):
            if isinstance(value, dict) and all_fields().get(name) is not None and \
                    all_fields()[name].type.endswith("by name"):
                return
            if isinstance(value, dict):
                for key, inner in value.items():
                    path = f"{name}.{key}" if name else key
                    yield path
                    yield from keys(inner, path)
            if isinstance(value, list):
                for inner in value:
                    yield from keys(inner, f"{name}[]")
        for profile in (samples.FINISHED, samples.KILLED, samples.PHASES):
            found = set(keys(samples.report_json(profile, "--by-rank"), ""))
            self.assertEqual(found - set(all_fields()), {"schema"})

    def test_values_have_the_type_of_their_column(self):
        kinds = {"int": int, "float": (int, float), "bool": bool, "text": str}
        for profile in (samples.FINISHED, samples.KILLED, samples.PHASES):
            document = samples.report_json(profile, "--by-rank")
            for table in TABLES:
                for row in table.rows(document):
                    for column, value in zip(table.columns, row):
                        with self.subTest(table=table.name, column=column.name, value=value):
                            self.assertTrue(column.has_null if value is None
                                            else isinstance(value, kinds[column.type]))

    def test_inner_rows_name_their_outer_row(self):
        report = mpiprof.open(samples.FINISHED)
        sites = report.document["callsites"]
        for row in report.rows("callsite_paths"):
            frame = sites[row["callsite"]]["path"][row["depth"]]
            self.assertEqual((row["symbol"], row["line"]), (frame["symbol"], frame["line"]))
        self.assertEqual(len(report.rows("callsite_paths")),
                         sum(len(site["path"]) for site in sites))

    def test_rank_time_has_a_row_per_rank_and_bin(self):
        report = mpiprof.open(samples.PHASES)
        rows = report.rows("rank_time")
        lines = report.document["time"]["ranks"]
        self.assertEqual(len(rows), sum(len(line["compute_s"]) for line in lines))
        total_s = sum(row["compute_s"] for row in rows)
        self.assertAlmostEqual(total_s, sum(sum(line["compute_s"]) for line in lines))

    def test_documented_tables_are_those_of_the_module(self):
        done = subprocess.run([sys.executable, "-B", samples.MODULE / "generate.py", "--check"],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))


class Sums(unittest.TestCase):
    def test_rows_by_rank_add_up_to_functions_callsites_and_ranks(self):
        for profile in (samples.FINISHED, samples.KILLED, samples.PHASES):
            report = mpiprof.open(profile)
            self.check(report, "rank_functions", "function", "functions", "function")
            self.check(report, "rank_callsites", "callsite", "callsites", "callsite")
            self.check(report, "rank_functions", "rank", "ranks", "rank")

    def check(self, report, name, key, whole, whole_key):
        rows = report.rows(name)
        for row in report.rows(whole):
            mine = [r for r in rows if r[key] == row[whole_key]]
            with self.subTest(table=whole, row=row[whole_key]):
                self.assertEqual(sum(r["calls"] for r in mine), row["calls"])
                time_s = row.get("time_s", row.get("mpi_s"))
                self.assertAlmostEqual(sum(r["time_s"] for r in mine), time_s, places=9)
                if "bytes" in row:
                    self.assertEqual(sum(r["bytes"] for r in mine), row["bytes"])

    def test_matrix_is_the_sparse_matrix(self):
        if not HAS_SCIPY:
            self.skipTest("no scipy")
        report = mpiprof.open(samples.FINISHED)
        matrix = report.sparse_matrix("messages")
        self.assertEqual(matrix.shape, (report.rank_count, report.rank_count))
        dense = matrix.toarray()
        for row in report.rows("matrix"):
            self.assertEqual(dense[row["source"], row["destination"]], row["messages"])
        self.assertEqual(dense.sum(), sum(row["messages"] for row in report.rows("matrix")))

    def test_frames_have_the_documented_types(self):
        if not HAS_PANDAS:
            self.skipTest("no pandas")
        for profile in (samples.KILLED, samples.PHASES):
            report = mpiprof.open(profile)
            for name in report.table_names():
                frame = report.table(name)
                self.assertEqual([str(kind) for kind in frame.dtypes],
                                 [column.dtype for column in BY_NAME[name].columns], name)
                self.assertEqual(len(frame), len(report.rows(name)))
                self.assertEqual(frame.attrs["units"], {c.name: c.unit for c in
                                                        BY_NAME[name].columns if c.unit})

    def test_arrow_has_the_same_rows_with_units(self):
        if not HAS_ARROW:
            self.skipTest("no pyarrow")
        report = mpiprof.open(samples.FINISHED)
        table = report.arrow("ranks")
        self.assertEqual(table.to_pylist(), report.rows("ranks"))
        self.assertEqual(table.schema.field("wait_s").metadata[b"unit"], b"s")


class Opening(unittest.TestCase):
    def test_a_merged_file_a_saved_report_and_a_folder_are_the_same(self):
        folder = samples.work_folder("opening")
        merged = folder / "one.mprof"
        subprocess.run([samples.MPROF, "merge", samples.FINISHED, "-o", merged], check=True,
                       capture_output=True)
        report = mpiprof.open(samples.FINISHED)
        report.save(folder / "saved.json")
        for path in (merged, folder / "saved.json"):
            again = mpiprof.open(path)
            self.assertEqual(again.rows("ranks"), report.rows("ranks"))
            self.assertEqual(again.verdict, report.verdict)

    def test_a_killed_run_tells_what_is_missing(self):
        report = mpiprof.open(samples.KILLED)
        self.assertFalse(report.complete)
        self.assertIn("incomplete", report.said)
        self.assertEqual(len(report.rows("ranks")), 4)

    def test_an_older_report_lacks_keys_and_opens(self):
        document = samples.report_json(samples.FINISHED)
        for key in ("lints", "rank_functions", "time", "phases"):
            del document[key]
        for row in document["ranks"]:
            del row["own_s"]
        path = samples.saved(samples.work_folder("older"), "old", document)
        report = mpiprof.open(path)
        self.assertEqual(report.rows("lints"), [])
        self.assertIsNone(report.rows("ranks")[0]["own_s"])
        self.assertIsNone(report.time_line.bin_s)
        if HAS_PANDAS:
            self.assertEqual(len(report.ranks), 4)
        self.assertIn(report.program, report._repr_html_())

    def refused(self, document, words):
        path = samples.saved(samples.work_folder("refused"), "bad", document)
        with self.assertRaisesRegex(mpiprof.MprofError, words):
            mpiprof.open(path)

    def test_what_is_no_report_is_refused_with_the_reason(self):
        report = samples.report_json(samples.FINISHED)
        self.refused({**report, "schema": 2}, "schema is 2.*newer")
        self.refused({"a": 1}, "not written by mprof")
        self.refused({"schema": 1, "answer": {}}, "Comparison.open")
        self.refused({"schema": 1, "scaling": "strong"}, "Scaling.open")

    def test_errors_of_the_program_keep_their_text(self):
        for path in (samples.work_folder("empty"), samples.HERE / "samples.py"):
            plain = subprocess.run([samples.MPROF, "report", path], capture_output=True, text=True,
                                   check=False)
            with self.assertRaises(mpiprof.MprofError) as caught:
                mpiprof.open(path)
            self.assertEqual(str(caught.exception), plain.stderr.strip())
            self.assertEqual(caught.exception.status, 2)
        with self.assertRaisesRegex(mpiprof.MprofError, "No such file"):
            mpiprof.open("not there.json")

    def test_rows_by_rank_of_a_saved_report_name_the_option(self):
        path = samples.saved(samples.work_folder("saved"), "r",
                             samples.report_json(samples.FINISHED))
        with self.assertRaisesRegex(mpiprof.MprofError, "--by-rank"):
            mpiprof.open(path).rows("rank_functions")


class Program(unittest.TestCase):
    def setUp(self):
        program._found.cache_clear()
        self.addCleanup(program._found.cache_clear)

    def test_memory_profilers_command_is_told_apart(self):
        folder = samples.work_folder("names")
        (folder / "other").mkdir()
        (folder / "ours").mkdir()
        other = write_script(folder / "other/mprof", 'echo "usage: mprof <command> <options>"')
        ours = write_script(folder / "ours/mprof-mpi", f'exec "{samples.MPROF}" "$@"')
        path = os.pathsep.join([str(folder / "other"), str(folder / "ours")])
        with mock.patch.dict(os.environ, {"PATH": path, "MPIPROF_MPROF": ""}), \
                mock.patch.object(program, "_BESIDE", ()):
            self.assertEqual(program.find_program(), str(ours))
        program._found.cache_clear()
        with mock.patch.dict(os.environ, {"PATH": str(folder / "other"), "MPIPROF_MPROF": ""}), \
                mock.patch.object(program, "_BESIDE", ()):
            with self.assertRaisesRegex(mpiprof.MprofError, "memory_profiler"):
                program.find_program()
        with mock.patch.dict(os.environ, {"MPIPROF_MPROF": str(other)}):
            with self.assertRaisesRegex(mpiprof.MprofError, "MPIPROF_MPROF"):
                program.find_program()

    def test_the_version_is_that_of_the_program(self):
        said = subprocess.run([samples.MPROF, "--version"], capture_output=True, text=True,
                              check=True).stdout
        self.assertEqual(said.split(), ["mprof", mpiprof.__version__])


class Comparing(unittest.TestCase):
    """The keys of the documents of diff and scale are those of the tables."""

    def check_keys(self, answer, lists):
        for name in lists:
            for row in answer.rows(name):
                self.assertEqual(set(row), {column.name for column in answer.columns(name)})
            if HAS_PANDAS:
                self.assertEqual(len(answer.table(name)), len(answer.document[name]))

    def test_diff_names_both_sides(self):
        answer = mpiprof.diff(samples.FINISHED, [samples.KILLED])
        wallclock = answer.wallclock_s
        self.assertAlmostEqual(wallclock.difference, wallclock.b - wallclock.a)
        self.check_keys(answer, answer.table_names())
        for row, function in zip(answer.rows("functions"), answer.document["functions"]):
            self.assertEqual(row["time_s_a"], function["time_s"]["a"])
            self.assertEqual(row["time_s_outcome"], function["time_s"]["outcome"])
        self.assertIn("<b>", answer._repr_html_())

    def test_an_answer_has_the_state_that_the_page_marks_it_with(self):
        answer = mpiprof.diff(samples.FINISHED, samples.PHASES)
        folder = samples.work_folder("state")
        subprocess.run([samples.MPROF, "diff", samples.FINISHED, samples.PHASES, "--html",
                        folder / "d.html"], check=False, capture_output=True)
        page = (folder / "d.html").read_text(encoding="utf-8")
        self.assertIn(f'<p class="badge {answer.state}">', page)

    def test_a_saved_answer_opens_as_what_it_is(self):
        folder = samples.work_folder("answers")
        answer = mpiprof.diff(samples.FINISHED, samples.KILLED)
        path = samples.saved(folder, "diff", answer.document)
        self.assertEqual(mpiprof.Comparison.open(path).rows("totals"), answer.rows("totals"))
        with self.assertRaisesRegex(mpiprof.MprofError, "mprof scale"):
            mpiprof.Scaling.open(path)

    def test_every_key_of_a_diff_row_is_a_column(self):
        def flat(value, name=""):
            if isinstance(value, dict):
                for key, inner in value.items():
                    yield from flat(inner, f"{name}_{key}" if name else key)
            elif not isinstance(value, list):  # remarks are texts for people
                yield name
        answer = mpiprof.diff(samples.FINISHED, samples.PHASES)
        for name in answer.table_names():
            for row in answer.document[name]:
                known = {key for key, value in row.items() if value is not None}
                found = set(flat({key: row[key] for key in known}))
                found -= {f"{place}_{side}" for place in ("site", "from", "to") for side in "ab"}
                self.assertEqual(found - set(answer.rows(name)[0]), set(), name)

    def test_scale_of_one_size_is_an_error_with_the_programs_text(self):
        with self.assertRaises(mpiprof.MprofError) as caught:
            mpiprof.scale([samples.FINISHED, samples.KILLED])
        self.assertEqual(caught.exception.status, 2)
        self.assertIn("size", str(caught.exception))


class Missing(unittest.TestCase):
    def test_a_package_that_is_missing_is_named(self):
        absent = dict.fromkeys(("pandas", "numpy", "pyarrow", "scipy"))
        report = mpiprof.open(samples.FINISHED)
        with mock.patch.dict(sys.modules, absent):
            for package, use in (("pandas", lambda: report.table("ranks")),
                                 ("pyarrow", lambda: report.arrow("ranks")),
                                 ("scipy", report.sparse_matrix)):
                with self.assertRaisesRegex(mpiprof.MissingPackage, f"{package}.*pip install"):
                    use()


class Numbers(unittest.TestCase):
    def test_they_read_as_in_the_profilers_texts(self):
        texts = {"seconds": show.seconds_text, "percent": show.percent_text}
        lines = (samples.SOURCE / "tests/numbers/cases.tsv").read_text("utf-8").splitlines()
        for line in lines:
            kind, _, rest = line.partition("\t")
            if kind in texts:
                number, text = rest.split("\t")
                self.assertEqual(texts[kind](float(number)), text)


class Notebook(unittest.TestCase):
    def test_it_has_the_verdict_and_loads_nothing(self):
        for profile in (samples.FINISHED, samples.KILLED, samples.PHASES):
            report = mpiprof.open(profile)
            text = report._repr_html_()
            self.assertIn(report.verdict.headline, text)
            for word in ("<script", "src=", "http", "href"):
                self.assertNotIn(word, text)
            for part in report.rows("time_parts"):
                if part["time_s"] > 0:
                    self.assertIn(part["state"], text)

    def test_names_from_the_program_are_no_markup(self):
        document = samples.report_json(samples.FINISHED)
        document["run"]["program"] = "<img onerror=x>"
        document["verdict"]["headline"] = "<script>alert(1)</script>"
        text = mpiprof.Report(document)._repr_html_()
        self.assertNotIn("<img", text)
        self.assertNotIn("<script", text)


if __name__ == "__main__":
    unittest.main()
