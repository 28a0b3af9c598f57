! Zoo: ice that flows down a valley, in Fortran (../zoo.h, score.py).
!
! zoo: every_step files rank any at write_checkpoint
! All ranks write a checkpoint of 32 MiB by MPI-IO in each of 120 steps, into one half of a file or
! the other, so that one is always whole; the twin writes each tenth step.
!
! zoo: in_order in_turn rank any at add_in_order
! The mass has to be the same to the last bit for any number of ranks, so each one adds its cells to
! the sum of the rank before, in quadruple precision, 640000/size of them in each of 40 steps: one
! rank adds at a time. The twin's ranks sum up blocks of 1000 cells, and rank 0 adds these in order.
!
! zoo: short_history healthy
! Edges go to both neighbours in each step, which takes up to a twentieth longer on one rank than on
! the other, another one each time; each eighth step rank 0 writes a line of text about each rank.
program glacier
    use mpi_f08
    use, intrinsic :: iso_fortran_env, only: real64, real128
    implicit none
    integer, parameter :: cells = 2000
    integer :: rank, size
    logical :: mended
    real(real64) :: ice(0:cells + 1)
    character(len=256) :: word, form, folder
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    call get_command_argument(1, word)
    call get_command_argument(2, form)
    call get_command_argument(3, folder)
    if (folder == '') folder = '.'
    mended = form == 'mended'
    ice = 1
    ice(700) = 3
    select case (word)
    case ('every_step')
        call every_step()
    case ('in_order')
        call in_order()
    case ('short_history')
        call short_history()
    case default
        write (0, *) 'usage: glacier CASE planted|mended [FOLDER]'
        call MPI_Abort(MPI_COMM_WORLD, 2)
    end select
    call MPI_Finalize()

