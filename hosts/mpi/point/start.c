/* How sends and receives begin, also those that begin again, and how they end. */
#include "hosts/mpi/point/protocol.h"

static int check_peer(const struct mpi_comm *comm, int rank, int tag, bool receives)
{
    if ((rank < 0 || rank >= comm->npeers) && rank != MPI_PROC_NULL &&
        !(receives && rank == MPI_ANY_SOURCE))
        return mpi_error(MPI_ERR_RANK, "%s = %d: expected 0 .. %d", receives ? "source" : "dest",
                         rank, comm->npeers - 1);
    if (tag < 0 && !(receives && tag == MPI_ANY_TAG))
        return mpi_error(MPI_ERR_TAG, "tag = %d: expected 0 or more", tag);
    return MPI_SUCCESS;
}

int mpi_prepare(struct mpi_rank *mr, struct mpi_request *rq, int count, MPI_Datatype type, int peer,
                int tag, MPI_Comm comm)
{
    int code;

    rq->comm = mpi_comm_of(mr, comm);
    if (rq->comm == NULL)
        return MPI_ERR_COMM;
    mpi_blame(rq->comm);
    code = check_peer(rq->comm, peer, tag, rq->receives);
    if (code == MPI_SUCCESS)
        code = mpi_check_data(mr, rq->out, count, type, &rq->type);
    if (code != MPI_SUCCESS)
        return code;
    rq->count = (uint64_t)count;
    rq->peer = peer;
    rq->tag = tag;
    rq->context = rq->comm->context;
    rq->of_program = true;
    return MPI_SUCCESS;
}

/* Clears what is left of the last time: a persistent request begins anew. */
static void begin_anew(struct mpi_request *rq)
{
    rq->active = true;
    rq->done = rq->matched = rq->asked = rq->got = rq->was_done = rq->cancelling = false;
    rq->far_exposed = false;
    rq->phase = MPI_SEND_NEW;
    rq->filled = rq->arrived_bytes = 0;
    rq->number = 0;
    rq->far = NULL;
    rq->sent = NULL;
}

int mpi_start(struct mpi_rank *mr, struct mpi_request *rq)
{
    begin_anew(rq);
    rq->status = mpi_status(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0);
    if (rq->peer == MPI_PROC_NULL) {
        rq->status.MPI_SOURCE = MPI_PROC_NULL;
        mpi_ended(mr, rq);
        return MPI_SUCCESS;
    }
    if (rq->receives) {
        mpi_receive_start(mr, rq);
        return MPI_SUCCESS;
    }
    if (rq->mode == MPI_MODE_BUFFERED)
        return mpi_buffered_start(mr, rq);
    mpi_send_start(mr, rq);
    return MPI_SUCCESS;
}

int mpi_finish_own(struct mpi_rank *mr, const struct mpi_request *rq, MPI_Status *status)
{
    int code = mpi_finish(mr, rq, status);

    mpi_blame(rq->comm); /* the call's, which its handle holds */
    return code;
}

int mpi_finish(struct mpi_rank *mr, const struct mpi_request *rq, MPI_Status *status)
{
    mpi_status_give(status, &rq->status);
    if (rq->status.MPI_ERROR == MPI_SUCCESS)
        return MPI_SUCCESS;
    mr->blamed.handler = NULL;
    if (rq->comm != NULL)
        mpi_blame(rq->comm);
    if (rq->status.MPI_ERROR != MPI_ERR_TRUNCATE)
        return mpi_error(rq->status.MPI_ERROR, "the operation failed");
    if (rq->collective != NULL)
        return mpi_error(MPI_ERR_TRUNCATE, "truncated: a rank gave more than there was room for");
    if (rq->comm != NULL && rq->context != rq->comm->context) /* a collective has no tag */
        return mpi_error(MPI_ERR_TRUNCATE, "truncated: %u bytes from rank %d, room for %u",
                         rq->arrived_bytes, rq->status.MPI_SOURCE,
                         (unsigned)mpi_status_bytes(&rq->status));
    return mpi_error(MPI_ERR_TRUNCATE,
                     "truncated: a message of %u bytes from rank %d with tag %d, room for %u",
                     rq->arrived_bytes, rq->status.MPI_SOURCE, rq->status.MPI_TAG,
                     (unsigned)mpi_status_bytes(&rq->status));
}

static int start_all(struct mpi_rank *mr, int count, const MPI_Request *handles)
{
    int code = mpi_handles_begin(mr, count);

    for (int i = 0; code == MPI_SUCCESS && i < count; i++) {
        struct mpi_request *rq = mpi_request_of(mr, handles[i]);

        if (rq == NULL || !rq->persistent || rq->active)
            return mpi_error(MPI_ERR_REQUEST, "request %d = %d: not an inactive persistent one", i,
                             handles[i]);
        mpi_race_begin(mr, rq, rq->mode != MPI_MODE_BUFFERED);
        mpi_check_place(mr, &rq->begun);
        code = mpi_start(mr, rq);
    }
    return code;
}

int MPI_Start(MPI_Request *request)
{
    return start_all(mpi_self(), 1, request);
}

int MPI_Startall(int count, MPI_Request requests[])
{
    return start_all(mpi_self(), count, requests);
}
