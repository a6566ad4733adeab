/* Handles of datatypes, and what they say of themselves. */
#include "hosts/mpi/type/type.h"

#include <limits.h>
#include <stdlib.h>

struct mpi_type *mpi_type_of(struct mpi_rank *mr, MPI_Datatype type)
{
    const struct mpi_basic *b;

    if (type >= MPI_DERIVED)
        return mpi_table_get(&mr->types, (unsigned)(type - MPI_DERIVED));
    b = mpi_basic_of(type);
    return b != NULL ? &mr->basic[b - mpi_basics] : NULL;
}

static void type_clear(struct mpi_type *type)
{
    for (uint64_t k = 0; k < type->npieces; k++)
        if (type->pieces[k].child != NULL)
            mpi_type_put(type->pieces[k].child);
    if (type->pieces != &type->whole)
        free(type->pieces);
    for (uint64_t k = 0; k < type->nparts; k++)
        mpi_type_put(type->parts[k].type);
    free(type->parts);
    if (type->contents != NULL)
        mpi_contents_put(type->contents);
    mpi_attrs_drop(&type->attrs);
    free(type->name);
}

/* Predefined types are held by the rank itself. */
void mpi_type_put(struct mpi_type *type)
{
    if (--type->holders > 0)
        return;
    type_clear(type);
    free(type);
}

void mpi_types_release(struct mpi_rank *mr)
{
    for (unsigned i = 0; i < mr->types.n; i++)
        if (mr->types.at[i] != NULL)
            mpi_type_put(mr->types.at[i]);
    mpi_table_release(&mr->types);
    for (unsigned i = 0; mr->basic != NULL && i < MPI_BASIC_TYPES; i++)
        type_clear(&mr->basic[i]);
    free(mr->basic);
}

int mpi_type_add(struct mpi_type *type, MPI_Datatype *handle_p)
{
    struct mpi_rank *mr = mpi_self();

    *handle_p = type->handle = MPI_DERIVED + mpi_table_add(mr, &mr->types, type);
    return MPI_SUCCESS;
}

int mpi_check_memory(struct mpi_rank *mr, const void *buf, int count, MPI_Datatype type,
                     struct mpi_type **type_p)
{
    struct mpi_type *t = mpi_type_of(mr, type);

    if (count < 0)
        return mpi_error(MPI_ERR_COUNT, "count = %d: expected 0 or more", count);
    if (t == NULL || !t->committed)
        return mpi_error(MPI_ERR_TYPE, "datatype = %#x: %s", (unsigned)type,
                         type == MPI_DATATYPE_NULL ? "MPI_DATATYPE_NULL"
                         : t == NULL               ? "no datatype, or one that was freed"
                                     : "not committed: expected MPI_Type_commit() before");
    if (t->bytes > 0 && (uint64_t)count > INT64_MAX / t->bytes)
        return mpi_error(MPI_ERR_COUNT, "count = %d: times %llu bytes: too many", count,
                         (unsigned long long)t->bytes);
    if (buf == NULL && (uint64_t)count * t->bytes > 0 && (uint64_t)t->true_low < HOST_PAGE)
        return mpi_error(MPI_ERR_BUFFER, "buf = NULL with count = %d", count);
    *type_p = t;
    return MPI_SUCCESS;
}

int mpi_check_data(struct mpi_rank *mr, const void *buf, int count, MPI_Datatype type,
                   struct mpi_type **type_p)
{
    int code = mpi_check_memory(mr, buf, count, type, type_p);

    if (code != MPI_SUCCESS || (uint64_t)count * (*type_p)->bytes <= TRANSPORT_BYTES_MAX)
        return code;
    return mpi_error(MPI_ERR_COUNT, "count = %d: %llu bytes: expected at most 1 GiB in one message",
                     count, (unsigned long long)count * (*type_p)->bytes);
}

