"""The program of calls.c in Python, with mpi4py. It writes the truth and the results of each rank
in $TRUTH_DIR, as truth.h and calls.h do.

mpi4py makes MPI calls of its own: at import, at the end, and to look at handles and datatypes
before a call. Both this program and mpi4py call the functions in BYTES_ONLY. These are compared by
bytes alone. All others that are named here are compared by calls, too. Where MPI has large counts,
mpi4py calls MPI_Send_c for MPI_Send and so on. The two count as one.

    calls.py          the test
    calls.py child    what the test spawns, if $TEST_SPAWN is 1
"""

import array
import collections
import json
import os
import sys

import mpi4py

mpi4py.rc.recv_mprobe = True  # recv() is MPI_Mprobe and MPI_Mrecv in all versions
from mpi4py import MPI  # noqa: E402  calls MPI_Init_thread

BYTES_ONLY = ["MPI_Comm_rank", "MPI_Comm_size", "MPI_Type_size", "MPI_Get_count",
              "MPI_Initialized", "MPI_Finalized", "MPI_Get_version",
              "MPI_Comm_get_attr", "MPI_Comm_create_keyval",
              "MPI_Comm_free_keyval", "MPI_Comm_set_errhandler",
              "MPI_Comm_set_attr", "MPI_Error_class", "MPI_Type_get_extent", "MPI_Comm_delete_attr"]
TAG = 7
INT, DOUBLE = 4, 8  # bytes

truth = collections.defaultdict(collections.Counter)
notes = []


def expect(function, calls=1, bytes_=0, received=0):
    truth[function].update(calls=calls, bytes=bytes_, received_bytes=received)


def note(what, *values):
    notes.append(f"{what} {' '.join(repr(value) for value in values)}")


def ints(*values):
    return array.array("i", values)


def doubles(*values):
    return array.array("d", values)


def test_point_to_point(comm, me, other):
    values, got = ints(*range(100 * me, 100 * me + 10)), ints(*[0] * 10)
    status = MPI.Status()
    if me == 0:
        comm.Send([values, 5, MPI.INT], other, TAG)
        expect("MPI_Send", 1, 5 * INT)
        comm.Ssend([values, 6, MPI.INT], other, TAG)
        expect("MPI_Ssend", 1, 6 * INT)
    else:
        comm.Recv([got, 10, MPI.INT], MPI.ANY_SOURCE, MPI.ANY_TAG, status)
        expect("MPI_Recv", 1, 5 * INT)
        note("received", status.Get_source(), status.Get_tag(), status.Get_count(MPI.INT))
        comm.Probe(MPI.ANY_SOURCE, TAG, status)
        expect("MPI_Probe")
        comm.Recv([got, 10, MPI.INT], other, TAG)
        expect("MPI_Recv", 1, 6 * INT)
    comm.Sendrecv([values, 1 + me, MPI.INT], other, TAG, [got, 10, MPI.INT], other, TAG)
    expect("MPI_Sendrecv", 1, (1 + me) * INT, (1 + other) * INT)
    comm.Send([values, 3, MPI.INT], MPI.PROC_NULL, TAG)
    expect("MPI_Send", 1, 0)
    note("exchanged", *got)

    requests = [comm.Irecv([got, 4, MPI.INT], other, TAG),
                comm.Isend([values, 3, MPI.INT], other, TAG)]
    expect("MPI_Irecv", 1, 3 * INT)
    expect("MPI_Isend", 1, 3 * INT)
    MPI.Request.Waitall(requests)
    expect("MPI_Waitall")
    requests = [comm.Recv_init([got, 4, MPI.INT], other, TAG),
                comm.Send_init([values, 4, MPI.INT], other, TAG)]
    expect("MPI_Recv_init", 1, 2 * 4 * INT)
    expect("MPI_Send_init", 1, 2 * 4 * INT)
    MPI.Prequest.Startall(requests)
    expect("MPI_Startall")
    MPI.Request.Waitall(requests)
    expect("MPI_Waitall")
    for request in requests:
        request.Start()
    for request in requests:
        request.Wait()
    for request in requests:
        request.Free()
    expect("MPI_Start", 2)
    expect("MPI_Wait", 2)
    expect("MPI_Request_free", 2)
    note("nonblocking", *got)


