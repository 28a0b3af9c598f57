"""Zoo: a tree of species is sampled with mpi4py (../zoo.h, score.py): CASE planted|mended [FOLDER]

zoo: trees pickling rank any at share_trees
All ranks get the trees of all others, 160 of 127 nodes each in each of 20 generations, as objects
of a class, which mpi4py pickles: 20320 in a generation; the twin sends two arrays for each rank.

zoo: staggered start-up rank last at wait_for_turn
Ranks begin one after another, "so that not all read the alignment at once": the last one sleeps for
0.9 s before MPI is initialized, by the launcher's word, where the others wait for it; the twin's
begin at once.

zoo: bootstrap healthy
Each rank draws its sites anew in each of 60 steps, 96 to 100 of a hundred; settings go to all as a
dictionary, and the likelihoods come to rank 0 as numbers: short both.
"""

import os
import sys
import time

import mpi4py
import numpy

mpi4py.rc.initialize = False
from mpi4py import MPI  # noqa: E402

world = MPI.COMM_WORLD
DEPTH = 7


class Node:
    """One species, or an ancestor."""

    def __init__(self, length, below):
        self.length = length
        self.below = below


def grow_tree(depth, length):
    below = [grow_tree(depth - 1, 0.5 * length + side) for side in (0, 1)] if depth > 1 else []
    return Node(length, below)


def likelihood(sites, rounds):
    """Of the letters at these sites, from the leaves to the root."""
    change = numpy.array([[0.7, 0.1, 0.1, 0.1], [0.1, 0.7, 0.1, 0.1],
                          [0.1, 0.1, 0.7, 0.1], [0.1, 0.1, 0.1, 0.7]])
    parts = numpy.ones((sites, 4))
    for number in range(rounds):
        parts[:, number % 4] += 0.1
        parts = parts @ change
        parts *= 1 / parts.sum(axis=1)[:, None]
    return float(numpy.log(parts[:, 0]).sum())


def share_trees(mine, mended):
    """The sum of all lengths of the first trees."""
    if not mended:
        return sum(trees[0].length for trees in world.allgather(mine))
    parents, lengths = mine
    everywhere = numpy.empty((world.size, *parents.shape), dtype=parents.dtype)
    all_lengths = numpy.empty((world.size, *lengths.shape))
    world.Allgather(parents, everywhere)
    world.Allgather(lengths, all_lengths)
    return float(all_lengths[:, 0, 0].sum())


def trees(mended, _folder):
    count, nodes = 160 // world.size, (1 << DEPTH) - 1
    if mended:
        parents = numpy.tile((numpy.arange(nodes) - 1) // 2, (count, 1))
        mine = (parents, numpy.ones((count, nodes)))
    else:
        mine = [grow_tree(DEPTH, float(number)) for number in range(count)]
    for _ in range(20):
        value = likelihood(5000, 400 // world.size)
        if mended:
            mine[1][0, 0] = value
        else:
            mine[0].length = value
        share_trees(mine, mended)


def wait_for_turn(number, count):
    time.sleep(0.9 * number / max(1, count - 1))


def staggered(_mended, _folder):
    for _ in range(20):
        world.allreduce(likelihood(5000, 300 // world.size))


def bootstrap(_mended, _folder):
    random = numpy.random.default_rng(7 + world.rank)
    settings = {"model": "F81", "sites": 5000, "gamma": 0.5}
    for _ in range(60):
        settings = world.bcast(settings)
        sites = settings["sites"] * random.integers(9600, 10001) // 10000
        values = world.gather(likelihood(sites, 240 // world.size))
        settings["gamma"] = 0.5 if values is None else 1 / (1 + sum(values) ** 2)


CASES = {"trees": trees, "staggered": staggered, "bootstrap": bootstrap}

if __name__ == "__main__":
    if sys.argv[1:3] == ["staggered", "planted"]:
        wait_for_turn(int(os.environ.get("OMPI_COMM_WORLD_RANK", "0")),
                      int(os.environ.get("OMPI_COMM_WORLD_SIZE", "1")))
    MPI.Init()
    CASES[sys.argv[1]](sys.argv[2] == "mended", sys.argv[3] if len(sys.argv) > 3 else ".")
    MPI.Finalize()
