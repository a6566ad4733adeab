/* Communicators: what they are made of, and what they say of themselves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/comm/comm.h"

struct mpi_comm *mpi_comm_new(struct mpi_rank *mr, struct mpi_group *group,
                              struct mpi_group *remote, uint32_t context)
{
    const struct mpi_group *peers = remote != NULL ? remote : group;
    /* MPI_Comm_dup() receives into it */
    struct mpi_comm *c = mpi_block_zero(mr, sizeof(*c));

    c->mr = mr;
    c->holders = 1;
    c->rank = group->rank;
    c->size = group->size;
    c->npeers = peers->size;
    c->world = peers->world;
    c->context = context;
    c->group = group;
    c->remote = remote;
    group->holders++;
    if (remote == NULL)
        return c;
    remote->holders++;
    c->local = mpi_comm_new(mr, group, NULL, context + MPI_CONTEXT_LOCAL);
    return c;
}

struct mpi_comm *mpi_comm_add(struct mpi_rank *mr, struct mpi_group *group,
                              struct mpi_group *remote, uint32_t context)
{
    struct mpi_comm *c = mpi_comm_new(mr, group, remote, context);

    c->handle = mpi_table_add(mr, &mr->comms, c) + 1;
    return c;
}

static struct mpi_comm *add_first(struct mpi_rank *mr, int size, uint32_t context, const char *name)
{
    struct mpi_group *g = mpi_group_new(mr, size);
    struct mpi_comm *c;

    for (int r = 0; r < size; r++)
        g->world[r] = size == 1 ? (int)mr->host->rank : r;
    mpi_group_find_self(mr, g);
    c = mpi_comm_add(mr, g, NULL, context);
    mpi_group_put(g);
    (void)snprintf(c->name, sizeof(c->name), "%s", name);
    return c;
}

void mpi_comms_init(struct mpi_rank *mr)
{
    mr->world_errhandler = &add_first(mr, (int)mr->host->size, 0, "MPI_COMM_WORLD")->errhandler;
    (void)add_first(mr, 1, MPI_CONTEXTS, "MPI_COMM_SELF");
    mr->no_group = mpi_group_new(mr, 0);
}

void mpi_topology_put(struct mpi_topology *t)
{
    if (t != NULL && --t->holders == 0)
        free(t);
}

void mpi_comm_put(struct mpi_comm *comm)
{
    if (comm == NULL || --comm->holders > 0)
        return;
    mpi_blame_drop(comm->mr, &comm->errhandler);
    mpi_context_put(comm->mr, comm->context);
    mpi_comm_put(comm->local);
    mpi_group_put(comm->group);
    mpi_group_put(comm->remote);
    mpi_topology_put(comm->topology);
    mpi_attrs_drop(&comm->attrs);
    mpi_errhandler_put(comm->errhandler);
    mpi_info_drop(comm->info);
    mpi_block_free(comm);
}

void mpi_comms_release(struct mpi_rank *mr)
{
    for (unsigned i = 0; i < mr->comms.n; i++)
        mpi_comm_put(mr->comms.at[i]);
    mpi_table_release(&mr->comms);
    mr->world_errhandler = NULL;
    free(mr->contexts.used);
    mr->contexts.used = NULL;
}

struct mpi_comm *mpi_comm_of(struct mpi_rank *mr, MPI_Comm comm)
{
    struct mpi_comm *c = mpi_table_get(&mr->comms, (unsigned)comm - 1);

    if (c == NULL)
        mpi_note(mr, "comm = %d: %s", comm,
                 comm == MPI_COMM_NULL ? "MPI_COMM_NULL"
                                       : "no communicator, or one that was freed");
    return c;
}

void mpi_comm_text(const struct mpi_comm *comm, char *text, size_t room)
{
    if (comm->name[0] != '\0')
        (void)snprintf(text, room, "%.63s", comm->name);
    else
        (void)snprintf(text, room, "communicator %d", comm->handle);
}

void mpi_blame(const struct mpi_comm *comm)
{
    comm->mr->blamed = (struct mpi_blamed){ &comm->errhandler, comm->handle };
}

int mpi_comm_get(MPI_Comm comm, struct mpi_comm **comm_p)
{
    struct mpi_rank *mr = mpi_self();

    *comm_p = mpi_comm_of(mr, comm);
    if (*comm_p == NULL)
        return MPI_ERR_COMM;
    if (mr->blamed.handler == NULL)
        mpi_blame(*comm_p);
    return MPI_SUCCESS;
}

