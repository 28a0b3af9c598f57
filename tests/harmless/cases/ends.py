"""Programs that end, or begin, in unusual ways."""

from case import Case

CASES = [
    Case("finalize_at_exit", "MPI_Finalize is called by a function of atexit()"),
    Case("abort_handled", "abort() and assert() that a handler of SIGABRT leaves by a jump"),
    Case("python_raises", "a rank leaves by an exception, for which mpi4py aborts the job",
         builds=["openmpi4", "mpich4", "openmpi5", "mpich5", "intel"], source="raises.py",
         status=7),
]
