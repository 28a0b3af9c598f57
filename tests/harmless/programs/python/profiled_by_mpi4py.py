"""libmprof.so is given to mpi4py.profile(), which opens it before MPI. Without mprof it is not."""
import os
import sys

import mpi4py

if "MPROF_OUTPUT" in os.environ:
    mpi4py.profile(sys.argv[1])

from mpi4py import MPI  # noqa: E402

TURNS = 7
for _ in range(TURNS):
    MPI.COMM_WORLD.Barrier()
print(f"rank {MPI.COMM_WORLD.rank} of {MPI.COMM_WORLD.size}\ncalls MPI_Barrier {TURNS}\n", end="",
      flush=True)
