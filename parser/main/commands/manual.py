"""Man pages of the descriptions of all commands (descriptions.py), in the plainest macros of
man(7). Called by describe.py.
"""
import re
import textwrap

import descriptions

# What is marked in a text: code, words that stand for others, links, other pages.
MARK = re.compile(r"`([^`]+)`|(?<!\w)\*([^*\s][^*]*)\*|\[([^\]]*)\]\(([^)#\s]+)[^)]*\)"
                  r"|\b([a-z][\w.\\-]*)\((\d)\)")


def escaped(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def bold(text):
    return f"\\fB{text}\\fR"


def italic(text):
    return f"\\fI{text}\\fR"


def inline(text):
    def marked(match):
        code, word, linked, document, page, section = match.groups()
        if code:
            return bold(code)
        if word:
            return italic(word)
        if linked:
            return f"{linked} ({italic(f'share/doc/{document}')})"
        return f"{bold(page)}({section})"
    return MARK.sub(marked, escaped(text))


def filled(text):
    """Lines that do not begin as a macro does."""
    lines = textwrap.wrap(inline(text), 100, break_long_words=False, break_on_hyphens=False)
    return "".join(("\\&" if line[0] in ".'" else "") + line + "\n" for line in lines)


def sentence(help):
    """The line of --help as a sentence, without default and variable."""
    text = re.sub(r" \[[^\]]+\]( \(MPROF_\w+\))?$", "", help)
    text = text if text.startswith("...") else text[:1].upper() + text[1:]
    return text if text.endswith(".") else text + "."


def paragraph(option):
    """What is said first of an option."""
    accepted = [f"Accepted: {option.accepted}."] if option.accepted else []
    return " ".join([sentence(option.help), *option.more[:1], *accepted])


def code(text):
    lines = (("\\&" if line[:1] in (".", "'") else "") + escaped(line) for line in
             text.split("\n"))
    return ".PP\n.nf\n.RS\n" + "\n".join(lines) + "\n.RE\n.fi\n"


def values(text):
    """FOLDER, as it is called, by its word in the text: folder."""
    return re.sub(r"(?<![\w])[A-Z][A-Z0-9]*\b", lambda match: italic(match[0].lower()), text)


def usage(line):
    """The command and its options bold, what stands for something else italic."""
    begin = re.match(r"mprof( [a-z]+)?", line)[0]
    rest = re.sub(r"(?<![\w-])--?[a-z][a-z-]*", lambda match: bold(escaped(match[0])),
                  line[len(begin):])
    return bold(begin) + values(rest).replace(" -- ", " \\-\\- ") + "\n"


def option_entry(option):
    tag = ", ".join(italic(name.lower()) if option.is_positional else bold(escaped(name))
                    for name in option.names)
    if option.value:
        tag += f" {italic(escaped(option.value.lower()))}"
    if option.variable:
        tag += f" ({bold(option.variable)})"
    words = paragraph(option) + (f" Default: {option.default}." if option.default else "")
    return f".TP\n{tag}\n{filled(words)}" + "".join(f".IP\n{filled(text)}"
                                                    for text in option.more[1:])


def section(title, lines):
    text, after_entry, is_first = f".SH {title}\n", False, True
    for kind, words in descriptions.paragraphs(lines):
        if kind == "entry":
            text += f".TP\n{bold(escaped(words))}\n"
        elif kind == "code":
            text += code(words)
        elif after_entry or is_first:
            text += filled(words)
        else:
            text += f".PP\n{filled(words)}"
        after_entry, is_first = kind == "entry", False
    return text


def page(command, commands):
    name = f"mprof-{command.name}" if command.name else "mprof"
    about = command.about[0].lower() + command.about[1:]
    text = (f'.TH {escaped(name.upper())} 1 "" "mprof" "User Commands"\n.SH NAME\n'
            f"{escaped(name)} \\- {escaped(about)}\n.SH SYNOPSIS\n"
            + ".br\n".join(map(usage, command.usage)))
    for title, lines in command.sections.items():
        if title == "LIST":
            continue
        if title == "OPTIONS":
            intro = lines[:next((i for i, line in enumerate(lines) if line.startswith("### ")), 0)]
            text += section(title, intro) + "".join(map(option_entry, command.options))
        elif title == "COMMANDS":
            text += ".SH COMMANDS\n" + "".join(
                f".TP\n{bold(f'mprof {other.name}')}, see {bold(f'mprof{chr(92)}-{other.name}')}"
                f"(1)\n{filled(other.about + '.')}" for other in commands)
        elif title == "SEE ALSO":
            # mprof itself leads to all commands.
            others = ", ".join(f"mprof-{other.name}(1)" for other in commands)
            text += ".SH SEE ALSO\n" + filled(
                ("" if command.name else others + ", ") + " ".join(lines))
        else:
            text += section(title, lines)
    return text
