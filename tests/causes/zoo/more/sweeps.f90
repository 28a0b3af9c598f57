! Zoo: a Fortran solver with causes of several kinds (score.py). The twins: the sweep in one go on all ranks, one
! message per border, slow columns divided evenly, the matrix filled by all threads.
!
! zoo: wavefront in_turn rank any at sweep_rows
! zoo: borders latency rank any at swap_borders
! zoo: quarters uneven rank changes at drift_cells
! zoo: fill threads rank 0 at fill_matrix threads
! zoo: even healthy
program sweeps
    use mpi
    implicit none
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
        case ('wavefront')
            call work(12000, mine)
            call sweep_rows(24000 / ranks, mine)
        case ('borders')
            call work(40000 / ranks, mine)
            call swap_borders(30000 / ranks)
        case ('quarters')
            call drift_cells(step, mine)
        case ('fill')
            call fill_matrix(30000, mine)
            call even_rows(20000, mine)
        case ('even')
            call work(50000 / ranks, mine)
        end select
        call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    end do
    if (rank == 0) print '(a, es12.4)', 'total', total
    call MPI_Finalize(error)

contains

    subroutine work(microseconds, value)
        integer, intent(in) :: microseconds
        double precision, intent(inout) :: value
        integer :: i, cell
        do cell = 1, microseconds
            do i = 1, 700
                value = value * 0.999d0 + 1.0d0
            end do
        end do
    end subroutine work

    ! To the right: each rank begins when the one before it is done.
    subroutine sweep_rows(microseconds, value)
        integer, intent(in) :: microseconds
        double precision, intent(inout) :: value
        double precision :: edge
        if (.not. mended .and. rank > 0) call MPI_Recv(edge, 1, MPI_DOUBLE_PRECISION, rank - 1, 0, &
            MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        call work(microseconds, value)
        if (.not. mended .and. rank < ranks - 1) call MPI_Send(value, 1, MPI_DOUBLE_PRECISION, &
            rank + 1, 0, MPI_COMM_WORLD, error)
    end subroutine sweep_rows

    ! One value a message.
    subroutine swap_borders(values)
        integer, intent(in) :: values
        double precision, save :: out(30000) = 0, in(30000) = 0
        integer :: at, count, both(2)
        count = merge(values, 1, mended)
        do at = 1, values, count
            call MPI_Irecv(in(at), count, MPI_DOUBLE_PRECISION, modulo(rank - 1, ranks), 0, &
                MPI_COMM_WORLD, both(1), error)
            call MPI_Isend(out(at), count, MPI_DOUBLE_PRECISION, modulo(rank + 1, ranks), 0, &
                MPI_COMM_WORLD, both(2), error)
            call MPI_Waitall(2, both, MPI_STATUSES_IGNORE, error)
        end do
    end subroutine swap_borders

    ! The cells that are hard drift from the first rank to the last during the run.
    subroutine drift_cells(now, value)
        integer, intent(in) :: now
        double precision, intent(inout) :: value
        integer :: slow
        slow = (now - 1) * ranks / steps
        if (mended) then
            call work(60000 / ranks, value)
        else if (rank == slow) then
            call work(3 * (60000 / (ranks + 2)), value)
        else
            call work(60000 / (ranks + 2), value)
        end if
    end subroutine drift_cells

    subroutine fill_matrix(microseconds, value)
        integer, intent(in) :: microseconds
        double precision, intent(inout) :: value
        if (mended) then
            call even_rows(microseconds, value)
        else
            call work(microseconds, value)
        end if
    end subroutine fill_matrix

    subroutine even_rows(microseconds, value)
        integer, intent(in) :: microseconds
        double precision, intent(inout) :: value
        double precision :: part
        integer :: row
        !$omp parallel do private(part)
        do row = 1, 100
            part = 0
            call work(microseconds / 100, part)
            !$omp atomic
            value = value + part
        end do
    end subroutine even_rows
end program sweeps
