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
    rq->list = list;
    TAILQ_INSERT_TAIL(list, rq, in_list);
}

void mpi_list_add_first(struct mpi_list *list, struct mpi_request *rq)
{
    rq->list = list;
    TAILQ_INSERT_HEAD(list, rq, in_list);
}

void mpi_list_remove(struct mpi_request *rq)
{
    if (rq->list != NULL)
        TAILQ_REMOVE(rq->list, rq, in_list);
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
            chunk->requests[i].next_spare = mr->spare_requests;
            mr->spare_requests = &chunk->requests[i];
        }
    }
    rq = mr->spare_requests;
    mr->spare_requests = rq->next_spare;
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
    rq->next_spare = mr->spare_requests;
    mr->spare_requests = rq;
}

struct mpi_request *mpi_request_add(struct mpi_rank *mr, const struct mpi_request *from,
                                    MPI_Request *handle_p)
{
    struct mpi_request *rq = mpi_request_new(mr);

    *rq = *from;
    mpi_check_place(mr, &rq->begun);
    if (rq->type != NULL)
        rq->type->holders++;
    if (rq->comm != NULL)
        rq->comm->holders++;
    *handle_p = mpi_table_add(mr, &mr->requests, rq) + 1;
    return rq;
}

struct mpi_request *mpi_request_of(const struct mpi_rank *mr, MPI_Request handle)
{
    return mpi_table_get(&mr->requests, (unsigned)handle - 1);
}

void mpi_request_free(struct mpi_rank *mr, MPI_Request handle)
{
    struct mpi_request *rq = mpi_request_of(mr, handle);

    mpi_table_remove(&mr->requests, (unsigned)handle - 1);
    if (rq->active && !rq->cancelling && rq->status.hub_cancelled == 0)
        mpi_race_let_go(mr, rq);
    else
        mpi_race_end(mr, rq);
    if (rq->active && !rq->done)
        rq->freed = true;
    else
        mpi_request_drop(mr, rq);
}

void mpi_requests_release(struct mpi_rank *mr)
{
    for (unsigned i = 0; i < mr->requests.n; i++) {
        struct mpi_request *rq = mr->requests.at[i];

        if (rq == NULL)
            continue;
        if (rq->message != NULL && rq->message != rq->message->from->arriving)
            mpi_arrived_free(mr, rq->message);
        if (rq->generalized != NULL)
            mpi_generalized_free(rq, false); /* the program is over */
        mpi_request_drop(mr, rq);
    }
    mpi_table_release(&mr->requests);
    while (mr->chunks != NULL) {
        struct mpi_chunk *chunk = mr->chunks;

        mr->chunks = chunk->next;
        free(chunk);
    }
}
