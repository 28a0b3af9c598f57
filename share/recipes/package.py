# Copyright mprof authors
#
# SPDX-License-Identifier: BSD-3-Clause
"""Spack recipe of mprof.

Builds from a source folder, because it names no place to download from:

    spack repo create REPO mprof_repo        # a repository of your own, once
    mkdir -p REPO/packages/mprof && cp package.py REPO/packages/mprof/
    spack repo add REPO
    cd SOURCE && spack dev-build mprof@0.1.0

To let Spack fetch the source, put your server's address in at the line marked PLACEHOLDER.
"""

from spack.package import *


class Mprof(CMakePackage):
    """Tells what an MPI program spends its time on, without recompiling it, for every MPI."""

    # PLACEHOLDER: git = "address of the git repository"

    license("BSD-3-Clause")

    version("0.1.0")

    # No dependency on MPI: one libmprof.so works with all of them.
    variant("command", default=True, description="Build the mprof command, not the library alone")
    variant("placement", default=True, description="Orders of ranks: mprof place")
    variant("otf2", default=False, description="Timelines for Vampir: mprof trace --otf2")

    depends_on("cmake@3.18:", type="build")
    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("python@3:", type="build")
    # Of libmprof.so, linked statically.
    depends_on("zstd libs=shared,static")
    depends_on("xxhash", type="build")

    with when("+command"):
        depends_on("cli11", type="build")
        depends_on("nlohmann-json", type="build")
        depends_on("fmt")
        depends_on("zlib-api")
        depends_on("elfutils")
        depends_on("protozero", type="build")
        depends_on("sqlite")

    with when("+command+placement"):
        depends_on("scotch~mpi")
        depends_on("hwloc")

    depends_on("otf2", when="+command+otf2")

    conflicts("platform=darwin", msg="mprof is for Linux with glibc")
    conflicts("platform=windows", msg="mprof is for Linux with glibc")

    def cmake_args(self):
        return [
            self.define("MPROF_TESTS", False),
            self.define("MPROF_WERROR", False),
            self.define_from_variant("MPROF_PARSER", "command"),
        ]
