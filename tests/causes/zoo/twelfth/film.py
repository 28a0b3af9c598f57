"""Zoo: an old film is cleaned of its grain, with mpi4py (../zoo.h, score.py): CASE planted|mended
[FOLDER]

zoo: patch_files files rank any at save_patch
Each rank saves 512/size patches of each of 40 frames, and each patch into a file of its own, which
is opened, gets 1 KiB more and is closed, 20480 times of all ranks; the twin saves the patches of a
frame into one file.

zoo: late_weights healthy
The weights of the cleaning are worked out when they are first wanted, so the first step takes some
50 times as long as others; all ranks do that at the same time, and each has its share of it.
"""

import functools
import os
import sys

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
PATCHES = 512


def clean_frame(frame, rounds):
    """In place: each point moves to those beside it. -> how bright it is"""
    near = numpy.empty_like(frame)
    for _ in range(rounds):
        numpy.add(frame[:-2], frame[2:], out=near[1:-1])
        near[0], near[-1] = frame[0], frame[-1]
        near *= 0.25
        frame *= 0.5
        frame += near
        numpy.sqrt(frame, out=frame)
    return float(frame[1])


def save_patch(folder, number, patch):
    with open(os.path.join(folder, f"patch{world.rank}-{number}"), "ab") as file:
        patch.tofile(file)


def save_frame(folder, patches, mended):
    if mended:
        save_patch(folder, 0, patches)
        return
    for number, patch in enumerate(patches):
        save_patch(folder, number, patch)


def patch_files(mended, folder):
    patches = numpy.full((PATCHES // world.size, 128), 0.5)
    frame = numpy.linspace(0.5, 1.0, 20000)
    for _ in range(40):
        value = clean_frame(frame, 350 // world.size)
        save_frame(folder, patches, mended)
        patches[0] = world.allreduce(value)
    for number in range(1 if mended else len(patches)):
        os.remove(os.path.join(folder, f"patch{world.rank}-{number}"))


@functools.lru_cache
def cleaning_weights():
    weights = numpy.linspace(0.5, 1.0, 20000)
    clean_frame(weights, 10000 // world.size)
    return weights


def late_weights(_mended, _folder):
    frame = numpy.linspace(0.5, 1.0, 20000)
    for _ in range(150):
        frame *= cleaning_weights()
        world.allreduce(clean_frame(frame, 200 // world.size))


if __name__ == "__main__":
    CASES = {"patch_files": patch_files, "late_weights": late_weights}
    CASES[sys.argv[1]](sys.argv[2] == "mended", sys.argv[3] if len(sys.argv) > 3 else ".")
