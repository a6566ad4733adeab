#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/internal.h"

static bool matches(const struct mpi_request *rq, const struct mpi_envelope *env)
{
    return rq->context == env->context && (rq->peer == MPI_ANY_SOURCE || rq->peer == env->source) &&
           (rq->tag == MPI_ANY_TAG || rq->tag == env->tag);
}

static void deliver(struct mpi_request *rq, const struct mpi_envelope *env, const uint8_t *data)
{
    uint64_t room = rq->count * rq->type->bytes;
    uint64_t take = env->bytes < room ? env->bytes : room;
    int code = env->bytes > room ? MPI_ERR_TRUNCATE : MPI_SUCCESS;

    mpi_type_unpack(rq->type, rq->in, data, take);
    rq->status = mpi_status(env->source, env->tag, code, take);
    rq->arrived_bytes = env->bytes;
    rq->done = true;
}

static int keep(struct mpi_rank *mr, const struct mpi_envelope *env, const uint8_t *data)
{
    struct mpi_arrived *a = malloc(sizeof(*a) + env->bytes);

    if (a == NULL)
        return mpi_fail(mr, MPI_ERR_NO_MEM, "out of memory");
    a->next = NULL;
    a->env = *env;
    memcpy(a->data, data, env->bytes);
    *mr->end = a;
    mr->end = &a->next;
    return MPI_SUCCESS;
}

int mpi_match_post(struct mpi_rank *mr, struct mpi_request *rq)
{
    rq->next = NULL;
    for (struct mpi_arrived **at = &mr->first; *at != NULL; at = &(*at)->next) {
        struct mpi_arrived *a = *at;

        if (!matches(rq, &a->env))
            continue;
        *at = a->next;
        if (a->next == NULL)
            mr->end = at;
        deliver(rq, &a->env, a->data);
        free(a);
        return MPI_SUCCESS;
    }
    *mr->posted_end = rq;
    mr->posted_end = &rq->next;
    return MPI_SUCCESS;
}

static void unlink_posted(struct mpi_rank *mr, struct mpi_request **at)
{
    struct mpi_request *rq = *at;

    *at = rq->next;
    if (rq->next == NULL)
        mr->posted_end = at;
}

/* First posted, first served. */
static int take(struct mpi_rank *mr, const struct mpi_envelope *env, const uint8_t *data)
{
    for (struct mpi_request **at = &mr->posted; *at != NULL; at = &(*at)->next) {
        struct mpi_request *rq = *at;

        if (!matches(rq, env))
            continue;
        unlink_posted(mr, at);
        deliver(rq, env, data);
        return MPI_SUCCESS;
    }
    return keep(mr, env, data);
}

/* All that has come. */
static int drain(struct mpi_rank *mr)
{
    struct mpi_envelope env;
    const uint8_t *data = NULL;
    unsigned source;
    int code = MPI_SUCCESS;

    while (code == MPI_SUCCESS && mpi_protocol_take(mr, &env, &data, &source)) {
        code = take(mr, &env, data);
        mpi_protocol_release(mr, source);
    }
    return code;
}

int mpi_match_progress(struct mpi_rank *mr)
{
    mr->transport->ops->wait(mr->transport);
    return drain(mr);
}

int mpi_match_poll(struct mpi_rank *mr)
{
    int code = MPI_SUCCESS;

    while (code == MPI_SUCCESS && mr->transport->ops->poll(mr->transport))
        code = drain(mr);
    return code;
}

int mpi_match_wait(struct mpi_rank *mr, const struct mpi_request *rq)
{
    int code = MPI_SUCCESS;

    while (code == MPI_SUCCESS && !rq->done)
        code = mpi_match_progress(mr);
    return code;
}

const struct mpi_arrived *mpi_match_find(const struct mpi_rank *mr, const struct mpi_request *rq)
{
    for (const struct mpi_arrived *a = mr->first; a != NULL; a = a->next)
        if (matches(rq, &a->env))
            return a;
    return NULL;
}

void mpi_match_cancel(struct mpi_rank *mr, const struct mpi_request *rq)
{
    for (struct mpi_request **at = &mr->posted; *at != NULL; at = &(*at)->next) {
        if (*at == rq) {
            unlink_posted(mr, at);
            return;
        }
    }
}

void mpi_match_release(struct mpi_rank *mr)
{
    while (mr->first != NULL) {
        struct mpi_arrived *a = mr->first;

        mr->first = a->next;
        free(a);
    }
    mr->end = &mr->first;
}
