#!/usr/bin/env python3
"""Call sites of programs in C, C++ and Fortran on several ranks with address space randomisation.
Each line that calls MPI is one call site. Its file, line, function and number of calls are right on
all ranks.

The programs in places/ say in comments what they do: "@N F" = each rank makes N calls on this line,
in function F. Cases:

    c                 with debugging information, through a shared library and a plug-in
    holes             the same with segments that lie 2 MiB apart, at any address and at a fixed one
    cxx, fortran      templates, members, a lambda; a module's procedure
    debuglink         the program's debugging information in a file beside it
    build_id          the same in a folder by build-id (--debug-dir)
    regions           regions named in Fortran, by include/mprof/mprof.f90
    stripped          none: module and offset, the library's functions by its dynamic symbols
    jit               MPI is called by code that the program makes at another address on each rank
    storage           MPI is called deep inside HDF5, and through NetCDF: the line is the program's
                      that called these
    rebuilt           without build ids the program is there as another build, of other lines
    merged            the program is gone: what mprof merge and mprof scrub kept of names
"""

import os
import re
import subprocess
import sys

import jobs

RANKS = {"openmpi": 4, "mpich": 3}
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "places")
INCLUDE = os.path.join(SOURCES, "..", "..", "..", "include", "mprof")
FLAGS = ["-g", "-O1", "-fno-optimize-sibling-calls", "-Wno-cast-function-type"]


