/* Inter-communicators: two groups without a common rank, of which each addresses the other. */
#include "hosts/mpi/create/create.h"

int MPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    struct mpi_comm *c;
    int code = mpi_comm_get(comm, &c);

    if (code == MPI_SUCCESS)
        *flag = c->remote != NULL;
    return code;
}

static int get_inter(MPI_Comm comm, struct mpi_comm **c_p)
{
    int code = mpi_comm_get(comm, c_p);

    if (code == MPI_SUCCESS && (*c_p)->remote == NULL)
        code = mpi_error(MPI_ERR_COMM, "comm = %d: no inter-communicator", comm);
    return code;
}

int MPI_Comm_remote_size(MPI_Comm comm, int *size)
{
    struct mpi_comm *c;
    int code = get_inter(comm, &c);

    if (code == MPI_SUCCESS)
        *size = c->remote->size;
    return code;
}

int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group)
{
    struct mpi_comm *c;
    int code = get_inter(comm, &c);

    if (code == MPI_SUCCESS)
        *group = mpi_group_share(c->mr, c->remote);
    return code;
}

/** Leaders exchange this, and then send it to their groups. */
struct summary {
    int size, context;
};
#define SUMMARY_INTS ((int)(sizeof(struct summary) / sizeof(int)))

/* The leaders swap summaries, then the ranks of their groups. The context is that of the leader
 * with the lower rank in the world. */
static int leaders_meet(struct mpi_comm *local, uint32_t context, struct mpi_comm *peer,
                        int remote_leader, int tag, struct summary *theirs, int **ranks_p)
{
    struct mpi_rank *mr = local->mr;
    struct summary own = { local->size, (int)context };
    struct mpi_comm *tagged =
        mpi_comm_new(mr, peer->group, peer->remote, peer->context + MPI_CONTEXT_TAGGED);
    int code = mpi_comm_pass(tagged, tag, remote_leader, &own.size, SUMMARY_INTS, &theirs->size,
                             SUMMARY_INTS);

    if (code == MPI_SUCCESS) {
        *ranks_p = mpi_block_zero(mr, (size_t)theirs->size * sizeof(int));
        code = mpi_comm_pass(tagged, tag, remote_leader, local->group->world, local->size, *ranks_p,
                             theirs->size);
    }
    if (peer->world[remote_leader] > (int)mr->host->rank)
        theirs->context = own.context;
    mpi_comm_put(tagged);
    return code;
}

static int join_groups(struct mpi_comm *local, const struct summary *theirs, const int *ranks,
                       MPI_Comm *newcomm)
{
    struct mpi_group *remote;
    int code;

    for (int r = 0; r < theirs->size; r++)
        if (mpi_group_rank_of(local->group, ranks[r]) != MPI_UNDEFINED)
            return mpi_error(MPI_ERR_COMM, "rank %d of the world is in both groups", ranks[r]);
    remote = mpi_group_new(local->mr, theirs->size);
    for (int r = 0; r < theirs->size; r++)
        remote->world[r] = ranks[r];
    code = mpi_comm_make(local, local->group, remote, (uint32_t)theirs->context, newcomm);
    mpi_group_put(remote);
    return code;
}

static int create_inter(struct mpi_comm *local, int local_leader, struct mpi_comm *peer,
                        int remote_leader, int tag, MPI_Comm *newcomm)
{
    struct summary theirs = { 0, 0 };
    int *ranks = NULL, code = MPI_SUCCESS;
    uint32_t context = 0;

    *newcomm = MPI_COMM_NULL;
    if (local->rank == local_leader) {
        context = mpi_context_new(local->mr);
        code = leaders_meet(local, context, peer, remote_leader, tag, &theirs, &ranks);
    }
    if (code == MPI_SUCCESS)
        code = mpi_comm_broadcast(local, local_leader, &theirs.size, SUMMARY_INTS);
    if (code == MPI_SUCCESS && ranks == NULL)
        ranks = mpi_block_zero(local->mr, (size_t)theirs.size * sizeof(int));
    if (code == MPI_SUCCESS)
        code = mpi_comm_broadcast(local, local_leader, ranks, theirs.size);
    if (code == MPI_SUCCESS)
        code = join_groups(local, &theirs, ranks, newcomm);
    mpi_context_put_unused(local->mr, context, *newcomm);
    mpi_block_free(ranks);
    return code;
}

int MPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
                         int remote_leader, int tag, MPI_Comm *newcomm)
{
    struct mpi_comm *local, *peer = NULL;
    int code = mpi_comm_get_intra(local_comm, &local);

    if (code != MPI_SUCCESS)
        return code;
    if (local_leader < 0 || local_leader >= local->size)
        return mpi_error(MPI_ERR_RANK, "local_leader = %d: expected 0 .. %d", local_leader,
                         local->size - 1);
    if (local->rank == local_leader) { /* others may pass anything */
        code = mpi_comm_get(peer_comm, &peer);
        if (code != MPI_SUCCESS)
            return code;
        if (remote_leader < 0 || remote_leader >= peer->npeers)
            return mpi_error(MPI_ERR_RANK, "remote_leader = %d: expected 0 .. %d", remote_leader,
                             peer->npeers - 1);
        if (tag < 0)
            return mpi_error(MPI_ERR_TAG, "tag = %d: expected 0 or more", tag);
    }
    return create_inter(local, local_leader, peer, remote_leader, tag, newcomm);
}

/** Both groups say this when they become one. */
struct merging {
    int high, context;
};
#define MERGING_INTS ((int)(sizeof(struct merging) / sizeof(int)))

/* The group that is not high comes first, or else the one whose rank 0 is lower in the world. */
static struct mpi_group *merge_groups(const struct mpi_comm *inter, int high, int theirs_high)
{
    const struct mpi_group *own = inter->group, *far = inter->remote, *first = own;
    struct mpi_group *all = mpi_group_new(inter->mr, own->size + far->size);

    if (theirs_high != high ? high : far->world[0] < own->world[0])
        first = far;
    for (int r = 0; r < own->size; r++)
        all->world[r + (first == far ? far->size : 0)] = own->world[r];
    for (int r = 0; r < far->size; r++)
        all->world[r + (first == own ? own->size : 0)] = far->world[r];
    mpi_group_find_self(inter->mr, all);
    return all;
}

/* The context is that of the rank 0 that is lower in the world. */
static int merge_inter(struct mpi_comm *inter, int high, MPI_Comm *newcomm)
{
    bool lower = inter->group->world[0] < inter->remote->world[0];
    uint32_t context = lower && inter->rank == 0 ? mpi_context_new(inter->mr) : 0;
    struct merging ours = { high != 0, (int)context }, theirs = { 0, 0 };
    int code = mpi_comm_swap(inter, &ours.high, MERGING_INTS, &theirs.high, MERGING_INTS);
    struct mpi_group *all;

    *newcomm = MPI_COMM_NULL;
    if (lower)
        theirs.context = ours.context;
    if (code == MPI_SUCCESS)
        code = mpi_comm_broadcast(inter, 0, &theirs.high, MERGING_INTS);
    if (code == MPI_SUCCESS) {
        all = merge_groups(inter, ours.high, theirs.high);
        code = mpi_comm_make(inter, all, NULL, (uint32_t)theirs.context, newcomm);
        mpi_group_put(all);
    }
    mpi_context_put_unused(inter->mr, context, *newcomm);
    return code;
}

int MPI_Intercomm_merge(MPI_Comm comm, int high, MPI_Comm *newcomm)
{
    struct mpi_comm *c;
    int code = get_inter(comm, &c);

    return code == MPI_SUCCESS ? merge_inter(c, high, newcomm) : code;
}
