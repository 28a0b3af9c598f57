#!/usr/bin/env python3
"""Every sentence that mprof can say, and the test that reports say no other.

    sentences.py SOURCE_FOLDER --list [AREA...]         prints area, place and text; {} is a value
    sentences.py SOURCE_FOLDER --said MPROF FOLDER...   the test, with profiles
    sentences.py SOURCE_FOLDER --shown                  the test of documents alone

The sentences are the texts in the sources of the parser, of libmprof, of the pages and of the
Python package. The test looks at the sentences of the reports of these profiles: each is made of
texts of the list, but for what only a profile has: names of functions, files and hosts, numbers.
So what a report says is found by reading the list. The same holds for what documents show of
reports and comparisons: who changes a sentence finds the examples that have the old one. Python's
standard library only.
"""
import ast
import collections
import json
import pathlib
import re
import subprocess
import sys

AREAS = {
    "verdict": ["parser/verdict", "parser/analyse/analyse_verdict.cc", "parser/accounts"],
    "notes": ["parser/analyse", "parser/waits", "parser/measure", "parser/symbols",
              "parser/stacks", "parser/report"],
    "text": ["parser/render/text", "parser/render/export", "parser/render/json"],
    "page": ["parser/render/html"],
    "errors": ["parser/read", "parser/merge", "parser/check", "parser/trace"],
    "compare": ["parser/diff", "parser/scale", "parser/place", "parser/machine", "parser/tune",
                "parser/results", "parser/archive", "parser/list"],
    "lint": ["parser/lint"],
    "command": ["parser/main", "include/mprof/format/option_table.inc",
                "include/mprof/format/near_word.h"],
    "library": ["libmprof"],
    "python": ["python/mpiprof"],
}
NOT_SAID = ("libmprof/api/", "page/join_page.py", "report_tables.py", "records.py")
SUFFIXES = (".c", ".cc", ".h", ".inc", ".js", ".py")

# A comment, a character, or a text; what is none of them is skipped.
C_TOKEN = re.compile(r"//[^\n]*|/\*(?:.|\n)*?\*/|'(?:[^'\\\n]|\\.)+'"
                     r"|(?P<text>\bR\"(?P<mark>[^(\s]*)\((?:.|\n)*?\)(?P=mark)\""
                     r"|\"(?:[^\"\\\n]|\\.)*\")")
# Between two literals of one text: space, comments, and names that are literals, as PRIu64.
C_BETWEEN = re.compile(r"(?:\s|//[^\n]*\n|\b(?:PRI|MPROF_)[A-Za-z_0-9]+\b)*\Z")
JS_TOKEN = re.compile(r"//[^\n]*|/\*(?:.|\n)*?\*/|(?P<text>([\"'])(?:[^\\\n]|\\.)*?\2)|(?P<open>`)"
                      r"|(?P<brace>[{}])"
                      r"|/(?![/*\s])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[gimsuy]*")
FMT_VALUE = re.compile(r"\{[^{}\s]*\}")
PRINTF_VALUE = re.compile(r"%[-+0#]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|ll|[hlzjt])?[diouxXeEfgGcsp]")
PLAIN = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


def literal(text):
    """What a literal of C or JavaScript says."""
    if text.startswith("R"):
        return text[text.index("(") + 1:text.rindex(")")]
    return re.sub(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]+|.)",
                  lambda found: PLAIN.get(found[1], found[1] if len(found[1]) == 1 else "?"),
                  text[1:-1])


def texts_of_c(source):
    """(begin, end, text) of each text; literals side by side are one text."""
    found = []
    for match in C_TOKEN.finditer(source):
        if match["text"] is None:
            continue
        said = literal(match["text"])
        between = source[found[-1][1]:match.start()] if found else "x"
        if C_BETWEEN.match(between):
            begin, _, text = found.pop()
            value = "{}" if re.search(r"\b(PRI|MPROF_)", between) else ""
            found.append((begin, match.end(), text.removesuffix("%") + value + said))
        else:
            found.append((match.start(), match.end(), said))
    return found


