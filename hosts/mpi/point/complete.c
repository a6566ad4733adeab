/* The ends of what requests stand for: waiting, looking, and others. */
#include "hosts/mpi/point/protocol.h"

int mpi_handles_begin(struct mpi_rank *mr, int count)
{
    if (count < 0)
        return mpi_error(MPI_ERR_COUNT, "count = %d: expected 0 or more", count);
    host_spend_cost(mr->host, HOST_COST_CALL);
    return MPI_SUCCESS;
}

static int check_handles(struct mpi_rank *mr, int count, const MPI_Request *handles)
{
    int code = mpi_handles_begin(mr, count);

    for (int i = 0; code == MPI_SUCCESS && i < count; i++) {
        if (handles[i] != MPI_REQUEST_NULL && mpi_request_of(mr, handles[i]) == NULL)
            return mpi_error(MPI_ERR_REQUEST,
                             "request %d = %d: no request, or one that was freed or has ended", i,
                             handles[i]);
    }
    return code;
}

/* NULL: nothing to wait for. */
static struct mpi_request *active_request(const struct mpi_rank *mr, MPI_Request handle)
{
    struct mpi_request *rq = mpi_request_of(mr, handle);

    return rq != NULL && rq->active ? rq : NULL;
}

/* Ends a request that is done or inactive; one that is not persistent goes. */
static int complete_request(struct mpi_rank *mr, MPI_Request *handle, MPI_Status *status)
{
    struct mpi_request *rq = active_request(mr, *handle);
    int code;

    if (rq == NULL) {
        if (status != MPI_STATUS_IGNORE)
            *status = mpi_status(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0);
        return MPI_SUCCESS;
    }
    if (rq->generalized != NULL)
        (void)mpi_generalized_query(mr, rq);
    code = mpi_finish(mr, rq, status);
    rq->active = false;
    mpi_race_end(mr, rq);
    if (!rq->persistent) {
        mpi_request_free(mr, *handle);
        *handle = MPI_REQUEST_NULL;
    }
    return code;
}

/* One of several: its status has the error, too. */
static int complete_one_of(struct mpi_rank *mr, MPI_Request *handle, MPI_Status *status)
{
    int code = complete_request(mr, handle, status);

    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = code;
    return code == MPI_SUCCESS ? code : MPI_ERR_IN_STATUS;
}

static int complete_all(struct mpi_rank *mr, int count, MPI_Request *handles, MPI_Status *statuses)
{
    int code = MPI_SUCCESS;

    for (int i = 0; i < count; i++) {
        MPI_Status *status = statuses != MPI_STATUSES_IGNORE ? &statuses[i] : MPI_STATUS_IGNORE;

        if (complete_one_of(mr, &handles[i], status) != MPI_SUCCESS)
            code = MPI_ERR_IN_STATUS;
    }
    return code;
}

/* ---- what to wait for -------------------------------------------------------------------- */

/* @return the first that is done, `count` when none is, MPI_UNDEFINED when none is active. */
static int first_done(const struct mpi_rank *mr, int count, const MPI_Request *handles)
{
    int found = MPI_UNDEFINED;

    for (int i = 0; i < count; i++) {
        const struct mpi_request *rq = active_request(mr, handles[i]);

        if (rq != NULL && rq->done)
            return i;
        if (rq != NULL)
            found = count;
    }
    return found;
}

static struct mpi_waits waits_for(int count, const MPI_Request *handles, bool any)
{
    return (struct mpi_waits){ .mr = mpi_self(), .count = count, .handles = handles, .any = any };
}

/* Are those done that a call is for? *seen_p: all before are. */
static bool are_done(const struct mpi_waits *w, int *seen_p)
{
    if (w->any)
        return first_done(w->mr, w->count, w->handles) != w->count;
    for (; *seen_p < w->count; ++*seen_p) {
        const struct mpi_request *rq = active_request(w->mr, w->handles[*seen_p]);

        if (rq != NULL && !rq->done)
            return false;
    }
    return true;
}

static int wait_for(const struct mpi_waits *w, const char *call)
{
    int code = check_handles(w->mr, w->count, w->handles), seen = 0;

    if (code != MPI_SUCCESS)
        return code;
    mpi_waits_begin(w, call);
    if (!are_done(w, &seen))
        mpi_advance(w->mr, NULL);
    while (!are_done(w, &seen))
        mpi_progress(w->mr);
    mpi_hand_over(w->mr);
    mpi_waits_end(w);
    return code;
}

/* Looks for messages only when the answer depends on them. */
static bool look_once(const struct mpi_waits *w)
{
    int seen = 0;

    if (!are_done(w, &seen))
        mpi_advance(w->mr, NULL);
    if (!are_done(w, &seen))
        mpi_poll(w->mr);
    if (!are_done(w, &seen))
        return false;
    mpi_hand_over(w->mr);
    return true;
}

static int look_for(const struct mpi_waits *w, const char *call, int *flag_p)
{
    int code;

    mpi_look_begin(w->mr);
    code = check_handles(w->mr, w->count, w->handles);
    *flag_p = code == MPI_SUCCESS && look_once(w);
    mpi_look_end(w, call, code != MPI_SUCCESS || *flag_p);
    return code;
}

/* ---- waiting ---- */

