! Zoo: a flow in a box, in Fortran (../zoo.h, score.py).
!
! zoo: spectrum uneven rank 0 at sum_spectrum
! The flow is gathered in each of 50 steps, and rank 0 alone works out its spectrum, 15 ms and more,
! while the others wait for the forcing that follows from it; the twin's ranks sum up 1/size of the
! wave numbers each.
!
! zoo: timed_parts latency rank any at relax_row
! Each row of a small grid is timed, as one has seen it somewhere: a barrier of the ranks that share
! the plane before and behind it, 480000/size rows with some us of work each; the twin times the
! whole step.
!
! zoo: printed_fields in_turn rank any at print_field|printed_fields
! The ranks write 100000 numbers to one text file, one rank after another with a barrier behind
! each, in each of 36 steps; the twin's write files of their own at once, in 1/size of the time:
! with two ranks a third of the run less.
program turbulence
    use mpi
    implicit none
    integer, parameter :: cells = 4096, waves = 720
    integer :: rank, size, error
    logical :: mended
    double precision :: flow(0:cells + 1), energy(waves)
    character(len=256) :: word, form, folder
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, size, error)
    call get_command_argument(1, word)
    call get_command_argument(2, form)
    call get_command_argument(3, folder)
    if (folder == '') folder = '.'
    mended = form == 'mended'
    flow = 1
    flow(cells/4) = 2
    select case (word)
    case ('spectrum')
        call spectrum()
    case ('timed_parts')
        call timed_parts()
    case ('printed_fields')
        call printed_fields()
    case default
        write (0, *) 'usage: turbulence CASE planted|mended [FOLDER]'
        call MPI_Abort(MPI_COMM_WORLD, 2, error)
    end select
    call MPI_Finalize(error)

contains

    subroutine advance(first, last, passes)
        integer, intent(in) :: first, last, passes
        integer :: pass, at
        do pass = 1, passes
            do at = first, last
                flow(at) = flow(at) + 0.1d0*(flow(at - 1) - 2*flow(at) + flow(at + 1))
            end do
        end do
    end subroutine advance

    ! As the definition has it, not by a fast transform.
    subroutine sum_spectrum(values, first, last)
        double precision, intent(in) :: values(:)
        integer, intent(in) :: first, last
        double precision :: real_part, other_part, angle
        integer :: wave, at
        do wave = first, last
            real_part = 0
            other_part = 0
            do at = 1, ubound(values, 1)
                angle = 1.5d-3*wave*at
                real_part = real_part + values(at)*cos(angle)
                other_part = other_part + values(at)*sin(angle)
            end do
            energy(wave) = real_part**2 + other_part**2
        end do
    end subroutine sum_spectrum

    subroutine spectrum()
        integer, parameter :: sampled = 2048
        double precision :: values(sampled), mine(waves), forcing
        integer :: step, share, part
        share = sampled/size
        part = waves/size
        forcing = 0
        do step = 1, 50
            call advance(1, cells, 800/size)
            flow(1) = flow(1) + 1d-9*forcing
            call MPI_Allgather(flow(1), share, MPI_DOUBLE_PRECISION, values, share, &
                               MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
            energy = 0
            if (mended) then
                call sum_spectrum(values, rank*part + 1, (rank + 1)*part)
                mine = energy
                call MPI_Allreduce(mine, energy, waves, MPI_DOUBLE_PRECISION, MPI_SUM, &
                                   MPI_COMM_WORLD, error)
            else if (rank == 0) then
                call sum_spectrum(values, 1, waves)
            end if
            forcing = sum(energy)
            call MPI_Bcast(forcing, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
        end do
    end subroutine spectrum

    subroutine relax_row(row, ranks, spent)
        integer, intent(in) :: row, ranks
        double precision, intent(inout) :: spent
        double precision :: begin
        begin = 0
        if (.not. mended) then
            call MPI_Barrier(ranks, error)
            begin = MPI_Wtime()
        end if
        call advance(mod(row, 16)*256 + 1, mod(row, 16)*256 + 256, 2)
        if (.not. mended) then
            call MPI_Barrier(ranks, error)
            spent = spent + MPI_Wtime() - begin
        end if
    end subroutine relax_row

    ! Planes of the box have two ranks each.
    subroutine timed_parts()
        integer, parameter :: rows = 16000, steps = 30
        double precision :: spent(1), begin, most(1)
        integer :: step, row, plane
        call MPI_Comm_split(MPI_COMM_WORLD, rank/2, rank, plane, error)
        spent = 0
        do step = 1, steps
            begin = MPI_Wtime()
            do row = 1, rows/size
                call relax_row(row, plane, spent(1))
            end do
            if (mended) spent = spent + MPI_Wtime() - begin
            call MPI_Allreduce(spent, most, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, &
                               error)
        end do
        call MPI_Comm_free(plane, error)
    end subroutine timed_parts

    subroutine print_field(path, count)
        character(len=*), intent(in) :: path
        integer, intent(in) :: count
        integer :: unit, at
        open (newunit=unit, file=path, position='append', action='write')
        do at = 1, count, 8
            write (unit, '(8es15.7)') flow(mod(at, cells - 8):mod(at, cells - 8) + 7)
        end do
        close (unit)
    end subroutine print_field

    subroutine printed_fields()
        integer, parameter :: numbers = 100000
        character(len=300) :: path
        character(len=8) :: own
        integer :: step, turn, unit
        own = ''
        if (mended) write (own, '(i0)') rank
        path = trim(folder)//'/fields'//own
        do step = 1, 36
            call advance(1, cells, 1000/size)
            if (mended) call print_field(trim(path), numbers/size)
            do turn = 0, size - 1
                if (rank == turn .and. .not. mended) call print_field(trim(path), numbers/size)
                if (turn == 0 .or. .not. mended) call MPI_Barrier(MPI_COMM_WORLD, error)
            end do
        end do
        if (rank == 0 .or. mended) then
            open (newunit=unit, file=trim(path))
            close (unit, status='delete')
        end if
    end subroutine printed_fields
end program turbulence
