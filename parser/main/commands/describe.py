#!/usr/bin/env python3
"""Makes what users read of the commands out of their descriptions (descriptions.py).

    describe.py OUT             OUT/command_texts.inc, for parser/main/arguments/command_line.h
                                OUT/man/*.1, OUT/completions/bash/mprof, zsh/_mprof, fish/mprof.fish
    describe.py --documents     the table of variables in share/doc/reference/run.md, and the list
                                of commands in read.md
    describe.py --check         fails if that is not as it must be

The build calls the first form, the target regenerate_report_document the second, a test the third.
"""
import pathlib
import re
import sys
import textwrap

import completions
import descriptions
import manual

SOURCE = pathlib.Path(__file__).resolve().parents[3]
COLUMNS, HELP_COLUMN = 80, 26
FILES = {"bash": "mprof", "zsh": "_mprof", "fish": "mprof.fish"}


def plain(text):
    """Without the marks of Markdown."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"(?<!\w)\*([^*\s][^*]*)\*", r"\1", text.replace("`", ""))


def folded(text, width=COLUMNS):
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def listed(name, text):
    """"  name        text, folded under itself"; a long name has a line of its own."""
    lines = folded(text, COLUMNS - HELP_COLUMN)
    name = f"  {name}"
    first = [] if len(name) < HELP_COLUMN else [name]
    begin = "" if first else name
    shown = [f"{begin if i == 0 else '':{HELP_COLUMN}}{line}" for i, line in enumerate(lines)]
    return "\n".join(first + shown) + "\n"


def listed_option(option):
    return listed(",".join(option.names) + (f" {option.value}" if option.value else ""),
                  plain(option.help))


# ---- --help ----

def help_lists(command, commands):
    groups = {
        "Positionals": [option for option in command.options if option.is_positional],
        "Options": [option for option in command.options
                    if not option.is_positional and not option.is_common],
        "Common options": [option for option in command.options if option.is_common],
    }
    for title, options in groups.items():
        if options:
            yield f"{title}:\n" + "".join(map(listed_option, options))
    if not command.name:
        yield "Subcommands:\n" + "".join(listed(c.name, c.about) for c in commands)


def help_notes(command):
    yield "Examples:\n" + "\n".join(
        line[2:].rstrip() for line in command.sections["EXAMPLES"] if line) + "\n"
    for kind, text in descriptions.paragraphs(command.sections["DESCRIPTION"]):
        if kind == "note":
            yield "\n".join(folded(plain(text))) + "\n"
    shown, entry = "Exit status:\n", None
    for kind, text in descriptions.paragraphs(command.sections["EXIT STATUS"]):
        if kind == "entry":
            entry = text
        elif entry:
            shown += "\n".join(f"  {entry if i == 0 else '':3}{line}" for i, line
                               in enumerate(folded(plain(text), COLUMNS - 5))) + "\n"
            entry = None
        else:
            shown += "\n".join(f"  {line}" for line in folded(plain(text), COLUMNS - 2)) + "\n"
    yield shown


def help_text(command, commands):
    head = "\n".join(folded(f"{command.about}.")) + "\nUsage: " + "\n       ".join(command.usage)
    return "\n".join([head + "\n", *help_lists(command, commands), *help_notes(command)])


# ---- C++ ----

def literal(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def lines_of(text):
    """A literal of several lines."""
    return "\n".join("        " + literal(line) for line in text.splitlines(keepends=True))


def cpp_rows(itself, commands):
    yield "// Made by describe.py of the descriptions beside it.\n"
    yield "constexpr CommandText command_texts[] = {\n"
    for command in (itself, *commands):
        yield (f"    {{{literal(command.name)}, {literal(command.usage[0])},\n"
               f"{lines_of(help_text(command, commands))}}},\n")
    yield "};\nconstexpr OptionText option_texts[] = {\n"
    for command in (itself, *commands):
        for option in command.options:
            row = (command.name, ",".join(option.names), option.value, option.variable)
            yield f"    {{{', '.join(map(literal, row))}}},\n"
    yield "};\nconstexpr ShellText shell_texts[] = {\n"
    for shell, script in completions.SCRIPTS.items():
        yield f"    {{{literal(shell)},\n{lines_of(script(itself, commands))}}},\n"
    yield "};\n"


# ---- documents ----

def as_code(default, option):
    is_code = default[0] in "0123456789<" or default in option.value.split("|")
    return f"`{default}`" if is_code else default


def linked(words):
    """From a document that is one folder below share/doc."""
    return words.replace("](", "](../")


def table_of_variables(commands):
    run = next(command for command in commands if command.name == "run")
    table = "| variable | option of `mprof run` | default | meaning |\n|---|---|---|---|\n"
    for option in run.options:
        if option.variable:
            words = manual.paragraph(option)
            words = linked(re.sub(r"(?<![`\w])(MPI_\w+)", r"`\1`", words))
            table += (f"| `{option.variable}` | `{option.name}` "
                      f"| {as_code(option.default, option)} | {words} |\n")
    return table


def table_of_commands(commands):
    table = "| command | what it does |\n|---|---|\n"
    for command in commands:
        rows = [re.fullmatch(r"    (mprof \S.*?) {2,}(\S.*)", line)
                for line in command.sections.get("LIST", []) if line]
        if not rows or None in rows:
            sys.exit(f"{SOURCE}/parser/main/commands/{command.name}.md: expected a section LIST "
                     "with commands and what they do")
        table += "".join(f"| `{row[1]}` | {linked(row[2])} |\n" for row in rows)
    return table


# Document, what a table in it is called, what makes it.
DOCUMENTS = [("run.md", "variables", table_of_variables),
             ("read.md", "commands", table_of_commands)]


def write_documents(commands, is_check):
    for name, called, make in DOCUMENTS:
        path = SOURCE / "share/doc/reference" / name
        text = path.read_text(encoding="utf-8")
        wanted, count = re.subn(
            rf"(<!-- {called}[\w ]* -->\n).*?(<!-- end of {called} -->)",
            lambda match, make=make: match[1] + make(commands) + match[2], text, flags=re.S)
        if count != 1:
            sys.exit(f"{path} has no place for the table of {called}")
        if not is_check:
            path.write_text(wanted, encoding="utf-8")
        elif wanted != text:
            sys.exit(f"{path} is not as the descriptions are: cmake --build build --target "
                     "regenerate_report_document")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    itself, *commands = descriptions.read_commands(SOURCE)
    if sys.argv[1] in ("--documents", "--check"):
        write_documents(commands, sys.argv[1] == "--check")
        return
    out = pathlib.Path(sys.argv[1])
    write(out / "command_texts.inc", "".join(cpp_rows(itself, commands)))
    for command in (itself, *commands):
        write(out / f"man/mprof{'-' if command.name else ''}{command.name}.1",
              manual.page(command, commands))
    for shell, script in completions.SCRIPTS.items():
        write(out / "completions" / shell / FILES[shell], script(itself, commands))


if __name__ == "__main__":
    main()
