"""Python as another build would look: its code objects have more bytes than is known of the
version. Making more room for them is harmless."""
import ctypes
import types

TP_BASICSIZE = 32
ctypes.c_ssize_t.from_address(id(types.CodeType) + TP_BASICSIZE).value += 8

from mpi4py import MPI  # noqa: E402

for _ in range(5):
    MPI.COMM_WORLD.Barrier()
