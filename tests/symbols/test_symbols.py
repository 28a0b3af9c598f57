#!/usr/bin/env python3
"""Compiles the sources beside this file in many ways and compares what mprof finds at the calls in
them with the sources.

    test_symbols.py --tool symbols_at --work DIR [CASE...]

It reads where the calls are off the machine code with objdump. It reads on which lines they are off
the sources. Compilers that are not there are left out. Without a C compiler, objdump, objcopy or
strip the test is skipped (exit status 77).
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "groups"))
import needs  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
FLAGS = ["-O2", "-fno-optimize-sibling-calls", "-Wl,--build-id=sha1"]

# marker: frames, innermost first, as (function, [tag] of the line, whether it is inlined)
IN_C = {
    "plain": [("exchange", "exchange", False)],
    "inner": [("innermost", "innermost", True), ("middle", "middle", True),
              ("exchange", "exchange calls middle", False)],
    "twice": [("exchange", "twice", False)],
    "cold": [("exchange", "cold", False)],
    "copy": [("step", "step", False)],
}
IN_CPP = {
    "member": [("app::Grid<double>::send() const", "send", True),
               ("app::Grid<double>::exchange(int) const", "exchange", False)],
    "template": [("app::Grid<double>::exchange(int) const", "after", False)],
}
IN_FORTRAN = {
    "module": [("grid::exchange", "module", False)],
    "outside": [("outside", "outside", False)],
    "contained": [("within", "contained", False)],
    "program": [("heat", "program", False)],
}
IN_LIBRARY = {"library": [("hidden_step", "library", False)]}


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True,
                          text=True, errors="replace", timeout=120, **options).stdout


def tagged_lines(source):
    lines = {}
    for number, line in enumerate((HERE / source).read_text().splitlines(), 1):
        tag = re.search(r"\[([a-z ]+)\] *(\*/)?$", line)
        if tag:
            lines[tag.group(1)] = number
    return lines


def calls_in(binary):
    """Where each marker's calls return to."""
    returns, pending = {}, None
    for line in run("objdump", "-d", "--no-show-raw-insn", binary).splitlines():
        instruction = re.match(r" *([0-9a-f]+):\t(.*)", line)
        if not instruction:
            continue
        if pending:
            returns.setdefault(pending, []).append(instruction.group(1))
        call = re.match(r"(?:call|bl)\b.*<marker_(\w+?)_?(?:@plt)?>", instruction.group(2))
        pending = call.group(1) if call else None
    return returns


def build_id_of(binary):
    found = re.search(r"Build ID: ([0-9a-f]+)", run("readelf", "-n", binary))
    return found.group(1) if found else "-"


class Bench:
    def __init__(self, tool, work):
        self.tool, self.work = tool, work
        self.failures = 0

    def check(self, good, what):
        if not good:
            self.failures += 1
            print(f"FAILED: {what}")

    def look_up(self, module, build_id, offsets, *options):
        """Frames by offset, and the remarks."""
        output = run(self.tool, *options, module, build_id, *offsets)
        frames, remarks, offset = {}, [], None
        for line in output.splitlines():
            if line.startswith("\t"):
                function, file, number, how = line[1:].split("\t")
                frames[offset].append((function, pathlib.Path(file).name, int(number),
                                       how == "inlined"))
            elif line in offsets:
                offset = line
                frames[offset] = []
            else:
                remarks.append(line)
        return frames, remarks

    def expect_lines(self, what, source, expected, binary, module=None, options=(),
                     build_id=None, remarks=()):
        """All frames of all calls of the expected markers in `binary`, looked up in `module`."""
        lines, calls = tagged_lines(source), calls_in(binary)
        for marker, frames in expected.items():
            self.check(marker in calls, f"{what}: no call of marker_{marker}")
            wanted = [(function, source, lines[tag], inlined) for function, tag, inlined in frames]
            found, said = self.look_up(module or binary, build_id or build_id_of(binary),
                                       calls.get(marker, []), *options)
            for offset, at in found.items():
                self.check(
                    at == wanted, f"{what}: marker_{marker} at {offset}: {at}, expected {wanted}")
            self.check(said == list(remarks), f"{what}: remarks {said}")

    def expect_names(self, what, expected, binary, module, options=(), problem="has no debug data"):
        """Functions without lines; None: nothing at all."""
        calls = calls_in(binary)
        for marker, function in expected.items():
            found, said = self.look_up(module, build_id_of(binary), calls[marker], *options)
            wanted = [] if function is None else [(function, "", 0, False)]
            for offset, at in found.items():
                self.check(
                    at == wanted, f"{what}: marker_{marker} at {offset}: {at}, expected {wanted}")
            self.check(said == [f"problem: {problem}"], f"{what}: remarks {said}")

    def compile(self, name, compiler, source, *flags, markers=True):
        """Below a folder of its own, so that nothing else is beside it."""
        folder = self.work / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        run("cc", "-O2", "-fPIC", "-c", "-o", folder / "markers.o", HERE / "markers.c")
        binary = folder / "program"
        run(compiler, *FLAGS, *flags, "-o", binary, HERE / source,
            *([folder / "markers.o"] if markers else []), cwd=folder)
        return binary


