! Names its regions by the Fortran module mprof, for run_places.py: solve/step, four times, a call to pause in between.
program regions_fortran
  use mprof
  implicit none
  include 'mpif.h'
  integer :: error, step
  call MPI_Init(error)
  call mprof_region_begin("solve")
  do step = 1, 4
     call mprof_region_begin("step")
     call MPI_Barrier(MPI_COMM_WORLD, error)
     call mprof_region_end("step")
  end do
  call mprof_region_end("solve")
  call mprof_pause()
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call mprof_resume()
  print '(a,l1)', "present ", mprof_is_present()
  call MPI_Finalize(error)
end program
