/* Messages between two ranks, by blocking calls. */
#include "hosts/mpi/internal.h"

int mpi_check_data(struct mpi_rank *mr, const void *buf, int count, MPI_Datatype type,
                   struct mpi_type **type_p)
{
    struct mpi_type *t = mpi_type_of(mr, type);

    if (count < 0)
        return mpi_fail(mr, MPI_ERR_COUNT, "count = %d: expected 0 or more", count);
    if (t == NULL || !t->committed)
        return mpi_fail(mr, MPI_ERR_TYPE, "datatype = %#x: %s", (unsigned)type,
                        t == NULL ? "no datatype" : "not committed");
    if ((uint64_t)count * t->bytes > UINT64_C(1) << 30) /* the network takes no more in one piece */
        return mpi_fail(mr, MPI_ERR_COUNT, "count = %d: more than 1 GiB", count);
    if (buf == NULL && (uint64_t)count * t->bytes > 0)
        return mpi_fail(mr, MPI_ERR_BUFFER, "buf = NULL with count = %d", count);
    *type_p = t;
    return MPI_SUCCESS;
}

int mpi_send_data(struct mpi_rank *mr, const struct mpi_comm *comm, uint32_t context,
                  const struct mpi_type *type, const void *buf, uint64_t count, int dest, int tag)
{
    struct mpi_envelope env = { comm->rank, tag, context, (uint32_t)(count * type->bytes) };

    return mpi_protocol_send(mr, comm->world[dest], &env, type, buf, count);
}

static int check_peer(struct mpi_rank *mr, const struct mpi_comm *comm, int rank, int tag,
                      bool receives)
{
    if ((rank < 0 || rank >= comm->size) && rank != MPI_PROC_NULL &&
        !(receives && rank == MPI_ANY_SOURCE))
        return mpi_fail(mr, MPI_ERR_RANK, "%s = %d: expected 0 .. %d", receives ? "source" : "dest",
                        rank, comm->size - 1);
    if (tag < 0 && !(receives && tag == MPI_ANY_TAG))
        return mpi_fail(mr, MPI_ERR_TAG, "tag = %d: expected 0 or more", tag);
    return MPI_SUCCESS;
}

int mpi_prepare(struct mpi_rank *mr, struct mpi_request *rq, bool receives, int count,
                MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    const void *buf = receives ? rq->in : rq->out;
    int code = mr == NULL ? MPI_ERR_OTHER : mpi_check_data(mr, buf, count, type, &rq->type);

    if (code != MPI_SUCCESS)
        return code;
    rq->comm = mpi_comm_of(mr, comm);
    if (rq->comm == NULL)
        return MPI_ERR_COMM;
    rq->receives = receives;
    rq->count = (uint64_t)count;
    rq->peer = peer;
    rq->tag = tag;
    rq->context = rq->comm->context;
    return check_peer(mr, rq->comm, peer, tag, receives);
}

/* Sends never wait for their receives, since the network buffers: they are done at once. */
int mpi_start(struct mpi_rank *mr, struct mpi_request *rq)
{
    rq->active = true;
    rq->done = !rq->receives || rq->peer == MPI_PROC_NULL;
    rq->status = mpi_status(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0);
    if (rq->peer == MPI_PROC_NULL) {
        rq->status.MPI_SOURCE = MPI_PROC_NULL;
        return MPI_SUCCESS;
    }
    host_spend_cost(mr->host, HOST_COST_CALL);
    if (rq->receives)
        return mpi_match_post(mr, rq);
    return mpi_send_data(mr, rq->comm, rq->context, rq->type, rq->out, rq->count, rq->peer,
                         rq->tag);
}

