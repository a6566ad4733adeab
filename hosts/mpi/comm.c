#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/internal.h"

/* Takes the group of the world's ranks `world`. */
static int comm_add(struct mpi_rank *mr, int size, int rank, uint32_t context, const int *world,
                    MPI_Comm *comm_p)
{
    struct mpi_comm *c = malloc(sizeof(*c) + (size_t)size * sizeof(int));
    struct mpi_comm **more;
    unsigned i = 0;

    while (i < mr->ncomms && mr->comms[i] != NULL)
        i++;
    if (c != NULL && i == mr->ncomms) {
        more = realloc(mr->comms, (i + 1) * sizeof(struct mpi_comm *));
        if (more != NULL) {
            mr->comms = more;
            mr->ncomms++;
        }
    }
    if (c == NULL || i == mr->ncomms) {
        free(c);
        return mpi_fail(mr, MPI_ERR_NO_MEM, "out of memory");
    }
    *c = (struct mpi_comm){ .rank = rank, .size = size, .context = context };
    memcpy(c->world, world, (size_t)size * sizeof(int));
    mr->comms[i] = c;
    *comm_p = (MPI_Comm)i + 1;
    return MPI_SUCCESS;
}

int mpi_comms_init(struct mpi_rank *mr)
{
    int size = (int)mr->host->size, me = (int)mr->host->rank;
    int *world = malloc((size_t)size * sizeof(int));
    MPI_Comm comm;
    int code;

    if (world == NULL)
        return mpi_fail(mr, MPI_ERR_NO_MEM, "out of memory");
    for (int i = 0; i < size; i++)
        world[i] = i;
    code = comm_add(mr, size, me, 0, world, &comm);
    if (code == MPI_SUCCESS)
        code = comm_add(mr, 1, 0, 2, &me, &comm);
    mr->next_context = 4;
    free(world);
    return code;
}

void mpi_comms_release(struct mpi_rank *mr)
{
    for (unsigned i = 0; i < mr->ncomms; i++)
        free(mr->comms[i]);
    free(mr->comms);
}

struct mpi_comm *mpi_comm_of(struct mpi_rank *mr, MPI_Comm comm)
{
    if (comm > 0 && (unsigned)comm <= mr->ncomms && mr->comms[comm - 1] != NULL)
        return mr->comms[comm - 1];
    mpi_note(mr, "comm = %d: no communicator", comm);
    return NULL;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    struct mpi_rank *mr = mpi_self();
    const struct mpi_comm *c = mr != NULL ? mpi_comm_of(mr, comm) : NULL;

    if (c == NULL)
        return mpi_end(mr, __func__, mr == NULL ? MPI_ERR_OTHER : MPI_ERR_COMM);
    *rank = c->rank;
    return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    struct mpi_rank *mr = mpi_self();
    const struct mpi_comm *c = mr != NULL ? mpi_comm_of(mr, comm) : NULL;

    if (c == NULL)
        return mpi_end(mr, __func__, mr == NULL ? MPI_ERR_OTHER : MPI_ERR_COMM);
    *size = c->size;
    return MPI_SUCCESS;
}
