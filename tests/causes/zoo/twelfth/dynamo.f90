! Zoo: the currents in the earth's core that make its magnetic field, in Fortran (../zoo.h).
!
! zoo: each_mode latency rank any at share_mode
! Ranks of a shell have every size-th of 800 modes of its field. Each mode is broadcast by the rank
! that has it to those of the shell by a call for itself, 16 bytes, in each of 1500 steps; the twin
! gathers all modes by one call.
!
! zoo: by_shells healthy
! What goes on in a shell needs the shell before, so ranks begin one after the other; but it goes on
! in 250 slices of 1 ms or so, of which one is with each rank at a time, so all ranks soon work. The
! slices are passed on by persistent requests.
program dynamo
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
    case ('each_mode')
        call each_mode()
    case ('by_shells')
        call by_shells()
    case default
        write (0, *) 'usage: dynamo CASE planted|mended [FOLDER]'
        call MPI_Abort(MPI_COMM_WORLD, 2)
    end select
    call MPI_Finalize()

contains

    ! In time, by what is near to it.
    subroutine advance_mode(field, mode)
        complex(real64), intent(in), contiguous :: field(:)
        complex(real64), intent(inout) :: mode
        complex(real64) :: turn
        integer :: at
        turn = mode
        do at = 1, ubound(field, 1)
            turn = (0.6_real64, 0.1_real64)*turn + 0.01_real64*field(at)
        end do
        mode = 0.9_real64*mode + 0.1_real64*turn
    end subroutine advance_mode

    subroutine share_mode(shell, mode, owner)
        type(MPI_Comm), intent(in) :: shell
        complex(real64), intent(inout) :: mode
        integer, intent(in) :: owner
        call MPI_Bcast(mode, 1, MPI_DOUBLE_COMPLEX, owner, shell)
    end subroutine share_mode

    ! The modes of a rank stand side by side.
    subroutine share_modes(shell, modes, of_rank)
        type(MPI_Comm), intent(in) :: shell
        complex(real64), intent(inout), contiguous :: modes(:)
        integer, intent(in) :: of_rank
        if (mended) then
            call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, modes, of_rank, &
                               MPI_DOUBLE_COMPLEX, shell)
        else
            call share_each(shell, modes, of_rank)
        end if
    end subroutine share_modes

    subroutine share_each(shell, modes, of_rank)
        type(MPI_Comm), intent(in) :: shell
        complex(real64), intent(inout), contiguous :: modes(:)
        integer, intent(in) :: of_rank
        integer :: mode
        do mode = 1, of_rank*size
            call share_mode(shell, modes(mode), (mode - 1)/of_rank)
        end do
    end subroutine share_each

    subroutine each_mode()
        integer, parameter :: all_modes = 800, steps = 1500, near = 48
        complex(real64), allocatable :: modes(:)
        complex(real64) :: field(near)
        type(MPI_Comm) :: globe, shell
        integer :: step, mode, of_rank
        of_rank = all_modes/size
        allocate (modes(of_rank*size))
        modes = (0.1_real64, 0.2_real64)
        call MPI_Cart_create(MPI_COMM_WORLD, 2, [1, size], [.false., .true.], .false., globe)
        call MPI_Cart_sub(globe, [.false., .true.], shell)
        do step = 1, steps
            field = modes(1:near)
            do mode = rank*of_rank + 1, (rank + 1)*of_rank
                call advance_mode(field, modes(mode))
            end do
            call share_modes(shell, modes, of_rank)
        end do
        call MPI_Comm_free(shell)
        call MPI_Comm_free(globe)
    end subroutine each_mode

    subroutine mix_slice(slice, heat, rounds)
        real(real64), intent(inout), contiguous :: slice(:), heat(:)
        integer, intent(in) :: rounds
        real(real64) :: flow
        integer :: round, at
        do round = 1, rounds
            flow = slice(1 + mod(round, ubound(slice, 1)))
            do at = 1, ubound(heat, 1)
                heat(at) = heat(at) + 0.1_real64*(flow - heat(at))
                flow = heat(at)*(1.02_real64 - 0.02_real64*heat(at))
            end do
            slice(1 + mod(round, ubound(slice, 1))) = flow
        end do
    end subroutine mix_slice

    subroutine by_shells()
        integer, parameter :: slices = 250, of_slice = 64, years = 4, radius = 4000
        real(real64), asynchronous :: come(of_slice), go(of_slice)
        real(real64), allocatable :: heat(:)
        type(MPI_Request) :: from_below, to_above
        integer :: year, slice, below, above
        below = merge(rank - 1, MPI_PROC_NULL, rank > 0)
        above = merge(rank + 1, MPI_PROC_NULL, rank < size - 1)
        allocate (heat(radius/size))
        heat = 0.5_real64
        come = 1
        go = 1
        call MPI_Recv_init(come, of_slice, MPI_DOUBLE_PRECISION, below, 1, MPI_COMM_WORLD, &
                           from_below)
        call MPI_Send_init(go, of_slice, MPI_DOUBLE_PRECISION, above, 1, MPI_COMM_WORLD, to_above)
        do year = 1, years
            do slice = 1, slices
                call MPI_Start(from_below)
                call MPI_Wait(from_below, MPI_STATUS_IGNORE)
                call mix_slice(come, heat, 80)
                if (slice > 1) call MPI_Wait(to_above, MPI_STATUS_IGNORE)
                go = come
                call MPI_Start(to_above)
            end do
            call MPI_Wait(to_above, MPI_STATUS_IGNORE)
            call MPI_Bcast(go, 1, MPI_DOUBLE_PRECISION, size - 1, MPI_COMM_WORLD)
        end do
        call MPI_Request_free(from_below)
        call MPI_Request_free(to_above)
    end subroutine by_shells
end program dynamo
