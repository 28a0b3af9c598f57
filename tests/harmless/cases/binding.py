"""Calls of MPI that are bound while the program runs."""

from case import ALL_BUILDS, Case, TakeOut

LIBRARY = ["{cc}", "-D_GNU_SOURCE", "-O1", "-g", "-fPIC", "-I{programs}", "-shared",
           "-o", "{folder}/liblate.so", "{programs}/late_library.c", "{cc_libraries}", "-ldl"]
DEEP = TakeOut("redirecting references of libraries that bind deep", "libmprof/interpose/loader.c",
               "    if (flags & RTLD_DEEPBIND)\n", "    if (flags == -1)\n")
BY_DEFAULT = TakeOut("answering dlsym(RTLD_DEFAULT)", "libmprof/interpose/loader.c",
                     "    if (handle == RTLD_NEXT || name == NULL", "    if (handle == RTLD_NEXT "
                     "|| handle == RTLD_DEFAULT || name == NULL")


# -fPIC: else the program has copies of Open MPI's handles, and a library that binds deep does not
# find them.
def late(name, tries, flags, take_outs, builds=ALL_BUILDS, before=LIBRARY, **more):
    return Case(name, tries, builds=builds, source="late_binding.c", before=[before],
                arguments=["{folder}/liblate.so", flags],
                options=["-fPIC", "--", "-ldl"], take_outs=take_outs, **more)


CASES = [
    late("deep_binding", "a library opened with RTLD_DEEPBIND calls MPI", "deep",
         [DEEP, BY_DEFAULT]),
    late("deep_binding_lazy", "the same, bound at the first call of each function", "lazy-deep",
         [DEEP], builds=("openmpi4", "mpich4")),
    late("deep_binding_z_now", "the same, its references read-only", "deep", [DEEP],
         builds=("openmpi4", "mpich4"), before=LIBRARY + ["-Wl,-z,now", "-fno-plt"]),
    late("found_by_default", "functions of MPI found by dlsym(RTLD_DEFAULT)", "now", [BY_DEFAULT]),
]
