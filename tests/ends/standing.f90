! The last rank stands outside MPI until it may go on, as in standing.c: in a loop, or in a read of a pipe.
!
!     standing_f MODE STAGE PIPE
module stands
  use iso_c_binding
  implicit none
  integer(c_signed_char), pointer, volatile :: stage
  integer, volatile :: turns = 0

  interface
    function c_open(path, flags) bind(c, name='open')
      import
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: flags
      integer(c_int) :: c_open
    end function
    function c_mmap(address, bytes, protection, flags, file, offset) bind(c, name='mmap')
      import
      type(c_ptr), value :: address
      integer(c_size_t), value :: bytes
      integer(c_int), value :: protection, flags, file
      integer(c_long), value :: offset
      type(c_ptr) :: c_mmap
    end function
    function c_read(file, bytes, count) bind(c, name='read')
      import
      integer(c_int), value :: file
      character(kind=c_char), intent(out) :: bytes(*)
      integer(c_size_t), value :: count
      integer(c_size_t) :: c_read
    end function
  end interface
contains
  subroutine endless_loop()
    do while (stage < 2_c_signed_char)
      turns = ieor(turns, 1) ! stands: loop
    end do
  end subroutine

  subroutine read_answer(pipe, is_fine)
    integer(c_int), intent(in) :: pipe
    logical, intent(out) :: is_fine
    character(kind=c_char) :: byte(1)
    integer(c_size_t) :: bytes
    bytes = c_read(pipe, byte, 1_c_size_t) ! stands: pipe
    is_fine = bytes == 1
  end subroutine

  subroutine map_stage(path)
    character(len=*), intent(in) :: path
    integer(c_int), parameter :: read_write = 2, shared = 1
    type(c_ptr) :: address
    address = c_mmap(c_null_ptr, 1_c_size_t, 3, shared, c_open(path // c_null_char, read_write), 0_c_long)
    call c_f_pointer(address, stage)
  end subroutine
end module

program standing
  use mpi
  use stands
  implicit none
  integer :: ierr, rank, ranks
  character(len=1000) :: mode, path, pipe
  logical :: is_fine = .true.
  call get_command_argument(1, mode)
  call get_command_argument(2, path)
  call get_command_argument(3, pipe)
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, ierr)
  call mpi_barrier(MPI_COMM_WORLD, ierr)
  call map_stage(trim(path))
  if (rank == ranks - 1) then
    if (mode == 'pipe') then
      call read_answer(c_open(trim(pipe) // c_null_char, 2), is_fine)
    else
      call endless_loop()
    end if
  end if
  call mpi_barrier(MPI_COMM_WORLD, ierr)
  if (is_fine) print '(a,i0,a,i0,a)', 'rank ', rank, ' of ', ranks, ' went on'
  call mpi_finalize(ierr)
end program
