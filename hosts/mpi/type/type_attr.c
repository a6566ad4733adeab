/* Attributes of datatypes. */
#include "hosts/mpi/type/type.h"

int MPI_Type_create_keyval(MPI_Type_copy_attr_function *copy,
                           MPI_Type_delete_attr_function *release, int *keyval, void *state)
{
    struct mpi_rank *mr = mpi_self();

    return mpi_end(mr, __func__,
                   mpi_keyval_create(mr, MPI_ATTR_TYPE, copy, release, keyval, state));
}

int MPI_Type_free_keyval(int *keyval)
{
    struct mpi_rank *mr = mpi_self();

    return mpi_end(mr, __func__, mpi_keyval_free(mr, MPI_ATTR_TYPE, keyval));
}

int MPI_Type_set_attr(MPI_Datatype type, int keyval, void *value)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_type *t = NULL;
    int code = mpi_type_get(mr, type, &t);

    if (code != MPI_SUCCESS)
        return mpi_end(mr, __func__, code);
    t->holders++;
    code = mpi_attr_set(mr, MPI_ATTR_TYPE, type, &t->attrs, keyval, value);
    mpi_type_put(t);
    return mpi_end(mr, __func__, code);
}

int MPI_Type_get_attr(MPI_Datatype type, int keyval, void *value, int *flag)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_type *t = NULL;
    int code = mpi_type_get(mr, type, &t);

    if (code == MPI_SUCCESS)
        code = mpi_attr_get(mr, MPI_ATTR_TYPE, &t->attrs, keyval, value, flag);
    return mpi_end(mr, __func__, code);
}

int MPI_Type_delete_attr(MPI_Datatype type, int keyval)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_type *t = NULL;
    int code = mpi_type_get(mr, type, &t);

    if (code != MPI_SUCCESS)
        return mpi_end(mr, __func__, code);
    t->holders++;
    code = mpi_attr_remove(mr, MPI_ATTR_TYPE, type, &t->attrs, keyval);
    mpi_type_put(t);
    return mpi_end(mr, __func__, code);
}
