#!/usr/bin/env python3
"""Every link of the site leads to a file of it, and to a place in that file. No page needs a
network to be shown.

usage: check_links.py SITE_FOLDER
"""

import html.parser
import pathlib
import sys
import urllib.parse

ELSEWHERE = ("canonical", "prev", "next")
LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src"}


class Page(html.parser.HTMLParser):
    """Its links, what it loads, and the names of its places."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.places = [], [], set()
        self.feed(path.read_text(encoding="utf-8", errors="replace"))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.places.update(values[name] for name in ("id", "name") if values.get(name))
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag in LOADED and values.get(LOADED[tag]) and values.get("rel") not in ELSEWHERE:
            self.loaded.append(values[LOADED[tag]])


def flaws_of(path, pages):
    page = pages[path]
    for link in page.links + page.loaded:
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or parts.netloc:
            if link in page.loaded and parts.scheme != "data":
                yield f"loads {link}"
            continue
        file = path.parent / urllib.parse.unquote(parts.path) if parts.path else path
        file = file.resolve()
        if file.is_dir():
            file = file / "index.html"
        if not file.is_file():
            yield f"{link} leads nowhere"
        elif parts.fragment and file in pages and not parts.fragment.startswith("__"):
            if urllib.parse.unquote(parts.fragment) not in pages[file].places:
                yield f"{link}: there is no such place in the page"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    site = pathlib.Path(sys.argv[1]).resolve()
    # Report pages make their places by script.
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))
             if path.parent.name != "verdicts" and path.name != "404.html"}
    wrong = [f"{path.relative_to(site)}: {flaw}" for path in pages
             for flaw in sorted(set(flaws_of(path, pages)))]
    print("\n".join(wrong)
          or f"{len(pages)} pages: no link leads nowhere, and none loads from elsewhere")
    sys.exit(1 if wrong or len(pages) < 20 else 0)


if __name__ == "__main__":
    main()
