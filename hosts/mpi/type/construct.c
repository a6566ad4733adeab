/* Constructors of datatypes but those of arrays. */
#include <stdlib.h>

#include "hosts/mpi/type/type.h"

int mpi_type_get_old(MPI_Datatype oldtype, struct mpi_type **old_p)
{
    *old_p = mpi_type_of(mpi_self(), oldtype);
    if (*old_p == NULL)
        return mpi_error(MPI_ERR_TYPE, "oldtype = %#x: no datatype, or one that was freed",
                         (unsigned)oldtype);
    return MPI_SUCCESS;
}

static int check_blocks(int count, int length, MPI_Datatype oldtype, struct mpi_type **old_p)
{
    if (count < 0)
        return mpi_error(MPI_ERR_COUNT, "count = %d: expected 0 or more", count);
    if (length < 0)
        return mpi_error(MPI_ERR_ARG, "blocklength = %d: expected 0 or more", length);
    return mpi_type_get_old(oldtype, old_p);
}

/* A type of one old type, with how it was made. */
static int add_made(struct mpi_type *t, int combiner, int nints, const int *ints, int naddresses,
                    const MPI_Aint *addresses, struct mpi_type *old, MPI_Datatype *newtype)
{
    return mpi_type_add(mpi_contents_set(t, combiner, nints, ints, naddresses, addresses, 1, &old),
                        newtype);
}

int MPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct mpi_type *old;
    int code = check_blocks(count, 0, oldtype, &old);

    if (code != MPI_SUCCESS)
        return code;
    return add_made(mpi_making_repeat(old, (uint64_t)count, old->extent), MPI_COMBINER_CONTIGUOUS,
                    1, &count, 0, NULL, old, newtype);
}

/* `count` blocks at a stride in bytes. */
static struct mpi_type *make_strided(int count, int length, int64_t stride, struct mpi_type *old)
{
    struct mpi_type *block = mpi_making_repeat(old, (uint64_t)length, old->extent);
    struct mpi_type *t = mpi_making_repeat(block, (uint64_t)count, stride);

    mpi_type_put(block);
    return t;
}

int MPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype,
                    MPI_Datatype *newtype)
{
    struct mpi_type *old;
    int ints[] = { count, blocklength, stride };
    int code = check_blocks(count, blocklength, oldtype, &old);

    if (code != MPI_SUCCESS)
        return code;
    return add_made(make_strided(count, blocklength, stride * old->extent, old),
                    MPI_COMBINER_VECTOR, 3, ints, 0, NULL, old, newtype);
}

int MPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                            MPI_Datatype *newtype)
{
    struct mpi_type *old;
    int ints[] = { count, blocklength };
    int code = check_blocks(count, blocklength, oldtype, &old);

    if (code != MPI_SUCCESS)
        return code;
    return add_made(make_strided(count, blocklength, stride, old), MPI_COMBINER_HVECTOR, 2, ints, 1,
                    &stride, old, newtype);
}

int MPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                     MPI_Datatype *newtype)
{
    return MPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype);
}

/** Blocks at displacements: of one length or several, in bytes or in elements. */
struct blocks {
    int combiner, count, length;
    const int *lengths; /* or NULL: all `length` */
    const int *elements;
    const MPI_Aint *bytes; /* or NULL: *elements */
};

static int block_length(const struct blocks *b, int i)
{
    return b->lengths != NULL ? b->lengths[i] : b->length;
}

static int64_t block_displacement(const struct blocks *b, int i, int64_t extent)
{
    if (b->elements != NULL)
        return b->elements[i] * extent;
    return b->bytes != NULL ? b->bytes[i] : 0;
}

static struct mpi_type *make_indexed(const struct blocks *b, struct mpi_type *old)
{
    struct mpi_making m;

    mpi_making_begin(&m);
    for (int i = 0; i < b->count; i++) {
        mpi_making_add(&m, old, block_displacement(b, i, old->extent), (uint64_t)block_length(b, i),
                       old->extent);
    }
    return mpi_making_end(&m);
}

/* Envelopes have count, lengths or the length, then displacements (MPI 3.1, 4.1.13). */
static int add_indexed(const struct blocks *b, struct mpi_type *old, MPI_Datatype *newtype)
{
    int n = 0, *ints = mpi_need(mpi_self(), malloc((2 * (size_t)b->count + 2) * sizeof(int))), code;

    ints[n++] = b->count;
    if (b->lengths == NULL)
        ints[n++] = b->length;
    for (int i = 0; b->lengths != NULL && i < b->count; i++)
        ints[n++] = b->lengths[i];
    for (int i = 0; b->elements != NULL && i < b->count; i++)
        ints[n++] = b->elements[i];
    code = add_made(make_indexed(b, old), b->combiner, n, ints, b->bytes != NULL ? b->count : 0,
                    b->bytes, old, newtype);
    free(ints);
    return code;
}

static int create_indexed(const struct blocks *b, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct mpi_type *old;
    int code = check_blocks(b->count, b->length, oldtype, &old);

    if (code != MPI_SUCCESS)
        return code;
    for (int i = 0; i < b->count; i++)
        if (block_length(b, i) < 0)
            return mpi_error(MPI_ERR_ARG, "blocklength %d = %d: expected 0 or more", i,
                             block_length(b, i));
    return add_indexed(b, old, newtype);
}

