/* Datatypes of parts of arrays. Each dimension is a step: elements of the faster dimensions at a
 * stride, the first at a displacement. */
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/type/type.h"

/** One dimension: `n` blocks of `length`, one at each `period`, and a last one of `rest`. */
struct dimension {
    int64_t start, length, period, n, rest;
};

/* `inner` is released. */
static struct mpi_type *add_dimension(struct mpi_type *inner, const struct dimension *d,
                                      int64_t stride)
{
    struct mpi_type *block = mpi_making_repeat(inner, (uint64_t)d->length, stride);
    struct mpi_making m;

    mpi_making_begin(&m);
    mpi_making_add(&m, block, d->start * stride, (uint64_t)d->n, d->period * stride);
    mpi_making_add(&m, inner, (d->start + d->n * d->period) * stride, (uint64_t)d->rest, stride);
    mpi_type_put(block);
    mpi_type_put(inner);
    return mpi_making_end(&m);
}

/** A type while it is made of an array. Dimensions are in the order of the call. */
struct array {
    int ndims, order;
    struct mpi_type *old;
    struct dimension *dims;
    int *ints; /* as the envelope has them; there is room for a coordinate of each dimension, too */
};

static int begin_array(struct array *a, int ndims, int order, MPI_Datatype oldtype)
{
    int code = mpi_type_get_old(oldtype, &a->old);

    if (code != MPI_SUCCESS)
        return code;
    if (ndims < 1)
        return mpi_error(MPI_ERR_ARG, "ndims = %d: expected 1 or more", ndims);
    if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
        return mpi_error(MPI_ERR_ARG, "order = %d: expected MPI_ORDER_C or MPI_ORDER_FORTRAN",
                         order);
    a->ndims = ndims;
    a->order = order;
    a->dims = mpi_need(mpi_self(), calloc((size_t)ndims, sizeof(*a->dims)));
    a->ints = mpi_need(mpi_self(), calloc(5 * (size_t)ndims + 4, sizeof(*a->ints)));
    return MPI_SUCCESS;
}

static struct mpi_type *make_array(const struct array *a, const int *sizes)
{
    int64_t stride = a->old->extent;
    struct mpi_type *t = a->old;

    t->holders++;
    for (int i = 0; i < a->ndims; i++) { /* the fastest first */
        int k = a->order == MPI_ORDER_C ? a->ndims - 1 - i : i;

        t = add_dimension(t, &a->dims[k], stride);
        stride *= sizes[k];
    }
    t->low = 0;
    t->extent = stride;
    t->marked_low = t->marked_high = true;
    return t;
}

/* The order is the last of the envelope's integers. */
static int end_array(const struct array *a, int code, const int *sizes, int combiner, int nints,
                     MPI_Datatype *newtype)
{
    a->ints[nints - 1] = a->order;
    if (code == MPI_SUCCESS)
        code = mpi_type_add(
            mpi_contents_set(make_array(a, sizes), combiner, nints, a->ints, 0, NULL, 1, &a->old),
            newtype);
    free(a->dims);
    free(a->ints);
    return code;
}

int MPI_Type_create_subarray(int ndims, const int sizes[], const int subsizes[], const int starts[],
                             int order, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct array a;
    int code = begin_array(&a, ndims, order, oldtype);

    if (code != MPI_SUCCESS)
        return code;
    a.ints[0] = ndims;
    for (int i = 0; code == MPI_SUCCESS && i < ndims; i++) {
        if (subsizes[i] < 1 || starts[i] < 0 || subsizes[i] > sizes[i] ||
            starts[i] > sizes[i] - subsizes[i])
            code = mpi_error(MPI_ERR_ARG, "dimension %d: %d from %d on of %d", i, subsizes[i],
                             starts[i], sizes[i]);
        a.dims[i] = (struct dimension){ .start = starts[i], .length = subsizes[i], .n = 1 };
        a.ints[1 + i] = sizes[i];
        a.ints[1 + ndims + i] = subsizes[i];
        a.ints[1 + 2 * ndims + i] = starts[i];
    }
    return end_array(&a, code, sizes, MPI_COMBINER_SUBARRAY, 3 * ndims + 2, newtype);
}

