"""Zoo: cars on the roads of a town, with mpi4py (../zoo.h, score.py): CASE planted|mended [FOLDER]

zoo: queue_time blocked rank 0 at ask_queue|queue_time rare_steps
After each 25 of 150 steps rank 0 asks the batch system by a command how long the job may still run,
and waits 150 ms for it: 0.9 s in six steps, while the others wait for it; the twin's knows it from
the job's settings.

zoo: early_network start-up rank 0 at parse_network
Rank 0 parses the roads, a line of text for each, before it initializes MPI, by the launcher's word,
0.9 s or so while the others wait for it in MPI_Init; the twin's has them as an array.

zoo: heartbeat healthy
A thread of each rank sleeps most of the time and writes 20 times a second into a file that the rank
is alive; nobody waits for it.
"""

import os
import subprocess
import sys
import threading

import mpi4py
import numpy

mpi4py.rc.initialize = False
from mpi4py import MPI  # noqa: E402

world = MPI.COMM_WORLD
ROADS = 1400000


def drive_cars(speeds, rounds):
    """In place: those of two lanes look at each other."""
    slow, fast = speeds.reshape(2, -1)
    gap = numpy.empty_like(slow)
    for _ in range(rounds):
        numpy.subtract(fast, slow, out=gap)
        gap *= 0.05
        slow += gap
        fast -= gap
        numpy.sqrt(speeds, out=speeds)
        numpy.maximum(speeds, 0.5, out=speeds)
    return float(speeds[0])


def ask_queue():
    """Stands for squeue."""
    subprocess.run(["sleep", "0.15"], check=True)
    return 3600.0


def queue_time(mended, _folder):
    speeds, left = numpy.linspace(1.0, 3.0, 20000), 3600.0
    for step in range(150):
        value = drive_cars(speeds, 200 // world.size)
        if step % 25 == 24 and world.rank == 0 and not mended:
            left = ask_queue()
        if world.allreduce(value if left > 60 else 0.0) == 0:
            break


def road_lines():
    for number in range(ROADS):
        yield f"{number} {number + 7} {number % 90}.5"


def parse_network():
    """Length of each road."""
    lengths = []
    for line in road_lines():
        begin, end, length = line.split()
        lengths.append(float(length) + 1e-9 * (int(end) - int(begin)))
    return numpy.array(lengths)


def early_network(_mended, _folder, lengths):
    world.Bcast(lengths)
    speeds = lengths[:20000] / 30 + 1
    for _ in range(150):
        world.allreduce(drive_cars(speeds, 200 // world.size))


def beat(path, ends):
    while not ends.wait(0.05):
        with open(path, "w", encoding="utf-8") as file:
            file.write("alive\n")


def heartbeat(_mended, folder):
    path, ends = os.path.join(folder, f"alive{world.rank}"), threading.Event()
    thread = threading.Thread(target=beat, args=(path, ends))
    thread.start()
    speeds = numpy.linspace(1.0, 3.0, 20000)
    for _ in range(300):
        world.allreduce(drive_cars(speeds, 200 // world.size))
    ends.set()
    thread.join()
    if os.path.exists(path):
        os.remove(path)


CASES = {"queue_time": queue_time, "early_network": early_network, "heartbeat": heartbeat}

if __name__ == "__main__":
    words = [sys.argv[2] == "mended", sys.argv[3] if len(sys.argv) > 3 else "."]
    if sys.argv[1] == "early_network":
        reads = os.environ.get("OMPI_COMM_WORLD_RANK", "0") == "0" and not words[0]
        words.append(parse_network() if reads else numpy.arange(ROADS) % 90 + 0.5)
    MPI.Init()
    CASES[sys.argv[1]](*words)
    MPI.Finalize()
