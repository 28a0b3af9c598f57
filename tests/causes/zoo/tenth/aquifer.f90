! Zoo: water in the ground and the wells in it, in Fortran (../zoo.h, score.py).
!
! zoo: well_by_well files rank 0 at write_well
! In each of 40 steps rank 0 gathers what all 20000 wells have pumped and writes the 24 bytes of
! each one by a call of MPI-IO of its own, while the others wait for it; the twin's writes all by
! one.
!
! zoo: own_part_first in_turn rank any at share_step|relax_part
! Rank 0 works out its own part of each of 40 periods before it sends the others theirs, which are
! as large: they wait for their part, and then rank 0 waits for them. The twin's sends them first.
program aquifer
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
    case ('well_by_well')
        call well_by_well()
    case ('own_part_first')
        call own_part_first()
    case default
        write (0, *) 'usage: aquifer CASE planted|mended [FOLDER]'
        call MPI_Abort(MPI_COMM_WORLD, 2)
    end select
    call MPI_Finalize()

contains

    ! How high the water stands in each cell, with that of its neighbours.
    subroutine relax_part(head, sweeps)
        real(real64), intent(inout), contiguous :: head(:)
        integer, intent(in) :: sweeps
        integer :: sweep, cell
        do sweep = 1, sweeps
            do cell = 2, ubound(head, 1) - 1
                head(cell) = 0.2_real64*head(cell) + 0.4_real64*(head(cell - 1) + head(cell + 1)) &
                             + 1e-6_real64
            end do
        end do
    end subroutine relax_part

    subroutine write_well(file, number, values)
        type(MPI_File), intent(in) :: file
        integer, intent(in) :: number
        real(real64), intent(in) :: values(3)
        call MPI_File_write_at(file, 24_MPI_OFFSET_KIND*(number - 1), values, 3, &
                               MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE)
    end subroutine write_well

    subroutine write_wells(file, values)
        type(MPI_File), intent(in) :: file
        real(real64), intent(in), contiguous :: values(:, :)
        integer :: number
        if (mended) then
            call MPI_File_write_at(file, 0_MPI_OFFSET_KIND, values, 3*ubound(values, 2), &
                                   MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE)
        else
            do number = 1, ubound(values, 2)
                call write_well(file, number, values(:, number))
            end do
        end if
    end subroutine write_wells

    subroutine well_by_well()
        integer, parameter :: wells = 20000, cells = 4000, steps = 40
        real(real64) :: head(cells)
        real(real64), allocatable :: mine(:, :), everyone(:, :)
        type(MPI_File) :: file
        integer :: step, count
        count = wells/size
        allocate (mine(3, count), everyone(3, count*size))
        head = 1
        mine = 0
        if (rank == 0) call MPI_File_open(MPI_COMM_SELF, trim(folder)//'/wells', MPI_MODE_CREATE &
                                          + MPI_MODE_WRONLY + MPI_MODE_DELETE_ON_CLOSE, &
                                          MPI_INFO_NULL, file)
        do step = 1, steps
            call relax_part(head, 1300/size)
            mine(2, :) = head(1000)
            call MPI_Gather(mine, 3*count, MPI_DOUBLE_PRECISION, everyone, 3*count, &
                            MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
            if (rank == 0) call write_wells(file, everyone)
            call MPI_Allreduce(MPI_IN_PLACE, head(1), 1, MPI_DOUBLE_PRECISION, MPI_MAX, &
                               MPI_COMM_WORLD)
        end do
        if (rank == 0) call MPI_File_close(file)
    end subroutine well_by_well

    subroutine send_parts(head, count)
        real(real64), intent(in), contiguous :: head(:)
        integer, intent(in) :: count
        integer :: other
        do other = 1, size - 1
            call MPI_Send(head(other*count + 1), count, MPI_DOUBLE_PRECISION, other, 1, &
                          MPI_COMM_WORLD)
        end do
    end subroutine send_parts

    ! Rank 0 has all cells, the others their part.
    subroutine share_step(head, count, sweeps)
        real(real64), intent(inout), contiguous :: head(:)
        integer, intent(in) :: count, sweeps
        integer :: other
        if (rank > 0) then
            call MPI_Recv(head, count, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, &
                          MPI_STATUS_IGNORE)
            call relax_part(head(1:count), sweeps)
            call MPI_Send(head, count, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD)
            return
        end if
        if (mended) call send_parts(head, count)
        call relax_part(head(1:count), sweeps)
        if (.not. mended) call send_parts(head, count)
        do other = 1, size - 1
            call MPI_Recv(head(other*count + 1), count, MPI_DOUBLE_PRECISION, other, 2, &
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        end do
    end subroutine share_step

    subroutine own_part_first()
        integer, parameter :: cells = 64000, periods = 40
        real(real64), allocatable :: head(:)
        integer :: period
        allocate (head(cells))
        head = 1
        do period = 1, periods
            call share_step(head, cells/size, 100)
        end do
    end subroutine own_part_first
end program aquifer
