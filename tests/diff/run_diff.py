#!/usr/bin/env python3
"""mprof diff of real runs of a program whose computing is planted (planted_step.c). The cases are:
equal runs, a line that takes 20 % longer, the same in a program that was edited and built again,
one slow rank, other numbers of ranks, and a missing rank.

The program sleeps through the planted times. So two cores are enough for four ranks.
"""

import json
import os
import re
import shutil
import subprocess
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(TESTS, "mpi"), os.path.join(TESTS, "golden")]
import documented_keys  # noqa: E402  pylint: disable=wrong-import-position
import jobs  # noqa: E402  pylint: disable=wrong-import-position

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "planted_step.c")
FLAGS = ["-g", "-O1", "-fno-optimize-sibling-calls", "-std=c11", "-D_GNU_SOURCE"]
RANKS = 4
STEPS = 30
PHASES_OFF = 0.01  # of the run: ranks begin and end MPI at different times
INSERTED = "static void inserted(void)\n{\n}\nvoid (*use_inserted)(void) = inserted;\n\n"


def build(arguments, folder, text, *options):
    """The program of this source text: its path, and {mark: "file:line"}."""
    name = os.path.join(folder, "planted_step")
    with open(f"{name}.c", "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([arguments.cc, *FLAGS, *options, "-o", name, f"{name}.c"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise jobs.Failure(done.stderr)
    marks = {}
    for number, line in enumerate(text.splitlines(), 1):
        found = re.search(r"MPI_.*// @(\w+)$", line)
        if found:
            marks[found[1]] = number
    return name, {mark: f"planted_step.c:{number}" for mark, number in marks.items()}


class Sides:
    """Runs the program and compares what came out."""

    def __init__(self, tools, folder):
        self.tools, self.folder = tools, folder

    def run(self, name, program, percent, *words, ranks=RANKS):
        """The profile of a run."""
        folder = self.folder.sub(name)
        job = jobs.run_profiled(self.tools, folder, ranks,
                                [program, *map(str, (STEPS, percent, *words))])
        if job.status != 0:
            raise jobs.Failure(job.describe())
        return os.path.join(folder, "profile")

    def diff(self, a, b, *options, status=0):
        """Standard output and standard error."""
        done = subprocess.run([self.tools.mprof, "diff", ",".join(a), ",".join(b),
                               *options], capture_output=True, text=True,
                              timeout=60, env=jobs.environment(), check=False)
        if done.returncode != status:
            raise jobs.Failure(f"mprof diff {options}: exit status {done.returncode} instead of "
                               f"{status}\n{done.stdout[:6000]}\n"
                               f"{done.stderr}")
        return done.stdout, done.stderr

    def json(self, a, b, *options, status=0):
        return json.loads(self.diff(a, b, *options, "--json", "-", status=status)[0])


def expect(condition, what, document):
    if not condition:
        raise jobs.Failure(f"{what}\n{json.dumps(document['answer'], indent=1)}\n"
                           f"{json.dumps(document['segments'][:3], indent=1)}")


def expect_cause(document, marks):
    """The headline names the two lines, and the segment between them took 20 % longer."""
    headline = document["answer"]["headline"]
    words = f"compute between {marks['left']} and {marks['entered']} grew by"
    expect(words in headline and "on all ranks" in headline,
           f"the headline does not say {words!r}", document)
    row = document["segments"][document["answer"]["cause"]["index"]]
    expect(18 < row["time_s"]["difference_percent"] < 22, "not 20 % longer", document)
    expect(abs(row["time_s"]["difference"] - STEPS * 0.020) < 0.1,
           "not by 20 ms at each step", document)


def check_equal(sides, runs):
    """One pair of equal sides in 100 is taken for different: not two pairs of the same runs."""
    halves = [(runs[:3], runs[3:]), (runs[::2], runs[1::2])]
    for a, b in halves:
        sides.diff(a, b, "--fail-if-slower", "5%")
    documents = [sides.json(a, b) for a, b in halves]
    unchanged = [document["answer"]["headline"].startswith("No change") for document in documents]
    expect(any(unchanged), "equal runs differ", documents[0])


def check_phase_sum(document):
    """Phases cover the run, so what they differ by adds up to what the run differs by."""
    whole = document["answer"]["wallclock_s"]["difference"]
    parts = sum(row["time_s"]["difference"] for row in document["phases"])
    expect(abs(parts - whole) < PHASES_OFF * document["answer"]["wallclock_s"]["a"],
           f"the phases differ by {parts:.4f} s, the run by {whole:.4f} s", document)


def check_slower(sides, runs, slow, marks):
    document = sides.json(runs[:3], slow, "--fail-if-slower", "5%", status=3)
    expect_cause(document, marks)
    expect(document["answer"]["limit"] == "exceeded", "not too slow", document)
    text, complaint = sides.diff(runs[:3], slow, "--fail-if-slower", "5%", status=3)
    expect(document["answer"]["headline"] in complaint, f"stderr: {complaint}", document)
    expect(marks["left"] + " -> " + marks["entered"] in text, f"text: {text}", document)
    lines = text.splitlines()
    expect(all(line.startswith("#") and len(line) <= 80 and line.isascii()
               for line in lines), f"text: {text}", document)
    longer = [row for row in document["phases"] if row["outcome"] == "more"]
    changes = [row["time_s"]["difference"] for row in longer]
    expect(any(abs(change - STEPS * 0.020) < 0.1 for change in changes),
           f"no phase took 20 ms longer at each step: {changes}", document)
    check_phase_sum(document)
    expect("phases of the run" in text, f"text: {text}", document)
    sides.diff(runs[:3], slow, "--fail-if-slower", "25%")
    sides.diff(runs[:3], slow)
    faster = sides.json(slow, runs[:3], "--fail-if-slower", "0%")
    expect("shrank by" in faster["answer"]["headline"], "the other way round", faster)


def check_rebuilt(sides, runs, rebuilt, marks):
    """Lines have shifted, and a call came in between: all others are found again."""
    document = sides.json(runs[:3], rebuilt, "--fail-if-slower", "5%", status=3)
    expect_cause(document, marks)
    new = [row["name"] for row in document["callsites"] if row["site"]["match"] == "none"]
    expect(new == [f"MPI_Bcast at {marks['added']}"], f"not found again: {new}", document)
    ways = {row["site"]["match"] for row in document["callsites"]}
    expect(ways == {"none", "line"}, f"found by {ways}", document)
    # Without lines, in the order of the code.
    document = sides.json(runs[:3], rebuilt, "--no-symbols", "--fail-if-slower", "5%", status=3)
    new = [row["site"]["function"]
           for row in document["callsites"] if row["site"]["match"] == "none"]
    expect(new == ["MPI_Bcast"], f"without lines not found again: {new}", document)
    expect(any("the order of the code" in remark
               for remark in document["answer"]["remarks"]), "no remark", document)


def check_slow_rank(sides, before, after, marks):
    document = sides.json(before, after)
    words = f"compute between {marks['left']} and {marks['entered']} grew by"
    headline = document["answer"]["headline"]
    expect(words in headline and headline.endswith("on the slowest rank, 2, mostly blocked."),
           "rank 2 is not named", document)
    changed = [row["rank"] for row in document["ranks"] if row["outcome"] != "same"]
    expect(changed[:1] == [2], f"ranks {changed}", document)


def check_other_inputs(sides, before, fewer_ranks):
    document = sides.json(before, fewer_ranks)
    expect(any("different numbers of ranks: 4 and 2" in remark
               for remark in document["answer"]["remarks"]), "ranks", document)
    expect(document["ranks"] == [], "ranks are compared", document)
    damaged = os.path.join(sides.folder.path, "damaged")
    shutil.copytree(before[0], damaged)
    os.unlink(os.path.join(damaged, "rank-1.mprof"))
    document = sides.json(before, [damaged], status=1)
    expect(any("3 of 4 ranks" in remark
               for remark in document["answer"]["remarks"]), "a rank is missing", document)
    sides.diff([damaged], before, status=1)
    sides.diff(before, [os.path.join(sides.folder.path, "nothing")], status=2)
    sides.diff(before, before, "--fail-if-slower", "much", status=2)


def check_keys(document, path):
    """Every key of the document is documented."""
    missing = documented_keys.missing(document, path)
    expect(not missing, f"not in {path}: {missing}", document)


def test(tools, arguments):
    jobs.need_compiler(tools, "mpicc", arguments.cc)
    jobs.go_first()
    with open(SOURCE, encoding="utf-8") as file:
        text = file.read()
    with jobs.Folder("diff", tools.keep) as folder:
        sides = Sides(tools, folder)
        program, marks = build(arguments, folder.sub("before"), text)
        edited = text.replace("// @above\n", INSERTED)
        new_program, new_marks = build(arguments, folder.sub("after"), edited, "-DADDED")
        runs, slow, rebuilt = [], [], []
        for i in range(3):  # by turns: what changes meanwhile on the machine is on all sides
            runs.append(sides.run(f"equal{2 * i}", program, 100))
            slow.append(sides.run(f"slow{i}", program, 120))
            rebuilt.append(sides.run(f"rebuilt{i}", new_program, 120))
            runs.append(sides.run(f"equal{2 * i + 1}", program, 100))
        check_equal(sides, runs)
        check_slower(sides, runs, slow, marks)
        check_rebuilt(sides, runs, rebuilt, new_marks)
        check_slow_rank(sides, runs[:1], [sides.run("slow_rank", program, 150, 2)], marks)
        check_other_inputs(sides, runs[:1], [sides.run("fewer", program, 100, ranks=2)])
        check_keys(sides.json(runs[:3], rebuilt), arguments.keys)


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    parser.add_argument("--cc", default="")
    parser.add_argument("--keys", required=True,
                        help="the document that names all keys of the JSON")
    sys.exit(jobs.main(test, parser))
