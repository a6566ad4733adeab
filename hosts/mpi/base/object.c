/* The calls that several kinds of objects have: attributes, error handlers, hints, names. */
#include "hosts/mpi/base/rank.h"

/* Errors are for the object's handler from now on. */
static int begin_call(struct mpi_object *o, mpi_find_fn *find, int handle)
{
    int code;

    *o = (struct mpi_object){ .mr = mpi_self(), .handle = handle };
    code = find(o);
    if (code == MPI_SUCCESS && o->errhandler != NULL)
        o->mr->blamed = (struct mpi_blamed){ o->errhandler, handle };
    return code;
}

int mpi_object_change_attr(mpi_find_fn *find, int handle, int keyval, bool sets, void *value,
                           const char *call)
{
    struct mpi_object o;
    int code = begin_call(&o, find, handle);

    if (code != MPI_SUCCESS)
        return code;
    ++*o.holders;
    code = mpi_attr_change(&o, keyval, sets, value);
    if (code != MPI_SUCCESS) /* while the object is there */
        code = mpi_end_blamed(o.mr, call, code);
    o.put(o.self);
    return code;
}

int mpi_object_get_attr(mpi_find_fn *find, int handle, int keyval, void *value, int *flag)
{
    struct mpi_object o;
    int code = begin_call(&o, find, handle);

    return code == MPI_SUCCESS ? mpi_attr_get(&o, keyval, value, flag) : code;
}

int mpi_object_set_errhandler(mpi_find_fn *find, int handle, MPI_Errhandler handler)
{
    struct mpi_object o;
    int code = begin_call(&o, find, handle);

    return code == MPI_SUCCESS ? mpi_errhandler_set(o.mr, o.errhandler, handler) : code;
}

int mpi_object_get_errhandler(mpi_find_fn *find, int handle, MPI_Errhandler *handler)
{
    struct mpi_object o;
    int code = begin_call(&o, find, handle);

    return code == MPI_SUCCESS ? mpi_errhandler_get(o.mr, *o.errhandler, handler) : code;
}

int mpi_object_call_errhandler(mpi_find_fn *find, int handle, int code, const char *call)
{
    struct mpi_object o;
    int bad = begin_call(&o, find, handle);

    if (bad != MPI_SUCCESS)
        return bad;
    mpi_note_code(o.mr, code);
    if (code != MPI_SUCCESS)
        (void)mpi_end_blamed(o.mr, call, code);
    return MPI_SUCCESS;
}

int mpi_object_set_info(mpi_find_fn *find, int handle, MPI_Info info)
{
    struct mpi_object o;
    int code = begin_call(&o, find, handle);

    return code == MPI_SUCCESS ? mpi_info_keep(o.mr, o.info, info) : code;
}

int mpi_object_set_name(mpi_find_fn *find, int handle, const char *name)
{
    struct mpi_object o;
    int code = begin_call(&o, find, handle);

    if (code == MPI_SUCCESS)
        mpi_name_set(o.mr, o.name, name);
    return code;
}
