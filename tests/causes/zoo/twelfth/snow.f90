! Zoo: layers of snow on a slope, and when they will slide, in Fortran (../zoo.h, score.py).
!
! zoo: reopened files rank any at append_profile|open_results
! Each of 40 profiles of a step is appended to the results by a subroutine that opens the file by
! MPI-IO, writes its 4 KiB and closes it again, 1600 times in all; the twin's file is opened once.
!
! zoo: station_lines healthy
! Each rank writes 60 formatted lines in each of 120 steps into a file of its own, as weather
! stations do; the runtime gathers them, so few are written at a time, and they take 1 % or so.
program snow
    use mpi_f08
    use, intrinsic :: iso_fortran_env, only: real64
    implicit none
    integer :: rank, size
    logical :: mended
    character(len=256) :: word, form, folder
    type(MPI_File) :: results
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    call get_command_argument(1, word)
    call get_command_argument(2, form)
    call get_command_argument(3, folder)
    if (folder == '') folder = '.'
    mended = form == 'mended'
    select case (word)
    case ('reopened')
        call reopened()
    case ('station_lines')
        call station_lines()
    case default
        write (0, *) 'usage: snow CASE planted|mended [FOLDER]'
        call MPI_Abort(MPI_COMM_WORLD, 2)
    end select
    call MPI_Finalize()

contains

    ! By heat that comes from above.
    subroutine settle_layers(layers, passes)
        real(real64), intent(inout), contiguous :: layers(:)
        integer, intent(in) :: passes
        real(real64) :: above
        integer :: pass, layer
        do pass = 1, passes
            above = 0.5_real64
            do layer = 1, ubound(layers, 1)
                layers(layer) = layers(layer) + 0.1_real64*(above - layers(layer))
                above = layers(layer)*(1.02_real64 - 0.02_real64*layers(layer))
            end do
        end do
    end subroutine settle_layers

    subroutine open_results()
        call MPI_File_open(MPI_COMM_WORLD, trim(folder)//'/profiles', MPI_MODE_CREATE + &
                           MPI_MODE_WRONLY, MPI_INFO_NULL, results)
    end subroutine open_results

    ! All ranks have a part of it.
    subroutine append_profile(layers, number)
        real(real64), intent(in), contiguous :: layers(:)
        integer, intent(in) :: number
        integer(MPI_OFFSET_KIND) :: offset
        integer :: count
        count = 512/size
        offset = 8_MPI_OFFSET_KIND*count*(size*number + rank)
        if (.not. mended) call open_results()
        call MPI_File_write_at(results, offset, layers, count, MPI_DOUBLE_PRECISION, &
                               MPI_STATUS_IGNORE)
        if (.not. mended) call MPI_File_close(results)
    end subroutine append_profile

    subroutine reopened()
        integer, parameter :: steps = 40, profiles = 40
        real(real64) :: layers(4096), highest
        integer :: step, profile
        layers = 0.3_real64
        if (mended) call open_results()
        do step = 1, steps
            do profile = 1, profiles
                call settle_layers(layers, 25/size)
                call append_profile(layers, (step - 1)*profiles + profile - 1)
            end do
            call MPI_Allreduce(layers, highest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
            layers(1) = 0.5_real64*highest
        end do
        if (mended) call MPI_File_close(results)
        if (rank == 0) call MPI_File_delete(trim(folder)//'/profiles', MPI_INFO_NULL)
    end subroutine reopened

    subroutine write_lines(unit, layers, step)
        integer, intent(in) :: unit, step
        real(real64), intent(in), contiguous :: layers(:)
        integer :: station
        do station = 1, 60
            write (unit, '(i6, i4, 2f9.4)') step, station, layers(station), layers(station + 60)
        end do
    end subroutine write_lines

    subroutine station_lines()
        integer, parameter :: steps = 120
        real(real64) :: layers(4096), highest
        character(len=300) :: path
        integer :: step, unit
        write (path, '(2a, i0)') trim(folder), '/stations', rank
        open (newunit=unit, file=path, status='replace', action='write')
        layers = 0.3_real64
        do step = 1, steps
            call settle_layers(layers, 800/size)
            call write_lines(unit, layers, step)
            call MPI_Allreduce(layers, highest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
            layers(1) = 0.5_real64*highest
        end do
        close (unit, status='delete')
    end subroutine station_lines
end program snow
