"""Zoo: how a disease spreads, with mpi4py (../zoo.h, score.py): CASE planted|mended [FOLDER]

zoo: travellers pickling rank any at exchange_travellers
Who travels goes to the other ranks as dictionaries, 100000 of all ranks in each of 24 days, which
mpi4py pickles; the twin sends the same numbers as one array to each.

zoo: one_at_a_time in_turn rank any at build_contacts|one_at_a_time
"Memory is short": ranks work out their contacts one after another, a barrier after each; the
twin's do so at once, in 1/size of the time: with two ranks about 0.5 s less of 1.6 s.

zoo: archive blocked rank 0 at ask_archive|archive
Rank 0 starts a command that waits 25 ms for the archive, on each of 40 days, 1 s in all, while the
others wait for it; the twin has what the archive would tell.

zoo: daily_files healthy
Each day every rank reads what it needs from files (0.5 MB and some lines of JSON) that were written
before, as programs do, and computes for more than twenty times as long.
"""

import json
import os
import subprocess
import sys

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()


def spread(people, rounds, susceptible):
    """Who is infected: each looks at those who live near."""
    state = numpy.linspace(0.0, 1.0, people)
    for _ in range(rounds):
        near = 0.25 * (numpy.roll(state, 1) + numpy.roll(state, -1)) + 0.5 * state
        state = near * (1.0 - 0.01 * susceptible)
    return float(state.sum())


def exchange_travellers(persons, ages, mended):
    """Each rank gets an equal part of each other's travellers. -> the sum of their ages"""
    if mended:
        arrived = numpy.empty((len(ages), 3))
        leave = numpy.stack([numpy.arange(len(ages), dtype=float), ages, ages * 0.5], axis=1)
        world.Alltoall(leave, arrived)
        return float(arrived[:, 1].sum())
    share = len(persons) // size
    leave = [persons[other * share:(other + 1) * share] for other in range(size)]
    return sum(person["age"] for group in world.alltoall(leave) for person in group)


def travellers(mended, _folder):
    count = 100000 // size // size * size
    ages = numpy.arange(count, dtype=float) % 90
    persons = [] if mended else [
        {"id": number, "age": float(age), "risk": 0.5 * float(age)}
        for number, age in enumerate(ages)]
    for _ in range(24):
        infected = spread(20000, 1500 // size, 0.3)
        old = exchange_travellers(persons, ages, mended)
        world.allreduce(infected + old)


def build_contacts(people, rounds):
    """Households, then who of them works together."""
    homes = numpy.random.default_rng(1).integers(0, people, people)
    for _ in range(rounds):
        order = numpy.argsort(homes, kind="stable")
        homes = (homes[order] * 1103515245 + order * 7919) % people
    return int(homes[0])


def one_at_a_time(mended, _folder):
    for _ in range(40):
        contacts = 0
        for turn in range(1 if mended else size):
            if mended or turn == rank:
                contacts = build_contacts(20000, 30 // size)
            world.Barrier()
        infected = spread(20000, 300 // size, 0.3)
        world.allreduce(infected + contacts)


def ask_archive(day):
    """-> the day's strain of the virus"""
    asked = subprocess.run(["sh", "-c", f"sleep 0.025; echo {day % 3}"], check=True,
                           stdout=subprocess.PIPE)
    return int(asked.stdout)


def archive(mended, _folder):
    for day in range(40):
        strain = 0
        if rank == 0:
            strain = day % 3 if mended else ask_archive(day)
        strain = world.bcast(strain, root=0)
        world.allreduce(spread(20000, 800 // size, 0.1 * strain))


def write_days(folder, days):
    for day in range(days):
        path = os.path.join(folder, f"day{day}-{rank}")
        numpy.save(path + ".npy", numpy.full(60000, 0.001 * day))
        with open(path + ".json", "w", encoding="utf-8") as file:
            json.dump({"day": day, "closed": [school for school in range(100) if school % 7 == 0]},
                      file)


def read_day(folder, day):
    path = os.path.join(folder, f"day{day}-{rank}")
    with open(path + ".json", encoding="utf-8") as file:
        notes = json.load(file)
    return numpy.load(path + ".npy"), len(notes["closed"])


def daily_files(_mended, folder):
    days = 40
    write_days(folder, days)
    for day in range(days):
        susceptible, closed = read_day(folder, day)
        infected = spread(20000, 1000 // size, float(susceptible[closed]))
        world.allreduce(infected)
    for day in range(days):
        for ending in (".npy", ".json"):
            os.remove(os.path.join(folder, f"day{day}-{rank}{ending}"))


if __name__ == "__main__":
    CASES = {"travellers": travellers, "one_at_a_time": one_at_a_time, "archive": archive,
             "daily_files": daily_files}
    CASES[sys.argv[1]](sys.argv[2] == "mended", sys.argv[3] if len(sys.argv) > 3 else ".")
