/* Epochs of one-sided communication. */
#include <stdio.h>
#include <stdlib.h>

#include "hosts/mpi/waits.h"
#include "hosts/mpi/win.h"

/** What a call waits for: of one rank, or of all (-1). */
struct awaited {
    struct mpi_win *win;
    bool (*ready)(struct mpi_win *win, int rank);
    int rank;
};

/* For reports: the i-th rank that is not ready. */
static bool waits(const void *arg, unsigned i, struct host_wait *wait_p)
{
    const struct awaited *a = arg;
    const struct mpi_comm *comm = a->win->comm;
    int end = a->rank < 0 ? comm->size : a->rank + 1;

    for (int r = a->rank < 0 ? 0 : a->rank; r < end; r++) {
        if (a->ready(a->win, r) || i-- > 0)
            continue;
        *wait_p = (struct host_wait){ .peer = comm->world[r], .tag = MPI_WAITS_NO_TAG };
        (void)snprintf(wait_p->group, sizeof(wait_p->group), "%.63s",
                       a->win->name != NULL ? a->win->name : comm->name);
        return true;
    }
    return false;
}

/* *waited_p: did it have to? */
static int wait_for(struct mpi_win *win, bool (*ready)(struct mpi_win *win, int rank), int rank,
                    bool *waited_p)
{
    struct mpi_rank *mr = win->mr;
    const struct mpi_waits w = { .mr = mr };
    const struct awaited awaited = { win, ready, rank };
    int code = mpi_advance(mr, NULL);

    *waited_p = false;
    mpi_waits_begin(&w, "a call for a window");
    mr->host->call.waits = waits;
    mr->host->call.waits_arg = &awaited;
    while (code == MPI_SUCCESS && !ready(win, rank)) {
        if (mr->windows_ready) {
            mpi_windows_advance(mr);
        } else {
            code = mpi_progress(mr);
            *waited_p = true;
        }
    }
    mpi_waits_end(&w);
    return code;
}

int mpi_win_wait(struct mpi_win *win, bool (*ready)(struct mpi_win *win, int rank), int rank)
{
    bool waited;

    return wait_for(win, ready, rank, &waited);
}

/* A program may spin on calls that have nothing to wait for: others must get on meanwhile. What
 * an earlier call has left, as it had its own, is no news to a poll. */
static int let_others(struct mpi_win *win)
{
    int code = mpi_advance(win->mr, NULL);

    if (code == MPI_SUCCESS)
        code = mpi_poll(win->mr);
    if (win->mr->windows_ready)
        mpi_windows_advance(win->mr);
    return code;
}

static int wait_or_let(struct mpi_win *win, bool (*ready)(struct mpi_win *win, int rank), int rank)
{
    bool waited;
    int code = wait_for(win, ready, rank, &waited);

    return code == MPI_SUCCESS && !waited ? let_others(win) : code;
}

/* A property of one rank, or of all of them (-1). */
static bool of_all(struct mpi_win *win, int rank, bool (*holds)(const struct mpi_win_peer *peer))
{
    if (rank >= 0)
        return holds(&win->peers[rank]);
    for (int r = 0; r < win->comm->size; r++)
        if (!holds(&win->peers[r]))
            return false;
    return true;
}

static bool is_local(const struct mpi_win_peer *peer)
{
    return peer->pending == 0;
}

static bool has_fenced(const struct mpi_win_peer *peer)
{
    return peer->finished >= peer->fence_count;
}

static bool is_granted(const struct mpi_win_peer *peer)
{
    return peer->granted;
}

bool mpi_win_local(struct mpi_win *win, int rank)
{
    return of_all(win, rank, is_local);
}

static bool all_fenced(struct mpi_win *win, int rank)
{
    return of_all(win, rank, has_fenced);
}

static bool granted(struct mpi_win *win, int rank)
{
    return of_all(win, rank, is_granted);
}

/* What was asked for has been answered, and what is for `rank` is complete here. */
static bool settled(struct mpi_win *win, int rank)
{
    bool owes = win->owed > 0 && (rank < 0 || win->peers[rank].unsure > 0);

    return !owes && mpi_win_local(win, rank);
}

static int begin(const char *call, MPI_Win win, struct mpi_win **win_p)
{
    struct mpi_rank *mr = mpi_self();
    int code = mpi_win_get(mr, win, win_p);

    if (code == MPI_SUCCESS) {
        mr->outer = call;
        host_spend_cost(mr->host, HOST_COST_CALL);
    }
    return code;
}

/* Everybody says how many operations are for whom, and waits for those that are for itself; then
 * for the others, since what begins after the fence must find all of it done. */
