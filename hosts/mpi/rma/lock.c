/* Epochs of one-sided communication that begin with a lock, 11.5.3 of MPI-3.1. */
#include "hosts/mpi/rma/win.h"

static bool is_granted(const struct mpi_win *win, int rank)
{
    return win->peers[rank].granted;
}

/* What was asked for has been answered, and what is for `rank` is complete here. */
static bool is_settled(const struct mpi_win *win, int rank)
{
    return (win->owed == 0 || win->peers[rank].unsure == 0) && mpi_win_is_local(win, rank);
}

int mpi_win_check_rank(const struct mpi_win *win, int rank)
{
    if (rank >= 0 && rank < win->comm->size)
        return MPI_SUCCESS;
    return mpi_fail(win->mr, MPI_ERR_RANK, "rank = %d: expected 0 .. %d", rank,
                    win->comm->size - 1);
}

/* The lock is asked for with the first operation, unless the program may do without operations:
 * with loads and stores. */
static void ask_for_lock(struct mpi_win *win, int type, int rank, int promises)
{
    struct mpi_win_peer *peer = &win->peers[rank];
    bool near = rank == win->comm->rank || win->flavor == MPI_WIN_FLAVOR_SHARED;

    peer->asked = (promises & MPI_MODE_NOCHECK) == 0 && near;
    peer->due = (promises & MPI_MODE_NOCHECK) == 0 && !near ? type : 0;
    peer->granted = !peer->asked;
    if (peer->asked)
        mpi_win_announce(win, rank, MPI_WIN_LOCK, (uint64_t)type, true);
}

static int lock_rank(struct mpi_win *win, int type, int rank, int promises)
{
    int code = mpi_win_check_rank(win, rank);

    if (code != MPI_SUCCESS)
        return code;
    if (type != MPI_LOCK_EXCLUSIVE && type != MPI_LOCK_SHARED)
        return mpi_fail(win->mr, MPI_ERR_LOCKTYPE, "lock_type = %d: no such type", type);
    if (win->peers[rank].locked || win->locked_all || win->start != NULL)
        return mpi_fail(win->mr, MPI_ERR_RMA_SYNC, "rank = %d: an epoch is open", rank);
    win->fenced = false;
    ask_for_lock(win, type, rank, promises);
    mpi_win_wait(win, is_granted, rank);
    win->peers[rank].locked = true;
    win->nlocked++;
    return code;
}

int MPI_Win_lock(int lock_type, int rank, int promises, MPI_Win win)
{
    struct mpi_win *w = mpi_win_begin(__func__, win);
    int code = w != NULL ? MPI_SUCCESS : MPI_ERR_WIN;

    if (w != NULL && rank != MPI_PROC_NULL)
        code = lock_rank(w, lock_type, rank, promises);
    return mpi_win_end(w, __func__, code);
}

/* Asks when the operations so far are done there, unless that is known. */
static void settle_one(struct mpi_win *win, int rank, enum mpi_win_kind kind)
{
    struct mpi_win_peer *peer = &win->peers[rank];
    bool ends = kind == MPI_WIN_UNLOCK && peer->asked;
    bool asks = peer->unsure > 0;

    if (kind == MPI_WIN_UNLOCK)
        peer->due = 0;
    if (!ends && !asks)
        return;
    if (ends)
        peer->asked = false;
    win->owed += asks;
    mpi_win_announce(win, rank, ends ? MPI_WIN_UNLOCK : MPI_WIN_FLUSH, peer->issued, asks);
}

/* Settles one rank or all of them (-1), and waits for that. */
static void settle_ranks(struct mpi_win *win, int rank, enum mpi_win_kind kind)
{
    int end = rank < 0 ? win->comm->size : rank + 1;

    for (int r = rank < 0 ? 0 : rank; r < end; r++)
        settle_one(win, r, kind);
    mpi_win_wait_or_let_others(win, is_settled, rank);
}

