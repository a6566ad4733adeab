/* Generalized requests: the program's own operations behind handles of MPI. */
#include <stdlib.h>

#include "hosts/mpi/point/protocol.h"

struct mpi_generalized {
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *release;
    MPI_Grequest_cancel_function *cancel;
    void *extra;
};

int MPI_Grequest_start(MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *free_fn,
                       MPI_Grequest_cancel_function *cancel_fn, void *extra_state,
                       MPI_Request *request)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_request rq = { .active = true, .peer = MPI_ANY_SOURCE };

    host_spend_cost(mr->host, HOST_COST_CALL);
    rq.generalized = mpi_need(mr, malloc(sizeof(*rq.generalized)));
    *rq.generalized = (struct mpi_generalized){ query_fn, free_fn, cancel_fn, extra_state };
    rq.status = mpi_status(MPI_UNDEFINED, MPI_UNDEFINED, MPI_SUCCESS, 0);
    (void)mpi_request_add(mr, &rq, request);
    return MPI_SUCCESS;
}

int MPI_Grequest_complete(MPI_Request request)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_request *rq = mpi_request_of(mr, request);

    if (rq == NULL || rq->generalized == NULL)
        return mpi_error(MPI_ERR_REQUEST, "request = %d: not a generalized one", request);
    mpi_ended(mr, rq);
    return MPI_SUCCESS;
}

int mpi_generalized_query(struct mpi_rank *mr, struct mpi_request *rq)
{
    const struct mpi_generalized *g = rq->generalized;
    int code = MPI_SUCCESS;

    if (g->query != NULL) {
        struct mpi_aside aside = mpi_program_begin(mr);

        code = g->query(g->extra, &rq->status);
        mpi_program_end(mr, aside);
    }
    rq->status.MPI_ERROR = code;
    return code == MPI_SUCCESS ? code : mpi_error(code, "query function of a request");
}

void mpi_generalized_cancel(struct mpi_rank *mr, const struct mpi_request *rq)
{
    const struct mpi_generalized *g = rq->generalized;
    struct mpi_aside aside;

    if (g->cancel == NULL)
        return;
    aside = mpi_program_begin(mr);
    (void)g->cancel(g->extra, rq->done);
    mpi_program_end(mr, aside);
}

void mpi_generalized_free(struct mpi_request *rq, bool calls)
{
    struct mpi_generalized *g = rq->generalized;

    if (calls && g->release != NULL)
        (void)g->release(g->extra);
    free(g);
    rq->generalized = NULL;
}
