#!/usr/bin/env python3
"""mprof report --digest of every golden profile is a message: at most 2,048 bytes of plain ASCII,
with the class of the verdict, what saves most, and how to ask for more.

    digests.py MPROF PROFILE...

What it must name is what the JSON report says. Python's standard library only.
"""

import json
import subprocess
import sys

MOST_BYTES = 2048


def output(mprof, *words):
    done = subprocess.run([mprof, "report", *words], capture_output=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{words} ended with {done.returncode}: {done.stderr.decode()}")
    return done.stdout


def mistakes(mprof, profile):
    text = output(mprof, profile, "--digest")
    if len(text) > MOST_BYTES:
        yield f"{len(text)} bytes"
    words = text.decode("ascii", errors="replace")
    if any(not (" " <= letter <= "~" or letter == "\n") for letter in words) or "#" in words:
        yield "not plain"
    report = json.loads(output(mprof, profile, "--json", "-"))
    run, verdict = report["run"], report["verdict"]
    wanted = [f"Verdict: {verdict['class']}.", run["program"], f"{run['ranks']} ranks on ",
              "mprof report FOLDER", "--json"]
    wanted += [f"- {row['name']}" for row in report["accounts"][:1]]
    if verdict["extra"]:
        wanted.append(f"But: {verdict['extra'][0].split('. ')[0][:100]}")
    lines = report["call_lines"]
    if lines:
        wanted.append(max(lines, key=lambda row: row["mpi_thread_s"])["function"])
    yield from (f"without {part!r}" for part in wanted if part not in words)


def main():
    mprof, *profiles = sys.argv[1:]
    wrong = [f"{profile}: {mistake}" for profile in profiles
             for mistake in mistakes(mprof, profile)]
    print("\n".join(wrong) or f"{len(profiles)} digests")
    sys.exit(1 if wrong or not profiles else 0)


if __name__ == "__main__":
    main()
