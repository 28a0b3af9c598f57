#!/usr/bin/env python3
"""What users read of commands and options is made of one description of each, which is in
parser/main/commands.

    descriptions.py SOURCE_FOLDER MPROF

An option that is added to a copy of the descriptions appears in help, man page, completions and
document without another line; a description that lacks something is refused, with its file. The
documents are as the descriptions are now. Each command's --help has at most 80 columns, examples
and exit statuses. What man says of the pages is looked at in installed.sh.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

COMMANDS = "parser/main/commands"
TABLE = "include/mprof/format/option_table.inc"
# A variable with an option of mprof run, and an option of mprof lint.
ROW = ('    NUMBER(planted, "MPROF_PLANTED", "--planted", "-p", "TREES", 7, "7", 0, 99, "0 to 99", '
       '"plant so many trees")')
ENTRY = "### --in-rows FILE\nplant them as FILE says\nIn the man page alone.\n\n"
LISTED = "    mprof lint --in-rows FILE   in rows, [see](../../../share/doc/howto/lint.md)\n"
MADE = {  # file: what must be in it
    "command_texts.inc": [
        r'"  -p,--planted TREES      plant so many trees \[7\] \(MPROF_PLANTED\)\\n"',
        r'"  --in-rows FILE          plant them as FILE says\\n"',
        r'\{"run", "-p,--planted", "TREES", "MPROF_PLANTED"\}',
        r'\{"lint", "--in-rows", "FILE", ""\}'],
    "man/mprof-run.1": [
        r"\\fB\\-p\\fR, \\fB\\-\\-planted\\fR \\fItrees\\fR \(\\fBMPROF_PLANTED\\fR\)\n"
        r"Plant so many trees. Accepted: 0 to 99. Default: 7."],
    "man/mprof-lint.1": [
        r"\\fB\\-\\-in\\-rows\\fR \\fIfile\\fR\nPlant them as FILE says. In the man page alone."],
    "completions/bash/mprof": [r" -p --planted", r'"run --planted"\)',
                               r'"lint --in-rows"\) .* -f '],
    "completions/zsh/_mprof": [r"'--planted\[plant so", r"'--in-rows\[plant them.*:_files'"],
    "completions/fish/mprof.fish": [r" -s p -l planted .*'plant so", r" -l in-rows -r -F "],
}
DOCUMENTS = {
    "share/doc/reference/run.md": [r"\| `MPROF_PLANTED` \| `--planted` \| `7` \| "
                                   r"Plant so many trees. Accepted: 0 to 99. \|"],
    "share/doc/reference/read.md": [r"\| `mprof lint --in-rows FILE` \| in rows, "
                                    r"\[see\]\(\.\./howto/lint\.md\) \|\n"],
}


def describe(tree, *words):
    return subprocess.run([sys.executable, "-B", tree / COMMANDS / "describe.py", *words],
                          capture_output=True, text=True, check=False)


def copy_of(source, tree):
    for path in (COMMANDS, TABLE, *DOCUMENTS):
        to = tree / path
        to.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if path == COMMANDS else shutil.copy)(source / path, to)


def change(path, old, new):
    text = path.read_text(encoding="utf-8")
    if old not in text:
        sys.exit(f"{path} has no {old!r}: this test wants another place")
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def lacking(text, expressions, name):
    return [f"{name} lacks {wanted}" for wanted in expressions if not re.search(wanted, text)]


def check_new_option(source, tree, is_added):
    """Where it is added, nothing lacks; else all does."""
    copy_of(source, tree)
    if is_added:
        change(tree / TABLE, "(TEXT, NUMBER) ", "(TEXT, NUMBER) \\\n" + ROW)
        change(tree / COMMANDS / "lint.md", "### --sarif", ENTRY + "### --sarif")
        change(tree / COMMANDS / "lint.md", "## LIST\n", "## LIST\n" + LISTED)
    for words in (tree / "out", "--documents"):
        done = describe(tree, words)
        if done.returncode != 0:
            return [f"describe.py {words}: {done.stdout}{done.stderr}"]
    made = {tree / "out" / file: wanted for file, wanted in MADE.items()}
    made.update({tree / file: wanted for file, wanted in DOCUMENTS.items()})
    return [line for file, wanted in made.items()
            for line in lacking(file.read_text("utf-8"), wanted, file.name)]


def check_refusals(source, tree):
    """A description without help, one of a command that is not listed, a row that is none. And a
    command that the list in a document cannot have."""
    for file, old, new, message in (
            (f"{COMMANDS}/lint.md", "### --sarif", "### --in-rows FILE\n\n### --sarif",
             "lint.md: expected a line that says what it does, found nothing below --in-rows"),
            (f"{COMMANDS}/mprof.md", " archive mcp", " archive", "mprof.md: expected the commands"),
            (TABLE, 'NUMBER(verbose, "MPROF', '(verbose, "MPROF', "option_table.inc: expected ")):
        shutil.rmtree(tree, ignore_errors=True)
        copy_of(source, tree)
        change(tree / file, old, new)
        done = describe(tree, tree / "out")
        if done.returncode == 0 or message not in done.stderr:
            yield f"{message!r} was not said: {done.returncode} {done.stderr}"
    shutil.rmtree(tree, ignore_errors=True)
    copy_of(source, tree)
    change(tree / COMMANDS / "top.md", "## LIST\n", "## LIST\n    mprof top --twice\n")
    done = describe(tree, "--documents")
    if done.returncode == 0 or "top.md: expected a section LIST" not in done.stderr:
        yield f"a line of LIST without words: {done.returncode} {done.stderr}"


def help_of(mprof, *words):
    return subprocess.run([mprof, *words, "--help"], capture_output=True, text=True,
                          check=True).stdout


def check_help(mprof):
    listed = help_of(mprof).split("Subcommands:\n", 1)[1].split("\n\n", 1)[0]
    commands = re.findall(r"^  ([a-z]+) ", listed, re.M)
    if "report" not in commands:
        yield "mprof --help: no list of subcommands was found"
    alone = subprocess.run([mprof], capture_output=True, text=True, check=False).stderr
    for words in ([], *([command] for command in commands)):
        text = help_of(mprof, *words)
        name = " ".join(["mprof", *words])
        yield from (f"{name} --help: more than 80 columns: {line}"
                    for line in [*text.splitlines(), *alone.splitlines()] if len(line) > 80)
        for wanted in (f"Examples:\n  {name} ", "\nExit status:\n  "):
            if wanted not in text:
                yield f"{name} --help lacks {wanted!r}"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, mprof = pathlib.Path(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        wrong = check_new_option(source, folder / "with", True)
        without = check_new_option(source, folder / "without", False)
        if len(without) != sum(map(len, [*MADE.values(), *DOCUMENTS.values()])):
            wrong.append(f"without the new option only this lacks: {without}")
        wrong += check_refusals(source, folder / "refused")
    done = describe(source, "--check")
    wrong += [done.stderr] if done.returncode != 0 else []
    wrong += check_help(mprof)
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
