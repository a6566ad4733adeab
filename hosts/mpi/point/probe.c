/* Messages that have come, before they are received. */
#include "hosts/mpi/point/protocol.h"

/* *found_p: the message that a receive would match, NULL: none has come. `waits`: until one has. */
static int find(struct mpi_rank *mr, struct mpi_request *rq, bool waits, const char *call,
                struct mpi_arrived **found_p)
{
    const struct mpi_waits w = { .mr = mr, .request = rq };
    int code = MPI_SUCCESS;

    rq->active = true;
    rq->far =
        rq->peer == MPI_ANY_SOURCE ? NULL : mpi_peer_of(mr, (unsigned)rq->comm->world[rq->peer]);
    *found_p = mpi_match_arrived(mr, rq);
    if (*found_p != NULL)
        return code;
    if (waits)
        mpi_waits_begin(&w, call);
    code = mpi_advance(mr, NULL);
    if (code == MPI_SUCCESS && (*found_p = mpi_match_arrived(mr, rq)) == NULL && !waits)
        code = mpi_poll(mr);
    while (code == MPI_SUCCESS && (*found_p = mpi_match_arrived(mr, rq)) == NULL && waits)
        code = mpi_progress(mr);
    if (waits)
        mpi_waits_end(&w);
    return code;
}

/* Ends with status and flag; *message_p stays NULL when the source is MPI_PROC_NULL. */
static int probe(struct mpi_rank *mr, const char *call, int source, int tag, MPI_Comm comm,
                 bool waits, int *flag_p, struct mpi_arrived **message_p, MPI_Status *status)
{
    struct mpi_request rq = { 0 };
    int code = mpi_prepare(mr, &rq, true, 0, MPI_BYTE, source, tag, comm);
    const struct mpi_waits w = { .mr = mr, .request = &rq };

    *message_p = NULL;
    if (code != MPI_SUCCESS)
        return code;
    *flag_p = 1;
    if (source == MPI_PROC_NULL) {
        host_spend_cost(mr->host, HOST_COST_CALL);
        rq.status = mpi_status(MPI_PROC_NULL, MPI_ANY_TAG, MPI_SUCCESS, 0);
        mpi_status_give(status, &rq.status);
        return MPI_SUCCESS;
    }
    if (!waits)
        mpi_look_begin(mr);
    host_spend_cost(mr->host, HOST_COST_CALL);
    code = find(mr, &rq, waits, call, message_p);
    *flag_p = *message_p != NULL;
    if (!waits)
        mpi_look_end(&w, call, code != MPI_SUCCESS || *flag_p);
    if (*message_p == NULL)
        return code;
    rq.status =
        mpi_status((*message_p)->e.source, (*message_p)->e.tag, MPI_SUCCESS, (*message_p)->e.bytes);
    mpi_status_give(status, &rq.status);
    return code;
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_arrived *a;
    int flag;

    return mpi_end_blamed(mr, __func__,
                          probe(mr, __func__, source, tag, comm, true, &flag, &a, status));
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_arrived *a;

    return mpi_end_blamed(mr, __func__,
                          probe(mr, __func__, source, tag, comm, false, flag, &a, status));
}

/* ---- matched probe: a message that is taken out, and received by its handle ---- */

/* The handle is that of a request which holds the message. */
static int matched(struct mpi_rank *mr, const char *call, int source, int tag, MPI_Comm comm,
                   bool waits, int *flag_p, MPI_Message *message, MPI_Status *status)
{
    struct mpi_request rq = { .receives = true };
    struct mpi_arrived *a;
    int code = probe(mr, call, source, tag, comm, waits, flag_p, &a, status);

    if (code != MPI_SUCCESS || !*flag_p)
        return code;
    *message = MPI_MESSAGE_NO_PROC;
    if (a == NULL)
        return code;
    rq.comm = mpi_comm_of(mr, comm);
    code = mpi_request_add(mr, &rq, message);
    if (code != MPI_SUCCESS)
        return code;
    mpi_arrived_unlist(mr, a);
    mpi_request_of(mr, *message)->message = a;
    return code;
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();
    int flag;

    return mpi_end_blamed(mr, __func__,
                          matched(mr, __func__, source, tag, comm, true, &flag, message, status));
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();

    return mpi_end_blamed(mr, __func__,
                          matched(mr, __func__, source, tag, comm, false, flag, message, status));
}

/* Starts `rq`, whose buffer is set, with the message. */
static int start(struct mpi_rank *mr, struct mpi_request *rq, struct mpi_arrived *a)
{
    rq->active = true;
    rq->status = mpi_status(MPI_PROC_NULL, MPI_ANY_TAG, MPI_SUCCESS, 0);
    rq->message = NULL;
    if (a == NULL) {
        rq->peer = MPI_PROC_NULL;
        mpi_ended(mr, rq);
    } else {
        rq->room = (uint32_t)(rq->count * rq->type->bytes);
        mpi_receive_arrived(mr, rq, a);
    }
    return MPI_SUCCESS;
}

/* @return the request of the message in *rq_p, and the message: NULL from MPI_PROC_NULL. */
static int open_message(struct mpi_rank *mr, struct mpi_request *rq, int count, MPI_Datatype type,
                        const MPI_Message *message, struct mpi_arrived **a_p)
{
    const struct mpi_request *held;
    int code;

    if (mr == NULL)
        return MPI_ERR_OTHER;
    mr->blamed = NULL;
    code = mpi_check_data(mr, rq->in, count, type, &rq->type);
    if (code != MPI_SUCCESS)
        return code;
    rq->receives = true;
    rq->count = (uint64_t)count;
    host_spend_cost(mr->host, HOST_COST_CALL);
    *a_p = NULL;
    if (*message == MPI_MESSAGE_NO_PROC)
        return MPI_SUCCESS;
    held = mpi_request_of(mr, *message);
    if (held == NULL || held->message == NULL)
        return mpi_fail(mr, MPI_ERR_REQUEST, "message = %d: no message", *message);
    *a_p = held->message;
    rq->peer = held->message->e.source;
    rq->comm = held->comm;
    return MPI_SUCCESS;
}

int MPI_Mrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_request rq = { .in = buf };
    struct mpi_arrived *a;
    int code = open_message(mr, &rq, count, type, message, &a);

    if (code != MPI_SUCCESS)
        return mpi_end_blamed(mr, __func__, code);
    code = start(mr, &rq, a);
    if (code == MPI_SUCCESS)
        code = mpi_wait(mr, &rq, __func__);
    if (code == MPI_SUCCESS)
        code = mpi_finish_own(mr, &rq, status);
    code = mpi_end_blamed(mr, __func__, code);
    if (a != NULL)
        mpi_request_free(mr, *message);
    *message = MPI_MESSAGE_NULL;
    return code;
}

int MPI_Imrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_request rq = { .in = buf };
    struct mpi_arrived *a;
    int code = open_message(mr, &rq, count, type, message, &a);

    if (code == MPI_SUCCESS)
        code = mpi_request_add(mr, &rq, request);
    if (code != MPI_SUCCESS)
        return mpi_end_blamed(mr, __func__, code);
    if (a != NULL)
        mpi_request_free(mr, *message);
    *message = MPI_MESSAGE_NULL;
    return mpi_end_blamed(mr, __func__, start(mr, mpi_request_of(mr, *request), a));
}