def texts_of_js(source):
    """The same of JavaScript. Its texts may hold expressions, and these texts again."""
    found = []

    def code(position, is_inside):
        depth = 0
        while match := JS_TOKEN.search(source, position):
            position = match.end()
            if match["text"]:
                found.append((match.start(), position, literal(match["text"])))
            elif match["open"]:
                position = template(match.start())
            elif match["brace"]:
                depth += 1 if match["brace"] == "{" else -1
                if is_inside and depth < 0:
                    break
        return position

    def template(begin):
        position, text = begin + 1, ""
        while source[position] != "`":
            if source.startswith("${", position):
                text += "{}"
                position = code(position + 2, True)
                continue
            position += source[position] == "\\"
            text += source[position]
            position += 1
        found.append((begin, position + 1, text))
        return position + 1

    code(0, False)
    return sorted(found)


def text_of_node(node):
    """The text of a string or f-string of Python; None of anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}"
                       for part in node.values)
    return None


def texts_of_python(source):
    """(line, text) of each text that is not a comment for programmers."""
    tree, parts = ast.parse(source), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            parts.add(node.value)
        if isinstance(node, ast.JoinedStr):
            parts.update(node.values)
    return [(node.lineno, text) for node in ast.walk(tree)
            if (text := text_of_node(node)) is not None and node not in parts]


def texts_of(path):
    """(line, text) of each text of a file, with {} where a value stands."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return texts_of_python(source)
    values = PRINTF_VALUE if path.suffix == ".c" else FMT_VALUE
    rows = texts_of_js(source) if path.suffix == ".js" else texts_of_c(source)
    return [(source.count("\n", 0, begin) + 1, values.sub("{}", text)) for begin, _, text in rows]


def all_texts(top, areas):
    """(area, place, text) of all that is said, in the order of the sources."""
    seen = set()
    for area, name in ((area, name) for area in areas for name in AREAS[area]):
        path = top / name
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            place = file.relative_to(top).as_posix()
            if file.suffix not in SUFFIXES or place in seen or any(
                    part in place for part in NOT_SAID):
                continue
            seen.add(place)
            for line, text in texts_of(file):
                yield area, f"{place}:{line}", text


def is_sentence(text):
    """It has two words side by side: it is no name, key or unit."""
    return re.search(r"[A-Za-z]{2,}[,;:]? [a-z(]", text) is not None


# What only a profile has: a word with a digit or a mark in it; or with a capital behind the first
# letter. Names without them are found in the report itself.
VALUE = re.compile(r"[^\s,;]*(?:[\d_/<>+=@\[\]#*]|[a-z]\.[a-z]|\w[A-Z])[^\s,;]*")
MARKS = " ,.;:()\"'%-|"


class Said:
    """The pieces of all texts between their values; a sentence is put together of them."""

    def __init__(self, texts):
        self.by_letter = collections.defaultdict(set)
        for text in texts:
            for piece in text.split("{}"):
                piece = re.sub(r"\s+", " ", piece).lower()
                if re.search("[a-z]", piece):
                    self.by_letter[piece[0]].add(piece)

    def ends_from(self, sentence, position, names):
        """Where a piece, a mark or a value may end that begins here."""
        lower = sentence.lower()
        if sentence[position] in MARKS:
            yield position + 1
        # The middle of a word: the end of a plural.
        is_inside = position > 0 and lower[position - 1].isalpha() and lower[position].isalpha()
        for piece in self.by_letter[lower[position]]:
            if lower.startswith(piece, position) and (not is_inside or len(piece) <= 3):
                yield position + len(piece)
        if is_inside:
            return
        if value := VALUE.match(sentence, position):
            yield from (end for end in range(position + 1, value.end() + 1)
                        if end == value.end() or sentence[end] in MARKS)
        for name in names:
            if sentence.startswith(name, position):
                yield position + len(name)

    def unknown(self, sentence, names=()):
        """The rest of it from the first word on that no text has; None: there is none."""
        reached = {0}
        for position in range(len(sentence)):
            if position in reached:
                reached.update(self.ends_from(sentence, position, names))
        return None if len(sentence) in reached else sentence[max(reached):]