/* Process `me` of `procs` has of `size` elements: all, one block, or each procs-th block. */
static int distribute_dimension(int size, int how, int arg, int procs, int me, struct dimension *d)
{
    int64_t block = arg, rest;

    if (size < 1 || procs < 1 || (how == MPI_DISTRIBUTE_NONE && procs != 1))
        return mpi_error(MPI_ERR_ARG, "%d elements on %d processes", size, procs);
    if (how == MPI_DISTRIBUTE_NONE)
        block = size;
    else if (arg == MPI_DISTRIBUTE_DFLT_DARG)
        block = how == MPI_DISTRIBUTE_BLOCK ? (size + procs - 1) / procs : 1;
    if (how < MPI_DISTRIBUTE_BLOCK || how > MPI_DISTRIBUTE_NONE || block < 1 ||
        (how == MPI_DISTRIBUTE_BLOCK && block * procs < size))
        return mpi_error(MPI_ERR_ARG, "distribution %d by %d: not of %d elements on %d", how, arg,
                         size, procs);
    *d = (struct dimension){ .start = me * block, .length = block, .period = block * procs };
    d->n = size / d->period; /* whole rounds of all processes */
    rest = size - d->n * d->period - d->start;
    rest = rest < 0 ? 0 : rest;
    d->n += rest >= block;
    d->rest = rest >= block ? 0 : rest;
    return MPI_SUCCESS;
}

/* The grid of processes is in the order of C, whatever that of the array (MPI 3.1, 4.1.4). */
static int find_coordinates(int size, int rank, int ndims, const int *psizes, int *coords)
{
    int64_t procs = 1;

    for (int i = 0; i < ndims; i++)
        procs *= psizes[i] > 0 ? psizes[i] : 1;
    if (procs != size || rank < 0 || rank >= size)
        return mpi_error(MPI_ERR_ARG, "rank %d of %d: a grid of %lld processes", rank, size,
                         (long long)procs);
    for (int i = 0; i < ndims; i++) {
        procs /= psizes[i] > 0 ? psizes[i] : 1;
        coords[i] = (int)(rank / procs);
        rank = (int)(rank % procs);
    }
    return MPI_SUCCESS;
}

int MPI_Type_create_darray(int size, int rank, int ndims, const int gsizes[], const int distribs[],
                           const int dargs[], const int psizes[], int order, MPI_Datatype oldtype,
                           MPI_Datatype *newtype)
{
    struct array a;
    int code = begin_array(&a, ndims, order, oldtype), *coords;

    if (code != MPI_SUCCESS)
        return code;
    coords = a.ints + 4 * (size_t)ndims + 4;
    code = find_coordinates(size, rank, ndims, psizes, coords);
    a.ints[0] = size;
    a.ints[1] = rank;
    a.ints[2] = ndims;
    for (int i = 0; code == MPI_SUCCESS && i < ndims; i++) {
        code = distribute_dimension(gsizes[i], distribs[i], dargs[i], psizes[i], coords[i],
                                    &a.dims[i]);
        a.ints[3 + i] = gsizes[i];
        a.ints[3 + ndims + i] = distribs[i];
        a.ints[3 + 2 * ndims + i] = dargs[i];
        a.ints[3 + 3 * ndims + i] = psizes[i];
    }
    return end_array(&a, code, gsizes, MPI_COMBINER_DARRAY, 4 * ndims + 4, newtype);
}

