"""Zoo: a survey of the sky, with mpi4py (score.py). The twins: the catalogue is not asked again,
a rank's pieces of the restart file are read in one go.

# zoo: catalogue blocked rank last at ask_catalogue|catalogue
# zoo: restart files rank any at read_objects
"""
import os
import subprocess
import sys

from mpi4py import MPI

STEPS, PIXELS = 20, 1500000


def add_light(pixels):
    light = 0.0
    for _ in range(pixels):
        light = light * 0.999 + 1.0
    return light


def ask_catalogue():
    """A tool that waits for its server."""
    subprocess.run(["sleep", "0.06"], check=True)


def catalogue(world, mended, _):
    for _ in range(STEPS):
        add_light(PIXELS // world.size)
        if world.rank == world.size - 1 and not mended:
            ask_catalogue()
        world.allreduce(1.0)


def read_objects(file, first, objects, mended):
    data = bytearray(objects * 80)
    if mended:
        file.Read_at(first * 80, data)
        return data
    view = memoryview(data)
    for number in range(objects):
        file.Read_at((first + number) * 80, view[number * 80:number * 80 + 80])
    return data


def restart(world, mended, folder):
    objects = 20000 // world.size
    mode = MPI.MODE_CREATE | MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE
    file = MPI.File.Open(world, os.path.join(folder, "restart"), mode)
    file.Write_at_all(world.rank * objects * 80, bytes(objects * 80))
    for _ in range(STEPS):
        add_light(PIXELS // world.size)
        read_objects(file, world.rank * objects, objects, mended)
        world.allreduce(1.0)
    file.Close()


def main(case, mended, folder):
    {"catalogue": catalogue, "restart": restart}[case](MPI.COMM_WORLD, mended, folder)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] == "mended", sys.argv[3])
