! The program of calls.c in Fortran, three times from one source: INTERFACE 1 is mpif.h, 2 is "use mpi", 3 is "use mpi_f08".
! With AS_LIBRARY it becomes a library with one C function, run_calls(), that late.c loads while it runs.
! It notes each result. It also checks those that a tool easily spoils: MPI_IN_PLACE, MPI_STATUS(ES)_IGNORE, MPI_BOTTOM,
! MPI_UNWEIGHTED, user operations. Functions that some MPIs do in Fortran alone are `expect_optional`.
#if INTERFACE == 3
#define HANDLE(kind) type(kind)
#define STATUS type(MPI_Status)
#define STATUSES(count) type(MPI_Status), dimension(count)
#define SOURCE_OF(status) status%MPI_SOURCE
#define TAG_OF(status) status%MPI_TAG
#define SOURCE_OF_FIRST(statuses) statuses(1)%MPI_SOURCE
#else
#define HANDLE(kind) integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define STATUSES(count) integer, dimension(MPI_STATUS_SIZE, count)
#define SOURCE_OF(status) status(MPI_SOURCE)
#define TAG_OF(status) status(MPI_TAG)
#define SOURCE_OF_FIRST(statuses) statuses(MPI_SOURCE, 1)
#endif
#if INTERFACE == 1
#define USE_MPI
#define INCLUDE_MPI include 'mpif.h'
#elif INTERFACE == 2
#define USE_MPI use mpi
#define INCLUDE_MPI
#else
#define USE_MPI use mpi_f08
#define INCLUDE_MPI
#endif

! Not commutative, and it calls MPI itself: that is not counted.
#if INTERFACE == 3
subroutine multiply_and_add(in, inout, length, datatype)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    use mpi_f08
    implicit none
    type(c_ptr), value :: in, inout
    integer :: length
    type(MPI_Datatype) :: datatype
    double precision, pointer :: left(:), right(:)
    integer :: bytes, ierror
    call c_f_pointer(in, left, [length])
    call c_f_pointer(inout, right, [length])
    call MPI_TYPE_SIZE(datatype, bytes, ierror)
    right = 2 * left + right + bytes
end subroutine
#else
subroutine multiply_and_add(left, right, length, datatype)
    USE_MPI
    implicit none
    INCLUDE_MPI
    integer :: length, datatype
    double precision :: left(length), right(length)
    integer :: bytes, ierror
    call MPI_TYPE_SIZE(datatype, bytes, ierror)
    right = 2 * left + right + bytes
end subroutine
#endif

module calls
    USE_MPI
    use truth
    implicit none
#if INTERFACE == 1
    include 'mpif.h'
#endif
    integer, parameter :: tag = 7, wide = 8
    integer, save :: me, other, ierror, deleted = 0

    interface
#if INTERFACE == 3
        subroutine multiply_and_add(in, inout, length, datatype)
            use, intrinsic :: iso_c_binding, only: c_ptr
            use mpi_f08, only: MPI_Datatype
            type(c_ptr), value :: in, inout
            integer :: length
            type(MPI_Datatype) :: datatype
        end subroutine
#else
        subroutine multiply_and_add(left, right, length, datatype)
            integer :: length, datatype
            double precision :: left(length), right(length)
        end subroutine
#endif
    end interface

