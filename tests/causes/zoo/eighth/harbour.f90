! Zoo: waves that run into a harbour, in Fortran (../zoo.h, score.py).
!
! zoo: memory_watch kernel rank any at log_memory
! How much memory the rank has is asked after each block of cells, 300/size times in each of 20
! steps: the kernel walks over all of its pages to write one /proc/self/smaps_rollup, 100 us and
! more; no disk has a part in it. The twin asks once in a step.
!
! zoo: whole_year files rank any at read_winds
! In each of 45 steps each rank reads the winds of the whole year, 60 MB by MPI-IO, and uses those
! of one day; the twin reads that day.
!
! zoo: short_forcing ended rank last at read_forcing ends
! The wind's file ends after 30 of 40 records: the last rank, which reads it, is ended by Fortran's
! runtime there ("End of file", status 2). The twin's file is whole.
program harbour
    use mpi_f08
    implicit none
    integer, parameter :: cells = 2000, of_day = 20000
    integer :: rank, size
    logical :: mended
    double precision :: height(0:cells + 1)
    character(len=256) :: word, form, folder
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    call get_command_argument(1, word)
    call get_command_argument(2, form)
    call get_command_argument(3, folder)
    if (folder == '') folder = '.'
    mended = form == 'mended'
    height = 1
    height(cells/4) = 2
    select case (word)
    case ('memory_watch')
        call memory_watch()
    case ('whole_year')
        call whole_year()
    case ('short_forcing')
        call short_forcing()
    case default
        write (0, *) 'usage: harbour CASE planted|mended [FOLDER]'
        call MPI_Abort(MPI_COMM_WORLD, 2)
    end select
    call MPI_Finalize()

contains

    subroutine run_waves(passes)
        integer, intent(in) :: passes
        integer :: pass, at
        do pass = 1, passes
            do at = 1, cells
                height(at) = height(at) + 0.2d0*(height(at - 1) - 2*height(at) + height(at + 1))
            end do
        end do
    end subroutine run_waves

    subroutine log_memory(most)
        integer, intent(inout) :: most
        character(len=80) :: line
        integer :: unit, status, resident
        open (newunit=unit, file='/proc/self/smaps_rollup', action='read', iostat=status)
        if (status /= 0) call MPI_Abort(MPI_COMM_WORLD, 3)
        read (unit, '(a)') line
        read (unit, '(a)') line
        close (unit)
        read (line(5:24), *) resident
        most = max(most, resident)
    end subroutine log_memory

    subroutine memory_watch()
        integer, parameter :: blocks = 300, steps = 20
        double precision, allocatable :: tide(:)
        integer :: step, block, most
        allocate (tide(4000000/size))
        tide = 1
        most = 0
        do step = 1, steps
            do block = 1, blocks/size
                call run_waves(16)
                height(1) = height(1) + 1d-9*tide(block)
                if (.not. mended) call log_memory(most)
            end do
            if (mended) call log_memory(most)
            call MPI_Allreduce(MPI_IN_PLACE, most, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
        end do
    end subroutine memory_watch

    subroutine write_year(file, days)
        type(MPI_File), intent(in) :: file
        integer, intent(in) :: days
        double precision :: winds(of_day)
        integer(MPI_OFFSET_KIND) :: from
        integer :: day
        winds = 1d-3
        do day = rank, days - 1, size
            from = 8_MPI_OFFSET_KIND*day*of_day
            call MPI_File_write_at(file, from, winds, of_day, MPI_DOUBLE_PRECISION, &
                                   MPI_STATUS_IGNORE)
        end do
    end subroutine write_year

    ! -> where the winds of `day` begin
    subroutine read_winds(file, day, winds, begin)
        type(MPI_File), intent(in) :: file
        integer, intent(in) :: day
        double precision, intent(out) :: winds(:)
        integer, intent(out) :: begin
        integer(MPI_OFFSET_KIND) :: from
        begin = merge(1, day*of_day + 1, mended)
        from = merge(8_MPI_OFFSET_KIND*day*of_day, 0_MPI_OFFSET_KIND, mended)
        call MPI_File_read_at(file, from, winds, ubound(winds, 1), MPI_DOUBLE_PRECISION, &
                              MPI_STATUS_IGNORE)
    end subroutine read_winds

    subroutine whole_year()
        integer, parameter :: days = 365, steps = 45
        double precision, allocatable :: winds(:)
        type(MPI_File) :: file
        integer :: step, begin
        allocate (winds(merge(of_day, days*of_day, mended)))
        call MPI_File_open(MPI_COMM_WORLD, trim(folder)//'/winds', MPI_MODE_CREATE + &
                           MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file)
        call write_year(file, days)
        call MPI_Barrier(MPI_COMM_WORLD)
        do step = 1, steps
            call read_winds(file, step, winds, begin)
            height(1) = height(1) + winds(begin)
            call run_waves(2400/size)
            call MPI_Allreduce(MPI_IN_PLACE, height(cells), 1, MPI_DOUBLE_PRECISION, MPI_MAX, &
                               MPI_COMM_WORLD)
        end do
        call MPI_File_close(file)
    end subroutine whole_year

    subroutine read_forcing(unit, wind)
        integer, intent(in) :: unit
        double precision, intent(out) :: wind(:)
        read (unit) wind
    end subroutine read_forcing

    subroutine short_forcing()
        integer, parameter :: steps = 40
        double precision :: wind(1000)
        integer :: step, unit
        wind = 1d-3
        if (rank == size - 1) then
            open (newunit=unit, file=trim(folder)//'/wind', form='unformatted')
            do step = 1, merge(steps, 30, mended)
                write (unit) wind
            end do
            rewind (unit)
        end if
        do step = 1, steps
            if (rank == size - 1) call read_forcing(unit, wind)
            call MPI_Bcast(wind, 1000, MPI_DOUBLE_PRECISION, size - 1, MPI_COMM_WORLD)
            height(1) = height(1) + wind(step)
            call run_waves(7000/size)
        end do
        if (rank == size - 1) close (unit, status='delete')
    end subroutine short_forcing
end program harbour
