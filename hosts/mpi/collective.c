#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/internal.h"

/* A collective on one communicator: who takes part and under which tag its messages go. The order
 * of collectives is the same on all ranks and messages of a pair keep their order, so one tag for
 * each kind is enough. */
struct group {
    struct mpi_rank *mr;
    int rank, size, tag;
    uint32_t context;
};
enum { TAG_BARRIER = 1, TAG_BCAST, TAG_ALLGATHER, TAG_REDUCE };

static int group_init(struct group *g, MPI_Comm comm, int tag)
{
    g->mr = mpi_self();
    if (g->mr == NULL)
        return MPI_ERR_OTHER;
    if (mpi_check_comm(comm) != MPI_SUCCESS)
        return MPI_ERR_COMM;
    g->rank = mpi_comm_rank(g->mr, comm);
    g->size = mpi_comm_size(g->mr, comm);
    g->tag = tag;
    g->context = mpi_context(comm, true);
    host_spend_cost(g->mr->host, HOST_COST_CALL);
    return MPI_SUCCESS;
}

static int group_send(const struct group *g, int to, const void *buf, uint64_t bytes)
{
    return mpi_send_bytes(g->mr, buf, bytes, to, g->tag, g->context);
}

static int group_receive(const struct group *g, int from, void *buf, uint64_t bytes)
{
    struct mpi_wanted want = { from, g->tag, g->context, buf, bytes };

    return mpi_match_receive(g->mr, &want, MPI_STATUS_IGNORE);
}

/* Dissemination: in round k everybody tells the rank 2^k further on. */
int MPI_Barrier(MPI_Comm comm)
{
    struct group g;
    int code = group_init(&g, comm, TAG_BARRIER);

    for (int step = 1; code == MPI_SUCCESS && step < g.size; step *= 2) {
        code = group_send(&g, (g.rank + step) % g.size, NULL, 0);
        if (code == MPI_SUCCESS)
            code = group_receive(&g, (g.rank - step + g.size) % g.size, NULL, 0);
    }
    return code;
}

/* Binomial tree on ranks relative to the root: 0 tells the upper half first. */
static int group_bcast(const struct group *g, int root, void *buf, uint64_t bytes)
{
    int me = (g->rank - root + g->size) % g->size;
    int step = 1;
    int code = MPI_SUCCESS;

    while (step < g->size && (me & step) == 0)
        step *= 2;
    if (me != 0)
        code = group_receive(g, (me - step + root) % g->size, buf, bytes);
    for (step /= 2; code == MPI_SUCCESS && step >= 1; step /= 2)
        if (me + step < g->size)
            code = group_send(g, (me + step + root) % g->size, buf, bytes);
    return code;
}

int MPI_Bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    struct group g;
    int code = mpi_check_data(buf, count, type);

    if (code == MPI_SUCCESS)
        code = group_init(&g, comm, TAG_BCAST);
    if (code != MPI_SUCCESS)
        return code;
    if (root < 0 || root >= g.size)
        return MPI_ERR_ROOT;
    return group_bcast(&g, root, buf, (uint64_t)count * mpi_type_bytes(type));
}

/* Ring: each block travels once around. */
int MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    struct group g;
    uint64_t bytes;
    char *all = recvbuf;
    int code = mpi_check_data(recvbuf, recvcount, recvtype);

    if (code == MPI_SUCCESS && sendbuf != MPI_IN_PLACE)
        code = mpi_check_data(sendbuf, sendcount, sendtype);
    if (code == MPI_SUCCESS)
        code = group_init(&g, comm, TAG_ALLGATHER);
    if (code != MPI_SUCCESS)
        return code;
    bytes = (uint64_t)recvcount * mpi_type_bytes(recvtype);
    if (sendbuf != MPI_IN_PLACE) {
        if ((uint64_t)sendcount * mpi_type_bytes(sendtype) != bytes)
            return MPI_ERR_COUNT;
        if (bytes > 0)
            memmove(all + (uint64_t)g.rank * bytes, sendbuf, bytes);
    }
    for (int i = 0; code == MPI_SUCCESS && i < g.size - 1; i++) {
        int out = (g.rank - i + g.size) % g.size, in = (out - 1 + g.size) % g.size;

        code = group_send(&g, (g.rank + 1) % g.size, all + (uint64_t)out * bytes, bytes);
        if (code == MPI_SUCCESS)
            code = group_receive(&g, (g.rank - 1 + g.size) % g.size, all + (uint64_t)in * bytes,
                                 bytes);
    }
    return code;
}

