! Calls MPI from a module's procedure, for run_places.py. A comment "@N F" says that each rank makes N calls on this line,
! in a procedure whose name contains F. Two lines call MPI_Allreduce: its layer for Fortran is one function of the MPI's library.
module exchange
  implicit none
  include 'mpif.h'
contains
  subroutine reduce_all(value, total)
    real(8), intent(in) :: value
    real(8), intent(out) :: total
    integer :: error
    call MPI_Allreduce(value, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error) ! @6 reduce_all
  end subroutine
end module

program places_fortran
  use exchange
  implicit none
  integer :: error, step
  real(8) :: total
  call MPI_Init(error) ! @1 places_fortran
  do step = 1, 6
     call reduce_all(1d0, total)
  end do
  call MPI_Allreduce(1d0, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error) ! @1 places_fortran
  call MPI_Barrier(MPI_COMM_WORLD, error) ! @1 places_fortran
  call MPI_Finalize(error) ! @1 places_fortran
end program
