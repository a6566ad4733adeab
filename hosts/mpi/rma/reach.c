/* What one-sided operations say to the check for races. */
#include "hosts/mpi/rma/rma.h"

static void reach_rows(const struct mpi_race_use *u, struct host_rows rows)
{
    u->mr->host->race->reach(u->mr->host, &u->reach, rows, mpi_race_place(u->mr));
}

static void lend(const struct mpi_win *win, const struct mpi_rma_call *a, const void *owner,
                 const void *at, struct mpi_type *type, bool writes)
{
    const struct mpi_race_use use = { .mr = win->mr,
                                      .owner = owner,
                                      .group = owner != NULL ? &win->peers[a->target] : NULL,
                                      .at = at,
                                      .writes = writes };

    if (type != NULL && type->bytes != 0)
        mpi_race_lend(&use, type, a->bytes / type->bytes);
}

void mpi_win_race_begin(struct mpi_win *win, const struct mpi_rma_call *a,
                        const struct mpi_request *handle)
{
    const struct mpi_win_peer *peer = &win->peers[a->target];
    bool own = a->target == win->comm->rank;
    const void *owner = own ? NULL : handle != NULL ? (const void *)handle : peer;
    struct mpi_race_use there = { .mr = win->mr,
                                  .at = (const void *)(uintptr_t)a->at,
                                  .reach = {
                                      .rank = (unsigned)win->comm->world[a->target],
                                      .window = win->comm->context,
                                      .writes = a->kind != MPI_WIN_GET && a->op != MPI_NO_OP,
                                      .atomic = a->kind != MPI_WIN_GET && a->kind != MPI_WIN_PUT,
                                      .lock = peer->excludes                    ? HOST_EXCLUSIVE
                                              : peer->locked || win->locked_all ? HOST_SHARED
                                                                                : HOST_UNLOCKED } };

    if (win->mr->host->race == NULL)
        return;
    lend(win, a, owner, a->origin, a->origin_layout, false);
    lend(win, a, owner, a->result, a->result_layout, true);
    mpi_race_rows(&there, a->target_layout, (uint64_t)a->target_count, reach_rows);
}

static int end_of(const struct mpi_win *win, int rank)
{
    return rank < 0 ? win->comm->size : rank + 1;
}

void mpi_win_race_done(struct mpi_win *win, int rank, bool unlocks)
{
    const struct host_race_ops *race = win->mr->host->race;

    for (int r = rank < 0 ? 0 : rank; race != NULL && r < end_of(win, rank); r++)
        race->reached(win->mr->host, (unsigned)win->comm->world[r], win->comm->context, unlocks);
    if (unlocks)
        mpi_win_race_locked(win, rank, HOST_UNLOCKED);
}

void mpi_win_race_unlocked(const struct mpi_win *win, int source)
{
    if (win->mr->host->race != NULL)
        win->mr->host->race->unlocked(win->mr->host, (unsigned)win->comm->world[source],
                                      win->comm->context);
}

void mpi_win_race_locked(struct mpi_win *win, int rank, enum host_lock lock)
{
    if (win->mr->host->race != NULL && (rank == win->comm->rank || rank < 0))
        win->mr->host->race->locked(win->mr->host, win->comm->context, lock);
}

void mpi_win_race_local(struct mpi_win *win, int rank)
{
    for (int r = rank < 0 ? 0 : rank; r < end_of(win, rank); r++)
        mpi_race_end(win->mr, &win->peers[r]);
}
