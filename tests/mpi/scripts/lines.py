"""Calls MPI on many lines. Comments say how often: "@MPI_X N F" = each rank makes N calls of MPI_X
on this line, in function F; "xK" behind it = at K places in the line or by K paths."""
import sys
import threading

from mpi4py import MPI  # @MPI_Init_thread 1 <module>

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()  # @MPI_Comm_rank 1 <module> @MPI_Comm_size 1 <module>
after, before = (rank + 1) % size, (rank - 1) % size


def exchange(times):
    data, other = bytearray(8), bytearray(8)
    for _ in range(times):
        comm.Send(data, dest=after)  # @MPI_Send 30 exchange x2
        comm.Recv(other, source=before)  # @MPI_Recv 30 exchange x2


class Grid:
    """A method, with two calls in one line."""

    def step(self):
        comm.Barrier(); comm.Barrier()  # @MPI_Barrier 10 Grid.step|step x2


def recursive(depth):
    if depth == 0:
        comm.Barrier()  # @MPI_Barrier 3 recursive x3
        return
    recursive(depth - 1)


def generated(times):
    for number in range(times):
        comm.Barrier()  # @MPI_Barrier 7 generated x1
        yield number


def objects():
    comm.send({"a": [rank, "text"]}, dest=after)  # @MPI_Send 1 objects x1
    got = comm.recv(source=before)  # @MPI_Mprobe 1 objects x1 @MPI_Mrecv 1 objects x1
    assert got == {"a": [before, "text"]}
    return [comm.Barrier()  # @MPI_Barrier 4 objects|<listcomp>|objects.<locals>.<listcomp> x1
            for _ in range(4)]


def made_and_gone(times):
    """Functions whose code objects come to lie where others were."""
    for number in range(times):
        lines = "\n" * (number % 5)
        space = {"comm": comm}
        exec(f"{lines}def made_{number % 2}():\n    comm.Barrier()\n", space)
        space[f"made_{number % 2}"]()
        del space


def main():  # a function of this name ends no path
    exchange(10)
    exchange(20)
    grid = Grid()
    for _ in range(5):
        grid.step()
    for depth in (1, 2, 3):
        recursive(depth)
    assert sum(generated(7)) == 21
    objects()
    times = range(6)
    list(map(lambda _: comm.Barrier(), times))  # @MPI_Barrier 6 main.<locals>.<lambda>|<lambda> x1
    made_and_gone(200)


def in_thread(mine, times):
    for _ in range(times):
        mine.Barrier()  # @MPI_Barrier 45 in_thread x2


def in_threads():
    """Each with a communicator of its own, from two lines."""
    if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
        raise SystemExit("no MPI_THREAD_MULTIPLE")
    mine, other = comm.Dup(), comm.Dup()
    thread = threading.Thread(target=in_thread, args=(mine, 20))
    thread.start()
    in_thread(other, 25)
    thread.join()


main()
in_threads()
print(f"rank {rank} of {size} is done")
sys.stdout.flush()
if "fail" in sys.argv:
    comm.Barrier()
    sys.exit(3)