/* Types of Fortran by what they hold: bytes, decimal digits, range of the exponent. */
static const struct {
    int typeclass, bytes, precision, range;
    MPI_Datatype type;
} sized[] = {
    { MPI_TYPECLASS_INTEGER, 1, 0, 2, MPI_INTEGER1 },
    { MPI_TYPECLASS_INTEGER, 2, 0, 4, MPI_INTEGER2 },
    { MPI_TYPECLASS_INTEGER, 4, 0, 9, MPI_INTEGER4 },
    { MPI_TYPECLASS_INTEGER, 8, 0, 18, MPI_INTEGER8 },
    { MPI_TYPECLASS_INTEGER, 16, 0, 38, MPI_INTEGER16 },
    { MPI_TYPECLASS_REAL, 4, 6, 37, MPI_REAL4 },
    { MPI_TYPECLASS_REAL, 8, 15, 307, MPI_REAL8 },
    { MPI_TYPECLASS_REAL, 16, 33, 4931, MPI_REAL16 },
    { MPI_TYPECLASS_COMPLEX, 8, 6, 37, MPI_COMPLEX8 },
    { MPI_TYPECLASS_COMPLEX, 16, 15, 307, MPI_COMPLEX16 },
    { MPI_TYPECLASS_COMPLEX, 32, 33, 4931, MPI_COMPLEX32 },
};
#define SIZED (sizeof(sized) / sizeof(sized[0]))

int MPI_Type_match_size(int typeclass, int size, MPI_Datatype *type)
{
    for (unsigned i = 0; i < SIZED; i++) {
        if (sized[i].typeclass == typeclass && sized[i].bytes == size) {
            *type = sized[i].type;
            return MPI_SUCCESS;
        }
    }
    return mpi_error(MPI_ERR_ARG, "no type of class %d and %d bytes", typeclass, size);
}

/* The first that is enough, like selected_real_kind(); the same arguments give the same handle. */
static int create_f90(struct mpi_rank *mr, int typeclass, int combiner, int precision, int range,
                      MPI_Datatype *newtype)
{
    int ints[2] = { precision, range }, skip = combiner == MPI_COMBINER_F90_INTEGER;

    for (unsigned i = 0; i < mr->types.n; i++) {
        const struct mpi_type *t = mr->types.at[i];
        const struct mpi_contents *c = t != NULL ? t->contents : NULL;

        if (c != NULL && c->combiner == combiner &&
            memcmp(c->ints, ints + skip, (size_t)(2 - skip) * sizeof(int)) == 0) {
            *newtype = t->handle;
            return MPI_SUCCESS;
        }
    }
    for (unsigned i = 0; i < SIZED; i++) {
        struct mpi_type *old;
        int code;

        if (sized[i].typeclass != typeclass ||
            (precision != MPI_UNDEFINED && sized[i].precision < precision) ||
            (range != MPI_UNDEFINED && sized[i].range < range))
            continue;
        old = mpi_type_of(mr, sized[i].type);
        code = mpi_type_add(mpi_contents_set(mpi_making_repeat(old, 1, 0), combiner, 2 - skip,
                                             ints + skip, 0, NULL, 1, &old),
                            newtype);
        if (code == MPI_SUCCESS)
            mpi_type_of(mr, *newtype)->committed = true;
        return code;
    }
    return mpi_error(MPI_ERR_ARG, "precision %d, range %d: no such type", precision, range);
}

int MPI_Type_create_f90_integer(int range, MPI_Datatype *newtype)
{
    return create_f90(mpi_self(), MPI_TYPECLASS_INTEGER, MPI_COMBINER_F90_INTEGER, MPI_UNDEFINED,
                      range, newtype);
}

int MPI_Type_create_f90_real(int precision, int range, MPI_Datatype *newtype)
{
    return create_f90(mpi_self(), MPI_TYPECLASS_REAL, MPI_COMBINER_F90_REAL, precision, range,
                      newtype);
}

int MPI_Type_create_f90_complex(int precision, int range, MPI_Datatype *newtype)
{
    return create_f90(mpi_self(), MPI_TYPECLASS_COMPLEX, MPI_COMBINER_F90_COMPLEX, precision, range,
                      newtype);
}
