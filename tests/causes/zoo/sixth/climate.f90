! Zoo: a spectral climate model in Fortran (../zoo.h, score.py).
!
! zoo: triangle_rows uneven rank last at apply_matrix
! Rows of a packed triangle in blocks: of two ranks the last has 3/4 of the values, so a product
! takes half as long again as with the twin's rows dealt out in turn.
!
! zoo: single_values files rank any at write_restart
! A call of MPI-IO for each value of a restart, 40000 of 8 bytes in each of 30 steps, of about
! 2 us each: 2.4 s (all ranks) beside 1.8 s of physics; the twin writes a rank's part with one call.
!
! zoo: early_sum healthy
! A sum of 160 kB is begun before the second half of each step and awaited behind it, and work space
! is allocated in each step: both cost less than a hundredth of the run.
program climate
    use mpi
    implicit none
    integer, parameter :: levels = 20
    integer :: rank, size, error
    logical :: mended
    character(len=256) :: word, form, folder
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, size, error)
    call get_command_argument(1, word)
    call get_command_argument(2, form)
    call get_command_argument(3, folder)
    if (folder == '') folder = '.'
    mended = form == 'mended'
    select case (word)
    case ('triangle_rows')
        call triangle_rows()
    case ('single_values')
        call single_values()
    case ('early_sum')
        call early_sum()
    case default
        write (0, *) 'usage: climate CASE planted|mended [FOLDER]'
        call MPI_Abort(MPI_COMM_WORLD, 2, error)
    end select
    call MPI_Finalize(error)

contains

    ! Arithmetic of about so many microseconds.
    subroutine physics(us)
        integer, intent(in) :: us
        double precision, volatile, save :: kept = 0
        double precision :: value
        integer :: i
        value = kept
        do i = 1, us*700
            value = value*0.999d0 + 1
        end do
        kept = value
    end subroutine physics

    subroutine apply_matrix(packed, x, y, n)
        integer, intent(in) :: n
        double precision, intent(in) :: packed(:), x(:, :)
        double precision, intent(inout) :: y(:, :)
        double precision :: total
        integer :: row, first, last, stride, column, start, level
        first = rank*n/size + 1
        last = (rank + 1)*n/size
        stride = 1
        if (mended) then
            first = rank + 1
            last = n
            stride = size
        end if
        do row = first, last, stride
            start = row*(row - 1)/2
            do level = 1, levels
                total = 0
                do column = 1, row
                    total = total + packed(start + column)*x(column, level)
                end do
                y(row, level) = total
            end do
        end do
    end subroutine apply_matrix

    subroutine triangle_rows()
        integer, parameter :: n = 500
        double precision, allocatable :: packed(:), x(:, :), y(:, :)
        integer :: step, member
        allocate (packed(n*(n + 1)/2), x(n, levels), y(n, levels))
        packed = 1d0/n
        x = 1
        do step = 1, 200
            y = 0
            do member = 1, 8
                call apply_matrix(packed, x, y, n)
            end do
            call MPI_Allreduce(y, x, n*levels, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, &
                               error)
        end do
    end subroutine triangle_rows

    subroutine write_restart(file, field, base)
        integer, intent(in) :: file
        double precision, intent(in) :: field(:)
        integer(MPI_OFFSET_KIND), intent(in) :: base
        integer(MPI_OFFSET_KIND) :: at
        integer :: i, length, values
        values = ubound(field, 1)
        length = 1
        if (mended) length = values
        do i = 1, values, length
            at = base + 8*(i - 1)
            call MPI_File_write_at(file, at, field(i), length, MPI_DOUBLE_PRECISION, &
                                   MPI_STATUS_IGNORE, error)
        end do
    end subroutine write_restart

    subroutine single_values()
        double precision, allocatable :: field(:)
        integer(MPI_OFFSET_KIND) :: base
        integer :: file, step, mode, values
        values = 40000/size
        allocate (field(values))
        field = rank
        mode = MPI_MODE_CREATE + MPI_MODE_WRONLY + MPI_MODE_DELETE_ON_CLOSE
        call MPI_File_open(MPI_COMM_WORLD, trim(folder)//'/restart', mode, MPI_INFO_NULL, file, &
                           error)
        base = 8*rank*values
        do step = 1, 30
            call physics(60000/size)
            call write_restart(file, field, base)
        end do
        call MPI_File_close(file, error)
    end subroutine single_values

    subroutine early_sum()
        integer, parameter :: n = 20000
        double precision, allocatable :: mine(:), all(:), space(:)
        integer :: step, request
        allocate (mine(n), all(n))
        mine = rank
        do step = 1, 30
            allocate (space(1000))
            space = mine(1:1000)
            call physics(50000/size)
            call MPI_Iallreduce(mine, all, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, &
                                request, error)
            call physics(50000/size)
            call MPI_Wait(request, MPI_STATUS_IGNORE, error)
            deallocate (space)
        end do
    end subroutine early_sum
end program climate
