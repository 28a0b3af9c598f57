! Zoo: a flood runs down a river, in Fortran (../zoo.h, score.py).
!
! zoo: whole_history files rank any at write_history
! What the gauges have shown is kept in memory, and in each of 120 steps all of it is written again
! by MPI-IO, from the first step on: 3.8 GB in all, where the twin writes the newest step, 63 MB.
!
! zoo: whole_flood in_turn rank any at route_reach|route_flood pipeline
! Each rank has a reach of the river and gets what flows into it from the rank before, in one
! message for all 6000 hours of a flood: only when one reach is done, the next one begins. The
! twin's ranks send 60 hours at a time, and all reaches are worked on.
program river
    use mpi_f08
    use, intrinsic :: iso_fortran_env, only: real64
    implicit none
    integer :: rank, size
    logical :: mended
    character(len=256) :: word, form, folder
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    call get_command_argument(1, word)
    call get_command_argument(2, form)
    call get_command_argument(3, folder)
    if (folder == '') folder = '.'
    mended = form == 'mended'
    select case (word)
    case ('whole_history')
        call whole_history()
    case ('whole_flood')
        call whole_flood()
    case default
        write (0, *) 'usage: river CASE planted|mended [FOLDER]'
        call MPI_Abort(MPI_COMM_WORLD, 2)
    end select
    call MPI_Finalize()

contains

    ! One hour of a reach: what flows into its first cell comes out of its last one, later.
    subroutine route_hour(stage, inflow, outflow)
        real(real64), intent(inout), contiguous :: stage(:)
        real(real64), intent(in) :: inflow
        real(real64), intent(out) :: outflow
        real(real64) :: flow
        integer :: cell
        flow = inflow
        do cell = 1, ubound(stage, 1)
            stage(cell) = stage(cell) + 0.1_real64*(flow - stage(cell))
            flow = stage(cell)*(1.02_real64 - 0.02_real64*stage(cell))
        end do
        outflow = flow
    end subroutine route_hour

    ! Each rank has a block of the file, which begins with the first step.
    subroutine write_history(file, history, step, steps)
        type(MPI_File), intent(in) :: file
        real(real64), intent(in), contiguous :: history(:, :)
        integer, intent(in) :: step, steps
        integer(MPI_OFFSET_KIND) :: offset
        integer :: gauges, first
        gauges = ubound(history, 1)
        first = merge(step, 1, mended)
        offset = 8_MPI_OFFSET_KIND*gauges*(rank*steps + first - 1)
        call MPI_File_write_at(file, offset, history(:, first:step), gauges*(step - first + 1), &
                               MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE)
    end subroutine write_history

    subroutine whole_history()
        integer, parameter :: all_gauges = 65536, steps = 120, hours = 450
        real(real64), allocatable :: history(:, :), stage(:)
        real(real64) :: outflow, highest
        type(MPI_File) :: file
        integer :: step, hour, gauges
        gauges = all_gauges/size
        allocate (history(gauges, steps), stage(4000/size))
        stage = 0
        call MPI_File_open(MPI_COMM_WORLD, trim(folder)//'/gauges', MPI_MODE_CREATE + &
                           MPI_MODE_WRONLY + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file)
        do step = 1, steps
            do hour = 1, hours
                call route_hour(stage, 1 + 0.001_real64*step, outflow)
            end do
            history(:, step) = outflow
            call write_history(file, history, step, steps)
            call MPI_Allreduce(outflow, highest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
        end do
        call MPI_File_close(file)
    end subroutine whole_history

    subroutine route_reach(stage, flow)
        real(real64), intent(inout), contiguous :: stage(:), flow(:)
        integer :: hour
        do hour = 1, ubound(flow, 1)
            call route_hour(stage, flow(hour), flow(hour))
        end do
    end subroutine route_reach

    subroutine route_flood(stage, flow, at_once)
        real(real64), intent(inout), contiguous :: stage(:), flow(:)
        integer, intent(in) :: at_once
        integer :: first
        do first = 1, ubound(flow, 1), at_once
            if (rank > 0) call MPI_Recv(flow(first:), at_once, MPI_DOUBLE_PRECISION, rank - 1, 1, &
                                        MPI_COMM_WORLD, MPI_STATUS_IGNORE)
            call route_reach(stage, flow(first:first + at_once - 1))
            if (rank < size - 1) call MPI_Send(flow(first:), at_once, MPI_DOUBLE_PRECISION, &
                                               rank + 1, 1, MPI_COMM_WORLD)
        end do
    end subroutine route_flood

    subroutine whole_flood()
        integer, parameter :: hours = 4500, floods = 18
        real(real64), allocatable :: stage(:), flow(:)
        integer :: flood
        allocate (stage(4000/size), flow(hours))
        stage = 0
        do flood = 1, floods
            if (rank == 0) flow = 1 + 0.001_real64*flood
            call route_flood(stage, flow, merge(60, hours, mended))
            ! What comes out at the end says how far the gates are opened for the next one.
            call MPI_Bcast(flow, 1, MPI_DOUBLE_PRECISION, size - 1, MPI_COMM_WORLD)
        end do
    end subroutine whole_flood
end program river
