"""Zoo: objects that mpi4py pickles, where buffers would serve (score.py). The twins send the same
values as arrays.

# zoo: share_table pickling rank 0 at share_table
# zoo: swap_cells pickling rank any at swap_cells

Not to be called so: arrays that are sent as buffers, and an object that is sent once.

# zoo: buffers healthy
# zoo: settings healthy

Gain: pickling of lists on the rank that sends them, and making lists of it on those that get them
(a third of the run).
"""
import array
import sys

from mpi4py import MPI

WORLD = MPI.COMM_WORLD
STEPS, CELLS = 80, 1000000


def update_cells(cells):
    value = 0.0
    for _ in range(cells):
        value = value * 0.999 + 1.0
    return value


def share_table(table, mended):
    """From rank 0 to all."""
    if mended:
        WORLD.Bcast(table, root=0)
        return table
    return WORLD.bcast(table, root=0)


def values(count, mended):
    numbers = [float(i) for i in range(count)]
    return array.array("d", numbers) if mended else numbers


def share(mended):
    table = values(150000, mended)
    for _ in range(STEPS):
        update_cells(CELLS // WORLD.size)
        table = share_table(table, mended)


def swap_cells(cells, mended):
    """To the next rank, from the one before."""
    right, left = (WORLD.rank + 1) % WORLD.size, (WORLD.rank - 1) % WORLD.size
    if not mended:
        return WORLD.sendrecv(cells, dest=right, source=left)
    others = array.array("d", cells)
    WORLD.Sendrecv(cells, dest=right, recvbuf=others, source=left)
    return others


def swap(mended):
    cells = values(300000 // WORLD.size, mended)
    for _ in range(STEPS):
        update_cells(CELLS // WORLD.size)
        cells = swap_cells(cells, mended)


def buffers(_):
    table = values(150000, True)
    for _ in range(STEPS):
        update_cells(2 * CELLS // WORLD.size)
        share_table(table, True)


def settings(_):
    names = {f"level {i}": float(i) for i in range(20000)}
    WORLD.bcast(names, root=0)
    for _ in range(STEPS):
        update_cells(2 * CELLS // WORLD.size)
        WORLD.allreduce(1.0)


if __name__ == "__main__":
    {"share_table": share, "swap_cells": swap, "buffers": buffers,
     "settings": settings}[sys.argv[1]](sys.argv[2] == "mended")
