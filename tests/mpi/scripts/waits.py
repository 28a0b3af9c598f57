"""Rank 0 waits for a message that nobody sends; rank 1 ends in a signal, or waits, too."""
import os
import signal
import sys
import time

from mpi4py import MPI

comm = MPI.COMM_WORLD
comm.Barrier()


def wait_for_ever():
    comm.Recv(bytearray(8), source=1)  # waits here


if comm.Get_rank() == 0:
    print("waits", flush=True)
    wait_for_ever()
time.sleep(1)
if sys.argv[1] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
time.sleep(60)