def case_c(bench):
    for name, flags in {"plain": ["-g"], "no-pie": ["-g", "-no-pie"], "dwarf4": ["-gdwarf-4"],
                        "compressed": ["-g", "-gz"], "split": ["-g", "-gsplit-dwarf"],
                        "types": ["-g", "-fdebug-types-section"], "lto": ["-g", "-flto"]}.items():
        binary = bench.compile(f"c-{name}", "cc", "known_lines.c", *flags)
        bench.expect_lines(f"C {name}", "known_lines.c", IN_C, binary)
    if not needs.why_not("clang:"):
        for name, flags in {"plain": ["-g"], "split": ["-g", "-gsplit-dwarf"]}.items():
            binary = bench.compile(f"clang-{name}", "clang", "known_lines.c", *flags)
            bench.expect_lines(f"C clang {name}", "known_lines.c", IN_C, binary)


def case_cpp(bench):
    for compiler in ("c++", "clang++"):
        if compiler == "c++" or not needs.why_not(f"{compiler}:"):
            binary = bench.compile(f"cpp-{compiler}", compiler, "known_lines.cc", "-g")
            bench.expect_lines(f"C++ {compiler}", "known_lines.cc", IN_CPP, binary)
            name = {"c++": "(lambda)", "clang++": "main::$_0::operator()(int) const"}[compiler]
            bench.expect_lines(f"C++ {compiler} lambda", "known_lines.cc",
                               {"lambda": [(name, "lambda", False)]}, binary)


def case_fortran(bench):
    reason = needs.why_not("gfortran:")
    if reason:
        print(reason)
        return
    binary = bench.compile("fortran", "gfortran", "known_lines.f90", "-g", "-fno-inline")
    bench.expect_lines("Fortran", "known_lines.f90", IN_FORTRAN, binary)
    stripped = binary.with_name("names")
    run("strip", "-g", "-o", stripped, binary)
    bench.expect_names("Fortran without debug data", {"module": "grid::exchange"}, binary, stripped)


def case_openmp(bench):
    binary = bench.compile("openmp", "cc", "known_lines.c", "-g", "-fopenmp")
    bench.expect_lines("OpenMP", "known_lines.c",
                       {"parallel": [("work [OpenMP]", "parallel", False)]}, binary)


def case_library(bench):
    binary = bench.compile("library", "cc", "known_library.c", "-g", "-shared", "-fPIC",
                           markers=False)
    library = binary.with_name("libplaces.so.1.2")
    binary.rename(library)
    link = library.with_name("libplaces.so.1")
    link.symlink_to(library.name)
    bench.expect_lines("library", "known_library.c", IN_LIBRARY, library)
    bench.expect_lines("library by its link", "known_library.c", IN_LIBRARY, library, module=link)
    stripped = library.with_name("stripped.so")
    run("strip", "-o", stripped, library)
    bench.expect_names("stripped library", {"library": None}, library, stripped)


