! Zoo: light that goes through a chip, in Fortran (../zoo.h, score.py).
!
! zoo: each_probe latency rank any at share_probe
! Fields at 3000 probes are needed by all ranks, and each one is broadcast by the rank that has it,
! one number by a call, in each of 400 steps; the twin gathers those of all ranks at once.
!
! zoo: two_halves healthy
! Half of the ranks have the absorber in the first half of a step, which makes that longer for
! them, and the others have it in the second one. No rank needs another's values between the halves,
! and all are ready at the end.
program photonics
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
    case ('each_probe')
        call each_probe()
    case ('two_halves')
        call two_halves()
    case default
        write (0, *) 'usage: photonics CASE planted|mended [FOLDER]'
        call MPI_Abort(MPI_COMM_WORLD, 2)
    end select
    call MPI_Finalize()

contains

    subroutine step_electric(electric, magnetic, absorbs, sweeps)
        real(real64), intent(inout), contiguous :: electric(:)
        real(real64), intent(in), contiguous :: magnetic(:)
        real(real64), intent(in) :: absorbs
        integer, intent(in) :: sweeps
        integer :: sweep, at
        do sweep = 1, sweeps
            do at = 2, ubound(electric, 1)
                electric(at) = absorbs*(0.98_real64*electric(at) + 0.01_real64*electric(at - 1)) + &
                               0.01_real64*(magnetic(at) - magnetic(at - 1))
            end do
        end do
    end subroutine step_electric

    subroutine step_magnetic(electric, magnetic, absorbs, sweeps)
        real(real64), intent(in), contiguous :: electric(:)
        real(real64), intent(inout), contiguous :: magnetic(:)
        real(real64), intent(in) :: absorbs
        integer, intent(in) :: sweeps
        integer :: sweep, at
        do sweep = 1, sweeps
            do at = 2, ubound(magnetic, 1)
                magnetic(at) = absorbs*(0.98_real64*magnetic(at) + 0.01_real64*magnetic(at - 1)) + &
                               0.01_real64*(electric(at) - electric(at - 1))
            end do
        end do
    end subroutine step_magnetic

    subroutine share_probe(value, owner)
        real(real64), intent(inout) :: value
        integer, intent(in) :: owner
        call MPI_Bcast(value, 1, MPI_DOUBLE_PRECISION, owner, MPI_COMM_WORLD)
    end subroutine share_probe

    subroutine share_probes(probes, count)
        real(real64), intent(inout), contiguous :: probes(:)
        integer, intent(in) :: count
        integer :: number
        if (mended) then
            call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, probes, count, &
                               MPI_DOUBLE_PRECISION, MPI_COMM_WORLD)
        else
            ! Those of all ranks in turn, as the list of them has it.
            do number = 0, count*size - 1
                call share_probe(probes(modulo(number, size)*count + number/size + 1), &
                                 modulo(number, size))
            end do
        end if
    end subroutine share_probes

    subroutine each_probe()
        integer, parameter :: cells = 40000, all_probes = 3000, steps = 400
        real(real64), allocatable :: electric(:), magnetic(:), probes(:)
        integer :: step, count
        count = all_probes/size
        allocate (electric(cells/size), magnetic(cells/size), probes(count*size))
        electric = 1
        magnetic = 0.5_real64
        probes = 0
        do step = 1, steps
            call step_electric(electric, magnetic, 0.999_real64, 8)
            call step_magnetic(electric, magnetic, 0.999_real64, 8)
            probes(rank*count + 1:(rank + 1)*count) = electric(1:count)
            call share_probes(probes, count)
            electric(1) = sum(probes)/(count*size)
        end do
    end subroutine each_probe

    subroutine two_halves()
        integer, parameter :: cells = 40000, steps = 200, short = 20, long = 60
        real(real64), allocatable :: electric(:), magnetic(:)
        integer :: step, before, behind
        logical :: has_first
        has_first = modulo(rank, 2) == 0
        before = modulo(rank - 1, size)
        behind = modulo(rank + 1, size)
        allocate (electric(cells/size), magnetic(cells/size))
        electric = 1
        magnetic = 0.5_real64
        do step = 1, steps
            call step_electric(electric, magnetic, 0.999_real64, merge(long, short, has_first))
            call step_magnetic(electric, magnetic, 0.999_real64, merge(short, long, has_first))
            call MPI_Sendrecv(electric(cells/size), 1, MPI_DOUBLE_PRECISION, behind, 1, &
                              electric(1), 1, MPI_DOUBLE_PRECISION, before, 1, &
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        end do
    end subroutine two_halves
end program photonics
