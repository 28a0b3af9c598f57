"""A rank leaves by an exception, for which mpi4py aborts the job. The other ones wait for it."""
import sys

from mpi4py import MPI, run

WORLD = MPI.COMM_WORLD
WORLD.Split(0, 0)
print("calls MPI_Comm_split 1\n", end="", flush=True)
try:
    if WORLD.rank == 1:
        raise ValueError("out of range")
    WORLD.Barrier()
except ValueError:
    run.set_abort_status(7)
    sys.exit(7)