int mpi_type_get(MPI_Datatype type, struct mpi_type **type_p)
{
    *type_p = mpi_type_of(mpi_self(), type);
    if (*type_p == NULL)
        return mpi_error(MPI_ERR_TYPE, "datatype = %#x: no datatype, or one that was freed",
                         (unsigned)type);
    return MPI_SUCCESS;
}

int MPI_Type_commit(MPI_Datatype *type)
{
    struct mpi_type *t;
    int code = mpi_type_get(*type, &t);

    if (code == MPI_SUCCESS)
        t->committed = true;
    return code;
}

/* Unless a delete function has done so. The caller holds the type, so this frees nothing. */
static void drop_handle(struct mpi_rank *mr, struct mpi_type *t)
{
    unsigned number = (unsigned)(t->handle - MPI_DERIVED);

    if (mpi_table_get(&mr->types, number) != t)
        return;
    mpi_table_remove(&mr->types, number);
    t->attrs.closed = true;
    t->holders--;
}

int MPI_Type_free(MPI_Datatype *type)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_type *t;
    int code = mpi_type_get(*type, &t);

    if (code != MPI_SUCCESS)
        return code;
    if (*type < MPI_DERIVED)
        return mpi_error(MPI_ERR_TYPE, "datatype = %#x: a predefined one", (unsigned)*type);
    t->holders++;
    code = mpi_attrs_delete(mr, t->handle, &t->attrs);
    if (code == MPI_SUCCESS) {
        drop_handle(mr, t);
        *type = MPI_DATATYPE_NULL;
    }
    mpi_type_put(t);
    return code;
}

int MPI_Type_size_x(MPI_Datatype type, MPI_Count *size)
{
    struct mpi_type *t;
    int code = mpi_type_get(type, &t);

    if (code == MPI_SUCCESS)
        *size = (MPI_Count)t->bytes;
    return code;
}

int MPI_Type_size(MPI_Datatype type, int *size)
{
    struct mpi_type *t;
    int code = mpi_type_get(type, &t);

    if (code == MPI_SUCCESS)
        *size = t->bytes <= INT_MAX ? (int)t->bytes : MPI_UNDEFINED;
    return code;
}

/* Where an element begins and how far it reaches, with the bounds that were set or without. */
static int get_bounds(MPI_Datatype type, bool with_set, MPI_Aint *lb, MPI_Aint *extent)
{
    struct mpi_type *t;
    int code = mpi_type_get(type, &t);

    if (code == MPI_SUCCESS) {
        *lb = with_set ? t->low : t->true_low;
        *extent = with_set ? t->extent : t->true_extent;
    }
    return code;
}

static int get_bounds_x(MPI_Datatype type, bool with_set, MPI_Count *lb, MPI_Count *extent)
{
    MPI_Aint low = 0, width = 0;
    int code = get_bounds(type, with_set, &low, &width);

    if (code == MPI_SUCCESS) {
        *lb = low;
        *extent = width;
    }
    return code;
}

int MPI_Type_get_extent(MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent)
{
    return get_bounds(type, true, lb, extent);
}

int MPI_Type_get_extent_x(MPI_Datatype type, MPI_Count *lb, MPI_Count *extent)
{
    return get_bounds_x(type, true, lb, extent);
}

int MPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent)
{
    return get_bounds(type, false, lb, extent);
}

int MPI_Type_get_true_extent_x(MPI_Datatype type, MPI_Count *lb, MPI_Count *extent)
{
    return get_bounds_x(type, false, lb, extent);
}

int MPI_Type_extent(MPI_Datatype type, MPI_Aint *extent)
{
    MPI_Aint low;

    return get_bounds(type, true, &low, extent);
}

int MPI_Type_lb(MPI_Datatype type, MPI_Aint *displacement)
{
    MPI_Aint width;

    return get_bounds(type, true, displacement, &width);
}

