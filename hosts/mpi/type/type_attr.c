/* Attributes of datatypes. */
#include "hosts/mpi/type/type.h"

static void put_type(void *type)
{
    mpi_type_put(type);
}

static int find_type(struct mpi_object *o)
{
    struct mpi_type *t;
    int code = mpi_type_get(o->handle, &t);

    if (code != MPI_SUCCESS)
        return code;
    o->kind = MPI_ATTR_TYPE;
    o->self = t;
    o->holders = &t->holders;
    o->put = put_type;
    o->attrs = &t->attrs;
    o->name = &t->name;
    return MPI_SUCCESS;
}

MPI_ATTRIBUTE_CALLS(MPI_ATTR_TYPE, find_type, Type_create_keyval, Type_free_keyval, Type_set_attr,
                    Type_get_attr, Type_delete_attr)

int MPI_Type_set_name(MPI_Datatype type, const char *name)
{
    return mpi_object_set_name(find_type, type, name);
}
