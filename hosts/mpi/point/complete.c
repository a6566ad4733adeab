/* The ends of what requests stand for: waiting, looking, and others. */
#include "hosts/mpi/point/protocol.h"

static int check_handles(struct mpi_rank *mr, int count, const MPI_Request *handles)
{
    if (mr == NULL)
        return MPI_ERR_OTHER;
    mr->blamed = NULL;
    if (count < 0)
        return mpi_fail(mr, MPI_ERR_COUNT, "count = %d: expected 0 or more", count);
    host_spend_cost(mr->host, HOST_COST_CALL);
    for (int i = 0; i < count; i++) {
        if (handles[i] != MPI_REQUEST_NULL && mpi_request_of(mr, handles[i]) == NULL)
            return mpi_fail(mr, MPI_ERR_REQUEST,
                            "request %d = %d: no request, or one that was freed or has ended", i,
                            handles[i]);
    }
    return MPI_SUCCESS;
}

/* NULL: nothing to wait for. */
static struct mpi_request *active(const struct mpi_rank *mr, MPI_Request handle)
{
    struct mpi_request *rq = mpi_request_of(mr, handle);

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
    if (rq->generalized != NULL)
        (void)mpi_generalized_query(mr, rq);
    code = mpi_finish(mr, rq, status);
    rq->active = false;
    if (!rq->persistent) {
        mpi_request_free(mr, *handle);
        *handle = MPI_REQUEST_NULL;
    }
    return code;
}

