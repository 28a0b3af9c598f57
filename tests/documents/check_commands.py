#!/usr/bin/env python3
"""Each option of mprof that a document or recipe names is one of that command, and each command is
there. What documents tell their readers to type is so never out of date.

    check_commands.py SOURCE_FOLDER MPROF
"""

import functools
import pathlib
import re
import subprocess
import sys

# A command ends at what a shell would end it, or where words of the document begin.
COMMAND = re.compile(r"(?<![\w./-])mprof(?:-mpi)? ([a-z]+)\b([^|;&#`\n]*)")
NO_COMMANDS = {"and", "as", "is", "in", "of", "on", "to", "it", "has", "from", "for", "does"}


@functools.cache
def help_of(mprof, *words):
    done = subprocess.run([mprof, *words, "--help"], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def commands_of(mprof):
    listed = help_of(mprof).split("Subcommands:\n", 1)[1].split("\n\n", 1)[0]
    return re.findall(r"^  ([a-z]+) ", listed, re.M)


def options_of(mprof, command):
    return set(re.findall(r"(?<![\w-])(--?[\w][\w-]*)", help_of(mprof, command))) | {"--help"}


def told(text, is_document):
    """Commands that are told to be typed: code, and lines that begin with spaces."""
    if not is_document:
        return text
    blocks = re.findall(r"^```\w*\n(.*?)^```$", text, re.M | re.S)
    blocks += re.findall(r"^    .*$", text, re.M) + re.findall(r"`([^`\n]+)`", text)
    return "\n".join(blocks)


def flaws_of(mprof, commands, text):
    for command, rest in COMMAND.findall(text):
        if command not in commands:
            if re.search(r"\s--?\w", rest) and command not in NO_COMMANDS:
                yield f"mprof {command}: there is no such command"
            continue
        # Behind the command come the program's words, or two spaces and an explanation.
        words = re.split(r" -- |   +", rest, maxsplit=1)[0].split()
        if command == "run":
            words = words[:next((i for i, word in enumerate(words) if "/" in word), len(words))]
        for word in words:
            option = re.match(r"--?[a-z][\w-]*", word)
            if option and option[0] not in options_of(mprof, command):
                yield f"mprof {command} has no {option[0]}"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    top, mprof = pathlib.Path(sys.argv[1]), sys.argv[2]
    commands, wrong, seen = commands_of(mprof), [], 0
    for path in [top / "README.md", *sorted((top / "parser/main/commands").glob("*.md")),
                 *sorted((top / "share").rglob("*"))]:
        if not path.is_file() or path.suffix not in (".md", ".sh", ".yml", ".def", ".eb", ".py"):
            continue
        text = told(path.read_text(encoding="utf-8"), path.suffix == ".md")
        seen += len(COMMAND.findall(text))
        wrong += [f"{path.relative_to(top)}: {flaw}"
                  for flaw in sorted(set(flaws_of(mprof, commands, text)))]
    print("\n".join(wrong) or f"{seen} commands: each is there, with its options")
    sys.exit(1 if wrong or seen < 100 else 0)


if __name__ == "__main__":
    main()
