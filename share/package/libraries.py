"""Builds the libraries of the mprof command from their sources. make_package (with zig, for older
systems) and fetch_libraries.py (with the user's compiler, for cmake -DMPROF_FETCH=ON) use it.

Sources are the source packages of the Debian or Ubuntu that this runs on, which apt-get fetches
without root, or archives in a folder. Each step that is done leaves a file and is not done again.
Python's standard library only.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import typing

import write_packages


class Library(typing.NamedTuple):
    source: str  # the source package of Debian
    names: str  # what the name of an archive begins with
    headers: str = ""  # the folder of its headers, if it is headers alone


LIBRARIES = {
    "zlib": Library("zlib", "zlib"),
    "zstd": Library("libzstd", "libzstd|zstd"),
    "lzma": Library("xz-utils", "xz-utils|xz"),
    "elfutils": Library("elfutils", "elfutils"),
    "scotch": Library("scotch", "scotch"),
    "hwloc": Library("hwloc", "hwloc"),
    "sqlite": Library("sqlite3", "sqlite3|sqlite-src"),
    "xxhash": Library("xxhash", "xxhash"),
    "fmt": Library("fmtlib", "fmtlib|fmt", "include/fmt"),
    "nlohmann_json": Library(
        "nlohmann-json3", "nlohmann[-_]json3?|json", "include/nlohmann"
    ),
    "CLI11": Library("cli11", "cli11", "include/CLI"),
    "protozero": Library("protozero", "protozero", "include/protozero"),
}
# The package of Debian that has its licence.
DEBIAN = {row.name: row.debian.split()[-1] for row in write_packages.read_packages()
          if row.name in LIBRARIES}
# Folders of elfutils in the order in which they need each other.
ELFUTILS = ["lib", "libelf", "libcpu", "backends", "libebl", "libdwelf", "libdwfl", "libdw"]
# Shared libraries, because of their licences: what their files are called, and of which source.
SHARED = {
    "libelf.so.1": "elfutils",
    "libdw.so.1": "elfutils",
    "libscotch.so": "scotch",
}
HWLOC_WITHOUT = ["libxml2", "cairo", "io", "pci", "opencl", "cuda", "nvml", "rsmi", "levelzero",
                 "gl", "libudev", "plugin-dlopen", "plugin-ltdl", "doxygen"]  # fmt: skip
LZMA_WITHOUT = ["shared", "nls", "doc", "scripts", "xz", "xzdec", "lzmadec", "lzmainfo"]
SCOTCH_WITHOUT = ["BUILD_PTSCOTCH", "BUILD_LIBESMUMPS", "BUILD_LIBSCOTCHMETIS", "USE_BZ2",
                  "INSTALL_METIS_HEADERS", "USE_ZLIB", "USE_LZMA", "ENABLE_TESTS"]  # fmt: skip


class Libraries:
    """Into work/libraries. tool("cc"), "c++", "ar", "ranlib" are the compiler's programs. `host`
    and `cmake_options` say for which machine is compiled, if not for this one."""

    host = ()
    cmake_options = ()

    def __init__(self, work, sources, title):
        self.work, self.sources, self.title = work, sources, title
        self.prefix = work / "libraries"
        self.done = work / "done"
        self.log = work / "log.txt"
        self.env = dict(os.environ, LC_ALL="C")
        for folder in (self.prefix / "lib", self.prefix / "include", self.done, self.sources):
            folder.mkdir(parents=True, exist_ok=True)

    def tool(self, name):
        raise NotImplementedError

    def fail(self, message):
        sys.exit(f"{self.title}: {message}")

    def run(self, *command, cwd=None, env=None):
        """Its output goes to the log, whose end is shown if the command fails."""
        with open(self.log, "ab") as log:
            log.write(("$ " + " ".join(map(str, command)) + "\n").encode())
            log.flush()
            try:
                status = subprocess.run(
                    [str(word) for word in command],
                    cwd=cwd,
                    env=env or self.env,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    check=False,
                ).returncode
            except FileNotFoundError:
                self.fail(f"{command[0]} is not on this machine, and is needed to build libraries")
        if status != 0:
            lines = self.log.read_text(errors="replace").splitlines()
            self.fail("\n".join(lines[-30:]) + f"\n{command[0]} failed; all of it: {self.log}")

    def step(self, name, work, *arguments):
        mark = self.done / name
        if mark.exists():
            return
        print(f"==> {self.title}: {name}", flush=True)
        work(*arguments)
        mark.touch()

    def fetch(self, names):
        """Source packages, of the same Debian as this machine. Needs no root."""
        if shutil.which("apt-get") is None:
            self.fail("sources of libraries are fetched with apt-get, which is not on this machine")
        apt = self.work / "apt"
        for folder in ("lists/partial", "cache", "parts"):
            (apt / folder).mkdir(parents=True, exist_ok=True)
        lines, stanzas = [], []
        places = [pathlib.Path("/etc/apt/sources.list")]
        places += sorted(pathlib.Path("/etc/apt/sources.list.d").glob("*"))
        for place in places:
            if place.suffix == ".sources":
                stanzas.append(re.sub(r"(?m)^Types:.*$", "Types: deb-src", place.read_text()))
            elif place.is_file():
                lines += re.findall(r"(?m)^deb\s.*$", place.read_text())
        (apt / "parts/all.list").write_text("".join(f"deb-src {line[4:]}\n" for line in lines))
        (apt / "parts/all.sources").write_text("\n\n".join(stanzas) + "\n")
        options = [
            "-o", "Dir::Etc::sourcelist=/dev/null",
            "-o", f"Dir::Etc::sourceparts={apt}/parts",
            "-o", f"Dir::State::lists={apt}/lists",
            "-o", f"Dir::Cache={apt}/cache",
            "-o", "APT::Sandbox::User=",
        ]  # fmt: skip
        self.run("apt-get", *options, "update")
        for name in names:
            version = self.version_at_hand(options, LIBRARIES[name].source)
            self.run("apt-get", *options, "source", "--download-only", version, cwd=self.sources)

    def version_at_hand(self, options, source):
        """The newest version, as apt-get wants it named, of which a mirror has what it lists."""
        listed = subprocess.run(
            ["apt-cache", *options, "showsrc", "--only-source", source],
            capture_output=True, text=True, env=self.env, check=False,
        ).stdout  # fmt: skip
        names = [source] + [
            f"{source}={version}" for version in re.findall(r"(?m)^Version: (.*)$", listed)[::-1]
        ]
        for name in names:
            with tempfile.TemporaryDirectory() as folder:
                fetched = subprocess.run(
                    ["apt-get", *options, "source", "--dsc-only", "--download-only", name],
                    capture_output=True, cwd=folder, env=self.env, check=False,
                )  # fmt: skip
            if fetched.returncode == 0:
                return name
        return source

    def archive_of(self, name):
        pattern = rf"({LIBRARIES[name].names})[-_]?v?[0-9].*\.(tar\.\w+|tgz)"
        found = [
            path
            for path in sorted(self.sources.iterdir())
            if re.fullmatch(pattern, path.name, re.IGNORECASE)
            and not re.search(r"[.](debian[.]|orig-)", path.name)
        ]
        if len(found) != 1:
            self.fail(f"{len(found)} archives of {name} in {self.sources}; there should be one")
        return found[0]

    def source_of(self, name):
        """A fresh copy of the source tree."""
        place = self.work / "src" / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        self.run("tar", "-xf", self.archive_of(name), "--strip-components=1", "-C", place)
        return place

    def install(self, place, libraries, headers, below="."):
        for library in libraries:
            shutil.copy(place / library, self.prefix / "lib" / pathlib.Path(library).name)
        (self.prefix / "include" / below).mkdir(parents=True, exist_ok=True)
        for header in headers:
            shutil.copy(place / header, self.prefix / "include" / below)

    def build_library(self, name):
        """Builds it, or takes its headers, if that was not done before."""
        if LIBRARIES[name].headers:
            self.step(name, self.take_headers, name)
        else:
            self.step(name, getattr(self, f"build_{name}"))

    def take_headers(self, name):
        folder = self.source_of(name) / LIBRARIES[name].headers
        if not folder.is_dir():
            self.fail(f"{self.archive_of(name)} has no {LIBRARIES[name].headers}")
        shutil.copytree(folder, self.prefix / "include" / folder.name, dirs_exist_ok=True)

    def build_zlib(self):
        place = self.source_of("zlib")
        env = dict(
            self.env,
            CC=self.tool("cc"),
            AR=self.tool("ar"),
            RANLIB=self.tool("ranlib"),
            CFLAGS="-O2 -fPIC -fvisibility=hidden",
        )
        self.run("./configure", "--static", cwd=place, env=env)
        self.run("make", f"-j{os.cpu_count()}", "libz.a", cwd=place, env=env)
        self.install(place, ["libz.a"], ["zlib.h", "zconf.h"])

    def build_zstd(self):
        """No symbol of it may be seen outside of libmprof.so: an application may bring another."""
        place = self.source_of("zstd")
        self.run(
            "make", "-C", "lib", f"-j{os.cpu_count()}", "libzstd.a",
            f"CC={self.tool('cc')}", f"AR={self.tool('ar')}",
            "CFLAGS=-O2 -fPIC -fvisibility=hidden", "ZSTD_LEGACY_SUPPORT=0",
            "CPPFLAGS=-DZSTDLIB_VISIBLE= -DZSTDERRORLIB_VISIBLE= -DZDICTLIB_VISIBLE=",
            cwd=place,
        )  # fmt: skip
        self.install(place / "lib", ["libzstd.a"], ["zstd.h", "zstd_errors.h", "zdict.h"])

    def configure_for(self, place, *options, cflags="-O2 -fPIC -fvisibility=hidden"):
        self.run(
            "./configure", *self.host, f"CC={self.tool('cc')}", f"CXX={self.tool('c++')}",
            f"AR={self.tool('ar')}", f"RANLIB={self.tool('ranlib')}", f"CFLAGS={cflags}",
            f"CPPFLAGS=-I{self.prefix}/include", *options,
            cwd=place,
        )  # fmt: skip

    def build_lzma(self):
        """Red Hat's systems pack the symbols of stripped programs with it."""
        place = self.source_of("lzma")
        without = [f"--disable-{name}" for name in LZMA_WITHOUT]
        self.configure_for(place, "--enable-static", *without)
        place /= "src/liblzma"
        self.run("make", f"-j{os.cpu_count()}", cwd=place)
        self.install(place, [".libs/liblzma.a"], ["api/lzma.h"])
        self.install(place, [], sorted((place / "api/lzma").glob("*.h")), below="lzma")

    def build_hwloc(self):
        """With no other library: XML is read by its own few lines, and no device is asked for."""
        place = self.source_of("hwloc")
        without = [f"--disable-{name}" for name in ["shared", *HWLOC_WITHOUT]]
        self.configure_for(place, "--enable-static", *without)
        self.run("make", "-C", "hwloc", f"-j{os.cpu_count()}", cwd=place)
        self.install(place, ["hwloc/.libs/libhwloc.a"], ["include/hwloc.h"])
        for below in ("hwloc", "hwloc/autogen"):
            self.install(place, [], sorted((place / "include" / below).glob("*.h")), below=below)

    def build_xxhash(self):
        """All of it is in its header."""
        self.install(self.source_of("xxhash"), [], ["xxhash.h"])

    def build_sqlite(self):
        """One C file, which programs that run on this machine join."""
        place = self.source_of("sqlite")
        self.run("./configure", "--disable-tcl", cwd=place)
        self.run("make", "sqlite3.c", cwd=place)
        self.run(
            self.tool("cc"), "-O2", "-fPIC", "-fvisibility=hidden", "-DSQLITE_OMIT_LOAD_EXTENSION",
            "-c", "sqlite3.c", "-o", "sqlite3.o",
            cwd=place,
        )  # fmt: skip
        self.run(self.tool("ar"), "rcs", "libsqlite3.a", "sqlite3.o", cwd=place)
        self.install(place, ["libsqlite3.a"], ["sqlite3.h"])

    def build_scotch(self):
        place = self.source_of("scotch")
        build = place / "build"
        # A program that tells sizes of types is run. By the name of its target CMake runs it with
        # the toolchain's emulator, if it is for another machine.
        rules = place / "src/libscotch/CMakeLists.txt"
        rules.write_text(rules.read_text().replace("$<TARGET_FILE:dummysizes>", "dummysizes"))
        self.run(
            "cmake", "-S", place, "-B", build, "-G", "Ninja", *self.cmake_options,
            "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=ON", "-DTHREADS=ON",
            # The name by which a program asks for it is that of the file.
            "-DCMAKE_PLATFORM_NO_VERSIONED_SONAME=ON",
            "-DCMAKE_SKIP_BUILD_RPATH=ON", "-DCMAKE_SHARED_LINKER_FLAGS=-s -Wl,-rpath,'$ORIGIN'",
            *[f"-D{name}=OFF" for name in SCOTCH_WITHOUT],
        )  # fmt: skip
        self.run("cmake", "--build", build, "--target", "scotch")
        (library,) = [path for path in build.rglob("libscotch.so") if path.exists()]
        shutil.copy(library.resolve(), self.prefix / "lib/libscotch.so")
        (header,) = build.rglob("scotch.h")
        self.install(place, [], [header])

    def build_elfutils(self):
        """It reads debug data packed with lzma or zstd, if these were built before."""
        place = self.source_of("elfutils")
        flags = f"-L{self.prefix}/lib -Wl,--undefined-version"
        packers = [
            f"--with{'' if (self.prefix / 'lib' / f'lib{name}.a').exists() else 'out'}-{name}"
            for name in ("lzma", "zstd")
        ]
        self.configure_for(
            place, f"LDFLAGS={flags}", "PKG_CONFIG=/bin/false", "--disable-debuginfod",
            "--disable-libdebuginfod", "--without-bzlib", "--disable-nls", *packers,
            cflags="-O2 -fPIC -Wno-error",
        )  # fmt: skip
        for folder in ELFUTILS:
            # A library is looked for beside the one that needs it.
            more = [f"LDFLAGS={flags} -Wl,-rpath,'$$ORIGIN' -s"]
            self.run("make", "-C", folder, f"-j{os.cpu_count()}", *more, cwd=place)
        for name in ("libelf", "libdw"):
            soname = f"{name}.so.1"
            shutil.copy(place / name / f"{name}.so", self.prefix / "lib" / soname)
            link = self.prefix / "lib" / f"{name}.so"
            link.unlink(missing_ok=True)
            link.symlink_to(soname)
        self.install(place, [], ["libelf/libelf.h", "libelf/gelf.h", "libdw/dwarf.h"])
        self.install(
            place,
            [],
            ["libdw/libdw.h", "libdwfl/libdwfl.h", "libdwelf/libdwelf.h", "libebl/libebl.h",
             "libelf/elf-knowledge.h", "version.h"],
            below="elfutils",
        )  # fmt: skip

    def describe(self, names):
        """For CMake: where they are, in packages of their names."""
        include = self.prefix / "include"
        archive = f'INTERFACE_LINK_LIBRARIES "{self.prefix}/lib/libzstd.a"'
        targets = {
            "fmt": ("fmt::fmt", "INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY"),
            "CLI11": ("CLI11::CLI11", ""),
            "nlohmann_json": ("nlohmann_json::nlohmann_json", ""),
            "zstd": ("zstd::libzstd_static", archive),
        }
        for package, (target, more) in targets.items():
            if package not in names:
                continue
            place = self.prefix / "lib/cmake" / package
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{package}Config.cmake").write_text(
                f"if(NOT TARGET {target})\n"
                f"  add_library({target} INTERFACE IMPORTED)\n"
                f"  set_target_properties({target} PROPERTIES\n"
                f'    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "{include}"\n'
                f'    INTERFACE_INCLUDE_DIRECTORIES "{include}" {more})\n'
                "endif()\n"
            )
