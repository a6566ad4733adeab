/* New communicators from old ones. */
#include <stdlib.h>

#include "hosts/mpi/create/create.h"

/** Each rank says this: its colour, key, and a context for the case that it comes to be the first
 * of its new group. */
struct said {
    int color, key, context;
};
#define SAID_INTS ((int)(sizeof(struct said) / sizeof(int)))

struct place {
    int key, rank;
};

static int by_key(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->rank < b->rank ? -1 : 1;
}

/* The ranks of one colour, by key, equal keys by their old rank. */
static struct mpi_group *members_of(struct mpi_rank *mr, const struct mpi_group *old,
                                    const struct said *all, int color, int *first_p)
{
    struct mpi_group *g = mpi_group_new(mr, old->size);
    struct place *places = mpi_need(mr, calloc((size_t)old->size, sizeof(*places)));
    int n = 0;

    for (int r = 0; r < old->size; r++)
        if (all[r].color == color)
            places[n++] = (struct place){ all[r].key, r };
    qsort(places, (size_t)n, sizeof(*places), by_key);
    for (int i = 0; i < n; i++)
        g->world[i] = old->world[places[i].rank];
    *first_p = places[0].rank;
    g->size = n;
    mpi_group_find_self(mr, g);
    free(places);
    return g;
}

int mpi_comm_make(const struct mpi_comm *old, struct mpi_group *group, struct mpi_group *remote,
                  uint32_t context, MPI_Comm *newcomm)
{
    struct mpi_comm *c;
    int code = mpi_context_check(old->mr, context);

    if (code != MPI_SUCCESS)
        return code;
    c = mpi_comm_add(old->mr, group, remote, context);
    mpi_comm_inherit(old, c);
    *newcomm = c->handle;
    return MPI_SUCCESS;
}

/* `theirs` is of the remote group of an inter-communicator, else NULL. */
static int join_members(const struct mpi_comm *old, const struct said *ours,
                        const struct said *theirs, MPI_Comm *newcomm)
{
    int color = ours[old->rank].color, first, far_first, context, code = MPI_SUCCESS;
    struct mpi_group *group, *remote = NULL;

    if (color == MPI_UNDEFINED)
        return MPI_SUCCESS;
    group = members_of(old->mr, old->group, ours, color, &first);
    context = ours[first].context;
    if (theirs != NULL) {
        remote = members_of(old->mr, old->remote, theirs, color, &far_first);
        if (remote->size > 0 && remote->world[0] < group->world[0])
            context = theirs[far_first].context;
    }
    if (remote == NULL || remote->size > 0)
        code = mpi_comm_make(old, group, remote, (uint32_t)context, newcomm);
    mpi_group_put(group);
    mpi_group_put(remote);
    return code;
}

int mpi_comm_split(struct mpi_comm *old, int color, int key, MPI_Comm *newcomm)
{
    size_t ours = (size_t)old->size, far = old->remote != NULL ? (size_t)old->npeers : 0;
    struct said *all = mpi_block_zero(old->mr, (ours + far) * sizeof(*all));
    uint32_t context = mpi_context_new(old->mr);
    int code;

    *newcomm = MPI_COMM_NULL;
    all[old->rank] = (struct said){ color, key, (int)context };
    code = mpi_comm_exchange(old, &all[0].color, SAID_INTS);
    if (code == MPI_SUCCESS && far > 0)
        code = mpi_comm_swap(old, &all[0].color, (int)ours * SAID_INTS, &all[ours].color,
                             (int)far * SAID_INTS);
    if (code == MPI_SUCCESS && far > 0)
        code = mpi_comm_broadcast(old, 0, &all[ours].color, (int)far * SAID_INTS);
    if (code == MPI_SUCCESS)
        code = join_members(old, all, far > 0 ? all + ours : NULL, newcomm);
    mpi_context_put_unused(old->mr, context, *newcomm);
    mpi_block_free(all);
    return code;
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
    struct mpi_comm *old;
    int code = mpi_comm_get(comm, &old);

    if (code != MPI_SUCCESS)
        return code;
    if (color < 0 && color != MPI_UNDEFINED)
        return mpi_error(MPI_ERR_ARG, "color = %d: expected 0 or more", color);
    return mpi_comm_split(old, color, key, newcomm);
}

int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm)
{
    struct mpi_comm *old;
    int code = mpi_comm_get(comm, &old), color = MPI_UNDEFINED;

    (void)info;
    if (code != MPI_SUCCESS)
        return code;
    if (split_type == MPI_COMM_TYPE_SHARED)
        color = (int)old->mr->host->node->index;
    else if (split_type != MPI_UNDEFINED)
        return mpi_error(MPI_ERR_ARG, "split_type = %d: expected MPI_COMM_TYPE_SHARED", split_type);
    return mpi_comm_split(old, color, key, newcomm);
}

