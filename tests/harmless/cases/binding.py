"""Calls of MPI that are bound while the program runs."""

from case import ALL_BUILDS, Case, TakeOut

LIBRARY = ["{cc}", "-D_GNU_SOURCE", "-O1", "-g", "-fPIC", "-I{programs}", "-shared",
           "-o", "{folder}/liblate.so", "{programs}/late_library.c", "{cc_libraries}", "-ldl"]
DEEP = TakeOut("redirecting references of libraries that bind deep", "libmprof/interpose/loader.c",
               "    if (flags & RTLD_DEEPBIND)\n", "    if (flags == -1)\n")
BY_DEFAULT = TakeOut("answering dlsym(RTLD_DEFAULT)", "libmprof/interpose/loader.c",
                     "    if (function < 0 || is_in_tool(caller))",
                     "    if (function < 0 || handle == RTLD_DEFAULT || is_in_tool(caller))")
BY_NEXT = TakeOut("answering dlsym(RTLD_NEXT)", "libmprof/interpose/loader.c",
                  "    if (function < 0 || is_in_tool(caller))",
                  "    if (function < 0 || handle == RTLD_NEXT || is_in_tool(caller))")
BY_LIBC = TakeOut("answering libc's own dlsym()", "libmprof/interpose/loader.c",
                  "real_dlsym(handle, name) == of_libc ? hook : NULL",
                  "real_dlsym(handle, name) == of_libc ? NULL : NULL")
FILE = TakeOut("telling dladdr() the MPI's own file", "libmprof/interpose/loader.c",
               "return native != NULL ? native : address;", "return address;")
ONE_ADDRESS = TakeOut("one address for a function", "libmprof/interpose/mpi_binding.c",
                      "return (void *)(uintptr_t)(mprof_trampolines + ",
                      "return mpi_slots[function]; (void)(")


# -fPIC: else the program has copies of Open MPI's handles, and a library that binds deep does not
# find them.
def late(name, tries, flags, take_outs, builds=ALL_BUILDS, before=LIBRARY, **more):
    return Case(name, tries, builds=builds, source="late_binding.c", before=[before],
                arguments=["{folder}/liblate.so", flags],
                options=["-fPIC", "--", "-ldl"], take_outs=take_outs, **more)


def answers(name, tries, *options, take_outs=()):
    """The library is linked, and opened as a file of another name, too."""
    library = ["{cc}", "-D_GNU_SOURCE", "-O1", "-g", "-fPIC", "-I{programs}", "-shared",
               "{programs}/asked/same_answers_library.c", "{cc_libraries}", "-ldl", "-o"]
    return Case(name, tries, source="same_answers.c",
                before=[library + ["{folder}/libasks.so"], library + ["{folder}/plugin.so"]],
                arguments=["{folder}/plugin.so"],
                options=[*options, "--", "-L{folder}", "-Wl,-rpath,{folder}", "-lasks", "-ldl"],
                take_outs=[BY_NEXT, FILE, ONE_ADDRESS, *take_outs])


def neuron(name, tries, builds, **more):
    """NEURON 9 takes what is not Open MPI for MPICH, and calls it with MPICH's handles."""
    return Case(name, tries, builds=builds, source="neuron_ring.py", environment="neuron",
                variables={"NEURON_MODULE_OPTIONS": "-nogui"}, take_outs=[FILE], **more)


CASES = [
    late("deep_binding", "a library opened with RTLD_DEEPBIND calls MPI", "deep",
         [DEEP, BY_DEFAULT]),
    late("deep_binding_lazy", "the same, bound at the first call of each function", "lazy-deep",
         [DEEP], builds=("openmpi4", "mpich4")),
    late("deep_binding_z_now", "the same, its references read-only", "deep", [DEEP],
         builds=("openmpi4", "mpich4"), before=LIBRARY + ["-Wl,-z,now", "-fno-plt"]),
    late("found_by_default", "functions of MPI found by dlsym(RTLD_DEFAULT)", "now", [BY_DEFAULT]),
    answers("same_answers", "the address of a function of MPI, and its file, asked for in ten ways",
            "-fPIE", take_outs=[BY_LIBC]),
    answers("same_answers_no_pie", "the same, by a program that has fixed addresses", "-fno-pie",
            "-no-pie"),
    Case("which_file", "which file defines MPI_Init, asked by a program that opens MPI itself",
         source="which_file.c", options=["-Wl,--as-needed", "--", "-ldl"], take_outs=[FILE]),
    Case("which_file_local", "the same, the MPI opened for the program alone",
         source="which_file.c", options=["-Wl,--as-needed", "--", "-ldl"], arguments=["local"],
         take_outs=[FILE]),
    Case("opened_among_threads",
         "a program opens MPI while its threads open and close libraries", ranks=1,
         builds=["openmpi4"],
         options=["-Wl,--as-needed", "--", "-ldl"],
         before=[["sh", "-c", "for i in 1 2 3 4; do echo 'void ask(void) {{}}' | "
                  "cc -x c -shared -fPIC -o plugin$i.so -; done"]],
         arguments=[f"{{folder}}/plugin{i}.so" for i in (1, 2, 3, 4)]),
    neuron("python_neuron", "NEURON, which opens MPI by itself", ["openmpi4"]),
    neuron("python_neuron_finds", "NEURON, which finds an MPI that is there",
           ["openmpi4", "mpich4", "openmpi5", "mpich5", "intel"], preload="{library}:{libmpi}"),
]
