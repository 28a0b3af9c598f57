#!/usr/bin/env python3
"""mprof archive, on profiles and on a centre that make_centre makes up: run_archive.py CASE.

What is expected comes from what was planted, and from Python's own sqlite3.
"""

import argparse
import contextlib
import glob
import json
import os
import random
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from xml.etree import ElementTree

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "groups"))
import needs  # noqa: E402

# The tables as schema 1 had them, whatever mprof makes today.
OLD_TABLES = """
CREATE TABLE archive (key TEXT PRIMARY KEY NOT NULL, value TEXT);
CREATE TABLE runs ("run" TEXT PRIMARY KEY NOT NULL, "program" TEXT, "input" TEXT, "command" TEXT,
  "owner" TEXT, "ranks" BIGINT, "nodes" BIGINT, "start" TEXT, "stop" TEXT,
  "wallclock_s" DOUBLE PRECISION, "mpi_s" DOUBLE PRECISION, "compute_s" DOUBLE PRECISION,
  "wait_s" DOUBLE PRECISION, "contention_s" DOUBLE PRECISION, "blocked_s" DOUBLE PRECISION,
  "calls" BIGINT, "sent_bytes" BIGINT, "memory_bytes" BIGINT, "comm_percent" DOUBLE PRECISION,
  "load_balance" DOUBLE PRECISION, "parallel_efficiency" DOUBLE PRECISION, "complete" BIGINT,
  "end" TEXT, "verdict_class" TEXT, "verdict_state" TEXT, "gain_s" DOUBLE PRECISION, "host" TEXT,
  "slow_host" TEXT, "mpi_library" TEXT, "compiler" TEXT, "kernel" TEXT, "build_id" TEXT,
  "mprof" TEXT);
CREATE TABLE call_lines (run TEXT NOT NULL, place TEXT, function TEXT, calls BIGINT,
  time_s DOUBLE PRECISION, wait_s DOUBLE PRECISION);
INSERT INTO archive VALUES ('schema', '1'), ('privacy', 'full'), ('secret', '0011223344556677');
INSERT INTO runs (run, program, input, ranks, start, wallclock_s, complete)
  VALUES ('old', 'app', '', 1, '2020-01-01T00:00:00Z', 2.5, 1);
"""


class Failed(Exception):
    """What was not as expected."""


def expect(is_so, what, *shown):
    if not is_so:
        raise Failed("\n".join([what, *map(str, shown)]))


def cpu_s():
    """CPU time of this process and of the commands that it has run: what else the machine does
    changes it little."""
    return sum(os.times()[:4])


class Archives:
    """Runs the commands in a folder of its own."""

    def __init__(self, arguments):
        self.mprof, self.make, self.folder = arguments.mprof, arguments.make, arguments.work
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def command(self, action, archive, *words):
        return [self.mprof, "archive", action, archive, *words]

    def run(self, action, archive, *words, status=0):
        done = subprocess.run(self.command(action, archive, *words), capture_output=True,
                              text=True, check=False)
        expect(done.returncode == status, f"{action} ended with {done.returncode}", done.stdout,
               done.stderr)
        return done

    def json(self, action, archive, *words):
        return json.loads(self.run(action, archive, *words, "--json", "-").stdout)

    def profiles(self, count):
        subprocess.run([self.make, "profiles", self.path("profiles"), str(count)], check=True)
        return [self.path(f"profiles/{i}.mprof") for i in range(count)]

    def centre(self, archive, runs, seed=1):
        truth = self.path("truth.json")
        subprocess.run([self.make, "centre", archive, str(runs), truth, str(seed)], check=True)
        with open(truth, encoding="utf-8") as file:
            return json.load(file)


def rows(archive, statement, *values):
    connection = sqlite3.connect(archive)
    try:
        return connection.execute(statement, values).fetchall()
    finally:
        connection.close()


