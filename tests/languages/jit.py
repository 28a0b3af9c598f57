"""For run_jit.py: numba compiles two functions that call MPI while the script runs. The ranks
compile them in different orders, so that their addresses differ.

    jit.py LIBRARY_OF_MPI TIMES
"""

import ctypes
import sys

import numba

MPI = ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
TIMES = int(sys.argv[2])


def prototype(name, *arguments):
    return ctypes.CFUNCTYPE(ctypes.c_int, *arguments)((name, MPI))


barrier = prototype("MPI_Barrier", ctypes.c_void_p)
rank_of = prototype("MPI_Comm_rank", ctypes.c_void_p, ctypes.c_void_p)


@numba.njit
def call_barrier(comm, times):
    for _ in range(times):
        barrier(comm)


@numba.njit
def call_rank(comm, result, times):
    for _ in range(times):
        rank_of(comm, result)


MPI.MPI_Init(None, None)
# A communicator is an address in Open MPI, and a number in MPICH.
WORLD = (ctypes.addressof(ctypes.c_char.in_dll(MPI, "ompi_mpi_comm_world"))
         if hasattr(MPI, "ompi_mpi_comm_world") else 0x44000000)
RANK = ctypes.c_int()
MPI.MPI_Comm_rank(ctypes.c_void_p(WORLD), ctypes.byref(RANK))
if RANK.value % 2 == 1:
    call_rank(WORLD, ctypes.addressof(RANK), 0)
call_barrier(WORLD, TIMES)
call_rank(WORLD, ctypes.addressof(RANK), TIMES)
MPI.MPI_Finalize()
