! MPI from Fortran: what passes between the languages and is more than an integer.
module callbacks
  implicit none
  include 'mpif.h'
  integer :: copies = 0, deletions = 0, errors = 0
contains
  subroutine take_larger(in, inout, n, type)
    integer :: n, type, i
    integer :: in(n), inout(n)
    if (type /= MPI_INTEGER) inout = -1
    do i = 1, n
      if (in(i) > inout(i)) inout(i) = in(i)
    end do
  end subroutine take_larger

  subroutine copy(comm, keyval, extra, value, new, flag, ierr)
    integer :: comm, keyval, ierr
    integer(MPI_ADDRESS_KIND) :: extra, value, new
    logical :: flag
    copies = copies + 1
    new = value + extra
    flag = .true.
    ierr = MPI_SUCCESS
  end subroutine copy

  subroutine delete(comm, keyval, value, extra, ierr)
    integer :: comm, keyval, ierr
    integer(MPI_ADDRESS_KIND) :: value, extra
    deletions = deletions + 1
    ierr = MPI_SUCCESS
  end subroutine delete

  subroutine old_copy(comm, keyval, extra, value, new, flag, ierr)
    integer :: comm, keyval, extra, value, new, ierr
    logical :: flag
    new = value * extra
    flag = .true.
    ierr = MPI_SUCCESS
  end subroutine old_copy

  subroutine on_error(comm, code)
    integer :: comm, code
    errors = errors + 1
  end subroutine on_error

  subroutine asked(extra, status, ierr)
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: status(MPI_STATUS_SIZE), ierr
    status(MPI_SOURCE) = int(extra)
    status(MPI_TAG) = 7
    ierr = MPI_SUCCESS
  end subroutine asked

  subroutine released(extra, ierr)
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: ierr
    extra = extra + 1
    ierr = MPI_SUCCESS
  end subroutine released

  subroutine cancelled(extra, complete, ierr)
    integer(MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: ierr
    extra = -1
    ierr = MPI_SUCCESS
  end subroutine cancelled
end module callbacks

program bindings
  use callbacks
  implicit none
  integer :: ierr, me, n, failed = 0

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  call point_to_point
  call collectives
  call types
  call attributes
  call texts
  call own_request
  call topology
  call windows
  call MPI_Allreduce(MPI_IN_PLACE, failed, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (me == 0) print '(i0,a)', failed, ' failed'
  call MPI_Finalize(ierr)

contains

  subroutine check(good, what)
    logical, intent(in) :: good
    character(*), intent(in) :: what
    if (good .and. ierr == MPI_SUCCESS) return
    failed = failed + 1
    print *, 'rank', me, what, ierr
    ierr = MPI_SUCCESS
  end subroutine check

  subroutine point_to_point
    integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2), requests(2), index, count, i
    integer :: indices(2), next, last
    double precision :: a(100), b(100)
    logical :: flag
    next = mod(me + 1, n)
    last = mod(me + n - 1, n)
    a = me
    call MPI_Irecv(b, 100, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(2), ierr)
    requests(1) = MPI_REQUEST_NULL
    call MPI_Send(a, 40, MPI_REAL8, next, 17, MPI_COMM_WORLD, ierr)
    call MPI_Waitany(2, requests, index, status, ierr)
    call check(index == 2 .and. b(40) == last, 'Waitany counts from one')
    call check(status(MPI_SOURCE) == last .and. status(MPI_TAG) == 17, 'status')
    call MPI_Get_count(status, MPI_DOUBLE_PRECISION, count, ierr)
    call check(count == 40, 'Get_count')
    call MPI_Isend(a, 1, MPI_DOUBLE_PRECISION, next, 1, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Recv(b, 1, MPI_DOUBLE_PRECISION, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Waitall(1, requests, MPI_STATUSES_IGNORE, ierr)
    call check(requests(1) == MPI_REQUEST_NULL, 'ignored statuses')
    call MPI_Irecv(b, 1, MPI_INTEGER, last, 2, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Send(me, 1, MPI_INTEGER, next, 2, MPI_COMM_WORLD, ierr)
    call MPI_Waitsome(2, requests, count, indices, statuses, ierr)
    call MPI_F_sync_reg(b)
    call check(count == 1 .and. indices(1) == 2 .and. statuses(MPI_TAG, 1) == 2, 'Waitsome')
    call MPI_Testany(2, requests, index, flag, status, ierr)
    call check(flag .and. index == MPI_UNDEFINED, 'Testany without requests')
    call MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, flag, status, ierr)
    call check(.not. flag, 'LOGICAL')
    call MPI_Send(me, 1, MPI_INTEGER, MPI_PROC_NULL, 2, MPI_COMM_WORLD, ierr)
    do i = 1, 3
      call MPI_Sendrecv(i, 1, MPI_INTEGER, next, i, count, 1, MPI_INTEGER, last, i, MPI_COMM_WORLD, status, ierr)
      call check(count == i, 'Sendrecv')
    end do
  end subroutine point_to_point

  subroutine collectives
    integer :: op, mine(3), most(3), all(0:63), i
    double precision :: pair(2), best(2)
    complex :: z
    logical :: any
    mine = [me, -me, 7]
    call MPI_Op_create(take_larger, .true., op, ierr)
    call MPI_Allreduce(mine, most, 3, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
    call check(all_equal(most, [n - 1, 0, 7]), 'own operator')
    call MPI_Op_free(op, ierr)
    call check(op == MPI_OP_NULL, 'freed operator')
    all = -1
    all(me) = me * 3
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call check(all_equal(all(0:n - 1), [(3 * i, i = 0, n - 1)]), 'in place')
    any = me == n - 1
    call MPI_Allreduce(MPI_IN_PLACE, any, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierr)
    call check(any, 'reduced LOGICAL')
    pair = [dble(mod(me * 5, n)), dble(me)]
    call MPI_Allreduce(pair, best, 1, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, MPI_COMM_WORLD, ierr)
    call check(best(1) >= pair(1) .and. mod(nint(best(2)) * 5, n) == nint(best(1)), 'MAXLOC')
    z = (1., 2.)
    call MPI_Allreduce(MPI_IN_PLACE, z, 1, MPI_COMPLEX, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check(z == cmplx(n, 2 * n), 'COMPLEX')
  end subroutine collectives

  logical function all_equal(a, b)
    integer, intent(in) :: a(:), b(:)
    all_equal = all(a == b)
  end function all_equal

  subroutine types
    integer(MPI_ADDRESS_KIND) :: at(2), lb, extent
    integer :: type, old, lengths(2), kinds(2), bytes, i, code
    integer :: numbers(4), places(2)
    double precision :: x(3)
    common /placed/ x, numbers
    call MPI_Get_address(x, at(1), ierr)
    call MPI_Get_address(numbers, at(2), ierr)
    lengths = [3, 4]
    kinds = [MPI_DOUBLE_PRECISION, MPI_INTEGER]
    call MPI_Type_create_struct(2, lengths, at, kinds, type, ierr)
    call MPI_Type_commit(type, ierr)
    x = me
    numbers = me
    if (me == 0) x = [1.5d0, 2.5d0, 3.5d0]
    if (me == 0) numbers = [(i, i = 1, 4)]
    call MPI_Bcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD, ierr)
    call check(x(3) == 3.5d0 .and. numbers(4) == 4, 'MPI_BOTTOM')
    call MPI_Type_size(type, bytes, ierr)
    call check(bytes == 40, 'Type_size')
    call MPI_Type_free(type, ierr)
    call MPI_Type_vector(2, 1, 2, MPI_INTEGER, type, ierr)
    call MPI_Type_get_extent(type, lb, extent, ierr)
    call check(lb == 0 .and. extent == 12, 'extent')
    call MPI_Type_free(type, ierr)
    call MPI_Address(x, places(1), ierr)
    call MPI_Address(numbers, places(2), ierr)
    call check(places(2) - places(1) == at(2) - at(1), 'addresses in INTEGER')
    places = places - places(1)
    call MPI_Type_struct(2, lengths, places, kinds, old, ierr)
    call MPI_Type_commit(old, ierr)
    if (me == 0) x = 9
    call MPI_Bcast(x, 1, old, 0, MPI_COMM_WORLD, ierr)
    call check(x(2) == 9, 'Type_struct')
    call MPI_Type_free(old, ierr)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
    call MPI_Send(x, -1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, code)
    call MPI_Error_class(code, i, ierr)
    call check(i == MPI_ERR_COUNT, 'error class')
  end subroutine types

  subroutine attributes
    use, intrinsic :: iso_c_binding
    integer(MPI_ADDRESS_KIND) :: value, extra
    integer :: keyval, old, comm, handler, small, code
    logical :: flag
    type(c_ptr) :: place
    integer(MPI_ADDRESS_KIND), pointer :: wide
    integer, pointer :: narrow
    interface
      integer(c_int) function c_get_attr(comm, keyval, value, flag) bind(c, name='MPI_Comm_get_attr')
        import :: c_int, c_ptr
        integer(c_int), value :: comm, keyval
        type(c_ptr) :: value
        integer(c_int) :: flag
      end function c_get_attr
    end interface
    extra = 1000
    call MPI_Comm_create_keyval(copy, delete, keyval, extra, ierr)
    call MPI_Keyval_create(old_copy, MPI_NULL_DELETE_FN, old, 2, ierr)
    value = 5 + me
    call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, value, ierr)
    call MPI_Attr_put(MPI_COMM_WORLD, old, 21, ierr)
    ierr = c_get_attr(MPI_COMM_WORLD, keyval, place, small)
    call c_f_pointer(place, wide)
    call check(small /= 0 .and. wide == 5 + me, 'C gets a pointer to an integer of Fortran')
    ierr = c_get_attr(MPI_COMM_WORLD, old, place, small)
    call c_f_pointer(place, narrow)
    call check(small /= 0 .and. narrow == 21, 'C gets a pointer to an INTEGER')
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
    call MPI_Comm_get_attr(comm, keyval, value, flag, ierr)
    call check(flag .and. value == 1005 + me .and. copies == 1, 'copied attribute')
    call MPI_Attr_get(comm, old, small, flag, ierr)
    call check(flag .and. small == 42, 'copied attribute of MPI-1')
    call MPI_Attr_get(comm, MPI_TAG_UB, small, flag, ierr)
    call check(flag .and. small >= 32767, 'TAG_UB')
    call MPI_Comm_create_errhandler(on_error, handler, ierr)
    call MPI_Comm_set_errhandler(comm, handler, ierr)
    call MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER, code)
    call check(errors == 1, 'own error handler')
    call MPI_Errhandler_free(handler, ierr)
    call MPI_Comm_free(comm, ierr)
    call check(deletions == 1 .and. comm == MPI_COMM_NULL, 'deleted attribute')
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval, ierr)
    call MPI_Comm_free_keyval(keyval, ierr)
    call check(deletions == 2 .and. keyval == MPI_KEYVAL_INVALID, 'free_keyval')
  end subroutine attributes

  subroutine texts
    character(MPI_MAX_PROCESSOR_NAME) :: name
    character(MPI_MAX_ERROR_STRING) :: string
    character(8) :: short
    integer :: length, info
    logical :: flag
    call MPI_Get_processor_name(name, length, ierr)
    call check(name(1:4) == 'node' .and. len_trim(name) == length, 'processor name')
    call MPI_Error_string(MPI_ERR_TAG, string, length, ierr)
    call check(length > 0 .and. string(length + 1:) == ' ', 'error string')
    call MPI_Comm_set_name(MPI_COMM_WORLD, ' named  ', ierr)
    call MPI_Comm_get_name(MPI_COMM_WORLD, short, length, ierr)
    call check(short == 'named' .and. length == 5, 'name')
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, 'key  ', 'some value', ierr)
    call MPI_Info_get(info, ' key', 8, short, flag, ierr)
    call check(flag .and. short == 'some val', 'info')
    call MPI_Info_get(info, 'other', 8, short, flag, ierr)
    call check(.not. flag .and. short == 'some val', 'no such key')
    call MPI_Info_free(info, ierr)
  end subroutine texts

  subroutine own_request
    integer(MPI_ADDRESS_KIND), volatile :: extra
    integer :: request, status(MPI_STATUS_SIZE)
    extra = 40
    call MPI_Grequest_start(asked, released, cancelled, extra, request, ierr)
    call MPI_Grequest_complete(request, ierr)
    call MPI_Wait(request, status, ierr)
    call check(status(MPI_SOURCE) == 40 .and. status(MPI_TAG) == 7, 'query function')
    call check(extra == 41, 'the functions see the variable itself')
  end subroutine own_request

  subroutine topology
    integer :: comm, dims(1), coords(1), source, dest, indices(1), edges(1)
    logical :: periods(1)
    dims = n
    periods = .true.
    call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, .false., comm, ierr)
    periods = .false.
    call MPI_Cart_get(comm, 1, dims, periods, coords, ierr)
    call check(periods(1) .and. coords(1) == me, 'LOGICAL array')
    call MPI_Cart_shift(comm, 0, 1, source, dest, ierr)
    call check(dest == mod(me + 1, n), 'Cart_shift')
    call MPI_Comm_free(comm, ierr)
    call MPI_Graph_create(MPI_COMM_SELF, 1, (/ 1 /), (/ 0 /), .false., comm, ierr)
    call MPI_Graph_get(comm, 1, 1, indices, edges, ierr)
    call check(indices(1) == 1 .and. edges(1) == 0, 'Graph_get counts neighbours')
    call MPI_Comm_free(comm, ierr)
  end subroutine topology

  subroutine windows
    integer(MPI_ADDRESS_KIND) :: bytes, at, value
    integer :: shown(10), win
    logical :: flag
    shown = 0
    bytes = 40
    call MPI_Win_create(shown, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    call MPI_Win_fence(0, win, ierr)
    at = 5
    call MPI_Accumulate(1, 1, MPI_INTEGER, 0, at, 1, MPI_INTEGER, MPI_SUM, win, ierr)
    call MPI_Win_fence(0, win, ierr)
    call check(me /= 0 .or. shown(6) == n, 'Accumulate')
    call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, flag, ierr)
    call check(flag .and. value == 40, 'size of a window')
    call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, value, flag, ierr)
    call check(flag .and. value == 4, 'unit of a window')
    call MPI_Win_get_attr(win, MPI_WIN_BASE, value, flag, ierr)
    call MPI_Get_address(shown, at, ierr)
    call check(flag .and. value == at, 'base of a window')
    call MPI_Win_free(win, ierr)
  end subroutine windows
end program bindings