def case_once(archives):
    """The same run twice is one, and what is kept is what the report says."""
    archive, profiles = archives.path("once.db"), archives.profiles(4)
    said = archives.run("add", archive, *profiles).stderr
    expect("4 runs added" in said, "not four", said)
    said = archives.run("add", archive, *profiles, profiles[0]).stderr
    expect("0 runs added, 5 were already there" in said, "added twice", said)
    report = json.loads(subprocess.run([archives.mprof, "report", profiles[2], "--json", "-"],
                                       capture_output=True, check=True).stdout)
    kept = {run["start"]: run for run in archives.json("list", archive)["runs"]}
    expect(len(kept) == 4, "not four runs", kept)
    run = kept[report["run"]["start"]]
    for key in ("program", "ranks", "nodes", "start", "stop", "wallclock_s", "host", "mpi_library",
                "command", "complete", "end"):
        expect(run[key] == report["run"][key], f"{key} is not the report's", run, report["run"])
    for key in ("mpi_s", "compute_s", "wait_s", "calls", "sent_bytes", "memory_bytes",
                "comm_percent", "load_balance", "parallel_efficiency"):
        expect(run[key] == report["totals"][key], f"{key} is not the report's", run)
    expect((run["input"], run["kernel"], run["build_id"]) == ("-n case7", "6.1.112", "aa01"),
           "the environment is another one", run)
    # The lines are those of the rank files: 200 ms and 50 ms.
    lines = rows(archive, "SELECT function, calls, time_s FROM call_lines WHERE run = ? "
                 "ORDER BY time_s DESC", run["run"])
    expect(lines == [("MPI_Allreduce", 100, 0.2), ("MPI_Send", 10, 0.05)], "other lines", lines)
    pair = archives.json("compare", archive, *sorted(each["run"] for each in kept.values())[:2])
    expect(len(pair["a"]) == 1 and pair["environment"] == [], "not alike", pair)
    # Each began an hour after the one before.
    since = run["start"][:16].replace("T", " ")
    later = subprocess.run(archives.command("list", archive, "--since", since, "--json", "-"),
                           capture_output=True, check=True, env={**os.environ, "TZ": "UTC"})
    expect(len(json.loads(later.stdout)["runs"]) == 2, "not the two since then", later.stdout)
    expect(archives.json("list", archive, "--since", "2100-01-01")["runs"] == [], "of the future")
    expect("foo is no date" in archives.run("list", archive, "--since", "foo", status=2).stderr,
           "a date that is none")
    # People know a run by its folder and its verdict, not by its number.
    listed = archives.run("list", archive).stdout
    for path in profiles:
        row = f'  {run["verdict_class"]}  {shlex.quote(path)}\n'
        expect(row in listed, f"{path} has no row", listed)
    expect(not any(each["run"] in listed for each in kept.values()), "numbers of runs", listed)
    named = archives.json("compare", archive, "0.mprof", profiles[1] + "/")
    expect([named[side][0]["folder"] for side in "ab"] == profiles[:2], "other runs", named)
    expect("4 of the runs are called" in
           archives.run("compare", archive, "", "0.mprof", status=2).stderr, "not one run")
    said = archives.run("regressions", archive).stdout
    expect("<0.01" in said and not re.search(r"[0-9]e-[0-9]", said), "hours of seconds", said)
    history = archives.json("history", archive, "app", "--ranks", "1")
    times = [each["wallclock_s"] for each in history["series"][0]["all_runs"]]
    expect(times == [1.0, 1.001, 1.002, 1.003], "another history", times)