def case_names(bench):
    """What symbol tables alone tell."""
    binary = bench.compile("names", "cc", "known_lines.c", "-fopenmp")
    bench.expect_names("symbol table", {"plain": "exchange", "inner": "exchange",
                                        "cold": "exchange", "copy": "step",
                                        "parallel": "work [OpenMP]"}, binary, binary)
    binary = bench.compile("dynamic", "c++", "known_lines.cc", "-rdynamic")
    stripped = binary.with_name("stripped")
    run("strip", "-o", stripped, binary)
    bench.expect_names("dynamic symbols",
                       {"member": "app::Grid<double>::exchange(int) const"}, binary, stripped)
    found, _ = bench.look_up(stripped, build_id_of(binary), ["2", "ffffffffffffffff"])
    bench.check(all(not frames for frames in found.values()), f"outside all symbols: {found}")


def case_debug_link(bench):
    binary = bench.compile("link", "cc", "known_lines.c", "-g")
    debug, stripped = binary.with_name("program.debug"), binary.with_name("stripped")
    run("objcopy", "--only-keep-debug", binary, debug)
    run("strip", "-o", stripped, binary)
    run("objcopy", f"--add-gnu-debuglink={debug}", stripped)
    bench.expect_lines("debug link beside", "known_lines.c", IN_C, binary, module=stripped)
    below = binary.with_name(".debug")
    below.mkdir()
    debug.rename(below / debug.name)
    bench.expect_lines("debug link in .debug", "known_lines.c", IN_C, binary, module=stripped)
    root = binary.parent / "debug-root"
    folder = root / str(binary.parent)[1:]
    folder.mkdir(parents=True)
    (below / debug.name).rename(folder / debug.name)
    bench.expect_lines("debug link in a debug folder", "known_lines.c", IN_C, binary,
                       module=stripped, options=("--debug-dir", root))
    bench.expect_names("debug link to nothing", {"plain": None}, binary, stripped)


def case_debug_link_checksum(bench):
    """Without a build id the checksum has to be right."""
    binary = bench.compile("checksum", "cc", "known_lines.c", "-g", "-Wl,--build-id=none")
    debug, stripped = binary.with_name("program.debug"), binary.with_name("stripped")
    run("objcopy", "--only-keep-debug", binary, debug)
    run("strip", "-o", stripped, binary)
    run("objcopy", f"--add-gnu-debuglink={debug}", stripped)
    bench.expect_lines("checksum", "known_lines.c", IN_C, binary, module=stripped,
                       remarks=["unproved"])
    with debug.open("ab") as file:
        file.write(b"x")
    calls = calls_in(binary)
    found, said = bench.look_up(stripped, "-", calls["plain"])
    bench.check(said == ["problem: has no debug data", "unproved"]
                and found[calls["plain"][0]] == [], f"wrong checksum: {found} {said}")


def case_build_id_folder(bench):
    binary = bench.compile("folder", "cc", "known_lines.c", "-g")
    build_id = build_id_of(binary)
    root = binary.parent / "debug"
    place = root / ".build-id" / build_id[:2] / f"{build_id[2:]}.debug"
    place.parent.mkdir(parents=True)
    run("objcopy", "--only-keep-debug", binary, place)
    stripped = binary.with_name("stripped")
    run("strip", "-o", stripped, binary)
    bench.expect_names("no debug folder", {"plain": None}, binary, stripped)
    options = ("--debug-dir", binary.parent / "nothing", "--debug-dir", root)
    bench.expect_lines("build-id folder", "known_lines.c", IN_C, binary, module=stripped,
                       options=options)
    bench.expect_lines("build-id folder alone", "known_lines.c", IN_C, binary,
                       module="/nonexistent/program", options=options)
    # Another file under that name must not be taken.
    other = bench.compile("folder-other", "cc", "known_lines.c", "-g", "-DOTHER", "-O1")
    shutil.copy(other, place)
    bench.expect_names("another build in the folder", {"plain": None}, binary, stripped,
                       options=options)