def test_objects(comm, me, other):
    """The methods in lower case send pickled objects."""
    thing = {"rank": 7, "list": list(range(100)), "text": "x" * 50}  # as long on both ranks
    length = len(MPI.pickle.dumps(thing))
    if me == 0:
        comm.send(thing, other, TAG)
        expect("MPI_Send", 1, length)
    else:
        note("object", comm.recv(source=other, tag=TAG))
        expect("MPI_Mprobe")
        expect("MPI_Mrecv", 1, length)


def combine(left, right, _):
    """A user operation that is not commutative; the call of MPI in it is not counted."""
    MPI.DOUBLE.Get_size()
    one, two = memoryview(left).cast("B").cast("d"), memoryview(right).cast("B").cast("d")
    for i, value in enumerate(one):
        two[i] = 2 * value + two[i]


def test_collectives(comm, me):
    values, everything = ints(me, 2, 3, 4), ints(*[0] * 8)
    comm.Barrier()
    expect("MPI_Barrier")
    comm.Bcast([values, 4, MPI.INT], 0)
    expect("MPI_Bcast", 1, 4 * INT)
    values[0] = me + 5
    comm.Gather([values, 2, MPI.INT], [everything, 2, MPI.INT] if me == 1 else None, 1)
    expect("MPI_Gather", 1, 2 * INT)
    comm.Allgather([values, 3, MPI.INT], [everything, 3, MPI.INT])
    expect("MPI_Allgather", 1, 3 * INT)
    note("allgather", *everything)
    comm.Scatter([everything, 2, MPI.INT] if me == 0 else None, [values, 2, MPI.INT], 0)
    expect("MPI_Scatter", 1, 2 * 2 * INT if me == 0 else 0)
    comm.Alltoall([everything, 1, MPI.INT], [values, 1, MPI.INT])
    expect("MPI_Alltoall", 1, 2 * INT)
    note("alltoall", *values)
    comm.Alltoallv([everything, ([1 + me, 3 - me], [0, 4]), MPI.INT],
                   [ints(*[0] * 8), ([1 if me == 0 else 3, 2], [0, 4]), MPI.INT])
    expect("MPI_Alltoallv", 1, 4 * INT)

    numbers, sums = doubles(0.1 * (me + 1), 1e10 + me, -1 / (me + 3)), doubles(0, 0, 0)
    comm.Allreduce([numbers, 3, MPI.DOUBLE], [sums, 3, MPI.DOUBLE], MPI.SUM)
    expect("MPI_Allreduce", 1, 3 * DOUBLE)
    note("allreduce", *sums)
    sums, sums_of_one = numbers[:], doubles(0)
    comm.Allreduce(MPI.IN_PLACE, [sums, 3, MPI.DOUBLE], MPI.SUM)
    expect("MPI_Allreduce", 1, 3 * DOUBLE)
    note("allreduce in place", *sums)
    comm.Reduce([numbers, 2, MPI.DOUBLE], [sums, 2, MPI.DOUBLE] if me == 1 else None, MPI.MAX, 1)
    expect("MPI_Reduce", 1, 2 * DOUBLE)
    comm.Scan([numbers, 3, MPI.DOUBLE], [sums, 3, MPI.DOUBLE])
    expect("MPI_Scan", 1, 3 * DOUBLE)
    note("scan", *sums)
    comm.Exscan([numbers, 1, MPI.DOUBLE], [sums, 1, MPI.DOUBLE])
    expect("MPI_Exscan", 1, DOUBLE)
    comm.Reduce_scatter_block([numbers[:2], MPI.DOUBLE], [sums_of_one, MPI.DOUBLE])
    expect("MPI_Reduce_scatter_block", 1, 2 * DOUBLE)
    note("reduce_scatter_block", *sums_of_one)
    operation = MPI.Op.Create(combine, commute=False)
    expect("MPI_Op_create")
    comm.Allreduce([numbers, 3, MPI.DOUBLE], [sums, 3, MPI.DOUBLE], operation)
    expect("MPI_Allreduce", 1, 3 * DOUBLE)
    note("user operation", *sums)
    operation.Free()
    expect("MPI_Op_free")
    request = comm.Iallreduce([numbers, 2, MPI.DOUBLE], [sums, 2, MPI.DOUBLE])
    expect("MPI_Iallreduce", 1, 2 * DOUBLE)
    request.Wait()
    expect("MPI_Wait")
    note("iallreduce", *sums)


