/* Epochs of one-sided communication that begin with a lock, 11.5.3 of MPI-3.1. */
#include "hosts/mpi/rma/win.h"

static bool is_granted(const struct mpi_win_peer *peer)
{
    return peer->granted;
}

static bool granted(struct mpi_win *win, int rank)
{
    return mpi_win_all(win, rank, is_granted);
}

/* What was asked for has been answered, and what is for `rank` is complete here. */
static bool settled(struct mpi_win *win, int rank)
{
    bool owes = win->owed > 0 && (rank < 0 || win->peers[rank].unsure > 0);

    return !owes && mpi_win_local(win, rank);
}

static int check_rank(struct mpi_win *win, int rank)
{
    if (rank >= 0 && rank < win->comm->size)
        return MPI_SUCCESS;
    return mpi_fail(win->mr, MPI_ERR_RANK, "rank = %d: expected 0 .. %d", rank,
                    win->comm->size - 1);
}

/* The lock is asked for with the first operation, unless the program may do without operations:
 * with loads and stores. */
static int ask(struct mpi_win *win, int type, int rank, int promises)
{
    struct mpi_win_peer *peer = &win->peers[rank];
    bool near = rank == win->comm->rank || win->flavor == MPI_WIN_FLAVOR_SHARED;

    peer->asked = (promises & MPI_MODE_NOCHECK) == 0 && near;
    peer->due = (promises & MPI_MODE_NOCHECK) == 0 && !near ? type : 0;
    peer->granted = !peer->asked;
    if (!peer->asked)
        return MPI_SUCCESS;
    return mpi_win_tell(win, rank, MPI_WIN_LOCK, (uint64_t)type, true);
}

static int lock(struct mpi_win *win, int type, int rank, int promises)
{
    int code = check_rank(win, rank);

    if (code == MPI_SUCCESS && type != MPI_LOCK_EXCLUSIVE && type != MPI_LOCK_SHARED)
        code = mpi_fail(win->mr, MPI_ERR_LOCKTYPE, "lock_type = %d: no such type", type);
    if (code == MPI_SUCCESS && (win->peers[rank].locked || win->locked_all || win->start != NULL))
        code = mpi_fail(win->mr, MPI_ERR_RMA_SYNC, "rank = %d: an epoch is open", rank);
    if (code != MPI_SUCCESS)
        return code;
    win->fenced = false;
    code = ask(win, type, rank, promises);
    if (code == MPI_SUCCESS)
        code = mpi_win_wait(win, granted, rank);
    win->peers[rank].locked = true;
    win->nlocked++;
    return code;
}

int MPI_Win_lock(int lock_type, int rank, int promises, MPI_Win win)
{
    struct mpi_win *w = NULL;
    int code = mpi_win_begin(__func__, win, &w);

    if (code == MPI_SUCCESS && rank != MPI_PROC_NULL)
        code = lock(w, lock_type, rank, promises);
    return mpi_win_end(mpi_self(), w, __func__, code);
}

/* Asks when the operations so far are done there, unless that is known. */
static int settle_one(struct mpi_win *win, int rank, enum mpi_win_kind kind)
{
    struct mpi_win_peer *peer = &win->peers[rank];
    bool ends = kind == MPI_WIN_UNLOCK && peer->asked;
    bool asks = peer->unsure > 0;

    if (kind == MPI_WIN_UNLOCK)
        peer->due = 0;
    if (!ends && !asks)
        return MPI_SUCCESS;
    if (ends)
        peer->asked = false;
    win->owed += asks;
    return mpi_win_tell(win, rank, ends ? MPI_WIN_UNLOCK : MPI_WIN_FLUSH, peer->issued, asks);
}

/* The same of one rank or of all of them, and waits for that. */
static int settle(struct mpi_win *win, int rank, enum mpi_win_kind kind)
{
    int code = MPI_SUCCESS, first = rank < 0 ? 0 : rank;
    int end = rank < 0 ? win->comm->size : rank + 1;

    for (int r = first; code == MPI_SUCCESS && r < end; r++)
        code = settle_one(win, r, kind);
    return code == MPI_SUCCESS ? mpi_win_wait_or_let_others(win, settled, rank) : code;
}

