! Zoo: a plane-wave code in Fortran (score.py). The twins: all ranks diagonalise, the density that
! travels is the coarse one, one sum for all bands, the input is right.
!
! zoo: diagonal in_turn rank any at diagonalize
! zoo: density bandwidth rank any at sum_density
! zoo: bands latency rank any at overlap_bands
! zoo: cutoff ended rank 0 at read_cutoff ends
program quantum
    use mpi
    implicit none
    integer, parameter :: steps = 40, fine = 1500000
    integer :: rank, ranks, error, step, pool, pool_ranks
    double precision :: mine, total
    double precision, allocatable :: rho(:), rho_all(:)
    logical :: mended
    character(len=16) :: what, form

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    call get_command_argument(1, what)
    call get_command_argument(2, form)
    mended = form == 'mended'
    ! Points of the lattice are divided among pools of two ranks.
    call MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, pool, error)
    call MPI_Comm_size(pool, pool_ranks, error)
    allocate (rho(fine), rho_all(fine), source=1d0)
    mine = 0
    do step = 1, steps
        select case (what)
        case ('diagonal')
            call apply(24000 / ranks, mine)
            call diagonalize(mod(step, ranks))
        case ('density')
            call apply(32000 / ranks, mine)
            call sum_density()
        case ('bands')
            call apply(32000 / ranks, mine)
            call overlap_bands(12000 / ranks)
        case ('cutoff')
            call apply(32000 / ranks, mine)
            if (step == steps / 2) call read_cutoff()
        end select
        call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    end do
    if (rank == 0) print '(a, es12.4)', 'energy', total
    call MPI_Comm_free(pool, error)
    call MPI_Finalize(error)

contains

    subroutine apply(microseconds, value)
        integer, intent(in) :: microseconds
        double precision, intent(inout) :: value
        integer :: i, cell
        do cell = 1, microseconds
            do i = 1, 700
                value = value * 0.999d0 + 1.0d0
            end do
        end do
    end subroutine apply

    ! One rank has the small matrix, each time another one; the others wait for its vectors.
    subroutine diagonalize(owner)
        integer, intent(in) :: owner
        double precision, save :: vectors(2000) = 0
        if (mended) then
            call apply(24000 / ranks, mine)
        else if (rank == owner) then
            call apply(24000, mine)
        end if
        call MPI_Bcast(vectors, 2000, MPI_DOUBLE_PRECISION, owner, MPI_COMM_WORLD, error)
    end subroutine diagonalize

    subroutine sum_density()
        integer :: points
        points = merge(fine / 100, fine, mended)
        call MPI_Allreduce(rho, rho_all, points, MPI_DOUBLE_PRECISION, MPI_SUM, pool, error)
    end subroutine sum_density

    ! One sum in the pool for each pair of bands.
    subroutine overlap_bands(pairs)
        integer, intent(in) :: pairs
        double precision, save :: one(12000) = 1, all(12000) = 0
        integer :: pair, many
        many = merge(pairs, 1, mended)
        do pair = 1, pairs, many
            call MPI_Reduce(one(pair), all(pair), many, MPI_DOUBLE_PRECISION, MPI_SUM, &
                mod(pair, pool_ranks), pool, error)
        end do
    end subroutine overlap_bands

    subroutine read_cutoff()
        if (rank == 0 .and. .not. mended) then
            write (0, *) 'no pseudopotential for this cutoff'
            call MPI_Abort(MPI_COMM_WORLD, 7, error)
        end if
    end subroutine read_cutoff
end program quantum