static int check_locked(struct mpi_win *win, int rank, bool flushes)
{
    int code = mpi_win_check_rank(win, rank);

    if (code != MPI_SUCCESS || win->peers[rank].locked || (flushes && win->locked_all))
        return code;
    return mpi_fail(win->mr, MPI_ERR_RMA_SYNC, "rank = %d: not locked", rank);
}

static int unlock_rank(struct mpi_win *win, int rank)
{
    int code = check_locked(win, rank, false);

    if (code != MPI_SUCCESS)
        return code;
    settle_ranks(win, rank, MPI_WIN_UNLOCK);
    win->peers[rank].locked = false;
    win->nlocked--;
    return code;
}

int MPI_Win_unlock(int rank, MPI_Win win)
{
    struct mpi_win *w = mpi_win_begin(__func__, win);
    int code = w != NULL ? MPI_SUCCESS : MPI_ERR_WIN;

    if (w != NULL && rank != MPI_PROC_NULL)
        code = unlock_rank(w, rank);
    return mpi_win_end(w, __func__, code);
}

static int lock_all(struct mpi_win *win, int promises)
{
    if (mpi_win_has_epoch(win))
        return mpi_fail(win->mr, MPI_ERR_RMA_SYNC, "an epoch is open");
    win->fenced = false;
    for (int r = 0; r < win->comm->size; r++)
        ask_for_lock(win, MPI_LOCK_SHARED, r, promises);
    mpi_win_wait(win, is_granted, -1);
    win->locked_all = true;
    return MPI_SUCCESS;
}

int MPI_Win_lock_all(int promises, MPI_Win win)
{
    struct mpi_win *w = mpi_win_begin(__func__, win);

    return mpi_win_end(w, __func__, w != NULL ? lock_all(w, promises) : MPI_ERR_WIN);
}

static int check_all(struct mpi_win *win)
{
    return win->locked_all ? MPI_SUCCESS : mpi_fail(win->mr, MPI_ERR_RMA_SYNC, "not locked by all");
}

int MPI_Win_unlock_all(MPI_Win win)
{
    struct mpi_win *w = mpi_win_begin(__func__, win);
    int code = w != NULL ? check_all(w) : MPI_ERR_WIN;

    if (code == MPI_SUCCESS) {
        settle_ranks(w, -1, MPI_WIN_UNLOCK);
        w->locked_all = false;
    }
    return mpi_win_end(w, __func__, code);
}

/* `all` ranks: locks of single ones count as well. `local`: on this side alone. */
static int flush_window(const char *call, bool all, int rank, MPI_Win win, bool local)
{
    struct mpi_win *w = mpi_win_begin(call, win);
    int code = w != NULL ? MPI_SUCCESS : MPI_ERR_WIN, whom = all ? -1 : rank;

    if (w == NULL || (!all && rank == MPI_PROC_NULL))
        return mpi_win_end(w, call, code);
    if (!all)
        code = check_locked(w, rank, true);
    else if (w->nlocked == 0)
        code = check_all(w);
    if (code == MPI_SUCCESS && local)
        mpi_win_wait_or_let_others(w, mpi_win_is_local, whom);
    else if (code == MPI_SUCCESS)
        settle_ranks(w, whom, MPI_WIN_FLUSH);
    return mpi_win_end(w, call, code);
}

int MPI_Win_flush(int rank, MPI_Win win)
{
    return flush_window(__func__, false, rank, win, false);
}

int MPI_Win_flush_all(MPI_Win win)
{
    return flush_window(__func__, true, 0, win, false);
}

int MPI_Win_flush_local(int rank, MPI_Win win)
{
    return flush_window(__func__, false, rank, win, true);
}

int MPI_Win_flush_local_all(MPI_Win win)
{
    return flush_window(__func__, true, 0, win, true);
}

int MPI_Win_sync(MPI_Win win)
{
    struct mpi_win *w = mpi_win_begin(__func__, win);

    if (w != NULL)
        mpi_win_let_others(w);
    return mpi_win_end(w, __func__, w != NULL ? MPI_SUCCESS : MPI_ERR_WIN);
}
