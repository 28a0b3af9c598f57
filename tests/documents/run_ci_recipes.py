#!/usr/bin/env python3
"""The recipes for GitHub and GitLab do what their first lines say, by a real reader of YAML and by
running their shell steps as these would: two pushes to the main branch, of which the second one is
slower, and a request to merge it.

    run_ci_recipes.py SOURCE_FOLDER MPROF MPICC MPIRUN

What a reader of a recipe has of his own, make, pip and the host's command line, are stand-ins. And
mprof diff writes what it writes, but whether the runs are slower is what this test says.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "groups"))
import needs  # noqa: E402

PROGRAM = r"""
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""
AS_FAST, SLOWER = 0, 3  # exit statuses of mprof diff


class Failed(Exception):
    """What was not as expected."""


def expect(is_so, what, *shown):
    if not is_so:
        raise Failed("\n".join([what, *map(str, shown)]))


def write_program(path, text):
    path.write_text("#!/bin/sh\n" + text + "\n", encoding="utf-8")
    path.chmod(0o755)


class Clone:
    """A clone of somebody's repository, with the recipe's script, and what is kept between runs."""

    def __init__(self, folder, source, mprof, mpicc, mpirun):
        self.folder, self.tools = folder / "clone", folder / "tools"
        self.folder.mkdir(parents=True)
        self.tools.mkdir()
        self.cache = folder / "cache"
        shutil.copy(source / "share/recipes/ci/compare.sh", self.folder)
        (self.folder / "app.c").write_text(PROGRAM, encoding="utf-8")
        subprocess.run([mpicc, "-O1", "-o", self.folder / "app", self.folder / "app.c"], check=True)
        write_program(self.tools / "mprof", f'"{mprof}" "$@"; status=$?\n'
                      '[ "$1" != diff ] || status=$DIFF_STATUS; exit $status')
        self.diff_status = AS_FAST
        root = "--allow-run-as-root --oversubscribe" if "openmpi" in mpirun else ""
        write_program(self.tools / "mpirun", f'shift 2; exec {mpirun} {root} -n 2 "$@"')
        for name in ("make", "pip"):
            write_program(self.tools / name, ":")
        # What is sent goes into a file.
        for name in ("gh", "curl"):
            write_program(self.tools / name, f'printf "%s\\n" "$@" > "{folder}/sent"\n'
                          'for word; do case "$word" in *comparison.md) test -s comparison.md ;; '
                          "esac; done")
        self.sent = folder / "sent"

    def shell(self, script, **variables):
        """As both run a step: it ends with the first command that fails."""
        known = {**os.environ, "PATH": f"{self.tools}:{os.environ['PATH']}", "MPROF_CACHE": "off",
                 "DIFF_STATUS": str(self.diff_status)}
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
                              cwd=self.folder, env={**known, **variables}, capture_output=True,
                              text=True, check=False)
        print(f"$ {script.strip()}\n{done.stdout[-300:]}{done.stderr[-300:]}exit status "
              f"{done.returncode}")
        return done.returncode

    def restore(self):
        """Another machine: of the run before there is what the cache has."""
        for name in ("history", "new", "public"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        for path in self.folder.glob("comparison.*"):
            path.unlink()
        self.sent.unlink(missing_ok=True)
        if self.cache.exists():
            shutil.copytree(self.cache, self.folder / "history")

    def save(self):
        shutil.rmtree(self.cache, ignore_errors=True)
        shutil.copytree(self.folder / "history", self.cache)

    def runs(self):
        return len(list(self.cache.glob("*.merged")))

    def check_page(self, commit):
        page = (self.folder / "public/app.html").read_text(encoding="utf-8")
        badge = (self.folder / "public/app.svg").read_text(encoding="utf-8")
        expect("<svg" in badge and (self.folder / "public/index.html").exists(), "no badge", badge)
        archive = subprocess.run([self.tools / "mprof", "archive", "list", "history/runs.db",
                                  "--json", "-"], cwd=self.folder, capture_output=True, text=True,
                                 check=True).stdout
        expect("<html" in page and commit in archive, f"the page's archive lacks {commit}", archive)


# ---- GitHub ----

def is_met(condition, event):
    """A condition of a step, of the words that the recipe uses."""
    text = re.sub(r"^\$\{\{(.*)\}\}$", r"\1", condition.strip()).strip()
    met = True
    for part in text.split("&&"):
        part = part.strip()
        compared = re.fullmatch(r"github\.event_name == '(\w+)'", part)
        expect(part == "!cancelled()" or compared, f"not understood: {condition}")
        met = met and (part == "!cancelled()" or compared[1] == event)
    return met


def value_of(text):
    known = {"github.token": "secret", "github.event.number": "7"}
    return re.sub(r"\$\{\{ *([\w.]+) *\}\}", lambda found: known[found[1]], str(text))


def run_github(clone, job, event, commit):
    """The exit status of the job: that of its first step that failed."""
    status, seen = 0, []
    for step in job["steps"]:
        expect(("run" in step) != ("uses" in step), "a step is a script or an action", step)
        condition = step.get("if", "")
        # Without a word about how the job goes, a step is run only if all is well.
        if not is_met(condition or "!cancelled()", event) or (
                status != 0 and "cancelled()" not in condition):
            continue
        if "uses" in step:
            action, _, version = step["uses"].partition("@")
            expect(re.fullmatch(r"v\d+", version), f"{action} has no version")
            seen.append(action)
            if action == "actions/cache/restore":
                clone.restore()
            elif action == "actions/cache/save":
                clone.save()
            elif action == "actions/upload-pages-artifact":
                expect((clone.folder / step["with"]["path"]).is_dir(), "nothing to publish")
            continue
        variables = {name: value_of(value) for name, value in step.get("env", {}).items()}
        failed = clone.shell(step["run"], GITHUB_SHA=commit, **variables)
        status = status or failed
    return status, seen


def check_github(clone, recipe):
    # A key "on" is true in YAML 1.1.
    triggers = recipe.get("on", recipe.get(True))
    expect(set(triggers) == {"push", "pull_request"}, "other events", triggers)
    expect(recipe["jobs"]["publish"]["needs"] == "compare", "publish does not wait")
    job = recipe["jobs"]["compare"]
    status, seen = run_github(clone, job, "push", "aaaa1111")
    expect(status == 0 and clone.runs() == 5, f"the first push: {status}, {clone.runs()} runs")
    expect("actions/upload-pages-artifact" in seen, "no page is published", seen)
    clone.check_page("aaaa1111")
    clone.diff_status = SLOWER
    status, seen = run_github(clone, job, "pull_request", "bbbb2222")
    expect(status == SLOWER, f"a slower change is no failure: {status}")
    sent = clone.sent.read_text(encoding="utf-8").split("\n")
    expect(sent[:3] == ["pr", "comment", "7"] and "comparison.md" in sent, "no comment", sent)
    expect(clone.runs() == 5 and "actions/upload-pages-artifact" not in seen,
           "a request to merge changes the history", seen)
    status, _ = run_github(clone, job, "push", "cccc3333")
    expect(status == SLOWER and clone.runs() == 5, f"a slower push: {status}, {clone.runs()} runs")
    clone.check_page("cccc3333")


# ---- GitLab ----

def run_gitlab(clone, job, **variables):
    known = {"CI_DEFAULT_BRANCH": "main", "CI_API_V4_URL": "https://host/api/v4",
             "CI_PROJECT_ID": "3", **variables}
    expect(all(isinstance(line, str) for line in job["script"] + job["after_script"]),
           "a line of a script is no text", job)
    clone.restore()
    status = clone.shell("\n".join(job["script"]), **known)
    clone.shell("\n".join(job["after_script"]), **known)
    if job["cache"]["when"] == "always" and (clone.folder / "history").exists():
        clone.save()
    return status


def check_gitlab(clone, recipe):
    job, pages = recipe["performance"], recipe["pages"]
    expect(pages["needs"] == ["performance"] and pages["artifacts"]["paths"] == ["public"]
           and "public" in job["artifacts"]["paths"], "no page is published", pages)
    expect(job["cache"]["paths"] == ["history"], "another cache", job["cache"])
    push = {"CI_COMMIT_BRANCH": "main"}
    status = run_gitlab(clone, job, CI_COMMIT_SHA="aaaa1111", **push)
    expect(status == 0 and clone.runs() == 5 and not clone.sent.exists(),
           f"the first push: {status}, {clone.runs()} runs")
    clone.check_page("aaaa1111")
    clone.diff_status = SLOWER
    status = run_gitlab(clone, job, CI_COMMIT_SHA="bbbb2222", CI_MERGE_REQUEST_IID="7",
                        MERGE_TOKEN="secret")
    expect(status == SLOWER and clone.runs() == 5, f"a slower change is no failure: {status}")
    sent = clone.sent.read_text(encoding="utf-8")
    expect("body@comparison.md\nhttps://host/api/v4/projects/3/merge_requests/7/notes" in sent,
           "no comment", sent)
    status = run_gitlab(clone, job, CI_COMMIT_SHA="cccc3333", **push)
    expect(status == SLOWER and clone.runs() == 5, f"a slower push: {status}, {clone.runs()} runs")
    clone.check_page("cccc3333")


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    try:
        import yaml
    except ImportError:
        print("skipped: no PyYAML")
        sys.exit(needs.SKIPPED)
    needs.need("mpicc.openmpi:", all(map(os.path.exists, sys.argv[3:])))
    source, mprof = pathlib.Path(sys.argv[1]), os.path.abspath(sys.argv[2])
    for name, check in (("github", check_github), ("gitlab", check_gitlab)):
        recipe = yaml.safe_load((source / f"share/recipes/ci/{name}.yml").read_text("utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(Clone(pathlib.Path(folder) / name, source, mprof, *sys.argv[3:]), recipe)
            except Failed as problem:
                sys.exit(f"{name}: {problem}")
        print(f"{name}: two pushes and a request to merge")


if __name__ == "__main__":
    main()
