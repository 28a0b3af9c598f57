"""What is in the invented run of cg_run.cc, by arithmetic from its constants: calls, bytes,
messages and seconds for a number of ranks. mprof has no part in it.

Used by run_threads.py.
"""
import collections
import math

ITERATIONS, GATHERS, TRANSPOSES, CHECKPOINTS = 200, 50, 20, 4
KIB, MIB = 1 << 10, 1 << 20
# In the journals of a rank: a broadcast, reductions, check points, gathers.
COLLECTIVES = 1 + 2 * ITERATIONS + CHECKPOINTS + 1 + GATHERS
RANKS_OF_NODE = 128  # from 2,048 ranks
READ_S = 20e-9  # of the clock, which is no part of a call's time
OWN_S = 8e-3  # of each rank

REDUCE_S = 25e-6  # what a dot product takes when nobody is late
ITERATION_S = 120e-3 * 1.46 * 1.02 + REDUCE_S  # computing and the dot product, on every rank
# Seconds of everything else but messages: start-up, Waitall, the other reduction, the gather, check
# points, the last reduction, the end.
OTHER_S = (0.9 + 3e-3 + 2e-3 + ITERATIONS * (220e-6 + 40e-6) + GATHERS * 90e-6
           + CHECKPOINTS * (300e-6 + 0.18) + 100e-6 + 0.04)
MASK = (1 << 64) - 1


def noise(a, b):
    """As cg_run.cc has it."""
    x = ((a + 1) * 0x9e3779b97f4a7c15 ^ (b + 1) * 0xd6e8feb86659fd93) & MASK
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 & MASK
    x = (x ^ x >> 27) * 0x94d049bb133111eb & MASK
    return ((x ^ x >> 31) >> 11) * 2.0 ** -53


class CgTruth:
    """A run of many ranks."""

    def __init__(self, ranks):
        self.ranks = ranks
        self.row = max(n for n in range(1, math.isqrt(ranks) + 1) if ranks % n == 0)
        self._sums = [int(noise(ranks, i) * ranks) for i in range(3)]
        self._halos = [self._halo(rank) for rank in range(ranks)]
        self._transposes = [self._transpose(rank) for rank in range(ranks)]

    def _halo(self, rank):
        """(partner, bytes) of the neighbours in the grid."""
        row, rows = self.row, self.ranks // self.row
        y, x = divmod(rank, row)
        around = [(y * row + (x + 1) % row, 64 * KIB), (y * row + (x - 1) % row, 64 * KIB),
                  ((y + 1) % rows * row + x, 48 * KIB), ((y - 1) % rows * row + x, 48 * KIB)]
        return [(other, size) for other, size in around if other != rank]

    def _transpose(self, rank):
        """(partner, bytes) of the partners at random."""
        others = [((total - rank) % self.ranks, i) for i, total in enumerate(self._sums)]
        return [(other, 1 << (9 + 4 * i + min(rank, other) % 3))
                for other, i in others if other != rank]

    def functions(self):
        """{function: (calls, bytes)}"""
        ranks = self.ranks
        halos = [size for halo in self._halos for _, size in halo]
        swaps = [size for swaps in self._transposes for _, size in swaps]
        halo = ITERATIONS * len(halos), ITERATIONS * sum(halos)
        swap = TRANSPOSES * len(swaps), TRANSPOSES * sum(swaps)
        return {"MPI_Init": (ranks, 0), "MPI_Comm_split": (ranks, 0), "MPI_Finalize": (ranks, 0),
                "MPI_Bcast": (ranks, ranks * MIB), "MPI_Reduce": (ranks, ranks * 64),
                "MPI_Irecv": halo, "MPI_Isend": halo, "MPI_Send": swap, "MPI_Recv": swap,
                "MPI_Waitall": (ITERATIONS * ranks, 0),
                "MPI_Allreduce": (2 * ITERATIONS * ranks, 2 * ITERATIONS * ranks * 8),
                "MPI_Allgather": (GATHERS * ranks, GATHERS * ranks * 4 * KIB),
                "MPI_Barrier": (CHECKPOINTS * ranks, 0),
                "MPI_File_write_at_all": (CHECKPOINTS * ranks, CHECKPOINTS * ranks * 8 * MIB)}

    def calls_of(self, rank):
        """All MPI calls of a rank."""
        return (5 + 3 * ITERATIONS + GATHERS + 2 * CHECKPOINTS
                + 2 * ITERATIONS * len(self._halos[rank])
                + 2 * TRANSPOSES * len(self._transposes[rank]))

    def sent_bytes_of(self, rank):
        return (ITERATIONS * sum(size for _, size in self._halos[rank])
                + TRANSPOSES * sum(size for _, size in self._transposes[rank]))

    def wallclock_s_of(self, rank):
        """Posting a receive and a send takes 6 us. A message of the transpose takes 20 us and 1/8
        ns per byte to send, and half as long again to receive."""
        swaps_s = sum(20e-6 + size / 8e9 for _, size in self._transposes[rank])
        return (ITERATIONS * (ITERATION_S + 6e-6 * len(self._halos[rank])) + OTHER_S
                + TRANSPOSES * 2.5 * swaps_s)

    def compute_s_of_slowest(self, rank):
        """The rank that everyone waits for, in each iteration."""
        return ITERATIONS * (ITERATION_S - REDUCE_S) - OWN_S + READ_S * self.calls_of(rank)

    def messages(self):
        """{(source, destination): (messages, bytes)}"""
        sums = collections.defaultdict(lambda: (0, 0))
        for times, partners in ((ITERATIONS, self._halos), (TRANSPOSES, self._transposes)):
            for rank, pairs in enumerate(partners):
                for other, size in pairs:
                    count, total = sums[rank, other]
                    sums[rank, other] = count + times, total + times * size
        return dict(sums)

    def nodes(self):
        """{host: number of ranks}"""
        return {f"node{first // RANKS_OF_NODE:04}": min(RANKS_OF_NODE, self.ranks - first)
                for first in range(0, self.ranks, RANKS_OF_NODE)}
