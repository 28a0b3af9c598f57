#!/usr/bin/env python3
"""Runs a test program with the Python that has the packages of install_packages.py. If they could
not be installed, it is this Python: the program skips what it cannot do, and says so.

    with_packages.py FOLDER PROGRAM
"""
import os
import pathlib
import sys


def main():
    folder, program = pathlib.Path(sys.argv[1]).absolute(), sys.argv[2]
    python = sys.executable
    if (folder / "installed").exists():
        python = str(folder / "bin/python3")
    else:
        failed = folder.with_suffix(".failed")
        reason = failed.read_text() if failed.exists() else "python.install did not run"
        print(f"without packages from PyPI: {reason}", flush=True)
    os.execv(python, [python, "-B", program])


if __name__ == "__main__":
    main()
