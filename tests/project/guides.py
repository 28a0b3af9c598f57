#!/usr/bin/env python3
"""Who follows a guide of share/doc/contributing.md finds what it promises: in a copy of the tree
this does what the guide says, and runs the generators.

    guides.py SOURCE_FOLDER

Followed are those whose first result is generated: an MPI function, an ABI, a subcommand, a section
of the page. A new option is in descriptions.py, a field of a document in tests/golden/new_field.py;
same_lists.py says for all guides which place was forgotten.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

API, PAGE, COMMANDS = "libmprof/api", "parser/render/html/page", "parser/main/commands"
OF_API = [API, "libmprof/wrap"]
FORMS = ["MPI_Send_twice", "MPI_Send_twice_c", "MPI_Isend_twice", "MPI_Send_twice_init"]
SECTION = """// The tree, which a guide planted: how high is it?
import { section } from "../panel.js";

export function plantedSection(data) {
  return section({ id: "planted", title: "Tree", question: "How high?" }, data.run);
}
"""


def generate(program, *words, is_refused=False):
    done = subprocess.run([sys.executable, "-B", program, *words], capture_output=True, text=True,
                          check=False)
    if (done.returncode != 0) != is_refused:
        sys.exit(f"{program.name}: {done.returncode} {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def change(path, old, new):
    text = path.read_text(encoding="utf-8")
    if old not in text:
        sys.exit(f"{path} has no {old!r}: this test wants another place")
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def append(path, text):
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def lacking(path, *expressions):
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [f"{path.name} lacks {wanted}" for wanted in expressions if not re.search(wanted, text)]


def prototypes(first):
    """Of the function and its forms."""
    nonblocking = first.replace(")", ", MPI_Request *request)")
    return [first, first.replace("_twice(", "_twice_c(").replace("int count", "MPI_Count count"),
            nonblocking.replace("MPI_Send", "MPI_Isend"),
            nonblocking.replace("_twice(", "_twice_init(")]


def follow_api(tree, guide, is_followed):
    """An MPI function, and an ABI."""
    prototype = re.search(r"^    mpi_functions\.txt +(.*)$", guide, re.M)[1]
    row = re.search(r"^    mprof_functions\.txt +(.*)$", guide, re.M)[1]
    if is_followed:
        append(tree / API / "mpi_functions.txt", "\n".join(prototypes(prototype)) + "\n")
        append(tree / API / "mprof_functions.txt", row + "\n")
        # The new family has the values of the last one.
        facts = tree / API / "abi_facts.txt"
        lines = [re.sub(r"^([a-z]+ .*?)(\S+)$", r"\1\2  \2", line)
                 for line in facts.read_text("utf-8").splitlines()]
        facts.write_text(re.sub(r"(?m)^(family .*)mpi5$", r"\1planted", "\n".join(lines)) + "\n")
    out = tree / "out"
    generate(tree / API / "generate.py", out)
    generate(tree / API / "generate.py", "--parser", out)
    return [*lacking(out / "wrappers.inc",
                     *(rf"WRAPPER int wrap_{name}\([^)]*\)\n{{(?:.*\n)*?.*2 \* payload\("
                       for name in FORMS)),
            *lacking(out / "trampolines.inc", *(rf"TRAMPOLINE {name} " for name in FORMS)),
            *lacking(out / "function_facts.inc", *(rf'"{name}"' for name in FORMS)),
            *lacking(out / "abi_planted.h", r"MPI_Comm\b", r"0x031")]


def follow_subcommand(tree, _, is_followed):
    commands = tree / COMMANDS
    if is_followed:
        text = (commands / "scrub.md").read_text("utf-8").replace("mprof scrub", "mprof planted")
        (commands / "planted").with_suffix(".md").write_text(text, encoding="utf-8")
        change(commands / "mprof.md", "\nrun report", "\nrun planted report")
    generate(commands / "describe.py", tree / "out")
    return [
        *lacking(tree / "out/command_texts.inc", r'\{"planted", "mprof planted FOLDER',
                 r'"  planted  +Make a file'),
        *lacking(tree / "out/man/mprof-planted.1", r"\.SH NAME\nmprof\\-planted"),
        *lacking(tree / "out/man/mprof.1", r"mprof planted", r"\\fBmprof\\-planted\\fR\(1\),"),
        *lacking(tree / "out/completions/bash/mprof", r"    planted\) echo .*--output")]


def follow_section(tree, _, is_followed):
    page = tree / PAGE
    if is_followed:
        (page / "sections/section_planted.js").write_text(SECTION, encoding="utf-8")
        change(page / "main.js", "import { whenSection",
               'import { plantedSection } from "./sections/section_planted.js";\n'
               "import { whenSection")
    generate(page / "join_page.py", tree / "page.cc")
    return lacking(tree / "page.cc", r"function plantedSection\(data\)")


# The guide, who follows it, what is copied for that.
GUIDES = [
    ("an MPI function, an ABI", follow_api, OF_API),
    ("a subcommand", follow_subcommand, [COMMANDS, "include/mprof/format/option_table.inc"]),
    ("a section of the page", follow_section, [PAGE]),
]


def check_refused(source, tree, guide):
    """A word that the generator does not know."""
    copy(source, tree, OF_API)
    row = re.search(r"^    mprof_functions\.txt +(.*)$", guide, re.M)[1]
    row = row.replace("MPI_Send_twice", "MPI_Send").replace("point_to_point", "two_points")
    append(tree / API / "mprof_functions.txt", row + "\n")
    said = generate(tree / API / "generate.py", tree / "out", is_refused=True)
    return [] if "two_points" in said else [f"generate.py says of the kind two_points: {said}"]


def copy(source, tree, paths):
    for path in paths:
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (source / path).is_dir() else shutil.copy)(source / path, tree / path)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    source = pathlib.Path(sys.argv[1])
    guide = (source / "share/doc/contributing.md").read_text(encoding="utf-8")
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for name, follow, paths in GUIDES:
            for is_followed in (False, True):
                tree = pathlib.Path(folder) / f"{follow.__name__}-{is_followed}"
                copy(source, tree, paths)
                lacks = follow(tree, guide, is_followed)
                if bool(lacks) == is_followed:
                    wrong.append(f"{name}, {'' if is_followed else 'not '}followed: {lacks}")
        wrong += check_refused(source, pathlib.Path(folder) / "refused", guide)
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
