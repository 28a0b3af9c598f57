! Zoo: neutrons in a reactor, in Fortran (../zoo.h, score.py).
!
! zoo: relieved_rank blocked+uneven rank any at ask_plant|sweep_cells|relieved_rank
! Rank 0 asks a command of the plant for the state of the rods, which takes 20 ms, in each of 40
! steps, and has half as many cells as its share for that: with two ranks 10 ms of 40, the other 30.
! Either alone gains nothing or little; in the twin the state is there and cells are even, and a
! step takes 20 ms instead of 30.
!
! zoo: stop_file kernel rank any at stop_wanted
! Whether a file "stop" or "pause" exists is asked after each few cells, 800000 times in all, 1 to
! 2 us in the kernel each, by all ranks; the twin asks in each step.
!
! zoo: group_sweeps healthy
! Edges of 8 energy groups go to the ranks before and after with MPI_Sendrecv of a strided type, a
! sum follows each second step, and rank 0 writes a line: all less than a hundredth of the run.
program reactor
    use mpi
    implicit none
    integer, parameter :: cells = 1000, groups = 8
    integer :: rank, size, error
    logical :: mended
    double precision :: flux(0:cells + 1)
    character(len=256) :: word, form, folder
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, size, error)
    call get_command_argument(1, word)
    call get_command_argument(2, form)
    call get_command_argument(3, folder)
    if (folder == '') folder = '.'
    mended = form == 'mended'
    flux = 1
    select case (word)
    case ('relieved_rank')
        call relieved_rank()
    case ('stop_file')
        call stop_file()
    case ('group_sweeps')
        call group_sweeps()
    case default
        write (0, *) 'usage: reactor CASE planted|mended [FOLDER]'
        call MPI_Abort(MPI_COMM_WORLD, 2, error)
    end select
    call MPI_Finalize(error)

contains

    ! One pass costs about 5 us.
    subroutine sweep_cells(passes)
        integer, intent(in) :: passes
        integer :: pass, at
        do pass = 1, passes
            do at = 1, cells
                flux(at) = 0.3d0*flux(at - 1) + 0.4d0*flux(at) + 0.3d0*flux(at + 1)
            end do
        end do
    end subroutine sweep_cells

    ! As the plant's own tool does: it has an answer when it has one.
    subroutine ask_plant()
        integer :: status
        call execute_command_line('sleep 0.02', exitstat=status)
        if (status /= 0) call MPI_Abort(MPI_COMM_WORLD, 3, error)
    end subroutine ask_plant

    subroutine relieved_rank()
        integer, parameter :: passes = 8000
        integer :: step, mine
        mine = passes/size
        if (.not. mended) then
            mine = passes/(2*size)
            if (rank > 0) mine = (passes - mine)/(size - 1)
        end if
        do step = 1, 40
            if (rank == 0 .and. .not. mended) call ask_plant()
            call sweep_cells(mine)
            call MPI_Bcast(flux(1), 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
            call MPI_Barrier(MPI_COMM_WORLD, error)
        end do
    end subroutine relieved_rank

    subroutine stop_wanted(wanted)
        logical, intent(out) :: wanted
        inquire (file=trim(folder)//'/stop', exist=wanted)
        if (.not. wanted) inquire (file=trim(folder)//'/pause', exist=wanted)
    end subroutine stop_wanted

    subroutine stop_file()
        integer :: step, block
        logical :: wanted
        do step = 1, 40
            call stop_wanted(wanted)
            do block = 1, 10000/size
                call sweep_cells(1)
                if (.not. mended) call stop_wanted(wanted)
                if (wanted) exit
            end do
            call MPI_Allreduce(MPI_IN_PLACE, wanted, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, &
                               error)
            if (wanted) return
        end do
    end subroutine stop_file

    subroutine group_sweeps()
        double precision :: fluxes(groups, 0:cells + 1), total
        integer :: edge, step, unit, up, down
        up = merge(rank + 1, MPI_PROC_NULL, rank < size - 1)
        down = merge(rank - 1, MPI_PROC_NULL, rank > 0)
        fluxes = 1
        if (rank == 0) open (newunit=unit, file=trim(folder)//'/totals', action='write')
        call MPI_Type_vector(groups/2, 1, 2, MPI_DOUBLE_PRECISION, edge, error)
        call MPI_Type_commit(edge, error)
        do step = 1, 60
            call sweep_cells(8000/size)
            fluxes(:, cells) = flux(cells)
            call MPI_Sendrecv(fluxes(1, cells), 1, edge, up, step, fluxes(1, 0), 1, edge, down, &
                              step, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
            call MPI_Sendrecv(fluxes(2, 1), 1, edge, down, step, fluxes(2, cells + 1), 1, edge, &
                              up, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
            if (mod(step, 2) == 0) call MPI_Reduce(flux(1), total, 1, MPI_DOUBLE_PRECISION, &
                                                   MPI_SUM, 0, MPI_COMM_WORLD, error)
            if (mod(step, 2) == 0 .and. rank == 0) write (unit, *) step, total
        end do
        if (rank == 0) close (unit, status='delete')
        call MPI_Type_free(edge, error)
    end subroutine group_sweeps
end program reactor
