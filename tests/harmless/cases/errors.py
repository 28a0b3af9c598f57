"""Error handlers, and calls that fail."""

from case import ALL_BUILDS, Case, TakeOut

SERVICES = "libmprof/interpose/services.h"

CASES = [
    Case("handlers_are_inherited", "error handlers are set after communicators were duplicated, and asked for in MPI_Finalize",
         ALL_BUILDS, summary="text", says=("##mprof",),
         take_outs=[TakeOut("errors silenced on mprof's own communicator only", SERVICES,
                            "    silence_errors(token_comm);", "    silence_errors(MPI_COMM_WORLD);")]),
]
