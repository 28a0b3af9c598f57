"""Zoo: what a telescope saw is evaluated with mpi4py (../zoo.h, score.py): CASE planted|mended
[FOLDER]

zoo: events pickling rank any at gather_events
The events of a chunk, 40000 of all ranks, are gathered on rank 0 as dictionaries, 40 times: mpi4py
pickles each of them, and rank 0 makes dictionaries of it again; the twin gathers the same numbers
as an array.

zoo: reopened_file files rank any at append_variable|open_file
Each of 30 variables of each of 30 images is written by all ranks into a file that is opened for it
and closed again; the twin opens the file once.
"""

import os
import sys

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()


def calibrate(rounds):
    """Of one detector."""
    pixels = numpy.linspace(1.0, 2.0, 20000)
    for _ in range(rounds):
        pixels = 0.5 * numpy.sqrt(pixels) + 0.25 * numpy.roll(pixels, 1) + 0.1
    return pixels


def gather_events(events, mended):
    """All ranks' on rank 0."""
    if not mended:
        return world.gather(events)
    everyone = numpy.empty((size, *events.shape)) if rank == 0 else None
    world.Gather(events, everyone)
    return everyone


def events(mended, _folder):
    count = 40000 // size
    seen = numpy.zeros((count, 4)) if mended else [
        {"time": float(number), "energy": 0.5 * number, "pixel": number % 7, "good": True}
        for number in range(count)]
    for _ in range(40):
        pixels = calibrate(400 // size)
        if mended:
            seen[0, 1] = pixels[0]
        else:
            seen[0]["energy"] = float(pixels[0])
        gather_events(seen, mended)


def open_file(path):
    return MPI.File.Open(world, path, MPI.MODE_CREATE | MPI.MODE_WRONLY)


def append_variable(file, path, number, values):
    """file: it is open, or None."""
    opened = file or open_file(path)
    opened.Write_at_all((number * size + rank) * values.nbytes, values)
    if file is None:
        opened.Close()


def reopened_file(mended, folder):
    variables, images = 30, 30
    path = os.path.join(folder, "images")
    file = open_file(path) if mended else None
    for image in range(images):
        pixels = calibrate(600 // size)
        for variable in range(variables):
            values = pixels[variable * 8:variable * 8 + 2048 // size]
            append_variable(file, path, image * variables + variable, values)
    if file:
        file.Close()
    world.Barrier()
    if rank == 0:
        os.remove(path)


if __name__ == "__main__":
    CASES = {"events": events, "reopened_file": reopened_file}
    CASES[sys.argv[1]](sys.argv[2] == "mended", sys.argv[3] if len(sys.argv) > 3 else ".")
