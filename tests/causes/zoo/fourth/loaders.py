"""Zoo: training with mpi4py (score.py). The twins: batches are there, garbage is none, weights that
travel are few.

# zoo: batches blocked rank 0 at next_batch|batches
# zoo: garbage uneven rank last at collect_garbage|garbage
# zoo: weights bandwidth rank any at share_weights|weights
"""
import gc
import multiprocessing
import sys
import time

from mpi4py import MPI

STEPS, SAMPLES = 20, 900000


def forward(samples):
    loss = 0.0
    for _ in range(samples):
        loss = loss * 0.999 + 1.0
    return loss


def load(batches, pause_s):
    """A process that decodes pictures; its disk is slow."""
    for number in range(STEPS):
        time.sleep(pause_s)
        batches.put(number)


def next_batch(batches):
    return batches.get()


def batches(world, mended):
    queue = None
    if world.rank == 0:
        context = multiprocessing.get_context("fork")
        queue = context.Queue(1)
        loader = context.Process(target=load, args=(queue, 0.0 if mended else 0.09), daemon=True)
        loader.start()
    for _ in range(STEPS):
        forward(SAMPLES // world.size)
        if queue is not None:
            next_batch(queue)
        world.allreduce(1.0)
    if queue is not None:
        loader.join()


def collect_garbage(rounds):
    """The last rank has a graph of many small objects, which are looked through again and again."""
    for _ in range(rounds):
        gc.collect()


def garbage(world, mended):
    last = world.rank == world.size - 1 and not mended
    graph = [[number] for number in range(200000)] if last else []
    for _ in range(STEPS):
        forward(SAMPLES // world.size)
        collect_garbage(6 if last else 1)
        world.allreduce(float(len(graph)))


def share_weights(world, weights):
    world.Bcast(weights, root=0)


def weights(world, mended):
    data = bytearray(1 << 14 if mended else 40 << 20)
    for _ in range(STEPS):
        forward(SAMPLES // world.size)
        share_weights(world, data)
        world.allreduce(1.0)


def main(case, mended):
    gc.disable()
    gc.freeze()
    {"batches": batches, "garbage": garbage, "weights": weights}[case](MPI.COMM_WORLD, mended)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] == "mended")
