! Zoo: an ocean model in Fortran (score.py). The twins: one transpose for all lines, tides that are
! there and columns that are mixed evenly, a time step that is short enough.
!
! zoo: lines latency rank any at transpose_lines
! zoo: tides blocked+uneven rank any at read_tides|mix_columns
! zoo: courant ended rank 0 at check_courant ends
program ocean
    use mpi
    use, intrinsic :: iso_c_binding
    implicit none
    interface
        integer(c_int) function usleep(microseconds) bind(c)
            import c_int
            integer(c_int), value :: microseconds
        end function usleep
    end interface
    integer, parameter :: steps = 40
    integer :: rank, ranks, error, step
    double precision :: mine, total
    logical :: mended
    character(len=16) :: what, form

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    call get_command_argument(1, what)
    call get_command_argument(2, form)
    mended = form == 'mended'
    mine = 0
    do step = 1, steps
        select case (what)
        case ('lines')
            call advance(40000 / ranks, mine)
            call transpose_lines(24000 / ranks)
        case ('tides')
            call advance(24000 / ranks, mine)
            if (rank == ranks - 1) call read_tides()
            call mix_columns(mine)
        case ('courant')
            call advance(40000 / ranks, mine)
            call check_courant(0.04d0 * step)
        end select
        call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    end do
    if (rank == 0) print '(a, es12.4)', 'total', total
    call MPI_Finalize(error)

contains

    subroutine advance(microseconds, value)
        integer, intent(in) :: microseconds
        double precision, intent(inout) :: value
        integer :: i, cell
        do cell = 1, microseconds
            do i = 1, 700
                value = value * 0.999d0 + 1.0d0
            end do
        end do
    end subroutine advance

    ! One MPI_Alltoall for each line of the spectrum.
    subroutine transpose_lines(lines)
        integer, intent(in) :: lines
        double precision, allocatable, save :: out(:), in(:)
        integer :: line, count
        if (.not. allocated(out)) allocate (out(lines * ranks), in(lines * ranks), source=0d0)
        count = merge(lines, 1, mended)
        do line = 1, lines, count
            call MPI_Alltoall(out((line - 1) * ranks + 1), count, MPI_DOUBLE_PRECISION, &
                in((line - 1) * ranks + 1), count, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
        end do
    end subroutine transpose_lines

    ! The last rank waits for the archive with the tides.
    subroutine read_tides()
        if (.not. mended) then
            if (usleep(24000_c_int) /= 0) mine = mine + 1
        end if
    end subroutine read_tides

    ! All columns that mix are the first rank's; the twin's are dealt out.
    subroutine mix_columns(value)
        double precision, intent(inout) :: value
        if (mended) then
            call advance(12000 / ranks, value)
        else if (rank == 0) then
            call advance(12000, value)
        end if
    end subroutine mix_columns

    subroutine check_courant(number)
        double precision, intent(in) :: number
        if (rank == 0 .and. number > 1 .and. .not. mended) error stop 'time step too long'
    end subroutine check_courant
end program ocean
