/*
 * Collectives that move data: what their arguments are checked for, in both forms.
 *
 * The caller's own block is copied first of all, so that algorithms see no MPI_IN_PLACE.
 */
#include "hosts/mpi/coll/call.h"

/* Reduce-scatter, scans and neighbours lend nothing yet (docs/races.md). */
const struct mpi_coll_kind mpi_coll_kinds[] = {
    [MPI_COLL_BARRIER] = { .needs_others = true },
    [MPI_COLL_BCAST] = { .rooted = true, .sized = true, .lends_in = true },
    [MPI_COLL_GATHER] = { .rooted = true,
                          .sized = true,
                          .gets_all = true,
                          .lends_out = true,
                          .lends_in = true },
    [MPI_COLL_GATHERV] = { .rooted = true,
                           .by_rank = true,
                           .needs_others = true,
                           .gets_all = true,
                           .lends_out = true,
                           .lends_in = true },
    [MPI_COLL_SCATTER] = { .rooted = true,
                           .sized = true,
                           .gives_all = true,
                           .lends_out = true,
                           .lends_in = true },
    [MPI_COLL_SCATTERV] = { .rooted = true,
                            .by_rank = true,
                            .needs_others = true,
                            .gives_all = true,
                            .lends_out = true,
                            .lends_in = true },
    [MPI_COLL_ALLGATHER] = { .sized = true, .gets_all = true, .lends_out = true, .lends_in = true },
    [MPI_COLL_ALLGATHERV] = { .by_rank = true,
                              .gets_all = true,
                              .lends_out = true,
                              .lends_in = true },
    [MPI_COLL_ALLTOALL] = { .sized = true,
                            .gives_all = true,
                            .gets_all = true,
                            .lends_out = true,
                            .lends_in = true },
    [MPI_COLL_ALLTOALLV] = { .by_rank = true,
                             .needs_others = true,
                             .gives_all = true,
                             .gets_all = true,
                             .lends_out = true,
                             .lends_in = true },
    [MPI_COLL_REDUCE] = { .rooted = true, .sized = true, .lends_out = true, .lends_in = true },
    [MPI_COLL_ALLREDUCE] = { .sized = true, .lends_out = true, .lends_in = true },
    [MPI_COLL_REDUCE_SCATTER] = { .sized = true },
    [MPI_COLL_SCAN] = { .sized = true },
    [MPI_COLL_EXSCAN] = { .sized = true },
    [MPI_COLL_NEIGHBOR_ALLGATHER] = { 0 },
    [MPI_COLL_NEIGHBOR_ALLTOALL] = { 0 },
};

static struct mpi_data only_block(const struct mpi_blocks *b)
{
    return mpi_block_range(b, 0, 1);
}

void mpi_prepare_bcast(struct mpi_coll *c, const struct mpi_sides *a)
{
    if (mpi_coll_check_root(c, a->root) && mpi_coll_check(c, &c->in, &a->in, 1))
        c->bytes = mpi_block_bytes(&c->in);
}

/* One root has blocks for all ranks in `all`, each rank one in `one`. */
void mpi_prepare_rooted(struct mpi_coll *c, const struct mpi_sides *a)
{
    bool gathers = mpi_coll_gathers(c);
    struct mpi_blocks *all = gathers ? &c->in : &c->out, *one = gathers ? &c->out : &c->in;
    const struct mpi_side *of_all = gathers ? &a->in : &a->out,
                          *of_one = gathers ? &a->out : &a->in;
    bool is_root, has_one;

    if (!mpi_coll_check_root(c, a->root))
        return;
    is_root = mpi_coll_is_root(c);
    has_one = !is_root || (c->far == NULL && of_one->buf != MPI_IN_PLACE);
    if ((is_root && !mpi_coll_check(c, all, of_all, mpi_coll_peers(c))) ||
        (has_one && !mpi_coll_check(c, one, of_one, 1)))
        return;
    if (!has_one)
        *one = *all; /* not looked at */
    if (of_all->form == MPI_SIDE)
        c->bytes = mpi_block_bytes(is_root ? all : one);
    if (is_root && has_one && mpi_coll_check_own(c, only_block(one), mpi_block(c, all, c->rank)))
        mpi_coll_copy(c, gathers ? only_block(one) : mpi_block(c, all, c->rank),
                      gathers ? mpi_block(c, all, c->rank) : only_block(one));
}

/* In place: what is to be sent is set aside first, each block without gaps. */
static void set_aside(struct mpi_coll *c)
{
    uint64_t n = (uint64_t)c->size, all = 0;
    int *counts = mpi_schedule_memory(c->s, n * sizeof(int));
    MPI_Aint *at = mpi_schedule_memory(c->s, n * sizeof(*at));
    MPI_Datatype *types = mpi_schedule_memory(c->s, n * sizeof(*types));
    char *to;

    for (int r = 0; r < c->size; r++) {
        at[r] = (MPI_Aint)all;
        counts[r] = (int)mpi_data_bytes(mpi_block_in(c, r));
        types[r] = MPI_BYTE;
        all += (uint64_t)counts[r];
    }
    to = mpi_schedule_memory(c->s, all);
    c->out = (struct mpi_blocks){ .at = to, .counts = counts, .far = at, .types = types };
    if (c->in.counts == NULL) { /* all of one size */
        c->out = (struct mpi_blocks){ .at = to, .count = mpi_block_bytes(&c->in) };
        c->out.type = mpi_type_of(c->mr, MPI_BYTE);
    }
    for (int r = 0; r < c->size; r++)
        mpi_coll_copy(c, mpi_block_in(c, r), mpi_block_out(c, r));
}

/* Each rank has one block for all, or one for each. */
void mpi_prepare_to_all(struct mpi_coll *c, const struct mpi_sides *a)
{
    bool gathers = mpi_coll_gathers(c);
    bool in_place = c->far == NULL && a->out.buf == MPI_IN_PLACE;
    struct mpi_data own;

    if (!mpi_coll_check(c, &c->in, &a->in, mpi_coll_peers(c)) ||
        (!in_place && !mpi_coll_check(c, &c->out, &a->out, gathers ? 1 : mpi_coll_peers(c))) ||
        c->far != NULL)
        return;
    if (a->in.form == MPI_SIDE)
        c->bytes = mpi_block_bytes(&c->in);
    if (!in_place) {
        own = gathers ? mpi_coll_out(c) : mpi_block_out(c, c->rank);
        if (!mpi_coll_check_own(c, own, mpi_block_in(c, c->rank)))
            return;
        if (!mpi_coll_by_host(c))
            mpi_coll_copy(c, own, mpi_block_in(c, c->rank));
    } else if (!gathers) {
        set_aside(c);
    }
    for (int r = 0; c->kind == MPI_COLL_ALLGATHERV && r < c->size; r++)
        c->bytes += (uint64_t)a->in.counts[r] * c->in.type->bytes;
}