def expected_sites(*names):
    """{(file, line): (calls, part of the function's name)} from the comments of these sources."""
    sites = {}
    for name in names:
        with open(os.path.join(SOURCES, name), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                found = re.search(r"@(\d+) (\S+)", line)
                if found and "MPI_" in line:
                    sites[name, number] = (int(found[1]), found[2])
    return sites


def build(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise jobs.Failure(f"{' '.join(command)}\n{done.stderr}")


def build_c(arguments, folder, *options):
    """The program with its library and its plug-in; returns the command."""
    source = os.path.join(SOURCES, "places_library.c")
    shared = [arguments.cc, *FLAGS, *options, "-shared", "-fPIC"]
    build([*shared, "-o", "libplaces.so", source], folder)
    build([*shared, "-DPLUGIN", "-o", "plugin.so", source], folder)
    build([arguments.cc, *FLAGS, *options, "-o", "places", os.path.join(SOURCES, "places.c"),
           "libplaces.so", "-ldl", f"-Wl,-rpath,{folder}"], folder)
    return [os.path.join(folder, "places"), os.path.join(folder, "plugin.so")]


def sites_of(report):
    """{(file, line): [rows]}, without what is known by module and offset alone."""
    sites = {}
    for row in report["callsites"]:
        # Open MPI's C++ library asks MPI_Initialized when it is loaded: called by the dynamic
        # linker.
        if row["line"] and row["function"] != "MPI_Initialized":
            sites.setdefault((os.path.basename(row["file"]), row["line"]), []).append(row)
    return sites


def check_sites(report, expected, ranks):
    found = sites_of(report)
    for place, (calls, function) in expected.items():
        rows = found.get(place, [])
        if sum(row["calls"] for row in rows) != calls * ranks:
            raise jobs.Failure(f"{place}: {sum(row['calls'] for row in rows)} calls, expected "
                               f"{calls * ranks}; "
                               f"found {sorted(found)}")
        for row in rows:
            if function not in row["symbol"]:
                raise jobs.Failure(f"{place} is in {row['symbol']!r}, expected {function!r}")
            if row["ranks"] != ranks:
                raise jobs.Failure(f"{place}: a call site on {row['ranks']} of {ranks} ranks")
    unexpected = set(found) - set(expected)
    if unexpected:
        raise jobs.Failure(f"call sites that are none: {unexpected}")
    for key in ("calls", "bytes"):
        at_lines, of_functions = (sum(row[key] for row in report[table])
                                  for table in ("callsites", "functions"))
        if at_lines != of_functions:
            raise jobs.Failure(f"{key} of the call sites do not add up to those of the functions")
    quality = report["quality"]
    if quality["callsite_disagreements"] != 0:
        raise jobs.Failure(f"{quality['callsite_disagreements']} paths were wrong")


def check_paths(report, ranks):
    """dot() is called by solver() on two lines and by main() on one: three paths of ten calls
    each."""
    rows = [row for row in report["callsites"] if row["symbol"] == "dot"]
    callers = sorted((row["path"][1]["symbol"], row["path"][1]["line"], row["calls"])
                     for row in rows)
    lines = [number for number, line in enumerate(open(os.path.join(SOURCES, "places.c"),
                                                       encoding="utf-8"), 1)
             if "path of 10" in line]
    expected = sorted([("solver", lines[0], 10 * ranks), ("solver", lines[1], 10 * ranks),
                       ("main", lines[2], 10 * ranks)])
    if callers != expected:
        raise jobs.Failure(f"paths to dot(): {callers}, expected {expected}")
    inlined = [row for row in report["callsites"] if row["symbol"] == "inlined"]
    if not inlined or inlined[0]["path"][1]["symbol"] != "main":
        raise jobs.Failure(f"inlined(): {inlined}")


def profile(tools, folder, command, *options):
    job = jobs.run_profiled(tools, folder, RANKS[tools.mpi], command)
    if job.status != 0:
        raise jobs.Failure(job.describe())
    return jobs.report(tools, os.path.join(folder, "profile"), *options)[0]


def c_sites():
    return expected_sites("places.c", "places_library.c")


def case_c(tools, arguments, folder):
    document = profile(tools, folder, build_c(arguments, folder))
    check_sites(document, c_sites(), RANKS[tools.mpi])
    check_paths(document, RANKS[tools.mpi])


def case_holes(tools, arguments, folder):
    apart = "-Wl,-z,max-page-size=0x200000"
    for number, options in enumerate([[apart], [apart, "-no-pie"]]):
        where = os.path.join(folder, str(number))
        os.mkdir(where)
        document = profile(tools, where, build_c(arguments, where, *options))
        check_sites(document, c_sites(), RANKS[tools.mpi])
        check_paths(document, RANKS[tools.mpi])


def case_cxx(tools, arguments, folder):
    jobs.need_compiler(tools, "mpicxx", arguments.cxx)
    build([arguments.cxx, *FLAGS, "-o", "places",
           os.path.join(SOURCES, "places_templates.cc")], folder)
    document = profile(tools, folder, [os.path.join(folder, "places")])
    check_sites(document, expected_sites("places_templates.cc"), RANKS[tools.mpi])


def case_fortran(tools, arguments, folder):
    jobs.need_compiler(tools, "mpifort", arguments.fc)
    build([arguments.fc, "-g", "-O0", "-o", "places",
           os.path.join(SOURCES, "places_fortran.f90")], folder)
    document = profile(tools, folder, [os.path.join(folder, "places")])
    check_sites(document, expected_sites("places_fortran.f90"), RANKS[tools.mpi])


def case_regions(tools, arguments, folder):
    jobs.need_compiler(tools, "mpifort", arguments.fc)
    build([arguments.fc, "-g", "-O0", "-o", "regions", os.path.join(INCLUDE, "mprof.f90"),
           os.path.join(SOURCES, "regions_fortran.f90"), "-ldl"], folder)
    ranks, command = RANKS[tools.mpi], [os.path.join(folder, "regions")]
    alone = jobs.run_preloaded(tools, folder, ranks, command, None)
    if alone.status != 0 or alone.stdout.count(b"present F") != ranks:
        raise jobs.Failure(f"without mprof: {alone.describe()}")
    document = profile(tools, folder, command)
    regions = {row["region"]: (row["visits"], row["exclusive_calls"])
               for row in document["regions"]}
    if regions.get("solve/step") != (4 * ranks, 4 * ranks) or regions.get("solve") != (ranks, 0):
        raise jobs.Failure(f"regions: {regions}")
    if sum(row["calls"]
           for row in document["functions"] if row["function"] == "MPI_Barrier") != 4 * ranks:
        raise jobs.Failure(f"a call was recorded while paused: {document['functions']}")


def split_debug(folder, name):
    build(["objcopy", "--only-keep-debug", name, f"{name}.debug"], folder)
    build(["strip", "--strip-all", name], folder)


def case_debuglink(tools, arguments, folder):
    command = build_c(arguments, folder)
    split_debug(folder, "places")
    build(["objcopy", "--add-gnu-debuglink=places.debug", "places"], folder)
    document = profile(tools, folder, command)
    check_sites(document, c_sites(), RANKS[tools.mpi])


def case_build_id(tools, arguments, folder):
    command = build_c(arguments, folder)
    notes = subprocess.run(["readelf", "-n", "places"], cwd=folder, capture_output=True,
                           text=True, check=True).stdout
    build_id = re.search(r"Build ID: (\w+)", notes)[1]
    split_debug(folder, "places")
    where = os.path.join(folder, "debug", ".build-id", build_id[:2])
    os.makedirs(where)
    os.rename(os.path.join(folder, "places.debug"), os.path.join(where, build_id[2:] + ".debug"))
    document = profile(tools, folder, command, "--debug-dir", os.path.join(folder, "debug"))
    check_sites(document, c_sites(), RANKS[tools.mpi])


def case_stripped(tools, arguments, folder):
    command = build_c(arguments, folder)
    for name in ("places", "libplaces.so", "plugin.so"):
        build(["strip", "--strip-all", name], folder)
    document = profile(tools, folder, command)
    modules = {}
    for row in document["callsites"]:
        if row["line"]:
            raise jobs.Failure(f"a line without debugging information: {row}")
        modules.setdefault(os.path.basename(row["module"]), set()).add(row["symbol"])
    expected = {"places", "libplaces.so", "plugin.so"}
    if set(modules) != expected:
        raise jobs.Failure(f"modules {sorted(modules)}, expected {sorted(expected)}")
    if modules["libplaces.so"] != {"in_library"} or modules["plugin.so"] != {"in_plugin"}:
        raise jobs.Failure(f"names by the dynamic symbols: {modules}")


def case_jit(tools, arguments, folder):
    build([arguments.cc, *FLAGS, "-o", "jit", os.path.join(SOURCES, "places_jit.c")], folder)
    document = profile(tools, folder, [os.path.join(folder, "jit")])
    ranks = RANKS[tools.mpi]
    rows = [(row["calls"], row["ranks"]) for row in document["callsites"]
            if row["symbol"] == "[JIT code]"]
    if rows != [(20 * ranks, ranks)]:
        raise jobs.Failure(f"calls and ranks of the calls by JIT code: {rows}")
    of_lines = [row["calls"] for row in document["call_lines"] if "[JIT code]" in row["place"]]
    if of_lines != [20 * ranks]:
        raise jobs.Failure(f"lines of the calls by JIT code: {of_lines}")


def case_storage(tools, arguments, folder):
    source = os.path.join(SOURCES, "places_storage.c")
    library = [arguments.cc, *FLAGS, "-shared", "-fPIC", source]
    # Debian's libraries are called libhdf5_openmpi.so.103 and libnetcdf_mpi.so.19.
    build([*library, "-DHDF5", "-o", "libhdf5_openmpi.so"], folder)
    build([*library, "-DNETCDF", "-o", "libnetcdf_mpi.so"], folder)
    build([arguments.cc, *FLAGS, "-o", "storage", source, "libnetcdf_mpi.so", "libhdf5_openmpi.so",
           f"-Wl,-rpath,{folder}"], folder)
    document = profile(tools, folder, [os.path.join(folder, "storage")])
    check_sites(document, expected_sites("places_storage.c"), RANKS[tools.mpi])


def case_rebuilt(tools, arguments, folder):
    """Nothing tells which build a file is, so lines of another one may not be shown."""
    text = ("#include <mpi.h>\nint main(void)\n{\n    MPI_Init(0, 0);\n"
            "    MPI_Barrier(MPI_COMM_WORLD);\n    return MPI_Finalize();\n}\n")

    def build_again(above):
        with open(os.path.join(folder, "program.c"), "w", encoding="utf-8") as file:
            file.write(above + text)
        build([arguments.cc, *FLAGS, "-Wl,--build-id=none", "-o", "program", "program.c"], folder)

    build_again("")
    document = profile(tools, folder, [os.path.join(folder, "program")])
    if ("program.c", 5) not in sites_of(document) or document["quality"]["unproved_modules"]:
        raise jobs.Failure(f"the build that ran: {sites_of(document)} {document['quality']}")
    build_again("/* three\n more\n lines */\n")
    document = jobs.report(tools, os.path.join(folder, "profile"))[0]
    if sites_of(document):
        raise jobs.Failure(f"lines of another build: {sites_of(document)}")
    why = document["quality"]["unresolved_modules"]
    if not any("program was changed after the run" in words for words in why):
        raise jobs.Failure(f"the report does not say why there are no lines: {why}")


def new_file(tools, name, words, where, folder):
    """Of `mprof WORDS`: its path."""
    path = os.path.join(folder, name)
    build([tools.mprof, words[0], where, "-o", path, *words[1:]], folder)
    return path


def check_size(merged, where):
    """What a merged file holds beside names is not larger than the files."""
    before = sum(os.path.getsize(os.path.join(where, file)) for file in os.listdir(where))
    if os.path.getsize(merged) > before:
        raise jobs.Failure(f"{merged}: {os.path.getsize(merged)} bytes instead of {before}")


def calls_by_function(report):
    """{function: calls} of those that the sources name; there must be no line."""
    found = {}
    names = {name for _, name in c_sites().values()}
    for row in report["callsites"]:
        if row["line"] or row["file"]:
            raise jobs.Failure(f"a line that was not to be kept: {row}")
        if row["symbol"] in names:
            found[row["symbol"]] = found.get(row["symbol"], 0) + row["calls"]
    return found


def case_merged(tools, arguments, folder):
    ranks = RANKS[tools.mpi]
    profile(tools, folder, build_c(arguments, folder))
    where = os.path.join(folder, "profile")
    merged = new_file(tools, "merged", ["merge"], where, folder)
    lines = new_file(tools, "lines", ["merge", "--lines"], where, folder)
    nameless = new_file(tools, "nameless", ["merge", "--no-names"], where, folder)
    check_size(nameless, where)
    scrubbed = new_file(tools, "scrubbed", ["scrub"], lines, folder)
    bare = new_file(tools, "bare", ["scrub", "--no-names"], lines, folder)
    for name in ("places", "libplaces.so", "plugin.so"):
        os.remove(os.path.join(folder, name))
    again = new_file(tools, "again", ["merge"], lines, folder)

    expected = {}
    for calls, function in c_sites().values():
        expected[function] = expected.get(function, 0) + calls * ranks
    for path in (merged, scrubbed):
        found = calls_by_function(jobs.report(tools, path)[0])
        if found != expected:
            raise jobs.Failure(f"{path}: calls by function {found}, expected {expected}")
    for path in (nameless, bare):
        found = calls_by_function(jobs.report(tools, path)[0])
        if found:
            raise jobs.Failure(f"{path}: has names: {found}")
    for path in (lines, again):
        document = jobs.report(tools, path)[0]
        check_sites(document, c_sites(), ranks)
        check_paths(document, ranks)
    for path in (scrubbed, bare):
        if SOURCES in str(jobs.report(tools, path)[0]):
            raise jobs.Failure(f"{path}: has the folder of the sources")


CASES = {"c": case_c, "holes": case_holes, "cxx": case_cxx, "fortran": case_fortran,
         "debuglink": case_debuglink, "build_id": case_build_id,
         "stripped": case_stripped, "regions": case_regions, "jit": case_jit,
         "storage": case_storage, "rebuilt": case_rebuilt, "merged": case_merged}


def run(tools, arguments):
    with jobs.Folder("places", tools.keep) as folder:
        CASES[arguments.case](tools, arguments, folder.sub("case"))


if __name__ == "__main__":
    parser = jobs.argument_parser(__doc__)
    for option in ("--cc", "--cxx", "--fc"):
        parser.add_argument(option, default="")
    parser.add_argument("case", choices=CASES)
    sys.exit(jobs.main(run, parser))
