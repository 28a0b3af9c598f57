"""Programs that end, or begin, in unusual ways."""

from case import Case

CASES = [
    Case("finalize_at_exit", "MPI_Finalize is called by a function of atexit()"),
]
