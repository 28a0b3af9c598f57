"""Functions that the process's MPI lacks are not there, however a program asks; nor is any of them
without an MPI."""

from case import ALL_BUILDS, NOTHING, Case, TakeOut

HIDE = TakeOut("taking names out before anything is bound to them",
               "libmprof/interpose/early.c", "    hide_names(objects);\n", "")
SLOTS = TakeOut("correcting what linked libraries are bound to",
                "libmprof/interpose/early.c", "    early_correct_slots(objects);\n", "")
BELL = TakeOut("seeing an MPI before anything is bound to it", "libmprof/interpose/early.c",
               "        set_up_bell(objects->own);\n", "")
NAMES = ["sh", "-c", "nm -D \"$0\" | "
         "sed -n 's/.* T \\(MPI_[A-Za-z0-9_]*\\)@.*/X(\\1)/p' >names.inc", "{library}"]
LINKED = ["-L{folder}", "-Wl,-rpath,{folder}", "-lweak", "-ldl"]
SOURCES = ["-I{folder}", "-DPLACE=program", "{programs}/weak/weak_table.c"]


def library(compiler, place, name, *options):
    return [compiler, "-O1", "-g", "-fPIC", "-I{folder}", "-shared", "-DPLACE=" + place, *options,
            "-o", "{folder}/" + name, "{programs}/weak/weak_table.c"]


def weak(name, tries, options=(), of_libraries=(), at_link=(), take_outs=(HIDE, SLOTS), **more):
    return Case(name, tries, source="weak_names.c", ranks=1,
                before=[NAMES, library("{cc}", "library", "libweak.so", *of_libraries),
                        library("{cc}", "plugin", "plugin.so", *of_libraries)],
                arguments=["{folder}/plugin.so"],
                options=[*options, *SOURCES, "--", *at_link, *LINKED],
                take_outs=list(take_outs), **more)


def plain(name, tries, *later, options=(), **more):
    """By the plain compiler, as an argument of the same program for MPI."""
    return Case(name, tries, source="weak_names.c", ranks=1, record=NOTHING,
                before=[NAMES, library("cc", "library", "libweak.so", *options),
                        library("cc", "plugin", "plugin.so", *options),
                        ["cp", "{folder}/plugin.so", "{folder}/late.so"],
                        ["cc", "-D_GNU_SOURCE", "-DWITHOUT_MPI", "-O1", *options, *SOURCES,
                         "{programs}/weak/weak_names.c", "-o", "{folder}/plain", *LINKED]],
                options=[*SOURCES, "--", *LINKED],
                inside=["{folder}/plain", "{folder}/plugin.so", *later], **more)


CASES = [
    weak("weak_names", "weak references to all functions of MPI: in the program, a library and a "
         "plugin, in code and in data, seen by a constructor and later"),
    weak("weak_names_now", "the same, bound at once", of_libraries=["-fno-plt", "-Wl,-z,now"],
         options=["-fno-plt"], at_link=["-Wl,-z,now"]),
    weak("weak_names_no_pie", "the same, in a program that has fixed addresses",
         options=["-fno-pie", "-no-pie"]),
    weak("weak_names_old_hash", "the same, with the old kind of hash table and without RELRO",
         of_libraries=["-Wl,--hash-style=sysv", "-Wl,-z,norelro"],
         at_link=["-Wl,--hash-style=sysv", "-Wl,-z,norelro"], builds=["openmpi4"]),
    plain("weak_without_mpi", "the same in a program without MPI", builds=["openmpi4"],
          take_outs=[HIDE, SLOTS]),
    plain("weak_without_mpi_now", "the same, bound at once", options=["-fno-plt", "-Wl,-z,now"],
          builds=["openmpi4"], take_outs=[HIDE, SLOTS]),
    plain("weak_late_openmpi", "the same, which then opens an MPI, and a plugin that finds it",
          "libmpi.so.40", "{folder}/late.so", builds=["openmpi4"], take_outs=[HIDE]),
    plain("weak_late_mpich", "the same with MPICH", "libmpich.so.12", "{folder}/late.so",
          builds=["mpich4"], take_outs=[HIDE]),
    Case("late_constructor",
         "a program without MPI opens a library that brings MPI, and calls it from a constructor",
         source="opens.c", options=["-Wl,--as-needed", "--", "-ldl"],
         before=[["{cc}", "-g", "-fPIC", "-I{programs}", "-shared",
                  "{programs}/weak/calls_at_once.c", "{cc_libraries}",
                  "-o", "{folder}/libcalls.so"]],
         arguments=["{folder}/libcalls.so"], take_outs=[BELL]),
    Case("python_profile", "libmprof.so is opened by mpi4py.profile()", builds=ALL_BUILDS,
         source="profiled_by_mpi4py.py", preload="", arguments=["{library}"]),
]
