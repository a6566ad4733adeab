/* Contexts of communicators: each process makes up its own ones, and uses them again. */
#include <stdlib.h>

#include "hosts/mpi/comm/comm.h"

/* After those of the world and of oneself: context / MPI_CONTEXTS is then FIRST + n * ranks + rank
 * for the n-th of those that a rank may make up. */
#define FIRST  2u
#define COMMON (1u << 16) /* that one rank may make up, as long as all ranks' fit into 32 bits */

#define WORD 64u

static uint32_t most_contexts(const struct mpi_rank *mr)
{
    uint32_t fits = (UINT32_MAX / MPI_CONTEXTS - FIRST) / mr->host->size;

    return fits < COMMON ? fits : COMMON;
}

/* Looks from the last one on: what has been given back rests as long as possible, for ranks
 * that are late in freeing their part of a communicator. */
uint32_t mpi_context_new(struct mpi_rank *mr)
{
    struct mpi_contexts *own = &mr->contexts;
    uint32_t n = most_contexts(mr);

    if (own->used == NULL)
        own->used = mpi_need(mr, calloc(COMMON / WORD, sizeof(*own->used)));
    for (uint32_t tried = 0; tried < n; tried++) {
        uint32_t i = own->next;

        own->next = i + 1 < n ? i + 1 : 0;
        if ((own->used[i / WORD] >> i % WORD & 1) != 0)
            continue;
        own->used[i / WORD] |= (uint64_t)1 << i % WORD;
        return MPI_CONTEXTS * (FIRST + i * mr->host->size + mr->host->rank);
    }
    return 0;
}

void mpi_context_put(struct mpi_rank *mr, uint32_t context)
{
    uint32_t number = context / MPI_CONTEXTS - FIRST, i = number / mr->host->size;

    if (context % MPI_CONTEXTS != 0 || context < FIRST * MPI_CONTEXTS ||
        number % mr->host->size != mr->host->rank || mr->contexts.used == NULL)
        return;
    mr->contexts.used[i / WORD] &= ~((uint64_t)1 << i % WORD);
}

void mpi_context_put_unused(struct mpi_rank *mr, uint32_t context, MPI_Comm made)
{
    const struct mpi_comm *c = made != MPI_COMM_NULL ? mpi_comm_of(mr, made) : NULL;

    if (c == NULL || c->context != context)
        mpi_context_put(mr, context);
}

int mpi_context_check(struct mpi_rank *mr, uint32_t context)
{
    if (context != 0)
        return MPI_SUCCESS;
    return mpi_error(MPI_ERR_OTHER,
                     "too many communicators: the first rank of the new one has made %u that are "
                     "not freed",
                     most_contexts(mr));
}
