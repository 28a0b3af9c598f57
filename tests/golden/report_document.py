#!/usr/bin/env python3
"""The texts made from the tables of fields (parser/report/field.h) are as these fields are now: the
tables of the pages that document JSON, the types of the pages' data, report_types.d.ts, and what
the Python module knows of the keys, *_fields.tsv. And what pages must know of the states of time
is as their table is now (TimeColourRow in parser/report/time_rows.h), in a script and in a style.

usage: report_document.py PRINT_FIELDS SOURCE [--write]

In a page a table stands between "<!-- fields of KEY -->" and "<!-- end of fields -->". Without
--write this says what differs, and fails if anything does.
"""

import difflib
import functools
import pathlib
import re
import subprocess
import sys
import typing

BLOCK = re.compile(r"(<!-- fields of (\w+) -->\n)(.*?)(<!-- end of fields -->)", re.DOTALL)
PAGES = {"report": "reference/report-json.md", "diff": "reference/diff-json.md",
         **{name: f"howto/{name}.md" for name in
            ("scale", "place", "tune", "machine", "results", "list", "archive")}}
OF_PYTHON = ("report", "diff", "scale")


def printed(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout


def printed_tables(program, document):
    parts = re.split(r"^@(\w+)\n", printed(program, "tables", document), flags=re.MULTILINE)
    # Cells that are empty are a space wide.
    return {key: re.sub(r"\|  +(?=\|)", "| ", table)
            for key, table in zip(parts[1::2], parts[2::2])}


def with_tables(page, tables, text):
    """The page's text with the tables as they must be; None if a table has no place, or a place no
    table."""
    found = {match[2] for match in BLOCK.finditer(text)}
    for key in sorted(tables.keys() - found):
        print(f"{page} has no place for the table of {key}. It wants these lines:\n"
              f"<!-- fields of {key} -->\n<!-- end of fields -->")
    for key in sorted(found - tables.keys()):
        print(f"{page} has a place for a table of {key}, which the document does not have")
    if found != tables.keys():
        return None
    return BLOCK.sub(lambda match: match[1] + tables[match[2]] + match[4], text)


class Colour(typing.NamedTuple):
    kind: str
    words: str
    area_words: str
    light: str
    dark: str
    text: str
    light_text: str
    dark_text: str
    hatch: str
    degrees: str


def in_lines(begin, items, end):
    """A list or an object of JavaScript as the formatter has it: in one line if there is room."""
    space = " " if begin.endswith("{") else ""
    line = f"{begin}{space}{', '.join(items)}{space}{end}"
    if len(line) <= 100:
        return line + "\n"
    return begin + "\n" + "".join(f"  {item},\n" for item in items) + end + "\n"


def script_of(colours):
    """For when/time_states.js, of the states that a map over time can show."""
    shown = [colour for colour in colours if colour.words]
    kinds = [f'"{colour.kind}"' for colour in shown]

    def table(name, value_of, comment):
        rows = [f'{c.kind}: "{value_of(c)}"' for c in shown if value_of(c)]
        return f"\n/** {comment} */\n" + in_lines(f"export const {name} = {{", rows, "};")

    each = "@type {Record<State, string>}"
    return (
        f"/**\n * @typedef {{{' | '.join(kinds)}}} State\n */\n"
        "\n/** From the bottom of a stack upwards, as in the head of the page. @type {State[]} */\n"
        + in_lines("export const timeStates = [", kinds, "];")
        + table("stateNames", lambda c: c.words, each)
        + table("shortNames", lambda c: c.area_words, f"For an area of a chart. {each}")
        + table("textColours", lambda c: f"--on-{c.text}", f"Of text on such an area. {each}")
        + table("hatchColours", lambda c: c.hatch,
                "Of states with lines: of which colour these are. "
                "@type {Partial<Record<State, State>>}"))


def style_of(colours):
    """For style/base.css: variables, and the classes that use them."""
    def in_light_and_dark(light, dark):
        return light if light == dark else f"var(--light, {light}) var(--dark, {dark})"

    def back(colour):
        if not colour.hatch:
            return f"var(--{colour.kind})"
        return (f"repeating-linear-gradient({colour.degrees}deg, var(--{colour.kind}) 0 3px, "
                f"var(--{colour.hatch}) 3px 4px)")

    texts = {}
    for colour in colours:
        texts.setdefault(colour.text, []).append(f".on-{colour.kind}")
    variables = "".join(f"  --{c.kind}: {in_light_and_dark(c.light, c.dark)};\n" for c in colours)
    variables += "".join(f"  --on-{c.kind}: {in_light_and_dark(c.light_text, c.dark_text)};\n"
                         for c in colours if c.light_text)
    classes = (
        [f".fill-{c.kind} {{ fill: var(--{c.kind}); }}" for c in colours],
        [f"{', '.join(kinds)} {{ fill: var(--on-{text}); }}" for text, kinds in texts.items()],
        [f".back-{c.kind} {{ background: {back(c)}; }}" for c in colours])
    return (f":root {{\n{variables}}}\n"
            + "".join(" ".join(rules) + "\n" for rules in classes))


def with_part(file, part, comment, text):
    """The text of a script or a style with what is made of the table of colours."""
    begin, end = (comment.format(words) for words in ("states of time: begin", "end"))
    if text.count(begin) != 1 or end not in text[text.index(begin):]:
        print(f"{file} has no place for the states of time. It wants these lines:\n{begin}\n{end}")
        return None
    first = text.index(begin) + len(begin)
    return text[:first] + part + text[text.index(end, first):]


def wanted_texts(program, source):
    """What each file's text must be, made from the text that it has."""
    for document, page in PAGES.items():
        page = source / "share/doc" / page
        yield page, functools.partial(with_tables, page, printed_tables(program, document))
    for document in OF_PYTHON:
        fields = printed(program, "fields", document)
        yield source / f"python/mpiprof/{document}_fields.tsv", lambda _, fields=fields: fields
    types = source / "parser/render/html/page/report_types.d.ts"
    yield types, lambda _: printed(program, "types")
    colours = [Colour(*line.split("\t")) for line in printed(program, "colours").splitlines()]
    page = source / "parser/render/html/page"
    for file, part, comment in ((page / "when/time_states.js", script_of(colours), "// {}\n"),
                                (page / "style/base.css", style_of(colours), "/* {} */\n")):
        yield file, functools.partial(with_part, file, part, comment)


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    status = 0
    for file, wanted in wanted_texts(program, source):
        old = file.read_text(encoding="utf-8") if file.exists() else ""
        new = wanted(old)
        if new is None:
            status = 1
        elif "--write" in sys.argv:
            file.write_text(new, encoding="utf-8")
        elif new != old:
            sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True),
                                                       str(file), "the fields"))
            print("To write it anew: cmake --build build --target regenerate_report_document")
            status = 1
    sys.exit(status)


if __name__ == "__main__":
    main()
