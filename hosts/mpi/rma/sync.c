/* Epochs of one-sided communication: waiting, fences, 11.5.1, and groups, 11.5.2 of MPI-3.1. */
#include <stdio.h>

#include "hosts/mpi/rma/win.h"

/** What a call waits for, of one rank or of all (-1). */
struct awaited {
    struct mpi_win *win;
    mpi_win_ready_fn *ready;
    int rank;
};

static bool are_ready(const struct awaited *a)
{
    if (a->rank >= 0)
        return a->ready(a->win, a->rank);
    for (int r = 0; r < a->win->comm->size; r++)
        if (!a->ready(a->win, r))
            return false;
    return true;
}

/* For reports: the i-th rank that is not ready. */
static bool describe_rank(const void *arg, unsigned i, struct host_wait *wait_p)
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

bool mpi_win_wait(struct mpi_win *win, mpi_win_ready_fn *ready, int rank)
{
    struct mpi_rank *mr = win->mr;
    const struct mpi_waits w = { .mr = mr };
    const struct awaited awaited = { win, ready, rank };
    bool waited = false;

    mpi_advance(mr, NULL);
    mpi_waits_begin(&w, "a call for a window");
    mr->host->call.waits = describe_rank;
    mr->host->call.waits_arg = &awaited;
    while (!are_ready(&awaited)) {
        if (mr->follows[MPI_FOLLOWS_WINDOWS].due) {
            mpi_windows_advance(mr);
        } else {
            mpi_progress(mr);
            waited = true;
        }
    }
    mpi_hand_over(mr);
    mpi_waits_end(&w);
    return waited;
}

/* A program may spin on calls that have nothing to wait for: others must get on meanwhile. What
 * an earlier call has left, as it had its own, is no news to a poll. */
void mpi_win_let_others(struct mpi_win *win)
{
    mpi_advance(win->mr, NULL);
    mpi_poll(win->mr);
    if (win->mr->follows[MPI_FOLLOWS_WINDOWS].due)
        mpi_windows_advance(win->mr);
}

void mpi_win_wait_or_let_others(struct mpi_win *win, mpi_win_ready_fn *ready, int rank)
{
    if (!mpi_win_wait(win, ready, rank))
        mpi_win_let_others(win);
}

bool mpi_win_is_local(const struct mpi_win *win, int rank)
{
    return win->peers[rank].pending == 0;
}

static bool has_fenced(const struct mpi_win *win, int rank)
{
    return win->peers[rank].finished >= win->peers[rank].fence_count;
}

struct mpi_win *mpi_win_begin(const char *call, MPI_Win win)
{
    struct mpi_win *w = mpi_win_of(win);

    if (w == NULL)
        return NULL;
    if (w->mr->outer == NULL) /* else within another call */
        w->mr->outer = call;
    host_spend_cost(w->mr->host, HOST_COST_CALL);
    return w;
}

/* Each rank reports how many operations are for whom, and waits for those that are for itself. Then
 * it waits for the others, since what begins after the fence must find all of it done. */
int mpi_do_win_fence(struct mpi_win *win, int promises)
{
    bool last = (promises & MPI_MODE_NOSUCCEED) != 0;
    size_t n = (size_t)win->comm->size;
    uint64_t *counts;
    int code;

    if (mpi_win_has_epoch(win))
        return mpi_fail(win->mr, MPI_ERR_RMA_SYNC, "within an epoch of another kind");
    counts = mpi_block_new(win->mr, 2 * n * sizeof(*counts));
    for (size_t r = 0; r < n; r++)
        counts[r] = win->peers[r].issued;
    mpi_win_race_done(win, -1, false);
    code = MPI_Alltoall(counts, 1, MPI_UINT64_T, counts + n, 1, MPI_UINT64_T, win->comm_handle);
    for (size_t r = 0; r < n; r++)
        win->peers[r].fence_count = counts[n + r];
    mpi_block_free(counts);
    if (code != MPI_SUCCESS)
        return code;
    mpi_win_wait(win, mpi_win_is_local, -1);
    mpi_win_wait(win, has_fenced, -1);
    mpi_win_race_local(win, -1);
    win->fenced = !last;
    if (last)
        return code;
    for (size_t r = 0; r < n; r++)
        win->peers[r].unsure = 0;
    return MPI_Barrier(win->comm_handle);
}

