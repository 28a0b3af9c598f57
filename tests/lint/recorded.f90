! The same as recorded.c in Fortran: mistakes that only a run with MPROF_LINT tells, or the twin
! without them, for run_lint.py.
!
!     recorded FOLDER wrong|right|threads|errors
!
! A line that ends in "@ RULE" is the one that mprof lint must name for that rule; two rules stand
! behind each other. No other line may be named. Three ranks. With OpenMP, for a second thread.
program recorded
    use mpi
    use, intrinsic :: iso_c_binding, only: c_int
    implicit none
    interface
        integer(c_int) function sleep(seconds) bind(c, name="sleep")
            use, intrinsic :: iso_c_binding, only: c_int
            integer(c_int), value :: seconds
        end function
    end interface
    integer, parameter :: world = MPI_COMM_WORLD, whole = MPI_INTEGER, tag = 5
    integer :: level, rank, size, error
    integer, save :: buffer(4), matrix(4), kept
    logical :: wrong, right
    character(len=16) :: way

    call get_command_argument(2, way)
    call MPI_Init_thread(MPI_THREAD_SERIALIZED, level, error)
    call MPI_Comm_rank(world, rank, error)
    call MPI_Comm_size(world, size, error)
    right = way == "right"
    wrong = way == "wrong"
    if (wrong .or. right) then
        call exchange()
        call use_buffers()
        call send_with_tag()
        call receive_from_any()
        call call_collectives()
    end if
    if (right .or. way == "threads") call call_from_threads(.not. right)
    if (right .or. way == "errors") call fail(right)
    call MPI_Finalize(error)

contains

    subroutine exchange()
        integer :: mine, theirs, other, i
        mine = rank
        other = 1 - rank
        if (rank > 1) return
        if (wrong) then
            do i = 1, 3
                call MPI_Send(mine, 1, whole, other, tag, world, error) ! @ send-cycle
                call MPI_Recv(theirs, 1, whole, other, tag, world, MPI_STATUS_IGNORE, error)
            end do
        else
            call MPI_Sendrecv(mine, 1, whole, other, tag, theirs, 1, whole, other, tag, world, &
                              MPI_STATUS_IGNORE, error)
            if (rank == 0) call MPI_Send(mine, 1, whole, other, tag, world, error)
            call MPI_Recv(theirs, 1, whole, other, tag, world, MPI_STATUS_IGNORE, error)
            if (rank == 1) call MPI_Send(mine, 1, whole, other, tag, world, error)
        end if
    end subroutine

    subroutine use_buffers()
        integer :: column, before, after, requests(3)
        before = mod(rank + size - 1, size)
        after = mod(rank + 1, size)
        call MPI_Irecv(buffer, 2, whole, before, 1, world, requests(1), error)
        call MPI_Irecv(buffer(merge(2, 3, wrong)), 2, whole, before, 2, world, requests(2), &
                       error) ! @ buffer-overlap
        call MPI_Send(matrix, 2, whole, after, 1, world, error)
        call MPI_Send(matrix, 2, whole, after, 2, world, error)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
        call MPI_Isend(buffer, 1, whole, after, 3, world, requests(1), error)
        call MPI_Recv(buffer(merge(1, 2, wrong)), 1, whole, before, 3, world, &
                      MPI_STATUS_IGNORE, error) ! @ buffer-overlap
        call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
        call MPI_Type_vector(2, 1, 2, whole, column, error)
        call MPI_Type_commit(column, error)
        call MPI_Irecv(matrix, 1, column, before, 1, world, requests(1), error)
        call MPI_Irecv(matrix(2), 1, column, before, 2, world, requests(2), error)
        call MPI_Isend(buffer, 2, whole, after, 1, world, requests(3), error)
        call MPI_Send(buffer, 2, whole, after, 2, world, error) ! two may read the same
        call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, error)
        call MPI_Type_free(column, error)
    end subroutine

    subroutine send_with_tag()
        integer :: i
        if (rank == 1) then
            do i = 1, merge(9, 1, wrong) ! most of its messages to rank 2
                call MPI_Send(kept, 1, whole, 2, merge(8, 7, wrong), world, &
                              error) ! @ tag-not-received message-not-received
            end do
            call MPI_Send(kept, 1, whole, 2, 7, world, error)
        else if (rank == 2) then
            call MPI_Recv(kept, 1, whole, 1, 7, world, MPI_STATUS_IGNORE, error)
            if (.not. wrong) call MPI_Recv(kept, 1, whole, 1, MPI_ANY_TAG, world, &
                                           MPI_STATUS_IGNORE, error)
        end if
    end subroutine

    subroutine receive_from_any()
        integer :: value
        value = rank
        if (rank == 0) call MPI_Recv(value, 1, whole, MPI_ANY_SOURCE, 4, world, &
                                     MPI_STATUS_IGNORE, error) ! @ receive-order
        if (rank == 1 .or. (rank == 2 .and. wrong)) then
            call MPI_Send(value, 1, whole, 0, 4, world, error)
        end if
        if (.not. wrong) call MPI_Barrier(world, error)
        if (rank == 0) call MPI_Recv(value, 1, whole, MPI_ANY_SOURCE, 4, world, &
                                     MPI_STATUS_IGNORE, error)
        if (rank == 2 .and. .not. wrong) call MPI_Send(value, 1, whole, 0, 4, world, error)
    end subroutine

    subroutine call_collectives()
        integer :: value, sum, four, values(4)
        logical :: differs
        differs = wrong .and. rank == 2
        value = 1
        values = 0
        call MPI_Allreduce(value, sum, 1, whole, merge(MPI_MAX, MPI_SUM, differs), world, &
                           error) ! @ collective-operation
        call MPI_Bcast(value, 1, merge(MPI_REAL, whole, differs), 0, world, &
                       error) ! @ collective-type
        call MPI_Type_contiguous(4, whole, four, error)
        call MPI_Type_commit(four, error)
        call MPI_Bcast(values, merge(4, 1, rank == 0), merge(whole, four, rank == 0), 0, world, &
                       error)
        call MPI_Type_free(four, error)
    end subroutine

    subroutine fail(asks)
        logical, intent(in) :: asks
        integer :: code, length
        character(len=MPI_MAX_ERROR_STRING) :: text
        call MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN, error)
        call MPI_Send(kept, 1, whole, size, tag, world, code) ! @ error-not-looked-at
        if (asks) call MPI_Error_string(code, text, length, error)
        call MPI_Barrier(world, error)
    end subroutine

    ! MPI_Test of no request does nothing, so two threads may do it without harm.
    subroutine call_from_threads(at_once)
        use omp_lib
        logical, intent(in) :: at_once
        logical :: flag, second
        integer :: none, failed
        call MPI_Barrier(world, error)
        if (rank > 0) failed = sleep(2)
        !$omp parallel num_threads(2) private(flag, second, none, failed)
        none = MPI_REQUEST_NULL
        second = omp_get_thread_num() == 1 .and. rank == 0
        if (second .and. at_once) failed = sleep(1)
        ! On one line, or gfortran 12 gives the call another one.
        if (second) call MPI_Test(none, flag, MPI_STATUS_IGNORE, failed) ! @ calls-at-once
        if (.not. at_once) then
            !$omp barrier
        end if
        if (omp_get_thread_num() == 0) call MPI_Barrier(world, error)
        !$omp end parallel
    end subroutine
end program
