"""A table in a document that a test run makes, and compares with what it finds. Used by run_ends.py
and run_limits.py.

The table stands between <!-- MARK: begin ... --> and <!-- MARK: end -->. Its first two columns are
a case and an MPI.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "mpi"))
import jobs  # noqa: E402

TITLES = {"openmpi": "Open MPI", "mpich": "MPICH"}


class DocTable:
    def __init__(self, path, mark, columns):
        self.path, self.mark, self.columns = path, mark, columns
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        begin = self.text.index(f"<!-- {mark}: begin")
        self.begin = self.text.index("\n", begin) + 1
        self.end = self.text.index(f"<!-- {mark}: end -->")

    def rows(self, title):
        """{case: cells} of one MPI."""
        found = {}
        for line in self.text[self.begin:self.end].splitlines():
            parts = [part.strip() for part in line.strip().strip("|").split("|")]
            if len(parts) == len(self.columns) and parts[1] == title:
                found[parts[0]] = parts[2:]
        return found

    def write(self, title, found, cases):
        """Replaces the rows of this MPI; all in the order of `cases`."""
        rows = {other: self.rows(other) for other in TITLES.values()}
        rows[title] = found
        lines = ["| " + " | ".join(self.columns) + " |", "| --- " * len(self.columns) + "|"]
        for case in cases:
            for other, cells in rows.items():
                if case in cells:
                    lines.append(f"| {case} | {other} | " + " | ".join(cells[case]) + " |")
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(self.text[:self.begin] + "\n".join(lines) + "\n" + self.text[self.end:])

    def compare(self, title, found, skipped=()):
        expected = self.rows(title)
        wrong = [f"{case}\n  this run:  {cells}\n  the table: {expected.get(case)}"
                 for case, cells in found.items() if expected.get(case) != cells]
        other = set(expected) ^ set(found) - set(skipped)
        if other - set(skipped):
            wrong.append(f"other rows: {sorted(other)}")
        if wrong:
            raise jobs.Failure("\n".join(["not as documented"] + wrong))


def main(doc, program, mark, columns, cases, cells_of, check=None):
    """The script of a table: cells_of(tools, case, program) are the cells of a row, None = it
    cannot be run here; check(found), with {case: cells}, raises jobs.Failure for what no table may
    say."""
    parser = jobs.argument_parser(doc)
    parser.add_argument("--table", required=True, help="share/doc/understand/ends.md")
    parser.add_argument("--write", action="store_true", help="write what was found into the table")
    parser.add_argument("--only", help="one case, by its name")
    parser.add_argument("program", help=program)

    def run(tools, arguments):
        rows = {case.name: cells_of(tools, case, arguments.program)
                for case in cases if arguments.only in (None, case.name)}
        found = {name: cells for name, cells in rows.items() if cells is not None}
        if check is not None:
            check(found)
        table = DocTable(arguments.table, mark, columns)
        if arguments.write:
            table.write(TITLES[tools.mpi], found, [case.name for case in cases])
        elif arguments.only:
            print(found)
        else:
            table.compare(TITLES[tools.mpi], found, [name for name in rows if name not in found])

    sys.exit(jobs.main(run, parser))