contains

    ! Glen's law: the third power of the slope.
    subroutine flow_down(passes)
        integer, intent(in) :: passes
        real(real64) :: slope, flux, before
        integer :: pass, at
        do pass = 1, passes
            before = 0
            do at = 1, cells
                slope = ice(at) - ice(at + 1)
                flux = 0.01_real64*slope*slope*slope
                ice(at) = ice(at) + before - flux
                before = flux
            end do
        end do
    end subroutine flow_down

    subroutine write_checkpoint(file, state, number)
        type(MPI_File), intent(in) :: file
        real(real64), intent(in) :: state(:)
        integer, intent(in) :: number
        integer(MPI_OFFSET_KIND) :: from
        from = 8_MPI_OFFSET_KIND*ubound(state, 1)*(mod(number, 2)*size + rank)
        call MPI_File_write_at(file, from, state, ubound(state, 1), MPI_DOUBLE_PRECISION, &
                               MPI_STATUS_IGNORE)
    end subroutine write_checkpoint

    subroutine every_step()
        integer, parameter :: all = 4*1024*1024, steps = 120
        integer :: apart
        real(real64), allocatable :: state(:)
        type(MPI_File) :: file
        integer :: step
        allocate (state(all/size))
        state = 1
        apart = merge(10, 1, mended)
        call MPI_File_open(MPI_COMM_WORLD, trim(folder)//'/checkpoint', MPI_MODE_CREATE + &
                           MPI_MODE_WRONLY + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file)
        do step = 1, steps
            call flow_down(8000/size)
            state(step) = ice(step)
            if (mod(step, apart) == 0) call write_checkpoint(file, state, step/apart)
            call MPI_Allreduce(MPI_IN_PLACE, ice(cells), 1, MPI_DOUBLE_PRECISION, MPI_MAX, &
                               MPI_COMM_WORLD)
        end do
        call MPI_File_close(file)
    end subroutine every_step

    subroutine add_cells(thickness, mass)
        real(real64), intent(in) :: thickness(:)
        real(real128), intent(inout) :: mass
        integer :: at
        do at = 1, ubound(thickness, 1)
            mass = mass + 0.917_real128*thickness(at)
        end do
    end subroutine add_cells

    subroutine add_in_order(thickness, mass)
        real(real64), intent(in) :: thickness(:)
        real(real128), intent(out) :: mass
        mass = 0
        if (rank > 0) call MPI_Recv(mass, 16, MPI_BYTE, rank - 1, 1, MPI_COMM_WORLD, &
                                    MPI_STATUS_IGNORE)
        call add_cells(thickness, mass)
        if (rank < size - 1) call MPI_Send(mass, 16, MPI_BYTE, rank + 1, 1, MPI_COMM_WORLD)
        call MPI_Bcast(mass, 16, MPI_BYTE, size - 1, MPI_COMM_WORLD)
    end subroutine add_in_order

    subroutine add_blocks(thickness, mass)
        integer, parameter :: of_block = 1000
        real(real64), intent(in) :: thickness(:)
        real(real128), intent(out) :: mass
        real(real128) :: mine(ubound(thickness, 1)/of_block), everyone(ubound(mine, 1)*size)
        integer :: block, bytes
        mine = 0
        do block = 1, ubound(mine, 1)
            call add_cells(thickness((block - 1)*of_block + 1:block*of_block), mine(block))
        end do
        bytes = 16*ubound(mine, 1)
        call MPI_Gather(mine, bytes, MPI_BYTE, everyone, bytes, MPI_BYTE, 0, MPI_COMM_WORLD)
        mass = 0
        do block = 1, merge(ubound(everyone, 1), 0, rank == 0)
            mass = mass + everyone(block)
        end do
        call MPI_Bcast(mass, 16, MPI_BYTE, 0, MPI_COMM_WORLD)
    end subroutine add_blocks

    subroutine in_order()
        integer, parameter :: all = 640000, steps = 40
        real(real64), allocatable :: thickness(:)
        real(real128) :: mass
        integer :: step
        allocate (thickness(all/size))
        thickness = 1
        do step = 1, steps
            call flow_down(6000/size)
            thickness(step) = ice(step)
            if (mended) then
                call add_blocks(thickness, mass)
            else
                call add_in_order(thickness, mass)
            end if
            ice(1) = ice(1) + 1e-12_real64*real(mass, real64)
        end do
    end subroutine in_order

    subroutine exchange_edges()
        integer :: before, behind
        before = merge(rank - 1, MPI_PROC_NULL, rank > 0)
        behind = merge(rank + 1, MPI_PROC_NULL, rank < size - 1)
        call MPI_Sendrecv(ice(1), 1, MPI_DOUBLE_PRECISION, before, 1, ice(cells + 1), 1, &
                          MPI_DOUBLE_PRECISION, behind, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call MPI_Sendrecv(ice(cells), 1, MPI_DOUBLE_PRECISION, behind, 2, ice(0), 1, &
                          MPI_DOUBLE_PRECISION, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end subroutine exchange_edges

    subroutine write_history(unit, step)
        integer, intent(in) :: unit, step
        real(real64) :: mine(10), everyone(10*size)
        integer :: line
        mine = ice(1:10)
        call MPI_Gather(mine, 10, MPI_DOUBLE_PRECISION, everyone, 10, MPI_DOUBLE_PRECISION, 0, &
                        MPI_COMM_WORLD)
        if (rank /= 0) return
        do line = 0, size - 1
            write (unit, '(i5, 10es12.4)') step, everyone(10*line + 1:10*line + 10)
        end do
    end subroutine write_history

    subroutine short_history()
        integer, parameter :: steps = 80, passes = 24000
        real(real64) :: share
        integer, allocatable :: seed(:)
        integer :: step, unit, numbers
        call random_seed(size=numbers)
        allocate (seed(numbers))
        seed = 12345 + 7919*rank
        call random_seed(put=seed)
        if (rank == 0) open (newunit=unit, file=trim(folder)//'/history', action='write')
        do step = 1, steps
            call random_number(share)
            call flow_down(int(passes/size*(0.95_real64 + 0.05_real64*share)))
            call exchange_edges()
            if (mod(step, 8) == 0) call write_history(unit, step)
        end do
        if (rank == 0) close (unit, status='delete')
    end subroutine short_history
end program glacier
