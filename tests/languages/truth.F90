! The truth of a Fortran program, as truth.h and calls.h have it for C: expect() beside each call, note() for what MPI
! answered, and two files per rank in $TRUTH_DIR at the end. No MPI in here.
module truth
    use, intrinsic :: iso_fortran_env, only: int64, real64, error_unit
    implicit none
    private
    public :: truth_begin, truth_end, expect, expect_received, expect_optional, note, note_reals, note_text, check
    public :: truth_folder, truth_failures

    type function_truth
        character(len=48) :: name = ''
        integer(int64) :: calls = 0, bytes = 0, received = 0, optional_calls = 0
    end type
    type(function_truth), save :: functions(200)
    integer, save :: function_count = 0, results_unit, own_rank = -1
    integer, save, protected :: truth_failures = 0

    interface note
        module procedure note_one, note_many
    end interface

contains

    function truth_folder() result(folder)
        character(len=:), allocatable :: folder
        character(len=4000) :: value
        integer :: length
        call get_environment_variable('TRUTH_DIR', value, length)
        folder = value(1:length)
    end function

    subroutine truth_begin(rank)
        integer, intent(in) :: rank
        character(len=12) :: number
        own_rank = rank
        write (number, '(i0)') rank
        open (newunit=results_unit, file=truth_folder() // '/results-' // trim(number) // '.txt', action='write')
    end subroutine

    integer function find(name)
        character(len=*), intent(in) :: name
        do find = 1, function_count
            if (functions(find)%name == name) return
        end do
        function_count = function_count + 1
        functions(function_count)%name = name
    end function

    ! Calls with a sum of bytes.
    subroutine expect(name, calls, bytes)
        character(len=*), intent(in) :: name
        integer, intent(in) :: calls, bytes
        integer :: i
        i = find(name)
        functions(i)%calls = functions(i)%calls + calls
        functions(i)%bytes = functions(i)%bytes + bytes
    end subroutine

    ! What arrived by a call that also sends.
    subroutine expect_received(name, bytes)
        character(len=*), intent(in) :: name
        integer, intent(in) :: bytes
        integer :: i
        i = find(name)
        functions(i)%received = functions(i)%received + bytes
    end subroutine

    ! Calls that may be seen or not: some MPIs do these in Fortran without any C function of MPI.
    subroutine expect_optional(name, calls)
        character(len=*), intent(in) :: name
        integer, intent(in) :: calls
        integer :: i
        i = find(name)
        functions(i)%optional_calls = functions(i)%optional_calls + calls
    end subroutine

    subroutine note_one(what, value)
        character(len=*), intent(in) :: what
        integer, intent(in) :: value
        write (results_unit, '(a, 1x, i0)') what, value
    end subroutine

    subroutine note_many(what, values)
        character(len=*), intent(in) :: what
        integer, intent(in) :: values(:)
        write (results_unit, '(a, *(1x, i0))') what, values
    end subroutine

    ! All bits of them.
    subroutine note_reals(what, values)
        character(len=*), intent(in) :: what
        real(real64), intent(in) :: values(:)
        write (results_unit, '(a, *(1x, z16.16))') what, values
    end subroutine

    subroutine note_text(what, text)
        character(len=*), intent(in) :: what, text
        write (results_unit, '(a, 1x, a)') what, text
    end subroutine

    subroutine check(is_true, what)
        logical, intent(in) :: is_true
        character(len=*), intent(in) :: what
        if (is_true) return
        truth_failures = truth_failures + 1
        write (error_unit, '(a, i0, 2a)') 'rank ', own_rank, ': not true: ', what
    end subroutine

    ! Before MPI_FINALIZE, which it counts.
    subroutine truth_end()
        character(len=12) :: number
        integer :: unit, i
        call expect('MPI_Finalize', 1, 0)
        write (number, '(i0)') own_rank
        open (newunit=unit, file=truth_folder() // '/truth-' // trim(number) // '.json', action='write')
        write (unit, '(a)') '{"messages": [], "matrix": [], "functions": ['
        do i = 1, function_count
            write (unit, '(3a, 4(a, i0), a)') '{"function": "', trim(functions(i)%name), '"', &
                ', "calls": ', functions(i)%calls, ', "bytes": ', functions(i)%bytes, &
                ', "received_bytes": ', functions(i)%received, &
                ', "optional_calls": ', functions(i)%optional_calls, trim(merge('},', '} ', i < function_count))
        end do
        write (unit, '(a)') ']}'
        close (unit)
        close (results_unit)
    end subroutine

end module