/* ---- start, complete, post, wait ---- */

static int rank_in(const struct mpi_win *win, const struct mpi_group *g, int i)
{
    return mpi_group_rank_of(win->comm->group, g->world[i]);
}

static int take_group(struct mpi_win *win, MPI_Group group, struct mpi_group **group_p)
{
    struct mpi_group *g = mpi_group_of(group);

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

static bool has_posted(const struct mpi_win *win, int rank)
{
    return !win->peers[rank].started || win->peers[rank].posts > 0;
}

int mpi_do_win_start(struct mpi_win *win, MPI_Group group, int promises)
{
    bool checks = (promises & MPI_MODE_NOCHECK) == 0;
    int code = take_group(win, group, &win->start);

    if (code != MPI_SUCCESS)
        return code;
    for (int i = 0; i < win->start->size; i++)
        win->peers[rank_in(win, win->start, i)].started = true;
    if (checks)
        mpi_win_wait(win, has_posted, -1);
    for (int i = 0; i < win->start->size; i++)
        win->peers[rank_in(win, win->start, i)].posts -= checks;
    return code;
}

int mpi_do_win_complete(struct mpi_win *win)
{
    if (win->start == NULL)
        return mpi_fail(win->mr, MPI_ERR_RMA_SYNC, "no MPI_Win_start() before");
    for (int i = 0; i < win->start->size; i++) {
        int rank = rank_in(win, win->start, i);

        win->peers[rank].started = false;
        mpi_win_race_done(win, rank, false);
        mpi_win_announce(win, rank, MPI_WIN_COMPLETE, win->peers[rank].issued, false);
    }
    drop_group(&win->start);
    mpi_win_wait(win, mpi_win_is_local, -1);
    mpi_win_race_local(win, -1);
    return MPI_SUCCESS;
}

int mpi_do_win_post(struct mpi_win *win, MPI_Group group, int promises)
{
    bool checks = (promises & MPI_MODE_NOCHECK) == 0;
    int code = take_group(win, group, &win->post);

    for (int i = 0; code == MPI_SUCCESS && i < win->post->size; i++) {
        int rank = rank_in(win, win->post, i);

        win->peers[rank].exposed = true;
        if (checks)
            mpi_win_announce(win, rank, MPI_WIN_POST, 0, false);
    }
    return code;
}

static bool has_completed(const struct mpi_win *win, int rank)
{
    const struct mpi_win_peer *peer = &win->peers[rank];

    return !peer->exposed || (peer->completed && peer->finished >= peer->complete_count);
}

static bool have_completed(struct mpi_win *win)
{
    return are_ready(&(struct awaited){ win, has_completed, -1 });
}

static void end_exposure(struct mpi_win *win)
{
    for (int r = 0; r < win->comm->size; r++)
        if (win->peers[r].exposed)
            win->peers[r].exposed = win->peers[r].completed = false;
    drop_group(&win->post);
}

static int check_post(struct mpi_win *win)
{
    if (win == NULL)
        return MPI_ERR_WIN;
    return win->post != NULL ? MPI_SUCCESS
                             : mpi_fail(win->mr, MPI_ERR_RMA_SYNC, "no MPI_Win_post() before");
}

int mpi_do_win_wait(struct mpi_win *win)
{
    int code = check_post(win);

    if (code == MPI_SUCCESS) {
        mpi_win_wait(win, has_completed, -1);
        end_exposure(win);
    }
    return code;
}

int MPI_Win_test(MPI_Win win, int *flag)
{
    struct mpi_waits waits_for = { .mr = mpi_self() };
    struct mpi_win *w;
    bool ended = true;
    int code;

    mpi_look_begin(waits_for.mr);
    w = mpi_win_begin(__func__, win);
    code = check_post(w);
    if (code == MPI_SUCCESS) {
        waits_for.request = &w->head;
        if (!have_completed(w))
            mpi_win_let_others(w);
        *flag = ended = have_completed(w);
    }
    mpi_look_end(&waits_for, __func__, ended);
    if (code == MPI_SUCCESS && ended)
        end_exposure(w);
    return mpi_win_end(w, __func__, code);
}
