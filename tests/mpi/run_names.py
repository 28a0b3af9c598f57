#!/usr/bin/env python3
"""Names with blanks, quotes, line ends, letters of any language and what HTML takes for its own: of
the program, its folder, a region and a communicator. JSON, CSV, page and archive hold them as they
are; in text each stays on its line, and nothing reaches the terminal that would steer it.
"""

import csv
import html.parser
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import jobs

# A name may be in all places but for "/", which parts folders and regions.
NAMES = {"blank": "my data  sim A", "quotes": "\"it's\" `5`, x; $HOME",
         "html": "<b>&amp;<!--<script>", "letters": "größe 温度 é",
         "line": "two\nlines\tand a tab", "escape": "a\x1b[31mred\x07",
         "back": "back\\slash\\n%s%d{}", "formula": "=1+1"}


class Scripts(html.parser.HTMLParser):
    """Elements of a page, counted."""

    def __init__(self):
        super().__init__()
        self.tags = {}

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1


def expect(condition, what):
    if not condition:
        raise jobs.Failure(what)


def output(tools, *words, folder=None):
    done = subprocess.run([tools.mprof, *words], capture_output=True, timeout=60, check=False,
                          env=jobs.environment(), cwd=folder)
    expect(done.returncode == 0, f"{words}: {done.returncode} {done.stderr.decode()}")
    return done.stdout.decode()


def check_text(tools, profile, name):
    text = output(tools, "report", profile)
    bad = re.findall(r"[\x00-\x09\x0b-\x1f\x7f]", text)
    expect(not bad, f"{name!r}: the text has control characters {bad[:5]}")
    lines = [line for line in text.splitlines() if line.startswith("#")]
    expect(len(lines) == len(text.splitlines()), f"{name!r}: a line of the text is broken: {text}")


def cell_of(name):
    """As report-json.md says: no formula, and no control characters."""
    text = "".join({"\n": "\\n", "\t": "\\t"}.get(letter, letter if letter.isprintable() else
                                                  f"\\x{ord(letter):02x}") for letter in name)
    return ("'" if text[0] in "=+-@'" else "") + text


def check_csv(tools, profile, folder, name):
    tables = os.path.join(folder, "tables")
    output(tools, "report", profile, "--csv", tables)
    for file_name in sorted(os.listdir(tables)):
        with open(os.path.join(tables, file_name), encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        widths = {len(row) for row in rows}
        expect(len(widths) == 1, f"{name!r}: {file_name} has rows of {widths} cells")
        if file_name == "regions.csv":
            cells = [row[rows[0].index("region")] for row in rows]
            expect(cell_of(name) in cells, f"{name!r}: {file_name} has {cells}")


def count_tags(tools, profile, folder):
    page = os.path.join(folder, "page.html")
    output(tools, "report", profile, "--html", page)
    scripts = Scripts()
    with open(page, encoding="utf-8") as file:
        scripts.feed(file.read())
    return {tag: scripts.tags.get(tag, 0) for tag in ("script", "style", "body", "title", "b")}


def check_name(tools, arguments, folder, name, tags):
    where = os.path.join(folder, name)
    os.makedirs(where)
    program = shutil.copy(arguments.program, os.path.join(where, name))
    job = jobs.Job([tools.mprof, "run", "--"] + tools.launcher(2) + [program, name, name],
                   jobs.environment(MPROF_SUMMARY="off"), where, tools.time_limit)
    expect(job.status == 0, f"{name!r}: {job.describe()}")
    found = [entry for entry in os.listdir(where) if entry.endswith(".mprof")]
    expect(len(found) == 1, f"{name!r}: profiles {found}")
    profile = os.path.join(where, found[0])
    report, _ = jobs.report(tools, profile)
    regions = [row["region"] for row in report["regions"]]
    expect(regions == ["", name], f"{name!r}: regions {regions}")
    named = {row["name"]: row["calls"] for row in report["communicators"]}
    expect(named.get(name) == 3 * 2 + 2, f"{name!r}: communicators {named}")
    words = shlex.split(report["run"]["command"])
    expect(words == [program, name, name], f"{name!r}: command {report['run']['command']!r}")
    check_text(tools, profile, name)
    check_csv(tools, profile, where, name)
    found_tags = count_tags(tools, profile, where)
    expect(tags is None or tags == found_tags, f"{name!r}: the page has {found_tags}, not {tags}")
    archive = os.path.join(where, "runs.db")
    output(tools, "archive", "add", archive, profile)
    listed = json.loads(output(tools, "archive", "list", archive, "--json", "-"))
    programs = [row["program"] for row in listed["runs"]]
    expect(programs == [cell_of(name).removeprefix("'")],
           f"{name!r}: the archive has the programs {programs}")
    return found_tags


def run(tools, arguments):
    wrong = []
    with jobs.Folder("names", tools.keep) as folder:
        tags = check_name(tools, arguments, folder.path, "plain", None)
        for kind, name in NAMES.items():
            try:
                check_name(tools, arguments, folder.path, name, tags)
            except jobs.Failure as problem:
                wrong.append(f"{kind}: {problem}")
        if wrong:
            raise jobs.Failure("\n".join(wrong))


if __name__ == "__main__":
    PARSER = jobs.argument_parser(__doc__)
    PARSER.add_argument("program")
    sys.exit(jobs.main(run, PARSER))
