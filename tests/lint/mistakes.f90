! The same as mistakes.c in Fortran: a program with mistakes of many kinds, or its twin without
! them, for run_lint.py.
!
!     mistakes FOLDER wrong|right|hang|leave|steps
!
! A line that ends in "@ RULE" is the one that mprof lint must name for that rule. No other line may
! be named. Two ranks. With OpenMP, for a second thread.
module callbacks
    implicit none
contains
    subroutine nothing(in, inout, count, type)
        integer :: count, type
        integer :: in(count), inout(count)
        if (type == 0) inout = in
    end subroutine

    subroutine handle(comm, code)
        integer :: comm, code
        if (comm == 0) code = 0
    end subroutine
end module

program mistakes
    use mpi
    use callbacks
    implicit none
    integer, parameter :: world = MPI_COMM_WORLD, whole = MPI_INTEGER
    integer, parameter :: steps = 100, many_steps = 30000, blocks = 64, tag = 5
    integer :: level, rank, error
    integer, target, save :: kept, sent
    logical :: wrong
    character(len=16) :: way
    character(len=4096) :: folder

    call get_command_argument(1, folder)
    call get_command_argument(2, way)
    call MPI_Init_thread(MPI_THREAD_FUNNELED, level, error)
    call MPI_Comm_rank(world, rank, error)
    if (way == "hang") call hang()
    if (way == "leave") then
        call MPI_Barrier(world, error) ! @ no-finalize
        stop
    end if
    wrong = way == "wrong"
    call call_from_thread()
    call make_objects()
    call make_communicators()
    call make_datatypes(merge(many_steps, merge(0, 5, wrong), way == "steps"))
    call open_file()
    call make_window()
    call send_messages()
    call call_collectives()
    call use_old_functions()
    call MPI_Finalize(error)

contains

    subroutine call_from_thread()
        use omp_lib
        integer :: size, failed
        logical :: flag
        !$omp parallel num_threads(2) private(size, flag, failed)
        if (omp_get_thread_num() == 1) then
            call MPI_Initialized(flag, failed) ! any thread may
            if (wrong) then
                call MPI_Comm_size(world, size, failed) ! @ wrong-thread
            end if
        end if
        !$omp end parallel
    end subroutine

    subroutine make_objects()
        integer :: row, column, group, op, info, handler
        call MPI_Type_contiguous(4, whole, row, error) ! @ datatype-not-freed
        call MPI_Type_vector(4, 1, 4, whole, column, error) ! @ datatype-not-freed
        call MPI_Comm_group(world, group, error) ! @ group-not-freed
        call MPI_Op_create(nothing, .true., op, error) ! @ operation-not-freed
        ! Without the condition gfortran 12 gives the call the line of the subroutine.
        if (error == MPI_SUCCESS) call MPI_Info_create(info, error) ! @ info-not-freed
        call MPI_Comm_create_errhandler(handle, handler, error) ! @ error-handler-not-freed
        if (wrong) return
        call MPI_Type_free(row, error)
        call MPI_Type_free(column, error)
        call MPI_Group_free(group, error)
        call MPI_Op_free(op, error)
        call MPI_Info_free(info, error)
        call MPI_Errhandler_free(handler, error)
    end subroutine

    subroutine make_communicators()
        integer :: copy, part, last, step
        call MPI_Comm_dup(world, copy, error) ! @ communicator-not-freed
        call MPI_Comm_split(world, rank, 0, part, error)
        call MPI_Comm_disconnect(part, error)
        do step = 1, merge(steps, 5, wrong)
            call MPI_Comm_dup(world, last, error) ! @ communicator-every-step
            call MPI_Comm_free(last, error)
        end do
        if (.not. wrong) call MPI_Comm_free(copy, error)
    end subroutine

    subroutine make_datatypes(count)
        integer :: count, type, step, lengths(blocks), places(blocks)
        lengths = [(mod(step, 3) + 1, step = 1, blocks)]
        places = [(5 * step, step = 1, blocks)]
        do step = 1, count
            call MPI_Type_indexed(blocks, lengths, places, whole, type, &
                                  error) ! @ datatype-every-step
            call MPI_Type_free(type, error)
        end do
    end subroutine

    subroutine open_file()
        integer :: file
        call MPI_File_open(world, trim(folder)//"/data", MPI_MODE_CREATE + MPI_MODE_RDWR, &
                           MPI_INFO_NULL, file, error) ! @ file-not-closed
        if (.not. wrong) call MPI_File_close(file, error)
    end subroutine

    subroutine make_window()
        integer :: win
        call MPI_Win_create_dynamic(MPI_INFO_NULL, world, win, error) ! @ window-not-freed
        call MPI_Win_lock_all(0, win, error) ! @ epoch-not-ended
        if (.not. wrong) then
            call MPI_Win_unlock_all(win, error)
            call MPI_Win_free(win, error)
        end if
    end subroutine

    subroutine send_messages()
        integer :: receive, send, persistent, other, value, i
        other = 1 - rank
        if (wrong .and. rank == 1) then
            call MPI_Irecv(kept, 1, whole, 0, 77, world, receive, error) ! @ request-not-completed
        end if
        call MPI_Send_init(sent, 1, whole, other, tag, world, persistent, error) ! @ request-not-freed
        if (.not. wrong) call MPI_Request_free(persistent, error)
        call MPI_Isend(sent, 1, whole, other, tag, world, send, error) ! @ request-not-completed
        call MPI_Recv(value, 1, whole, MPI_ANY_SOURCE, tag, world, MPI_STATUS_IGNORE, &
                      error)
        if (.not. wrong) call MPI_Request_free(send, error) ! allowed: it completes by itself
        if (wrong .and. rank == 0) then
            do i = 1, 3
                call MPI_Send(value, 1, whole, 1, 6, world, error) ! @ message-not-received
            end do
        end if
    end subroutine

    subroutine call_collectives()
        integer :: values(4), all(8), differs
        values = [1, 2, 3, 4]
        differs = merge(1, 0, wrong .and. rank == 1)
        call MPI_Bcast(values, 2, whole, differs, world, error) ! @ collective-root
        call MPI_Barrier(world, error)
        call MPI_Gather(values, 2 - differs, whole, all, 2, whole, 0, world, &
                        error) ! @ collective-size
    end subroutine

    subroutine use_old_functions()
        integer :: value
        logical :: flag
        integer(kind=MPI_ADDRESS_KIND) :: wide
        integer(kind=MPI_COUNT_KIND) :: size
        if (wrong) then
            call MPI_Type_size_x(whole, size, error) ! @ deprecated-function
            call MPI_Type_extent(whole, value, error) ! @ removed-function
        end if
        call MPI_Comm_get_attr(world, MPI_TAG_UB, wide, flag, error)
    end subroutine

    subroutine hang()
        integer :: value, sum
        interface
            integer(c_int) function alarm(seconds) bind(c, name="alarm")
                use, intrinsic :: iso_c_binding, only: c_int
                integer(c_int), value :: seconds
            end function
        end interface
        value = 0
        call MPI_Barrier(world, error)
        error = alarm(1)
        if (rank == 0) then
            call MPI_Barrier(world, error)
        else
            call MPI_Allreduce(value, sum, 1, whole, MPI_SUM, world, error) ! @ collective-order
        end if
        call MPI_Barrier(world, error)
    end subroutine
end program