def test_communicators(comm, me):
    got = ints(-1, -1)
    split = comm.Split(0, 1 - me)
    expect("MPI_Comm_split")
    note("rank in split", split.Get_rank())
    copy = split.Dup()
    expect("MPI_Comm_dup")
    copy.Set_name("a copy")
    expect("MPI_Comm_set_name")
    note("congruent", MPI.Comm.Compare(split, copy) == MPI.CONGRUENT)
    expect("MPI_Comm_compare")
    copy.Free()
    split.Free()
    cart = comm.Create_cart([2], [True], False)
    expect("MPI_Cart_create")
    note("shift", *cart.Shift(0, 1))
    expect("MPI_Cart_shift")
    cart.Neighbor_allgather([ints(me), 1, MPI.INT], [got, 1, MPI.INT])
    expect("MPI_Neighbor_allgather", 1, 2 * INT)
    note("neighbours", *got)
    cart.Free()
    expect("MPI_Comm_free", 3)


def test_datatypes(comm, me):
    values, packed = ints(*range(100 * me, 100 * me + 12)), bytearray(64)
    spread = MPI.INT.Create_vector(2, 2, 4)
    expect("MPI_Type_vector")
    spread.Commit()
    expect("MPI_Type_commit")
    note("size", spread.Get_size(), *spread.Get_extent())
    comm.Bcast([values, 1, spread], 1)
    expect("MPI_Bcast", 1, 4 * INT)
    note("spread", *values)
    position = MPI.INT.Pack(values[:3], packed, 0, comm)
    expect("MPI_Pack")
    three = ints(0, 0, 0)
    MPI.INT.Unpack(packed, 0, three, comm)
    expect("MPI_Unpack")
    note("packed", position, *three)
    spread.Free()
    expect("MPI_Type_free")


def test_window(comm, me, other):
    memory = ints(*range(1000 * me, 1000 * me + 16))
    values, got = ints(me + 1, me + 2, me + 3), ints(0, 0, 0, 0)
    window = MPI.Win.Create(memory, INT, MPI.INFO_NULL, comm)
    expect("MPI_Win_create")
    window.Fence()
    window.Put([values, 3, MPI.INT], other, [0, 3, MPI.INT])
    expect("MPI_Put", 1, 3 * INT)
    window.Accumulate([values, 2, MPI.INT], other, [8, 2, MPI.INT], MPI.SUM)
    expect("MPI_Accumulate", 1, 2 * INT)
    window.Fence()
    window.Get([got, 4, MPI.INT], other, [0, 4, MPI.INT])
    expect("MPI_Get", 1, 4 * INT)
    window.Fence()
    expect("MPI_Win_fence", 3)
    note("window", *memory)
    note("got", *got)
    comm.Barrier()  # before the other rank changes what was noted
    window.Lock(other, MPI.LOCK_EXCLUSIVE)
    expect("MPI_Win_lock")
    window.Fetch_and_op([values, 1, MPI.INT], [got, 1, MPI.INT], other, 8, MPI.SUM)
    expect("MPI_Fetch_and_op", 1, INT)
    window.Unlock(other)
    expect("MPI_Win_unlock")
    note("fetched", got[0])
    comm.Barrier()
    expect("MPI_Barrier", 2)
    window.Free()
    expect("MPI_Win_free")


