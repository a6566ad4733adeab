/* Attributes, error handlers and hints of communicators. */
#include "hosts/mpi/comm/comm.h"

/* The standard's own attributes: MPI 3.1, 8.1.2. They are the same for all communicators. */
static bool get_own_attr(void *comm, int keyval, void **value_p)
{
    struct mpi_env *e = &((struct mpi_comm *)comm)->mr->env;
    int *const values[] = {
        [MPI_TAG_UB] = &e->tag_ub,
        [MPI_HOST] = &e->host,
        [MPI_IO] = &e->io,
        [MPI_WTIME_IS_GLOBAL] = &e->wtime_is_global,
        [MPI_UNIVERSE_SIZE] = &e->universe_size,
        [MPI_LASTUSEDCODE] = &e->lastusedcode,
        [MPI_APPNUM] = &e->appnum,
    };

    if (keyval < MPI_TAG_UB || keyval > MPI_APPNUM)
        return false;
    *value_p = values[keyval];
    return true;
}

static void put_comm(void *comm)
{
    mpi_comm_put(comm);
}

static int find_comm(struct mpi_object *o)
{
    struct mpi_comm *c;
    int code = mpi_comm_get(o->handle, &c);

    if (code != MPI_SUCCESS)
        return code;
    o->kind = MPI_ATTR_COMM;
    o->self = c;
    o->holders = &c->holders;
    o->put = put_comm;
    o->attrs = &c->attrs;
    o->own_attr = get_own_attr;
    o->errhandler = &c->errhandler;
    o->info = &c->info;
    return MPI_SUCCESS;
}

MPI_ATTRIBUTE_CALLS(MPI_ATTR_COMM, find_comm, Comm_create_keyval, Comm_free_keyval, Comm_set_attr,
                    Comm_get_attr, Comm_delete_attr)
MPI_ATTRIBUTE_CALLS(MPI_ATTR_COMM, find_comm, Keyval_create, Keyval_free, Attr_put, Attr_get,
                    Attr_delete)
MPI_ERRHANDLER_CALLS(find_comm, Comm_create_errhandler, Comm_set_errhandler, Comm_get_errhandler)
MPI_ERRHANDLER_CALLS(find_comm, Errhandler_create, Errhandler_set, Errhandler_get)

int MPI_Comm_call_errhandler(MPI_Comm comm, int code)
{
    return mpi_object_call_errhandler(find_comm, comm, code, __func__);
}

int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info)
{
    return mpi_object_set_info(find_comm, comm, info);
}

int MPI_Comm_get_info(MPI_Comm comm, MPI_Info *info)
{
    struct mpi_comm *c;
    int code = mpi_comm_get(comm, &c);

    if (code == MPI_SUCCESS)
        code = mpi_info_copy(c->mr, c->info, info);
    return code;
}

void mpi_comm_inherit(const struct mpi_comm *old, struct mpi_comm *comm)
{
    comm->errhandler = old->errhandler;
    if (comm->errhandler != NULL)
        comm->errhandler->holders++;
}

void mpi_comm_drop(struct mpi_comm *comm)
{
    mpi_table_remove(&comm->mr->comms, (unsigned)(comm->handle - 1));
    comm->attrs.closed = true;
    mpi_comm_put(comm);
}
