# A stencil in mpi4py. Rank 0 sweeps twice per step, the others three times. Neighbours exchange
# their outer rows as pickled objects. share/demo/gallery runs it.
import sys

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
rank = world.Get_rank()
above, below = (rank - 1) % world.Get_size(), (rank + 1) % world.Get_size()
rows = numpy.ones((400, 1000))
for step in range(int(sys.argv[1])):
    rows[0] = world.sendrecv(rows[-2], dest=below, source=above)
    rows[-1] = world.sendrecv(rows[1], dest=above, source=below)
    for sweep in range(2 if rank == 0 else 3):
        rows[1:-1] = 0.25 * (rows[:-2] + rows[2:] + 2 * rows[1:-1])
