"""The MPI builds that the tests of this folder know, and how programs are compiled and started with
each.

Used by compile_programs.py, run_cell.py and make_table.py. Python's standard library only.
"""

import os
import shutil
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "groups"))
import needs  # noqa: E402

LANGUAGES = {"c": "C", "mpif_h": "mpif.h", "use_mpi": "use mpi", "mpi_f08": "mpi_f08",
             "mpi4py": "mpi4py",
             "dlsym": "dlsym"}
# The C program linked in other ways, and the Fortran program as a library that is loaded while the
# program runs.
VARIANTS = {"z_now": "C, -z now", "fno_plt": "C, -fno-plt", "no_pie": "C, -no-pie",
            "z_now_fno_plt": "C, -z now -fno-plt",
            "late_mpif_h": "mpif.h, library loaded by dlopen",
            "late_mpi_f08": "mpi_f08, library loaded by dlopen"}
FORTRAN = ("mpif_h", "use_mpi", "mpi_f08")


class NotApplicable(Exception):
    """There is no such thing: this MPI has no Fortran, say."""


class Skipped(Exception):
    """It exists, and is not installed here."""


class Build:
    """One MPI library with one ABI. `family` names its ABI: openmpi, mpich or mpi5."""

    def __init__(self, name, title, family, environment=None, libmpi=None, launcher="hydra"):
        self.name, self.title, self.family = name, title, family
        self.environment = environment  # virtual environment, or None: Debian's packages
        self.libmpi = libmpi  # file name of the library, for the dlsym client
        self.launcher = launcher
        self.folder = None  # that of all virtual environments

    def path(self, *names):
        """A path in this build's virtual environment; skips if that is not installed."""
        return environment_path(self.folder, self.environment, *names)

    # ---- compiling: each returns the command without sources, output and our own options ----

    def c_compiler(self):
        """(command, options after the sources)"""
        if self.environment is None:
            return [tool("mpicc." + self.name.rstrip("0123456789") + ":")], []
        if self.name == "mpich5_abi":
            return [self.path("bin", "mpicc_abi")], search_at_run_time(self.path("lib"))
        if self.environment == "impi":
            lib = self.path("lib")
            options = ["-L" + lib, *search_at_run_time(lib), "-l:" + self.libmpi]
            if self.name == "intel_abi":
                return ["gcc", "-I" + header_folder(self.path("include"), "mpi_abi.h")], options
            return ["gcc", "-I" + self.path("include")], options
        return [self.path("bin", "mpicc")], search_at_run_time(self.path("lib"))

    def fortran_compiler(self, interface):
        if self.environment is None:
            return [tool("mpifort." + self.name.rstrip("0123456789") + ":")], []
        if self.name != "intel":
            raise NotApplicable("no Fortran in this wheel" if self.environment != "impi" else
                                "no Fortran header for this ABI and gfortran")
        if interface == "mpi_f08":
            # A program compiled for MPICH would start on Intel's libraries, but crash: they take
            # each buffer by an array descriptor, and that looks different for Intel's compiler.
            raise NotApplicable("needs Intel's compiler")
        lib, include = self.path("lib"), self.path("include")
        # The Fortran library does not know where libmpi is: the program itself must ask for it.
        options = ["-L" + lib, *search_at_run_time(lib), "-Wl,--no-as-needed",
                   "-l:libmpifort.so.12", "-l:" + self.libmpi]
        return [tool("gfortran:"), "-I" + include,
                "-I" + module_folder(os.path.join(include, "mpi", "gfortran"))], options

    # ---- running ----

    def mpirun(self, ranks):
        if self.environment is None:
            command = [tool("mpirun." + self.name.rstrip("0123456789"))]
        else:
            command = [self.path("bin", "mpiexec")]
        if self.launcher != "hydra":
            command += ["--oversubscribe"] if self.launcher == "orte" else [
                "--map-by", ":OVERSUBSCRIBE"]
            command += ["--mca", "mpi_yield_when_idle", "1"]
            if os.geteuid() == 0:
                command.append("--allow-run-as-root")
        return command + ["-n", str(ranks)]

    def variables(self):
        """Environment that programs of this build need."""
        if self.environment == "impi":
            # All on one node; the wheel's libfabric is found by its place.
            return {"I_MPI_FABRICS": "shm", "FI_PROVIDER_PATH": self.path("lib"), "I_MPI_PIN": "0"}
        return {}

    def libmpi_path(self):
        """For dlopen(): Debian's are in the linker's search path."""
        return self.libmpi if self.environment is None else self.path("lib", self.libmpi)

    def python(self):
        """(python3 with an mpi4py for this build, variables for it)"""
        variables = {"TEST_ERRORS": "1", "TEST_SPAWN": "1"}
        if self.environment == "impi":  # cannot spawn with shared memory alone
            variables["I_MPI_FABRICS"] = "ofi"
        if self.name == "openmpi4":
            need("/usr/bin/python3:mpi4py")  # Debian's mpi4py is for this one
            python = "/usr/bin/python3"
        elif self.name == "mpich4":
            variables["TEST_SPAWN"] = "0"  # Debian's cannot
            python = environment_path(self.folder, "debian_mpich", "bin", "python3")
        elif self.name == "mpich3":
            # They call MPI_Type_size_x, which MPICH 3.4 does not allow there.
            raise NotApplicable("mpi4py's operations of the program abort in this MPICH")
        elif self.name == "mpich5_abi":
            python = environment_path(self.folder, "mpich_abi", "bin", "python3")
        elif self.name == "intel_abi":
            # An mpi4py for the MPI-5 ABI runs on each library that has it. But the two exchange
            # MPI_ERRORS_RETURN and MPI_ERRORS_ABORT: 0x143 and 0x142 for MPICH, 0x142 and 0x143 for
            # Intel.
            python = environment_path(self.folder, "mpich_abi", "bin", "python3")
            variables.update(TEST_ERRORS="0", LD_LIBRARY_PATH=self.path("lib"))
        else:
            python = self.path("bin", "python3")
        return python, variables


