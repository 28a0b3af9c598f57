"""Are call paths right? call_paths.c says how often each of its lines calls.

run.py calls it. It builds call_paths.c with each compiler, with and without what hides return
addresses on ARM (signed ones, a lazily bound library, no frame pointers), and runs it.
"""
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TURNS = 3  # of call_paths.c

# On x86-64 this protects the return address by a shadow stack, on ARM by a signature in its bits.
PROTECTED = {"x86_64": "-fcf-protection=full", "aarch64": "-mbranch-protection=standard"}


def expected_calls():
    """{line of main(): calls}"""
    text = (HERE / "call_paths.c").read_text(encoding="utf-8")
    counts = {}
    for number, line in enumerate(text.splitlines(), 1):
        found = re.search(r"/\* calls (\d+)", line)
        if found:
            counts[number] = TURNS * int(found[1])
    return counts


def variants(architecture):
    """[(name, options)]"""
    return [("plain", ["-Wl,-z,lazy"]),
            ("bound at once", ["-Wl,-z,now"]),
            ("no frame pointers", ["-Wl,-z,lazy", "-fomit-frame-pointer"]),
            ("protected", ["-Wl,-z,lazy", PROTECTED[architecture]])]


def build(work, compiler, options, fake=None):
    """The program. `fake`: the fake MPI, else the compiler is that of a real one."""
    flags = [*compiler, "-O2", "-g", *options]
    library = work / "libcalls.so"
    links = [] if fake is None else [fake]
    for folder in (work, fake.parent if fake else work):
        links += ["-Xlinker", "-rpath", "-Xlinker", folder]
    subprocess.run([*flags, "-shared", "-fPIC", "-Wl,-soname,libcalls.so", "-o", library,
                    HERE / "call_paths_library.c", *links], check=True)
    subprocess.run([*flags, "-o", work / "call_paths", HERE / "call_paths.c", library,
                    *links], check=True)
    return work / "call_paths"


def line_of_main(row):
    return next((frame["line"] for frame in row["path"] if frame["symbol"] == "main"), None)


def counted_calls(report):
    counts = {}
    for row in report["callsites"]:
        if row["function"] == "MPI_Send":
            line = line_of_main(row)
            counts[line] = counts.get(line, 0) + row["calls"]
    return counts


def report_of(mprof, profile):
    return json.loads(subprocess.run([mprof, "report", profile, "--json", "-"],
                                     capture_output=True, text=True, check=True).stdout)


def check(mprof, profile, what, ranks=1):
    """Compares a profile of call_paths.c with what it does. Returns what is wrong."""
    report = report_of(mprof, profile)
    expected = {line: ranks * calls for line, calls in expected_calls().items()}
    counted = counted_calls(report)
    quality = report["quality"]
    wrong = [f"line {line}: {counted.get(line, 0)} calls, not {expected.get(line, 0)}"
             for line in sorted(expected.keys() | counted.keys(), key=str)
             if counted.get(line, 0) != expected.get(line, 0)]
    for key in ("callsite_disagreements", "callsite_blind_frames"):
        if quality[key] != 0:
            wrong.append(f"{key} {quality[key]}")
    return [f"{what}: {words}" for words in wrong]


def check_all(compilers, architecture, work, fake, run_under_mprof, mprof, ranks=1):
    """`compilers`: {name: command}; `run_under_mprof` runs a program in `work`, and returns where
    its profile is."""
    wrong = []
    for name, compiler in compilers.items():
        for variant, options in variants(architecture):
            folder = work / "call_paths" / f"{name}_{variant}".replace(" ", "_")
            folder.mkdir(parents=True, exist_ok=True)
            program = build(folder, compiler, options, fake)
            wrong += check(mprof, run_under_mprof(program), f"program by {name}, {variant}", ranks)
    if wrong:
        sys.exit("call paths are wrong:\n  " + "\n  ".join(wrong))
