"""Zoo: which protein has this spectrum, with mpi4py (../zoo.h, score.py): CASE planted|mended
[FOLDER]

zoo: candidates pickling rank any at swap_candidates
Ranks send each other the peptides that may belong to the other's spectra, 60000 of all ranks in
each of 40 rounds, as tuples in lists, which mpi4py pickles; the twin sends arrays of records.

zoo: small_digests threads rank 0 at digest_peaks threads
Threads of Python take digests of spectra, to find those that were measured twice, in pieces of 2000
bytes: for less than 2048 hashlib keeps the interpreter's lock, so one thread works at a time. The
twin gives it pieces of 64 KiB, and the threads work side by side.
"""

import concurrent.futures
import hashlib
import os
import sys

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
RECORD = numpy.dtype([("peptide", "S16"), ("mass", "f8"), ("score", "f8")])


def score_spectra(peaks, rounds):
    """How well they fit to those that were computed. In place."""
    room = numpy.empty_like(peaks)
    for _ in range(rounds):
        numpy.multiply(peaks, 0.9, out=room)
        room += 0.1
        numpy.sqrt(room, out=peaks)
    return float(peaks[0])


def swap_candidates(mine, mended):
    """mine: so many for each rank. -> the mass of the first that came from each"""
    if not mended:
        return sum(group[0][1] for group in world.alltoall(mine))
    come = numpy.empty_like(mine)
    world.Alltoall([mine, mine.nbytes // size, MPI.BYTE], [come, come.nbytes // size, MPI.BYTE])
    return float(come["mass"][::len(come) // size].sum())


def candidates(mended, _folder):
    count = 60000 // size // size
    mine = [[(f"PEPTIDE{number:06}", 500.0 + number, 0.5) for number in range(count)]
            for _ in range(size)]
    if mended:
        mine = numpy.array([row for group in mine for row in group], dtype=RECORD)
    peaks = numpy.linspace(0.5, 1.0, 20000)
    for _ in range(40):
        value = score_spectra(peaks, 1000 // size)
        world.allreduce(value + swap_candidates(mine, mended))


def digest_peaks(peaks, piece):
    digest = hashlib.sha256()
    for begin in range(0, len(peaks), piece):
        digest.update(peaks[begin:begin + piece])
    return digest.digest()


def small_digests(mended, _folder):
    spectra = [memoryview(bytes([number]) * (8 << 20)) for number in range(8)]
    piece = 1 << 16 if mended else 2000
    threads = int(os.environ.get("OMP_NUM_THREADS", "2"))
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        for _ in range(30):
            digests = pool.map(digest_peaks, spectra, [piece] * len(spectra))
            world.allreduce(len(set(digests)))


if __name__ == "__main__":
    CASES = {"candidates": candidates, "small_digests": small_digests}
    CASES[sys.argv[1]](sys.argv[2] == "mended", sys.argv[3] if len(sys.argv) > 3 else ".")
