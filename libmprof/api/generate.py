#!/usr/bin/env python3
"""Writes libmprof's repeated code from the tables in this folder, at build time (python3, standard
library only).

    generate.py OUTPUT_FOLDER              for libmprof
    generate.py --parser OUTPUT_FOLDER     for the parser

    mpi_functions.txt    the MPI standard: one C prototype a line
    mprof_functions.txt  what mprof must know of a function beyond that (functions.py reads both)
    watched_functions.txt  functions with a second wrapper, and what their calls carry
    lifetimes.txt        what a program makes and has to end, for the parser
    old_functions.txt    what the standard deprecates or has removed, for the parser
    abi_facts.txt        what differs between the MPI ABI families

makes in OUTPUT_FOLDER for the parser

    function_facts.inc   the rows of parser/measure/function_facts.cc

and for libmprof

    mpi_functions.h      function ids, MPI_FUNCTION_COUNT, and what libmprof asks of a function
    mpi_function_names.c names and marks by id
    mpi_prototypes.h     a type per function, in terms of the handle types of an abi_*.h
    abi_FAMILY.h         the facts of one family under the standard's own names
    wrappers.inc         a wrapper per function, compiled once per family by wrap/wrappers.c, and
                         the second wrappers
    trampolines.inc      one line per function for interpose/trampolines_*.S
    mprof.map            the linker's version script
    static/ARCH/MPI_X.s  a trampoline per function for libmprof.a (interpose/static_link.c)
    static_required.c    the MPI functions that libmprof itself needs, for the same

The generated C is dull on purpose: what a wrapper does is in hand-written functions (wrap/wrap.h
and others). wrappers.py has the templates.
"""
import pathlib
import re
import sys

from functions import (HERE, MARKS, read_functions, read_lifetimes, read_lines,
                       read_old_functions)
from wrappers import tell, wrapper


# ---- the files -----------------------------------------------------------------------------------

# What libmprof asks of a function at run time: the constant, and for which functions it holds.
MARKS_IN_LIBMPROF = {
    "MPI_BEGINS": lambda function: "begins_mpi" in function.marks,
    "MPI_STARTS_UP": lambda function: {"begins_mpi", "starts_up"} & set(function.marks),
    "MPI_IS_UNTIMED": lambda function: function.is_untimed,
    # MPI_File_open waits for the last rank, and the sums of a run cannot tell that from slow files.
    "MPI_MOVES_FILE": lambda function: function.kind == "file" and function.wait != "everyone",
    "MPI_IS_MADE_INSIDE": lambda function: "made_inside" in function.marks,
}


# What its calls are for in time bins (mprof_time_class in mprof/format/format.h). The first row
# that holds counts.
TIME_CLASSES = (
    ("MPROF_TIME_START_UP", lambda function: {"begins_mpi", "starts_up"} & set(function.marks) or (
        function.makes_comm and function.wait != "not_known")),
    ("MPROF_TIME_FILE", lambda function: function.kind == "file"),
    ("MPROF_TIME_ONE_SIDED", lambda function: function.kind == "one_sided"),
    ("MPROF_TIME_COMPLETION", lambda function: function.template == "complete"),
    ("MPROF_TIME_POINT_TO_POINT", lambda function: function.kind == "point_to_point"),
    ("MPROF_TIME_COLLECTIVE", lambda function: function.kind in ("collective", "synchronisation")
     or "ends_mpi" in function.marks),
    ("MPROF_TIME_OTHER", lambda function: True),
)


def time_class(function):
    return next(name for name, holds in TIME_CLASSES if holds(function))


def functions_header(functions):
    ids = "\n".join(f"    FN_{function.name} = {number},"
                    for number, function in enumerate(functions))
    marks = ", ".join(f"{mark} = {1 << bit}" for bit, mark in enumerate(MARKS_IN_LIBMPROF))
    name_bytes = sum(len(function.name) + 1 for function in functions)
    return ("#ifndef MPI_FUNCTIONS_H\n#define MPI_FUNCTIONS_H\n\n"
            f"enum mpi_function {{\n{ids}\n    MPI_FUNCTION_COUNT = {len(functions)}\n}};\n"
            f"enum mpi_function_mark {{ {marks} }};\n"
            f"enum {{ MPI_NAME_BYTES = {name_bytes}, MPI_NAME_PLACES = {NAME_PLACES} }};\n\n"
            f"{FUNCTION_TABLES}\n#endif\n")


