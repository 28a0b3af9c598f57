"""Zoo: a network is trained with mpi4py (../zoo.h, score.py): CASE planted|mended [FOLDER]

zoo: tracker blocked rank 0 at log_metrics|tracker
Rank 0 tells a tracker of experiments the loss of each of 45 steps and waits until it has answered,
20 ms and more, 0.9 s in all, while the others wait for rank 0; the twin does not wait for answers
before the end, and then they are there.

zoo: dense_gradients bandwidth rank any at sum_gradients
The gradient of a table of words, 32 MB, is summed over the ranks in each of 65 steps, though a rank
touched 1000 of its 250000 rows; the twin's ranks tell each other the rows that they touched.

zoo: model_parts in_turn rank any at forward_part|model_parts pipeline
Each rank has a part of the layers. A batch goes through them from rank to rank, and the next one
begins when the loss of this one is known, so one rank works at a time; the twin cuts the batch in
12 pieces that follow each other: with two ranks 13/24 of the time.

zoo: vocabulary start-up rank 0 at count_words
Rank 0, by the launcher's word, counts the words of all texts before MPI is initialized, 1 s, where
the others wait for it; the twin's ranks count 1/size of them each, after that.

zoo: buckets healthy
Gradients of 32 kB each are summed while those of the layer before are worked out, and are awaited
at the end of a step; all ranks have the same work.
"""

import os
import subprocess
import sys

import mpi4py
import numpy

mpi4py.rc.initialize = False
from mpi4py import MPI  # noqa: E402

world = MPI.COMM_WORLD
ANSWERS = "while read -r step loss; do sleep 0.02; echo $step; done"


def layer(values, weight):
    """Each neuron looks at itself and its neighbours."""
    near = weight * values
    near[1:] += 0.3 * values[:-1]
    near[:-1] += 0.3 * values[1:]
    return numpy.tanh(near)


def forward(batch, layers):
    """About 0.1 ms for a layer and 10000 values."""
    for number in range(layers):
        batch = layer(batch, 0.5 + 0.01 * (number % 7))
    return batch


def log_metrics(agent, step, loss, mended):
    agent.stdin.write(f"{step} {loss}\n")
    agent.stdin.flush()
    if not mended and int(agent.stdout.readline()) != step:
        world.Abort(1)


def tracker(mended, _folder):
    steps = 45
    agent = None
    if world.rank == 0:
        answers = "cat" if mended else ANSWERS
        agent = subprocess.Popen(["sh", "-c", answers], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, text=True)
    batch = numpy.linspace(0.0, 1.0, 10000)
    for step in range(steps):
        loss = world.allreduce(float(forward(batch, 250 // world.size)[0]))
        if agent:
            log_metrics(agent, step, loss, mended)
    if agent:
        agent.communicate()


def sum_gradients(gradient, total, rows, mended):
    """-> the rows of the total that may be other than 0; None: any"""
    if not mended:
        world.Allreduce(gradient, total)
        return None
    everywhere = numpy.empty(world.size * len(rows), dtype=rows.dtype)
    values = numpy.empty((len(everywhere), gradient.shape[1]), dtype=gradient.dtype)
    world.Allgather(rows, everywhere)
    world.Allgather(gradient[rows], values)
    total[everywhere] = 0
    for part in range(0, len(everywhere), len(rows)):
        total[everywhere[part:part + len(rows)]] += values[part:part + len(rows)]
    return everywhere


def dense_gradients(mended, _folder):
    words, touched = 250000, 1000
    gradient = numpy.zeros((words, 32), dtype=numpy.float32)
    total, loss = numpy.zeros_like(gradient), 0.0
    random = numpy.random.default_rng(world.rank)
    batch = numpy.linspace(0.0, 1.0, 10000)
    for _ in range(65):
        rows = random.choice(words, touched, replace=False, shuffle=False)
        gradient[rows] = forward(batch, 300 // world.size)[0]
        changed = sum_gradients(gradient, total, rows, mended)
        loss += float(total[0 if changed is None else changed[0], 0])
        gradient[rows] = 0


def forward_part(piece):
    """This rank's layers."""
    return forward(piece, 96 // world.size)


def model_parts(mended, _folder):
    pieces = 12 if mended else 1
    before, behind = world.rank - 1, world.rank + 1
    batch = numpy.linspace(0.0, 1.0, 120000)
    for _ in range(25):
        loss = 0.0
        for piece in numpy.split(batch, pieces):
            if before >= 0:
                piece = numpy.empty_like(piece)
                world.Recv(piece, source=before)
            piece = forward_part(piece)
            if behind < world.size:
                world.Send(piece, dest=behind)
            else:
                loss += float(piece.sum())
        world.bcast(loss, root=world.size - 1)


def count_words(texts):
    counts = {}
    for text in range(texts):
        for place in range(200):
            word = f"w{(text * 31 + place * place) % 5003}"
            counts[word] = counts.get(word, 0) + 1
    return counts


def vocabulary(mended, _folder):
    if mended:
        parts = world.gather(len(count_words(27000 // world.size)))
        world.bcast(parts)
    batch = numpy.linspace(0.0, 1.0, 10000)
    for _ in range(10):
        world.allreduce(float(forward(batch, 600 // world.size)[0]))


def buckets(_mended, _folder):
    batch = numpy.linspace(0.0, 1.0, 10000)
    gradients = numpy.zeros((8, 4096))
    sums = numpy.zeros_like(gradients)
    for _ in range(130):
        requests = []
        for number, gradient in enumerate(gradients):
            gradient[0] = forward(batch, 50 // world.size)[0]
            requests.append(world.Iallreduce(gradient, sums[number]))
        MPI.Request.Waitall(requests)


CASES = {"tracker": tracker, "dense_gradients": dense_gradients, "model_parts": model_parts,
         "vocabulary": vocabulary, "buckets": buckets}

if __name__ == "__main__":
    first = os.environ.get("OMPI_COMM_WORLD_RANK") == "0"
    if first and sys.argv[1:3] == ["vocabulary", "planted"]:
        count_words(27000)
    MPI.Init()
    CASES[sys.argv[1]](sys.argv[2] == "mended", sys.argv[3] if len(sys.argv) > 3 else ".")
    MPI.Finalize()
