"""Cases for run_case.py: if the system refuses libmprof something, the program does not see it."""

from case import ALL_BUILDS, Case, TakeOut

CASES = [
    Case("errno_kept", "errno after MPI_Pcontrol with a pointer that leads nowhere", ALL_BUILDS,
         take_outs=[TakeOut("errno kept in MPI_Pcontrol", "libmprof/wrap/by_hand.h",
                            "    errno = program_errno;\n    struct call call;",
                             "    struct call call;")]),
]
