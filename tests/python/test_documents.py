#!/usr/bin/env python3
"""What stands in python.md and in the module's docstrings is what comes out. Needs pandas
and scipy."""
import doctest
import os
import shutil
import sys
import unittest

import samples

samples.need("scipy")
pandas = samples.need("pandas")

import mpiprof  # noqa: E402

OPTIONS = doctest.NORMALIZE_WHITESPACE


class Documents(unittest.TestCase):
    def setUp(self):
        folder = samples.work_folder("documents")
        shutil.copytree(samples.FINISHED, folder / "heat.mprof")
        shutil.copytree(samples.KILLED, folder / "heat.killed.mprof")
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder)
        pandas.set_option("display.width", 100)

    def check(self, result):
        self.assertGreater(result.attempted, 3)
        self.assertEqual(result.failed, 0)

    def test_the_document(self):
        self.check(doctest.testfile(str(samples.SOURCE / "share/doc/howto/python.md"),
                                    module_relative=False, optionflags=OPTIONS))

    def test_the_docstring_of_the_module(self):
        self.check(doctest.testmod(mpiprof, extraglobs={"example": "heat.mprof"},
                                   optionflags=OPTIONS))


if __name__ == "__main__":
    sys.exit(unittest.main())