FUNCTION_TABLES = """\
#define MPI_FUNCTION_TABLE extern __attribute__((visibility("hidden"))) const

/* The names in the order of the ids, each with a 0 behind it. Offsets stand for pointers, which
 * the dynamic linker would write into each rank's own copy of the pages. */
MPI_FUNCTION_TABLE char mpi_name_texts[MPI_NAME_BYTES];
MPI_FUNCTION_TABLE unsigned short mpi_name_offsets[MPI_FUNCTION_COUNT];
/* id + 1, at the place of the name's GNU hash or behind it; 0 = free */
MPI_FUNCTION_TABLE unsigned short mpi_name_places[MPI_NAME_PLACES];
MPI_FUNCTION_TABLE unsigned char mpi_function_marks[MPI_FUNCTION_COUNT];
MPI_FUNCTION_TABLE unsigned char mpi_time_classes[MPI_FUNCTION_COUNT];

static inline const char *mpi_function_name(int function)
{
    return mpi_name_texts + mpi_name_offsets[function];
}
"""
NAME_PLACES = 2048


def gnu_hash(name):
    """As ELF hashes names (DT_GNU_HASH)."""
    value = 5381
    for letter in name.encode():
        value = (value * 33 + letter) & 0xffffffff
    return value


def places_of_names(functions):
    places = [0] * NAME_PLACES
    for number, function in enumerate(functions):
        place = gnu_hash(function.name) % NAME_PLACES
        while places[place]:
            place = (place + 1) % NAME_PLACES
        places[place] = number + 1
    return places


def lines_of(numbers):
    """As rows of an array."""
    return "\n".join("    " + ", ".join(map(str, numbers[begin:begin + 16])) + ","
                     for begin in range(0, len(numbers), 16))


def function_names(functions):
    def marks_of(function):
        return " | ".join(mark for mark, holds in MARKS_IN_LIBMPROF.items() if holds(function))

    names = '\\0"\n'.join(f'    "{function.name}' for function in functions) + '"'
    lengths = [len(function.name) + 1 for function in functions]
    offsets = [sum(lengths[:number]) for number in range(len(lengths))]
    marks = "\n".join(f"    [FN_{function.name}] = {marks_of(function)},"
                      for function in functions if marks_of(function))
    classes = "\n".join(f"    [FN_{function.name}] = {time_class(function)},"
                        for function in functions)
    return ('#include "api/mpi_functions.h"\n\n#include "mprof/format/format.h"\n\n'
            '#pragma GCC diagnostic ignored "-Woverlength-strings"\n'
            f"const char mpi_name_texts[MPI_NAME_BYTES] =\n{names};\n\n"
            "const unsigned short mpi_name_offsets[MPI_FUNCTION_COUNT] = {\n"
            f"{lines_of(offsets)}\n}};\n\n"
            "const unsigned short mpi_name_places[MPI_NAME_PLACES] = {\n"
            f"{lines_of(places_of_names(functions))}\n}};\n\n"
            f"const unsigned char mpi_function_marks[MPI_FUNCTION_COUNT] = {{\n{marks}\n}};\n\n"
            f"const unsigned char mpi_time_classes[MPI_FUNCTION_COUNT] = {{\n{classes}\n}};\n")


# They are libmprof's business alone.
MARKS_IN_LIBMPROF_ALONE = ("made_inside", "untimed")
MARKS_IN_PARSER = tuple(mark for mark in MARKS if mark not in MARKS_IN_LIBMPROF_ALONE)
# Marks of the parser that follow from the other columns.
MARKS_OF_COLUMNS = {
    "makes_comm": lambda function: function.makes_comm,
    "completes": lambda function: function.template == "complete",
    "frees_comm": lambda function: function.template == "comm_free",
}


def function_facts(functions):
    """Rows of FunctionFacts (parser/measure/function_facts.h): what is as for a function that
    nothing is known of is left out."""
    makes, ends = read_lifetimes(functions)
    old = read_old_functions(functions)
    rows = []
    for function in functions:
        fields = [f'.name = "{function.name}"', f'.form_of = "{function.form_of}"']
        fields += [f".{field} = {enumeration}::{value}" for field, enumeration, value, usual in (
            ("kind", "FunctionKind", function.kind, "other"),
            ("call", "WaitRule", function.wait, "never"),
            ("completion", "WaitRule", function.wait_of_completion, "never")) if value != usual]
        fields += [f".{mark} = true" for mark in MARKS_IN_PARSER if mark in function.marks]
        fields += [f".{mark} = true" for mark, holds in MARKS_OF_COLUMNS.items()
                   if holds(function)]
        fields += [f".{field} = Object::{told[function.name]}"
                   for field, told in (("makes", makes), ("ends", ends))
                   if function.name in told]
        if function.name in old:
            deprecated, removed, section, instead = old[function.name]
            fields.append(f'.old = {{"{deprecated}", "{"" if removed == "-" else removed}", '
                          f'"{section}", "{instead}"}}')
        rows.append("    {" + ", ".join(fields) + "},\n")
    return "".join(rows)