def case_sysroot(bench):
    binary = bench.compile("sysroot", "cc", "known_lines.c", "-g")
    build_id = build_id_of(binary)
    root = binary.parent / "root"
    (root / "opt").mkdir(parents=True)
    shutil.copy(binary, root / "opt" / "program")
    bench.expect_lines("sysroot", "known_lines.c", IN_C, binary, module="/opt/program",
                       options=("--sysroot", root))
    run("strip", root / "opt" / "program")
    place = root / "usr/lib/debug/.build-id" / build_id[:2] / f"{build_id[2:]}.debug"
    place.parent.mkdir(parents=True)
    run("objcopy", "--only-keep-debug", binary, place)
    bench.expect_lines("debug data below the sysroot", "known_lines.c", IN_C, binary,
                       module="/opt/program", options=("--sysroot", root))
    bench.expect_names("outside the sysroot", {"plain": None}, binary, binary,
                       options=("--sysroot", root / "nothing"), problem="is not there")


def expect_by_age(bench, binary, size, modified_ns):
    """Without a build id the file of that length and time is the one that ran, no other."""
    recorded = ("--file-bytes", str(size), "--modified-ns", str(modified_ns))
    bench.expect_lines("of that time", "known_lines.c", IN_C, binary, options=recorded)
    changed = "was changed after the run and has no build id: its lines may be others"
    for other in (("--file-bytes", str(size + 1)), ("--modified-ns", str(modified_ns + 10**9))):
        bench.expect_names(f"with {other}", {"plain": None}, binary, binary,
                           options=recorded + other, problem=changed)
    root = binary.parent / "copies"
    (root / "opt").mkdir(parents=True, exist_ok=True)
    shutil.copy(binary, root / "opt/program")
    bench.expect_lines("copied below a sysroot", "known_lines.c", IN_C, binary,
                       module="/opt/program", options=recorded + ("--sysroot", str(root)))


