! Calls from Fortran that another tool wraps in C (tool.c): what it sees of them depends on the MPI.
program fortran_beside_tools
   use mpi_f08
   implicit none
   integer, parameter :: rounds = 5
   integer :: rank, value, total, round

   call MPI_Init()
   call MPI_Comm_rank(MPI_COMM_WORLD, rank)
   do round = 1, rounds
      value = round
      if (rank == 0) then
         call MPI_Send(value, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD)
      else
         call MPI_Recv(value, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      end if
      call MPI_Allreduce(value, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
      call MPI_Barrier(MPI_COMM_WORLD)
   end do
   call made("MPI_Init", 1)
   call made("MPI_Comm_rank", 1)
   call made("MPI_Send", merge(rounds, 0, rank == 0))
   call made("MPI_Recv", merge(rounds, 0, rank == 1))
   call made("MPI_Allreduce", rounds)
   call made("MPI_Barrier", rounds)
   call made("MPI_Finalize", 1)
   call MPI_Finalize()
contains
   subroutine made(name, calls)
      character(len=*), intent(in) :: name
      integer, intent(in) :: calls
      write (*, '("calls ", a, 1x, i0)') name, calls
      flush (6)
   end subroutine made
end program fortran_beside_tools