/* NOLINTBEGIN(bugprone-macro-parentheses): TYPE names a type and a part of a name */
#define COMBINE(TYPE)                                                                              \
    static void combine_##TYPE(TYPE *into, const TYPE *from, int count, MPI_Op op)                 \
    {                                                                                              \
        for (int i = 0; i < count; i++) {                                                          \
            if (op == MPI_SUM)                                                                     \
                into[i] = into[i] + from[i];                                                       \
            else if (op == MPI_MAX ? from[i] > into[i] : from[i] < into[i])                        \
                into[i] = from[i];                                                                 \
        }                                                                                          \
    }
COMBINE(int)
COMBINE(unsigned)
COMBINE(int64_t)
COMBINE(uint64_t)
COMBINE(float)
COMBINE(double)
/* NOLINTEND(bugprone-macro-parentheses) */

static int combine(void *into, const void *from, int count, MPI_Datatype type, MPI_Op op)
{
    switch (type) {
    case MPI_INT:
        combine_int(into, from, count, op);
        return MPI_SUCCESS;
    case MPI_UNSIGNED:
        combine_unsigned(into, from, count, op);
        return MPI_SUCCESS;
    case MPI_LONG:
    case MPI_LONG_LONG:
        combine_int64_t(into, from, count, op);
        return MPI_SUCCESS;
    case MPI_UNSIGNED_LONG:
    case MPI_UNSIGNED_LONG_LONG:
        combine_uint64_t(into, from, count, op);
        return MPI_SUCCESS;
    case MPI_FLOAT:
        combine_float(into, from, count, op);
        return MPI_SUCCESS;
    case MPI_DOUBLE:
        combine_double(into, from, count, op);
        return MPI_SUCCESS;
    default:
        return MPI_ERR_OP;
    }
}

/* To rank 0 along a binomial tree, lower ranks left, then back: every rank gets the same bits,
 * and the order of floating-point operations depends on the number of ranks only. */
static int group_allreduce(const struct group *g, void *buf, void *part, int count,
                           MPI_Datatype type, MPI_Op op)
{
    uint64_t bytes = (uint64_t)count * mpi_type_bytes(type);
    int code = MPI_SUCCESS;

    for (int step = 1; code == MPI_SUCCESS && step < g->size; step *= 2) {
        if ((g->rank & step) != 0) {
            code = group_send(g, g->rank - step, buf, bytes);
            break;
        }
        if (g->rank + step < g->size) {
            code = group_receive(g, g->rank + step, part, bytes);
            if (code == MPI_SUCCESS)
                code = combine(buf, part, count, type, op);
        }
    }
    return code == MPI_SUCCESS ? group_bcast(g, 0, buf, bytes) : code;
}

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    struct group g;
    uint64_t bytes;
    void *part;
    int code = mpi_check_data(recvbuf, count, type);

    if (code == MPI_SUCCESS && sendbuf != MPI_IN_PLACE)
        code = mpi_check_data(sendbuf, count, type);
    if (code == MPI_SUCCESS && (op < MPI_MAX || op > MPI_SUM))
        code = MPI_ERR_OP;
    if (code == MPI_SUCCESS)
        code = combine(recvbuf, recvbuf, 0, type, op); /* is the type one of numbers? */
    if (code == MPI_SUCCESS)
        code = group_init(&g, comm, TAG_REDUCE);
    if (code != MPI_SUCCESS || count == 0)
        return code;
    bytes = (uint64_t)count * mpi_type_bytes(type);
    part = malloc(bytes);
    if (part == NULL)
        return MPI_ERR_NO_MEM;
    if (sendbuf != MPI_IN_PLACE)
        memmove(recvbuf, sendbuf, bytes);
    code = group_allreduce(&g, recvbuf, part, count, type, op);
    free(part);
    return code;
}
