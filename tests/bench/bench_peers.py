"""IPM and mpiP beside mprof, for tests/bench/run --peers FOLDER: finds their unpacked sources in
FOLDER, and builds them for one MPI. Nobody writes into FOLDER: a copy is built. A peer that is not
there or does not build gives a sentence, and the others go on. Python's standard library only."""
import collections
import os
import pathlib
import re
import shutil
import subprocess

# GCC 14 refuses what these sources were written with.
OLD_C = ("-O2 -g -fPIC -fcommon -Wno-implicit-function-declaration -Wno-implicit-int "
         "-Wno-int-conversion -Wno-incompatible-pointer-types")
BUILD_SECONDS = 900
DEPTH = 2  # folders below FOLDER in which sources are looked for

# files: the sources have all of them, nothing else has. configure: arguments. without: (header,
# argument if it is not there). variables: the peer prints little, and writes into {output} only.
Peer = collections.namedtuple("Peer", "name files library configure without make variables")
PEERS = [
    Peer("IPM", ["include/ipm.h", "etc/ipm_key_mpi"], "libipm.so",
         ["MPICC={mpicc}", "MPIF77={mpif77}", "MPIFC={mpifort}", "CFLAGS=" + OLD_C],
         (),
         ["make", "-k"],
         {"IPM_REPORT": "none", "IPM_LOG": "none", "IPM_LOGDIR": "{output}"}),
    Peer("mpiP", ["mpiPi.c", "make-wrappers.py"], "libmpiP.so",
         ["--disable-bfd", "--with-cc={mpicc}", "--with-cxx={mpicxx}", "--with-f77={mpif77}",
          "CFLAGS=" + OLD_C],
         ("libunwind.h", "--disable-libunwind"),
         ["make", "shared"],
         {"MPIP": "-f {output}"}),
]


def find_sources(peer, folder):
    """Folder itself or one below it; None if no folder has the peer's files."""
    candidates = [folder]
    for depth in range(1, DEPTH + 1):
        candidates += sorted(path for path in folder.glob("/".join("*" * depth)) if path.is_dir())
    return next((path for path in candidates
                 if all((path / file).is_file() for file in peer.files)), None)


def newest(folder):
    return max((path.stat().st_mtime for path in folder.rglob("*") if path.is_file()), default=0)


def find_library(peer, folder):
    return next((path for path in sorted(folder.rglob(peer.library)) if path.is_file()), None)


def has_header(compiler, header):
    return subprocess.run([compiler, "-E", "-x", "c", "-"], input=f"#include <{header}>\n",
                          text=True, capture_output=True, check=False).returncode == 0


def configure_command(peer, compilers):
    words = [word.format(**compilers) for word in peer.configure]
    if peer.without and not has_header(compilers["mpicc"], peer.without[0]):
        words.append(peer.without[1])
    return ["sh", "./configure", *words]


def steps(peer, copy, compilers):
    """The commands that build the copy; they depend on which files its makers left in it."""
    make = peer.make
    if (copy / "configure").is_file() or (copy / "configure.ac").is_file():
        if not (copy / "configure").is_file():
            own = copy / "bootstrap.sh"
            yield ["sh", str(own)] if own.is_file() else ["autoreconf", "--install", "--force"]
        yield configure_command(peer, compilers)
    elif (copy / "CMakeLists.txt").is_file():
        yield ["cmake", "-DBUILD_SHARED_LIBS=ON", f"-DCMAKE_C_COMPILER={compilers['mpicc']}",
               f"-DCMAKE_C_FLAGS={OLD_C}", "."]
        make = ["cmake", "--build", "."]
    yield make


def build_environment(folder):
    """mpiP's make calls `python`; Debian has python3 alone."""
    environment = dict(os.environ, LC_ALL="C")
    if not shutil.which("python") and shutil.which("python3"):
        (folder / "python").symlink_to(shutil.which("python3"))
        environment["PATH"] = f"{folder}{os.pathsep}{environment['PATH']}"
    return environment


def build_copy(peer, sources, copy, log_path, compilers):
    """The library, or None: then the log says why."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(sources, copy, symlinks=True)
    programs = copy.with_name(copy.name + ".programs")
    shutil.rmtree(programs, ignore_errors=True)
    programs.mkdir()
    environment = build_environment(programs)
    with log_path.open("w") as log:
        for command in steps(peer, copy, compilers):
            log.write(f"$ {' '.join(command)}\n")
            log.flush()
            try:
                subprocess.run(command, cwd=copy, env=environment, timeout=BUILD_SECONDS,
                               stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=False)
            except (OSError, subprocess.TimeoutExpired) as error:
                log.write(f"{error}\n")
    return find_library(peer, copy)


def build(peer, folder, peers_folder, compilers):
    """(library or None, sentence). What was built before is taken unless the sources are newer."""
    sources = find_sources(peer, folder)
    if not sources:
        return None, (f"{peer.name}: not in {folder}: no folder there has "
                      f"{' and '.join(peer.files)}")
    peers_folder.mkdir(parents=True, exist_ok=True)
    copy = peers_folder / peer.name
    library = find_library(peer, copy) if copy.is_dir() else None
    if library and library.stat().st_mtime > newest(sources):
        return library, f"{peer.name}: {library}, built before"
    log = peers_folder / f"{peer.name}.log"
    library = build_copy(peer, sources, copy, log, compilers)
    if not library:
        return None, f"{peer.name}: {sources} gave no {peer.library}: see {log}"
    return library, f"{peer.name}: {library}"


def compilers_of(mpi):
    """The compilers of this MPI, as Debian names them; those without a suffix if it has no such."""
    names = ("mpicc", "mpicxx", "mpif77", "mpifort")
    return {name: shutil.which(f"{name}.{mpi}") or name for name in names}


def build_all(folder, peers_folder, compilers, output):
    """name -> (library, variables) of those that could be built; says a sentence of each. `output`
    is where the peers may write; mpiP wants a path without spaces."""
    built = {}
    for peer in PEERS:
        library, sentence = build(peer, folder, peers_folder, compilers)
        print(sentence, flush=True)
        if library:
            built[peer.name] = (library, {name: value.format(output=output)
                                          for name, value in peer.variables.items()})
    return built


def wrapped_functions(library):
    """The MPI functions that the library puts itself in front of."""
    symbols = subprocess.run(["nm", "-D", "--defined-only", library], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
    return set(re.findall(r" [TWi] (MPI_\w+)$", symbols, re.MULTILINE))
