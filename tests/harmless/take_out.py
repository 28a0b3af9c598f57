#!/usr/bin/env python3
"""Shows that the cases can fail: takes each fix out in turn, builds, and sees the case fail.

    take_out.py --environments DIR --library FILE --mprof FILE --work DIR [CASE ...]

It works in a copy of the repository in DIR/source (`git ls-files`), built in DIR/build. It does not
use the library of the arguments. It uses their command only where neither the fix nor the case has
to do with it. A case fails "without" a fix if it fails on one of its MPIs. Exit status 1 if a case
passes all the same, or if the text to take out is not there.
"""

import argparse
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import case as cases  # noqa: E402
import find_take_outs  # noqa: E402
import run_case  # noqa: E402

TOP = find_take_outs.TOP


def copy_source(work):
    source = os.path.join(work, "source")
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others",
                            "--exclude-standard"], cwd=TOP,
                           capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        path, copy = os.path.join(TOP, name), os.path.join(source, name)
        if not os.path.isfile(path):
            continue
        with open(path, "rb") as file:
            content = file.read()
        # What is as it was keeps its time, so that little is built again.
        if os.path.exists(copy):
            with open(copy, "rb") as file:
                if file.read() == content:
                    continue
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        shutil.copyfile(path, copy)
        shutil.copymode(path, copy)
    return source


def build(work, *targets):
    """False and the compiler's words if it does not build."""
    folder = os.path.join(work, "build")
    if not os.path.exists(os.path.join(folder, "CMakeCache.txt")):
        subprocess.run(["cmake", "-S", os.path.join(work, "source"), "-B", folder, "-G",
                        "Ninja", "-DMPROF_WERROR=OFF"],
                       capture_output=True, check=True)
    done = subprocess.run(["cmake", "--build", folder, "--target", *targets],
                          capture_output=True, text=True, check=False)
    return done.returncode == 0, done.stdout[-2000:]


def try_without(case, fix, arguments):
    """How it failed, or None."""
    source = os.path.join(arguments.work, "source")
    if why := find_take_outs.why_not_there(fix, source):
        return f"NOT THERE: {why}"
    path = os.path.join(source, fix.file)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(fix.old, fix.new))
    try:
        # `mprof run` takes the library that lies beside it.
        needs_command = fix.file.startswith("parser/") or case.started != "preload"
        built, words = build(arguments.work, "mprof_preload", *(["mprof"] if needs_command else []))
        if not built:
            return f"DOES NOT BUILD: {words}"
        tried = argparse.Namespace(**vars(arguments))
        tried.library = os.path.join(arguments.work, "build", "lib", "libmprof.so")
        if needs_command:
            tried.mprof = os.path.join(arguments.work, "build", "bin", "mprof")
        for name in case.builds:
            _, state, detail = run_case.outcome(case, run_case.find_build(name, tried), tried)
            if state == "FAILED":
                return f"fails on {name}: {detail.splitlines()[0]}"
        return None
    finally:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def main():
    parser = run_case.argument_parser(__doc__)
    parser.add_argument("--work", required=True, type=os.path.abspath)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    arguments = parser.parse_args()
    copy_source(arguments.work)
    build(arguments.work, "mprof_preload")
    passed = failed = 0
    for case in cases.load().values():
        if arguments.cases and case.name not in arguments.cases:
            continue
        for fix in case.take_outs:
            how = try_without(case, fix, arguments)
            good = how is not None and not how.startswith(("NOT", "DOES"))
            passed, failed = passed + good, failed + (not good)
            print(f"{case.name}: without {fix.what}: {how or 'PASSES ALL THE SAME'}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