int MPI_Type_ub(MPI_Datatype type, MPI_Aint *displacement)
{
    MPI_Aint width = 0;
    int code = get_bounds(type, true, displacement, &width);

    if (code == MPI_SUCCESS)
        *displacement += width;
    return code;
}

int MPI_Type_get_name(MPI_Datatype type, char *name, int *length)
{
    struct mpi_type *t;
    int code;

    if (type == MPI_DATATYPE_NULL) {
        mpi_name_get("MPI_DATATYPE_NULL", name, length);
        return MPI_SUCCESS;
    }
    code = mpi_type_get(type, &t);
    if (code == MPI_SUCCESS)
        mpi_name_get(t->name != NULL || type >= MPI_DERIVED ? t->name : t->basic->name, name,
                     length);
    return code;
}

/* Basic elements that begin within `bytes` of data; *rest_p: bytes left of one that is cut. */
static uint64_t elements_in(const struct mpi_type *type, uint64_t bytes, uint64_t *rest_p)
{
    uint64_t n, rest;

    *rest_p = bytes;
    if (type->bytes == 0)
        return 0;
    n = bytes / type->bytes * type->elements;
    rest = bytes % type->bytes;
    for (uint64_t k = 0; k < type->nparts; k++) {
        const struct mpi_part *p = &type->parts[k];

        if (rest < p->count * p->type->bytes)
            return n + elements_in(p->type, rest, rest_p);
        n += p->count * p->type->elements;
        rest -= p->count * p->type->bytes;
    }
    if (type->nparts == 0 && type->elements == 2 &&
        rest >= type->basic->unit) { /* the value of a pair */
        n++;
        rest -= type->basic->unit;
    }
    *rest_p = rest;
    return n;
}

int MPI_Get_elements_x(const MPI_Status *status, MPI_Datatype type, MPI_Count *count)
{
    struct mpi_type *t;
    uint64_t n, rest;
    int code = mpi_type_get(type, &t);

    if (code != MPI_SUCCESS)
        return code;
    n = elements_in(t, mpi_status_bytes(status), &rest);
    *count = rest == 0 ? (MPI_Count)n : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

int MPI_Get_elements(const MPI_Status *status, MPI_Datatype type, int *count)
{
    MPI_Count n;
    int code = MPI_Get_elements_x(status, type, &n);

    if (code == MPI_SUCCESS)
        *count = n <= INT_MAX ? (int)n : MPI_UNDEFINED;
    return code;
}

int MPI_Status_set_elements_x(MPI_Status *status, MPI_Datatype type, MPI_Count count)
{
    uint64_t bytes = 0, rest;
    struct mpi_type *t;
    int code = mpi_type_get(type, &t);

    if (code != MPI_SUCCESS)
        return code;
    if (count < 0 || (t->bytes > 0 && (uint64_t)count > INT64_MAX / t->bytes))
        return mpi_error(MPI_ERR_COUNT, "count = %lld: expected 0 or more elements of a message",
                         (long long)count);
    if (t->elements > 0) { /* whole ones, then byte by byte what so many elements take */
        bytes = (uint64_t)count / t->elements * t->bytes;
        while (elements_in(t, bytes, &rest) < (uint64_t)count)
            bytes++;
    }
    status->hub_bytes = (uint32_t)bytes;
    status->hub_bytes_high = (uint32_t)(bytes >> 32);
    return MPI_SUCCESS;
}

int MPI_Status_set_elements(MPI_Status *status, MPI_Datatype type, int count)
{
    return MPI_Status_set_elements_x(status, type, count);
}

int MPI_Get_address(const void *location, MPI_Aint *address)
{
    *address = (MPI_Aint)(uintptr_t)location;
    return MPI_SUCCESS;
}

int MPI_Address(void *location, MPI_Aint *address)
{
    return MPI_Get_address(location, address);
}

MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint displacement)
{
    return base + displacement;
}

MPI_Aint MPI_Aint_diff(MPI_Aint left, MPI_Aint right)
{
    return left - right;
}
