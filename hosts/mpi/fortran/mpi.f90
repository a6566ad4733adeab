! The module is mpif.h, the functions that programs with mpif.h declare by themselves, and MPI_SIZEOF
! for all types and ranks.
module mpi
  implicit none
  include 'mpif.h'
  integer(kind=MPI_ADDRESS_KIND), external :: MPI_AINT_ADD, MPI_AINT_DIFF
  integer(kind=MPI_ADDRESS_KIND), external :: PMPI_AINT_ADD, PMPI_AINT_DIFF
contains
  subroutine MPI_SIZEOF(x, size, ierror)
    class(*), dimension(..), intent(in) :: x
    integer, intent(out) :: size, ierror
    size = int(storage_size(x) / 8)
    ierror = MPI_SUCCESS
  end subroutine MPI_SIZEOF
end module mpi
