/*
 * Collectives that move data. Each one's arguments are checked and its steps written in one place,
 * for both forms: `request` is NULL for the blocking one.
 *
 * The caller's own block is copied first of all, so that algorithms see no MPI_IN_PLACE.
 */
#include "hosts/mpi/coll/twins.h"

static struct mpi_data first(const struct mpi_blocks *b)
{
    return mpi_block_range(b, 0, 1);
}

static int barrier(const char *call, MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll c;
    int code = mpi_coll_begin(&c, MPI_COLL_BARRIER, comm);

    if (code == MPI_SUCCESS && c.far != NULL)
        mpi_inter_barrier(&c);
    else if (code == MPI_SUCCESS)
        mpi_coll_build(&c);
    return mpi_coll_end(&c, call, code, request);
}

int MPI_Barrier(MPI_Comm comm)
{
    return barrier(__func__, comm, NULL);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    return barrier(__func__, comm, request);
}

static int bcast(const char *call, enum mpi_collective kind, const struct mpi_sides *a,
                 MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll c;
    int code = mpi_coll_begin(&c, kind, comm);

    if (code == MPI_SUCCESS)
        code = mpi_coll_check_root(&c, a->root);
    if (code == MPI_SUCCESS && a->root != MPI_PROC_NULL)
        code = mpi_coll_check(&c, &c.in, &a->in, 1);
    if (code != MPI_SUCCESS || a->root == MPI_PROC_NULL)
        return mpi_coll_end(&c, call, code, request);
    c.bytes = mpi_block_bytes(&c.in);
    if (c.far != NULL)
        mpi_inter_bcast(&c);
    else if (c.bytes > 0)
        mpi_coll_build(&c);
    return mpi_coll_end(&c, call, code, request);
}

/* One root has blocks for all ranks in `all`, each rank one in `one`. */
static int rooted(const char *call, enum mpi_collective kind, const struct mpi_sides *a,
                  MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll c;
    int code = mpi_coll_begin(&c, kind, comm);
    bool gathers = kind == MPI_COLL_GATHER || kind == MPI_COLL_GATHERV, is_root, has_one;
    struct mpi_blocks *all = gathers ? &c.in : &c.out, *one = gathers ? &c.out : &c.in;
    const struct mpi_side *of_all = gathers ? &a->in : &a->out,
                          *of_one = gathers ? &a->out : &a->in;

    if (code == MPI_SUCCESS)
        code = mpi_coll_check_root(&c, a->root);
    if (code != MPI_SUCCESS || a->root == MPI_PROC_NULL)
        return mpi_coll_end(&c, call, code, request);
    is_root = mpi_coll_is_root(&c);
    has_one = c.far != NULL ? !is_root : !is_root || of_one->buf != MPI_IN_PLACE;
    if (is_root)
        code = mpi_coll_check(&c, all, of_all, mpi_coll_peers(&c));
    if (code == MPI_SUCCESS && has_one)
        code = mpi_coll_check(&c, one, of_one, 1);
    else if (code == MPI_SUCCESS)
        *one = *all; /* not looked at */
    if (code == MPI_SUCCESS && c.far == NULL && is_root && has_one)
        code = mpi_coll_check_own(&c, first(one), mpi_block(&c, all, c.rank));
    if (code != MPI_SUCCESS)
        return mpi_coll_end(&c, call, code, request);
    if (of_all->form == MPI_SIDE)
        c.bytes = mpi_block_bytes(is_root ? all : one);
    if (c.far != NULL)
        (gathers ? mpi_inter_gather : mpi_inter_scatter)(&c);
    else if (is_root && has_one)
        mpi_coll_copy(&c, gathers ? first(one) : mpi_block(&c, all, c.rank),
                      gathers ? mpi_block(&c, all, c.rank) : first(one));
    if (c.far == NULL && (of_all->form == MPI_SIDE_V || c.bytes > 0))
        mpi_coll_build(&c);
    return mpi_coll_end(&c, call, code, request);
}