static int wait_one(const char *call, MPI_Request *request, MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();
    int code = check_handles(mr, 1, request);
    struct mpi_request *rq;

    if (code != MPI_SUCCESS)
        return code;
    rq = active_request(mr, *request);
    if (rq != NULL)
        mpi_wait(mr, rq, call);
    return complete_request(mr, request, status);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    return wait_one(__func__, request, status);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    const struct mpi_waits w = waits_for(count, requests, false);
    int code = wait_for(&w, __func__);

    if (code == MPI_SUCCESS)
        code = complete_all(w.mr, count, requests, statuses);
    return code;
}

static int complete_any(struct mpi_rank *mr, int count, MPI_Request *requests, int *index,
                        MPI_Status *status)
{
    MPI_Request none = MPI_REQUEST_NULL;

    *index = first_done(mr, count, requests);
    return complete_request(mr, *index == MPI_UNDEFINED ? &none : &requests[*index], status);
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    const struct mpi_waits w = waits_for(count, requests, true);
    int code = wait_for(&w, __func__);

    if (code == MPI_SUCCESS)
        code = complete_any(w.mr, count, requests, index, status);
    return code;
}

/* All that are done now; their statuses side by side. */
static int complete_some(struct mpi_rank *mr, int count, MPI_Request *requests, int *outcount,
                         int *indices, MPI_Status *statuses)
{
    int n = 0, code = MPI_SUCCESS;
    bool any = false;

    for (int i = 0; i < count; i++) {
        const struct mpi_request *rq = active_request(mr, requests[i]);
        MPI_Status *status = statuses != MPI_STATUSES_IGNORE ? &statuses[n] : MPI_STATUS_IGNORE;

        any = any || rq != NULL;
        if (rq == NULL || !rq->done)
            continue;
        indices[n++] = i;
        if (complete_one_of(mr, &requests[i], status) != MPI_SUCCESS)
            code = MPI_ERR_IN_STATUS;
    }
    *outcount = any ? n : MPI_UNDEFINED;
    return code;
}

int MPI_Waitsome(int count, MPI_Request requests[], int *outcount, int indices[],
                 MPI_Status statuses[])
{
    const struct mpi_waits w = waits_for(count, requests, true);
    int code = wait_for(&w, __func__);

    if (code == MPI_SUCCESS)
        code = complete_some(w.mr, count, requests, outcount, indices, statuses);
    return code;
}

/* ---- looking ---- */

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    const struct mpi_waits w = waits_for(1, request, false);
    int code = look_for(&w, __func__, flag);

    if (*flag)
        code = complete_request(w.mr, request, status);
    return code;
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    const struct mpi_waits w = waits_for(count, requests, false);
    int code = look_for(&w, __func__, flag);

    if (*flag)
        code = complete_all(w.mr, count, requests, statuses);
    return code;
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    const struct mpi_waits w = waits_for(count, requests, true);
    int code = look_for(&w, __func__, flag);

    *index = MPI_UNDEFINED;
    if (*flag)
        code = complete_any(w.mr, count, requests, index, status);
    return code;
}

int MPI_Testsome(int count, MPI_Request requests[], int *outcount, int indices[],
                 MPI_Status statuses[])
{
    const struct mpi_waits w = waits_for(count, requests, true);
    int flag, code = look_for(&w, __func__, &flag);

    if (code == MPI_SUCCESS)
        code = complete_some(w.mr, count, requests, outcount, indices, statuses);
    return code;
}

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    const struct mpi_waits w = waits_for(1, &request, false);
    int code = look_for(&w, __func__, flag);
    struct mpi_request *rq;

    if (!*flag)
        return code;
    rq = active_request(w.mr, request);
    if (rq != NULL && rq->generalized != NULL)
        (void)mpi_generalized_query(w.mr, rq);
    if (rq != NULL) /* the operation has ended: only its request stays */
        mpi_race_end(w.mr, rq);
    if (status != MPI_STATUS_IGNORE)
        *status = rq != NULL ? rq->status : mpi_status(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0);
    return MPI_SUCCESS;
}

/* ---- other ends ---- */

static int check_request(struct mpi_rank *mr, MPI_Request handle)
{
    int code = check_handles(mr, 1, &handle);

    if (code == MPI_SUCCESS && handle == MPI_REQUEST_NULL)
        code = mpi_error(MPI_ERR_REQUEST, "request = MPI_REQUEST_NULL");
    return code;
}

int MPI_Request_free(MPI_Request *request)
{
    struct mpi_rank *mr = mpi_self();
    int code = check_request(mr, *request);

    if (code == MPI_SUCCESS) {
        mpi_request_free(mr, *request);
        *request = MPI_REQUEST_NULL;
    }
    return code;
}

int MPI_Cancel(MPI_Request *request)
{
    struct mpi_rank *mr = mpi_self();
    int code = check_request(mr, *request);

    if (code == MPI_SUCCESS)
        mpi_cancel(mr, mpi_request_of(mr, *request));
    return code;
}

int MPI_Test_cancelled(const MPI_Status *status, int *flag)
{
    *flag = status->hub_cancelled != 0;
    return MPI_SUCCESS;
}

int MPI_Status_set_cancelled(MPI_Status *status, int flag)
{
    status->hub_cancelled = flag != 0;
    return MPI_SUCCESS;
}
