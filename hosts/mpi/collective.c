#include <stdlib.h>

#include "hosts/mpi/internal.h"

int mpi_group_init(struct mpi_group *g, struct mpi_rank *mr, MPI_Comm comm, int tag)
{
    if (mr == NULL)
        return MPI_ERR_OTHER;
    g->mr = mr;
    g->comm = mpi_comm_of(mr, comm);
    if (g->comm == NULL)
        return MPI_ERR_COMM;
    g->rank = g->comm->rank;
    g->size = g->comm->size;
    g->tag = tag;
    host_spend_cost(mr->host, HOST_COST_CALL);
    return MPI_SUCCESS;
}

int mpi_group_root(const struct mpi_group *g, int root)
{
    if (root >= 0 && root < g->size)
        return MPI_SUCCESS;
    return mpi_fail(g->mr, MPI_ERR_ROOT, "root = %d: expected 0 .. %d", root, g->size - 1);
}

int mpi_group_send(const struct mpi_group *g, int to, struct mpi_type *type, const void *buf,
                   uint64_t count)
{
    return mpi_send_data(g->mr, g->comm, g->comm->context + 1, type, buf, count, to, g->tag);
}

int mpi_group_receive(const struct mpi_group *g, int from, struct mpi_type *type, void *buf,
                      uint64_t count)
{
    struct mpi_request rq = { .receives = true,
                              .comm = g->comm,
                              .in = buf,
                              .type = type,
                              .count = count,
                              .peer = from,
                              .tag = g->tag,
                              /* of its own: no user's receive can match */
                              .context = g->comm->context + 1 };
    int code = mpi_start(g->mr, &rq);

    if (code == MPI_SUCCESS)
        code = mpi_wait(g->mr, &rq, "a collective");
    return code == MPI_SUCCESS ? mpi_finish(g->mr, &rq, MPI_STATUS_IGNORE) : code;
}

void *mpi_scratch(struct mpi_rank *mr, uint64_t bytes)
{
    void *more = realloc(mr->scratch, bytes + 1);

    if (more == NULL) {
        mpi_note(mr, "out of memory");
        return NULL;
    }
    mr->scratch = more;
    return more;
}

/* Dissemination: in round k everybody tells the rank 2^k further on. */
int MPI_Barrier(MPI_Comm comm)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_group g;
    int code = mpi_group_init(&g, mr, comm, MPI_TAG_BARRIER);

    for (int step = 1; code == MPI_SUCCESS && step < g.size; step *= 2) {
        code = mpi_group_send(&g, (g.rank + step) % g.size, &mr->basic[0], NULL, 0);
        if (code == MPI_SUCCESS)
            code = mpi_group_receive(&g, (g.rank - step + g.size) % g.size, &mr->basic[0], NULL, 0);
    }
    return mpi_end(mr, __func__, code);
}

/* Binomial tree on ranks relative to the root: 0 tells the upper half first. */
int mpi_group_bcast(const struct mpi_group *g, int root, struct mpi_type *type, void *buf,
                    uint64_t count)
{
    int me = (g->rank - root + g->size) % g->size;
    int step = 1;
    int code = MPI_SUCCESS;

    while (step < g->size && (me & step) == 0)
        step *= 2;
    if (me != 0)
        code = mpi_group_receive(g, (me - step + root) % g->size, type, buf, count);
    for (step /= 2; code == MPI_SUCCESS && step >= 1; step /= 2)
        if (me + step < g->size)
            code = mpi_group_send(g, (me + step + root) % g->size, type, buf, count);
    return code;
}

int MPI_Bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_group g;
    struct mpi_type *t = NULL;
    int code = mpi_group_init(&g, mr, comm, MPI_TAG_BCAST);

    if (code == MPI_SUCCESS)
        code = mpi_check_data(mr, buf, count, type, &t);
    if (code == MPI_SUCCESS)
        code = mpi_group_root(&g, root);
    if (code == MPI_SUCCESS)
        code = mpi_group_bcast(&g, root, t, buf, (uint64_t)count);
    return mpi_end(mr, __func__, code);
}

/* Ring: each block travels once around. */
static int ring(const struct mpi_group *g, char *all, struct mpi_type *type, uint64_t count)
{
    uint64_t step = count * type->extent;
    int code = MPI_SUCCESS;

    for (int i = 0; code == MPI_SUCCESS && i < g->size - 1; i++) {
        int out = (g->rank - i + g->size) % g->size, in = (out - 1 + g->size) % g->size;

        code = mpi_group_send(g, (g->rank + 1) % g->size, type, all + (uint64_t)out * step, count);
        if (code == MPI_SUCCESS)
            code = mpi_group_receive(g, (g->rank - 1 + g->size) % g->size, type,
                                     all + (uint64_t)in * step, count);
    }
    return code;
}

int mpi_group_allgather(const struct mpi_group *g, void *all, uint64_t bytes)
{
    return ring(g, all, &g->mr->basic[0], bytes);
}

int MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_group g;
    struct mpi_type *in = NULL, *out = NULL;
    char *all = recvbuf;
    int code = mpi_group_init(&g, mr, comm, MPI_TAG_ALLGATHER);

    if (code == MPI_SUCCESS)
        code = mpi_check_data(mr, recvbuf, recvcount, recvtype, &in);
    if (code == MPI_SUCCESS && sendbuf != MPI_IN_PLACE) {
        code = mpi_check_data(mr, sendbuf, sendcount, sendtype, &out);
        if (code == MPI_SUCCESS &&
            (uint64_t)sendcount * out->bytes != (uint64_t)recvcount * in->bytes)
            code = mpi_fail(mr, MPI_ERR_COUNT, "sendcount = %d, recvcount = %d: unlike blocks",
                            sendcount, recvcount);
        if (code == MPI_SUCCESS)
            code = mpi_type_copy(mr, out, sendbuf, (uint64_t)sendcount, in,
                                 all + (uint64_t)g.rank * (uint64_t)recvcount * in->extent,
                                 (uint64_t)recvcount);
    }
    if (code == MPI_SUCCESS)
        code = ring(&g, all, in, (uint64_t)recvcount);
    return mpi_end(mr, __func__, code);
}
