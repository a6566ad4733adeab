/* Messages that have come, before they are received. */
#include "hosts/mpi/point/protocol.h"

/* The message that a receive would match, NULL: none has come. `waits`: until one has. */
static struct mpi_arrived *find_message(struct mpi_rank *mr, struct mpi_request *rq, bool waits,
                                        const char *call)
{
    const struct mpi_waits w = { .mr = mr, .request = rq };
    struct mpi_arrived *a;

    rq->far = mpi_source_of(mr, rq);
    a = mpi_match_arrived(mr, rq);
    if (a != NULL)
        return a;
    if (waits)
        mpi_waits_begin(&w, call);
    mpi_advance(mr, NULL);
    if (!waits && mpi_match_arrived(mr, rq) == NULL)
        mpi_poll(mr);
    while ((a = mpi_match_arrived(mr, rq)) == NULL && waits)
        mpi_progress(mr);
    if (waits)
        mpi_waits_end(&w);
    return a;
}

/* A matched probe takes the message out: its handle is that of a request which holds the message.
 * NULL: from MPI_PROC_NULL. */
static void take_out(struct mpi_rank *mr, struct mpi_comm *comm, struct mpi_arrived *a,
                     MPI_Message *message)
{
    const struct mpi_request rq = { .receives = true, .comm = comm, .message = a };

    *message = MPI_MESSAGE_NO_PROC;
    if (a == NULL)
        return;
    (void)mpi_request_add(mr, &rq, message);
    mpi_arrived_unlist(mr, a);
}

/* `flag_p`: NULL waits; `message`: NULL leaves it where it is. */
static int probe(const char *call, int source, int tag, MPI_Comm comm, int *flag_p,
                 MPI_Message *message, MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_request rq = { .receives = true, .active = true };
    const struct mpi_waits w = { .mr = mr, .request = &rq };
    struct mpi_arrived *a = NULL;
    int code = mpi_prepare(mr, &rq, 0, MPI_BYTE, source, tag, comm);
    bool looks = flag_p != NULL && source != MPI_PROC_NULL, found;

    if (code != MPI_SUCCESS)
        return code;
    if (looks)
        mpi_look_begin(mr);
    host_spend_cost(mr->host, HOST_COST_CALL);
    if (source != MPI_PROC_NULL)
        a = find_message(mr, &rq, !looks, call);
    found = a != NULL || source == MPI_PROC_NULL;
    if (looks)
        mpi_look_end(&w, call, found);
    if (flag_p != NULL)
        *flag_p = found;
    if (!found)
        return MPI_SUCCESS;
    rq.status = a != NULL ? mpi_status(a->e.source, a->e.tag, MPI_SUCCESS, a->e.bytes)
                          : mpi_status(MPI_PROC_NULL, MPI_ANY_TAG, MPI_SUCCESS, 0);
    mpi_status_give(status, &rq.status);
    if (message != NULL)
        take_out(mr, rq.comm, a, message);
    return MPI_SUCCESS;
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    return probe(__func__, source, tag, comm, NULL, NULL, status);
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    return probe(__func__, source, tag, comm, flag, NULL, status);
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    return probe(__func__, source, tag, comm, NULL, message, status);
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                MPI_Status *status)
{
    return probe(__func__, source, tag, comm, flag, message, status);
}

/* ---- receives of messages that a matched probe has taken out ---- */

static void start_with(struct mpi_rank *mr, struct mpi_request *rq, struct mpi_arrived *a)
{
    rq->active = true;
    rq->status = mpi_status(MPI_PROC_NULL, MPI_ANY_TAG, MPI_SUCCESS, 0);
    if (a == NULL) {
        rq->peer = MPI_PROC_NULL;
        mpi_ended(mr, rq);
    } else {
        rq->room = (uint32_t)(rq->count * rq->type->bytes);
        mpi_receive_arrived(mr, rq, a);
    }
}

/* Fills in the request for a message, and finds that: NULL from MPI_PROC_NULL. */
static int open_message(struct mpi_rank *mr, struct mpi_request *rq, int count, MPI_Datatype type,
                        MPI_Message message, struct mpi_arrived **a_p)
{
    const struct mpi_request *held;
    int code = mpi_check_data(mr, rq->in, count, type, &rq->type);

    if (code != MPI_SUCCESS)
        return code;
    rq->count = (uint64_t)count;
    host_spend_cost(mr->host, HOST_COST_CALL);
    *a_p = NULL;
    if (message == MPI_MESSAGE_NO_PROC)
        return MPI_SUCCESS;
    held = mpi_request_of(mr, message);
    if (held == NULL || held->message == NULL)
        return mpi_error(MPI_ERR_REQUEST, "message = %d: no message", message);
    *a_p = held->message;
    rq->peer = held->message->e.source;
    rq->comm = held->comm;
    rq->tag = held->message->e.tag;
    rq->context = rq->comm->context;
    rq->of_program = true;
    return MPI_SUCCESS;
}

/* `request`: NULL waits. */
static int receive_message(const char *call, void *buf, int count, MPI_Datatype type,
                           MPI_Message *message, MPI_Status *status, MPI_Request *request)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_request rq = { .in = buf, .receives = true }, *own = &rq;
    struct mpi_arrived *a;
    int code = open_message(mr, &rq, count, type, *message, &a);

    if (code != MPI_SUCCESS)
        return code;
    if (request != NULL)
        own = mpi_request_add(mr, &rq, request);
    mpi_race_begin(mr, own, request != NULL);
    start_with(mr, own, a);
    if (request == NULL) {
        mpi_wait(mr, &rq, call);
        code = mpi_end_comm(rq.comm, call, mpi_finish(mr, &rq, status)); /* while it is held */
    }
    if (a != NULL)
        mpi_request_free(mr, *message);
    *message = MPI_MESSAGE_NULL;
    return code;
}

int MPI_Mrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
    return receive_message(__func__, buf, count, type, message, status, NULL);
}

int MPI_Imrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request)
{
    return receive_message(__func__, buf, count, type, message, MPI_STATUS_IGNORE, request);
}
