"""Error handlers, and calls that fail."""

import re

from case import ALL_BUILDS, Case, TakeOut

GENERATE = "libmprof/api/wrappers.py"
WRAP = "libmprof/wrap/wrap.h"
SERVICES = "libmprof/wrap/services.h"


def received_bytes(case, job, profile, tools):
    """What the program says of its receives."""
    import jobs  # not there where only the cases are listed
    document, _ = jobs.report(tools, profile, expected_status=None)
    counted = sum(row["bytes"] for row in document["functions"] if row["function"] == "MPI_Irecv")
    wanted = int(re.search(rb"^good bytes (\d+)$", job.stdout, re.M).group(1))
    if counted != wanted:
        raise jobs.Failure(f"{counted} bytes were received by the profile, {wanted} by the program")


CASES = [
    Case("handlers_are_inherited", "error handlers are set after communicators were duplicated, "
         "and asked for in MPI_Finalize",
         ALL_BUILDS, summary="text", says=("##mprof",),
         take_outs=[TakeOut("errors silenced on mprof's own communicator only", SERVICES,
                            "silence_errors(link->comm);", "silence_errors(MPI_COMM_WORLD);")]),
    Case("refused_frees", "MPI_Comm_free of MPI_COMM_SELF and others is refused, under "
         "MPI_ERRORS_RETURN"),
    Case("null_handles", "null handles and null pointers to handles, under MPI_ERRORS_RETURN",
         ("mpich4", "mpich5"), arguments=["0-16,18-33,35-48,50-55"],
         take_outs=[TakeOut("handles are read only where there are any", WRAP,
                            "#define HANDLE_AT(pointer) ((pointer) != NULL ? HANDLE(*(pointer)) : "
                            "0)",
                            "#define HANDLE_AT(pointer) HANDLE(*(pointer))"),
                    TakeOut("arrays of requests are read only where there are any",
                            "libmprof/wrap/completions.h",
                            "if (__builtin_expect(requests == NULL, 0))", "if (count < 0)")]),
    Case("error_in_status", "one of several receives is truncated, MPI_ERR_IN_STATUS",
         ALL_BUILDS, check=received_bytes,
         take_outs=[TakeOut(
             "requests whose own status is good bring their bytes", "libmprof/wrap/completions.h",
                            "        complete_good_ones(batch, call, *count, indices);",
             "        ;")]),
    # The other ones are a signal in Open MPI itself.
    Case("null_handles_openmpi", "the same, as far as Open MPI refuses it",
         ("openmpi4", "openmpi5"), source="null_handles.c",
         arguments=["0-10,12,14,16-18,23-46,48-55"],
         take_outs=[TakeOut("handles are read only where there are any", WRAP,
                            "#define HANDLE_AT(pointer) ((pointer) != NULL ? HANDLE(*(pointer)) : "
                            "0)",
                            "#define HANDLE_AT(pointer) HANDLE(*(pointer))")]),
    # MPICH 5 returns success then; a null flag or count is left out.
    Case("null_handles_own_handler", "calls that fail and return success, after an error handler "
         "of the program",
         ("mpich4", "mpich5"), source="null_handles.c",
         arguments=["0,2,4,11-16,27-29,32,33,44,48,50,51", "own"],
         take_outs=[
             TakeOut(
             "what a failed call left in the program's variable is no new communicator", GENERATE,
                     'f"{kind} made = UNMADE({kind});"', 'f"{kind} made = MPI_COMM_WORLD;"')]),
]
