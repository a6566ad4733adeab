#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/internal.h"

static bool matches(const struct mpi_wanted *want, const struct mpi_envelope *env)
{
    return want->context == env->context &&
           (want->source == MPI_ANY_SOURCE || want->source == env->source) &&
           (want->tag == MPI_ANY_TAG || want->tag == env->tag);
}

static int deliver(const struct mpi_wanted *want, const struct mpi_envelope *env,
                   const uint8_t *data, MPI_Status *status)
{
    uint64_t take = env->bytes < want->room ? env->bytes : want->room;
    int code = env->bytes > want->room ? MPI_ERR_TRUNCATE : MPI_SUCCESS;

    if (take > 0)
        memcpy(want->buf, data, take);
    if (status != MPI_STATUS_IGNORE)
        *status = (MPI_Status){ env->source, env->tag, code, (unsigned)take };
    return code;
}

static int keep(struct mpi_rank *mr, const struct mpi_envelope *env, const uint8_t *data)
{
    struct mpi_arrived *a = malloc(sizeof(*a) + env->bytes);

    if (a == NULL)
        return MPI_ERR_NO_MEM;
    a->next = NULL;
    a->env = *env;
    memcpy(a->data, data, env->bytes);
    *mr->end = a;
    mr->end = &a->next;
    return MPI_SUCCESS;
}

int mpi_match_receive(struct mpi_rank *mr, const struct mpi_wanted *want, MPI_Status *status)
{
    for (struct mpi_arrived **at = &mr->first; *at != NULL; at = &(*at)->next) {
        struct mpi_arrived *a = *at;
        int code;

        if (!matches(want, &a->env))
            continue;
        *at = a->next;
        if (a->next == NULL)
            mr->end = at;
        code = deliver(want, &a->env, a->data, status);
        free(a);
        return code;
    }
    for (;;) {
        struct mpi_envelope env;
        const uint8_t *data = NULL;
        int code = mpi_transport_receive(mr, &env, &data);

        if (code != MPI_SUCCESS)
            return code;
        if (matches(want, &env))
            return deliver(want, &env, data, status);
        code = keep(mr, &env, data);
        if (code != MPI_SUCCESS)
            return code;
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
