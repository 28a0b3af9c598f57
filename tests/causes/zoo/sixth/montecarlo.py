"""Zoo: Monte Carlo with mpi4py (../zoo.h, score.py): CASE planted|mended [FOLDER]

zoo: all_samples bandwidth rank any at share_samples
Every rank gets the samples of every other, 50 times, and takes their mean: of two ranks each gets
800 MB (32 MB are shared in a step) and copies as many; the twin sums 8 bytes.

zoo: careful_log files rank 0 at write_log
Rank 0 opens the log, writes a line and waits for the disk (fsync) 16 times in each of 40 batches,
of 1 ms and more each, while the others wait; the twin writes 16 lines at once and leaves them to
the system.

zoo: small_notes healthy
Batches of a rank differ by up to a factor of three, and a small message tells rank 0 of each; but
none is awaited before the end, when all have had the same work.
"""

import os
import sys

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()


def draw(batches):
    """Each batch is some ms of random numbers and what they fall into."""
    random = numpy.random.default_rng(rank)
    inside = 0
    for _ in range(batches):
        points = random.random((2, 100000))
        inside += int((points[0] ** 2 + points[1] ** 2 < 1).sum())
    return inside


def share_samples(mine, everyone, mended):
    """The mean of all ranks' samples."""
    if mended:
        return world.allreduce(float(mine[0])) / size
    world.Allgather(mine, everyone)
    return float(everyone[:, 0].mean())


def all_samples(mended, _folder):
    count = 4000000 // size
    mine, everyone = numpy.full(count, float(rank)), numpy.zeros((size, count))
    for _ in range(50):
        draw(24 // size)
        share_samples(mine, everyone, mended)


def write_log(path, lines, mended):
    for line in ["".join(lines)] if mended else lines:
        with open(path, "a", encoding="utf-8") as file:
            file.write(line)
            file.flush()
            if not mended:
                os.fsync(file.fileno())


def careful_log(mended, folder):
    path = os.path.join(folder, "samples.log")
    for batch in range(40):
        total = world.allreduce(draw(24 // size))
        if rank == 0:
            write_log(path, [f"{batch} {part} {total}\n" for part in range(16)], mended)
        world.Barrier()
    if rank == 0:
        os.remove(path)


def small_notes(_mended, _folder):
    notes, batches = [], 120
    for batch in range(batches):
        inside = draw((1 + (batch + rank) % 3) * 12 // size)
        if rank > 0:
            notes.append(world.isend((batch, inside), dest=0, tag=batch))
    if rank == 0:
        for batch in range(batches):
            for other in range(1, size):
                world.recv(source=other, tag=batch)
    MPI.Request.waitall(notes)
    world.Barrier()


if __name__ == "__main__":
    CASES = {"all_samples": all_samples, "careful_log": careful_log, "small_notes": small_notes}
    CASES[sys.argv[1]](sys.argv[2] == "mended", sys.argv[3] if len(sys.argv) > 3 else ".")
