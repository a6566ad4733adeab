/* Messages between two ranks, as programs call for them. */
#include "hosts/mpi/point/protocol.h"

#include <limits.h>

static int begin_transfer(struct mpi_rank *mr, const struct mpi_request *rq, MPI_Request *handle)
{
    struct mpi_request *added;
    int code;

    host_spend_cost(mr->host, HOST_COST_CALL);
    added = mpi_request_add(mr, rq, handle);
    mpi_race_begin(mr, added, rq->mode != MPI_MODE_BUFFERED);
    code = mpi_start(mr, added);
    if (code != MPI_SUCCESS) {
        mpi_race_end(mr, added);
        mpi_request_free(mr, *handle);
        *handle = MPI_REQUEST_NULL;
    }
    return code;
}

static int complete_transfer(struct mpi_rank *mr, const char *call, struct mpi_request *rq,
                             MPI_Status *status)
{
    int code;

    host_spend_cost(mr->host, HOST_COST_CALL);
    mpi_race_begin(mr, rq, false);
    code = mpi_start(mr, rq);
    if (code != MPI_SUCCESS)
        return code;
    mpi_wait(mr, rq, call);
    return mpi_finish_own(mr, rq, status);
}

/* Every form of one message: `request` is NULL for the blocking one, and a persistent one does not
 * begin yet. */
static int transfer_message(const char *call, struct mpi_request *rq, int count, MPI_Datatype type,
                            int peer, int tag, MPI_Comm comm, MPI_Status *status,
                            MPI_Request *request)
{
    struct mpi_rank *mr = mpi_self();
    int code = mpi_prepare(mr, rq, count, type, peer, tag, comm);

    if (code != MPI_SUCCESS)
        return code;
    if (!rq->persistent)
        return request != NULL ? begin_transfer(mr, rq, request)
                               : complete_transfer(mr, call, rq, status);
    (void)mpi_request_add(mr, rq, request);
    return MPI_SUCCESS;
}

/* NOLINTBEGIN(bugprone-macro-parentheses): parameters and initialisers */
#define MESSAGE(CONST)                                                                             \
    CONST void *buf, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm
#define LIST(...) __VA_ARGS__
#define TRANSFER(NAME, PARAMETERS, STATUS, REQUEST, ...)                                           \
    int MPI_##NAME(LIST PARAMETERS)                                                                \
    {                                                                                              \
        struct mpi_request rq = { __VA_ARGS__ };                                                   \
                                                                                                   \
        return transfer_message(__func__, &rq, count, type, peer, tag, comm, STATUS, REQUEST);     \
    }
#define SENDS(NAME, INAME, INIT, ...)                                                              \
    TRANSFER(NAME, (MESSAGE(const)), MPI_STATUS_IGNORE, NULL, .out = buf, __VA_ARGS__)             \
    TRANSFER(INAME, (MESSAGE(const), MPI_Request * request), NULL, request, .out = buf,            \
             __VA_ARGS__)                                                                          \
    TRANSFER(INIT, (MESSAGE(const), MPI_Request * request), NULL, request, .out = buf,             \
             .persistent = true, __VA_ARGS__)
#define RECEIVE .in = buf, .receives = true
/* NOLINTEND(bugprone-macro-parentheses) */

SENDS(Send, Isend, Send_init, .mode = MPI_MODE_STANDARD)
SENDS(Bsend, Ibsend, Bsend_init, .mode = MPI_MODE_BUFFERED)
SENDS(Ssend, Issend, Ssend_init, .mode = MPI_MODE_SYNCHRONOUS)
SENDS(Rsend, Irsend, Rsend_init, .mode = MPI_MODE_READY)
TRANSFER(Recv, (MESSAGE(), MPI_Status *status), status, NULL, RECEIVE)
TRANSFER(Irecv, (MESSAGE(), MPI_Request *request), NULL, request, RECEIVE)
TRANSFER(Recv_init, (MESSAGE(), MPI_Request *request), NULL, request, RECEIVE, .persistent = true)

/* The send goes on while the receive waits. */
static int exchange_messages(struct mpi_rank *mr, const char *call, struct mpi_request *out,
                             struct mpi_request *in, MPI_Status *status)
{
    host_spend_cost(mr->host, HOST_COST_CALL);
    mpi_race_begin(mr, out, false);
    (void)mpi_start(mr, out);
    host_spend_cost(mr->host, HOST_COST_CALL);
    mpi_race_begin(mr, in, false);
    (void)mpi_start(mr, in);
    mpi_wait(mr, in, call);
    mpi_wait(mr, out, call);
    return mpi_finish_own(mr, in, status);
}

int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                 MPI_Comm comm, MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_request out = { .out = sendbuf }, in = { .in = recvbuf, .receives = true };
    int code = mpi_prepare(mr, &out, sendcount, sendtype, dest, sendtag, comm);

    if (code == MPI_SUCCESS)
        code = mpi_prepare(mr, &in, recvcount, recvtype, source, recvtag, comm);
    if (code == MPI_SUCCESS)
        code = exchange_messages(mr, __func__, &out, &in, status);
    return code;
}

int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype type, int dest, int sendtag, int source,
                         int recvtag, MPI_Comm comm, MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_request out = { .out = buf }, in = { .in = buf, .receives = true };
    uint64_t bytes;
    uint8_t *copy;
    int code = mpi_prepare(mr, &out, count, type, dest, sendtag, comm);

    if (code == MPI_SUCCESS)
        code = mpi_prepare(mr, &in, count, type, source, recvtag, comm);
    if (code != MPI_SUCCESS)
        return code;
    bytes = out.count * out.type->bytes;
    copy = mpi_block_new(mr, bytes);
    mpi_type_pack(out.type, buf, out.count, copy);
    mpi_spend_copy(mr, bytes);
    out.out = copy;
    out.type = &mr->basic[0];
    out.count = bytes;
    code = exchange_messages(mr, __func__, &out, &in, status);
    mpi_block_free(copy);
    return code;
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_type *t;
    uint64_t bytes = mpi_status_bytes(status);
    int code = mpi_check_memory(mr, "", 1, type, &t);

    if (code != MPI_SUCCESS)
        return code;
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
            mpi_error(MPI_ERR_RANK, "rank = %d: expected 0 .. %u", rank, mr->host->size - 1));
    peer = mr->protocol->peers[rank];
    *messages = peer != NULL ? peer->sent_messages : 0;
    *bytes = peer != NULL ? peer->sent_bytes : 0;
    return MPI_SUCCESS;
}
