#!/usr/bin/env python3
"""Joins the pages into a C++ source file, when mprof is built: join_page.py OUTPUT.cc

The modules of a page become one script. Each module follows those that it imports. Comments and
white space that mean nothing are left out. Names stay: modules import without renaming, and no two
of them have the same name at top level. This program stops where they do.

A page has some 295 kB (one rank) or 392 kB (64 ranks), with the JSON document; 211 of these are
the script. tests/html/modules/joined.test.mjs compares the tokens of the joined script with those
that TypeScript finds in the modules, but for the signs that may be left out.
"""

import base64
import hashlib
import pathlib
import posixpath
import re
import sys

FOLDER = pathlib.Path(__file__).parent
STYLES = [f"style/{name}.css" for name in ("base", "charts", "print")]
PAGES = {
    "report": ([*STYLES, "style/beside.css"], "main.js"),
    "diff": ([*STYLES, "style/diff.css"], "diff_main.js"),
    "scale": ([*STYLES, "style/scale.css"], "scale_main.js"),
    "place": ([*STYLES, "style/place.css"], "place_main.js"),
    "archive": ([*STYLES, "style/archive.css"], "archive_main.js"),
    "results": (STYLES, "results_main.js"),
}
MARK = "mprof_page"  # ends the strings in the C++ source

IMPORT = re.compile(r'^import \{[^}]*\} from "(\.[^"]+)";\n', re.MULTILINE)
TOP_LEVEL = re.compile(
    r"^(?:export )?(?:async function|function|class|const|let) (\w+|[{\[][^=]*)", re.MULTILINE)
TOKEN = re.compile(r"""
    (?P<space> \s+ | //[^\n]* | /\*.*?\*/ )
  | (?P<string> "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' )
  | (?P<word> [\w$\#]+ )
  | (?P<sign> . )
""", re.VERBOSE | re.DOTALL)
REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*")
WORDS_BEFORE_REGEX = {"return", "typeof", "case", "in", "of"}
SIGNS_BEFORE_REGEX = "(,=:[!&|?{;"


def template_end(text, at):
    """Where a piece of a template literal ends: behind its ` or behind ${."""
    while text[at] != "`" and not text.startswith("${", at):
        at += 2 if text[at] == "\\" else 1
    return at + (1 if text[at] == "`" else 2)


def tokens(text):
    """The tokens of a script; of white space and comments a newline or a space."""
    at, depth, templates, last = 0, 0, [], ""
    while at < len(text):
        if text[at] == "`" or (text[at] == "}" and templates[-1:] == [depth]):
            if text[at] == "}":
                templates.pop()
            end = template_end(text, at + 1)
            if text[end - 1] == "{":
                templates.append(depth)
            token, kind = text[at:end], "string"
        elif (text[at] == "/" and text[at + 1] not in "/*"
              and (last in WORDS_BEFORE_REGEX or last[-1:] in SIGNS_BEFORE_REGEX)):
            token, kind = REGEX.match(text, at)[0], "string"
        else:
            match = TOKEN.match(text, at)
            token, kind = match[0], match.lastgroup
            depth += {"{": 1, "}": -1}.get(token, 0)
        at += len(token)
        if kind == "space":
            yield "\n" if "\n" in token else " "
        else:
            last = token
            yield token


# Signs that mean nothing before the end of a block or of a list. The modules have no statement
# that is empty, and no list with holes.
SPARE = {(",", ")"), (",", "]"), (",", "}"), (";", "}")}


def without_space(text):
    """The script with a line per function at top level, and spaces only between words or signs."""
    out, last, space, depth = [], "", "", 0
    for token in tokens(text):
        if token in " \n":
            space = "\n" if "\n" in (space, token) else " "
            continue
        depth -= token in ("}", ")", "]")
        if (last, token) in SPARE:
            out.pop()
            last = out[-1]
        if space == "\n" and depth == 0 and last == "}":
            out.append("\n")
        elif space and (re.fullmatch(r"[\w$] [\w$#]", f"{last[-1:]} {token[0]}")
                        or (token in "+-" and last == token)):
            out.append(" ")
        depth += token in ("{", "(", "[")
        out.append(token)
        last, space = token, ""
    return "".join(out).strip() + "\n"


def module(name, owners):
    """The text of a module behind those that it imports; `owners` tells what is whose."""
    if name in owners.values():
        return ""
    owners[f"the module {name}"] = name
    text = (FOLDER / name).read_text(encoding="utf-8")
    here = pathlib.PurePosixPath(name).parent
    imported = "".join(module(posixpath.normpath(here / other), owners)
                       for other in IMPORT.findall(text))
    for names in TOP_LEVEL.findall(text):
        for declared in re.findall(r"\w+", names):
            owner = owners.setdefault(declared, name)
            if owner != name:
                sys.exit(f"{owner} and {name} both have a {declared} at top level")
    return imported + re.sub("^export ", "", IMPORT.sub("", text), flags=re.MULTILINE)


def style(names):
    text = "".join((FOLDER / name).read_text(encoding="utf-8") for name in names)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r" ?([{};,>]) ?|(?<=:) |(?<=\)) (?=var\()", lambda match: match[1] or "", text)
    return text.replace(";}", "}").strip()


def policy_hash(text):
    """As a content security policy names a script or style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def literal(text):
    assert f'){MARK}"' not in text
    return f'R"{MARK}({text}){MARK}"'


def script_of(entry):
    """The script of a module and of those that it imports."""
    script = without_space(module(entry, {}))
    assert not re.search("</script|<!--", script), "would end the script element"
    return script


def page_parts(styles, entry):
    """The fields of a PageParts."""
    style_text, script = style(styles), script_of(entry)
    return ",\n    ".join((literal(style_text), f'"{policy_hash(style_text)}"',
                           literal(script), f'"{policy_hash(script)}"'))


def main():
    template = (FOLDER / "page.html").read_text(encoding="utf-8")
    pages = "".join(f"const PageParts {name}_page_parts = {{\n    {page_parts(*parts)}}};\n"
                    for name, parts in PAGES.items())
    pathlib.Path(sys.argv[1]).write_text(
        "// Made by parser/render/html/page/join_page.py.\n"
        "// Clang: C++ asks for no more than 65536 characters in a literal, but every compiler "
        "takes these.\n"
        "#ifdef __clang__\n"
        "#pragma clang diagnostic ignored \"-Woverlength-strings\"\n"
        "#endif\n"
        "#include \"render/html/data/html_page.h\"\n\n"
        "namespace mprof {\n\n"
        f"const std::string_view page_template = {literal(template)};\n"
        f"{pages}\n"
        "}  // namespace mprof\n", encoding="utf-8")


if __name__ == "__main__":
    main()
