"""The front of the site, a question to a section: front.md with pictures and sessions of this
machine. make_site calls write(). Open MPI is needed; pictures need Node.js, npm and Chromium.
"""

import os
import pathlib
import re
import shutil
import subprocess

import verdict_pages

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
COSTS = re.compile(r"<!-- costs: begin .*?-->\n\n(.*?)\n\n<!-- costs: end -->", re.S)
PLACEHOLDER = re.compile(r"^@(PICTURE|SHOW) (\w+)(?:: (.*))?$", re.M)
UNEVEN = verdict_pages.Program("load-imbalance bound", "", "share/demo/heat.c", 2,
                               "--imbalance --steps 2000")
EVEN = verdict_pages.Program("compute bound", "", "share/demo/heat.c", 2, "--steps 2000")
HUNG = next(program for program in verdict_pages.PROGRAMS if program.verdict == "HUNG")
# The page, and what is shown of it.
PICTURES = {"first": ("uneven", ["--height", "720"]), "when": ("uneven", ["--section", "when"]),
            "diff": ("diff", ["--height", "560"])}


class Pictures:
    """Takes pictures of a page, if this machine can."""

    def __init__(self, work):
        found = filter(None, map(shutil.which, BROWSERS))
        self.modules = work / "node"
        self.browser = next(found, None)
        if self.browser and shutil.which("npm"):
            subprocess.run([TOP / "tests/html/install_modules.sh", self.modules], check=True,
                           stdout=subprocess.DEVNULL)

    def take(self, page, picture, options):
        if not self.browser or not (self.modules / "installed").exists():
            return False
        picture.parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            ["node", TOP / "tests/html/picture.mjs", page, picture, "--width", "1280", *options],
            env={**os.environ, "CHROMIUM": self.browser, "MODULES": str(self.modules)}, check=False)
        return done.returncode == 0


def session(runner, command, *words):
    """What the command prints, below what was typed."""
    done = subprocess.run([runner.mprof, *words], env=runner.environment, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=False)
    return f"```text\n$ {command}\n{done.stdout.strip()}\n```"


def make_pages(runner, work, uneven, even):
    pages = {name: work / f"{name}.html" for name in ("uneven", "diff")}
    runner.read(uneven, "--html", pages["uneven"])
    subprocess.run([runner.mprof, "diff", uneven, even, "--html", pages["diff"]], check=True,
                   env=runner.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return pages


def head_of(text, lines):
    kept = text.split("\n")
    return text if len(kept) <= lines else "\n".join([*kept[:lines], "...", "```"])


def make_sessions(runner, uneven, even):
    hung = runner.run(HUNG)
    return {"brief": session(runner, "mprof report --brief", "report", uneven, "--brief"),
            "diff": head_of(session(runner, "mprof diff uneven.mprof even.mprof", "diff", uneven,
                                    even), 14),
            "hang": head_of(session(runner, "mprof hang", "hang", hung), 14)}


def write(runner, work, folder, with_links_of_site):
    """index.md into `folder`, the documents of the site, with its pictures."""
    kept = work / "uneven"
    shutil.rmtree(kept, ignore_errors=True)
    # Both are of one program, and so of one folder. The front shows what its words say.
    shutil.copytree(runner.profile_with_verdict(UNEVEN)[0], kept)
    even = runner.profile_with_verdict(EVEN)[0]
    sessions = make_sessions(runner, kept, even)
    pages = make_pages(runner, work, kept, even)
    pictures = Pictures(work)

    def fill(match):
        kind, name, words = match.groups()
        if kind == "SHOW":
            return sessions[name]
        place = folder / "look" / f"{name}.png"
        page, options = PICTURES[name]
        taken = pictures.take(pages[page], place, options)
        return f"![{words}](look/{name}.png)" if taken else ""

    costs = COSTS.search((TOP / "README.md").read_text(encoding="utf-8")).group(1)
    source, place = HERE / "front.md", pathlib.Path("index.md")
    text = with_links_of_site(source.read_text(encoding="utf-8"), source, place)
    text = text.replace("@GALLERY", "[the gallery](verdict-gallery.md)").replace("@COSTS", costs)
    (folder / place).write_text(PLACEHOLDER.sub(fill, text), encoding="utf-8")
