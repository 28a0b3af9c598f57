"""Actions of languages and their libraries that a program does not ask for."""

from case import Case, TakeOut

CASES = [
    Case("array_sections", "mpi_f08 with sections of arrays, of which MPICH makes datatypes for "
         "itself",
         source="array_sections.F90", take_outs=(
             TakeOut("knowing the datatypes that a Fortran library makes for itself",
                     "libmprof/interpose/fortran_got.c",
                     '        return (mpi_function_marks[function] & MPI_IS_MADE_INSIDE) == 0;\n',
                     "        return true;\n"),
             TakeOut("asking who frees a datatype", "libmprof/api/mprof_functions.txt",
                     "MPI_Type_free                    helper       -               -"
                     "                made_inside\n", ""))),
]