def test_file(comm, me):
    path = os.path.join(os.environ["TRUTH_DIR"], "data")
    info = MPI.Info.Create()
    expect("MPI_Info_create")
    info.Set("cb_nodes", "1")
    expect("MPI_Info_set")
    file = MPI.File.Open(comm, path, MPI.MODE_CREATE | MPI.MODE_RDWR, info)
    expect("MPI_File_open")
    info.Free()
    expect("MPI_Info_free")
    file.Write_at(8 * me, [b"the zero" if me == 0 else b"the one.", 8, MPI.BYTE])
    expect("MPI_File_write_at", 1, 8)
    comm.Barrier()
    expect("MPI_Barrier")
    note("size of file", file.Get_size())
    expect("MPI_File_get_size")
    data = bytearray(16)
    file.Read_at_all(0, [data, 16, MPI.BYTE])
    expect("MPI_File_read_at_all", 1, 16)
    note("data", bytes(data))
    file.Close()
    expect("MPI_File_close")
    if me == 0:
        MPI.File.Delete(path)
        expect("MPI_File_delete")


def test_attributes_and_errors(comm):
    deleted = []

    def delete(_comm, _key, value):
        comm.Get_rank()  # not counted
        deleted.append(value)

    key = MPI.Comm.Create_keyval(lambda _comm, _key, value: value + 1, delete)
    comm.Set_attr(key, 4711)
    copy = comm.Dup()
    expect("MPI_Comm_dup")
    note("attribute", copy.Get_attr(key))
    comm.Delete_attr(key)
    note("tag", comm.Get_attr(MPI.TAG_UB) > 30000)
    copy.Set_errhandler(MPI.ERRORS_RETURN)
    if os.environ.get("TEST_ERRORS") == "1":
        try:
            copy.Send([ints(1), 1, MPI.INT], 18, TAG)
        except MPI.Exception as error:
            note("error", error.Get_error_class() == MPI.ERR_RANK)
        expect("MPI_Send", 1, 0)
    copy.Free()
    expect("MPI_Comm_free")
    note("deleted", *deleted)
    MPI.Comm.Free_keyval(key)


def test_spawn(comm, me):
    """A child of both ranks, which is not under mprof, gets a message from rank 0 and answers."""
    children = comm.Spawn(sys.executable, [os.path.abspath(__file__), "child"], 1)
    expect("MPI_Comm_spawn")
    answer = doubles(0, 0)
    if me == 0:
        children.Send([doubles(1, 2, 3), 3, MPI.DOUBLE], 0, TAG)
        expect("MPI_Send", 1, 3 * DOUBLE)
        children.Recv([answer, 2, MPI.DOUBLE], 0, TAG)
        expect("MPI_Recv", 1, 2 * DOUBLE)
    note("answer", *answer)
    children.Disconnect()
    expect("MPI_Comm_disconnect")


def child():
    parent = MPI.Comm.Get_parent()
    values = doubles(0, 0, 0)
    parent.Recv([values, 3, MPI.DOUBLE], 0, TAG)
    parent.Send([doubles(sum(values), 4711), 2, MPI.DOUBLE], 0, TAG)
    parent.Disconnect()


def write(me):
    folder = os.environ["TRUTH_DIR"]
    rows = [dict(function=name, **counter) for name, counter in truth.items()]
    with open(os.path.join(folder, f"truth-{me}.json"), "w", encoding="utf-8") as file:
        json.dump({"functions": rows, "messages": [], "matrix": [], "bytes_only": BYTES_ONLY}, file)
    with open(os.path.join(folder, f"results-{me}.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(notes) + "\n")


def main():
    comm = MPI.COMM_WORLD
    me, ranks = comm.Get_rank(), comm.Get_size()
    assert ranks == 2
    expect("MPI_Init_thread")
    test_point_to_point(comm, me, 1 - me)
    test_objects(comm, me, 1 - me)
    test_collectives(comm, me)
    test_communicators(comm, me)
    test_datatypes(comm, me)
    test_window(comm, me, 1 - me)
    test_file(comm, me)
    test_attributes_and_errors(comm)
    if os.environ.get("TEST_SPAWN") == "1":
        test_spawn(comm, me)
    expect("MPI_Finalize")  # at the end of Python
    write(me)


if sys.argv[1:] == ["child"]:
    child()
else:
    main()
