#!/usr/bin/env python3
"""Some lists stand in several places: ABI families, commands, classes of the verdict ...
share/doc/contributing.md has a guide for adding an item. This test says which place was forgotten.

    same_lists.py SOURCE_FOLDER

A row of LISTS says where the items come from. It names a file, the part of it that holds the list,
and an item in that part. Or it names a file name with a *, and the * is the item. The row then says
what each other place must have: a file, and a text in it, with the item for {} and in capitals for
{CAPITALS}. If the text is empty, only the file has to be there.
"""
import pathlib
import re
import sys

COUNTERS, PAGE = "libmprof/record/counters", "parser/render/html/page"
WHOLE = r"(.*)"

LISTS = {
    "an ABI": ("libmprof/api/abi_facts.txt", r"\nfamily +name +([^\n]*)", r"\w+", [
        ("include/mprof/format/call_records.h", "MPROF_ABI_{CAPITALS} = "),
        ("libmprof/interpose/mpi_binding.h", " abi_{};"),
        ("libmprof/interpose/mpi_binding.c", "&abi_{}"),
        ("parser/check/program_check.cc", '"{}"'),
        ("parser/report/states.h", '"{}"'),
        ("parser/report/fields/fields_of_run.h", "`{}`"),
        ("tests/languages/builds.py", '"{}"'),
    ]),
    "a subcommand": ("parser/main/commands/mprof.md", r"## COMMANDS\n(.*?)\n", r"\w+", [
        ("parser/main/main.cc", '{"{}", mprof::add_{}}'),
        ("parser/main/arguments/command_line.h", "void add_{}("),
        ("parser/main/commands.h", "int {}_command("),
        ("tests/fuzz/fuzz_command_line.cc", "int {}_command("),
    ]),
    "a verdict": ("parser/report/states.h", r"texts_of<VerdictClass> = \{([^}]*)",
                  r'"(?!unknown")(\w[^",]+)"', [
        ("parser/report/fields/fields_of_verdict.h", "`{}`"),
        ("tests/unit/parser/verdict/test_*.cc", '"{}"'),
        ("tests/*/run_ca*es.py", '"{}"'),
    ]),
    "a rule of mprof lint": ("parser/lint/find_lints.cc", WHOLE, r'LintRule::\w+, "([\w-]+)"', [
        ("share/doc/howto/lint.md", "| `{}` |"),
        ("tests/unit/parser/lint/test_lints.cc", "{}"),
    ]),
    "a counter source": ("include/mprof/format/time_records.h",
                         r"enum mprof_counter_source \{([^}]*)",
                         r"MPROF_COUNTER_(\w+)", [
        (f"{COUNTERS}/counters_{{}}.c", "= MPROF_COUNTER_{CAPITALS},"),
        (f"{COUNTERS}/counter_events.h", " counters_{}.c "),
        (f"{COUNTERS}/counter_events.h", " counters_{};"),
        (f"{COUNTERS}/counters.c", "&counters_{}"),
        ("parser/analyse/ranks/analyse_counters.cc", "case MPROF_COUNTER_{CAPITALS}:"),
        ("libmprof/CMakeLists.txt", "/counters_{}.c"),
    ]),
    "a section of the page": (f"{PAGE}/sections/section_*.js", "", "", [
        (f"{PAGE}/sections/section_{{}}.js", "export function {}Section("),
        (f"{PAGE}/main.js", "  {}Section("),
        ("tests/html/browser/open.test.mjs", '"{}"'),
    ]),
    "a lint, as a test": ("tests/project/*.py", "", "", [
        ("tests/project/CMakeLists.txt", "{}.py"),
    ]),
    "a lint, in ./dev": ("dev", WHOLE, r"\n(lint_\w+)\(\)", [("dev", " {}")]),
}


def find_items(source, file, part, item):
    folder, star, _ = file.partition("*")
    if star:
        names = (path.relative_to(source).as_posix() for path in source.glob(file))
        return sorted(name.removeprefix(folder).rpartition(".")[0] for name in names)
    return re.findall(item, re.search(part, (source / file).read_text(encoding="utf-8"), re.S)[1])


def is_missing(source, item, file, text):
    paths = list(source.glob(file.format(item.lower())))
    # The names of macros stand in small letters elsewhere; a text that is in capitals does not.
    wanted = {text.replace("{CAPITALS}", item.upper()).replace("{}", plain)
              for plain in (item.lower() if item.isupper() else item, item)}
    return not any(words in path.read_text(encoding="utf-8")
                   for path in paths for words in wanted)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    source, wrong = pathlib.Path(sys.argv[1]), []
    for guide, (file, part, item, places) in LISTS.items():
        items = find_items(source, file, part, item)
        print(f"{guide}: {', '.join(items)}")
        if not items:
            wrong.append(f"{file}: nothing was found to begin with")
        wrong += [f"{name} ({guide}): {place.format(name.lower())} lacks {text!r}"
                  for name in items
                  for place, text in places if is_missing(source, name, place, text)]
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
