/* What a check compares of a collective with the calls of other ranks. */
#include <stdlib.h>

#include "hosts/mpi/coll/call.h"

static bool is_rooted(const struct mpi_coll *c)
{
    switch (c->kind) {
    case MPI_COLL_BCAST:
    case MPI_COLL_GATHER:
    case MPI_COLL_GATHERV:
    case MPI_COLL_SCATTER:
    case MPI_COLL_SCATTERV:
    case MPI_COLL_REDUCE:
        return c->far == NULL; /* its groups name different ones */
    default:
        return false;
    }
}

/* Groups of an inter-communicator may give each other different sizes, neighbours each pair. */
static bool is_sized(const struct mpi_coll *c)
{
    switch (c->kind) {
    case MPI_COLL_BARRIER:
    case MPI_COLL_GATHERV:
    case MPI_COLL_SCATTERV:
    case MPI_COLL_ALLGATHERV:
    case MPI_COLL_ALLTOALLV:
    case MPI_COLL_NEIGHBOR_ALLGATHER:
    case MPI_COLL_NEIGHBOR_ALLTOALL:
        return false;
    default:
        return c->far == NULL;
    }
}

/* A block as this rank gives it, where it also gets one of that size. */
static uint64_t bytes_out(const struct mpi_coll *c)
{
    switch (c->kind) {
    case MPI_COLL_GATHER:
        return mpi_coll_is_root(c) ? mpi_block_bytes(&c->out) : c->bytes;
    case MPI_COLL_SCATTER:
        return mpi_coll_is_root(c) ? mpi_block_bytes(&c->in) : c->bytes;
    case MPI_COLL_ALLGATHER:
    case MPI_COLL_ALLTOALL:
        return c->out.type != NULL ? mpi_block_bytes(&c->out) : c->bytes; /* else in place */
    default:
        return c->bytes;
    }
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

/* The v forms: what each rank gives each other one, and gets. */
static void note_sizes(const struct mpi_coll *c, struct mpi_check_call *call)
{
    bool is_root = mpi_coll_is_root(c);

    switch (c->kind) {
    case MPI_COLL_GATHERV:
        call->get = is_root ? block_sizes(c, &c->in) : NULL;
        call->give = own_sizes(c, &c->out, true);
        break;
    case MPI_COLL_SCATTERV:
        call->give = is_root ? block_sizes(c, &c->out) : NULL;
        call->get = own_sizes(c, &c->in, true);
        break;
    case MPI_COLL_ALLGATHERV:
        call->get = block_sizes(c, &c->in);
        call->give = own_sizes(c, &c->out, false);
        break;
    case MPI_COLL_ALLTOALLV:
        call->get = block_sizes(c, &c->in);
        call->give = block_sizes(c, &c->out);
        break;
    case MPI_COLL_REDUCE_SCATTER:
        if (c->out.counts == NULL)
            break;
        call->give = block_sizes(c, &c->out);
        call->get = same_sizes(c, &c->in, false);
        break;
    default:
        break;
    }
}

void mpi_coll_compare(const struct mpi_coll *c)
{
    struct mpi_check_call call;

    if (c->mr->check == NULL)
        return;
    call = (struct mpi_check_call){ .comm = c->s->comm,
                                    .within = c->s->comm,
                                    .ordinal = (uint32_t)c->s->tag,
                                    .rooted = is_rooted(c),
                                    .sized = is_sized(c),
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
