#!/usr/bin/env python3
"""Writes mpi_functions.txt from the machine-readable MPI standard: for maintainers only, once per
version of the standard.

    pip install pympistandard && ./make_mpi_functions.py > mpi_functions.txt

The table is committed; nothing else in the project needs pympistandard. Order matters: a function's
line is its id at run time, but ids never leave a process except together with the names (format.h,
MPROF_SECTION_FUNCTIONS), so lines may move.
"""
import re

import pympistandard

# Removed in MPI 3.0 and so absent from the standard's data, but still exported by most libraries.
REMOVED = """\
int MPI_Address(void *location, MPI_Aint *address)
int MPI_Errhandler_create(MPI_Handler_function *function, MPI_Errhandler *errhandler)
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler)
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler)
int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint *extent)
int MPI_Type_hindexed(int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[], \
MPI_Datatype oldtype, MPI_Datatype *newtype)
int MPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, \
MPI_Datatype *newtype)
int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint *displacement)
int MPI_Type_struct(int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[], \
MPI_Datatype array_of_types[], MPI_Datatype *newtype)
int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint *displacement)
"""

HEADER = """\
# The C functions of the MPI standard, one prototype a line: MPI {version} from \
pympistandard {package}
# (written by make_mpi_functions.py; do not edit by hand), then those that MPI 3.0 removed.
"""


def tidy(prototype):
    """One spelling: `const char *name`, `...` for variable arguments."""
    prototype = prototype.replace("\\ldots", "...")
    prototype = re.sub(r"\s*(\*+)\s*", r" \1", prototype)
    prototype = re.sub(r"\* (?=\w)", "*", prototype)
    return re.sub(r"\s+", " ", prototype).strip()


def main():
    pympistandard.use_api_version("LATEST")
    lines = []
    for procedure in pympistandard.PROCEDURES.values():
        if not procedure.express.iso_c:
            continue
        lines.append(tidy(str(procedure.express.iso_c)))
        embiggened = procedure.express.embiggen
        if embiggened and embiggened.iso_c:
            lines.append(tidy(str(embiggened.iso_c)))
    lines.sort(key=lambda line: re.search(r"MPI_\w+(?=\()", line).group().lower())
    print(HEADER.format(version="5.0", package="0.2.0"), end="")
    print("\n".join(lines))
    print(REMOVED, end="")


if __name__ == "__main__":
    main()
