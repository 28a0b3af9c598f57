! Calls in Fortran: from a procedure of a module, an external and a contained one, and the program itself.
module grid
  implicit none
contains
  subroutine exchange(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
       call marker_module() ! [module]
    end do
  end subroutine exchange
end module grid

subroutine outside(n)
  implicit none
  integer, intent(in) :: n
  if (n > 0) call marker_outside() ! [outside]
end subroutine outside

program heat
  use grid, only : exchange
  implicit none
  call marker_program() ! [program]
  call exchange(3)
  call outside(1)
  call within(2)
contains
  subroutine within(n)
    integer, intent(in) :: n
    if (n > 0) call marker_contained() ! [contained]
  end subroutine within
end program heat