def names_of(value):
    """All words alone in a report, such as names of functions, regions and hosts."""
    if isinstance(value, str):
        return {value} if 1 < len(value) and " " not in value else set()
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return set().union(*map(names_of, parts))


def sentences_of(value):
    """All texts of a report that are sentences; what ran is not what mprof says."""
    if isinstance(value, str):
        return [value] if len(re.findall(r"\b[a-z]+ ", value)) > 2 else []
    parts = value if isinstance(value, list) else []
    if isinstance(value, dict):
        parts = [part for key, part in value.items() if key not in ("run", "nodes", "worlds")]
    return [sentence for part in parts for sentence in sentences_of(part)]


def check(said, mprof, folders):
    """Prints what reports say that is not in the list; returns how many sentences there were."""
    count, failed = 0, False
    for folder in folders:
        text = subprocess.run([mprof, "report", folder, "--json", "-"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=False).stdout
        report = json.loads(text)
        names = names_of(report)
        for sentence in sentences_of(report):
            count += 1
            unknown = said.unknown(sentence, names)
            if unknown is not None:
                print(f"{folder}: not in the list from '{unknown}' on: {sentence}")
                failed = True
    return count, failed


# Of a report in a document: the keys of its sentences, and names in them that look like words.
SHOWN_KEYS = {"VERDICT", "ANSWER", "but", "why", "gain", "next", "time"}
EXAMPLE_NAMES = {"vm"}
WORTH = re.compile(r" \((?:high|medium|low)(?:, [^)]*)?\)\.")  # of a step, before its point
QUOTED = re.compile(r'^\| (?:`\w+` )?\| "(.*?)" \|', re.M)


def shown_by(text):
    """The sentences of the reports in a document: behind "# key : ", over several lines."""
    for block in re.findall(r"^```\n(#.*?)^```$", text, re.M | re.S):
        folded = re.sub(r"\n# {13}(?=\S)", " ", block)
        for key, words in re.findall(r"^# (\w+) +: (.*)$", folded, re.M):
            if key in SHOWN_KEYS:
                yield WORTH.sub(".", words)


def check_documents(said, top):
    """The same of documents. A table that goes through a report's sentences quotes that report."""
    count, failed = 0, False
    for path in sorted((top / "share/doc").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        shown = list(shown_by(text))
        for sentence in shown:
            count += 1
            unknown = said.unknown(sentence, EXAMPLE_NAMES)
            if unknown is not None:
                print(f"{path}: not in the list from '{unknown}' on: {sentence}")
                failed = True
        quoted = QUOTED.findall(text) if "\n| line | sentence |" in text else []
        for quote in quoted:
            count += 1
            if WORTH.sub(".", quote.removesuffix(" ...")) not in " ".join(shown):
                print(f"{path}: its report does not say: {quote}")
                failed = True
    return count, failed


def main():
    top, mode, *rest = pathlib.Path(sys.argv[1]).resolve(), *sys.argv[2:]
    if mode == "--list":
        for area, place, text in all_texts(top, rest or AREAS):
            if is_sentence(text):
                print(area, place, " ".join(text.split()), sep="\t")
        return 0
    said = Said(text for _, _, text in all_texts(top, AREAS))
    # The test can fail.
    if said.unknown("Rank 2 surfaces for its partners in MPI_Send.") is None:
        print("a sentence that mprof does not say is taken for one of the list")
        return 1
    shown, failed_shown = check_documents(said, top)
    count, failed = check(said, *rest[:1], rest[1:]) if mode == "--said" else (50, False)
    if count < 50 or shown < 20:
        print(f"only {count} sentences were found in the reports, {shown} in documents")
    return failed or failed_shown or count < 50 or shown < 20


if __name__ == "__main__":
    sys.exit(main())
