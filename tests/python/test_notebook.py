#!/usr/bin/env python3
"""The notebook python/examples/figures.ipynb runs, with its checks, on a sample profile. Needs
nbclient, ipykernel, pandas and scipy."""
import os
import sys
import tempfile
import unittest
from unittest import mock

import samples

nbclient = samples.need("nbclient")
nbformat = samples.need("nbformat")
samples.need("ipykernel")
samples.need("scipy")
config = samples.need("traitlets.config").config

NOTEBOOK = samples.MODULE / "examples/figures.ipynb"


# Notebook and kernel speak over files: a free TCP port that is chosen for the kernel may be taken
# by another program before the kernel binds to it.
OVER_FILES = {"KernelManager": {"transport": "ipc"}}


class Notebook(unittest.TestCase):
    def run_on(self, profile):
        notebook = nbformat.read(NOTEBOOK, as_version=4)
        folder = samples.work_folder("notebook")
        (folder / "kernels/python3").mkdir(parents=True)
        (folder / "kernels/python3/kernel.json").write_text(
            f'{{"argv": ["{sys.executable}", "-m", "ipykernel_launcher", "-f", '
            '"{connection_file}"], "display_name": "Python 3", "language": "python"}')
        # A short path: that of a socket has at most 107 characters.
        with tempfile.TemporaryDirectory(prefix="mprof-") as runtime, mock.patch.dict(os.environ, {
                "PYTHONPATH": str(samples.MODULE), "MPIPROF_PROFILE": str(profile),
                "JUPYTER_PATH": str(folder), "IPYTHONDIR": str(folder / "ipython"),
                "JUPYTER_RUNTIME_DIR": runtime}):
            nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3",
                                    config=config.Config(OVER_FILES)).execute()
        return notebook

    def test_figures_of_the_report_follow_from_its_tables(self):
        outputs = [output for cell in self.run_on(samples.FINISHED).cells
                   for output in cell.get("outputs", [])]
        self.assertTrue(any("<p><b>" in output.get("data", {}).get("text/html", "")
                            for output in outputs))

    def test_a_check_that_does_not_hold_is_an_error(self):
        """The figures are compared, not only shown."""
        document = samples.report_json(samples.FINISHED, "--by-rank")
        document["totals"]["load_balance"] *= 1.01
        path = samples.saved(samples.work_folder("wrong"), "wrong", document)
        with self.assertRaises(nbclient.exceptions.CellExecutionError):
            self.run_on(path)

    def test_it_is_committed_without_outputs(self):
        notebook = nbformat.read(NOTEBOOK, as_version=4)
        self.assertEqual([cell for cell in notebook.cells if cell.get("outputs")], [])


if __name__ == "__main__":
    unittest.main()
