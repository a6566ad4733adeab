/* Requests: sends and receives that go on while the program does something else. */
#include <stdlib.h>

#include "hosts/mpi/internal.h"

static int request_add(struct mpi_rank *mr, const struct mpi_request *from, MPI_Request *handle_p)
{
    struct mpi_request *rq = malloc(sizeof(*rq));
    struct mpi_request **more;
    unsigned i = 0;

    while (i < mr->nrequests && mr->requests[i] != NULL)
        i++;
    if (rq != NULL && i == mr->nrequests) {
        more = realloc(mr->requests, (i + 1) * sizeof(struct mpi_request *));
        if (more != NULL) {
            mr->requests = more;
            mr->nrequests++;
        }
    }
    if (rq == NULL || i == mr->nrequests) {
        free(rq);
        return mpi_fail(mr, MPI_ERR_NO_MEM, "out of memory");
    }
    *rq = *from;
    rq->type->holders++;
    rq->comm->holders++;
    mr->requests[i] = rq;
    *handle_p = (MPI_Request)i + 1;
    return MPI_SUCCESS;
}

static void request_remove(struct mpi_rank *mr, unsigned index)
{
    mpi_match_cancel(mr, mr->requests[index]);
    mpi_type_put(mr->requests[index]->type);
    mpi_comm_put(mr->requests[index]->comm);
    free(mr->requests[index]);
    mr->requests[index] = NULL;
}

void mpi_requests_release(struct mpi_rank *mr)
{
    mr->posted = NULL;
    mr->posted_end = &mr->posted;
    for (unsigned i = 0; i < mr->nrequests; i++)
        if (mr->requests[i] != NULL)
            request_remove(mr, i);
    free(mr->requests);
}

static int check_handles(struct mpi_rank *mr, int count, const MPI_Request *handles)
{
    if (mr == NULL)
        return MPI_ERR_OTHER;
    if (count < 0)
        return mpi_fail(mr, MPI_ERR_COUNT, "count = %d: expected 0 or more", count);
    host_spend_cost(mr->host, HOST_COST_CALL);
    for (int i = 0; i < count; i++) {
        if (handles[i] < 0 || (unsigned)handles[i] > mr->nrequests ||
            (handles[i] != MPI_REQUEST_NULL && mr->requests[handles[i] - 1] == NULL))
            return mpi_fail(mr, MPI_ERR_REQUEST, "request %d = %d: no request", i, handles[i]);
    }
    return MPI_SUCCESS;
}

/* NULL: nothing to wait for. */
static struct mpi_request *active(const struct mpi_rank *mr, MPI_Request handle)
{
    struct mpi_request *rq = handle != MPI_REQUEST_NULL ? mr->requests[handle - 1] : NULL;

    return rq != NULL && rq->active ? rq : NULL;
}

/* Of a request that is done or inactive; one that is not persistent goes. */
static int complete(struct mpi_rank *mr, MPI_Request *handle, MPI_Status *status)
{
    struct mpi_request *rq = active(mr, *handle);
    int code;

    if (rq == NULL) {
        if (status != MPI_STATUS_IGNORE)
            *status = mpi_status(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0);
        return MPI_SUCCESS;
    }
    code = mpi_finish(mr, rq, status);
    rq->active = false;
    if (!rq->persistent) {
        request_remove(mr, (unsigned)*handle - 1);
        *handle = MPI_REQUEST_NULL;
    }
    return code;
}

static int complete_all(struct mpi_rank *mr, int count, MPI_Request *handles, MPI_Status *statuses)
{
    int code = MPI_SUCCESS;

    for (int i = 0; i < count; i++) {
        MPI_Status *status = statuses != MPI_STATUSES_IGNORE ? &statuses[i] : MPI_STATUS_IGNORE;

        if (complete(mr, &handles[i], status) != MPI_SUCCESS)
            code = MPI_ERR_IN_STATUS;
    }
    return code;
}

static bool all_done(const struct mpi_rank *mr, int count, const MPI_Request *handles)
{
    for (int i = 0; i < count; i++) {
        const struct mpi_request *rq = active(mr, handles[i]);

        if (rq != NULL && !rq->done)
            return false;
    }
    return true;
}

static int begin(struct mpi_rank *mr, struct mpi_request *rq, MPI_Request *handle)
{
    int code = request_add(mr, rq, handle);

    return code == MPI_SUCCESS ? mpi_start(mr, mr->requests[*handle - 1]) : code;
}

int MPI_Isend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_request rq = { .out = buf };
    int code = mpi_prepare(mr, &rq, false, count, type, dest, tag, comm);

    return mpi_end(mr, __func__, code == MPI_SUCCESS ? begin(mr, &rq, request) : code);
}

