/* What a check compares of a collective with the calls of other ranks. */
#include <stdlib.h>

#include "hosts/mpi/coll/call.h"

/* A block as this rank gives it, where it also gets one of that size. */
static uint64_t bytes_out(const struct mpi_coll *c)
{
    const struct mpi_coll_kind *kind = &mpi_coll_kinds[c->kind];

    if (!kind->gives_all && !kind->gets_all)
        return c->bytes;
    if (kind->rooted)
        return mpi_coll_is_root(c) ? mpi_block_bytes(kind->gets_all ? &c->out : &c->in) : c->bytes;
    return c->out.type != NULL ? mpi_block_bytes(&c->out) : c->bytes; /* else in place */
}

static uint64_t *new_sizes(const struct mpi_coll *c)
{
    uint64_t *bytes = mpi_need(c->mr, malloc((size_t)c->size * sizeof(*bytes)));

    for (int r = 0; r < c->size; r++)
        bytes[r] = MPI_CHECK_UNKNOWN;
    return bytes;
}

/* Each block of `b`. */
static uint64_t *block_sizes(const struct mpi_coll *c, const struct mpi_blocks *b)
{
    uint64_t *bytes = new_sizes(c);

    for (int r = 0; r < c->size; r++)
        bytes[r] = mpi_data_bytes(mpi_block(c, b, r));
    return bytes;
}

/* One block, for each rank or for the root alone. */
static uint64_t *same_sizes(const struct mpi_coll *c, const struct mpi_blocks *b, bool root_only)
{
    uint64_t *bytes = new_sizes(c);

    for (int r = 0; r < c->size; r++)
        if (!root_only || r == c->root)
            bytes[r] = mpi_block_bytes(b);
    return bytes;
}

/* In place there is no such block: with counts it stands for that of all (mpi_prepare_rooted()), or
 * it has no type. */
static uint64_t *own_sizes(const struct mpi_coll *c, const struct mpi_blocks *one, bool root_only)
{
    return one->counts == NULL && one->type != NULL ? same_sizes(c, one, root_only) : NULL;
}

/* Blocks for all ranks are at a root alone, where there is one. */
static uint64_t *side_sizes(const struct mpi_coll *c, const struct mpi_blocks *side, bool all)
{
    bool rooted = mpi_coll_kinds[c->kind].rooted;

    if (!all)
        return own_sizes(c, side, rooted);
    return !rooted || mpi_coll_is_root(c) ? block_sizes(c, side) : NULL;
}

/* What each rank gives each other one, and gets. */
static void note_sizes(const struct mpi_coll *c, struct mpi_check_call *call)
{
    const struct mpi_coll_kind *kind = &mpi_coll_kinds[c->kind];

    if (kind->by_rank) {
        call->give = side_sizes(c, &c->out, kind->gives_all);
        call->get = side_sizes(c, &c->in, kind->gets_all);
    } else if (c->kind == MPI_COLL_REDUCE_SCATTER && c->out.counts != NULL) {
        call->give = block_sizes(c, &c->out);
        call->get = same_sizes(c, &c->in, false);
    }
}

/* Groups of an inter-communicator name different roots, and may give each other different sizes. */
void mpi_coll_compare(const struct mpi_coll *c)
{
    const struct mpi_coll_kind *kind = &mpi_coll_kinds[c->kind];
    struct mpi_check_call call;

    if (c->mr->check == NULL)
        return;
    call = (struct mpi_check_call){ .comm = c->s->comm,
                                    .within = c->s->comm,
                                    .ordinal = (uint32_t)c->s->tag,
                                    .rooted = c->far == NULL && kind->rooted,
                                    .sized = c->far == NULL && kind->sized,
                                    .root = c->root,
                                    .bytes = c->bytes };
    if (c->op != NULL)
        call.op = c->op->name != NULL ? c->op->name : "a function of the program";
    if (call.sized)
        call.bytes_out = bytes_out(c);
    if (c->far == NULL)
        note_sizes(c, &call);
    mpi_check_collective(c->mr, &call);
}
