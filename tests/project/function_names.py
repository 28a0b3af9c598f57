#!/usr/bin/env python3
"""The facts of an MPI function stand in libmprof/api/mprof_functions.txt, and nowhere else. No
other source file of libmprof/ or parser/ names an MPI function in code. The exceptions are below,
each with its reason.

    function_names.py SOURCE_FOLDER

Comments may name functions. So may the calls that libmprof makes itself, PMPI(MPI_X) and
mpi_pmpi[FN_MPI_X].
"""
import pathlib
import re
import sys

TABLES = {
    "libmprof/api/mpi_functions.txt": "the functions of the standard",
    "libmprof/api/mprof_functions.txt": "the table of facts",
    "libmprof/api/watched_functions.txt": "what calls carry",
    "libmprof/api/lifetimes.txt": "what a program makes and has to end",
    "libmprof/api/old_functions.txt": "what the standard deprecates or has removed",
    "libmprof/api/make_mpi_functions.py": "the functions that MPI 3.0 removed, for the first table",
}

# Only these names, or the beginnings of names, may stand in the code of these files.
NAMES = {
    "libmprof/interpose/mpi_binding.c": (
        "MPI_Init MPI_Abi_get_version", "an MPI library is known by them"),
    "libmprof/machine/machine_library.c": (
        "MPI_Init MPI_Abi_get_version", "an MPI library is known by them"),
    "libmprof/machine/mpi_layer.c": (
        "MPI_Barrier MPI_Bcast MPI_Reduce MPI_Allreduce MPI_Allgather MPI_Alltoall",
        "the collectives that are measured"),
    "libmprof/interpose/bind_mpi.c": ("MPI_Init", "the MPI library is known by it"),
    "libmprof/interpose/early.c": ("MPI_Init", "the MPI library is known by it"),
    "libmprof/interpose/second_mpi.c": ("MPI_Init", "the MPI library is known by it"),
    "libmprof/finalize/summary.c": (
        "MPI_Finalize", "the summary is made in this call, which is not recorded yet"),
    "parser/analyse/ranks/analyse_memory.cc": (
        "MPI_Init", "the title of a figure: memory by MPI_Init"),
    "parser/check/loaded_objects.cc": ("MPI_Init", "a static MPI library is known by it"),
    "parser/merge/profile.cc": (
        "MPI_Comm_spawn", "how many worlds a run has is known by it"),
    "parser/place/launch_files.cc": (
        "MPI_Comm_rank MPI_Comm_split", "the C code that it writes for programs"),
    "parser/check/program_check.cc": (
        "MPI_Init MPI_Init_thread MPI_Session_init",
        "a static MPI library is known by the first, and a program that calls none of them cannot "
        "be profiled"),
}

# Sentences for the user may name functions in these files: string literals with a blank.
SENTENCES = {
    "libmprof/process/life.c": "warnings",
    "libmprof/mpi/rank_tree.c": "warnings",
    "libmprof/finalize/summary.c": "warnings, and the verdict of the summary",
    "parser/analyse/ranks/analyse_memory.cc": "when memory was measured",
    "parser/analyse/analyse_quality.cc": "how a rank ended, and what is not known",
    "parser/lint/lint_objects.cc": "what is wrong",
    "parser/lint/find_lints.cc": "what a rule looks for, and why one is not looked at",
    "parser/report/states.h": "how a run ended, and when memory was measured",
    "parser/analyse/analyse_standing.cc": "how a rank ended",
    "parser/analyse/standing/ended_by.cc": "how a rank ended",
    "parser/analyse/standing/hung.cc": "advice: which function to use instead",
    "parser/analyse/live/live_ranks.cc": "how a rank ended",
    "parser/verdict/account_sentences.cc": "the verdict: what a rank is late for",
    "parser/verdict/next_steps.cc": "advice: which function to use instead",
    "parser/verdict/one_sided_waits.cc": "advice: which function lets MPI answer",
    "parser/verdict/steps_of_files.cc": "advice: which function to use instead",
    "parser/verdict/steps_of_kernel.cc": "advice: which function to use instead",
    "parser/verdict/steps_of_messages.cc": "advice: which function to use instead",
    "parser/verdict/steps_of_running.cc": "advice: which function to use instead",
    "parser/verdict/verdict_rules.cc": "the verdict, and what --explain says of it",
    "parser/render/text/render_explain.cc": "what the words of the report mean",
    "parser/check/program_check.cc": "what mprof run --check says",
    "parser/render/html/page/tables/rank_table.js": "the title of a column",
    "parser/render/html/page/sections/section_run.js": "ranks that did not finish",
    "parser/render/html/page/sections/section_callsites.js":
        "an example: how a program names regions",
    "parser/render/html/page/sections/section_calls.js": "an example: functions that move no data",
    **{f"parser/report/fields/fields_of_{part}.h": "what a field of the report means"
       for part in ("places", "ranks", "run", "verdict")},
    "parser/scale/scaling_fields.h": "what a field of mprof scale means",
    "parser/read/file_result.cc": "why there is no profile",
    "parser/main/profile/left_profile.cc": "why there is no profile",
    "parser/main/profile/read_report.cc": "ranks that did not finish",
}

