/* Messages between two ranks, by blocking calls. */
#include "hosts/mpi/point/protocol.h"

#include <limits.h>
#include <stdlib.h>

static int send(struct mpi_rank *mr, const char *call, const void *buf, int count,
                MPI_Datatype type, int dest, int tag, MPI_Comm comm, enum mpi_mode mode)
{
    struct mpi_request rq = { .out = buf, .mode = mode };
    int code = mpi_prepare(mr, &rq, false, count, type, dest, tag, comm);

    if (code != MPI_SUCCESS)
        return code;
    host_spend_cost(mr->host, HOST_COST_CALL);
    code = mpi_start(mr, &rq);
    return code == MPI_SUCCESS ? mpi_wait(mr, &rq, call) : code;
}

#define SEND(NAME, MODE)                                                                           \
    int MPI_##NAME(const void *buf, int count, MPI_Datatype type, int dest, int tag,               \
                   MPI_Comm comm)                                                                  \
    {                                                                                              \
        struct mpi_rank *mr = mpi_self();                                                          \
                                                                                                   \
        return mpi_end_blamed(mr, __func__,                                                        \
                              send(mr, __func__, buf, count, type, dest, tag, comm, MODE));        \
    }
SEND(Send, MPI_MODE_STANDARD)
SEND(Bsend, MPI_MODE_BUFFERED)
SEND(Ssend, MPI_MODE_SYNCHRONOUS)
SEND(Rsend, MPI_MODE_READY)

static int receive(struct mpi_rank *mr, const char *call, struct mpi_request *rq, int count,
                   MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    int code = mpi_prepare(mr, rq, true, count, type, source, tag, comm);

    if (code != MPI_SUCCESS)
        return code;
    host_spend_cost(mr->host, HOST_COST_CALL);
    code = mpi_start(mr, rq);
    if (code == MPI_SUCCESS)
        code = mpi_wait(mr, rq, call);
    return code == MPI_SUCCESS ? mpi_finish_own(mr, rq, status) : code;
}

int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_request rq = { .in = buf };

    return mpi_end_blamed(mr, __func__,
                          receive(mr, __func__, &rq, count, type, source, tag, comm, status));
}

/* The send goes on while the receive waits. */
static int exchange(struct mpi_rank *mr, const char *call, struct mpi_request *out,
                    struct mpi_request *in, MPI_Status *status)
{
    int code;

    host_spend_cost(mr->host, HOST_COST_CALL);
    code = mpi_start(mr, out);
    if (code == MPI_SUCCESS)
        host_spend_cost(mr->host, HOST_COST_CALL);
    if (code == MPI_SUCCESS)
        code = mpi_start(mr, in);
    if (code == MPI_SUCCESS)
        code = mpi_wait(mr, in, call);
    if (code == MPI_SUCCESS)
        code = mpi_wait(mr, out, call);
    return code == MPI_SUCCESS ? mpi_finish_own(mr, in, status) : code;
}

int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                 MPI_Comm comm, MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_request out = { .out = sendbuf }, in = { .in = recvbuf };
    int code = mpi_prepare(mr, &out, false, sendcount, sendtype, dest, sendtag, comm);

    if (code == MPI_SUCCESS)
        code = mpi_prepare(mr, &in, true, recvcount, recvtype, source, recvtag, comm);
    if (code == MPI_SUCCESS)
        code = exchange(mr, __func__, &out, &in, status);
    return mpi_end_blamed(mr, __func__, code);
}

int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype type, int dest, int sendtag, int source,
                         int recvtag, MPI_Comm comm, MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_request out = { .out = buf }, in = { .in = buf };
    uint64_t bytes;
    uint8_t *copy;
    int code = mpi_prepare(mr, &out, false, count, type, dest, sendtag, comm);

    if (code == MPI_SUCCESS)
        code = mpi_prepare(mr, &in, true, count, type, source, recvtag, comm);
    if (code != MPI_SUCCESS)
        return mpi_end_blamed(mr, __func__, code);
    bytes = out.count * out.type->bytes;
    copy = mpi_block_new(mr, bytes);
    mpi_type_pack(out.type, buf, out.count, copy);
    mpi_spend_copy(mr, bytes);
    out.out = copy;
    out.type = &mr->basic[0];
    out.count = bytes;
    code = exchange(mr, __func__, &out, &in, status);
    mpi_block_free(copy);
    return mpi_end_blamed(mr, __func__, code);
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_type *t = NULL;
    uint64_t bytes = mpi_status_bytes(status);
    int code = mr == NULL ? MPI_ERR_OTHER : mpi_check_memory(mr, "", 1, type, &t);

    if (code != MPI_SUCCESS)
        return mpi_end(mr, __func__, code);
    if (t->bytes == 0)
        *count = 0;
    else if (bytes % t->bytes != 0 || bytes / t->bytes > INT_MAX)
        *count = MPI_UNDEFINED;
    else
        *count = (int)(bytes / t->bytes);
    return MPI_SUCCESS;
}

int MPIX_Hub_counters(MPIX_Hub_counts *counts)
{
    struct mpi_rank *mr = mpi_self();

    if (mr == NULL)
        return mpi_end(mr, __func__, MPI_ERR_OTHER);
    *counts = mr->counts;
    return MPI_SUCCESS;
}

int MPIX_Hub_sent(int rank, uint64_t *messages, uint64_t *bytes)
{
    struct mpi_rank *mr = mpi_self();
    const struct mpi_peer *peer;

    if (mr == NULL)
        return mpi_end(mr, __func__, MPI_ERR_OTHER);
    if (rank < 0 || (unsigned)rank >= mr->host->size)
        return mpi_end(
            mr, __func__,
            mpi_fail(mr, MPI_ERR_RANK, "rank = %d: expected 0 .. %u", rank, mr->host->size - 1));
    peer = mr->protocol->peers[rank];
    *messages = peer != NULL ? peer->sent_messages : 0;
    *bytes = peer != NULL ? peer->sent_bytes : 0;
    return MPI_SUCCESS;
}
