! Zoo: grains that grow in an alloy while it cools, in Fortran (../zoo.h, score.py).
!
! zoo: each_grain latency rank any at grow_grain
! All ranks have cells of each grain. The volume of each of 2000 grains is summed up over the ranks
! by a call for itself, one number, in each of 300 steps; the twin sums up all volumes by one call.
!
! zoo: wide_edges healthy
! Edges of 256 KiB go to both neighbours while the inner rows are worked out, which takes far
! longer; then the ranks wait for them and do the rows at the edges.
program alloy
    use mpi_f08
    use, intrinsic :: iso_fortran_env, only: real64
    implicit none
    integer :: rank, size
    logical :: mended
    character(len=32) :: word, form
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    call get_command_argument(1, word)
    call get_command_argument(2, form)
    mended = form == 'mended'
    select case (word)
    case ('each_grain')
        call each_grain()
    case ('wide_edges')
        call wide_edges()
    case default
        write (0, *) 'usage: alloy CASE planted|mended [FOLDER]'
        call MPI_Abort(MPI_COMM_WORLD, 2)
    end select
    call MPI_Finalize()

contains

    ! -> the volume of it: all ranks' cells, but this rank's alone in the twin.
    subroutine grow_grain(phase, undercooling, volume)
        real(real64), intent(inout) :: phase(:)
        real(real64), intent(in) :: undercooling
        real(real64), intent(out) :: volume
        real(real64) :: before, value
        integer :: cell
        before = 0.5_real64
        volume = 0
        do cell = 1, ubound(phase, 1)
            value = phase(cell)
            phase(cell) = value + value*(1 - value)*(before - 0.5_real64 + undercooling)
            before = phase(cell)
            volume = volume + before
        end do
        if (.not. mended) call MPI_Allreduce(MPI_IN_PLACE, volume, 1, MPI_DOUBLE_PRECISION, &
                                             MPI_SUM, MPI_COMM_WORLD)
    end subroutine grow_grain

    subroutine each_grain()
        integer, parameter :: grains = 2000, of_grain = 600, steps = 300
        real(real64), allocatable :: phase(:, :)
        real(real64) :: volume(grains)
        integer :: step, grain
        allocate (phase(of_grain/size, grains))
        phase = 0.5_real64
        volume = 0
        do step = 1, steps
            do grain = 1, grains
                call grow_grain(phase(:, grain), 1e-9_real64*volume(grain), volume(grain))
            end do
            if (mended) call MPI_Allreduce(MPI_IN_PLACE, volume, grains, MPI_DOUBLE_PRECISION, &
                                           MPI_SUM, MPI_COMM_WORLD)
        end do
    end subroutine each_grain

    subroutine relax_rows(field, next, first, last)
        real(real64), intent(in), contiguous :: field(:, 0:)
        real(real64), intent(inout), contiguous :: next(:, 0:)
        integer, intent(in) :: first, last
        integer :: row, at, width
        width = ubound(field, 1)
        do row = first, last
            do at = 2, width - 1
                next(at, row) = 0.5_real64*field(at, row) + 0.125_real64*( &
                                field(at - 1, row) + field(at + 1, row) + field(at, row - 1) + &
                                field(at, row + 1))
                next(at, row) = next(at, row)*(1.5_real64 - 0.5_real64*next(at, row)**2)
            end do
        end do
    end subroutine relax_rows

    subroutine start_edges(field, rows, requests)
        real(real64), intent(inout), contiguous, asynchronous :: field(:, 0:)
        integer, intent(in) :: rows
        type(MPI_Request), intent(out) :: requests(4)
        integer :: width, before, behind
        width = ubound(field, 1)
        before = merge(rank - 1, MPI_PROC_NULL, rank > 0)
        behind = merge(rank + 1, MPI_PROC_NULL, rank < size - 1)
        call MPI_Irecv(field(:, 0), width, MPI_DOUBLE_PRECISION, before, 1, MPI_COMM_WORLD, &
                       requests(1))
        call MPI_Irecv(field(:, rows + 1), width, MPI_DOUBLE_PRECISION, behind, 2, &
                       MPI_COMM_WORLD, requests(2))
        call MPI_Isend(field(:, rows), width, MPI_DOUBLE_PRECISION, behind, 1, MPI_COMM_WORLD, &
                       requests(3))
        call MPI_Isend(field(:, 1), width, MPI_DOUBLE_PRECISION, before, 2, MPI_COMM_WORLD, &
                       requests(4))
    end subroutine start_edges

    subroutine wide_edges()
        integer, parameter :: width = 32768, all_rows = 96, steps = 300
        real(real64), allocatable, asynchronous :: field(:, :)
        real(real64), allocatable :: next(:, :)
        type(MPI_Request) :: requests(4)
        integer :: step, rows
        rows = all_rows/size
        allocate (field(width, 0:rows + 1), next(width, 0:rows + 1))
        field = 0.5_real64
        next = 0.5_real64
        do step = 1, steps
            call start_edges(field, rows, requests)
            call relax_rows(field, next, 2, rows - 1)
            call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
            call relax_rows(field, next, 1, 1)
            call relax_rows(field, next, rows, rows)
            field(:, 1:rows) = next(:, 1:rows)
        end do
    end subroutine wide_edges
end program alloy
