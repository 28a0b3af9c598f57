"""Programs into which nothing can be preloaded, or which want to be first."""

from case import NOTHING, Case, TakeOut

# MPICH's hwloc asks OpenCL for its devices. Drivers of Mesa end a program that has a sanitizer,
# with and without mprof.
SANITIZERS = {"ASAN_OPTIONS": "detect_leaks=0", "LSAN_OPTIONS": "detect_leaks=0",
              "TSAN_OPTIONS": "report_bugs=0", "HWLOC_COMPONENTS": "-opencl"}
CLANG = "clang:-fsanitize=address"  # the libraries of its other sanitizers come with this one
SHELL = ["sh", "-c", 'exec "$0" "$@"']
ASAN_FIRST = TakeOut("telling AddressSanitizer that it need not be the first library",
                     "libmprof/interpose/sanitizer.c",
                     '"verify_asan_link_order=0:"', '""')
OWN_OPTIONS = TakeOut(
    "ASAN_OPTIONS for a program with options of its own", "parser/check/program_check.cc",
                      "    if (!needs_sanitizer(executable) || !exe",
                       "    if (needs_sanitizer(executable) || !exe")
OBSTACLE = TakeOut("not preloading into what would not start", "parser/main/run_command.cc",
                   "obstacle->does_harm ? Preload::harmful", "false ? Preload::harmful")


def sanitized(name, tries, *options, take_outs=(), variables=None, **more):
    return Case(name, tries, source="sanitized.c", options=[*options, "--", "-ldl"],
                variables={**SANITIZERS, **(variables or {})}, take_outs=take_outs, **more)


def clang(kind, *options):
    """Compiled by clang: the harness compiles the same program by the MPI's compiler, as an
    argument."""
    return ["env", "OMPI_CC=clang", "MPICH_CC=clang", "{cc}", "-D_GNU_SOURCE", "-g",
            "-I{programs}", "-fsanitize=" + kind,
            *options, "-o", "{folder}/by_clang", "{programs}/sanitized.c", "-ldl"]


def other(name, tries, compiler, *options, says, needs=(), inside=("{folder}/other",),
          started="run", **more):
    return Case(name, tries, source="sanitized.c", options=["--", "-ldl"], record=NOTHING,
                inside=list(inside), started=started,
                before=[[compiler, *options, "-o", "{folder}/other",
                         "{programs}/without_mpi.c"]], says=says, needs=needs, **more)


MUSL = [r"mprof: .*other runs without being profiled: "
        r"the program's dynamic linker is .*musl.*, not that of glibc"]

CASES = [
    sanitized("asan", "GCC's AddressSanitizer", "-fsanitize=address", started="run",
              take_outs=[ASAN_FIRST]),
    sanitized("asan_preload", "the same, by LD_PRELOAD", "-fsanitize=address",
              take_outs=[ASAN_FIRST]),
    sanitized("asan_script",
              "the same, started by a shell that sets ASAN_OPTIONS", "-fsanitize=address",
              started="run",
              inside=["sh", "-c",
                      'ASAN_OPTIONS=detect_leaks=0:abort_on_error=1 exec "$0" "$@"'],
              take_outs=[ASAN_FIRST]),
    sanitized("asan_inside", "the same, mprof run behind the launcher",
              "-fsanitize=address", started="inside", take_outs=[ASAN_FIRST]),
    sanitized("asan_undefined",
              "AddressSanitizer and UndefinedBehaviorSanitizer", "-fsanitize=address,undefined",
              started="run", take_outs=[ASAN_FIRST]),
    sanitized("asan_own_options",
              "AddressSanitizer in a program with __asan_default_options()", "-fsanitize=address",
              "-DOWN_OPTIONS", started="run", take_outs=[OWN_OPTIONS]),
    sanitized("asan_own_options_env", "the same, behind env", "-fsanitize=address",
              "-DOWN_OPTIONS", started="run", inside=["env", "NOTHING=1"], take_outs=[OWN_OPTIONS]),
    sanitized("asan_static", "AddressSanitizer in the program itself",
              "-fsanitize=address", "-static-libasan", started="run"),
    # Debian's MPICH crashes with it, also without mprof.
    sanitized("tsan", "ThreadSanitizer", "-fsanitize=thread", started="run", builds=["openmpi4"]),
    sanitized("ubsan", "UndefinedBehaviorSanitizer", "-fsanitize=undefined", started="run"),
    sanitized("lsan", "LeakSanitizer", "-fsanitize=leak", started="run"),
    sanitized("asan_clang", "clang's AddressSanitizer", started="run", needs=[CLANG],
              before=[clang("address")], inside=["{folder}/by_clang"]),
    sanitized("asan_clang_shared", "clang's AddressSanitizer as a library", started="run",
              needs=[CLANG],
              before=[["sh", "-c", 'exec "$@" -Wl,-rpath,$(dirname $(clang '
                       '-print-file-name=libclang_rt.asan-x86_64.so))', "sh",
                       *clang("address", "-shared-libasan")]],
              inside=["{folder}/by_clang"], take_outs=[ASAN_FIRST]),
    sanitized("tsan_clang", "clang's ThreadSanitizer", started="run", needs=[CLANG],
              before=[clang("thread")], inside=["{folder}/by_clang"]),
    other("musl", "a program for musl instead of glibc", "musl-gcc", needs=["musl-gcc:"],
          says=MUSL, take_outs=[OBSTACLE]),
    other("musl_inside", "the same, mprof run behind the launcher", "musl-gcc",
          needs=["musl-gcc:"], says=MUSL, started="inside", take_outs=[OBSTACLE]),
    other("musl_env", "the same, behind env", "musl-gcc", needs=["musl-gcc:"], says=MUSL,
          inside=["env", "NOTHING=1", "{folder}/other"], take_outs=[OBSTACLE]),
    other("linked_statically", "a program that is linked statically and uses no MPI",
          "cc", "-static", says=[r"mprof: other is not an MPI program"]),
]
