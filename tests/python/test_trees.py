#!/usr/bin/env python3
"""mpiprof.to_hatchet() and to_thicket(): Hatchet and Thicket themselves read the trees, and sums
are those of the report. Needs llnl-hatchet and llnl-thicket."""
import copy
import unittest

import samples

samples.need("hatchet")
samples.need("thicket")

import mpiprof  # noqa: E402


def with_samples(report):
    """The same run with 1 s of samples in solve(), which main() calls."""
    document = copy.deepcopy(report.document)
    frame = {"symbol": "main", "module": "/bin/heat", "offset": "0x1", "file": None, "line": None,
             "inlined": False}
    document["hotspots"] = [{"function": "solve", "place": "heat.c:7", "time_s": 1.0,
                             "path": [frame]}]
    return mpiprof.Report(document)


class Trees(unittest.TestCase):
    def setUp(self):
        self.report = mpiprof.open(samples.FINISHED)
        self.frame = mpiprof.to_hatchet(self.report)

    def value(self, name, metric, frame=None):
        table = (frame or self.frame).dataframe
        return float(table.loc[table["name"] == name, metric].sum())

    def test_roots_add_up_to_the_run(self):
        totals = self.report.totals
        table = self.frame.dataframe
        roots = sum(table.loc[root, "time (inc)"] for root in self.frame.graph.roots)
        self.assertAlmostEqual(roots, totals.mpi_s + totals.compute_s)
        self.assertAlmostEqual(table["time"].sum(), roots)
        self.assertEqual(table["calls"].sum(), totals.calls)

    def test_a_call_is_below_the_functions_on_its_way(self):
        calls = {row["place"]: row for row in self.report.rows("callsites")}
        row = calls["heat+0x1620"]
        name = "MPI_Allreduce (heat+0x1620)"
        self.assertAlmostEqual(self.value(name, "time"), row["time_s"])
        self.assertAlmostEqual(self.value(name, "wait"), row["wait_s"] or 0)
        node = next(n for n in self.frame.graph.traverse() if n.frame["name"] == name)
        self.assertEqual([n.frame["name"] for n in node.path()],
                         ["heat+0x1500", "heat+0x1620", name])

    def test_samples_divide_the_computing(self):
        frame = mpiprof.to_hatchet(with_samples(self.report))
        compute_s = self.report.totals.compute_s
        self.assertAlmostEqual(self.value("solve", "time", frame), 1)
        self.assertAlmostEqual(self.value("main", "time (inc)", frame), 1)
        self.assertAlmostEqual(self.value("[computing, not sampled]", "time", frame), compute_s - 1)

    def test_hatchet_subtracts_runs(self):
        other = mpiprof.to_hatchet(with_samples(self.report))
        difference = other.sub(self.frame)
        self.assertAlmostEqual(self.value("[computing, not sampled]", "time", difference), -1)

    def test_thicket_has_a_profile_of_each_run(self):
        both = mpiprof.to_thicket([self.report, samples.PHASES])
        self.assertEqual(sorted(both.metadata["program"]), ["app", "heat"])
        self.assertEqual(list(both.metadata["wallclock_s"]), [2.0, 2.0])
        self.assertEqual(len(both.profile), 2)
        self.assertIn(2.8, [round(time_s, 3) for time_s in both.dataframe["time"].dropna()])
        self.assertIn("MPI_Allreduce", both.tree(metric_column="time"))


if __name__ == "__main__":
    unittest.main()
