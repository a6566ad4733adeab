! The module mpi_f08: types, constants and callbacks here and from fortran_bindings.py and mpif.sh; the procedures are
! those of mpif.h, or take descriptors of arrays (section.c).
module mpi_f08
  use, intrinsic :: iso_c_binding, only: C_PTR
  implicit none
  private :: C_PTR

  type, bind(C) :: MPI_Status
    integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR
    integer :: hub_bytes, hub_bytes_high, hub_cancelled
  end type
  include 'f08_handles.inc'
  include 'f08_constants.inc'

  ! Known by their addresses, as those of mpif.h, which are the same
  integer :: MPI_BOTTOM, MPI_IN_PLACE
  type(MPI_Status) :: MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE(1)
  integer :: MPI_ERRCODES_IGNORE(1), MPI_UNWEIGHTED(1), MPI_WEIGHTS_EMPTY(1)
  character(len=1) :: MPI_ARGV_NULL(1), MPI_ARGVS_NULL(1,1)
  common /HUB_MPI_BOTTOM/ MPI_BOTTOM
  common /HUB_MPI_IN_PLACE/ MPI_IN_PLACE
  common /HUB_MPI_STATUS_IGNORE/ MPI_STATUS_IGNORE
  common /HUB_MPI_STATUSES_IGNORE/ MPI_STATUSES_IGNORE
  common /HUB_MPI_ERRCODES_IGNORE/ MPI_ERRCODES_IGNORE
  common /HUB_MPI_UNWEIGHTED/ MPI_UNWEIGHTED
  common /HUB_MPI_WEIGHTS_EMPTY/ MPI_WEIGHTS_EMPTY
  common /HUB_MPI_ARGV_NULL/ MPI_ARGV_NULL
  common /HUB_MPI_ARGVS_NULL/ MPI_ARGVS_NULL

  abstract interface
    subroutine MPI_User_function(invec, inoutvec, len, datatype)
      import
      type(C_PTR), value :: invec, inoutvec
      integer :: len
      type(MPI_Datatype) :: datatype
    end subroutine
    subroutine MPI_Comm_copy_attr_function(oldcomm, comm_keyval, extra_state, attribute_val_in, &
                                           attribute_val_out, flag, ierror)
      import
      type(MPI_Comm) :: oldcomm
      integer :: comm_keyval, ierror
      integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
      logical :: flag
    end subroutine
    subroutine MPI_Type_copy_attr_function(oldtype, type_keyval, extra_state, attribute_val_in, &
                                           attribute_val_out, flag, ierror)
      import
      type(MPI_Datatype) :: oldtype
      integer :: type_keyval, ierror
      integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
      logical :: flag
    end subroutine
    subroutine MPI_Win_copy_attr_function(oldwin, win_keyval, extra_state, attribute_val_in, &
                                          attribute_val_out, flag, ierror)
      import
      type(MPI_Win) :: oldwin
      integer :: win_keyval, ierror
      integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
      logical :: flag
    end subroutine
    subroutine MPI_Comm_delete_attr_function(comm, comm_keyval, attribute_val, extra_state, ierror)
      import
      type(MPI_Comm) :: comm
      integer :: comm_keyval, ierror
      integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    end subroutine
    subroutine MPI_Type_delete_attr_function(datatype, type_keyval, attribute_val, extra_state, ierror)
      import
      type(MPI_Datatype) :: datatype
      integer :: type_keyval, ierror
      integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    end subroutine
    subroutine MPI_Win_delete_attr_function(win, win_keyval, attribute_val, extra_state, ierror)
      import
      type(MPI_Win) :: win
      integer :: win_keyval, ierror
      integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    end subroutine
    subroutine MPI_Comm_errhandler_function(comm, error_code)
      import
      type(MPI_Comm) :: comm
      integer :: error_code
    end subroutine
    subroutine MPI_Win_errhandler_function(win, error_code)
      import
      type(MPI_Win) :: win
      integer :: error_code
    end subroutine
    subroutine MPI_File_errhandler_function(file, error_code)
      import
      type(MPI_File) :: file
      integer :: error_code
    end subroutine
    subroutine MPI_Grequest_query_function(extra_state, status, ierror)
      import
      integer(MPI_ADDRESS_KIND) :: extra_state
      type(MPI_Status) :: status
      integer :: ierror
    end subroutine
    subroutine MPI_Grequest_free_function(extra_state, ierror)
      import
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
    end subroutine
    subroutine MPI_Grequest_cancel_function(extra_state, complete, ierror)
      import
      integer(MPI_ADDRESS_KIND) :: extra_state
      logical :: complete
      integer :: ierror
    end subroutine
  end interface
  procedure(MPI_Comm_copy_attr_function) :: MPI_COMM_NULL_COPY_FN, MPI_COMM_DUP_FN
  procedure(MPI_Type_copy_attr_function) :: MPI_TYPE_NULL_COPY_FN, MPI_TYPE_DUP_FN
  procedure(MPI_Win_copy_attr_function) :: MPI_WIN_NULL_COPY_FN, MPI_WIN_DUP_FN
  procedure(MPI_Comm_delete_attr_function) :: MPI_COMM_NULL_DELETE_FN
  procedure(MPI_Type_delete_attr_function) :: MPI_TYPE_NULL_DELETE_FN
  procedure(MPI_Win_delete_attr_function) :: MPI_WIN_NULL_DELETE_FN

  interface
    double precision function MPI_Wtime()
    end function
    double precision function MPI_Wtick()
    end function
    double precision function PMPI_Wtime()
    end function
    double precision function PMPI_Wtick()
    end function
    integer(MPI_ADDRESS_KIND) function MPI_Aint_add(base, disp)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: base, disp
    end function
    integer(MPI_ADDRESS_KIND) function MPI_Aint_diff(addr1, addr2)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: addr1, addr2
    end function
    integer(MPI_ADDRESS_KIND) function PMPI_Aint_add(base, disp)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: base, disp
    end function
    integer(MPI_ADDRESS_KIND) function PMPI_Aint_diff(addr1, addr2)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: addr1, addr2
    end function
    subroutine MPI_F_sync_reg(buf) bind(C, name="mpi_f_sync_reg_")
      type(*), dimension(..), asynchronous, target :: buf
    end subroutine
    subroutine PMPI_F_sync_reg(buf) bind(C, name="pmpi_f_sync_reg_")
      type(*), dimension(..), asynchronous, target :: buf
    end subroutine
  end interface
  interface MPI_Sizeof
    module procedure MPI_Sizeof_f08
  end interface
  interface PMPI_Sizeof
    module procedure MPI_Sizeof_f08
  end interface
  include 'f08_procedures.inc'
contains
  include 'f08_operators.inc'

  subroutine MPI_Sizeof_f08(x, size, ierror)
    class(*), dimension(..), intent(in) :: x
    integer, intent(out) :: size
    integer, optional, intent(out) :: ierror
    size = int(storage_size(x) / 8)
    if (present(ierror)) ierror = MPI_SUCCESS
  end subroutine
end module mpi_f08
