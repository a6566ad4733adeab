/* What MPI says to the check for races: the program's memory that it uses meanwhile. */
#include "hosts/mpi/point/protocol.h"

struct use {
    const struct mpi_race_use *what;
    mpi_race_fn *fn;
};

static void use_run(void *arg, int64_t offset, int64_t stride, uint64_t n, uint64_t bytes)
{
    const struct use *u = arg;
    uint64_t at = (uintptr_t)u->what->at + (uint64_t)offset;

    if (n == 1 || stride >= (int64_t)bytes) {
        u->fn(u->what, (struct host_rows){ at, bytes, n, (uint64_t)stride });
        return;
    }
    for (uint64_t i = 0; i < n; i++) /* downwards, or over each other */
        u->fn(u->what, (struct host_rows){ at + i * (uint64_t)stride, bytes, 1, bytes });
}

void mpi_race_rows(const struct mpi_race_use *what, struct mpi_type *type, uint64_t count,
                   mpi_race_fn *fn)
{
    struct use u = { what, fn };

    if (what->mr->host->race != NULL && type != NULL && count * type->bytes != 0)
        mpi_type_walk(type, 0, count * type->bytes, use_run, &u);
}

static void use_rows(const struct mpi_race_use *u, struct host_rows rows)
{
    u->mr->host->race->used(u->mr->host, rows, 0, u->writes ? HOST_STORES : HOST_LOADS,
                            mpi_race_place(u->mr));
}

static void lend_rows(const struct mpi_race_use *u, struct host_rows rows)
{
    u->mr->host->race->lend(u->mr->host, u->owner, u->group, rows, u->writes,
                            mpi_race_place(u->mr));
}

/* All of it is used first: the pieces of one datatype are not compared with each other. */
void mpi_race_lend(const struct mpi_race_use *what, struct mpi_type *type, uint64_t count)
{
    mpi_race_rows(what, type, count, use_rows);
    if (what->owner != NULL)
        mpi_race_rows(what, type, count, lend_rows);
}

void mpi_race_begin(struct mpi_rank *mr, const struct mpi_request *rq, bool lends)
{
    const struct mpi_race_use use = {
        .mr = mr, .owner = lends ? rq : NULL, .at = rq->out, .writes = rq->receives
    };

    if (rq->peer != MPI_PROC_NULL)
        mpi_race_lend(&use, rq->type, rq->count);
}

void mpi_race_end(struct mpi_rank *mr, const void *owner)
{
    if (mr->host->race != NULL)
        mr->host->race->take_back(mr->host, owner);
}

void mpi_race_let_go(struct mpi_rank *mr, const struct mpi_request *rq)
{
    if (mr->host->race != NULL)
        mr->host->race->let_go(mr->host, rq);
}
