/* Attributes, error handlers and hints of communicators. */
#include <string.h>

#include "hosts/mpi/comm/comm.h"

static int create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *delete_,
                         int *keyval, void *state, const char *call)
{
    struct mpi_rank *mr = mpi_self();

    return mpi_end(mr, call, mpi_keyval_create(mr, MPI_ATTR_COMM, copy, delete_, keyval, state));
}

int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy,
                           MPI_Comm_delete_attr_function *release, int *keyval, void *state)
{
    return create_keyval(copy, release, keyval, state, __func__);
}

int MPI_Keyval_create(MPI_Copy_function *copy, MPI_Delete_function *release, int *keyval,
                      void *state)
{
    return create_keyval(copy, release, keyval, state, __func__);
}

static int free_keyval(int *keyval, const char *call)
{
    struct mpi_rank *mr = mpi_self();

    return mpi_end(mr, call, mpi_keyval_free(mr, MPI_ATTR_COMM, keyval));
}

int MPI_Comm_free_keyval(int *keyval)
{
    return free_keyval(keyval, __func__);
}

int MPI_Keyval_free(int *keyval)
{
    return free_keyval(keyval, __func__);
}

static int set_attr(MPI_Comm comm, int keyval, void *value, const char *call)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_comm *c = NULL;
    int code = mpi_comm_get(mr, comm, &c);

    if (code != MPI_SUCCESS)
        return mpi_end(mr, call, code);
    c->holders++;
    code =
        mpi_end_comm(mr, c, call, mpi_attr_set(mr, MPI_ATTR_COMM, comm, &c->attrs, keyval, value));
    mpi_comm_put(c);
    return code;
}

int MPI_Comm_set_attr(MPI_Comm comm, int keyval, void *value)
{
    return set_attr(comm, keyval, value, __func__);
}

int MPI_Attr_put(MPI_Comm comm, int keyval, void *value)
{
    return set_attr(comm, keyval, value, __func__);
}

/* The standard's own; NULL: none. MPI 3.1, 8.1.2 */
static int *predefined(struct mpi_rank *mr, int keyval)
{
    struct mpi_env *e = &mr->env;

    switch (keyval) {
    case MPI_TAG_UB:
        return &e->tag_ub;
    case MPI_HOST:
        return &e->host;
    case MPI_IO:
        return &e->io;
    case MPI_WTIME_IS_GLOBAL:
        return &e->wtime_is_global;
    case MPI_UNIVERSE_SIZE:
        return &e->universe_size;
    case MPI_LASTUSEDCODE:
        return &e->lastusedcode;
    case MPI_APPNUM:
        return &e->appnum;
    default:
        return NULL;
    }
}

static int get_attr(MPI_Comm comm, int keyval, void *value, int *flag, const char *call)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_comm *c = NULL;
    int code = mpi_comm_get(mr, comm, &c), *own;

    if (code != MPI_SUCCESS)
        return mpi_end(mr, call, code);
    own = predefined(mr, keyval);
    if (own != NULL) {
        memcpy(value, &own, sizeof(own));
        *flag = 1;
        return MPI_SUCCESS;
    }
    return mpi_end_comm(mr, c, call,
                        mpi_attr_get(mr, MPI_ATTR_COMM, &c->attrs, keyval, value, flag));
}

int MPI_Comm_get_attr(MPI_Comm comm, int keyval, void *value, int *flag)
{
    return get_attr(comm, keyval, value, flag, __func__);
}

int MPI_Attr_get(MPI_Comm comm, int keyval, void *value, int *flag)
{
    return get_attr(comm, keyval, value, flag, __func__);
}

static int delete_attr(MPI_Comm comm, int keyval, const char *call)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_comm *c = NULL;
    int code = mpi_comm_get(mr, comm, &c);

    if (code != MPI_SUCCESS)
        return mpi_end(mr, call, code);
    c->holders++;
    code = mpi_end_comm(mr, c, call, mpi_attr_remove(mr, MPI_ATTR_COMM, comm, &c->attrs, keyval));
    mpi_comm_put(c);
    return code;
}

int MPI_Comm_delete_attr(MPI_Comm comm, int keyval)
{
    return delete_attr(comm, keyval, __func__);
}

int MPI_Attr_delete(MPI_Comm comm, int keyval)
{
    return delete_attr(comm, keyval, __func__);
}

static int create_errhandler(MPI_Comm_errhandler_function *fn, MPI_Errhandler *handler,
                             const char *call)
{
    struct mpi_rank *mr = mpi_self();

    return mpi_end(mr, call, mpi_errhandler_create(mr, fn, handler));
}

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *fn, MPI_Errhandler *handler)
{
    return create_errhandler(fn, handler, __func__);
}

int MPI_Errhandler_create(MPI_Handler_function *fn, MPI_Errhandler *handler)
{
    return create_errhandler(fn, handler, __func__);
}

static int set_errhandler(MPI_Comm comm, MPI_Errhandler handler, const char *call)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_comm *c = NULL;
    int code = mpi_comm_get(mr, comm, &c);

    if (code == MPI_SUCCESS)
        code = mpi_errhandler_set(mr, &c->errhandler, handler);
    return mpi_end_comm(mr, c, call, code);
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    return set_errhandler(comm, handler, __func__);
}

int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler)
{
    return set_errhandler(comm, handler, __func__);
}

static int get_errhandler(MPI_Comm comm, MPI_Errhandler *handler, const char *call)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_comm *c = NULL;
    int code = mpi_comm_get(mr, comm, &c);

    if (code == MPI_SUCCESS)
        code = mpi_errhandler_get(mr, c->errhandler, handler);
    return mpi_end_comm(mr, c, call, code);
}

int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *handler)
{
    return get_errhandler(comm, handler, __func__);
}

int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *handler)
{
    return get_errhandler(comm, handler, __func__);
}

int MPI_Comm_call_errhandler(MPI_Comm comm, int code)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_comm *c = NULL;
    int bad = mpi_comm_get(mr, comm, &c);

    if (bad != MPI_SUCCESS)
        return mpi_end(mr, __func__, bad);
    mpi_note_code(mr, code);
    mpi_end_comm(mr, c, __func__, code);
    return MPI_SUCCESS;
}

int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_comm *c = NULL;
    int code = mpi_comm_get(mr, comm, &c);

    if (code == MPI_SUCCESS)
        code = mpi_info_keep(mr, &c->info, info);
    return mpi_end_comm(mr, c, __func__, code);
}

int MPI_Comm_get_info(MPI_Comm comm, MPI_Info *info)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_comm *c = NULL;
    int code = mpi_comm_get(mr, comm, &c);

    if (code == MPI_SUCCESS)
        code = mpi_info_copy(mr, c->info, info);
    return mpi_end_comm(mr, c, __func__, code);
}

void mpi_comm_env_release(struct mpi_comm *comm)
{
    mpi_attrs_drop(&comm->attrs);
    mpi_errhandler_put(comm->errhandler);
    mpi_info_drop(comm->info);
}

void mpi_comm_inherit(const struct mpi_comm *old, struct mpi_comm *comm)
{
    comm->errhandler = old->errhandler;
    if (comm->errhandler != NULL)
        comm->errhandler->holders++;
}

void mpi_comm_drop(struct mpi_rank *mr, struct mpi_comm *comm)
{
    mpi_table_remove(&mr->comms, (unsigned)(comm->handle - 1));
    comm->attrs.closed = true;
    mpi_comm_put(comm);
}
