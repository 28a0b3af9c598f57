#!/usr/bin/env python3
"""mprof list, on copies of the golden profiles: what it prints, the verdicts that mprof report
leaves for it, and dates that are none.

    list_profiles.py MPROF GOLDEN_FOLDER

What is expected is what the golden reports say of these profiles. Python's standard library only.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile

FORMS = ("today", "yesterday", "tuesday", "2026-11-24", '"2026-11-24 14:00"', "5h", "3d", "2w")


class Failed(Exception):
    """What was not as expected."""


def expect(is_so, what, *shown):
    if not is_so:
        raise Failed("\n".join([what, *map(str, shown)]))


class Folder:
    """A working folder with copies of profiles, and a home."""

    def __init__(self, mprof, folder):
        self.mprof, self.work = mprof, os.path.join(folder, "work")
        self.home = os.path.join(folder, "home")
        os.makedirs(self.work)
        os.makedirs(self.home)

    def run(self, *words, status=0, **changes):
        known = {name: value for name, value in os.environ.items()
                 if name not in ("XDG_CACHE_HOME", "MPROF_CACHE")}
        done = subprocess.run([self.mprof, *words], cwd=self.work, capture_output=True, text=True,
                              check=False, env={**known, "TZ": "UTC", "HOME": self.home, **changes})
        expect(done.returncode == status, f"{words} ended with {done.returncode}", done.stdout,
               done.stderr)
        return done

    def rows(self, *words, **changes):
        return json.loads(self.run("list", *words, "--json", "-", **changes).stdout)["profiles"]

    def verdict(self, path, **changes):
        found = [row["verdict_class"] for row in self.rows(**changes) if row["path"] == path]
        expect(len(found) == 1, f"not one row of {path}", found)
        return found[0]

    def kept(self):
        return os.path.join(self.home, ".cache", "mprof", "verdicts")


def expected_run(golden, name):
    with open(os.path.join(golden, "expected", f"{name}-report.json"), encoding="utf-8") as file:
        return json.load(file)


def check_rows(folder, golden):
    """The facts are those of the reports, and the newest run is first."""
    for row in folder.rows():
        if row["path"] not in ("finished", "killed"):
            continue
        report = expected_run(golden, row["path"])
        for key in ("program", "ranks"):
            expect(row[key] == report["run"][key], f"{key} is not the report's", row)
        # To the second: the list has the start of one rank.
        expect(row["start"][:19] == report["run"]["start"][:19], "another start", row)
    starts = [row["start"] for row in folder.rows()]
    expect(len(starts) == 5 and starts == sorted(starts, reverse=True), "not sorted", starts)
    text = folder.run("list").stdout
    expect("5 profiles here and below" in text and "times     : local: UTC" in text, "head", text)
    expect("  deep/er/run.mprof\n" in text and "  'with blank'\n" in text, "paths", text)
    day = folder.rows("finished")[0]["start"][:10]
    wanted = [row["path"] for row in folder.rows("--since", day, "--until", day)]
    expect("finished" in wanted, "the day of a run does not hold it", day, wanted)
    expect(folder.rows("--until", "2001-01-01") == [], "runs of another century")
    expect(folder.rows("--since", "0h") == [], "runs of the future")
    expect(len(folder.rows("--limit", "2")) == 2, "not two")
    # Moments are those of the reader's zone: midnight there is not midnight of UTC.
    hour = folder.rows("finished")[0]["start"][11:16]
    local = f"{day} {hour}"
    expect(folder.rows("finished", "--since", local, "--until", local), "the minute", local)
    expect(not folder.rows("finished", "--since", local, "--until", local, TZ="XYZ-5"), "zone")


def check_verdicts(folder, golden):
    """A report leaves its verdict, as long as the profile stays as it is."""
    expect(folder.verdict("finished") is None, "a verdict without a report")
    folder.run("report", "finished", MPROF_CACHE="off")
    expect(not os.path.exists(folder.kept()), "kept though nobody wanted it")
    folder.run("report", "finished", HOME=os.path.join(folder.work, "no", "home"))
    expect(not os.path.exists(os.path.join(folder.work, "no")), "a home was made")
    folder.run("report", "finished", HOME="/proc/self")  # nothing can be written there
    folder.run("report", "finished")
    expected = expected_run(golden, "finished")["verdict"]["class"]
    expect(folder.verdict("finished") == expected, "another class", folder.verdict("finished"))
    expect(expected in folder.run("list").stdout, "the table lacks the class")
    expect(folder.verdict("finished", MPROF_CACHE="off") is None, "read though nobody wants it")
    # Left by whatever analyses a profile.
    expect(folder.verdict("phases") is None, "a verdict without a report")
    folder.run("export", "phases", "--folded", "-")
    expect(folder.verdict("phases") is not None, "the export left no verdict")
    # By any way to the profile.
    expect(folder.rows("../work/finished/")[0]["verdict_class"] == expected, "by another path")
    shutil.copy(os.path.join(folder.work, "finished", "rank-1.mprof"),
                os.path.join(folder.work, "finished", "rank-0.mprof"))
    expect(folder.verdict("finished") is None, "the verdict of a profile that was changed")


def check_dates(folder):
    """A date that is none is an error that says what there is, for all commands."""
    for words in (["list", "--since", "foo"], ["list", "--until", "2026-02-30"],
                  ["archive", "list", "no.db", "--since", "foo"]):
        said = folder.run(*words, status=2).stderr
        expect(words[-1] + " is no date" in said and all(form in said for form in FORMS),
               f"{words} does not say the forms", said)
    folder.run("list", "nothing", status=2)
    folder.run("list", "--limit", "0", status=2)


def cpu_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def check_many(folder, golden):
    """1,000 profiles take less than 2 s: of each the head of one rank's file is read. By CPU time,
    of which it needs a twentieth, so that a busy machine is no failure."""
    many = os.path.join(folder.work, "many")
    for number in range(1000):
        place = os.path.join(many, f"{number}.mprof")
        os.makedirs(place)
        for name in os.listdir(os.path.join(golden, "finished")):
            os.link(os.path.join(folder.work, "with blank", name), os.path.join(place, name))
    before_s = cpu_s()
    rows = folder.rows("many")
    used_s = cpu_s() - before_s
    expect(len(rows) == 1000 and {row["ranks"] for row in rows} == {4}, "other rows", rows[:1])
    expect(used_s < 2, f"1,000 profiles took {used_s:.2f} s of CPU time")
    shutil.rmtree(many)


def main():
    mprof, golden = map(os.path.abspath, sys.argv[1:])
    with tempfile.TemporaryDirectory() as top:
        folder = Folder(mprof, top)
        for name, source in (("finished", "finished"), ("killed", "killed"),
                             ("phases", "phases"), ("with blank", "finished")):
            shutil.copytree(os.path.join(golden, source), os.path.join(folder.work, name))
        os.makedirs(os.path.join(folder.work, "deep", "er"))
        folder.run("merge", "finished", "-o", "deep/er/run.mprof")
        try:
            check_rows(folder, golden)
            check_verdicts(folder, golden)
            check_dates(folder)
            check_many(folder, golden)
        except Failed as problem:
            sys.exit(str(problem))


if __name__ == "__main__":
    main()