def case_commits(archives):
    """A run keeps its commit and what each cause costs it, and a history has both."""
    archive, profiles = archives.path("commits.db"), archives.profiles(2)
    archives.run("add", archive, profiles[0], "--commit", "0123abcd")
    archives.run("add", archive, profiles[1])
    report = json.loads(subprocess.run([archives.mprof, "report", profiles[0], "--json", "-"],
                                       capture_output=True, check=True).stdout)
    costs = {row["name"]: row["gain_s"] for row in report["accounts"] if row["gain_s"] > 0}
    first, second = archives.json("history", archive, "app")["series"][0]["all_runs"]
    expect((first["commit"], second["commit"]) == ("0123abcd", None), "commits", first, second)
    kept = {row["name"]: row["cost_s"] for row in first["accounts"]}
    expect(kept.keys() == costs.keys() and len(kept) > 0, "other accounts", kept, costs)
    expect(all(abs(kept[name] - costs[name]) <= 1e-3 * costs[name] for name in costs),
           "other costs", kept, costs)
    hidden = archives.path("figures.db")
    archives.run("add", hidden, profiles[0], "--commit", "0123abcd", "--privacy", "figures")
    expect(rows(hidden, 'SELECT "commit" FROM runs') == [(None,)], "the commit is kept")


def badge_of(path):
    """The words of a badge, which is XML, and whether it is red."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    parts = [part.text for part in ElementTree.fromstring(text).iter()
             if part.tag.endswith("}text")]
    return parts, "#b42318" in text


def case_publish(archives):
    """A page and a badge of each program; the badge of a planted regression says so."""
    archive, folder = archives.path("publish.db"), archives.path("public")
    truth = archives.centre(archive, 30_000)
    strange = "../<b>"
    connection = sqlite3.connect(archive)
    connection.execute("UPDATE runs SET program = ? WHERE program = 'app00'", (strange,))
    connection.commit()
    connection.close()
    archives.run("publish", archive, folder)
    expect("replace" in archives.run("publish", archive, folder).stderr, "not said")
    names = sorted(os.listdir(folder))
    programs = {name for name, in rows(archive, "SELECT DISTINCT program FROM runs")}
    expect(len(names) == 2 * len(programs) + 1 and "index.html" in names, "other files", names)
    expect(badge_of(os.path.join(folder, "_.__b_.svg"))[0][0] == strange, "a strange name")
    planted = {row["program"] for row in truth if row["percent"] > 0} - {"app00"}
    red = set()
    for program in sorted(programs - {strange}):
        (name, words), is_red = badge_of(os.path.join(folder, f"{program}.svg"))
        expect(name == program, "another name", name)
        expect(is_red == bool(re.search(r", [+][0-9.]+% since ", words)), "colour", words)
        if is_red:
            red.add(program)
    expect(planted <= red, "a planted regression has no red badge", planted - red)
    expect(len(red - planted) <= 1, "false alarms", red - planted)
    changed = [change for one in archives.json("regressions", archive)["series"]
               for change in one["changes"]]
    for change in changed:
        expect(rows(archive, 'SELECT count(*) FROM runs WHERE "commit" = ? AND start = ?',
                    change["commit"], change["start"])[0][0] >= 1, "another commit", change)
    expect(len(changed) > 0, "no change")


def case_refused(archives):
    """Files that are no archive stay as they are, and the reason is said."""
    profiles = archives.profiles(1)
    other = archives.path("other.db")
    sqlite3.connect(other).execute("CREATE TABLE runs (run TEXT)").connection.close()
    newer = archives.path("newer.db")
    archives.run("add", newer, *profiles)
    connection = sqlite3.connect(newer)
    connection.execute("UPDATE archive SET value = '99' WHERE key = 'schema'")
    connection.commit()
    connection.close()
    text = archives.path("text.db")
    with open(text, "w", encoding="utf-8") as file:
        file.write("no database at all\n" * 100)
    for archive, words in ((other, "database of another program"), (newer, "schema 99"),
                           (text, "not an SQLite database"),
                           (archives.path("no/such/folder.db"), "unable to open")):
        said = archives.run("add", archive, *profiles, status=2).stderr
        expect(words in said, f"not said: {words}", said)
    expect(rows(other, "SELECT count(*) FROM sqlite_master") == [(1,)], "was written to")
    expect("does not exist" in archives.run("list", archives.path("none.db"), status=2).stderr,
           "an archive that is not there")
    # One that cannot be read does not keep the others out.
    said = archives.run("add", archives.path("some.db"), text, *profiles, status=2).stderr
    expect("1 run added" in said, "the other one is missing", said)


def case_migrates(archives):
    """An archive of schema 1 gets what is new when a run is added."""
    archive, profiles = archives.path("old.db"), archives.profiles(1)
    connection = sqlite3.connect(archive)
    connection.executescript(OLD_TABLES)
    connection.close()
    expect("brings it to" in archives.run("list", archive, status=2).stderr, "not said")
    archives.run("add", archive, *profiles)
    expect(rows(archive, "SELECT value FROM archive WHERE key = 'schema'") == [("4",)], "schema")
    runs = archives.json("list", archive)["runs"]
    expect([(run["run"], run["wallclock_s"], run["stands_for"]) for run in runs][0] ==
           ("old", 2.5, 1) and len(runs) == 2, "the old run is another one", runs)


def case_private(archives):
    """What a level of privacy does not keep is nowhere in the file."""
    profiles = archives.profiles(3)
    secrets = {"scrubbed": [b"/home/someone", b"case7", b"node00"],
               "figures": [b"/home/someone", b"case7", b"node00", b"Allreduce", b"0x100"]}
    for level, words in secrets.items():
        archive = archives.path(f"{level}.db")
        archives.run("add", archive, *profiles, "--privacy", level)
        with open(archive, "rb") as file:
            content = file.read()
        for word in words:
            expect(word not in content, f"{level} keeps {word}")
        expect(b"6.1.112" in content, "the kernel is missing")
        runs = archives.json("list", archive)["runs"]
        expect(len({run["input"] for run in runs}) == 1 and runs[0]["input"].startswith("input-"),
               "inputs are not told apart by number", runs)
        said = archives.run("add", archive, *profiles, "--privacy", "full", status=2).stderr
        expect(f"--privacy {level}" in said, "another level was taken", said)
        archives.run("add", archive, *profiles)
        expect(len(archives.json("list", archive)["runs"]) == 3, "added twice")


def whole_runs(archive):
    """Checks that no run is there in part; gives the runs."""
    expect(rows(archive, "PRAGMA integrity_check") == [("ok",)], "the file is damaged")
    expect(rows(archive, "SELECT count(*) FROM call_lines WHERE run NOT IN (SELECT run FROM runs)")
           == [(0,)], "lines without a run")
    counts = rows(archive, "SELECT runs.run, count(call_lines.run) FROM runs LEFT JOIN call_lines "
                  "USING (run) GROUP BY runs.run")
    expect(all(count == 2 for _, count in counts), "a run in part", counts)
    return [run for run, _ in counts]


def write_at_once(archives, archive, profiles, writers, killed, look):
    """Starts writers of overlapping profiles, kills some, and starts those again."""
    chance = random.Random(5)
    each = max(2 * len(profiles) // writers, 2)

    def words(writer):
        first = writer * len(profiles) // writers
        return [profiles[(first + i) % len(profiles)] for i in range(each)]

    running = [subprocess.Popen(archives.command("add", archive, *words(writer)),
                                stderr=subprocess.PIPE, text=True) for writer in range(writers)]
    doomed = chance.sample(range(writers), killed)
    for writer in doomed:
        time.sleep(chance.random() * 0.02)
        running[writer].send_signal(signal.SIGKILL)
    for writer, process in enumerate(running):
        said = process.communicate()[1]
        expect(process.returncode == 0 or writer in doomed, "a writer failed", said)
    look()
    for writer in doomed:
        archives.run("add", archive, *words(writer))


def case_writers(archives, writers=40, killed=12):
    """Many writers at once, some killed: no run lost, none twice, none in part."""
    archive, profiles = archives.path("writers.db"), archives.profiles(2 * writers)
    write_at_once(archives, archive, profiles, writers, killed, lambda: whole_runs(archive))
    expect(len(whole_runs(archive)) == len(profiles), "runs are lost or there twice")


def case_many_writers(archives):
    """The same with 200."""
    case_writers(archives, 200, 60)


def changes_of(answer):
    """By program, input and ranks the changes that count and last."""
    found = {}
    for series in answer["series"]:
        for change in series["changes"]:
            if change["enough"] and change["lasts"]:
                key = (series["program"], series["input"], series["ranks"])
                found.setdefault(key, []).append(change)
    return found


def days_between(a, b):
    seconds = [time.mktime(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")) for text in (a, b)]
    return abs(seconds[0] - seconds[1]) / 86400


def look_for_planted(answer, truth, days=45, with_lane=True):
    """All that were planted are found where they are, and at most one that was not."""
    found = changes_of(answer)
    for planted in truth:
        key = (planted["program"], planted["input"], planted["ranks"])
        near = [change for change in found.pop(key, [])
                if days_between(change["start"], planted["start"]) < days
                and abs(change["percent"] - planted["percent"]) < 1.5]
        expect(len(near) == 1, f"not found: {planted}")
        expect(not with_lane or planted["lane"] in [lane["lane"] for lane in near[0]["lanes"]],
               f"another lane than {planted}", near)
    expect(len(found) <= 1, "false alarms", found)
    return len(found)


def case_centre(archives):
    """A hundred thousand runs of a centre: what was planted is found, soon, on a small page."""
    archive = archives.path("centre.db")
    truth = archives.centre(archive, 100000)
    expect(len([each for each in truth if each["percent"] > 0]) == 12, "not 12 were planted")
    begin = cpu_s()
    all_rows = rows(archive, "SELECT * FROM runs ORDER BY start")
    reading = cpu_s() - begin
    expect(len(all_rows) == 100000, "not all runs")
    begin = cpu_s()
    answer = archives.json("regressions", archive)
    took = cpu_s() - begin
    alarms = look_for_planted(answer, truth)
    expect(answer["slower"] == 12 + alarms or alarms, "another number of regressions", answer)
    expect([node["host"] for node in answer["slow_nodes"]] == ["node203"], "another slow node",
           answer["slow_nodes"])
    print(f"regressions of 100,000 runs: {took:.2f} s; Python reads them in {reading:.2f} s; "
          f"{alarms} false alarms")
    expect(took < 5 * reading, "slower than reading them allows", took, reading)
    page = archives.path("centre.html")
    archives.run("regressions", archive, "--html", page)
    print(f"page: {os.path.getsize(page)} bytes")
    expect(os.path.getsize(page) < 2_000_000, "the page is too large")


def case_alarms(archives):
    """Other centres, with so few runs that the day is not told well: nothing is missed, and there
    are few false alarms."""
    alarms = 0
    for seed in range(2, 6):
        archive = archives.path(f"{seed}.db")
        truth = archives.centre(archive, 30000, seed)
        alarms += look_for_planted(archives.json("regressions", archive), truth, 120, False)
    print(f"{alarms} false alarms in 4 centres")


def case_thin(archives):
    """Old runs are thinned: levels and sums stay, and what is gone does not come back."""
    archive = archives.path("thin.db")
    truth = archives.centre(archive, 20000)
    before = archives.json("regressions", archive)
    archives.run("thin", archive, "--older-than", "0", "--keep", "1")
    after = archives.json("regressions", archive)
    left = rows(archive, "SELECT count(*), sum(stands_for) FROM runs")[0]
    expect(left[0] < 14000 and left[1] == 20000 and after["runs"] == 20000, "other sums", left)
    expect(abs(after["node_hours"] / before["node_hours"] - 1) < 0.02, "other node-hours",
           before["node_hours"], after["node_hours"])
    look_for_planted(after, truth, 120, False)
    said = archives.run("thin", archive, "--older-than", "0", "--keep", "1").stderr
    expect(" 0 runs" in said, "thinned again", said)
    profiles = archives.profiles(20)
    archive = archives.path("again.db")
    archives.run("add", archive, *profiles)
    archives.run("thin", archive, "--older-than", "0", "--keep", "2")
    said = archives.run("add", archive, *profiles).stderr
    expect("0 runs added, 2 were already there, 18 were thinned out before" in said,
           "they came back", said)


def case_thousand(archives):
    """A thousand runs are added in less time than as many commands that read one."""
    archive, profiles = archives.path("thousand.db"), archives.profiles(1000)
    begin = cpu_s()
    for profile in profiles[:20]:
        subprocess.run([archives.mprof, "report", profile, "--json", "-"], capture_output=True,
                       check=True)
    one = (cpu_s() - begin) / 20
    begin = cpu_s()
    archives.run("add", archive, *profiles)
    took = cpu_s() - begin
    print(f"1,000 runs added in {took:.2f} s; mprof report of one takes {one * 1000:.1f} ms")
    expect(len(whole_runs(archive)) == 1000, "not all")
    expect(took < 1000 * one, "slower than a thousand commands")


def as_nobody():
    """How to start a process without rights: as it is, unless this is root."""
    return {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}


def case_spool(archives):
    """A spool folder: whose profile is whose, and nothing but the owner's own files is read. It is
    in /var/tmp, with a copy of mprof: nobody may not enter the build folder of a clone in
    /root."""
    os.umask(0o022)
    with tempfile.TemporaryDirectory(prefix="mprof-spool-", dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)
        archives.folder, archives.mprof = folder, shutil.copy(archives.mprof, folder)
        os.chmod(archives.mprof, 0o755)
        check_spool(archives)


def check_spool(archives):
    profiles = archives.profiles(6)
    is_root = os.geteuid() == 0
    spool = archives.path("spool")
    users = {"ann": 12345, "bob": 12346} if is_root else {"ann": os.geteuid()}
    for name in users:
        os.makedirs(os.path.join(spool, name))

    def give(user, profile, name):
        place = os.path.join(spool, user, name)
        shutil.copytree(profile, place)
        return place

    give("ann", profiles[0], "good.mprof")
    link = os.path.join(give("ann", profiles[1], "link.mprof"), "rank-0.mprof")
    os.unlink(link)
    os.symlink(os.path.join(profiles[2], "rank-0.mprof"), link)
    hard = os.path.join(give("ann", profiles[3], "hard.mprof"), "rank-0.mprof")
    os.link(hard, archives.path("other name"))
    os.symlink(profiles[4], os.path.join(spool, "ann", "folder.mprof"))
    with open(os.path.join(give("ann", profiles[5], "bad.mprof"), "rank-0.mprof"), "r+b") as file:
        file.truncate(300)
    if is_root:
        give("bob", profiles[0], "hers.mprof")
        for user, number in users.items():
            for folder, names, files in os.walk(os.path.join(spool, user)):
                for name in [".", *names, *files]:
                    os.lchown(os.path.join(folder, name), number, number)
        foreign = give("bob", profiles[1], "foreign.mprof")
        os.chown(foreign, users["bob"], users["bob"])
    os.makedirs(archives.path("ingest"))
    if is_root:
        os.chown(archives.path("ingest"), 65534, 65534)
        expect("not as root" in archives.run("add", archives.path("root.db"), "--spool", spool,
                                             status=2).stderr, "root reads a spool folder")
    archive = archives.path("ingest/spool.db")
    done = subprocess.run(archives.command("add", archive, "--spool", spool), text=True,
                          capture_output=True, check=False, cwd="/", **as_nobody())
    expect(done.returncode == 2 and "1 run added" in done.stderr, "not one run", done.stderr)
    for name in ("link", "hard", "folder", *(["foreign"] if is_root else [])):
        expect(f"{name}.mprof: is left out: not all" in done.stderr, f"{name} is not told",
               done.stderr)
    expect("bad.mprof: is left out: it could not" in done.stderr, "bad is not told", done.stderr)
    if is_root:
        expect("1 left out: another user" in done.stderr, "bob took ann's run", done.stderr)
    expect(rows(archive, "SELECT owner FROM runs") == [(str(users["ann"]),)] or not is_root,
           "another owner", rows(archive, "SELECT owner FROM runs"))
    # Without names of users nobody knows whose a run is: not even an incomplete one is replaced.
    nameless = archives.path("ingest/nameless.db")
    for turn in range(2):
        subprocess.run(archives.command("add", nameless, "--spool", spool, "--privacy", "scrubbed"),
                       stderr=subprocess.DEVNULL, check=False, cwd="/", **as_nobody())
        if turn == 0:
            with contextlib.closing(sqlite3.connect(nameless)) as connection:
                connection.execute("UPDATE runs SET complete = 0, wallclock_s = 99")
                connection.commit()
    expect(rows(nameless, "SELECT wallclock_s FROM runs") == [(99,)], "a run was replaced",
           rows(nameless, "SELECT run, wallclock_s FROM runs"))


class Server:
    """A PostgreSQL server of its own, which only its socket leads to."""

    def __init__(self):
        pattern = "/usr/lib/postgresql/*/bin/initdb"
        needs.need(pattern)
        programs = sorted(glob.glob(pattern))
        self.programs = os.path.dirname(programs[-1])
        self.folder = tempfile.mkdtemp(prefix="mprof-pg-", dir="/tmp")
        os.chmod(self.folder, 0o755)
        if os.geteuid() == 0:
            os.chown(self.folder, 65534, 65534)
        self.data = os.path.join(self.folder, "data")
        self.call("initdb", "-D", self.data, "-A", "trust", "-U", "centre", "--no-sync")
        self.url = f"postgresql://centre@/postgres?host={self.folder}"
        self.start()

    def call(self, program, *words):
        subprocess.run([os.path.join(self.programs, program), *words], check=True, cwd="/",
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **as_nobody())

    def start(self):
        self.call("pg_ctl", "-D", self.data, "-w", "-l", os.path.join(self.folder, "log"), "-o",
                  f"-k {self.folder} -c listen_addresses='' -c max_connections=250", "start")

    def stop(self):
        self.call("pg_ctl", "-D", self.data, "-w", "-m", "immediate", "stop")

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def case_postgres(archives):
    """The same on a PostgreSQL server, which is stopped and started meanwhile."""
    server = Server()
    try:
        profiles = archives.profiles(40)
        file = archives.path("same.db")
        archives.run("add", file, *profiles)
        # What a writer that is killed had begun is gone.
        write_at_once(archives, server.url, profiles, 20, 6, lambda: None)
        said = archives.run("add", server.url, *profiles).stderr
        expect("0 runs added, 40 were already there" in said, "not all are there", said)
        expect(archives.json("list", server.url) == archives.json("list", file),
               "other runs than in SQLite")
        kept = archives.json("regressions", server.url)["series"]
        expect(kept == archives.json("regressions", file)["series"], "another answer")
        server.stop()
        said = archives.run("add", server.url, profiles[0], status=2).stderr
        expect("no connection to the PostgreSQL server" in said, "no clear error", said)
        expect("centre@" not in said, "the URL is told, which may have a password", said)
        server.start()
        said = archives.run("add", server.url, *profiles).stderr
        expect("0 runs added, 40 were already there" in said, "lost by the crash", said)
        archives.run("thin", server.url, "--older-than", "0", "--keep", "1")
        expect(len(archives.json("list", server.url)["runs"]) < 40, "not thinned")
    finally:
        server.remove()


def main():
    cases = {name[5:]: case for name, case in globals().items() if name.startswith("case_")}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=cases)
    parser.add_argument("--mprof", required=True)
    parser.add_argument("--make", required=True, help="make_centre")
    parser.add_argument("--work", required=True)
    arguments = parser.parse_args()
    try:
        cases[arguments.case](Archives(arguments))
    except Failed as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
