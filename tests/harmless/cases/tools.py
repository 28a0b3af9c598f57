"""Other tools that wrap MPI in the same process. Each gets every call once, and so does mprof."""

from case import Case, TakeOut

OPTIONS = ["-D_GNU_SOURCE", "-O2", "-g", "-fPIC", "-I{programs}"]


def library(name, *options, source="tool.c"):
    return ["{cc}", *OPTIONS, f'-DTOOL="{name}"', *options, "-shared",
            "-o", f"{{folder}}/lib{name}.so", "{programs}/tools/" + source,
            "{cc_libraries}", "-ldl"]


def item(name, *options):
    return ["{cc}", *OPTIONS, f'-DTOOL="{name}"', *options, "-c", "-o",
            f"{{folder}}/{name}.o", "{programs}/tools/tool.c"]


BEHIND = TakeOut("passing calls on to the next definition", "libmprof/interpose/bind_mpi.c",
                 "next_entry(function, next_definition(function))", "mpi_pmpi[function]")
IN_FRONT = TakeOut("redirecting references to a tool in front", "libmprof/interpose/loader.c",
                   "if (is_tool_in_front() || ", "if (")
IN_PROGRAM = TakeOut("redirecting the tool's PMPI calls", "libmprof/interpose/bind_mpi.c",
                     "        redirect_tool_in_program();\n", "")
OWN_CALLS = TakeOut(
    "telling the tool's own calls apart by the stack", "libmprof/interpose/bind_mpi.c",
                    "return !begin_alike(around, mpi_function_name(function));", "return false;")
PAST_TOOLS = TakeOut(
    "keeping calls of PMPI functions past other tools", "libmprof/interpose/bind_mpi.c",
                     "        past_tools = function + 1;", "        past_tools = 0;")
ALL = ("openmpi4", "mpich4", "openmpi5", "mpich5", "mpich5_abi", "intel", "intel_abi")
SOURCE = "beside_tools.c"
LINKED = ["--", "-L{folder}", "-Wl,-rpath,{folder}", "-Wl,--no-as-needed"]

CASES = [
    Case("tool_behind", "another tool is preloaded behind libmprof.so", builds=ALL,
         source=SOURCE, before=[library("tool")],
         preload="{library}:{folder}/libtool.so", take_outs=[BEHIND]),
    Case("tool_behind_by_next", "a tool behind that goes on by RTLD_NEXT", source=SOURCE,
         before=[library("tool", "-DGOES_BY_NEXT")],
         preload="{library}:{folder}/libtool.so", take_outs=[BEHIND]),
    Case("tool_behind_by_hand", "a tool behind that looks PMPI functions up itself", source=SOURCE,
         before=[library("tool", "-DGOES_BY_HAND")],
         preload="{library}:{folder}/libtool.so", take_outs=[BEHIND]),
    Case("tool_behind_asks", "a tool behind that itself calls MPI_ functions", source=SOURCE,
         before=[library("tool", "-DASKS_BY_NAME")],
         preload="{library}:{folder}/libtool.so", take_outs=[BEHIND]),
    Case("tool_few", "a tool behind that wraps two functions only", source=SOURCE,
         before=[library("tool", "-DFEW")],
         preload="{library}:{folder}/libtool.so", take_outs=[BEHIND]),
    Case("tool_linked", "a tool linked with the program as a library", source=SOURCE,
         before=[library("tool")], options=[*LINKED, "-ltool"], take_outs=[BEHIND]),
    Case("tool_in_front", "another tool is preloaded in front of libmprof.so", builds=ALL,
         source=SOURCE,
         before=[library("tool")], preload="{folder}/libtool.so:{library}", take_outs=[IN_FRONT]),
    Case("tool_in_front_by_next", "a tool in front that goes on by RTLD_NEXT", source=SOURCE,
         before=[library("tool", "-DGOES_BY_NEXT")],
         preload="{folder}/libtool.so:{library}", take_outs=[IN_FRONT]),
    Case("tool_in_front_asks", "a tool in front that itself calls MPI_ functions", source=SOURCE,
         before=[library("tool", "-DASKS_BY_NAME")],
         preload="{folder}/libtool.so:{library}", take_outs=[IN_FRONT]),
    Case("tool_in_front_no_pie", "a tool in front, and a program that has fixed addresses",
         source=SOURCE,
         before=[library("tool"), library("middle", source="library_beside_tools.c")],
         options=["-fno-pie", "-DWITH_LIBRARY", *LINKED, "-no-pie", "-lmiddle"],
         preload="{folder}/libtool.so:{library}", take_outs=[IN_FRONT]),
    Case("tool_in_front_z_now",
         "a tool in front, and a program whose references are read-only", source=SOURCE,
         before=[library("tool"), library("middle", source="library_beside_tools.c")],
         options=["-DWITH_LIBRARY", "-fno-plt", *LINKED, "-Wl,-z,now", "-lmiddle"],
         preload="{folder}/libtool.so:{library}", take_outs=[IN_FRONT]),
    Case("tools_around", "a tool in front that goes on by RTLD_NEXT, and one behind", source=SOURCE,
         before=[library("first", "-DGOES_BY_NEXT"), library("second")],
         preload="{folder}/libfirst.so:{library}:{folder}/libsecond.so", take_outs=[IN_FRONT]),
    Case("tool_behind_fortran", "a tool behind, and a Fortran program",
         source="fortran_beside_tools.F90",
         before=[library("tool")], preload="{library}:{folder}/libtool.so", take_outs=[PAST_TOOLS]),
    Case("tool_in_front_fortran", "a tool in front, and a Fortran program",
         source="fortran_beside_tools.F90",
         before=[library("tool")], preload="{folder}/libtool.so:{library}", take_outs=[PAST_TOOLS]),
    Case("tool_in_program", "a tool that is linked into the program itself", builds=ALL,
         source=SOURCE, before=[item("tool"), library("middle", source="library_beside_tools.c")],
         options=["{folder}/tool.o", "-DWITH_LIBRARY", *LINKED, "-lmiddle"],
         take_outs=[IN_PROGRAM, OWN_CALLS]),
    Case("tool_in_program_no_pie", "a tool linked into a program of fixed addresses", source=SOURCE,
         before=[item("tool", "-O0")], options=["-fno-pie", "{folder}/tool.o", "--", "-no-pie"],
         take_outs=[IN_PROGRAM, OWN_CALLS]),
    Case("tools_in_and_behind", "a tool in the program and one behind", source=SOURCE,
         before=[item("inside"), library("behind")], options=["{folder}/inside.o"],
         preload="{library}:{folder}/libbehind.so", take_outs=[IN_PROGRAM]),
    Case("monitored", "Open MPI's monitoring counts the program's messages", builds=["openmpi4"],
         arguments=["{folder}/counted.0.prof"],
         variables={"OMPI_MCA_pml_monitoring_enable": "2",
                    "OMPI_MCA_pml_monitoring_enable_output": "3",
                    "OMPI_MCA_pml_monitoring_filename": "{folder}/counted"},
         take_outs=[TakeOut("the monitoring pauses for messages of mprof's own",
                            "libmprof/wrap/services.h", "*monitoring.state = 0;", "")]),
]
