! Zoo: ensembles of small models, in Fortran (../zoo.h, score.py).
!
! zoo: every_fourth uneven rank last at run_member
! Members of a sweep are dealt out in turn, and each fourth one has a step nine times as short: of
! 48 parts of the work the last of two ranks has 40, of four 36. The twin deals the long ones out
! first and then the short ones: with two ranks 24 parts instead of 40.
!
! zoo: tallies healthy
! Monte Carlo: each rank follows as many histories, of random length, 20000/size in a batch, so the
! ranks' batches differ by a hundredth, another one each time; rank 0 takes the others' tallies as
! they come and says how to go on.
program ensemble
    use mpi_f08
    use, intrinsic :: iso_fortran_env, only: int64, real64
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
    case ('every_fourth')
        call every_fourth()
    case ('tallies')
        call tallies()
    case default
        write (0, *) 'usage: ensemble CASE planted|mended [FOLDER]'
        call MPI_Abort(MPI_COMM_WORLD, 2)
    end select
    call MPI_Finalize()

contains

    ! Lorenz's model of 1996, 40 values.
    subroutine run_member(forcing, steps, energy)
        real(real64), intent(in) :: forcing
        integer, intent(in) :: steps
        real(real64), intent(inout) :: energy
        real(real64) :: value(-1:41), change(40)
        integer :: step, at
        value = forcing
        value(1) = forcing + 0.01_real64
        do step = 1, steps
            value(-1:0) = value(39:40)
            value(41) = value(1)
            do at = 1, 40
                change(at) = (value(at + 1) - value(at - 2))*value(at - 1) - value(at) + forcing
            end do
            value(1:40) = value(1:40) + change*(0.5_real64/steps)
        end do
        energy = energy + sum(value(1:40)**2)
    end subroutine run_member

    ! -> the steps of it
    integer function steps_of(member)
        integer, intent(in) :: member
        steps_of = merge(9, 1, mod(member, 4) == 0)*20000
    end function steps_of

    subroutine every_fourth()
        integer, parameter :: members = 16, generations = 40
        real(real64) :: forcing, energy
        integer :: generation, member, long, short
        forcing = 0.8_real64
        do generation = 1, generations
            energy = 0
            long = 0
            short = 0
            do member = 1, members
                if (mended .and. mod(member, 4) == 0) then
                    long = long + 1
                    if (mod(long - 1, size) /= rank) cycle
                else if (mended) then
                    short = short + 1
                    if (mod(short - 1, size) /= rank) cycle
                else if (mod(member - 1, size) /= rank) then
                    cycle
                end if
                call run_member(forcing + 0.001_real64*member, steps_of(member), energy)
            end do
            call MPI_Allreduce(MPI_IN_PLACE, energy, 1, MPI_DOUBLE_PRECISION, MPI_SUM, &
                               MPI_COMM_WORLD)
            forcing = 0.8_real64 + 1e-6_real64*energy
        end do
    end subroutine every_fourth

    ! xorshift; from 0 to 1, without both.
    real(real64) function draw(state)
        integer(int64), intent(inout) :: state
        state = ieor(state, shiftl(state, 13))
        state = ieor(state, shiftr(state, 7))
        state = ieor(state, shiftl(state, 17))
        draw = (real(shiftr(state, 12), real64) + 0.5_real64)/2.0_real64**52
    end function draw

    ! A history ends with each collision in ten.
    subroutine follow_histories(histories, state, tally)
        integer, intent(in) :: histories
        integer(int64), intent(inout) :: state
        real(real64), intent(inout) :: tally(:)
        real(real64) :: path
        integer :: history, cell
        do history = 1, histories
            path = 0
            do
                path = path - log(draw(state))
                cell = 1 + mod(int(path*8), ubound(tally, 1))
                tally(cell) = tally(cell) + exp(-path)*cos(path)
                if (draw(state) < 0.1_real64) exit
            end do
        end do
    end subroutine follow_histories

    subroutine collect_tallies(tally, all)
        real(real64), intent(in) :: tally(:)
        real(real64), intent(inout) :: all(:)
        real(real64) :: come(ubound(tally, 1))
        integer :: other
        if (rank == 0) then
            all = all + tally
            do other = 1, size - 1
                call MPI_Recv(come, ubound(come, 1), MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 1, &
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE)
                all = all + come
            end do
        else
            call MPI_Send(tally, ubound(tally, 1), MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD)
        end if
        call MPI_Bcast(all, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
    end subroutine collect_tallies

    subroutine tallies()
        integer, parameter :: histories = 20000, batches = 330
        real(real64) :: tally(200), all(200)
        integer(int64) :: state
        integer :: batch
        state = 88172645463325252_int64 + 7919_int64*rank
        all = 0
        do batch = 1, batches
            tally = 0
            call follow_histories(histories/size, state, tally)
            call collect_tallies(tally, all)
        end do
    end subroutine tallies
end program ensemble