int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_request rq = { .in = buf };
    int code = mpi_prepare(mr, &rq, true, count, type, source, tag, comm);

    return mpi_end(mr, __func__, code == MPI_SUCCESS ? begin(mr, &rq, request) : code);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();
    int code = check_handles(mr, 1, request);

    while (code == MPI_SUCCESS && !all_done(mr, 1, request))
        code = mpi_match_progress(mr);
    return mpi_end(mr, __func__, code == MPI_SUCCESS ? complete(mr, request, status) : code);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    struct mpi_rank *mr = mpi_self();
    int code = check_handles(mr, count, requests);

    while (code == MPI_SUCCESS && !all_done(mr, count, requests))
        code = mpi_match_progress(mr);
    if (code == MPI_SUCCESS)
        code = complete_all(mr, count, requests, statuses);
    return mpi_end(mr, __func__, code);
}

/* @return the first that is done, `count` when none is, MPI_UNDEFINED when none is active. */
static int first_done(const struct mpi_rank *mr, int count, const MPI_Request *handles)
{
    int found = MPI_UNDEFINED;

    for (int i = 0; i < count; i++) {
        const struct mpi_request *rq = active(mr, handles[i]);

        if (rq != NULL && rq->done)
            return i;
        if (rq != NULL)
            found = count;
    }
    return found;
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();
    MPI_Request none = MPI_REQUEST_NULL;
    int code = check_handles(mr, count, requests);

    while (code == MPI_SUCCESS && (*index = first_done(mr, count, requests)) == count && count > 0)
        code = mpi_match_progress(mr);
    if (code == MPI_SUCCESS)
        code = complete(mr, *index == MPI_UNDEFINED ? &none : &requests[*index], status);
    return mpi_end(mr, __func__, code);
}

/* Looks for messages only when the answer depends on them. */
static int test(struct mpi_rank *mr, int count, const MPI_Request *handles, int *flag_p)
{
    int code = check_handles(mr, count, handles);

    if (code == MPI_SUCCESS && !all_done(mr, count, handles))
        code = mpi_match_poll(mr);
    *flag_p = code == MPI_SUCCESS && all_done(mr, count, handles);
    return code;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();
    int code = test(mr, 1, request, flag);

    return mpi_end(mr, __func__, *flag ? complete(mr, request, status) : code);
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    struct mpi_rank *mr = mpi_self();
    int code = test(mr, count, requests, flag);

    return mpi_end(mr, __func__, *flag ? complete_all(mr, count, requests, statuses) : code);
}

static int init(struct mpi_rank *mr, struct mpi_request *rq, MPI_Request *handle)
{
    rq->persistent = true;
    return request_add(mr, rq, handle);
}

int MPI_Send_init(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                  MPI_Request *request)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_request rq = { .out = buf };
    int code = mpi_prepare(mr, &rq, false, count, type, dest, tag, comm);

    return mpi_end(mr, __func__, code == MPI_SUCCESS ? init(mr, &rq, request) : code);
}

int MPI_Recv_init(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request *request)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_request rq = { .in = buf };
    int code = mpi_prepare(mr, &rq, true, count, type, source, tag, comm);

    return mpi_end(mr, __func__, code == MPI_SUCCESS ? init(mr, &rq, request) : code);
}

static int start_all(struct mpi_rank *mr, int count, const MPI_Request *handles)
{
    int code = check_handles(mr, count, handles);

    for (int i = 0; code == MPI_SUCCESS && i < count; i++) {
        struct mpi_request *rq =
            handles[i] != MPI_REQUEST_NULL ? mr->requests[handles[i] - 1] : NULL;

        if (rq == NULL || !rq->persistent || rq->active)
            return mpi_fail(mr, MPI_ERR_REQUEST, "request %d = %d: not an inactive persistent one",
                            i, handles[i]);
        code = mpi_start(mr, rq);
    }
    return code;
}

int MPI_Start(MPI_Request *request)
{
    struct mpi_rank *mr = mpi_self();

    return mpi_end(mr, __func__, start_all(mr, 1, request));
}

int MPI_Startall(int count, MPI_Request requests[])
{
    struct mpi_rank *mr = mpi_self();

    return mpi_end(mr, __func__, start_all(mr, count, requests));
}

int MPI_Request_free(MPI_Request *request)
{
    struct mpi_rank *mr = mpi_self();
    int code = check_handles(mr, 1, request);

    if (code == MPI_SUCCESS && (*request == MPI_REQUEST_NULL ||
                                (active(mr, *request) != NULL && !active(mr, *request)->done)))
        code = mpi_fail(mr, MPI_ERR_REQUEST, "request = %d: %s", *request,
                        *request == MPI_REQUEST_NULL ? "no request" : "its receive is pending");
    if (code == MPI_SUCCESS) {
        request_remove(mr, (unsigned)*request - 1);
        *request = MPI_REQUEST_NULL;
    }
    return mpi_end(mr, __func__, code);
}
