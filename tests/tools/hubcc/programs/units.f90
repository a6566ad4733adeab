! What libgfortran keeps: units, arguments, random numbers, time; a status at the end.
program units
  implicit none
  include 'mpif.h'
  integer :: ierr, me, count, rate, number
  character(len=16) :: word, line
  real :: first, start, end
  double precision :: t

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call getarg(1, word)
  write (line, '(a,i0)') 'unit', me
  open (10, file=trim(line), status='replace')
  write (10, *) me * 11
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  rewind (10)
  read (10, *) number
  close (10, status='delete')
  read (5, *, end=20) word
20 call random_number(first)
  call cpu_time(start)
  t = MPI_Wtime()
  call sleep(1)
  call system_clock(count, rate)
  call cpu_time(end)
  print '(a,1x,a,1x,i0,1x,2f5.1,l2)', trim(line), trim(word), number, end - start, &
    MPI_Wtime() - t, first > 0
  write (0, '(a)') 'to stderr'
  write (*, '(a,i0)', advance='no') 'no end of line ', rate
  call MPI_Finalize(ierr)
  if (me == 1) stop 3
end program units