def case_build_id(bench):
    """What is not proved to be the same is not used."""
    binary = bench.compile("id", "cc", "known_lines.c", "-g")
    calls = calls_in(binary)["plain"]
    for recorded in ("00112233445566778899aabbccddeeff00112233", "-"):
        found, said = bench.look_up(binary, recorded, calls)
        bench.check(found[calls[0]] == []
                    and said == ["problem: is a different build from the one that ran"],
                    f"build id {recorded}: {found} {said}")
    binary = bench.compile("no-id", "cc", "known_lines.c", "-g", "-Wl,--build-id=none")
    bench.expect_lines("no build id", "known_lines.c", IN_C, binary, remarks=["unproved"])
    facts = os.stat(binary)
    expect_by_age(bench, binary, facts.st_size, facts.st_mtime_ns)
    os.utime(binary, (0, facts.st_mtime_ns // 10**9))
    expect_by_age(bench, binary, facts.st_size, facts.st_mtime_ns)  # a copy by whole seconds
    for path in ("program", "linux-vdso.so.1", ""):
        _, said = bench.look_up(path, "-", ["1234"])
        bench.check(said == ["problem: has no known path"], f"path '{path}': {said}")


def case_cache(bench):
    """What was looked up once is known when the binary is gone. It is of one build, is bounded, and
    is not believed when it is damaged."""
    binary = bench.compile("cache", "cc", "known_lines.c", "-g")
    cache = binary.parent / "lines"
    options = ("--cache", cache)
    build_id, gone = build_id_of(binary), binary.parent / "gone"
    calls = [offset for marker in IN_C for offset in calls_in(binary)[marker]]

    def expect_gone(what, recorded=build_id, remarks=("problem: is not there",)):
        found, said = bench.look_up(gone, recorded, calls, *options)
        bench.check(said == list(remarks), f"{what}: {said}")
        bench.check(any(found.values()) == (not remarks), f"{what}: {found}")

    expect_gone("nothing is kept")
    # Not of what was not looked up in time, or without debug data.
    bench.look_up(binary, build_id, calls, "--time-limit", "-1", *options)
    stripped = binary.parent / "stripped"
    run("strip", "-g", "-o", stripped, binary)
    bench.look_up(stripped, build_id, calls, *options)
    expect_gone("nothing was found")
    bench.expect_lines("looked up", "known_lines.c", IN_C, binary, options=options)
    expect_gone("of all markers", remarks=())
    bench.expect_lines("kept", "known_lines.c", IN_C, binary, module=gone, options=options)
    expect_gone("of another build", recorded="00" + build_id[2:])
    bench.check([path.name for path in cache.iterdir()] == [build_id], "one file")
    bench.check(cache.stat().st_mode & 0o777 == 0o700, "others may read it")
    # The folder is bounded, by the oldest files.
    for number in range(10):
        old = cache / f"{number:016x}"
        old.write_bytes(bytes(8 << 20))
        os.utime(old, (number, number))
    (cache / build_id).unlink()
    bench.look_up(binary, build_id, calls, *options)
    size = sum(path.stat().st_size for path in cache.iterdir())
    bench.check((cache / build_id).exists() and (56 << 20) < size <= (64 << 20), f"{size} bytes")
    # Damaged in any way: as if it were not there, or another name.
    good = (cache / build_id).read_bytes()
    for length in range(0, len(good), 37):
        (cache / build_id).write_bytes(good[:length])
        bench.look_up(gone, build_id, calls, *options)
    expect_gone("cut off")
    random.seed(20261126)
    for _ in range(50):
        content = bytearray(good)
        content[random.randrange(len(content))] = random.randrange(256)
        (cache / build_id).write_bytes(content)
        bench.look_up(gone, build_id, calls, *options)
    # Where nothing can be written nothing is lost but the cache.
    blocked = ("--cache", binary / "lines")
    bench.expect_lines("no folder", "known_lines.c", IN_C, binary, options=blocked)


def case_hostile(bench):
    """Nothing that a path leads to may hang, crash or be believed."""
    binary = bench.compile("hostile", "cc", "known_lines.c", "-g")
    folder, build_id = binary.parent, build_id_of(binary)
    offsets = [offset for returns in calls_in(binary).values() for offset in returns]
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, folder, "/dev/zero", "/dev/null", "/proc/self/mem",
                 HERE / "known_lines.c", "/nonexistent"):
        found, said = bench.look_up(path, build_id, offsets)
        bench.check(not any(found.values()) and said == ["problem: is not there"],
                    f"{path}: {said}")
    good, damaged = binary.read_bytes(), folder / "damaged"
    random.seed(20261120)
    for length in [0, 1, 63, 64, 65] + [random.randrange(len(good)) for _ in range(100)]:
        damaged.write_bytes(good[:length])
        bench.look_up(damaged, build_id, offsets)
    for _ in range(400):
        content = bytearray(good)
        for _ in range(random.choice([1, 4, 16, 64])):
            content[random.randrange(len(content))] = random.randrange(256)
        damaged.write_bytes(content)
        bench.look_up(damaged, build_id, offsets)
    found, said = bench.look_up(binary, build_id, offsets, "--time-limit", "-1")
    bench.check(said == ["out of time"] and not any(found.values()), f"time limit: {said}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("cases", nargs="*")
    arguments = parser.parse_args()
    for tool in ("cc", "c++", "objdump", "objcopy", "strip", "readelf"):
        if not shutil.which(tool):
            print(f"skipped: no {tool}")
            sys.exit(77)
    os.environ.pop("DEBUGINFOD_URLS", None)
    work = pathlib.Path(arguments.work)
    work.mkdir(parents=True, exist_ok=True)
    bench = Bench(arguments.tool, work)
    cases = {name[5:]: case for name, case in globals().items() if name.startswith("case_")}
    for name in arguments.cases or cases:
        print(f"{name} ...")
        try:
            cases[name](bench)
        except subprocess.CalledProcessError as error:
            bench.check(False, f"{name}: {error}\n{error.stderr}")
    sys.exit(1 if bench.failures else 0)


if __name__ == "__main__":
    main()
