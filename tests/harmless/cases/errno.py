"""Cases for run_case.py: what the system refuses libmprof is not seen by the program."""

from case import ALL_BUILDS, Case, TakeOut

CASES = [
    Case("errno_kept", "errno after MPI_Pcontrol with a pointer that leads nowhere", ALL_BUILDS,
         take_outs=[TakeOut("errno kept in MPI_Pcontrol", "libmprof/wrap/by_hand.h",
                            "    errno = program_errno;\n    struct call call;",
                             "    struct call call;")]),
]