/* One of several: its status has the error, too. */
static int complete_one_of(struct mpi_rank *mr, MPI_Request *handle, MPI_Status *status)
{
    int code = complete(mr, handle, status);

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

/** Some requests of a call. `seen`: those before are done. */
struct wanted {
    struct mpi_rank *mr;
    int count, seen;
    const MPI_Request *handles;
};

static bool all_done(struct wanted *w)
{
    for (; w->seen < w->count; w->seen++) {
        const struct mpi_request *rq = active(w->mr, w->handles[w->seen]);

        if (rq != NULL && !rq->done)
            return false;
    }
    return true;
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

static bool any_done(struct wanted *w)
{
    return first_done(w->mr, w->count, w->handles) != w->count || w->count == 0;
}

static int wait_for(struct wanted *w, bool (*done)(struct wanted *w), const char *call)
{
    struct mpi_rank *mr = w->mr;
    const struct mpi_waits waits = {
        .mr = mr, .count = w->count, .handles = w->handles, .any = done == any_done
    };
    int code = MPI_SUCCESS;

    mpi_waits_begin(&waits, call);
    if (!done(w))
        code = mpi_advance(mr, NULL);
    while (code == MPI_SUCCESS && !done(w))
        code = mpi_progress(mr);
    if (code == MPI_SUCCESS)
        mpi_hand_over(mr);
    mpi_waits_end(&waits);
    return code;
}

/* Looks for messages only when the answer depends on them. */
static int look(struct wanted *w, bool (*done)(struct wanted *w), int *flag_p)
{
    int code = check_handles(w->mr, w->count, w->handles);

    *flag_p = 0;
    if (code == MPI_SUCCESS && !done(w))
        code = mpi_advance(w->mr, NULL);
    if (code == MPI_SUCCESS && !done(w))
        code = mpi_poll(w->mr);
    *flag_p = code == MPI_SUCCESS && done(w);
    if (*flag_p)
        mpi_hand_over(w->mr);
    return code;
}

static int look_for(struct wanted *w, bool (*done)(struct wanted *w), const char *call, int *flag_p)
{
    const struct mpi_waits waits = {
        .mr = w->mr, .count = w->count, .handles = w->handles, .any = done == any_done
    };
    int code;

    mpi_look_begin(w->mr);
    code = look(w, done, flag_p);
    mpi_look_end(&waits, call, code != MPI_SUCCESS || *flag_p);
    return code;
}

/* ---- waiting ---- */

static int wait_one(struct mpi_rank *mr, const char *call, MPI_Request *request, MPI_Status *status)
{
    int code = check_handles(mr, 1, request);
    struct mpi_request *rq;

    if (code != MPI_SUCCESS)
        return code;
    rq = active(mr, *request);
    if (rq != NULL)
        code = mpi_wait(mr, rq, call);
    return code == MPI_SUCCESS ? complete(mr, request, status) : code;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();

    return mpi_end_blamed(mr, __func__, wait_one(mr, __func__, request, status));
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    struct mpi_rank *mr = mpi_self();
    struct wanted w = { mr, count, 0, requests };
    int code = check_handles(mr, count, requests);

    if (code == MPI_SUCCESS)
        code = wait_for(&w, all_done, __func__);
    if (code == MPI_SUCCESS)
        code = complete_all(mr, count, requests, statuses);
    return mpi_end_blamed(mr, __func__, code);
}

static int complete_any(struct mpi_rank *mr, int count, MPI_Request *requests, int *index,
                        MPI_Status *status)
{
    MPI_Request none = MPI_REQUEST_NULL;

    *index = first_done(mr, count, requests);
    return complete(mr, *index == MPI_UNDEFINED ? &none : &requests[*index], status);
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();
    struct wanted w = { mr, count, 0, requests };
    int code = check_handles(mr, count, requests);

    if (code == MPI_SUCCESS)
        code = wait_for(&w, any_done, __func__);
    if (code == MPI_SUCCESS)
        code = complete_any(mr, count, requests, index, status);
    return mpi_end_blamed(mr, __func__, code);
}

/* All that are done now; their statuses side by side. */
static int complete_some(struct mpi_rank *mr, int count, MPI_Request *requests, int *outcount,
                         int *indices, MPI_Status *statuses)
{
    int n = 0, code = MPI_SUCCESS;
    bool any = false;

    for (int i = 0; i < count; i++) {
        const struct mpi_request *rq = active(mr, requests[i]);
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
    struct mpi_rank *mr = mpi_self();
    struct wanted w = { mr, count, 0, requests };
    int code = check_handles(mr, count, requests);

    if (code == MPI_SUCCESS)
        code = wait_for(&w, any_done, __func__);
    if (code == MPI_SUCCESS)
        code = complete_some(mr, count, requests, outcount, indices, statuses);
    return mpi_end_blamed(mr, __func__, code);
}

/* ---- looking ---- */

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();
    struct wanted w = { mr, 1, 0, request };
    int code = look_for(&w, all_done, __func__, flag);

    return mpi_end_blamed(mr, __func__,
                          code == MPI_SUCCESS && *flag ? complete(mr, request, status) : code);
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    struct mpi_rank *mr = mpi_self();
    struct wanted w = { mr, count, 0, requests };
    int code = look_for(&w, all_done, __func__, flag);

    return mpi_end_blamed(mr, __func__,
                          code == MPI_SUCCESS && *flag ? complete_all(mr, count, requests, statuses)
                                                       : code);
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();
    struct wanted w = { mr, count, 0, requests };
    int code = look_for(&w, any_done, __func__, flag);

    *index = MPI_UNDEFINED;
    if (code == MPI_SUCCESS && *flag)
        code = complete_any(mr, count, requests, index, status);
    return mpi_end_blamed(mr, __func__, code);
}

int MPI_Testsome(int count, MPI_Request requests[], int *outcount, int indices[],
                 MPI_Status statuses[])
{
    struct mpi_rank *mr = mpi_self();
    struct wanted w = { mr, count, 0, requests };
    int flag, code = look_for(&w, any_done, __func__, &flag);

    if (code == MPI_SUCCESS)
        code = complete_some(mr, count, requests, outcount, indices, statuses);
    return mpi_end_blamed(mr, __func__, code);
}

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();
    struct wanted w = { mr, 1, 0, &request };
    struct mpi_request *rq;
    int code = look_for(&w, all_done, __func__, flag);

    if (code != MPI_SUCCESS)
        return mpi_end_blamed(mr, __func__, code);
    rq = active(mr, request);
    if (*flag && rq != NULL && rq->generalized != NULL)
        (void)mpi_generalized_query(mr, rq);
    if (*flag && status != MPI_STATUS_IGNORE)
        *status = rq != NULL ? rq->status : mpi_status(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0);
    return MPI_SUCCESS;
}

/* ---- other ends ---- */

static int check_request(struct mpi_rank *mr, MPI_Request handle)
{
    int code = check_handles(mr, 1, &handle);

    if (code == MPI_SUCCESS && handle == MPI_REQUEST_NULL)
        code = mpi_fail(mr, MPI_ERR_REQUEST, "request = MPI_REQUEST_NULL");
    return code;
}

int MPI_Request_free(MPI_Request *request)
{
    struct mpi_rank *mr = mpi_self();
    int code = mr != NULL ? check_request(mr, *request) : MPI_ERR_OTHER;

    if (code == MPI_SUCCESS) {
        mpi_request_free(mr, *request);
        *request = MPI_REQUEST_NULL;
    }
    return mpi_end_blamed(mr, __func__, code);
}

int MPI_Cancel(MPI_Request *request)
{
    struct mpi_rank *mr = mpi_self();
    int code = mr != NULL ? check_request(mr, *request) : MPI_ERR_OTHER;

    if (code == MPI_SUCCESS)
        mpi_cancel(mr, mpi_request_of(mr, *request));
    return mpi_end_blamed(mr, __func__, code);
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