SUFFIXES = {".c", ".h", ".cc", ".S", ".js", ".py", ".html", ".css", ".txt"}
COMMENT_OR_STRING = {
    "c": re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"(?:\s*"(?:\\.|[^"\\\n])*")*'
                    r'|\'(?:\\.|[^\'\\\n])+\'', re.S),
    "js": re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
                     r'|`(?:\\.|[^`\\])*`', re.S),
    "py": re.compile(r'#[^\n]*|""".*?"""|"(?:\\.|[^"\\\n])*"', re.S),
}
OWN_CALL = re.compile(r"PMPI\(\s*MPI_\w+\s*\)|mpi_pmpi\[FN_MPI_\w+\]")


def read_names(source):
    names, by_hand = set(), set()
    for line in (source / "libmprof/api/mpi_functions.txt").read_text().splitlines():
        found = re.search(r"\bMPI_\w+(?=\()", line)
        if found and not line.startswith("#"):
            names.add(found[0])
    for line in (source / "libmprof/api/mprof_functions.txt").read_text().splitlines():
        fields = line.split()
        if len(fields) > 1 and fields[1] == "by_hand":
            by_hand.add(fields[0])
    return names, by_hand


def beginnings(names):
    """MPI_Comm_ and MPI_Comm, as in starts_with("MPI_Comm_")."""
    found = set()
    for name in names:
        parts = name.split("_")
        for count in range(2, len(parts)):
            found.add("_".join(parts[:count]) + "_")
    return found


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def code_of(path, text, may_write_sentences):
    """The text without its comments and own calls, and without sentences where those may name
    functions."""
    kind = "js" if path.suffix == ".js" else "py" if path.suffix in (".py", ".txt") else "c"

    def keep(match):
        piece = match[0]
        if piece[0] not in "\"'`" or piece.startswith('"""'):
            return blank(piece)
        is_sentence = " " in piece.strip("\"'`").strip()
        return blank(piece) if is_sentence and may_write_sentences else piece

    text = COMMENT_OR_STRING[kind].sub(keep, text)
    return OWN_CALL.sub(lambda match: blank(match[0]), text)


def check(source):
    names, by_hand = read_names(source)
    allowed = {path: set(words.split()) for path, (words, _) in NAMES.items()}
    allowed["libmprof/wrap/by_hand.h"] = by_hand
    begins, wrong, used = beginnings(names), [], set()
    for path in sorted([*source.glob("libmprof/**/*"), *source.glob("parser/**/*")]):
        name = path.relative_to(source).as_posix()
        if path.suffix not in SUFFIXES or not path.is_file() or name in TABLES:
            continue
        text = path.read_text()
        code = code_of(path, text, name in SENTENCES)
        if name in SENTENCES and code != code_of(path, text, False):
            used.add(name)
        for number, line in enumerate(code.splitlines(), 1):
            for word in re.findall(r"MPI_[A-Z]\w*", line):
                if word in allowed.get(name, ()):
                    used.add(name)
                elif word in names or (word in begins and f'"{word}"' in line):
                    wrong.append(f"{name}:{number}: {word}")
    unused = sorted((set(NAMES) | set(SENTENCES) | set(TABLES)) - used - set(TABLES))
    wrong += [f"{name}: is allowed to name functions, and names none" for name in unused]
    return wrong


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    wrong = check(pathlib.Path(sys.argv[1]))
    if wrong:
        print("A fact of an MPI function stands in libmprof/api/mprof_functions.txt alone. These "
              "name functions:")
        print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