int mpi_comm_get_intra(MPI_Comm comm, struct mpi_comm **comm_p)
{
    int code = mpi_comm_get(comm, comm_p);

    if (code == MPI_SUCCESS && (*comm_p)->remote != NULL)
        code = mpi_error(MPI_ERR_COMM, "comm = %d: an inter-communicator", comm);
    return code;
}

int mpi_end_comm(const struct mpi_comm *c, const char *call, int code)
{
    if (code == MPI_SUCCESS)
        return code;
    return c != NULL ? mpi_end_object(c->mr, c->errhandler, c->handle, call, code)
                     : mpi_end(mpi_self(), call, code);
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    struct mpi_comm *c;
    int code = mpi_comm_get(comm, &c);

    if (code == MPI_SUCCESS)
        *rank = c->rank;
    return code;
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    struct mpi_comm *c;
    int code = mpi_comm_get(comm, &c);

    if (code == MPI_SUCCESS)
        *size = c->size;
    return code;
}

int MPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    struct mpi_comm *c;
    int code = mpi_comm_get(comm, &c);

    if (code == MPI_SUCCESS)
        *group = mpi_group_share(c->mr, c->group);
    return code;
}

int MPI_Comm_compare(MPI_Comm comm, MPI_Comm other, int *result)
{
    struct mpi_comm *a, *b;
    int code = mpi_comm_get(comm, &a), far = MPI_IDENT;

    if (code == MPI_SUCCESS)
        code = mpi_comm_get(other, &b);
    if (code != MPI_SUCCESS)
        return code;
    if ((a->remote == NULL) != (b->remote == NULL))
        far = MPI_UNEQUAL;
    else if (a->remote != NULL)
        far = mpi_group_compare(a->remote, b->remote);
    *result = mpi_group_compare(a->group, b->group);
    if (far > *result)
        *result = far; /* MPI_IDENT < MPI_SIMILAR < MPI_UNEQUAL */
    if (*result == MPI_IDENT && a != b)
        *result = MPI_CONGRUENT;
    return MPI_SUCCESS;
}

int MPI_Comm_set_name(MPI_Comm comm, const char *name)
{
    struct mpi_comm *c;
    int code = mpi_comm_get(comm, &c);

    if (code == MPI_SUCCESS && strlen(name) >= MPI_MAX_OBJECT_NAME)
        code = mpi_error(MPI_ERR_ARG, "name: %zu characters", strlen(name));
    if (code == MPI_SUCCESS)
        (void)snprintf(c->name, sizeof(c->name), "%s", name);
    return code;
}

int MPI_Comm_get_name(MPI_Comm comm, char *name, int *length)
{
    struct mpi_comm *c;
    int code = mpi_comm_get(comm, &c);

    if (code == MPI_SUCCESS) {
        *length = (int)strlen(c->name);
        memcpy(name, c->name, (size_t)*length + 1);
    }
    return code;
}

static int free_comm(struct mpi_rank *mr, MPI_Comm *comm)
{
    struct mpi_comm *c = mpi_comm_of(mr, *comm);
    int code;

    if (c == NULL)
        return MPI_ERR_COMM;
    if (*comm == MPI_COMM_WORLD || *comm == MPI_COMM_SELF)
        return mpi_error(MPI_ERR_COMM, "comm = %d: cannot be freed", *comm);
    c->holders++;
    code = mpi_attrs_delete(mr, c->handle, &c->attrs);
    if (code == MPI_SUCCESS) {
        if (mpi_table_get(&mr->comms, (unsigned)(c->handle - 1)) == c)
            mpi_comm_drop(c); /* no delete function has done so */
        *comm = MPI_COMM_NULL;
    }
    mpi_comm_put(c);
    return code;
}

/* Needs no word with the others: see comm.h. */
int MPI_Comm_free(MPI_Comm *comm)
{
    return free_comm(mpi_self(), comm);
}

/* Requests that are pending on a communicator of this one job go on by themselves. */
int MPI_Comm_disconnect(MPI_Comm *comm)
{
    return free_comm(mpi_self(), comm);
}

/* No processes are spawned here. */
int MPI_Comm_get_parent(MPI_Comm *parent)
{
    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}
