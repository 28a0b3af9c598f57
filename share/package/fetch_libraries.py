#!/usr/bin/env python3
"""Builds libraries that are not on this machine, for cmake -DMPROF_FETCH=ON, which calls it.

usage: fetch_libraries.py FOLDER --cc COMPILER --cxx COMPILER [--archives FOLDER] NAME...

FOLDER/libraries is where they are then, for CMAKE_PREFIX_PATH. Sources come from apt-get, or from
the folder of archives. No root is needed.
"""

import argparse
import pathlib
import shutil
import sys

sys.dont_write_bytecode = True
import libraries  # noqa: E402


class Fetcher(libraries.Libraries):
    def __init__(self, folder, sources, compilers):
        super().__init__(folder, sources, "MPROF_FETCH")
        self.compilers = compilers

    def tool(self, name):
        return self.compilers.get(name) or shutil.which(name) or name


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--archives", type=pathlib.Path)
    parser.add_argument("names", nargs="+", choices=list(libraries.LIBRARIES))
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    sources = arguments.archives or folder / "sources"
    fetcher = Fetcher(folder, sources, {"cc": arguments.cc, "c++": arguments.cxx})
    if not arguments.archives:
        fetcher.step("sources of " + " ".join(arguments.names), fetcher.fetch, arguments.names)
    for name in arguments.names:
        fetcher.build_library(name)
    fetcher.describe(arguments.names)


if __name__ == "__main__":
    main()
