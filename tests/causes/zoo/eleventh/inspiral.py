"""Zoo: two stars that fall into each other make waves in space, and these are looked for, with
mpi4py (../zoo.h, score.py): CASE planted|mended [FOLDER]

zoo: share_triggers pickling rank any at share_triggers
Where a wave may have been is told to all ranks, 16000 of all ranks in each of 30 segments, as a
dictionary for each with numbers of numpy in it, and mpi4py pickles each of these by itself; the
twin sends one array of records.

zoo: polite_client blocked rank 0 at ask_calibration|polite_client
Rank 0 asks the archive how the detector was calibrated, in each of 80 segments, and so that this is
no burden for it, it sleeps 16 ms before each question, while the others wait for it; the twin asks
once for all segments.

zoo: small_dicts healthy
A dictionary with six numbers goes to all ranks after each segment, pickled; that takes less than a
hundredth of what the segment does.
"""

import sys
import time

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
TRIGGER = numpy.dtype([("time", "f8"), ("ratio", "f8"), ("template", "i4")])


def filter_segment(strain, rounds):
    """As if it were matched with templates. In place."""
    room = numpy.empty_like(strain)
    for _ in range(rounds):
        numpy.multiply(strain, 0.9, out=room)
        room += 0.2
        numpy.sqrt(room, out=strain)
    return float(strain[0])


def share_triggers(mine, mended):
    """-> the loudest of all ranks"""
    if not mended:
        return max(part[0]["ratio"] for part in world.allgather(mine))
    everyone = numpy.empty(size * len(mine), dtype=TRIGGER)
    world.Allgather([mine, MPI.BYTE], [everyone, MPI.BYTE])
    return everyone["ratio"][::len(mine)].max()


def run_triggers(mended, _folder):
    count = 16000 // size
    mine = numpy.zeros(count, dtype=TRIGGER)
    mine["time"] = numpy.arange(count)
    if not mended:
        mine = [{name: record[name] for name in TRIGGER.names} for record in mine]
    strain = numpy.linspace(0.5, 1.0, 20000)
    for _ in range(30):
        filter_segment(strain, 1500 // size)
        share_triggers(mine, mended)


def ask_calibration(segments):
    """Stands for a question to an archive that is far away."""
    time.sleep(0.016)
    return [1.0 + 1e-6 * segment for segment in segments]


def polite_client(mended, _folder):
    segments = range(80)
    strain, factors = numpy.linspace(0.5, 1.0, 20000), []
    if rank == 0 and mended:
        factors = ask_calibration(segments)
    for segment in segments:
        if rank == 0 and not mended:
            factors += ask_calibration([segment])
        factor = world.bcast(factors[segment] if rank == 0 else None)
        filter_segment(strain, int(1200 * factor) // size)
        world.barrier()


def small_dicts(_mended, _folder):
    strain = numpy.linspace(0.5, 1.0, 20000)
    for segment in range(120):
        value = filter_segment(strain, 1200 // size)
        found = {name: value for name in ("time", "ratio", "mass", "spin", "phase", "template")}
        found["segment"] = segment
        strain[0] = max(other["ratio"] for other in world.allgather(found))


if __name__ == "__main__":
    CASES = {"share_triggers": run_triggers, "polite_client": polite_client,
             "small_dicts": small_dicts}
    CASES[sys.argv[1]](sys.argv[2] == "mended", sys.argv[3] if len(sys.argv) > 3 else ".")
