#!/usr/bin/env python3
"""Writes what follows from the table of packages (packages.txt) where users and tools read it:
`dev`, the recipes for Spack, EasyBuild and Apptainer, share/doc/start/install.md, and the names of
libraries in include/mprof/format/library_names.h.

usage: write_packages.py [--check]

With --check nothing is written: it says which file is not as the table is, and fails then. A test
calls it so. Python's standard library only.
"""

import pathlib
import re
import sys
import textwrap
import typing

TOP = pathlib.Path(__file__).resolve().parents[2]
# Those that a build alone needs, those of libmprof.so, and those that a variant of Spack asks for.
OF_BUILD = {"cmake", "ninja", "C", "CXX", "python3", "CLI11", "nlohmann_json", "protozero",
            "xxhash"}
LIBRARY, PLACEMENT = {"zstd", "xxhash"}, {"scotch", "hwloc"}


class Package(typing.NamedTuple):
    name: str
    kind: str
    debian: str
    run: str
    found_by: str
    fedora: str
    spack: str
    conda: str
    easybuild: str
    purpose: str
    without: str
    called: str
    packed: str


def read_packages():
    path = pathlib.Path(__file__).with_name("packages.txt")
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        cells = ["" if cell.strip() == "-" else cell.strip() for cell in line.split("|")]
        if len(cells) != len(Package._fields) or cells[1] not in ("tool", "must", "may", "other"):
            sys.exit(f"{path}: expected {' | '.join(Package._fields)}, found {line}")
        rows.append(Package(*cells))
    return rows


def dev(rows):
    lines = []
    for row in rows:
        if row.kind != "other":
            lines += [f"build    {package:26} {found_by:30} {row.purpose.replace('`', '')}\n"
                      for package, found_by in zip(row.debian.split(), row.found_by.split())]
    return "".join(lines)


def spack(rows):
    def line(row):
        kind = ', type="build"' if row.name in OF_BUILD else ""
        return f'depends_on("{row.spack}"{kind})'

    def those(is_wanted):
        return [line(row) for row in rows if row.spack and is_wanted(row)]

    of_command = those(lambda row: row.kind in ("must", "may")
                       and row.name not in LIBRARY | PLACEMENT)
    lines = [*those(lambda row: row.kind == "tool"),
             "# Of libmprof.so, linked statically.", *those(lambda row: row.name in LIBRARY), "",
             'with when("+command"):', *(f"    {text}" for text in of_command), "",
             'with when("+command+placement"):',
             *(f"    {text}" for text in those(lambda row: row.name in PLACEMENT)), "",
             *(text.replace(")", ', when="+command+otf2")')
               for text in those(lambda row: row.kind == "other"))]
    return textwrap.indent("\n".join(lines), "    ") + "\n"


def easybuild(rows):
    def listed(is_wanted):
        return "".join("    ('{}', '{}'),\n".format(*row.easybuild.split())
                       for row in rows if row.easybuild and is_wanted(row))
    return (f"builddependencies = [\n{listed(lambda row: row.name in OF_BUILD)}]\n\n"
            f"dependencies = [\n{listed(lambda row: row.name not in OF_BUILD)}]\n")


def installed(packages):
    text = "apt-get install -y --no-install-recommends " + " ".join(packages)
    return " \\\n".join(textwrap.wrap(text, 118, initial_indent=" " * 4, subsequent_indent=" " * 8,
                                      break_on_hyphens=False)) + "\n"


def apptainer_build(rows):
    return installed(package for row in rows if row.kind != "other" and row.name != "pkg-config"
                     for package in row.debian.split())


def apptainer_run(rows):
    return installed(sorted({row.run for row in rows if row.run}))


def install_table(rows):
    text = ("| | needed | for | without it | Debian package | Fedora, RHEL |\n"
            "|---|---|---|---|---|---|\n")
    needed = {"tool": "to build", "must": "for the command", "may": "optional", "other": "optional"}
    for row in rows:
        if row.name not in ("lzma", "pkg-config"):
            text += (f"| {row.name} | {needed[row.kind]} | {row.purpose} | {row.without} | "
                     f"{row.debian} | {row.fedora} |\n")
    return re.sub(r"\| +(?=\|)", "| ", text)


def packed_table(rows):
    """The libraries of an archive, by how they are in it."""
    libraries = [row for row in rows if row.called]
    lines = {
        "linked in": [row.called for row in libraries if row.packed == "linked"],
        "shared libraries in `lib/mprof`, which may be replaced": [
            f"{row.called} ({row.packed})" for row in libraries
            if row.packed not in ("", "linked")],
        "left out": [row.called for row in libraries if not row.packed]}
    return "| in a package | |\n|---|---|\n" + "".join(
        f"| {where} | {', '.join(names)} |\n" for where, names in lines.items())


def library_names(rows):
    return "".join(
        f'#define MPROF_LIBRARY_{row.name.upper()} "{row.called} (Debian: {row.debian})"\n'
        for row in rows if row.without)


# File, what is replaced in it, what makes it.
PLACES = [
    ("dev", r"(?<=what for\n)(?:build .*\n)+", dev),
    ("share/recipes/package.py", r'    depends_on\("c(?:make)?[@"].*?\n(?=\n    conflicts)', spack),
    ("share/recipes/*.eb", r"builddependencies = .*?\n\]\n\ndependencies = .*?\n\]\n", easybuild),
    ("share/recipes/mprof.def", r"    apt-get install [^\n]* cmake .*?[^\\]\n", apptainer_build),
    ("share/recipes/mprof.def", r"    apt-get install [^\n]*libdw1[^\n]*\n", apptainer_run),
    ("share/doc/start/install.md", r"(?<=<!-- packages -->\n).*?(?=<!-- end of packages -->)",
     install_table),
    ("share/doc/start/install.md", r"(?<=<!-- packed -->\n).*?(?=<!-- end of packed -->)",
     packed_table),
    ("include/mprof/format/library_names.h", r"(?<=#pragma once\n\n).*", library_names),
]


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    rows, wrong = read_packages(), []
    for name, place, make in PLACES:
        (path,) = TOP.glob(name)
        text = path.read_text(encoding="utf-8")
        wanted, count = re.subn(place, lambda _, make=make: make(rows), text, count=1, flags=re.S
                                if name != "dev" else 0)
        if count != 1:
            sys.exit(f"{path}: expected a place for packages, found none for {place}")
        if wanted != text and sys.argv[1:]:
            wrong.append(f"{name} is not as packages.txt: share/package/write_packages.py")
        elif wanted != text:
            path.write_text(wanted, encoding="utf-8")
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