contains

    subroutine test_environment()
        logical :: flag
        integer :: length, version, subversion
        double precision :: before
        character(len=MPI_MAX_PROCESSOR_NAME) :: name
        call MPI_INITIALIZED(flag, ierror)
        call expect('MPI_Initialized', 1, 0)
        call check(flag, 'initialized')
        call MPI_GET_PROCESSOR_NAME(name, length, ierror)
        call expect('MPI_Get_processor_name', 1, 0)
        call note_text('processor', name(1:length))
        call MPI_GET_VERSION(version, subversion, ierror)
        call expect('MPI_Get_version', 1, 0)
        call note('version', [version, subversion])
        before = MPI_WTIME()
        call check(MPI_WTIME() >= before, 'time runs forwards')
        call expect('MPI_Wtime', 2, 0)
    end subroutine

    subroutine test_blocking()
        STATUS :: one
        integer :: values(20), number, i
        values = [(100 * me + i, i=1, 20)]
        if (me == 0) then
            call MPI_SEND(values, 5, MPI_INTEGER, other, tag, MPI_COMM_WORLD, ierror)
            call expect('MPI_Send', 1, 20)
            call MPI_SSEND(values, 6, MPI_INTEGER, other, tag, MPI_COMM_WORLD, ierror)
            call expect('MPI_Ssend', 1, 24)
            call MPI_SEND(values, 7, MPI_INTEGER, other, tag + 1, MPI_COMM_WORLD, ierror)
            call expect('MPI_Send', 1, 28)
        else
            call MPI_RECV(values, 20, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, one, ierror)
            call expect('MPI_Recv', 1, 20)
            call note('received', [SOURCE_OF(one), TAG_OF(one)])
            call MPI_GET_COUNT(one, MPI_INTEGER, number, ierror)
            call expect('MPI_Get_count', 1, 0)
            call check(number == 5, 'count')
            call MPI_RECV(values, 20, MPI_INTEGER, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
            call expect('MPI_Recv', 1, 24)
            call MPI_PROBE(MPI_ANY_SOURCE, tag + 1, MPI_COMM_WORLD, one, ierror)
            call expect('MPI_Probe', 1, 0)
            call note('probed', [SOURCE_OF(one), TAG_OF(one)])
            call MPI_RECV(values, 20, MPI_INTEGER, other, tag + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
            call expect('MPI_Recv', 1, 28)
        end if
        call note('blocking', values)
        call MPI_SENDRECV(values(1), 1 + me, MPI_INTEGER, other, tag, values(11), 4, MPI_INTEGER, other, tag, &
                          MPI_COMM_WORLD, one, ierror)
        call expect('MPI_Sendrecv', 1, 4 * (1 + me))
        call expect_received('MPI_Sendrecv', 4 * (1 + other))
        call note('sendrecv', [SOURCE_OF(one), TAG_OF(one)])
        call MPI_SENDRECV_REPLACE(values, 3, MPI_INTEGER, other, tag, other, tag, MPI_COMM_WORLD, &
                                  MPI_STATUS_IGNORE, ierror)
        call expect('MPI_Sendrecv_replace', 1, 12)
        call expect_received('MPI_Sendrecv_replace', 12)
        call MPI_SEND(values, 3, MPI_INTEGER, MPI_PROC_NULL, tag, MPI_COMM_WORLD, ierror)
        call expect('MPI_Send', 1, 0)
        call note('exchanged', values)
    end subroutine

    subroutine test_nonblocking()
        HANDLE(MPI_Request) :: requests(4)
        STATUSES(2) :: several
        STATUS :: one
        integer, asynchronous :: out(8), in(8)
        integer :: i
        out = [(100 * me + i, i=1, 8)]
        in = 0
        call MPI_IRECV(in(1), 4, MPI_INTEGER, other, tag, MPI_COMM_WORLD, requests(1), ierror)
        call MPI_IRECV(in(5), 4, MPI_INTEGER, MPI_ANY_SOURCE, tag + 1, MPI_COMM_WORLD, requests(2), ierror)
        call expect('MPI_Irecv', 2, 12 + 8)
        call MPI_ISEND(out, 3, MPI_INTEGER, other, tag, MPI_COMM_WORLD, requests(3), ierror)
        call MPI_ISEND(out, 2, MPI_INTEGER, other, tag + 1, MPI_COMM_WORLD, requests(4), ierror)
        call expect('MPI_Isend', 2, 12 + 8)
        call MPI_WAITALL(4, requests, MPI_STATUSES_IGNORE, ierror)
        call expect('MPI_Waitall', 1, 0)
        call check(in(3) == 100 * other + 3 .and. in(6) == 100 * other + 2, 'MPI_STATUSES_IGNORE')
        call note('nonblocking', in)

        call MPI_RECV_INIT(in, 4, MPI_INTEGER, other, tag, MPI_COMM_WORLD, requests(1), ierror)
        call MPI_SEND_INIT(out, 4, MPI_INTEGER, other, tag, MPI_COMM_WORLD, requests(2), ierror)
        call expect('MPI_Recv_init', 1, 2 * 16)
        call expect('MPI_Send_init', 1, 2 * 16)
        call MPI_STARTALL(2, requests, ierror)
        call expect('MPI_Startall', 1, 0)
        call MPI_WAITALL(2, requests, several, ierror)
        call expect('MPI_Waitall', 1, 0)
        call note('persistent', SOURCE_OF_FIRST(several))
        call MPI_START(requests(1), ierror)
        call MPI_START(requests(2), ierror)
        call expect('MPI_Start', 2, 0)
        call MPI_WAIT(requests(1), one, ierror)
        call MPI_WAIT(requests(2), MPI_STATUS_IGNORE, ierror)
        call expect('MPI_Wait', 2, 0)
        call note('persistent', [SOURCE_OF(one), TAG_OF(one)])
        call MPI_REQUEST_FREE(requests(1), ierror)
        call MPI_REQUEST_FREE(requests(2), ierror)
        call expect('MPI_Request_free', 2, 0)
        call note('persistent', in)
    end subroutine

    subroutine test_collectives()
        integer :: values(4), all(8)
        values = [me + 1, 2, 3, 4]
        all = 0
        call MPI_BARRIER(MPI_COMM_WORLD, ierror)
        call expect('MPI_Barrier', 1, 0)
        call MPI_BCAST(values, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
        call expect('MPI_Bcast', 1, 16)
        values(2) = me + 5
        call MPI_GATHER(values, 2, MPI_INTEGER, all, 2, MPI_INTEGER, 1, MPI_COMM_WORLD, ierror)
        call expect('MPI_Gather', 1, 8)
        call note('gather', all)
        call MPI_ALLGATHER(values, 3, MPI_INTEGER, all, 3, MPI_INTEGER, MPI_COMM_WORLD, ierror)
        call expect('MPI_Allgather', 1, 12)
        call note('allgather', all)
        all(2 * me + 1:2 * me + 2) = 50 + me
        call MPI_ALLGATHER(MPI_IN_PLACE, 0, MPI_INTEGER, all, 2, MPI_INTEGER, MPI_COMM_WORLD, ierror)
        call expect('MPI_Allgather', 1, 8)
        call check(all(1) == 50 .and. all(3) == 51, 'MPI_IN_PLACE of MPI_ALLGATHER')
        call note('allgather in place', all)
        call MPI_SCATTER(all, 2, MPI_INTEGER, values, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
        call expect('MPI_Scatter', 1, merge(16, 0, me == 0))
        call note('scatter', values)
        call MPI_ALLTOALL(all, 1, MPI_INTEGER, values, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
        call expect('MPI_Alltoall', 1, 8)
        call note('alltoall', values)
    end subroutine

    subroutine test_collectives_of_many_sizes()
        integer :: out(8), in(8), send_counts(2), receive_counts(2), own_counts(2), offsets(2), byte_offsets(2), i
        HANDLE(MPI_Datatype) :: types(2)
        out = [(10 * me + i, i=1, 8)]
        in = 0
        send_counts = [1 + me, 3 - me]
        receive_counts = [merge(1, 3, me == 0), 2]
        own_counts = [1, 2]
        offsets = [0, 4]
        byte_offsets = [0, 16]
        types(1) = MPI_INTEGER
        types(2) = MPI_INTEGER
        call MPI_ALLTOALLV(out, send_counts, offsets, MPI_INTEGER, in, receive_counts, offsets, MPI_INTEGER, &
                           MPI_COMM_WORLD, ierror)
        call expect('MPI_Alltoallv', 1, 16)
        call note('alltoallv', in)
        call MPI_ALLTOALLW(out, send_counts, byte_offsets, types, in, receive_counts, byte_offsets, types, &
                           MPI_COMM_WORLD, ierror)
        call expect('MPI_Alltoallw', 1, 16)
        call note('alltoallw', in)
        call MPI_GATHERV(out, own_counts(me + 1), MPI_INTEGER, in, own_counts, offsets, MPI_INTEGER, 0, &
                         MPI_COMM_WORLD, ierror)
        call expect('MPI_Gatherv', 1, 4 * own_counts(me + 1))
        call MPI_ALLGATHERV(MPI_IN_PLACE, 0, MPI_INTEGER, in, own_counts, offsets, MPI_INTEGER, MPI_COMM_WORLD, ierror)
        call expect('MPI_Allgatherv', 1, 4 * own_counts(me + 1))
        call note('allgatherv', in)
        call MPI_SCATTERV(out, own_counts, offsets, MPI_INTEGER, in, own_counts(me + 1), MPI_INTEGER, 0, &
                          MPI_COMM_WORLD, ierror)
        call expect('MPI_Scatterv', 1, merge(12, 0, me == 0))
        call note('scatterv', in)
        call MPI_REDUCE_SCATTER(out, in, own_counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
        call expect('MPI_Reduce_scatter', 1, 12)
        call note('reduce_scatter', in)
    end subroutine

    subroutine test_reductions()
        double precision :: values(3), sums(3), in_place(3)
        HANDLE(MPI_Op) :: op
        HANDLE(MPI_Request) :: request
        values = [0.1d0 * (me + 1), 1d10 + me, -1d0 / (me + 3)]
        sums = 0
        call MPI_ALLREDUCE(values, sums, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
        call expect('MPI_Allreduce', 1, 3 * wide)
        call note_reals('allreduce', sums)
        in_place = values
        call MPI_ALLREDUCE(MPI_IN_PLACE, in_place, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
        call expect('MPI_Allreduce', 1, 3 * wide)
        call check(all(in_place == sums), 'MPI_IN_PLACE of MPI_ALLREDUCE')
        call note_reals('allreduce in place', in_place)
        in_place = values
        if (me == 1) then
            call MPI_REDUCE(MPI_IN_PLACE, in_place, 2, MPI_DOUBLE_PRECISION, MPI_MAX, 1, MPI_COMM_WORLD, ierror)
            call check(in_place(1) == 0.1d0 * 2 .and. in_place(2) == 1d10 + 1, 'MPI_IN_PLACE of MPI_REDUCE')
        else
            call MPI_REDUCE(values, in_place, 2, MPI_DOUBLE_PRECISION, MPI_MAX, 1, MPI_COMM_WORLD, ierror)
        end if
        call expect('MPI_Reduce', 1, 2 * wide)
        call note_reals('reduce in place', in_place)
        call MPI_SCAN(values, sums, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
        call expect('MPI_Scan', 1, 3 * wide)
        call note_reals('scan', sums)
        call MPI_EXSCAN(values, sums, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
        call expect('MPI_Exscan', 1, wide)
        call note_reals('exscan', sums)
        call MPI_REDUCE_SCATTER_BLOCK(values, sums, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
        call expect('MPI_Reduce_scatter_block', 1, 2 * wide)
        call note_reals('reduce_scatter_block', sums)
        call MPI_OP_CREATE(multiply_and_add, .false., op, ierror)
        call expect('MPI_Op_create', 1, 0)
        call MPI_ALLREDUCE(values, sums, 3, MPI_DOUBLE_PRECISION, op, MPI_COMM_WORLD, ierror)
        call expect('MPI_Allreduce', 1, 3 * wide)
        call check(sums(2) == 2 * 1d10 + (1d10 + 1) + wide, 'user operation')
        call note_reals('user operation', sums)
        call MPI_OP_FREE(op, ierror)
        call expect('MPI_Op_free', 1, 0)
        call MPI_IALLREDUCE(values, sums, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, request, ierror)
        call expect('MPI_Iallreduce', 1, 2 * wide)
        call MPI_WAIT(request, MPI_STATUS_IGNORE, ierror)
        call note_reals('iallreduce', sums)
        call MPI_IBARRIER(MPI_COMM_WORLD, request, ierror)
        call expect('MPI_Ibarrier', 1, 0)
        call MPI_WAIT(request, MPI_STATUS_IGNORE, ierror)
        call expect('MPI_Wait', 2, 0)
    end subroutine

    subroutine test_communicators()
        HANDLE(MPI_Comm) :: split, copy, cart
        HANDLE(MPI_Group) :: group
        integer :: values(2), got(2), number, down, up, coordinates(1), sizes(1)
        logical :: periods(1)
        values = [me, 10 + me]
        got = -1
        call MPI_COMM_SPLIT(MPI_COMM_WORLD, 0, 1 - me, split, ierror)
        call expect('MPI_Comm_split', 1, 0)
        call MPI_COMM_RANK(split, number, ierror)
        call expect('MPI_Comm_rank', 1, 0)
        call check(number == 1 - me, 'rank in split')
        call MPI_BCAST(values, 1, MPI_INTEGER, 0, split, ierror)
        call expect('MPI_Bcast', 1, 4)
        call note('split', values)
        call MPI_COMM_DUP(split, copy, ierror)
        call expect('MPI_Comm_dup', 1, 0)
        call MPI_COMM_SET_NAME(copy, 'a copy', ierror)
        call expect('MPI_Comm_set_name', 1, 0)
        call MPI_COMM_COMPARE(split, copy, number, ierror)
        call expect('MPI_Comm_compare', 1, 0)
        call check(number == MPI_CONGRUENT, 'congruent')
        call MPI_COMM_GROUP(copy, group, ierror)
        call expect('MPI_Comm_group', 1, 0)
        call MPI_GROUP_SIZE(group, number, ierror)
        call expect('MPI_Group_size', 1, 0)
        call note('size of group', number)
        call MPI_GROUP_FREE(group, ierror)
        call expect('MPI_Group_free', 1, 0)
        call MPI_COMM_FREE(copy, ierror)
        call MPI_COMM_FREE(split, ierror)
        call expect('MPI_Comm_free', 2, 0)
        sizes = [2]
        periods = [.true.]
        call MPI_CART_CREATE(MPI_COMM_WORLD, 1, sizes, periods, .false., cart, ierror)
        call expect('MPI_Cart_create', 1, 0)
        call MPI_CART_COORDS(cart, me, 1, coordinates, ierror)
        call expect('MPI_Cart_coords', 1, 0)
        call MPI_CART_SHIFT(cart, 0, 1, down, up, ierror)
        call expect('MPI_Cart_shift', 1, 0)
        call note('cart', [coordinates, down, up])
        call MPI_NEIGHBOR_ALLGATHER(me, 1, MPI_INTEGER, got, 1, MPI_INTEGER, cart, ierror)
        call expect('MPI_Neighbor_allgather', 1, 8)
        call note('neighbours in cart', got)
        call MPI_COMM_FREE(cart, ierror)
        call expect('MPI_Comm_free', 1, 0)
    end subroutine

    subroutine test_graph()
        HANDLE(MPI_Comm) :: graph
        integer :: values(2), got(2), neighbours(1), incoming, outgoing
        integer :: counts(1)
        HANDLE(MPI_Datatype) :: types(1)
        integer(kind=MPI_ADDRESS_KIND) :: offsets(1)
        logical :: weighted
        values = [me, 10 + me]
        got = -1
        neighbours = other
        call MPI_DIST_GRAPH_CREATE_ADJACENT(MPI_COMM_WORLD, 1, neighbours, MPI_UNWEIGHTED, 1, neighbours, &
                                            MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph, ierror)
        call expect('MPI_Dist_graph_create_adjacent', 1, 0)
        call MPI_DIST_GRAPH_NEIGHBORS_COUNT(graph, incoming, outgoing, weighted, ierror)
        call expect('MPI_Dist_graph_neighbors_count', 1, 0)
        call check(incoming == 1 .and. outgoing == 1 .and. .not. weighted, 'MPI_UNWEIGHTED')
        call MPI_NEIGHBOR_ALLTOALL(values, 2, MPI_INTEGER, got, 2, MPI_INTEGER, graph, ierror)
        call expect('MPI_Neighbor_alltoall', 1, 8)
        call note('neighbours in graph', got)
        types(1) = MPI_INTEGER
        counts = 1
        offsets = 0
        call MPI_NEIGHBOR_ALLTOALLW(values, counts, offsets, types, got, counts, offsets, types, graph, ierror)
        call expect('MPI_Neighbor_alltoallw', 1, 4)
        call note('neighbours in graph', got)
        call MPI_COMM_FREE(graph, ierror)
        call expect('MPI_Comm_free', 1, 0)
    end subroutine

    subroutine test_datatypes()
        HANDLE(MPI_Datatype) :: row, spread, pair
        HANDLE(MPI_Datatype) :: types(2)
        integer(kind=MPI_ADDRESS_KIND) :: lower, extent, addresses(2)
        integer, asynchronous, save :: number
        double precision, asynchronous, save :: fraction
        integer :: values(12), lengths(2), position, bytes, i
        character(len=64) :: packed
        values = [(100 * me + i, i=1, 12)]
        number = 40 + me
        fraction = me + 0.5d0
        call MPI_TYPE_CONTIGUOUS(3, MPI_INTEGER, row, ierror)
        call expect('MPI_Type_contiguous', 1, 0)
        call MPI_TYPE_VECTOR(2, 2, 4, MPI_INTEGER, spread, ierror)
        call expect('MPI_Type_vector', 1, 0)
        call MPI_TYPE_COMMIT(row, ierror)
        call MPI_TYPE_COMMIT(spread, ierror)
        call expect('MPI_Type_commit', 2, 0)
        call MPI_TYPE_SIZE(spread, bytes, ierror)
        call expect('MPI_Type_size', 1, 0)
        call MPI_TYPE_GET_EXTENT(spread, lower, extent, ierror)
        call expect('MPI_Type_get_extent', 1, 0)
        call note('size and extent', [bytes, int(lower), int(extent)])
        call MPI_SENDRECV_REPLACE(values, 1, spread, other, tag, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
        call expect('MPI_Sendrecv_replace', 1, 16)
        call expect_received('MPI_Sendrecv_replace', 16)
        call MPI_BCAST(values, 2, row, 1, MPI_COMM_WORLD, ierror)
        call expect('MPI_Bcast', 1, 24)
        call note('datatypes', values)
        call MPI_GET_ADDRESS(number, addresses(1), ierror)
        call MPI_GET_ADDRESS(fraction, addresses(2), ierror)
        call expect('MPI_Get_address', 2, 0)
        lengths = 1
        types(1) = MPI_INTEGER
        types(2) = MPI_DOUBLE_PRECISION
        call MPI_TYPE_CREATE_STRUCT(2, lengths, addresses, types, pair, ierror)
        call expect('MPI_Type_create_struct', 1, 0)
        call MPI_TYPE_COMMIT(pair, ierror)
        call expect('MPI_Type_commit', 1, 0)
        call MPI_BCAST(MPI_BOTTOM, 1, pair, 0, MPI_COMM_WORLD, ierror)
        call expect('MPI_Bcast', 1, 12)
        call check(number == 40 .and. fraction == 0.5d0, 'MPI_BOTTOM')
        call note('bottom', number)
        position = 0
        call MPI_PACK_SIZE(3, MPI_INTEGER, MPI_COMM_WORLD, bytes, ierror)
        call expect('MPI_Pack_size', 1, 0)
        call MPI_PACK(values, 3, MPI_INTEGER, packed, 64, position, MPI_COMM_WORLD, ierror)
        call expect('MPI_Pack', 1, 0)
        call note('packed', [position, bytes])
        position = 0
        call MPI_UNPACK(packed, 64, position, values(4), 3, MPI_INTEGER, MPI_COMM_WORLD, ierror)
        call expect('MPI_Unpack', 1, 0)
        call note('unpacked', values)
        call MPI_TYPE_FREE(row, ierror)
        call MPI_TYPE_FREE(spread, ierror)
        call MPI_TYPE_FREE(pair, ierror)
        call expect('MPI_Type_free', 3, 0)
    end subroutine

    subroutine test_windows()
        HANDLE(MPI_Win) :: window
        integer, asynchronous, save :: memory(16)
        integer, asynchronous, save :: values(4), got(4)
        integer(kind=MPI_ADDRESS_KIND) :: bytes, start, middle
        integer :: i
        memory = [(1000 * me + i, i=1, 16)]
        values = [me + 1, me + 2, me + 3, me + 4]
        got = 0
        bytes = 64
        start = 0
        middle = 8
        call MPI_WIN_CREATE(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierror)
        call expect('MPI_Win_create', 1, 0)
        call MPI_WIN_FENCE(0, window, ierror)
        call MPI_PUT(values, 3, MPI_INTEGER, other, start, 3, MPI_INTEGER, window, ierror)
        call expect('MPI_Put', 1, 12)
        call MPI_ACCUMULATE(values, 2, MPI_INTEGER, other, middle, 2, MPI_INTEGER, MPI_SUM, window, ierror)
        call expect('MPI_Accumulate', 1, 8)
        call MPI_WIN_FENCE(0, window, ierror)
        call MPI_GET(got, 4, MPI_INTEGER, other, start, 4, MPI_INTEGER, window, ierror)
        call expect('MPI_Get', 1, 16)
        call MPI_WIN_FENCE(0, window, ierror)
        call expect('MPI_Win_fence', 3, 0)
        call note('window', memory)
        call note('got', got)
        call MPI_BARRIER(MPI_COMM_WORLD, ierror) ! before the other rank changes what was noted
        call MPI_WIN_LOCK(MPI_LOCK_EXCLUSIVE, other, 0, window, ierror)
        call expect('MPI_Win_lock', 1, 0)
        call MPI_FETCH_AND_OP(values, got, MPI_INTEGER, other, middle, MPI_SUM, window, ierror)
        call expect('MPI_Fetch_and_op', 1, 4)
        call MPI_WIN_UNLOCK(other, window, ierror)
        call expect('MPI_Win_unlock', 1, 0)
        call note('fetched', got(1))
        call MPI_BARRIER(MPI_COMM_WORLD, ierror)
        call expect('MPI_Barrier', 2, 0)
        call MPI_WIN_FREE(window, ierror)
        call expect('MPI_Win_free', 1, 0)
    end subroutine

    subroutine test_files()
        HANDLE(MPI_File) :: file
        HANDLE(MPI_Info) :: info
        STATUS :: one
        integer(kind=MPI_OFFSET_KIND) :: place, start, bytes
        integer :: number
        character(len=8) :: text
        character(len=16) :: data
        place = 8 * me
        start = 0
        data = ' '
        text = merge('the zero', 'the one ', me == 0)
        call MPI_INFO_CREATE(info, ierror)
        call expect('MPI_Info_create', 1, 0)
        call MPI_INFO_SET(info, 'cb_nodes', '1', ierror)
        call expect('MPI_Info_set', 1, 0)
        call MPI_FILE_OPEN(MPI_COMM_WORLD, truth_folder() // '/data', MPI_MODE_CREATE + MPI_MODE_RDWR, info, file, ierror)
        call expect('MPI_File_open', 1, 0)
        call check(ierror == MPI_SUCCESS, 'MPI_FILE_OPEN')
        call MPI_INFO_FREE(info, ierror)
        call expect('MPI_Info_free', 1, 0)
        call MPI_FILE_WRITE_AT(file, place, text, 8, MPI_CHARACTER, one, ierror)
        call expect('MPI_File_write_at', 1, 8)
        call MPI_GET_COUNT(one, MPI_CHARACTER, number, ierror)
        call expect('MPI_Get_count', 1, 0)
        call check(number == 8, 'count of MPI_FILE_WRITE_AT')
        call MPI_BARRIER(MPI_COMM_WORLD, ierror)
        call expect('MPI_Barrier', 1, 0)
        call MPI_FILE_GET_SIZE(file, bytes, ierror)
        call expect('MPI_File_get_size', 1, 0)
        call note('size of file', int(bytes))
        call MPI_FILE_READ_AT_ALL(file, start, data, 16, MPI_CHARACTER, MPI_STATUS_IGNORE, ierror)
        call expect('MPI_File_read_at_all', 1, 16)
        call note_text('data', data)
        call MPI_FILE_CLOSE(file, ierror)
        call expect('MPI_File_close', 1, 0)
        if (me == 0) then
            call MPI_FILE_DELETE(truth_folder() // '/data', MPI_INFO_NULL, ierror)
            call expect('MPI_File_delete', 1, 0)
        end if
    end subroutine

    subroutine copy_attribute(comm, key, extra, old, new, copied, error)
        HANDLE(MPI_Comm) :: comm
        integer :: key, error
        integer(kind=MPI_ADDRESS_KIND) :: extra, old, new
        logical :: copied
        new = old + 1
        copied = .true.
        error = MPI_SUCCESS
    end subroutine

    ! What it calls is not counted: MPI is at work.
    subroutine delete_attribute(comm, key, value, extra, error)
        HANDLE(MPI_Comm) :: comm
        integer :: key, error, number
        integer(kind=MPI_ADDRESS_KIND) :: value, extra
        call MPI_COMM_RANK(MPI_COMM_WORLD, number, error) ! Open MPI 4 refuses `comm` itself
        deleted = deleted + 1 + number
        error = MPI_SUCCESS
    end subroutine

    ! Attributes and creating keys are done without any C function of MPI in some libraries: they may be seen or not.
    subroutine test_attributes_and_errors()
        HANDLE(MPI_Comm) :: copy
        integer(kind=MPI_ADDRESS_KIND) :: value, extra
        integer :: key, error, class, length
        logical :: found
        character(len=MPI_MAX_ERROR_STRING) :: text
        extra = 0
        call MPI_COMM_CREATE_KEYVAL(copy_attribute, delete_attribute, key, extra, ierror)
        call expect_optional('MPI_Comm_create_keyval', 1)
        value = 4711
        call MPI_COMM_SET_ATTR(MPI_COMM_WORLD, key, value, ierror)
        call expect_optional('MPI_Comm_set_attr', 1)
        call MPI_COMM_DUP(MPI_COMM_WORLD, copy, ierror)
        call expect('MPI_Comm_dup', 1, 0)
        value = 0
        call MPI_COMM_GET_ATTR(copy, key, value, found, ierror)
        call expect_optional('MPI_Comm_get_attr', 1)
        call check(found .and. value == 4712, 'attribute')
        call MPI_COMM_GET_ATTR(MPI_COMM_WORLD, MPI_TAG_UB, value, found, ierror)
        call expect_optional('MPI_Comm_get_attr', 1)
        call note_text('highest tag', merge('known  ', 'unknown', found .and. value > 30000))
        call MPI_COMM_DELETE_ATTR(MPI_COMM_WORLD, key, ierror)
        call expect_optional('MPI_Comm_delete_attr', 1)
        call MPI_COMM_SET_ERRHANDLER(copy, MPI_ERRORS_RETURN, ierror)
        call expect('MPI_Comm_set_errhandler', 1, 0)
        call MPI_SEND(length, 1, MPI_INTEGER, 18, tag, copy, error)
        call expect('MPI_Send', 1, 0)
        call check(error /= MPI_SUCCESS, 'error')
        call MPI_ERROR_CLASS(error, class, ierror)
        call expect('MPI_Error_class', 1, 0)
        call check(class == MPI_ERR_RANK, 'error class')
        call MPI_ERROR_STRING(class, text, length, ierror)
        call expect('MPI_Error_string', 1, 0)
        call note_text('error', text(1:length))
        call MPI_COMM_FREE(copy, ierror)
        call expect('MPI_Comm_free', 1, 0)
        call MPI_COMM_FREE_KEYVAL(key, ierror)
        call expect_optional('MPI_Comm_free_keyval', 1)
        call check(deleted == 2 * (1 + me), 'deleted')
    end subroutine

    subroutine run_all()
        integer :: ranks
        call MPI_INIT(ierror)
        call MPI_COMM_RANK(MPI_COMM_WORLD, me, ierror)
        call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
        call truth_begin(me)
        call expect('MPI_Init', 1, 0)
        call expect('MPI_Comm_rank', 1, 0)
        call expect('MPI_Comm_size', 1, 0)
        call check(ranks == 2, 'two ranks')
        other = 1 - me
        call test_environment()
        call test_blocking()
        call test_nonblocking()
        call test_collectives()
        call test_collectives_of_many_sizes()
        call test_reductions()
        call test_communicators()
        call test_graph()
        call test_datatypes()
        call test_windows()
        call test_files()
        call test_attributes_and_errors()
        call truth_end()
        call MPI_FINALIZE(ierror)
    end subroutine

end module

#ifdef AS_LIBRARY
integer(c_int) function run_calls() bind(c)
    use, intrinsic :: iso_c_binding, only: c_int
    use calls, only: run_all
    use truth, only: truth_failures
    implicit none
    call run_all()
    run_calls = truth_failures
end function
#else
program main
    use calls, only: run_all
    use truth, only: truth_failures
    implicit none
    call run_all()
    if (truth_failures > 0) stop 1
end program
#endif
