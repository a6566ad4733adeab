/* Messages over a transport. */
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/internal.h"

int mpi_protocol_send(struct mpi_rank *mr, int dest, const struct mpi_envelope *env,
                      const struct mpi_type *type, const void *buf, uint64_t count)
{
    struct mpi_transport *t = mr->transport;
    uint8_t *packed = malloc(env->bytes + 1u);

    if (packed == NULL)
        return mpi_fail(mr, MPI_ERR_NO_MEM, "out of memory");
    if (env->bytes > 0)
        mpi_type_pack(type, buf, count, packed);
    while (
        !t->ops->append(t, (unsigned)dest, MPI_FIFO_MESSAGE, env, sizeof(*env), packed, env->bytes))
        t->ops->wait(t);
    free(packed);
    return MPI_SUCCESS;
}

bool mpi_protocol_take(struct mpi_rank *mr, struct mpi_envelope *env_p, const uint8_t **data_p,
                       unsigned *source_p)
{
    struct mpi_transport *t = mr->transport;
    unsigned source = t->ops->next(t, MPI_FIFO_MESSAGE, 0);
    struct mpi_taken taken;

    if (source == mr->host->size || !t->ops->take(t, MPI_FIFO_MESSAGE, source, &taken))
        return false;
    memcpy(env_p, taken.bytes, sizeof(*env_p));
    *data_p = taken.bytes + sizeof(*env_p);
    *source_p = source;
    return true;
}

void mpi_protocol_release(struct mpi_rank *mr, unsigned source)
{
    mr->transport->ops->release(mr->transport, MPI_FIFO_MESSAGE, source);
}