static int fence(struct mpi_win *win, bool last)
{
    size_t n = (size_t)win->comm->size;
    uint64_t *counts = malloc(2 * n * sizeof(*counts));
    int code;

    if (counts == NULL)
        return mpi_fail(win->mr, MPI_ERR_NO_MEM, "out of memory");
    for (size_t r = 0; r < n; r++)
        counts[r] = win->peers[r].issued;
    code = MPI_Alltoall(counts, 1, MPI_UINT64_T, counts + n, 1, MPI_UINT64_T, win->comm_handle);
    for (size_t r = 0; r < n; r++)
        win->peers[r].fence_count = counts[n + r];
    free(counts);
    if (code == MPI_SUCCESS)
        code = mpi_win_wait(win, mpi_win_local, -1);
    if (code == MPI_SUCCESS)
        code = mpi_win_wait(win, all_fenced, -1);
    return code == MPI_SUCCESS && !last ? MPI_Barrier(win->comm_handle) : code;
}

int MPI_Win_fence(int promises, MPI_Win win)
{
    struct mpi_win *w = NULL;
    int code = begin(__func__, win, &w);

    if (code == MPI_SUCCESS && (w->nlocked > 0 || w->locked_all || w->start != NULL))
        code = mpi_fail(w->mr, MPI_ERR_RMA_SYNC, "within an epoch of another kind");
    if (code == MPI_SUCCESS)
        code = fence(w, (promises & MPI_MODE_NOSUCCEED) != 0);
    if (code == MPI_SUCCESS)
        w->fenced = (promises & MPI_MODE_NOSUCCEED) == 0;
    return mpi_win_end(mpi_self(), w, __func__, code);
}

/* ---- start, complete, post, wait ---- */

static int rank_in(const struct mpi_win *win, const struct mpi_group *g, int i)
{
    return mpi_group_rank_of(win->comm->group, g->world[i]);
}

static int take_group(struct mpi_win *win, MPI_Group group, struct mpi_group **group_p)
{
    struct mpi_group *g = mpi_group_of(win->mr, group);

    if (g == NULL)
        return MPI_ERR_GROUP;
    if (*group_p != NULL)
        return mpi_fail(win->mr, MPI_ERR_RMA_SYNC, "an epoch is open");
    for (int i = 0; i < g->size; i++)
        if (rank_in(win, g, i) == MPI_UNDEFINED)
            return mpi_fail(win->mr, MPI_ERR_GROUP, "rank %d of the group: not of the window", i);
    g->holders++;
    *group_p = g;
    return MPI_SUCCESS;
}

static void drop_group(struct mpi_group **group_p)
{
    mpi_group_put(*group_p);
    *group_p = NULL;
}

static bool of_group(struct mpi_win *win, int rank, const struct mpi_group *g,
                     bool (*holds)(const struct mpi_win_peer *peer))
{
    for (int i = 0; i < g->size; i++) {
        int r = rank_in(win, g, i);

        if ((rank < 0 || rank == r) && !holds(&win->peers[r]))
            return false;
    }
    return true;
}

static bool has_posted(const struct mpi_win_peer *peer)
{
    return peer->posts > 0;
}

static bool all_posted(struct mpi_win *win, int rank)
{
    return of_group(win, rank, win->start, has_posted);
}

int MPI_Win_start(MPI_Group group, int promises, MPI_Win win)
{
    struct mpi_win *w = NULL;
    int code = begin(__func__, win, &w);
    bool checks = (promises & MPI_MODE_NOCHECK) == 0;

    if (code == MPI_SUCCESS)
        code = take_group(w, group, &w->start);
    if (code == MPI_SUCCESS && checks)
        code = mpi_win_wait(w, all_posted, -1);
    for (int i = 0; code == MPI_SUCCESS && i < w->start->size; i++) {
        struct mpi_win_peer *peer = &w->peers[rank_in(w, w->start, i)];

        peer->started = true;
        peer->posts -= checks;
    }
    return mpi_win_end(mpi_self(), w, __func__, code);
}

int MPI_Win_complete(MPI_Win win)
{
    struct mpi_win *w = NULL;
    int code = begin(__func__, win, &w);

    if (code == MPI_SUCCESS && w->start == NULL)
        code = mpi_fail(w->mr, MPI_ERR_RMA_SYNC, "no MPI_Win_start() before");
    for (int i = 0; code == MPI_SUCCESS && i < w->start->size; i++) {
        int rank = rank_in(w, w->start, i);

        w->peers[rank].started = false;
        code = mpi_win_tell(w, rank, MPI_WIN_COMPLETE, w->peers[rank].issued, false);
    }
    if (code == MPI_SUCCESS) {
        drop_group(&w->start);
        code = mpi_win_wait(w, mpi_win_local, -1);
    }
    return mpi_win_end(mpi_self(), w, __func__, code);
}

