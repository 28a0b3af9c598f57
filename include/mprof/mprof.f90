! What an application may tell mprof, in Fortran: as mprof.h, which says what the procedures do. Compile this file with the
! program; nothing to link. Without libmprof.so in front of the program they do nothing.
!
!     use mprof
!     call mprof_region_begin("solve")
!     ...
!     call mprof_region_end("solve")
!
! The library is looked for by name when the first procedure is called: Fortran has no weak procedures.
module mprof
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: mprof_is_present, mprof_region_begin, mprof_region_end, mprof_pause, mprof_resume

  abstract interface
     subroutine name_procedure(name) bind(C)
       import :: c_char
       character(kind=c_char), intent(in) :: name(*)
     end subroutine
     subroutine plain_procedure() bind(C)
     end subroutine
  end interface

  interface
     function dlsym(handle, name) bind(C, name="dlsym") result(address)
       import :: c_ptr, c_funptr, c_char
       type(c_ptr), value :: handle
       character(kind=c_char), intent(in) :: name(*)
       type(c_funptr) :: address
     end function
  end interface

contains

  ! In libc's search order, as a weak function would be found: a null handle is RTLD_DEFAULT.
  function library_function(name) result(address)
    character(len=*), intent(in) :: name
    type(c_funptr) :: address
    address = dlsym(c_null_ptr, name // c_null_char)
  end function

  subroutine call_with_name(function_name, name)
    character(len=*), intent(in) :: function_name, name
    procedure(name_procedure), pointer :: procedure
    type(c_funptr) :: address
    address = library_function(function_name)
    if (.not. c_associated(address)) return
    call c_f_procpointer(address, procedure)
    call procedure(trim(name) // c_null_char)
  end subroutine

  subroutine call_plainly(function_name)
    character(len=*), intent(in) :: function_name
    procedure(plain_procedure), pointer :: procedure
    type(c_funptr) :: address
    address = library_function(function_name)
    if (.not. c_associated(address)) return
    call c_f_procpointer(address, procedure)
    call procedure()
  end subroutine

  ! .true. if this process is run under mprof.
  logical function mprof_is_present()
    mprof_is_present = c_associated(library_function("mprof_library_pause"))
  end function

  subroutine mprof_region_begin(name)
    character(len=*), intent(in) :: name
    call call_with_name("mprof_library_region_begin", name)
  end subroutine

  subroutine mprof_region_end(name)
    character(len=*), intent(in) :: name
    call call_with_name("mprof_library_region_end", name)
  end subroutine

  ! This thread's MPI calls are not recorded until mprof_resume().
  subroutine mprof_pause()
    call call_plainly("mprof_library_pause")
  end subroutine

  subroutine mprof_resume()
    call call_plainly("mprof_library_resume")
  end subroutine

end module
