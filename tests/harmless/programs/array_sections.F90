! mpi_f08 with sections of arrays: an MPI library may make datatypes of them for itself. The program's own datatypes are counted.
program array_sections
    use mpi_f08
    implicit none
    integer, parameter :: messages = 5
    integer :: rank, other, i
    real(8) :: a(40, 10)
    type(MPI_Datatype) :: row, rows
    type(MPI_Request) :: request
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    if (.not. MPI_SUBARRAYS_SUPPORTED) then
        if (rank == 0) print '(a)', "no array sections in this mpi_f08"
        call MPI_Finalize()
        stop 77
    end if
    other = ieor(rank, 1)
    a = 100 * rank
    do i = 1, messages
        if (rank == 0) then
            call MPI_Send(a(1:40:2, 1:9:3), 60, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD)
        else
            call MPI_Recv(a(2:40:2, 2:10:3), 60, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        end if
        call MPI_Isend(a(1:40:4, 1), 10, MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD, request)
        call MPI_Recv(a(1:40:4, 10), 10, MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call MPI_Bcast(a(3:40:3, 3), 13, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
    end do
    call MPI_Type_contiguous(4, MPI_DOUBLE_PRECISION, row)
    call MPI_Type_create_hvector(2, 1, 64_MPI_ADDRESS_KIND, row, rows)
    call MPI_Type_commit(rows)
    call MPI_Type_free(rows)
    call MPI_Type_free(row)
    print '(a, f0.1)', "sum ", sum(a)
    print '(a, i0)', "calls MPI_Send ", merge(messages, 0, rank == 0)
    print '(a, i0)', "calls MPI_Isend ", messages
    print '(a, i0)', "calls MPI_Bcast ", messages
    print '(a)', "calls MPI_Type_contiguous 1", "calls MPI_Type_create_hvector 1", "calls MPI_Type_commit 1", &
        "calls MPI_Type_free 2"
    call MPI_Finalize()
end program
