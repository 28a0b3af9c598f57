#!/usr/bin/env python3
"""A field that is added to the table of a comparison's rows, in a copy, appears in JSON, page,
types of the page's data, Python and document without another line.

    new_field.py plant FROM TO           the table with one more field, for CMakeLists.txt
    new_field.py BUILD SOURCE PROGRAMS   builds what reads the table, and looks at what it says

PROGRAMS is where mprof_new_field and print_new_fields are then.
"""
import base64
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

GETTER = """inline double planted_of(const RowChange &row)
{
    return 2 * row.time.a + 1;
}

"""
FIELD = '    field("planted_s", planted_of, "s", "twice the time of A, and a second"),\n'
BEFORE_GETTER = "template <>\ninline constexpr auto fields_of<RowChange>"
BEFORE_FIELD = '    field("a_calls", &RowChange::a_calls'
# What is written anew out of the table: where, and what must be in it then.
WRITTEN = {
    "share/doc/reference/diff-json.md":
        r"\| `planted_s` \| number \| s \| twice the time of A, and a second",
    "parser/render/html/page/report_types.d.ts": r"\n +planted_s: number;",
    "python/mpiprof/diff_fields.tsv": r"\nfunctions\[\]\.planted_s\tfloat\t\ts\ttwice the time",
}


def plant(source, target):
    text = source.read_text(encoding="utf-8")
    for before, planted in ((BEFORE_GETTER, GETTER), (BEFORE_FIELD, FIELD)):
        if before not in text:
            sys.exit(f"{source} has no {before!r}: this test wants another place")
        text = text.replace(before, planted + before, 1)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{words}: {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done


def page_data(page):
    packed = re.search(r'<script type="text/plain" id="data">([^<]*)<', page)[1]
    return json.loads(zlib.decompress(base64.b64decode(packed), -15))


def check_written(programs, source, copy):
    for place in ("share/doc", "python/mpiprof", "parser/render/html/page"):
        shutil.copytree(source / place, copy / place)
    before = {path: (copy / path).read_text("utf-8") for path in WRITTEN}
    run(sys.executable, "-B", source / "tests/golden/report_document.py",
        programs / "print_new_fields", copy, "--write")
    for path, wanted in WRITTEN.items():
        if re.search(wanted, before[path]) or not re.search(wanted,
                                                            (copy / path).read_text("utf-8")):
            yield f"{path} has no planted field, or had one before: {wanted}"


def check_outputs(programs, source, copy):
    """The same value in the JSON, on the page, and in Python."""
    golden, out, page = source / "tests/golden", copy / "diff.json", copy / "diff.html"
    run(programs / "mprof_new_field", "diff", golden / "finished", golden / "phases", "--json",
        out, "--html", page)
    rows = json.loads(out.read_text("utf-8"))["functions"]
    wanted = [2 * row["time_s"]["a"] + 1 for row in rows]
    if not rows or any(abs(row.get("planted_s", 0) - value) > 1e-6
                       for row, value in zip(rows, wanted)):
        yield f"the JSON has not the planted values {wanted}: {rows[:1]}"
    shown = page_data(page.read_text("utf-8"))["functions"]["columns"].get("planted_s", [])
    if len(shown) != len(wanted) or any(abs(a - b) > 1e-4 for a, b in
                                        zip(sorted(shown), sorted(wanted))):
        yield f"the page has the planted values {shown}, not {wanted}"
    read = run(sys.executable, "-B", "-c", f"""
import sys
sys.path.insert(0, {str(copy / "python")!r})
from mpiprof.compare import Comparison
rows = Comparison.open({str(out)!r}).rows("functions")
print([row["planted_s"] for row in rows])""").stdout
    if read.strip() != str([row.get("planted_s") for row in rows]):
        yield f"Python has the planted values {read}"


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    if sys.argv[1] == "plant":
        plant(*map(pathlib.Path, sys.argv[2:]))
        return
    build, source, programs = map(pathlib.Path, sys.argv[1:])
    done = run("cmake", "--build", build, "--target", "mprof_new_field", "print_new_fields")
    if done.returncode != 0:
        sys.exit(done.stdout[-4000:])
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        wrong = [*check_written(programs, source, copy), *check_outputs(programs, source, copy)]
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