/* In place: what is to be sent is set aside first, each block without gaps. */
static void set_aside(struct mpi_coll *c)
{
    uint64_t n = (uint64_t)c->size, all = 0;
    int *counts = (int *)(void *)mpi_schedule_memory(c->s, n * sizeof(int));
    MPI_Aint *at = (MPI_Aint *)(void *)mpi_schedule_memory(c->s, n * sizeof(*at));
    MPI_Datatype *types = (MPI_Datatype *)(void *)mpi_schedule_memory(c->s, n * sizeof(*types));
    struct mpi_data d;
    char *to;

    if (counts == NULL || at == NULL || types == NULL)
        return;
    for (int r = 0; r < c->size; r++) {
        d = mpi_block(c, &c->in, r);
        at[r] = (MPI_Aint)all;
        counts[r] = (int)mpi_data_bytes(&d);
        types[r] = MPI_BYTE;
        all += mpi_data_bytes(&d);
    }
    to = mpi_schedule_memory(c->s, all);
    c->out = (struct mpi_blocks){ .at = to, .counts = counts, .far = at, .types = types };
    if (c->in.counts == NULL) { /* all of one size */
        d = mpi_block(c, &c->in, 0);
        c->out = (struct mpi_blocks){ .at = to, .count = mpi_data_bytes(&d) };
        c->out.type = mpi_type_of(c->mr, MPI_BYTE);
    }
    for (int r = 0; to != NULL && r < c->size; r++)
        mpi_coll_copy(c, mpi_block(c, &c->in, r), mpi_block(c, &c->out, r));
}

/* Each rank has one block for all, or one for each. */
static int to_all(const char *call, enum mpi_collective kind, const struct mpi_sides *a,
                  MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll c;
    int code = mpi_coll_begin(&c, kind, comm);
    bool in_place = code == MPI_SUCCESS && c.far == NULL && a->out.buf == MPI_IN_PLACE;
    bool gathers = kind == MPI_COLL_ALLGATHER || kind == MPI_COLL_ALLGATHERV;
    struct mpi_data own = { NULL };

    if (code == MPI_SUCCESS)
        code = mpi_coll_check(&c, &c.in, &a->in, mpi_coll_peers(&c));
    if (code == MPI_SUCCESS && !in_place)
        code = mpi_coll_check(&c, &c.out, &a->out, gathers ? 1 : mpi_coll_peers(&c));
    if (code == MPI_SUCCESS && c.far == NULL && !in_place) {
        own = gathers ? first(&c.out) : mpi_block(&c, &c.out, c.rank);
        code = mpi_coll_check_own(&c, own, mpi_block(&c, &c.in, c.rank));
    }
    if (code != MPI_SUCCESS)
        return mpi_coll_end(&c, call, code, request);
    if (c.far != NULL) {
        mpi_inter_to_all(&c, gathers);
        return mpi_coll_end(&c, call, code, request);
    }
    if (!in_place)
        mpi_coll_copy(&c, own, mpi_block(&c, &c.in, c.rank));
    else if (!gathers)
        set_aside(&c);
    if (a->in.form == MPI_SIDE)
        c.bytes = mpi_block_bytes(&c.in);
    for (int r = 0; kind == MPI_COLL_ALLGATHERV && r < c.size; r++)
        c.bytes += (uint64_t)a->in.counts[r] * c.in.type->bytes;
    if (kind == MPI_COLL_ALLTOALLV || c.bytes > 0)
        mpi_coll_build(&c);
    return mpi_coll_end(&c, call, code, request);
}

COLLECTIVE(Bcast, Ibcast, (RECV, int root), bcast, MPI_COLL_BCAST, IN, .root = root)
COLLECTIVE(Gather, Igather, (SEND, RECV, int root), rooted, MPI_COLL_GATHER, OUT, IN, .root = root)
COLLECTIVE(Gatherv, Igatherv, (SEND, RECV_V, int root), rooted, MPI_COLL_GATHERV, OUT, IN_V,
           .root = root)
COLLECTIVE(Scatter, Iscatter, (SEND, RECV, int root), rooted, MPI_COLL_SCATTER, OUT, IN,
           .root = root)
COLLECTIVE(Scatterv, Iscatterv, (SEND_V, RECV, int root), rooted, MPI_COLL_SCATTERV, OUT_V, IN,
           .root = root)
COLLECTIVE(Allgather, Iallgather, (SEND, RECV), to_all, MPI_COLL_ALLGATHER, OUT, IN)
COLLECTIVE(Allgatherv, Iallgatherv, (SEND, RECV_V), to_all, MPI_COLL_ALLGATHERV, OUT, IN_V)
COLLECTIVE(Alltoall, Ialltoall, (SEND, RECV), to_all, MPI_COLL_ALLTOALL, OUT, IN)
COLLECTIVE(Alltoallv, Ialltoallv, (SEND_V, RECV_V), to_all, MPI_COLL_ALLTOALLV, OUT_V, IN_V)
COLLECTIVE(Alltoallw, Ialltoallw, (SEND_W(int), RECV_W(int)), to_all, MPI_COLL_ALLTOALLV,
           OUT_W(displs), IN_W(displs))