/* Groups of one call may differ where they have no rank in common: the first rank of each names it.
 * Those of an inter-communicator are one on each side. */
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm)
{
    struct mpi_comm *old;
    const struct mpi_group *g;
    int code = mpi_comm_get(comm, &old), color = MPI_UNDEFINED;

    if (code != MPI_SUCCESS)
        return code;
    g = mpi_group_of(group);
    if (g == NULL)
        return MPI_ERR_GROUP;
    for (int r = 0; r < g->size; r++)
        if (mpi_group_rank_of(old->group, g->world[r]) == MPI_UNDEFINED)
            return mpi_error(MPI_ERR_GROUP, "its rank %d is not in the communicator", r);
    if (g->rank != MPI_UNDEFINED)
        color = old->remote != NULL ? 0 : mpi_group_rank_of(old->group, g->world[0]);
    return mpi_comm_split(old, color, g->rank, newcomm);
}

/* Only the group takes part: its own collective runs under a tag of the program's. */
static int create_group(const struct mpi_comm *old, struct mpi_group *g, int tag, MPI_Comm *newcomm)
{
    int context = g->rank == 0 ? (int)mpi_context_new(old->mr) : 0, code;
    struct mpi_comm *c = mpi_comm_new(old->mr, g, NULL, old->context + MPI_CONTEXT_TAGGED);

    c->collectives = (uint32_t)tag;
    code = mpi_comm_broadcast(c, 0, &context, 1);
    mpi_comm_put(c);
    return code == MPI_SUCCESS ? mpi_comm_make(old, g, NULL, (uint32_t)context, newcomm) : code;
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm)
{
    struct mpi_comm *old;
    struct mpi_group *g;
    int code = mpi_comm_get_intra(comm, &old);

    *newcomm = MPI_COMM_NULL;
    if (code != MPI_SUCCESS)
        return code;
    if (tag < 0)
        return mpi_error(MPI_ERR_TAG, "tag = %d: expected 0 or more", tag);
    g = mpi_group_of(group);
    if (g == NULL)
        return MPI_ERR_GROUP;
    return g->rank != MPI_UNDEFINED ? create_group(old, g, tag, newcomm) : MPI_SUCCESS;
}

/* The context has come: by now it is in the communicator itself. */
static int dup_context_came(void *arg)
{
    struct mpi_comm *c = arg;
    int code = mpi_context_check(c->mr, c->context);

    if (code != MPI_SUCCESS)
        mpi_comm_drop(c);
    else if (c->local != NULL)
        c->local->context = c->context + MPI_CONTEXT_LOCAL;
    return code;
}

/* Rank 0, of an inter-communicator that of the group with the lower rank in the world, makes up the
 * context; it comes to the others in the new communicator itself. */
static void build_dup(struct mpi_coll *c, struct mpi_comm *new)
{
    struct mpi_data context = mpi_bytes(c, (char *)&new->context, sizeof(new->context));
    bool ours = new->remote == NULL || new->group->world[0] < new->remote->world[0];

    if (c->rank == 0 && ours)
        new->context = mpi_context_new(c->mr);
    if (c->rank == 0 && c->far != NULL) {
        if (ours)
            mpi_coll_send_far(c, 0, context);
        else
            mpi_coll_receive_far(c, 0, context);
        mpi_coll_fence(c);
    }
    mpi_bcast_tree(c, 0, context);
    c->s->then = dup_context_came;
    c->s->then_arg = new;
}

static int dup_comm(const char *call, MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
    struct mpi_coll c;
    int code = mpi_coll_begin(&c, MPI_COLL_BCAST, comm);
    struct mpi_comm *old = c.far != NULL ? c.far : c.comm, *new = NULL;

    if (code == MPI_SUCCESS) {
        new = mpi_comm_add(c.mr, old->group, old->remote, 0);
        mpi_comm_inherit(old, new);
        code = mpi_attrs_copy(c.mr, old->handle, &old->attrs, &new->attrs);
        if (code != MPI_SUCCESS)
            mpi_comm_drop(new);
    }
    if (code == MPI_SUCCESS) {
        new->topology = old->topology;
        if (new->topology != NULL)
            new->topology->holders++;
        *newcomm = new->handle;
        mpi_coll_compare(&c);
        build_dup(&c, new);
    }
    code = mpi_coll_end(&c, call, code, request);
    if (code != MPI_SUCCESS && new != NULL)
        *newcomm = MPI_COMM_NULL;
    return code;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
    return dup_comm(__func__, comm, newcomm, NULL);
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
    int code = dup_comm(__func__, comm, newcomm, NULL);

    return code == MPI_SUCCESS ? MPI_Comm_set_info(*newcomm, info) : code;
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
    return dup_comm(__func__, comm, newcomm, request);
}
