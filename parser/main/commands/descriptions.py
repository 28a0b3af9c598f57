"""Reads the descriptions of all commands: COMMAND.md beside this file, shared.md for options that
several commands have, and include/mprof/format/option_table.inc for those that are variables, too.
Called by describe.py, which makes help, man pages, completions and tables of them.

A description is Markdown of few forms, which the man pages can carry:

    # mprof COMMAND          the next line says what it is for, the code below how it is called
    ## SECTION               those of a man page; paragraphs, code, and ### entries
    > a paragraph            of DESCRIPTION: --help has it, too
    ### -o, --output FILE    an entry of OPTIONS. The first line is the one of --help, and may end
                             in the default: [24]. What follows is in the man page alone
    ### --width              without a value and words: as in shared.md. Or it is a variable of the
                             table, which has the line of --help; what follows is for the man page,
                             and the first paragraph of it for the table in run.md
    ## LIST                  no section of the man page: commands and, behind two spaces or more,
                             what they do, for the list in read.md; links are from share/doc
    `bold`, *italic*, [words](document), mprof-report(1)
"""
import dataclasses
import pathlib
import re
import sys

DOCUMENTS = "../../../share/doc/"  # as links lead there


def fail(path, expected, found):
    sys.exit(f"{path}: expected {expected}, found {found}")


@dataclasses.dataclass
class Option:
    names: list              # "-o", "--output"; of a word that stands by itself "FOLDER"
    value: str = ""          # "FILE", "0|1"; "" = it takes none
    help: str = ""           # one line, with the default in brackets at its end
    more: list = dataclasses.field(default_factory=list)  # paragraphs
    default: str = ""
    accepted: str = ""       # of a number: "0 to 24"
    variable: str = ""       # "MPROF_OUTPUT"
    is_positional: bool = False
    is_optional: bool = False
    is_repeated: bool = False
    is_common: bool = False  # told once for all commands

    @property
    def name(self):
        return self.names[-1]


@dataclasses.dataclass
class Command:
    name: str                # "" = mprof itself
    about: str
    usage: list
    sections: dict           # title: lines
    options: list = dataclasses.field(default_factory=list)


def paragraphs(lines):
    """Blocks between empty lines: (kind, text). Kinds: code, note, entry, text."""
    block = []
    for line in [*lines, ""]:
        is_new = line.startswith("### ") or (block and block[0].startswith("### ")) or (
            block and line.startswith("    ") != block[0].startswith("    "))
        if block and (not line or is_new):
            yield from _block(block)
            block = []
        if line:
            block.append(line)


def _block(block):
    if block[0].startswith("### "):
        yield "entry", block[0].removeprefix("### ")
    elif block[0].startswith("    "):
        yield "code", "\n".join(line[4:] for line in block)
    elif block[0].startswith("> "):
        yield "note", " ".join(line.removeprefix(">").strip() for line in block)
    else:
        yield "text", " ".join(block)


def _option(heading, lines):
    """An entry of OPTIONS, with its words, of which the first line is that of --help."""
    match = re.fullmatch(r"((?:-\w, )?--[\w-]+)(?: (\S+))?", heading)
    if match:
        option = Option(match[1].split(", "), match[2] or "")
    else:
        word = re.fullmatch(r"(\[?)([A-Z]+)(\.\.\.)?\]?", heading)
        if not word:
            fail("OPTIONS", "### -o, --option VALUE or ### [WORD...]", heading)
        option = Option([word[2]], is_positional=True, is_optional=bool(word[1]),
                        is_repeated=bool(word[3]))
    if lines and lines[0]:
        option.help = lines[0]
        lines = lines[1:]
    option.more = [text for _, text in paragraphs(lines)]
    default = re.search(r" \[([^\]]+)\]$", option.help)
    option.default = default[1] if default else ""
    return option


def _entries(lines):
    """The entries of OPTIONS: heading, lines."""
    entries = []
    for line in lines:
        if line.startswith("### "):
            entries.append((line.removeprefix("### "), []))
        elif entries:
            entries[-1][1].append(line)
    for _, words in entries:
        while words and not words[-1]:
            words.pop()
    return entries


def _sections(lines):
    sections = {}
    for line in lines:
        if line.startswith("## "):
            words = sections.setdefault(line.removeprefix("## "), [])
        elif sections:
            words.append(line)
    return sections


def _read_command(path, shared, variables):
    lines = path.read_text(encoding="utf-8").replace(f"]({DOCUMENTS}", "](").splitlines()
    name = path.stem if path.stem != "mprof" else ""
    if lines[0] != f"# mprof {name}".strip():
        fail(path, f"# mprof {name}", lines[0])
    sections = _sections(lines)
    usage = [line[4:] for line in lines[2:lines.index("## DESCRIPTION")] if line]
    command = Command(name, lines[1], usage, sections)
    command.options.append(dataclasses.replace(shared["--help"], is_common=False))
    rest = dict(variables) if name == "run" else {}
    for heading, words in _entries(sections.get("OPTIONS", [])):
        if heading in rest:
            option = rest.pop(heading)
            option.more = [text for _, text in paragraphs(words)]
        elif not words and heading in shared:
            option = shared[heading]
        else:
            option = _option(heading, words)
            if not option.help:
                fail(path, "a line that says what it does", f"nothing below {heading}")
        command.options.append(option)
    # A variable of which nothing more is to be said needs no entry.
    command.options += rest.values()
    return command


def read_variables(source):
    """The rows of the table of variables, by option."""
    path = source / "include/mprof/format/option_table.inc"
    text = path.read_text(encoding="utf-8").replace("\\\n", "\n")
    text = text[text.index("#define MPROF_OPTIONS"):]
    rows = re.findall(r'^ +(TEXT|NUMBER)\(((?:"(?:\\.|[^"\\])*"|[^()"])*)\)', text, re.M)
    options = {}
    for kind, row in rows:
        cells = re.findall(r'\s*((?:"(?:\\.|[^"\\])*"\s*)+|[^,]+),?', row)
        cells = ["".join(re.findall(r'"((?:\\.|[^"\\])*)"', cell)) if '"' in cell else cell.strip()
                 for cell in cells]
        _, variable, name, letter, value, _, default = cells[:7]
        accepted = cells[-2] if kind == "NUMBER" and " to " in cells[-2] else ""
        options[name] = Option(([] if letter == "NULL" else [letter]) + [name], value,
                               f"{cells[-1]} [{default}] ({variable})", [], default, accepted,
                               variable)
    if not rows or len(options) != text.count('"MPROF_'):
        fail(path, f"{text.count(chr(34) + 'MPROF_')} rows", f"{len(options)} that can be read")
    return options


def read_commands(source):
    """mprof itself first, then the commands in the order in which it lists them."""
    folder = pathlib.Path(source) / "parser/main/commands"
    shared = {}
    for heading, words in _entries((folder / "shared.md").read_text("utf-8").splitlines()):
        option = _option(heading, words)
        option.is_common = True
        shared[option.name] = option
    variables = read_variables(source)
    itself = _read_command(folder / "mprof.md", shared, variables)
    names = " ".join(itself.sections["COMMANDS"]).split()
    described = {path.stem for path in folder.glob("*.md")} - {"mprof", "shared"}
    if set(names) != described:
        fail(folder / "mprof.md", f"the commands that have a file: {sorted(described)}", names)
    return [itself, *(_read_command(folder / f"{name}.md", shared, variables) for name in names)]