def prototypes(functions):
    return "".join(f"typedef {function.result} type_{function.name}({function.parameters});\n"
                   for function in functions)


def wrappers(functions):
    generated = [function for function in functions
                 if function.template not in ("by_hand", "direct")]
    code = "\n".join(wrapper(function) for function in generated)
    watched = [function for function in generated if function.watched]
    code += "\n" + "\n".join(tell(function) + "\n" + wrapper(function, watched=True)
                             for function in watched)
    tables = "\n".join(
        f"WRAPPER_TABLE({table},\n" + "\n".join(
            f"    WRAPPER_OFFSET({table}, {prefix}_{function.name})" if function in rows
            else "    NO_WRAPPER" for function in functions) + "\n)\n"
        for table, prefix, rows in (
            ("mprof_wrapper_offsets", "wrap",
             [function for function in functions if function.template != "direct"]),
            ("mprof_watch_offsets", "watch", watched)))
    return f"{code}\n#include \"wrap/by_hand.h\"\n\n{tables}"


def trampolines(functions):
    return "".join(f"TRAMPOLINE {function.name} {number}\n"
                   for number, function in enumerate(functions))


STATIC_TRAMPOLINE = {
    "x86_64": """\
    .text
    .globl  {name}
    .type   {name}, @function
{name}:
    endbr64
    jmp     *mpi_slots+8*{number}(%rip)
    .size   {name}, .-{name}
    .section mprof_pmpi, "aw"
    .p2align 3
    .quad   {number}, P{name}
    .section .note.gnu.property, "a", @note
    .p2align 3
    .long   4, 16, 5
    .asciz  "GNU"
    .long   0xc0000002, 4, 3, 0
    .section .note.GNU-stack, "", @progbits
""",
    "aarch64": """\
    .text
    .globl  {name}
    .type   {name}, %function
{name}:
    hint    #34
    adrp    x16, mpi_slots+8*{number}
    ldr     x16, [x16, :lo12:mpi_slots+8*{number}]
    br      x16
    .size   {name}, .-{name}
    .section mprof_pmpi, "aw"
    .p2align 3
    .quad   {number}, P{name}
    .section .note.GNU-stack, "", %progbits
""",
}


def static_required(functions):
    """What the hand-written headers call by PMPI(); of a session's functions the program brings
    what it needs."""
    sources = "".join(path.read_text() for path in sorted((HERE.parent / "wrap").glob("*.h"))
                      if path.name != "by_hand.h")
    names = sorted(name for name in set(re.findall(r"PMPI\((MPI_\w+)\)", sources))
                   if "session" not in name)
    ids = {function.name: number for number, function in enumerate(functions)}
    externs = "\n".join(f"extern int P{name}(void);" for name in names)
    rows = "\n".join(f"    {{{ids[name]}, P{name}}}," for name in names)
    return (f"{externs}\n\nstruct static_function {{\n    long id;\n    int (*address)(void);\n"
            f"}};\n\n"
            '__attribute__((section("mprof_pmpi"), used)) static struct static_function required[] '
            '= {\n'
            f"{rows}\n}};\n")


VERSION_SCRIPT = """\
/* MPROF_1 must be the first version: glibc lets a reference without version bind to a hidden \
symbol of the first version
 * (index 2), while dlsym() does not see it. The hooks (dlopen ...) are exported without \
version: they match every
 * versioned reference. Everything else is hidden by its visibility. */
MPROF_1 {
    global:
        MPI_*;
    local:
        mprof_call_*;
};
/* Hidden from all until an MPI is waited for (interpose/early.c). */
MPROF_BELL { global: __gmon_start__; };
/* The versions that GCC's OpenMP library gives these functions. Its users ask for them by \
version; nobody else finds them. */
GOMP_1.0 { global: GOMP_barrier; GOMP_loop_end; GOMP_sections_end; GOMP_critical_start;
    GOMP_critical_name_start; GOMP_ordered_start; GOMP_atomic_start; };
GOMP_2.0 { global: GOMP_task; };
GOMP_4.0 { global: GOMP_parallel; GOMP_parallel_sections; GOMP_parallel_loop_static;
    GOMP_parallel_loop_dynamic; GOMP_parallel_loop_guided; GOMP_parallel_loop_runtime;
    GOMP_barrier_cancel; GOMP_loop_end_cancel; GOMP_sections_end_cancel; };
GOMP_4.5 { global: GOMP_parallel_loop_nonmonotonic_dynamic; GOMP_parallel_loop_nonmonotonic_guided;
    GOMP_taskloop; GOMP_taskloop_ull; };
GOMP_5.0 { global: GOMP_parallel_loop_nonmonotonic_runtime; GOMP_parallel_reductions;
    GOMP_parallel_loop_maybe_nonmonotonic_runtime; };
"""


