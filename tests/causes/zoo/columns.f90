! Zoo: a weather model in small (score.py). Day and night: the physics of the last rank's columns takes
! three times as long. The twin divides the columns evenly by what they cost.
!
! zoo: columns uneven rank last at column_physics
program columns
    use mpi
    implicit none
    integer :: rank, ranks, error, step
    double precision :: mine, total
    character(len=16) :: form

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    call get_command_argument(2, form)
    mine = 0
    do step = 1, 60
        if (form == 'mended') then
            call column_physics(32000 / ranks, mine)
        else if (rank == ranks - 1) then
            call column_physics(3 * (32000 / (ranks + 2)), mine)
        else
            call column_physics(32000 / (ranks + 2), mine)
        end if
        call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    end do
    if (rank == 0) print '(a, es12.4)', 'total', total
    call MPI_Finalize(error)

contains

    subroutine column_physics(microseconds, value)
        integer, intent(in) :: microseconds
        double precision, intent(inout) :: value
        integer :: i, column
        do column = 1, microseconds
            do i = 1, 700
                value = value * 0.999d0 + 1.0d0
            end do
        end do
    end subroutine column_physics
end program columns
