/* One-sided operations, their buffers and windows. */
#include "races.h"

static MPI_Win win;

static void open_window(void)
{
    MPI_Win_create(buffer, sizeof(buffer), 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
}

static void fence(void)
{
    MPI_Win_fence(0, win);
}

/** The other buffer goes to words [at, at + 8) of the other rank. */
static void put_words(int at)
{
    MPI_Put(other_buffer, 8, MPI_UINT64_T, !me, at, 8, MPI_UINT64_T, win);
}

static void get_words(int at)
{
    MPI_Get(other_buffer, 8, MPI_UINT64_T, !me, at, 8, MPI_UINT64_T, win);
}

static void add_words(int at)
{
    MPI_Accumulate(other_buffer, 8, MPI_UINT64_T, !me, at, 8, MPI_UINT64_T, MPI_SUM, win);
}

static void ok_flush_completes_requests(void)
{
    open_window();
    if (me == 0) {
        MPI_Win_lock_all(0, win);
        MPI_Rput(other_buffer, 8, MPI_UINT64_T, 1, 40, 8, MPI_UINT64_T, win, &request);
        MPI_Win_flush(1, win);
        other_buffer[3] = 1;
        end();
        MPI_Win_unlock_all(win);
    }
    MPI_Win_free(&win);
}

/** An epoch between fences, in which `rank` does something; its beginning orders all before. */
static void between_fences(void (*zero)(void), void (*one)(void))
{
    open_window();
    fence();
    (me == 0 ? zero : one)();
    fence();
    MPI_Win_free(&win);
}

static void nothing(void) {}

static void load_42(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    seen += buffer[42];
}

static void store_42(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    buffer[42] = 1;
}

static void put_40_then_barrier(void)
{
    put_words(40);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void get_40_then_barrier(void)
{
    get_words(40);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void loads_in_epoch(void)
{
    between_fences(put_40_then_barrier, load_42);
}

static void stores_in_epoch(void)
{
    between_fences(put_40_then_barrier, store_42);
}

static void stores_to_got(void)
{
    between_fences(get_40_then_barrier, store_42);
}

static void ok_loads_got(void)
{
    between_fences(get_40_then_barrier, load_42);
}

static void fetch_40_then_barrier(void)
{
    MPI_Get_accumulate(NULL, 0, MPI_UINT64_T, other_buffer, 8, MPI_UINT64_T, 1, 40, 8, MPI_UINT64_T,
                       MPI_NO_OP, win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void ok_loads_fetched_by_no_op(void)
{
    between_fences(fetch_40_then_barrier, load_42);
}

static void stores_to_fetched_by_no_op(void)
{
    between_fences(fetch_40_then_barrier, store_42);
}

static void put_40_then_store(void)
{
    put_words(40);
    other_buffer[3] = 1;
}

static void stores_to_origin(void)
{
    between_fences(put_40_then_store, nothing);
}

static void get_40_then_load(void)
{
    get_words(40);
    seen += other_buffer[3];
}

static void loads_result_in_epoch(void)
{
    between_fences(get_40_then_load, nothing);
}

static void ok_fences(void)
{
    open_window();
    fence();
    for (int i = 0; i < 3; i++) {
        if (me == 0)
            put_words(40);
        fence();
        other_buffer[3] = (uint64_t)i;
        seen += buffer[42];
        buffer[43] = 1;
        fence();
    }
    if (me == 0)
        get_words(40);
    fence();
    seen += other_buffer[3];
    MPI_Win_free(&win);
}

static void put_own(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Put(other_buffer, 8, MPI_UINT64_T, me, 44, 8, MPI_UINT64_T, win);
}

static void puts_from_both(void)
{
    between_fences(put_40_then_barrier, put_own);
}

static void add_own(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Accumulate(other_buffer, 8, MPI_UINT64_T, me, 44, 8, MPI_UINT64_T, MPI_SUM, win);
}

static void add_40_then_barrier(void)
{
    add_words(40);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void put_meets_accumulate(void)
{
    between_fences(put_40_then_barrier, add_own);
}

static void ok_accumulates_from_both(void)
{
    between_fences(add_40_then_barrier, add_own);
}

/** Rank 0 puts within a lock, ends or flushes it, and sends a message; rank 1 then loads. */
static void lock_and_send(void (*before)(void), void (*after)(void))
{
    uint64_t word = 0;

    open_window();
    if (me == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        put_words(40);
        before();
        MPI_Send(&word, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        after();
    } else {
        MPI_Recv(&word, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        seen += buffer[42];
    }
    MPI_Win_free(&win);
}

static void unlock(void)
{
    MPI_Win_unlock(1, win);
}

static void flush(void)
{
    MPI_Win_flush(1, win);
}

static void flush_local(void)
{
    MPI_Win_flush_local(1, win);
    other_buffer[3] = 1;
}

static void loads_after_local_flush(void)
{
    lock_and_send(flush_local, unlock);
}

static void ok_loads_after_flush(void)
{
    lock_and_send(flush, unlock);
}

static void ok_loads_after_unlock(void)
{
    lock_and_send(unlock, nothing);
}

static void put_twice(void)
{
    put_words(40);
    put_words(44);
}

static void puts_twice(void)
{
    between_fences(put_twice, nothing);
}

static void put_then_get(void)
{
    put_words(40);
    MPI_Get(buffer, 8, MPI_UINT64_T, 1, 44, 8, MPI_UINT64_T, win);
}

static void gets_what_it_puts(void)
{
    between_fences(put_then_get, nothing);
}

static void add_then_put(void)
{
    add_words(40);
    put_words(44);
}

static void puts_to_added(void)
{
    between_fences(add_then_put, nothing);
}

static void add_twice_and_put_beside(void)
{
    add_words(40);
    add_words(44);
    put_words(52);
}

static void ok_adds_twice(void)
{
    between_fences(add_twice_and_put_beside, nothing);
}

static void ok_puts_after_flush(void)
{
    open_window();
    if (me == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        put_words(40);
        flush();
        put_words(44);
        unlock();
    }
    MPI_Win_free(&win);
}

/** Rank 0 puts twice to word 44 and beside it, in one exclusive epoch or in two. */
static void exclude_and_put(int epochs)
{
    open_window();
    if (me == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        put_words(40);
        if (epochs == 2) {
            unlock();
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        }
        put_words(44);
        unlock();
    }
    MPI_Win_free(&win);
}

static void puts_twice_exclusively(void)
{
    exclude_and_put(1);
}

static void ok_puts_in_two_epochs(void)
{
    exclude_and_put(2);
}

/** Rank 0 puts within a lock while rank 1 stores to its window within one of its own. */
static void both_lock(int own_type)
{
    open_window();
    for (int i = 0; i < 5; i++) {
        MPI_Win_lock(me == 0 ? MPI_LOCK_EXCLUSIVE : own_type, 1, 0, win);
        if (me == 0)
            put_words(40);
        else
            buffer[42]++;
        MPI_Win_unlock(1, win);
    }
    MPI_Win_free(&win);
}

static void ok_both_exclude(void)
{
    both_lock(MPI_LOCK_EXCLUSIVE);
}

static void ok_one_excludes(void)
{
    both_lock(MPI_LOCK_SHARED);
}

static void stores_before_own_lock(void)
{
    open_window();
    if (me == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        put_words(40);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_unlock(1, win);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        buffer[42] = 1;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        MPI_Win_unlock(1, win);
    }
    MPI_Win_free(&win);
}

static void puts_to_itself(void)
{
    open_window();
    if (me == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Put(other_buffer, 8, MPI_UINT64_T, 0, 40, 8, MPI_UINT64_T, win);
        seen += buffer[42];
        MPI_Win_unlock(0, win);
    }
    MPI_Win_free(&win);
}

static void request_put(int waits)
{
    open_window();
    if (me == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        MPI_Rput(other_buffer, 8, MPI_UINT64_T, 1, 40, 8, MPI_UINT64_T, win, &request);
        if (waits)
            end();
        other_buffer[3] = 1;
        if (!waits)
            end();
        MPI_Win_unlock(1, win);
    }
    MPI_Win_free(&win);
}

static void stores_while_put_requested(void)
{
    request_put(0);
}

static void ok_stores_after_put_requested(void)
{
    request_put(1);
}

static void loads_while_fetched(void)
{
    open_window();
    if (me == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        MPI_Fetch_and_op(buffer, other_buffer, MPI_UINT64_T, 1, 40, MPI_SUM, win);
        seen += other_buffer[0];
        MPI_Win_unlock(1, win);
    }
    MPI_Win_free(&win);
}

/** Another window of the buffer, that of `win`: no lock or flush of one is about the other. */
static MPI_Win other_win;

static void open_windows(void)
{
    open_window();
    MPI_Win_create(buffer, sizeof(buffer), 8, MPI_INFO_NULL, MPI_COMM_WORLD, &other_win);
}

static void close_windows(void)
{
    MPI_Win_free(&other_win);
    MPI_Win_free(&win);
}

static void puts_with_locks_of_two_windows(void)
{
    open_windows();
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, me == 0 ? win : other_win);
    if (me == 0) {
        put_40_then_barrier();
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Put(other_buffer, 8, MPI_UINT64_T, 1, 44, 8, MPI_UINT64_T, other_win);
    }
    MPI_Win_unlock(1, me == 0 ? win : other_win);
    close_windows();
}

/* What the other rank asks for is answered meanwhile. */
static void answer_until(double seconds)
{
    int comes;

    while (MPI_Wtime() < seconds)
        MPI_Iprobe(!me, 0, MPI_COMM_WORLD, &comes, MPI_STATUS_IGNORE);
}

/** Rank 1 locks its window long after rank 0 has unlocked it, or the other one. No message of rank
 * 0 comes before. */
static void lock_later(MPI_Win *later)
{
    double start;

    open_windows();
    start = MPI_Wtime();
    if (me == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        put_words(40);
        unlock();
        answer_until(start + 2e-3);
    } else {
        answer_until(start + 1e-3);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, *later);
        seen += buffer[42];
        MPI_Win_unlock(1, *later);
    }
    close_windows();
}

static void loads_with_lock_of_other_window(void)
{
    lock_later(&other_win);
}

static void ok_loads_with_later_lock(void)
{
    lock_later(&win);
}

/* Rank 1 may have the lock before rank 0 hears that its own one is over. */
static void ok_loads_after_own_lock(void)
{
    uint64_t word = 0;

    open_window();
    if (me == 0) {
        other_buffer[7] = 5;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        put_words(40);
        unlock();
    }
    while (me == 1 && word != 5) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        word = buffer[47];
        unlock();
    }
    if (me == 1)
        seen += buffer[42];
    MPI_Win_free(&win);
}

static void loads_after_flush_of_other_window(void)
{
    uint64_t word = 0;

    open_windows();
    if (me == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, other_win);
        put_words(40);
        MPI_Put(other_buffer, 8, MPI_UINT64_T, 1, 80, 8, MPI_UINT64_T, other_win);
        MPI_Win_flush(1, other_win);
        MPI_Send(&word, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Win_unlock(1, other_win);
        unlock();
    } else {
        MPI_Recv(&word, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        seen += buffer[42] + buffer[82];
    }
    close_windows();
}

static MPI_Group other_rank(void)
{
    MPI_Group world, other;
    int peer = !me;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer, &other);
    MPI_Group_free(&world);
    return other;
}

static void ok_post_and_wait(void)
{
    MPI_Group other = other_rank();

    open_window();
    if (me == 0) {
        MPI_Win_start(other, 0, win);
        put_words(40);
        MPI_Win_complete(win);
        other_buffer[3] = 1;
    } else {
        MPI_Win_post(other, 0, win);
        MPI_Win_wait(win);
        seen += buffer[42];
    }
    MPI_Win_free(&win);
    MPI_Group_free(&other);
}

static void loads_while_exposed(void)
{
    MPI_Group other = other_rank();

    open_window();
    if (me == 0) {
        MPI_Win_start(other, 0, win);
        put_words(40);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_complete(win);
    } else {
        MPI_Win_post(other, 0, win);
        MPI_Barrier(MPI_COMM_WORLD);
        seen += buffer[42];
        MPI_Win_wait(win);
    }
    MPI_Win_free(&win);
    MPI_Group_free(&other);
}

const struct race_case race_windows[] = {
    CASE(loads_in_epoch),
    CASE(stores_in_epoch),
    CASE(stores_to_got),
    CASE(ok_loads_got),
    CASE(ok_loads_fetched_by_no_op),
    CASE(stores_to_fetched_by_no_op),
    CASE(stores_to_origin),
    CASE(loads_result_in_epoch),
    CASE(ok_flush_completes_requests),
    CASE(ok_fences),
    CASE(puts_from_both),
    CASE(put_meets_accumulate),
    CASE(ok_accumulates_from_both),
    CASE(loads_after_local_flush),
    CASE(ok_loads_after_flush),
    CASE(ok_loads_after_unlock),
    CASE(puts_twice),
    CASE(gets_what_it_puts),
    CASE(puts_to_added),
    CASE(ok_adds_twice),
    CASE(ok_puts_after_flush),
    CASE(puts_twice_exclusively),
    CASE(ok_puts_in_two_epochs),
    CASE(ok_both_exclude),
    CASE(ok_one_excludes),
    CASE(stores_before_own_lock),
    CASE(puts_with_locks_of_two_windows),
    CASE(loads_with_lock_of_other_window),
    CASE(ok_loads_with_later_lock),
    CASE(ok_loads_after_own_lock),
    CASE(loads_after_flush_of_other_window),
    CASE(puts_to_itself),
    CASE(stores_while_put_requested),
    CASE(ok_stores_after_put_requested),
    CASE(loads_while_fetched),
    CASE(ok_post_and_wait),
    CASE(loads_while_exposed),
    { NULL, NULL },
};
