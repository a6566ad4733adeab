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
    *c = (struct mpi_comm){ .holders = 1, .rank = rank, .size = size, .context = context };
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

void mpi_comm_put(struct mpi_comm *comm)
{
    if (--comm->holders == 0)
        free(comm);
}

void mpi_comms_release(struct mpi_rank *mr)
{
    for (unsigned i = 0; i < mr->ncomms; i++)
        if (mr->comms[i] != NULL)
            mpi_comm_put(mr->comms[i]);
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

/* Contexts are agreed on by all ranks of the old communicator: the highest that any has used.
 * Groups without a common rank may then share one. */
static int agree(const struct mpi_group *g, const int *own, int *all)
{
    int code;

    memcpy(all + 3 * (size_t)g->rank, own, 3 * sizeof(int));
    code = mpi_group_allgather(g, all, 3 * sizeof(int));
    for (int r = 0; code == MPI_SUCCESS && r < g->size; r++)
        if ((uint32_t)all[3 * r + 2] > g->mr->next_context)
            g->mr->next_context = (uint32_t)all[3 * r + 2];
    return code;
}

/* Sorts the ranks of one colour by key, equal keys by their old rank. @return how many. */
static int members(const struct mpi_group *g, const int *all, int color, int *world, int *rank_p)
{
    int own_key = all[3 * g->rank + 1], n = 0;

    *rank_p = 0;
    for (int r = 0; r < g->size; r++) {
        int key = all[3 * r + 1], place = 0;

        if (all[3 * r] != color)
            continue;
        n++;
        *rank_p += key < own_key || (key == own_key && r < g->rank);
        for (int k = 0; k < g->size; k++)
            place +=
                all[3 * k] == color && (all[3 * k + 1] < key || (all[3 * k + 1] == key && k < r));
        world[place] = g->comm->world[r];
    }
    return n;
}

static int split(const struct mpi_group *g, int color, int key, MPI_Comm *newcomm)
{
    struct mpi_rank *mr = g->mr;
    int own[3] = { color, key, (int)mr->next_context };
    int *all = mpi_scratch(mr, 4 * (uint64_t)g->size * sizeof(int));
    int *world, rank, n, code;

    if (all == NULL)
        return MPI_ERR_NO_MEM;
    world = all + 3 * (size_t)g->size;
    code = agree(g, own, all);
    if (code != MPI_SUCCESS)
        return code;
    mr->next_context += 2;
    *newcomm = MPI_COMM_NULL;
    if (color == MPI_UNDEFINED)
        return MPI_SUCCESS;
    n = members(g, all, color, world, &rank);
    return comm_add(mr, n, rank, mr->next_context - 2, world, newcomm);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_group g;
    int code = mpi_group_init(&g, mr, comm, MPI_TAG_COMM);

    if (code == MPI_SUCCESS && color < 0 && color != MPI_UNDEFINED)
        code = mpi_fail(mr, MPI_ERR_ARG, "color = %d: expected 0 or more", color);
    if (code == MPI_SUCCESS)
        code = split(&g, color, key, newcomm);
    return mpi_end(mr, __func__, code);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_group g;
    int code = mpi_group_init(&g, mr, comm, MPI_TAG_COMM);

    return mpi_end(mr, __func__, code == MPI_SUCCESS ? split(&g, 0, g.rank, newcomm) : code);
}

/* Contexts are never used again, so this needs no word with the others. */
int MPI_Comm_free(MPI_Comm *comm)
{
    struct mpi_rank *mr = mpi_self();
    int code = MPI_SUCCESS;

    if (mr == NULL)
        code = MPI_ERR_OTHER;
    else if (mpi_comm_of(mr, *comm) == NULL)
        code = MPI_ERR_COMM;
    else if (*comm == MPI_COMM_WORLD || *comm == MPI_COMM_SELF)
        code = mpi_fail(mr, MPI_ERR_COMM, "comm = %d: cannot be freed", *comm);
    if (code != MPI_SUCCESS)
        return mpi_end(mr, __func__, code);
    mpi_comm_put(mr->comms[*comm - 1]);
    mr->comms[*comm - 1] = NULL;
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}