int MPI_Type_indexed(int count, const int blocklengths[], const int displacements[],
                     MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct blocks b = { MPI_COMBINER_INDEXED, count, 0, blocklengths, displacements, NULL };

    return create_indexed(&b, oldtype, newtype);
}

int MPI_Type_create_hindexed(int count, const int blocklengths[], const MPI_Aint displacements[],
                             MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct blocks b = { MPI_COMBINER_HINDEXED, count, 0, blocklengths, NULL, displacements };

    return create_indexed(&b, oldtype, newtype);
}

int MPI_Type_hindexed(int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype oldtype,
                      MPI_Datatype *newtype)
{
    return MPI_Type_create_hindexed(count, blocklengths, displacements, oldtype, newtype);
}

int MPI_Type_create_indexed_block(int count, int blocklength, const int displacements[],
                                  MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct blocks b = { MPI_COMBINER_INDEXED_BLOCK, count, blocklength, NULL, displacements, NULL };

    return create_indexed(&b, oldtype, newtype);
}

int MPI_Type_create_hindexed_block(int count, int blocklength, const MPI_Aint displacements[],
                                   MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct blocks b = {
        MPI_COMBINER_HINDEXED_BLOCK, count, blocklength, NULL, NULL, displacements
    };

    return create_indexed(&b, oldtype, newtype);
}

static int add_struct(int count, const int *lengths, const MPI_Aint *displacements,
                      struct mpi_type *const *olds, MPI_Datatype *newtype)
{
    struct mpi_making m;
    int *ints = mpi_need(mpi_self(), malloc(((size_t)count + 1) * sizeof(int))), code;

    ints[0] = count;
    mpi_making_begin(&m);
    for (int i = 0; i < count; i++) {
        ints[i + 1] = lengths[i];
        mpi_making_add(&m, olds[i], displacements[i], (uint64_t)lengths[i], olds[i]->extent);
    }
    code = mpi_type_add(mpi_contents_set(mpi_making_end(&m), MPI_COMBINER_STRUCT, count + 1, ints,
                                         count, displacements, count, olds),
                        newtype);
    free(ints);
    return code;
}

int MPI_Type_create_struct(int count, const int blocklengths[], const MPI_Aint displacements[],
                           const MPI_Datatype types[], MPI_Datatype *newtype)
{
    struct mpi_type **olds;
    int code = MPI_SUCCESS;

    if (count < 0)
        return mpi_error(MPI_ERR_COUNT, "count = %d: expected 0 or more", count);
    olds = mpi_need(mpi_self(), malloc(((size_t)count + 1) * sizeof(struct mpi_type *)));
    for (int i = 0; code == MPI_SUCCESS && i < count; i++) {
        if (blocklengths[i] < 0)
            code = mpi_error(MPI_ERR_ARG, "blocklength %d = %d: expected 0 or more", i,
                             blocklengths[i]);
        else
            code = mpi_type_get_old(types[i], &olds[i]);
    }
    if (code == MPI_SUCCESS)
        code = add_struct(count, blocklengths, displacements, olds, newtype);
    free(olds);
    return code;
}

int MPI_Type_struct(int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype types[],
                    MPI_Datatype *newtype)
{
    return MPI_Type_create_struct(count, blocklengths, displacements, types, newtype);
}

int MPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent,
                            MPI_Datatype *newtype)
{
    MPI_Aint addresses[] = { lb, extent };
    struct mpi_type *old;
    struct mpi_making m;
    int code = mpi_type_get_old(oldtype, &old);

    if (code != MPI_SUCCESS)
        return code;
    mpi_making_begin(&m);
    mpi_making_add(&m, old, 0, 1, 0);
    m.any_low = m.any_high = true; /* instead of the old type's */
    m.marked_low = lb;
    m.marked_high = lb + extent;
    return add_made(mpi_making_end(&m), MPI_COMBINER_RESIZED, 0, NULL, 2, addresses, old, newtype);
}

struct mpi_type *mpi_type_equal(struct mpi_type *old)
{
    struct mpi_type *t = mpi_making_repeat(old, 1, 0);

    t->low = old->low;
    t->extent = old->extent;
    t->committed = old->committed;
    return t;
}

/* Attributes are copied as their keyvals say; the name is not. */
static int create_duplicate(struct mpi_type *old, MPI_Datatype *newtype)
{
    struct mpi_type *t = mpi_type_equal(old);
    int code;

    (void)add_made(t, MPI_COMBINER_DUP, 0, NULL, 0, NULL, old, newtype);
    code = mpi_attrs_copy(mpi_self(), old->handle, &old->attrs, &t->attrs);
    if (code != MPI_SUCCESS) {
        MPI_Type_free(newtype);
        *newtype = MPI_DATATYPE_NULL;
    }
    return code;
}

int mpi_type_again(struct mpi_type *type, MPI_Datatype *handle_p)
{
    if (type->contents != NULL)
        return create_duplicate(type, handle_p);
    *handle_p = type->handle;
    return MPI_SUCCESS;
}

int MPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct mpi_type *old;
    int code = mpi_type_get_old(oldtype, &old);

    return code == MPI_SUCCESS ? create_duplicate(old, newtype) : code;
}
