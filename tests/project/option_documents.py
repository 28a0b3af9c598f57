#!/usr/bin/env python3
"""run.md, the man page mprof-run.1 and `mprof run --help` name the options of
include/mprof/format/option_table.inc, with their variables and defaults, and no others. The --help
of each command has an example of it, and lines of at most 80 columns. The man page of each command
has the options of its --help, and no others.

    option_documents.py SOURCE_FOLDER MPROF
"""
import pathlib
import re
import subprocess
import sys


class Option:
    def __init__(self, kind, words):
        names = (word.strip('"') for word in words[1:5])
        self.variable, self.option, self.letter, self.value = names
        self.default = words[6].strip('"')
        self.accepted = words[-2].strip('"')
        self.is_number = kind == "NUMBER"


def read_table(path):
    text = path.read_text().replace("\\\n", "\n")
    text = text[text.index("#define MPROF_OPTIONS"):]
    rows = re.findall(r'^ +(TEXT|NUMBER)\(((?:"(?:\\.|[^"\\])*"|[^()"])*)\)', text, re.M)
    options = [Option(kind, [word.strip()
                             for word in re.findall(r'\s*("(?:\\.|[^"\\])*"|[^,]+),?', row)])
               for kind, row in rows]
    if len(options) != text.count('"MPROF_'):
        sys.exit(
            f"{path}: {len(options)} rows were understood, of {text.count(chr(34) + 'MPROF_')}")
    return options


def squeeze(text):
    return re.sub(r"\s+", " ", text)


def check_run_document(options, text):
    rows = dict(re.findall(r"^\| `(MPROF_\w+)` \| (.*) \|$", text, re.M))
    for option in options:
        columns = rows.pop(option.variable, "||").split(" | ")
        # The folder's name takes a paragraph of its own.
        default = "see above" if option.default.startswith("<program>") else option.default
        if columns[0] != f"`{option.option}`":
            yield f"run.md: the row of {option.variable} does not name {option.option}"
        elif columns[1].strip("`") != default:
            yield f"run.md: the default of {option.variable} is {columns[1]}, not {default}"
    for variable in rows:
        yield f"run.md: {variable} is no option"


def check_manual(options, text):
    parts = {}
    for part in re.split(r"^\.TP\n", text, flags=re.M):
        found = re.match(r"\.BR .*?\\-\\-([\w\\-]+) .*\(\\fB(MPROF_\w+)\\fR\)", part)
        if found:
            words = squeeze(re.sub(r"^\.\w+ |\\f.", "", part, flags=re.M))
            parts["--" + found[1].replace("\\", "")] = (found[2], words)
    for option in options:
        variable, words = parts.pop(option.option, ("", ""))
        if variable != option.variable:
            yield f"mprof-run.1: no part on {option.option} ({option.variable})"
            continue
        default = ("program . job .mprof" if option.default.startswith("<program>")
                   else option.default)
        if f"Default: {default}" not in words and f"{default} (the default" not in words:
            yield f"mprof-run.1: the default of {option.option} is not {default}"
        if option.is_number and " to " in option.accepted and option.accepted not in words:
            yield f"mprof-run.1: {option.option} does not say that {option.accepted} is accepted"
    for option in parts:
        yield f"mprof-run.1: {option} sets a variable that is no option"


def check_help(options, text):
    for option in options:
        shown = f"{option.option} {option.value}".strip()
        found = re.search(rf"{re.escape(shown)} (.*?)\({option.variable}\)", text)
        if not found or f"[{option.default}]" not in found[1]:
            yield f"mprof run --help: {option.option} is not as in the table"


def help_of(mprof, *words):
    return subprocess.run([mprof, *words, "--help"], capture_output=True, text=True,
                          check=True).stdout


def check_columns(command, text):
    for line in text.splitlines():
        if len(line) > 80:
            yield f"mprof {command} --help: more than 80 columns: {line}"


def check_examples(command, text):
    if f"Examples:\n  mprof {command} " not in text:
        yield f"mprof {command} --help: no example (parser/main/arguments/help_texts.h)"


def check_man_page(command, text, page):
    """Options of --help, which begin a line, and those that begin a part of OPTIONS."""
    shown = set(re.findall(r"^  (?:-\w, *)?(--[\w-]+)", text, re.M)) - {"--help"}
    if not shown:
        yield f"mprof {command} --help: no option was found"
    part = page.split(".SH OPTIONS\n", 1)[1].split(".SH ", 1)[0]
    tags = " ".join(re.findall(r"^\.TP\n(.*)", part, re.M)).replace("\\-", "-")
    described = set(re.findall(r"--[a-z][\w-]*", tags))
    for option in sorted(shown - described):
        yield f"share/man/mprof-{command}.1: {option} is not in OPTIONS"
    for option in sorted(described - shown):
        yield f"share/man/mprof-{command}.1: mprof {command} has no {option}"


def check_commands(mprof, pages):
    listed = help_of(mprof).split("Subcommands:\n", 1)[1].split("\n\n", 1)[0]
    commands = re.findall(r"^  ([a-z]+) ", listed, re.M)
    yield from check_columns("", help_of(mprof))
    alone = subprocess.run([mprof], capture_output=True, text=True, check=False).stderr
    if max(map(len, alone.splitlines())) > 80:
        yield f"mprof alone: more than 80 columns:\n{alone}"
    if "report" not in commands:
        yield "mprof --help: no list of subcommands was found"
    for command in commands:
        text = help_of(mprof, command)
        yield from check_columns(command, text)
        yield from check_examples(command, text)
        yield from check_man_page(command, text, (pages / f"mprof-{command}.1").read_text())


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source = pathlib.Path(sys.argv[1])
    options = read_table(source / "include/mprof/format/option_table.inc")
    shown = help_of(sys.argv[2], "run")
    wrong = [*check_run_document(options, (source / "share/doc/run.md").read_text()),
             *check_manual(options, (source / "share/man/mprof-run.1").read_text()),
             *check_help(options, squeeze(shown)),
             *check_commands(sys.argv[2], source / "share/man")]
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