BUILDS = {build.name: build for build in (
    Build("openmpi4", "Open MPI 4.1 (Debian)", "openmpi", None, "libmpi.so.40", "orte"),
    Build("mpich4", "MPICH 4.0 (Debian)", "mpich", None, "libmpich.so.12"),
    Build("mpich3", "MPICH 3.4", "mpich", "mpich3", "libmpi.so.12"),
    Build("openmpi5", "Open MPI 5.0", "openmpi", "openmpi", "libmpi.so.40", "prte"),
    Build("mpich5", "MPICH 5.0", "mpich", "mpich", "libmpi.so.12"),
    Build("mpich5_abi", "MPICH 5.0, MPI-5 ABI", "mpi5", "mpich", "libmpi_abi.so.1"),
    Build("intel", "Intel MPI 2021", "mpich", "impi", "libmpi.so.12"),
    Build("intel_abi", "Intel MPI 2021, MPI-5 ABI", "mpi5", "impi", "libmpi_abi.so.1"),
)}


def search_at_run_time(folder):
    """Options of the linker: programs find libraries in this folder. -Wl, would split its name at a
    comma."""
    return ["-Xlinker", "-rpath", "-Xlinker", folder]


def need(name):
    reason = needs.why_not(name)
    if reason:
        raise Skipped(reason)


def tool(name):
    """The path of a command or compiler (tests/groups/needs.py) that works."""
    need(name)
    return shutil.which(name.rstrip(":"))


def environment_path(folder, name, *names):
    """A path in a virtual environment that install_mpis.sh made."""
    if not os.path.exists(os.path.join(folder, name, "installed")):
        reason = "not installed"
        try:
            with open(os.path.join(folder, name + ".failed"), encoding="utf-8") as file:
                reason = file.read().strip() or reason
        except OSError:
            pass
        raise Skipped(f"no {name}: {reason}")
    return os.path.join(folder, name, *names)


def header_folder(include, header):
    """A folder whose mpi.h is `header` of the folder `include`: Intel gives the MPI-5 ABI another
    name."""
    if not os.path.exists(os.path.join(include, header)):
        raise Skipped("no " + header)
    folder = os.path.join(include, "as_mpi_h")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "mpi.h"), "w", encoding="utf-8") as file:
        file.write(f'#include "../{header}"\n')
    return folder


def module_folder(folder):
    """Of the module folders for several versions of gfortran the newest that this gfortran reads
    (12: 12.4.0)."""
    import subprocess
    version = int(subprocess.run(["gfortran", "-dumpversion"], capture_output=True, text=True,
                                 check=True).stdout.split(".")[0])
    fitting = [name for name in os.listdir(folder) if int(name.split(".")[0]) <= version]
    if not fitting:
        raise Skipped(f"no module for gfortran {version}")
    return os.path.join(folder, max(fitting, key=lambda name: int(name.split(".")[0])))


def cells():
    """All (build name, language) pairs that are tested, variants included."""
    result = [(name, language) for name in BUILDS for language in LANGUAGES]
    for name, build in BUILDS.items():
        if build.environment is None:
            result += [(name, variant) for variant in VARIANTS]
        else:
            result.append((name, "z_now_fno_plt"))
    return result + [("intel", "late_mpif_h")]


if __name__ == "__main__":  # for CMake
    print(";".join(f"{language}.{name}" for name, language in cells()))
