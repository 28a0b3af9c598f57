#!/usr/bin/env python3
"""Each named document is there. Relative links of all .md files lead to a file, and to a heading of
it where they name one. A source, script or comment names only documents of this repository.

    links.py SOURCE_FOLDER
"""
import pathlib
import re
import sys

SOURCES = {".c", ".h", ".cc", ".S", ".py", ".sh", ".js", ".mjs", ".ts", ".txt", ".cmake",
           ".inc", ".md", ".1", ".html", ".css", ""}
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#+ +(.*?) *$", re.MULTILINE)
# That programs write, of the site and of a comparison.
WRITTEN = {"index.md", "commands.md", "rules.md", "verdict-gallery.md", "comparison.md"}
DOCUMENT = re.compile(r"(?<![}/\w-])(?:(?:share/doc|doc)/)?([a-z][\w-]*\.md)\b")


def source_files(top):
    """All but builds and what begins with a dot."""
    for path in sorted(top.rglob("*")):
        parts = path.relative_to(top).parts
        if path.suffix in SOURCES and not any(part.startswith((".", "build", "node_modules"))
                                              for part in parts) and path.is_file():
            yield path


def anchors(text):
    """Headings as GitHub names them in links."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            for heading in HEADING.findall(text)}


def dead_links(path, text):
    for target, anchor in LINK.findall(text):
        other = path.parent / target if target else path
        if not other.exists():
            yield f"the link to {target} leads nowhere"
        elif anchor and anchor not in anchors(other.read_text(encoding="utf-8")):
            yield f"{target or 'this document'} has no heading #{anchor}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    top, wrong = pathlib.Path(sys.argv[1]).resolve(), []
    texts = {path: path.read_text(encoding="utf-8", errors="replace") for path in source_files(top)}
    documents = {path.name for path in texts if path.suffix == ".md"}
    for path, text in texts.items():
        named = set(DOCUMENT.findall(text.replace("\\-", "-"))) - documents - WRITTEN
        flaws = [f"{name} is no document of this repository" for name in sorted(named)]
        if path.suffix == ".md":
            flaws += dead_links(path, text)
        wrong += [f"{path.relative_to(top)}: {flaw}" for flaw in flaws]
    print("\n".join(wrong)
          or f"{len(documents)} documents, {len(texts)} files: no link or name leads nowhere")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
