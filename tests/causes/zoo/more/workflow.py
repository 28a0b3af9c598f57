"""Zoo: scripts with mpi4py and causes of several kinds (score.py).

# zoo: file_watch blocked rank 0 at wait_for_file|file_watch
# zoo: token in_turn rank any at hold_token
# zoo: late_script start-up rank last
# zoo: masked blocked+uneven rank any at fetch_input|filter_cells|masked
# zoo: raises ended rank last at read_input ends
"""
import os
import sys
import time

import mpi4py

mpi4py.rc.initialize = False
from mpi4py import MPI  # noqa: E402

STEPS, CELLS = 30, 1200000


def count_cells(cells):
    value = 0.0
    for _ in range(cells):
        value = value * 0.999 + 1.0
    return value


def wait_for_file():
    time.sleep(0.03)


def file_watch(world, mended):
    for _ in range(STEPS):
        count_cells(CELLS // world.size)
        if world.rank == 0 and not mended:
            wait_for_file()
        world.allreduce(1.0)


def hold_token(world, mended):
    if world.rank > 0 and not mended:
        world.recv(source=world.rank - 1)
    count_cells(CELLS // world.size)
    if world.rank < world.size - 1 and not mended:
        world.send(1, dest=world.rank + 1)


def token(world, mended):
    for _ in range(STEPS):
        hold_token(world, mended)
        world.allreduce(1.0)


def late_script(world, _):
    for _ in range(STEPS // 5):
        count_cells(CELLS // world.size)
        world.allreduce(1.0)


def fetch_input():
    time.sleep(0.03)


def filter_cells(cells):
    count_cells(cells)


def masked(world, mended):
    for _ in range(STEPS):
        count_cells(CELLS // world.size)
        if world.rank == world.size - 1 and not mended:
            fetch_input()
        elif mended:
            filter_cells(CELLS // 2 // world.size)
        else:
            filter_cells(CELLS // 2 if world.rank == 0 else CELLS // 2 // world.size)
        world.allreduce(1.0)


def read_input(world, step):
    if world.rank == world.size - 1 and step == STEPS // 2:
        raise RuntimeError("no input")


def raises(world, _):
    for step in range(STEPS):
        count_cells(CELLS // world.size)
        read_input(world, step)
        world.allreduce(1.0)


def main(case, mended):
    number = int(os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK", "0")))
    ranks = int(os.environ.get("OMPI_COMM_WORLD_SIZE", os.environ.get("PMI_SIZE", "1")))
    if case == "late_script" and not mended and number == ranks - 1:
        count_cells(30 * CELLS)
    MPI.Init()
    {"file_watch": file_watch, "token": token, "late_script": late_script, "masked": masked,
     "raises": raises}[case](MPI.COMM_WORLD, mended)
    MPI.Finalize()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] == "mended")
