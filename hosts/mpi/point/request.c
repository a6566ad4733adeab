/* Requests: their memory, handles and lists. */
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/point/protocol.h"

#define CHUNK 16u

/** Requests are never given back before the end. */
struct mpi_chunk {
    struct mpi_chunk *next;
    struct mpi_request requests[CHUNK];
};

void mpi_list_add(struct mpi_list *list, struct mpi_request *rq)
{
    rq->next = NULL;
    rq->at = list->end;
    rq->list = list;
    *list->end = rq;
    list->end = &rq->next;
}

void mpi_list_add_first(struct mpi_list *list, struct mpi_request *rq)
{
    rq->next = list->first;
    rq->at = &list->first;
    rq->list = list;
    if (rq->next != NULL)
        rq->next->at = &rq->next;
    else
        list->end = &rq->next;
    list->first = rq;
}

void mpi_list_remove(struct mpi_request *rq)
{
    if (rq->list == NULL)
        return;
    *rq->at = rq->next;
    if (rq->next != NULL)
        rq->next->at = rq->at;
    else
        rq->list->end = rq->at;
    rq->list = NULL;
}

struct mpi_request *mpi_request_new(struct mpi_rank *mr)
{
    struct mpi_request *rq;

    if (mr->spare_requests == NULL) {
        struct mpi_chunk *chunk = mpi_need(mr, malloc(sizeof(*chunk)));

        chunk->next = mr->chunks;
        mr->chunks = chunk;
        for (unsigned i = 0; i < CHUNK; i++) {
            chunk->requests[i].next = mr->spare_requests;
            mr->spare_requests = &chunk->requests[i];
        }
    }
    rq = mr->spare_requests;
    mr->spare_requests = rq->next;
    memset(rq, 0, sizeof(*rq));
    return rq;
}

void mpi_request_drop(struct mpi_rank *mr, struct mpi_request *rq)
{
    if (rq->type != NULL)
        mpi_type_put(rq->type);
    if (rq->comm != NULL)
        mpi_comm_put(rq->comm);
    if (rq->generalized != NULL)
        mpi_generalized_free(rq, true);
    rq->next = mr->spare_requests;
    mr->spare_requests = rq;
}

static int handles_grow(struct mpi_rank *mr)
{
    unsigned n = mr->nrequests != 0 ? 2 * mr->nrequests : 32;
    struct mpi_request **requests = realloc(mr->requests, n * sizeof(*requests));
    MPI_Request *spare;

    if (requests != NULL)
        mr->requests = requests;
    spare = realloc(mr->free_handles, n * sizeof(*spare));
    if (spare != NULL)
        mr->free_handles = spare;
    if (requests == NULL || spare == NULL)
        return mpi_fail(mr, MPI_ERR_NO_MEM, "out of memory");
    for (unsigned i = n; i-- > mr->nrequests;) {
        requests[i] = NULL;
        spare[mr->nfree++] = (MPI_Request)i + 1;
    }
    mr->nrequests = n;
    return MPI_SUCCESS;
}

int mpi_request_add(struct mpi_rank *mr, const struct mpi_request *from, MPI_Request *handle_p)
{
    struct mpi_request *rq;

    if (mr->nfree == 0 && handles_grow(mr) != MPI_SUCCESS)
        return MPI_ERR_NO_MEM;
    rq = mpi_request_new(mr);
    *rq = *from;
    if (rq->type != NULL)
        rq->type->holders++;
    if (rq->comm != NULL)
        rq->comm->holders++;
    *handle_p = mr->free_handles[--mr->nfree];
    mr->requests[*handle_p - 1] = rq;
    return MPI_SUCCESS;
}

struct mpi_request *mpi_request_of(const struct mpi_rank *mr, MPI_Request handle)
{
    return handle > 0 && (unsigned)handle <= mr->nrequests ? mr->requests[handle - 1] : NULL;
}

void mpi_request_free(struct mpi_rank *mr, MPI_Request handle)
{
    struct mpi_request *rq = mr->requests[handle - 1];

    mr->requests[handle - 1] = NULL;
    mr->free_handles[mr->nfree++] = handle;
    if (rq->active && !rq->done)
        rq->freed = true;
    else
        mpi_request_drop(mr, rq);
}

void mpi_requests_release(struct mpi_rank *mr)
{
    for (unsigned i = 0; i < mr->nrequests; i++) {
        struct mpi_request *rq = mr->requests[i];

        if (rq != NULL && rq->message != NULL && rq->message != rq->message->from->arriving)
            mpi_arrived_free(mr, rq->message);
        if (rq != NULL && rq->generalized != NULL)
            mpi_generalized_free(rq, false); /* the program is over */
        if (rq != NULL)
            mpi_request_drop(mr, rq);
    }
    free(mr->requests);
    free(mr->free_handles);
    while (mr->chunks != NULL) {
        struct mpi_chunk *chunk = mr->chunks;

        mr->chunks = chunk->next;
        free(chunk);
    }
}
