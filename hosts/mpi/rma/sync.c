/* Epochs of one-sided communication: waiting, fences, 11.5.1, and groups, 11.5.2 of MPI-3.1. */
#include <stdio.h>
#include <stdlib.h>

#include "hosts/mpi/rma/win.h"

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
        if (mr->follows[MPI_FOLLOWS_WINDOWS].due) {
            mpi_windows_advance(mr);
        } else {
            code = mpi_progress(mr);
            *waited_p = true;
        }
    }
    if (code == MPI_SUCCESS)
        mpi_hand_over(mr);
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
int mpi_win_let_others(struct mpi_win *win)
{
    int code = mpi_advance(win->mr, NULL);

    if (code == MPI_SUCCESS)
        code = mpi_poll(win->mr);
    if (win->mr->follows[MPI_FOLLOWS_WINDOWS].due)
        mpi_windows_advance(win->mr);
    return code;
}

int mpi_win_wait_or_let_others(struct mpi_win *win, bool (*ready)(struct mpi_win *win, int rank),
                               int rank)
{
    bool waited;
    int code = wait_for(win, ready, rank, &waited);

    return code == MPI_SUCCESS && !waited ? mpi_win_let_others(win) : code;
}

bool mpi_win_all(struct mpi_win *win, int rank, bool (*holds)(const struct mpi_win_peer *peer))
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

bool mpi_win_local(struct mpi_win *win, int rank)
{
    return mpi_win_all(win, rank, is_local);
}

static bool all_fenced(struct mpi_win *win, int rank)
{
    return mpi_win_all(win, rank, has_fenced);
}

int mpi_win_begin(const char *call, MPI_Win win, struct mpi_win **win_p)
{
    struct mpi_rank *mr = mpi_self();
    int code = mpi_win_get(mr, win, win_p);

    if (code == MPI_SUCCESS) {
        if (mr->outer == NULL) /* else within another call */
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
    uint64_t *counts = mpi_block_zero(win->mr, 2 * n * sizeof(*counts));
    int code;

    if (counts == NULL)
        return mpi_fail(win->mr, MPI_ERR_NO_MEM, "out of memory");
    for (size_t r = 0; r < n; r++)
        counts[r] = win->peers[r].issued;
    code = MPI_Alltoall(counts, 1, MPI_UINT64_T, counts + n, 1, MPI_UINT64_T, win->comm_handle);
    for (size_t r = 0; r < n; r++)
        win->peers[r].fence_count = counts[n + r];
    mpi_block_free(counts);
    if (code == MPI_SUCCESS)
        code = mpi_win_wait(win, mpi_win_local, -1);
    if (code == MPI_SUCCESS)
        code = mpi_win_wait(win, all_fenced, -1);
    if (code != MPI_SUCCESS || last)
        return code;
    code = MPI_Barrier(win->comm_handle);
    for (size_t r = 0; code == MPI_SUCCESS && r < n; r++)
        win->peers[r].unsure = 0;
    return code;
}

int MPI_Win_fence(int promises, MPI_Win win)
{
    struct mpi_win *w = NULL;
    int code = mpi_win_begin(__func__, win, &w);

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
    int code = mpi_win_begin(__func__, win, &w);
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
    int code = mpi_win_begin(__func__, win, &w);

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
    int code = mpi_win_begin(__func__, win, &w);

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
    int code = mpi_win_begin(__func__, win, &w);

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
    code = mpi_win_begin(__func__, win, &w);
    if (code == MPI_SUCCESS)
        code = check_post(w);
    if (code == MPI_SUCCESS && !all_completed(w, -1))
        code = mpi_win_let_others(w);
    mpi_look_end(&(struct mpi_waits){ .mr = mr, .request = w != NULL ? &w->head : NULL }, __func__,
                 code != MPI_SUCCESS || all_completed(w, -1));
    if (code == MPI_SUCCESS) {
        *flag = all_completed(w, -1);
        if (*flag)
            end_exposure(w);
    }
    return mpi_win_end(mr, w, __func__, code);
}
