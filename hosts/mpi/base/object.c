/* The calls that several kinds of objects have: attributes, error handlers, hints, names. */
#include "hosts/mpi/base/rank.h"

static int begin_call(struct mpi_object *o, mpi_find_fn *find, int handle)
{
    *o = (struct mpi_object){ .mr = mpi_self(), .handle = handle };
    return find(o);
}

static int end_call(const struct mpi_object *o, const char *call, int code)
{
    if (code == MPI_SUCCESS || o->errhandler == NULL)
        return mpi_end(o->mr, call, code);
    return mpi_end_object(o->mr, *o->errhandler, o->handle, call, code);
}

int mpi_object_change_attr(mpi_find_fn *find, int handle, int keyval, bool sets, void *value,
                           const char *call)
{
    struct mpi_object o;
    int code = begin_call(&o, find, handle);

    if (code != MPI_SUCCESS)
        return end_call(&o, call, code);
    ++*o.holders;
    code = end_call(&o, call, mpi_attr_change(&o, keyval, sets, value));
    o.put(o.self);
    return code;
}

int mpi_object_get_attr(mpi_find_fn *find, int handle, int keyval, void *value, int *flag,
                        const char *call)
{
    struct mpi_object o;
    int code = begin_call(&o, find, handle);

    if (code == MPI_SUCCESS)
        code = mpi_attr_get(&o, keyval, value, flag);
    return end_call(&o, call, code);
}

int mpi_object_set_errhandler(mpi_find_fn *find, int handle, MPI_Errhandler handler,
                              const char *call)
{
    struct mpi_object o;
    int code = begin_call(&o, find, handle);

    if (code == MPI_SUCCESS)
        code = mpi_errhandler_set(o.mr, o.errhandler, handler);
    return end_call(&o, call, code);
}

int mpi_object_get_errhandler(mpi_find_fn *find, int handle, MPI_Errhandler *handler,
                              const char *call)
{
    struct mpi_object o;
    int code = begin_call(&o, find, handle);

    if (code == MPI_SUCCESS)
        code = mpi_errhandler_get(o.mr, *o.errhandler, handler);
    return end_call(&o, call, code);
}

int mpi_object_call_errhandler(mpi_find_fn *find, int handle, int code, const char *call)
{
    struct mpi_object o;
    int bad = begin_call(&o, find, handle);

    if (bad != MPI_SUCCESS)
        return end_call(&o, call, bad);
    mpi_note_code(o.mr, code);
    (void)end_call(&o, call, code);
    return MPI_SUCCESS;
}

int mpi_object_set_info(mpi_find_fn *find, int handle, MPI_Info info, const char *call)
{
    struct mpi_object o;
    int code = begin_call(&o, find, handle);

    if (code == MPI_SUCCESS)
        code = mpi_info_keep(o.mr, o.info, info);
    return end_call(&o, call, code);
}

int mpi_object_set_name(mpi_find_fn *find, int handle, const char *name, const char *call)
{
    struct mpi_object o;
    int code = begin_call(&o, find, handle);

    if (code == MPI_SUCCESS)
        code = mpi_name_set(o.name, name);
    return end_call(&o, call, code);
}
