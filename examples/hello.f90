! Fortran:  hubf90 hello.f90 -o hello && hubrun -n 4 -m ring4 ./hello
program hello
   use mpi_f08
   implicit none
   integer :: rank, ranks, length
   character(len=MPI_MAX_PROCESSOR_NAME) :: node

   call MPI_Init()
   call MPI_Comm_rank(MPI_COMM_WORLD, rank)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks)
   call MPI_Get_processor_name(node, length)
   print '(a, i0, a, i0, a, a)', 'hello from rank ', rank, ' of ', ranks, ' on ', node(1:length)
   call MPI_Finalize()
end program hello
