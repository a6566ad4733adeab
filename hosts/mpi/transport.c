#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/internal.h"

/* The kernel copies the message once on its way out and once on its way in. */
static void spend_copy(struct host *h, uint64_t bytes)
{
    h->ops->spend(h, h->ops->cost_ps(h, HOST_COST_SYSCALL) +
                         h->ops->cost_ps(h, HOST_COST_COPY_KB) * bytes / 1024);
}

int mpi_transport_send(struct mpi_rank *mr, int dest, const struct mpi_envelope *env,
                       const struct mpi_type *type, const void *buf, uint64_t count)
{
    struct host *h = mr->host;
    uint8_t *packet;

    spend_copy(h, env->bytes);
    packet = malloc(sizeof(*env) + env->bytes);
    if (packet == NULL)
        return mpi_fail(mr, MPI_ERR_NO_MEM, "out of memory");
    memcpy(packet, env, sizeof(*env));
    if (env->bytes > 0)
        mpi_type_pack(type, buf, count, packet + sizeof(*env));
    h->ops->net_send(h, (unsigned)dest, packet, (uint32_t)sizeof(*env) + env->bytes);
    free(packet);
    return MPI_SUCCESS;
}

int mpi_transport_receive(struct mpi_rank *mr, struct mpi_envelope *env_p, const uint8_t **data_p)
{
    struct host *h = mr->host;
    struct host_message msg;

    h->ops->net_receive(h, &msg);
    if (msg.bytes < sizeof(*env_p))
        return mpi_fail(mr, MPI_ERR_OTHER, "a message that is not of MPI");
    memcpy(env_p, msg.data, sizeof(*env_p));
    *data_p = msg.data + sizeof(*env_p);
    if (env_p->context != MPI_CONTEXT_POLL)
        spend_copy(h, env_p->bytes);
    return MPI_SUCCESS;
}
