"""Zoo: pictures of a microscope, with mpi4py (../zoo.h, score.py): CASE planted|mended [FOLDER]

zoo: windows files rank any at read_window
A slice of a stack is compared with the 30 around it, and all 31 are read by MPI-IO for each of 248
slices in each of two passes, 15.5 MiB, though 30 of them have just been read; the twin keeps 31
slices and reads one.

zoo: two_writes blocked rank 0 at tell_viewer|two_writes
Rank 0 tells a viewer of each of 20 pictures by TCP, the length first and then the picture, and
waits for its answer: the system holds the second message back until the first is acknowledged, and
the viewer's side waits 40 ms with that. 0.8 s in all, while the others wait; the twin sends both as
one.
"""

import os
import socket
import sys

import mpi4py
import numpy

mpi4py.rc.initialize = False
from mpi4py import MPI  # noqa: E402

world = MPI.COMM_WORLD
SLICE, AROUND, SLICES, PASSES = 1 << 16, 15, 248, 2


def sharpen(picture, blurred, rounds):
    """In place; blurred is room for it."""
    for _ in range(rounds):
        numpy.add(picture[2:], picture[:-2], out=blurred[1:-1])
        blurred *= 0.05
        picture *= 0.9
        picture += blurred


def read_window(file, first, count, window):
    """Slices first to first + count - 1; the window is a ring."""
    place = first % len(window)
    part = window[place:place + count] if count == 1 else window
    file.Read_at(first * SLICE * 8, part)


def write_stack(file, slices):
    picture = numpy.ones(SLICE)
    for number in range(world.rank, slices, world.size):
        picture[0] = number
        file.Write_at(number * SLICE * 8, picture)
    world.Barrier()


def windows(mended, folder):
    width = 2 * AROUND + 1
    path = os.path.join(folder, "stack")
    file = MPI.File.Open(world, path, MPI.MODE_CREATE | MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE)
    write_stack(file, SLICES + width)
    picture, blurred = numpy.zeros(SLICE), numpy.zeros(SLICE)
    window, share = numpy.empty((width, SLICE)), SLICES // world.size  # a multiple of the width
    for number in range(PASSES * share):
        first = world.rank * share + number % share
        if not mended or number % share == 0:
            read_window(file, first, width, window)
        else:
            read_window(file, first + width - 1, 1, window)
        middle = (first + AROUND) % width if mended else AROUND
        numpy.subtract(window[middle], window[:, :16].mean(), out=picture)
        sharpen(picture, blurred, 45)
    world.Barrier()
    file.Close()


def receive(connection, length):
    parts = b""
    while len(parts) < length:
        part = connection.recv(length - len(parts))
        if not part:
            os._exit(0)
        parts += part
    return parts


def show_pictures(listener):
    """The viewer."""
    connection, _ = listener.accept()
    while True:
        length = int.from_bytes(receive(connection, 8), "big")
        receive(connection, length)
        connection.sendall(b"!")


def start_viewer():
    """A process of its own. -> the connection to it"""
    listener = socket.create_server(("127.0.0.1", 0))
    if os.fork() == 0:
        show_pictures(listener)
    return socket.create_connection(listener.getsockname())


def tell_viewer(viewer, picture, mended):
    length = len(picture).to_bytes(8, "big")
    if mended:
        viewer.sendall(length + picture)
    else:
        viewer.sendall(length)
        viewer.sendall(picture)
    return viewer.recv(1)


def two_writes(mended, viewer):
    brightness = 0.0
    picture, blurred = numpy.linspace(0.0, 1.0, SLICE), numpy.zeros(SLICE)
    for _ in range(20):
        sharpen(picture, blurred, 1600 // world.size)
        brightness = world.allreduce(float(picture[0]))
        if world.rank == 0:
            small = (255 * picture[::512]).astype(numpy.uint8).tobytes()
            tell_viewer(viewer, small, mended)
        picture[0] = world.bcast(brightness)


if __name__ == "__main__":
    first = os.environ.get("OMPI_COMM_WORLD_RANK", "0") == "0"
    talks = start_viewer() if first and sys.argv[1] == "two_writes" else None
    MPI.Init()
    is_mended = sys.argv[2] == "mended"
    if sys.argv[1] == "two_writes":
        two_writes(is_mended, talks)
    else:
        windows(is_mended, sys.argv[3] if len(sys.argv) > 3 else ".")
    MPI.Finalize()
    if talks:
        talks.close()