int MPI_Win_post(MPI_Group group, int promises, MPI_Win win)
{
    struct mpi_win *w = NULL;
    int code = begin(__func__, win, &w);

    if (code == MPI_SUCCESS)
        code = take_group(w, group, &w->post);
    for (int i = 0; code == MPI_SUCCESS && (promises & MPI_MODE_NOCHECK) == 0 && i < w->post->size;
         i++)
        code = mpi_win_tell(w, rank_in(w, w->post, i), MPI_WIN_POST, 0, false);
    return mpi_win_end(mpi_self(), w, __func__, code);
}

static bool has_completed(const struct mpi_win_peer *peer)
{
    return peer->completed && peer->finished >= peer->complete_count;
}

static bool all_completed(struct mpi_win *win, int rank)
{
    return of_group(win, rank, win->post, has_completed);
}

static void end_exposure(struct mpi_win *win)
{
    for (int i = 0; i < win->post->size; i++)
        win->peers[rank_in(win, win->post, i)].completed = false;
    drop_group(&win->post);
}

static int check_post(struct mpi_win *win)
{
    return win->post != NULL ? MPI_SUCCESS
                             : mpi_fail(win->mr, MPI_ERR_RMA_SYNC, "no MPI_Win_post() before");
}

int MPI_Win_wait(MPI_Win win)
{
    struct mpi_win *w = NULL;
    int code = begin(__func__, win, &w);

    if (code == MPI_SUCCESS)
        code = check_post(w);
    if (code == MPI_SUCCESS)
        code = mpi_win_wait(w, all_completed, -1);
    if (code == MPI_SUCCESS)
        end_exposure(w);
    return mpi_win_end(mpi_self(), w, __func__, code);
}

int MPI_Win_test(MPI_Win win, int *flag)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_win *w = NULL;
    int code;

    mpi_look_begin(mr);
    code = begin(__func__, win, &w);
    if (code == MPI_SUCCESS)
        code = check_post(w);
    if (code == MPI_SUCCESS && !all_completed(w, -1))
        code = let_others(w);
    mpi_look_end(&(struct mpi_waits){ .mr = mr, .request = w != NULL ? &w->head : NULL }, __func__,
                 code != MPI_SUCCESS || all_completed(w, -1));
    if (code == MPI_SUCCESS) {
        *flag = all_completed(w, -1);
        if (*flag)
            end_exposure(w);
    }
    return mpi_win_end(mr, w, __func__, code);
}

/* ---- locks ---- */

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
    int code = begin(__func__, win, &w);

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
    return code == MPI_SUCCESS ? wait_or_let(win, settled, rank) : code;
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
    int code = begin(__func__, win, &w);

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
    int code = begin(__func__, win, &w);

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
    int code = begin(__func__, win, &w);

    if (code == MPI_SUCCESS)
        code = check_all(w);
    if (code == MPI_SUCCESS)
        code = settle(w, -1, MPI_WIN_UNLOCK);
    if (code == MPI_SUCCESS)
        w->locked_all = false;
    return mpi_win_end(mpi_self(), w, __func__, code);
}

int MPI_Win_flush(int rank, MPI_Win win)
{
    struct mpi_win *w = NULL;
    int code = begin(__func__, win, &w);

    if (code == MPI_SUCCESS && rank != MPI_PROC_NULL) {
        code = check_locked(w, rank, true);
        if (code == MPI_SUCCESS)
            code = settle(w, rank, MPI_WIN_FLUSH);
    }
    return mpi_win_end(mpi_self(), w, __func__, code);
}

/* Locks of single ranks count as well. */
int MPI_Win_flush_all(MPI_Win win)
{
    struct mpi_win *w = NULL;
    int code = begin(__func__, win, &w);

    if (code == MPI_SUCCESS && w->nlocked == 0)
        code = check_all(w);
    if (code == MPI_SUCCESS)
        code = settle(w, -1, MPI_WIN_FLUSH);
    return mpi_win_end(mpi_self(), w, __func__, code);
}

int MPI_Win_flush_local(int rank, MPI_Win win)
{
    struct mpi_win *w = NULL;
    int code = begin(__func__, win, &w);

    if (code == MPI_SUCCESS && rank != MPI_PROC_NULL) {
        code = check_locked(w, rank, true);
        if (code == MPI_SUCCESS)
            code = wait_or_let(w, mpi_win_local, rank);
    }
    return mpi_win_end(mpi_self(), w, __func__, code);
}

int MPI_Win_flush_local_all(MPI_Win win)
{
    struct mpi_win *w = NULL;
    int code = begin(__func__, win, &w);

    if (code == MPI_SUCCESS && w->nlocked == 0)
        code = check_all(w);
    if (code == MPI_SUCCESS)
        code = wait_or_let(w, mpi_win_local, -1);
    return mpi_win_end(mpi_self(), w, __func__, code);
}

int MPI_Win_sync(MPI_Win win)
{
    struct mpi_win *w = NULL;
    int code = begin(__func__, win, &w);

    if (code == MPI_SUCCESS)
        code = let_others(w);
    return mpi_win_end(mpi_self(), w, __func__, code);
}
