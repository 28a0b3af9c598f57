"""Zoo: what shares may be worth in a year, with mpi4py (../zoo.h, score.py): CASE planted|mended
[FOLDER]

zoo: counted_header files rank any at append_trade
Each rank appends 24 bytes for each of its trades to its file by MPI-IO and then writes into the
file's header how many there are, 320000 times in all; the twin writes the trades of a day at once,
and the header behind them.

zoo: all_days bandwidth rank any at pass_paths
Each rank passes its paths of prices to the next one, 500 days of 40000 paths of all ranks in each
of 80 rounds, 160 MB, though that looks at the last day only; the twin passes the last day.
"""

import os
import sys

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
DAYS = 500


def walk_prices(prices, rounds):
    """In place."""
    room = numpy.empty_like(prices)
    for _ in range(rounds):
        numpy.multiply(prices, 0.99, out=room)
        room += 0.02
        numpy.sqrt(room, out=prices)
    return float(prices[0])


def append_trade(file, number, trade, count):
    """The header is the first 8 bytes."""
    file.Write_at(8 + 24 * number, trade)
    count[0] = number + 1
    file.Write_at(0, count)


def append_trades(file, first, trades, count):
    file.Write_at(8 + 24 * first, trades)
    count[0] = first + len(trades)
    file.Write_at(0, count)


def counted_header(mended, folder):
    of_day = 8000 // size
    file = MPI.File.Open(MPI.COMM_SELF, os.path.join(folder, f"trades{rank}"),
                         MPI.MODE_CREATE | MPI.MODE_WRONLY | MPI.MODE_DELETE_ON_CLOSE)
    prices, trades = numpy.linspace(0.5, 1.0, 20000), numpy.ones((of_day, 3))
    count = numpy.zeros(1, dtype="i8")
    for day in range(40):
        value = walk_prices(prices, 900 // size)
        if mended:
            append_trades(file, day * of_day, trades, count)
        else:
            for number in range(of_day):
                append_trade(file, day * of_day + number, trades[number], count)
        world.allreduce(value)
    file.Close()


def pass_paths(paths, come):
    """To the next rank, from the one before."""
    world.Sendrecv(paths, (rank + 1) % size, 1, come, (rank - 1) % size, 1)


def all_days(mended, _folder):
    paths = numpy.ones((DAYS, 40000 // size))
    sent = paths[-1:] if mended else paths
    come = numpy.empty_like(sent)
    for _ in range(80):
        value = walk_prices(paths[-1], 300)
        pass_paths(sent, come)
        world.allreduce(value + float(come[-1].mean()))


if __name__ == "__main__":
    CASES = {"counted_header": counted_header, "all_days": all_days}
    CASES[sys.argv[1]](sys.argv[2] == "mended", sys.argv[3] if len(sys.argv) > 3 else ".")