def read_facts():
    """The families, and (kind, name, value by family) of each fact; the first line has the
    families' names."""
    families, facts = None, []
    for number, line in read_lines("abi_facts.txt"):
        kind, name, *values = line.split()
        if kind == "family":
            families = values
        elif families is None or len(values) != len(families):
            sys.exit(f"abi_facts.txt:{number}: expected a kind, a name, and a value per family")
        else:
            facts.append((kind, name, dict(zip(families, values))))
    return families, facts


PREDEFINED_OPS = tuple(f"MPI_{name}" for name in (
    "SUM", "PROD", "MAX", "MIN", "LAND", "BAND", "LOR", "BOR", "LXOR", "BXOR", "MAXLOC", "MINLOC"))


def handle_type(name):
    """The type of a predefined handle, from its name."""
    if name in ("MPI_DOUBLE", "MPI_DOUBLE_INT", "MPI_BYTE", "MPI_DATATYPE_NULL"):
        return "MPI_Datatype"
    if name in PREDEFINED_OPS:
        return "MPI_Op"
    if name == "MPI_MESSAGE_NO_PROC":
        return "MPI_Message"
    return "MPI_" + name.split("_")[1].capitalize()


def abi_header(facts, family):
    lines, symbols = [], []
    status = {name: value[family] for kind, name, value in facts if kind == "status"}
    for kind, name, values in facts:
        value = values[family]
        if kind == "type":
            lines.append(f"typedef int {name};" if value == "int"
                         else f"typedef struct {name}_object *{name};")
        elif kind == "integer":
            lines.append(f"#define {name} ({value})")
        elif kind == "pointer":
            macro, target = re.fullmatch(r"(\w+)\((\w+)\)", name).groups()
            lines.append(f"#define {macro} (({target} *){value})")
        elif kind == "handle" and value.startswith("&"):
            lines.append(f"#define {name} (({handle_type(name)})abi_symbols[{len(symbols)}])")
            symbols.append(value[1:])
        elif kind == "handle":
            lines.append(f"#define {name} (({handle_type(name)}){value})")
    lines.append(f"typedef struct {{\n    int words[{int(status['size']) // 4}];\n}} MPI_Status;")
    lines += [f"enum {{ STATUS_{field}_WORD = {int(status['MPI_' + field]) // 4} }};"
              for field in ("SOURCE", "TAG", "ERROR")]
    names = ", ".join(f'"{symbol}"' for symbol in symbols)
    lines.append(f"enum {{ ABI_SYMBOL_COUNT = {len(symbols)} }};")
    lines.append("static const char *const abi_symbol_names[ABI_SYMBOL_COUNT + 1] = "
                 f"{{{names}{', ' if names else ''}0}};")
    lines.append("static void *abi_symbols[ABI_SYMBOL_COUNT + 1];")
    return "\n".join(lines) + "\n"


def write_if_changed(path, text):
    """So that a build does not recompile what is the same."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def files_for_libmprof(output):
    functions = read_functions()
    families, facts = read_facts()
    files = {
        "mpi_functions.h": functions_header(functions),
        "mpi_function_names.c": function_names(functions),
        "mpi_prototypes.h": prototypes(functions),
        "wrappers.inc": wrappers(functions),
        "trampolines.inc": trampolines(functions),
        "mprof.map": VERSION_SCRIPT,
    }
    for family in families:
        files[f"abi_{family}.h"] = abi_header(facts, family)
    files["static_required.c"] = static_required(functions)
    for architecture, template in STATIC_TRAMPOLINE.items():
        (output / "static" / architecture).mkdir(parents=True, exist_ok=True)
        for number, function in enumerate(functions):
            files[f"static/{architecture}/{function.name}.s"] = template.format(
                name=function.name, number=number)
    return files


def main():
    arguments = sys.argv[1:]
    for_parser = arguments[:1] == ["--parser"]
    if len(arguments) != 1 + for_parser:
        sys.exit(__doc__)
    output = pathlib.Path(arguments[-1])
    output.mkdir(parents=True, exist_ok=True)
    if for_parser:
        files = {"function_facts.inc": function_facts(read_functions())}
    else:
        files = files_for_libmprof(output)
    for name, text in files.items():
        write_if_changed(output / name, text)


if __name__ == "__main__":
    main()
