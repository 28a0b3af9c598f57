"""The last rank stands somewhere outside MPI until it may go on: standing.c says how. It calls MPI
by ctypes, so that it runs with any Python and any MPI.

    standing.py MODE STAGE PIPE LIBMPI
"""

import ctypes
import mmap
import os
import sys
import threading
import time

OPEN_MPI, MPICH = "ompi_mpi_comm_world", 0x44000000
lock = threading.Lock()


def endless_loop(stage):
    turns = 0
    while stage[0] < 2:
        turns += 1  # stands: loop
    return turns


def hold_lock(stage):
    with lock:
        endless_loop(stage)


def wait_for_lock():
    with lock:  # stands: lock
        return


def read_answer(pipe):
    return os.read(pipe, 1)  # stands: pipe


def late_thread(stage):
    while stage[0] < 1:
        time.sleep(0.01)
    late = threading.Thread(target=hold_lock, args=(stage,))
    late.start()
    while not lock.locked():
        time.sleep(0.01)
    wait_for_lock()
    late.join()


def stand(mode, stage, pipe):
    if mode == "loop":
        endless_loop(stage)
    elif mode == "pipe":
        read_answer(os.open(pipe, os.O_RDWR))
    else:
        late_thread(stage)


def main():
    mode, stage, pipe, library = sys.argv[1:]
    mpi = ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
    world = ctypes.c_int(MPICH)
    if hasattr(mpi, OPEN_MPI):
        world = ctypes.c_void_p(ctypes.addressof(ctypes.c_int.in_dll(mpi, OPEN_MPI)))
    mpi.MPI_Init(None, None)
    rank, size = ctypes.c_int(), ctypes.c_int()
    mpi.MPI_Comm_rank(world, ctypes.byref(rank))
    mpi.MPI_Comm_size(world, ctypes.byref(size))
    mpi.MPI_Barrier(world)
    with open(stage, "r+b") as file:
        stage = mmap.mmap(file.fileno(), 1)
    if rank.value == size.value - 1:
        stand(mode, stage, pipe)
    mpi.MPI_Barrier(world)
    # In one write, also without buffers: the launcher mixes what ranks write.
    sys.stdout.write(f"rank {rank.value} of {size.value} went on\n")
    sys.stdout.flush()
    mpi.MPI_Finalize()


main()
