"""Zoo: a script with mpi4py (score.py). Rank 0 refines the mesh alone; the twin's ranks share it.

# zoo: mesh uneven rank 0 at refine_mesh
# zoo: samples healthy
"""
import sys

from mpi4py import MPI

WORLD = MPI.COMM_WORLD
STEPS, CELLS = 40, 1200000


def refine_mesh(cells):
    value = 0.0
    for _ in range(cells):
        value = value * 0.999 + 1.0
    return value


def draw_samples(cells):
    value = 0.0
    for _ in range(cells):
        value = value * 0.999 + 1.0
    return value


def mesh(mended):
    for _ in range(STEPS):
        draw_samples(CELLS // WORLD.size)
        if mended:
            refine_mesh(CELLS // WORLD.size)
        elif WORLD.rank == 0:
            refine_mesh(CELLS)
        WORLD.allreduce(1.0)


def samples(_):
    for _ in range(STEPS):
        draw_samples(CELLS * 2 // WORLD.size)
        WORLD.allreduce(1.0)


if __name__ == "__main__":
    {"mesh": mesh, "samples": samples}[sys.argv[1]](sys.argv[2] == "mended")
