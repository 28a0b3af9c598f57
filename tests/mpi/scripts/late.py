"""Rank 0 sends each pickled object late. Rank 1 waits for it in recv(), and says for how long."""
import time

from mpi4py import MPI

comm = MPI.COMM_WORLD
waited_s = 0.0
for step in range(100):
    if comm.Get_rank() == 0:
        time.sleep(0.02)
        comm.send({"step": step, "text": "late"}, dest=1)  # late here
    else:
        begin_s = time.monotonic()
        got = comm.recv(source=0)  # waits here
        waited_s += time.monotonic() - begin_s
        assert got["step"] == step
if comm.Get_rank() == 1:
    print(f"waited {waited_s:.6f}", flush=True)