static int check_locked(struct mpi_win *win, int rank, bool flushes)
{
    int code = check_rank(win, rank);

    if (code != MPI_SUCCESS || win->peers[rank].locked || (flushes && win->locked_all))
        return code;
    return mpi_fail(win->mr, MPI_ERR_RMA_SYNC, "rank = %d: not locked", rank);
}

int MPI_Win_unlock(int rank, MPI_Win win)
{
    struct mpi_win *w = NULL;
    int code = mpi_win_begin(__func__, win, &w);

    if (code == MPI_SUCCESS && rank != MPI_PROC_NULL) {
        code = check_locked(w, rank, false);
        if (code == MPI_SUCCESS)
            code = settle(w, rank, MPI_WIN_UNLOCK);
        if (code == MPI_SUCCESS) {
            w->peers[rank].locked = false;
            w->nlocked--;
        }
    }
    return mpi_win_end(mpi_self(), w, __func__, code);
}

int MPI_Win_lock_all(int promises, MPI_Win win)
{
    struct mpi_win *w = NULL;
    int code = mpi_win_begin(__func__, win, &w);

    if (code == MPI_SUCCESS && (w->nlocked > 0 || w->locked_all || w->start != NULL))
        code = mpi_fail(w->mr, MPI_ERR_RMA_SYNC, "an epoch is open");
    if (code != MPI_SUCCESS)
        return mpi_win_end(mpi_self(), w, __func__, code);
    w->fenced = false;
    for (int r = 0; code == MPI_SUCCESS && r < w->comm->size; r++)
        code = ask(w, MPI_LOCK_SHARED, r, promises);
    if (code == MPI_SUCCESS)
        code = mpi_win_wait(w, granted, -1);
    w->locked_all = true;
    return mpi_win_end(mpi_self(), w, __func__, code);
}

static int check_all(struct mpi_win *win)
{
    return win->locked_all ? MPI_SUCCESS : mpi_fail(win->mr, MPI_ERR_RMA_SYNC, "not locked by all");
}

int MPI_Win_unlock_all(MPI_Win win)
{
    struct mpi_win *w = NULL;
    int code = mpi_win_begin(__func__, win, &w);

    if (code == MPI_SUCCESS)
        code = check_all(w);
    if (code == MPI_SUCCESS)
        code = settle(w, -1, MPI_WIN_UNLOCK);
    if (code == MPI_SUCCESS)
        w->locked_all = false;
    return mpi_win_end(mpi_self(), w, __func__, code);
}

/* `all`: of ranks; locks of single ones count as well. `local`: on this side alone. */
static int flush(const char *call, bool all, int rank, MPI_Win win, bool local)
{
    struct mpi_win *w = NULL;
    int code = mpi_win_begin(call, win, &w), whom = all ? -1 : rank;

    if (code != MPI_SUCCESS || (!all && rank == MPI_PROC_NULL))
        return mpi_win_end(mpi_self(), w, call, code);
    if (!all)
        code = check_locked(w, rank, true);
    else if (w->nlocked == 0)
        code = check_all(w);
    if (code == MPI_SUCCESS)
        code = local ? mpi_win_wait_or_let_others(w, mpi_win_local, whom)
                     : settle(w, whom, MPI_WIN_FLUSH);
    return mpi_win_end(mpi_self(), w, call, code);
}

int MPI_Win_flush(int rank, MPI_Win win)
{
    return flush(__func__, false, rank, win, false);
}

int MPI_Win_flush_all(MPI_Win win)
{
    return flush(__func__, true, 0, win, false);
}

int MPI_Win_flush_local(int rank, MPI_Win win)
{
    return flush(__func__, false, rank, win, true);
}

int MPI_Win_flush_local_all(MPI_Win win)
{
    return flush(__func__, true, 0, win, true);
}

int MPI_Win_sync(MPI_Win win)
{
    struct mpi_win *w = NULL;
    int code = mpi_win_begin(__func__, win, &w);

    if (code == MPI_SUCCESS)
        code = mpi_win_let_others(w);
    return mpi_win_end(mpi_self(), w, __func__, code);
}
