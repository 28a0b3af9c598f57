"""Zoo: old timber is dated by its rings, with mpi4py (../zoo.h, score.py): CASE planted|mended

zoo: ring_objects pickling rank any at pass_rings
Each rank passes 16000/size rings of its timbers on to the next rank in each of 40 steps, each as an
object with its year and its width, which are pickled and made anew there; the twin passes an array
of the same numbers on.
"""

import dataclasses
import sys

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
RINGS = 16000


@dataclasses.dataclass
class Ring:
    year: int
    width: float


def match_widths(known, shown, offsets):
    """How well the one fits to the other, at its best. -> that"""
    best = 0.0
    for offset in range(offsets):
        part = known[offset % 100:offset % 100 + len(shown)]
        best = max(best, float(numpy.abs(numpy.sqrt(part) - shown).mean()))
    return best


def pass_rings(rings):
    """To the next rank. -> those of the rank before"""
    behind, before = (world.rank + 1) % world.size, (world.rank - 1) % world.size
    if isinstance(rings, list):
        return world.sendrecv(rings, behind, source=before)
    come = numpy.empty_like(rings)
    world.Sendrecv(rings, behind, recvbuf=come, source=before)
    return come


def ring_objects(mended):
    of_rank = RINGS // world.size
    known, shown = numpy.linspace(0.5, 1.0, 20100), numpy.linspace(0.4, 0.9, 20000)
    rings = [Ring(1200 + number, 0.5) for number in range(of_rank)]
    if mended:
        rings = numpy.array([(ring.year, ring.width) for ring in rings])
    for _ in range(40):
        value = match_widths(known, shown, 700 // world.size)
        rings = pass_rings(rings)
        width = rings[0][1] if mended else rings[0].width
        world.allreduce(value * float(width))


if __name__ == "__main__":
    CASES = {"ring_objects": ring_objects}
    CASES[sys.argv[1]](sys.argv[2] == "mended")
