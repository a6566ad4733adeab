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

int mpi_do_win_lock(struct mpi_win *win, int type, int rank, int promises)
{
    int code;

    if (rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    code = mpi_win_check_rank(win, rank);
    if (code != MPI_SUCCESS)
        return code;
    if (type != MPI_LOCK_EXCLUSIVE && type != MPI_LOCK_SHARED)
        return mpi_fail(win->mr, MPI_ERR_LOCKTYPE, "lock_type = %d: no such type", type);
    if (win->peers[rank].locked || win->locked_all || win->start != NULL)
        return mpi_fail(win->mr, MPI_ERR_RMA_SYNC, "rank = %d: an epoch is open", rank);
    win->fenced = false;
    ask_for_lock(win, type, rank, promises);
    mpi_win_wait(win, is_granted, rank);
    win->peers[rank].excludes = type == MPI_LOCK_EXCLUSIVE;
    mpi_win_race_locked(win, rank, win->peers[rank].excludes ? HOST_EXCLUSIVE : HOST_SHARED);
    win->peers[rank].locked = true;
    win->nlocked++;
    return code;
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
    mpi_win_race_done(win, rank, kind == MPI_WIN_UNLOCK);
    mpi_win_race_local(win, rank);
}

static int check_locked(struct mpi_win *win, int rank, bool flushes)
{
    int code = mpi_win_check_rank(win, rank);

    if (code != MPI_SUCCESS || win->peers[rank].locked || (flushes && win->locked_all))
        return code;
    return mpi_fail(win->mr, MPI_ERR_RMA_SYNC, "rank = %d: not locked", rank);
}

int mpi_do_win_unlock(struct mpi_win *win, int rank)
{
    int code;

    if (rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    code = check_locked(win, rank, false);
    if (code != MPI_SUCCESS)
        return code;
    settle_ranks(win, rank, MPI_WIN_UNLOCK);
    win->peers[rank].locked = win->peers[rank].excludes = false;
    win->nlocked--;
    return code;
}

int mpi_do_win_lock_all(struct mpi_win *win, int promises)
{
    if (mpi_win_has_epoch(win))
        return mpi_fail(win->mr, MPI_ERR_RMA_SYNC, "an epoch is open");
    win->fenced = false;
    for (int r = 0; r < win->comm->size; r++)
        ask_for_lock(win, MPI_LOCK_SHARED, r, promises);
    mpi_win_wait(win, is_granted, -1);
    mpi_win_race_locked(win, -1, HOST_SHARED);
    win->locked_all = true;
    return MPI_SUCCESS;
}

static int check_all(struct mpi_win *win)
{
    return win->locked_all ? MPI_SUCCESS : mpi_fail(win->mr, MPI_ERR_RMA_SYNC, "not locked by all");
}

int mpi_do_win_unlock_all(struct mpi_win *win)
{
    int code = check_all(win);

    if (code == MPI_SUCCESS) {
        settle_ranks(win, -1, MPI_WIN_UNLOCK);
        win->locked_all = false;
    }
    return code;
}

/* `local`: on this side alone. */
static void flush_ranks(struct mpi_win *win, int rank, bool local)
{
    if (local) {
        mpi_win_wait_or_let_others(win, mpi_win_is_local, rank);
        mpi_win_race_local(win, rank);
    } else {
        settle_ranks(win, rank, MPI_WIN_FLUSH);
    }
}

static int flush_rank(struct mpi_win *win, int rank, bool local)
{
    int code = rank == MPI_PROC_NULL ? MPI_SUCCESS : check_locked(win, rank, true);

    if (rank != MPI_PROC_NULL && code == MPI_SUCCESS)
        flush_ranks(win, rank, local);
    return code;
}

/* Locks of single ranks count as well. */
static int flush_all(struct mpi_win *win, bool local)
{
    int code = win->nlocked == 0 ? check_all(win) : MPI_SUCCESS;

    if (code == MPI_SUCCESS)
        flush_ranks(win, -1, local);
    return code;
}

int mpi_do_win_flush(struct mpi_win *win, int rank)
{
    return flush_rank(win, rank, false);
}

int mpi_do_win_flush_all(struct mpi_win *win)
{
    return flush_all(win, false);
}

int mpi_do_win_flush_local(struct mpi_win *win, int rank)
{
    return flush_rank(win, rank, true);
}

int mpi_do_win_flush_local_all(struct mpi_win *win)
{
    return flush_all(win, true);
}

int mpi_do_win_sync(struct mpi_win *win)
{
    mpi_win_let_others(win);
    return MPI_SUCCESS;
}
