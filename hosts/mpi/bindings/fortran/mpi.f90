! The module is mpif.h, and MPI_SIZEOF for all types and ranks.
module mpi
  implicit none
  include 'mpif.h'
contains
  subroutine MPI_SIZEOF(x, size, ierror)
    class(*), dimension(..), intent(in) :: x
    integer, intent(out) :: size, ierror
    size = int(storage_size(x) / 8)
    ierror = MPI_SUCCESS
  end subroutine MPI_SIZEOF
end module mpi