int mpi_finish(struct mpi_rank *mr, const struct mpi_request *rq, MPI_Status *status)
{
    if (status != MPI_STATUS_IGNORE)
        *status = rq->status;
    if (rq->status.MPI_ERROR == MPI_SUCCESS)
        return MPI_SUCCESS;
    return mpi_fail(mr, rq->status.MPI_ERROR,
                    "truncated: a message of %u bytes from rank %d with tag %d, room for %u",
                    rq->arrived_bytes, rq->status.MPI_SOURCE, rq->status.MPI_TAG,
                    (unsigned)mpi_status_bytes(&rq->status));
}

static int send(struct mpi_rank *mr, const void *buf, int count, MPI_Datatype type, int dest,
                int tag, MPI_Comm comm)
{
    struct mpi_request rq = { .out = buf };
    int code = mpi_prepare(mr, &rq, false, count, type, dest, tag, comm);

    return code == MPI_SUCCESS ? mpi_start(mr, &rq) : code;
}

static int receive(struct mpi_rank *mr, void *buf, int count, MPI_Datatype type, int source,
                   int tag, MPI_Comm comm, MPI_Status *status)
{
    struct mpi_request rq = { .in = buf };
    int code = mpi_prepare(mr, &rq, true, count, type, source, tag, comm);

    if (code == MPI_SUCCESS)
        code = mpi_start(mr, &rq);
    if (code == MPI_SUCCESS)
        code = mpi_match_wait(mr, &rq);
    return code == MPI_SUCCESS ? mpi_finish(mr, &rq, status) : code;
}

int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    struct mpi_rank *mr = mpi_self();

    return mpi_end(mr, __func__, send(mr, buf, count, type, dest, tag, comm));
}

int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();

    return mpi_end(mr, __func__, receive(mr, buf, count, type, source, tag, comm, status));
}

int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                 MPI_Comm comm, MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();
    int code = send(mr, sendbuf, sendcount, sendtype, dest, sendtag, comm);

    if (code == MPI_SUCCESS)
        code = receive(mr, recvbuf, recvcount, recvtype, source, recvtag, comm, status);
    return mpi_end(mr, __func__, code);
}

/* @return whether there is a message, in *flag_p; waits for it when `waits`. */
static int probe(struct mpi_rank *mr, int source, int tag, MPI_Comm comm, bool waits, int *flag_p,
                 MPI_Status *status)
{
    struct mpi_request rq = { 0 };
    const struct mpi_arrived *a = NULL;
    int code = mpi_prepare(mr, &rq, true, 0, MPI_BYTE, source, tag, comm);

    if (code != MPI_SUCCESS)
        return code;
    host_spend_cost(mr->host, HOST_COST_CALL);
    *flag_p = 1;
    if (source == MPI_PROC_NULL) {
        if (status != MPI_STATUS_IGNORE)
            *status = mpi_status(MPI_PROC_NULL, MPI_ANY_TAG, MPI_SUCCESS, 0);
        return MPI_SUCCESS;
    }
    a = mpi_match_find(mr, &rq);
    if (a == NULL && !waits)
        code = mpi_match_poll(mr);
    while (code == MPI_SUCCESS && (a = mpi_match_find(mr, &rq)) == NULL && waits)
        code = mpi_match_progress(mr);
    *flag_p = a != NULL;
    if (a != NULL && status != MPI_STATUS_IGNORE)
        *status = mpi_status(a->env.source, a->env.tag, MPI_SUCCESS, a->env.bytes);
    return code;
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();
    int flag;

    return mpi_end(mr, __func__, probe(mr, source, tag, comm, true, &flag, status));
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();

    return mpi_end(mr, __func__, probe(mr, source, tag, comm, false, flag, status));
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_type *t = NULL;
    uint64_t bytes = mpi_status_bytes(status);
    int code = mr == NULL ? MPI_ERR_OTHER : mpi_check_data(mr, "", 1, type, &t);

    if (code != MPI_SUCCESS)
        return mpi_end(mr, __func__, code);
    if (t->bytes == 0)
        *count = 0;
    else
        *count = bytes % t->bytes != 0 ? MPI_UNDEFINED : (int)(bytes / t->bytes);
    return MPI_SUCCESS;
}
