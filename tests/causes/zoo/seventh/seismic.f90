! Zoo: seismic waves in Fortran (../zoo.h, score.py).
!
! zoo: relocated uneven rank last at locate_source rare_steps
! Each eighth of 48 steps the last rank looks for the source on a grid, about 70 ms, while the
! others wait; the twin's ranks look at 1/size of the grid each: with two ranks 0.3 s of 1.3 s less.
!
! zoo: fence_for_each latency rank any at put_traces
! Traces of 256 bytes go to the next rank's memory, each between two fences of its own, 4000/size
! of them in each of 60 steps, barriers of 1 us and more; the twin has two fences in a step.
!
! zoo: more_picks ended rank last at receive_picks ends
! At three quarters of the run rank 0 has more picks than the last rank has room for, which MPI
! takes for an error there, and ends the job; the twin has room.
program seismic
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    implicit none
    integer, parameter :: points = 2000
    integer :: rank, size
    logical :: mended
    double precision :: wave(0:points + 1), speed(points)
    character(len=256) :: word, form
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    call get_command_argument(1, word)
    call get_command_argument(2, form)
    mended = form == 'mended'
    wave = 0
    wave(points/2) = 1
    speed = 0.1d0
    select case (word)
    case ('relocated')
        call relocated()
    case ('fence_for_each')
        call fence_for_each()
    case ('more_picks')
        call more_picks()
    case default
        write (0, *) 'usage: seismic CASE planted|mended [FOLDER]'
        call MPI_Abort(MPI_COMM_WORLD, 2)
    end select
    call MPI_Finalize()

contains

    subroutine propagate(passes)
        integer, intent(in) :: passes
        integer :: pass, at
        do pass = 1, passes
            do at = 1, points
                wave(at) = wave(at) + speed(at)*(wave(at - 1) - 2*wave(at) + wave(at + 1))
            end do
        end do
    end subroutine propagate

    ! The misfit of arrivals at 20 stations, for each point of the grid.
    subroutine locate_source(first, last, best)
        integer, intent(in) :: first, last
        double precision, intent(out) :: best
        double precision :: misfit, distance
        integer :: at, station
        best = huge(best)
        do at = first, last
            misfit = 0
            do station = 1, 20
                distance = sqrt(dble(at)*at + dble(station)*station)
                misfit = misfit + (distance - station*100d0)**2
            end do
            best = min(best, misfit)
        end do
    end subroutine locate_source

    subroutine relocated()
        integer, parameter :: grid = 2000000
        double precision :: best, lowest
        integer :: step
        best = 0
        do step = 1, 48
            call propagate(2400/size)
            if (mod(step, 8) == 0) then
                if (mended) then
                    call locate_source(rank*grid/size + 1, (rank + 1)*grid/size, best)
                else if (rank == size - 1) then
                    call locate_source(1, grid, best)
                end if
            end if
            call MPI_Allreduce(best, lowest, 1, MPI_DOUBLE_PRECISION, MPI_MIN, MPI_COMM_WORLD)
        end do
    end subroutine relocated

    subroutine put_traces(traces, count, samples, window)
        integer, intent(in) :: count, samples
        double precision, intent(in) :: traces(samples, count)
        type(MPI_Win), intent(in) :: window
        integer(MPI_ADDRESS_KIND) :: at
        integer :: trace
        if (mended) call MPI_Win_fence(0, window)
        do trace = 1, count
            at = (trace - 1)*samples
            if (.not. mended) call MPI_Win_fence(0, window)
            call MPI_Put(traces(1, trace), samples, MPI_DOUBLE_PRECISION, mod(rank + 1, size), at, &
                         samples, MPI_DOUBLE_PRECISION, window)
            if (.not. mended) call MPI_Win_fence(0, window)
        end do
        if (mended) call MPI_Win_fence(0, window)
    end subroutine put_traces

    subroutine fence_for_each()
        integer, parameter :: samples = 32
        double precision, allocatable :: traces(:, :)
        double precision, pointer :: beside(:)
        type(MPI_Win) :: window
        type(c_ptr) :: memory
        integer(MPI_ADDRESS_KIND) :: bytes
        integer :: step, count
        count = 4000/size
        allocate (traces(samples, count))
        traces = rank
        bytes = 8*samples*count
        call MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, memory, window)
        call c_f_pointer(memory, beside, [samples*count])
        beside = 0
        do step = 1, 60
            call propagate(1500/size)
            traces(1, 1) = wave(points/2)
            call put_traces(traces, count, samples, window)
            wave(0) = wave(0) + 1d-9*beside(1)
        end do
        call MPI_Win_free(window)
    end subroutine fence_for_each

    subroutine receive_picks(room)
        integer, intent(in) :: room
        double precision, allocatable :: picks(:)
        allocate (picks(room))
        call MPI_Recv(picks, room, MPI_DOUBLE_PRECISION, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        wave(0) = wave(0) + 1d-9*picks(1)
    end subroutine receive_picks

    subroutine more_picks()
        double precision, allocatable :: picks(:)
        double precision :: strongest
        integer :: step
        allocate (picks(2000))
        picks = 1
        do step = 1, 40
            call propagate(4500/size)
            if (rank == 0) then
                call MPI_Send(picks, merge(1200, 30*step, step == 30), MPI_DOUBLE_PRECISION, &
                              size - 1, 3, MPI_COMM_WORLD)
            else if (rank == size - 1) then
                call receive_picks(merge(2000, 1195, mended))
            end if
            strongest = wave(points/2)
            call MPI_Allreduce(MPI_IN_PLACE, strongest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, &
                               MPI_COMM_WORLD)
        end do
    end subroutine more_picks
end program seismic
