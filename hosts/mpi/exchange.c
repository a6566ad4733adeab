/* Collectives that move different blocks between ranks. Sends are buffered, so whoever has blocks
 * sends them all before it receives. */
#include "hosts/mpi/internal.h"

/** Blocks of one size, one for each rank. */
struct blocks {
    char *at;
    uint64_t count;
    struct mpi_type *type;
};

static char *block(const struct blocks *b, int rank)
{
    return b->at + (uint64_t)rank * b->count * b->type->extent;
}

static int blocks_init(struct mpi_rank *mr, void *buf, int count, MPI_Datatype type,
                       struct blocks *b)
{
    b->at = buf;
    b->count = count > 0 ? (uint64_t)count : 0;
    return mpi_check_data(mr, buf, count, type, &b->type);
}

static int begin(struct mpi_group *g, struct mpi_rank *mr, MPI_Comm comm, int tag, int root)
{
    int code = mpi_group_init(g, mr, comm, tag);

    return code == MPI_SUCCESS ? mpi_group_root(g, root) : code;
}

static int gather_all(const struct mpi_group *g, const struct blocks *in, int root)
{
    int code = MPI_SUCCESS;

    for (int r = 0; code == MPI_SUCCESS && r < g->size; r++)
        if (r != root)
            code = mpi_group_receive(g, r, in->type, block(in, r), in->count);
    return code;
}

int MPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
               int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_group g;
    struct blocks in;
    struct mpi_type *own = NULL;
    int code = begin(&g, mr, comm, MPI_TAG_GATHER, root);
    bool is_root = code == MPI_SUCCESS && g.rank == root;
    bool in_place = is_root && sendbuf == MPI_IN_PLACE;

    if (is_root)
        code = blocks_init(mr, recvbuf, recvcount, recvtype, &in);
    if (code == MPI_SUCCESS && !in_place)
        code = mpi_check_data(mr, sendbuf, sendcount, sendtype, &own);
    if (code != MPI_SUCCESS)
        return mpi_end(mr, __func__, code);
    if (!is_root)
        code = mpi_group_send(&g, root, own, sendbuf, (uint64_t)sendcount);
    else if (!in_place)
        code = mpi_type_copy(mr, own, sendbuf, (uint64_t)sendcount, in.type, block(&in, root),
                             in.count);
    if (is_root && code == MPI_SUCCESS)
        code = gather_all(&g, &in, root);
    return mpi_end(mr, __func__, code);
}

static int scatter_all(const struct mpi_group *g, const struct blocks *out, int root)
{
    int code = MPI_SUCCESS;

    for (int r = 0; code == MPI_SUCCESS && r < g->size; r++)
        if (r != root)
            code = mpi_group_send(g, r, out->type, block(out, r), out->count);
    return code;
}

int MPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_group g;
    struct blocks out;
    struct mpi_type *own = NULL;
    int code = begin(&g, mr, comm, MPI_TAG_SCATTER, root);
    bool is_root = code == MPI_SUCCESS && g.rank == root;
    bool in_place = is_root && recvbuf == MPI_IN_PLACE;

    if (is_root)
        code = blocks_init(mr, (void *)(uintptr_t)sendbuf, sendcount, sendtype, &out);
    if (code == MPI_SUCCESS && !in_place)
        code = mpi_check_data(mr, recvbuf, recvcount, recvtype, &own);
    if (code != MPI_SUCCESS)
        return mpi_end(mr, __func__, code);
    if (!is_root)
        code = mpi_group_receive(&g, root, own, recvbuf, (uint64_t)recvcount);
    else
        code = scatter_all(&g, &out, root);
    if (is_root && !in_place && code == MPI_SUCCESS)
        code = mpi_type_copy(mr, out.type, block(&out, root), out.count, own, recvbuf,
                             (uint64_t)recvcount);
    return mpi_end(mr, __func__, code);
}

/* Step by step to the next rank further on, so that not all send to one at a time. */
static int exchange(const struct mpi_group *g, const struct blocks *out, const struct blocks *in)
{
    int code = MPI_SUCCESS;

    for (int i = 1; code == MPI_SUCCESS && i < g->size; i++) {
        int to = (g->rank + i) % g->size;

        code = mpi_group_send(g, to, out->type, block(out, to), out->count);
    }
    if (code == MPI_SUCCESS && out->at != in->at)
        code = mpi_type_copy(g->mr, out->type, block(out, g->rank), out->count, in->type,
                             block(in, g->rank), in->count);
    for (int i = 1; code == MPI_SUCCESS && i < g->size; i++) {
        int from = (g->rank - i + g->size) % g->size;

        code = mpi_group_receive(g, from, in->type, block(in, from), in->count);
    }
    return code;
}

int MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_group g;
    struct blocks in, out;
    int code = mpi_group_init(&g, mr, comm, MPI_TAG_ALLTOALL);

    if (code == MPI_SUCCESS)
        code = blocks_init(mr, recvbuf, recvcount, recvtype, &in);
    if (code == MPI_SUCCESS && sendbuf == MPI_IN_PLACE)
        out = in;
    else if (code == MPI_SUCCESS)
        code = blocks_init(mr, (void *)(uintptr_t)sendbuf, sendcount, sendtype, &out);
    if (code == MPI_SUCCESS)
        code = exchange(&g, &out, &in);
    return mpi_end(mr, __func__, code);
}
