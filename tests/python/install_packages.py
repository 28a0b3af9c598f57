#!/usr/bin/env python3
"""Installs packages from PyPI that tests need, as a virtual environment.

    install_packages.py FOLDER [PACKAGE...]

Without a PACKAGE they are those of the tests in this folder.

What is there already stays. If something cannot be installed (no network), FOLDER.failed says why,
the tests that need it are skipped with that reason, and the exit status is 0 all the same.
"""
import pathlib
import shutil
import subprocess
import sys
import venv

RETRY = pathlib.Path(__file__).resolve().parents[2] / "share/retry"
# numpy, pandas and scipy of one day; the tests also run with those of Debian.
PACKAGES = ["pandas", "scipy", "pyarrow", "duckdb", "mypy", "pandas-stubs", "nbclient",
            "ipykernel", "setuptools", "wheel", "mcp>=2; python_version >= '3.10'"]
TIME_LIMIT_S = 1200


def install(folder, packages):
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    done = subprocess.run([RETRY, folder / "bin/python3", "-m", "pip", "install",
                           "--no-cache-dir", "--disable-pip-version-check", "--quiet", *packages],
                          capture_output=True, text=True, timeout=TIME_LIMIT_S, check=False)
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["pip failed"])[-1]


def main():
    folder = pathlib.Path(sys.argv[1]).absolute()
    failed, mark = folder.with_suffix(".failed"), folder / "installed"
    packages = sys.argv[2:] or PACKAGES
    wanted = " ".join(packages)
    if mark.exists() and mark.read_text() == wanted:
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    failed.unlink(missing_ok=True)
    try:
        reason = install(folder, packages)
    except (OSError, subprocess.SubprocessError) as error:
        reason = str(error)
    if reason:
        failed.write_text(reason)
        print(f"not installed: {reason}")
    else:
        mark.write_text(wanted)


if __name__ == "__main__":
    main()
