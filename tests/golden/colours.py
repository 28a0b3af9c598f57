#!/usr/bin/env python3
"""Colours on a terminal, and nowhere else (no-color.org).

    colours.py MPROF FOLDER

A report on a terminal without its colours is the report in a pipe. With NO_COLOR, on a terminal
that knows no colours, and in a pipe there are none. The report of mprof run --report goes to
standard error, so what counts is whether that is a terminal. Python's standard library only.
"""

import os
import pty
import re
import subprocess
import sys
import tempfile

SEQUENCE = re.compile(r"\x1b\[[0-9;]*m")
RED_CLASS = "\x1b[1;31mLOAD-IMBALANCE BOUND\x1b[0m"
BOLD_ANSWER = "\x1b[1mANSWER    \x1b[0m: \x1b[1;"


def environment(changes):
    known = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    return {**known, "TZ": "UTC", "TERM": "xterm-256color", **changes}


def on_terminal(command, stream="stdout", cwd=None, **changes):
    """What the command prints on a terminal; its other stream is none."""
    ours, its = pty.openpty()
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: its}
    job = subprocess.Popen(command, stdin=its, env=environment(changes), cwd=cwd, **streams)
    os.close(its)
    pieces = []
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # EIO: the command ended
            break
        if not piece:
            break
        pieces.append(piece)
    os.close(ours)
    job.wait()
    return b"".join(pieces).decode().replace("\r\n", "\n")


def in_pipe(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          env=environment({}), check=False).stdout


def problems_of(command, expected=RED_CLASS):
    plain, coloured = in_pipe(command), on_terminal(command)
    if not plain or SEQUENCE.search(plain):
        yield "a pipe gets colours, or nothing"
    if expected not in coloured:
        yield f"the answer has no colour on a terminal:\n{coloured[:400]!r}"
    if SEQUENCE.sub("", coloured) != plain:
        yield "without its colours the text is another"
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        if on_terminal(command, **{name: value}) != plain:
            yield f"{name}={value} is not respected"


def problems_of_run(mprof, folder):
    """The command of the run leaves a copy of the profile."""
    report = in_pipe([mprof, "report", folder, "--width", "80"])
    for is_coloured, changes in ((True, {}), (False, {"NO_COLOR": "1"})):
        with tempfile.TemporaryDirectory() as where:
            said = on_terminal([mprof, "run", "--report", "-o", "new", "--", "cp", "-r", folder,
                                "new"], "stderr", where, **changes)
        if (RED_CLASS in said) != is_coloured or report not in SEQUENCE.sub("", said):
            yield f"on a terminal with {changes}:\n{said[:400]!r}"


def main():
    mprof, folder = map(os.path.abspath, sys.argv[1:])
    failed = False
    for options in (["--width", "80"], ["--brief"]):
        for problem in problems_of([mprof, "report", folder, *options]):
            print(f"mprof report {' '.join(options)}: {problem}")
            failed = True
    for problem in problems_of([mprof, "diff", folder, folder, "--width", "80"], BOLD_ANSWER):
        print(f"mprof diff: {problem}")
        failed = True
    # A build with sanitizers has no library to preload.
    if os.path.exists(os.path.join(os.path.dirname(mprof), "..", "lib", "libmprof.so")):
        for problem in problems_of_run(mprof, folder):
            print(f"mprof run --report: {problem}")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
