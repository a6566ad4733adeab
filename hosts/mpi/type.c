#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/internal.h"

#define DERIVED   0x10000 /* handles of derived types begin here */
#define MAX_BYTES (UINT64_C(1) << 40)

static const MPI_Datatype basic_types[MPI_BASIC_TYPES] = {
    MPI_BYTE,
    MPI_CHAR,
    MPI_UNSIGNED_CHAR,
    MPI_INT,
    MPI_UNSIGNED,
    MPI_FLOAT,
    MPI_DOUBLE,
    MPI_LONG,
    MPI_UNSIGNED_LONG,
    MPI_LONG_LONG,
    MPI_UNSIGNED_LONG_LONG,
    MPI_SIGNED_CHAR,
    MPI_SHORT,
    MPI_UNSIGNED_SHORT,
    MPI_INT8_T,
    MPI_INT16_T,
    MPI_INT32_T,
    MPI_INT64_T,
    MPI_UINT8_T,
    MPI_UINT16_T,
    MPI_UINT32_T,
    MPI_UINT64_T,
    MPI_LONG_DOUBLE,
    MPI_C_BOOL,
};

void mpi_types_init(struct mpi_rank *mr)
{
    for (unsigned i = 0; i < MPI_BASIC_TYPES; i++) {
        struct mpi_type *t = &mr->basic[i];

        *t = (struct mpi_type){ .holders = 1, .committed = true, .npieces = 1 };
        t->bytes = t->extent = t->whole.bytes = (uint64_t)basic_types[i] >> 8;
        t->pieces = &t->whole;
    }
}

struct mpi_type *mpi_type_of(struct mpi_rank *mr, MPI_Datatype type)
{
    unsigned index = (unsigned)(type & 0xff) - 1;

    if (type >= DERIVED)
        return (unsigned)(type - DERIVED) < mr->ntypes ? mr->types[type - DERIVED] : NULL;
    return index < MPI_BASIC_TYPES && basic_types[index] == type ? &mr->basic[index] : NULL;
}

/* Basic types are held by the rank itself. */
void mpi_type_put(struct mpi_type *type)
{
    if (--type->holders > 0)
        return;
    free(type->pieces);
    free(type);
}

void mpi_types_release(struct mpi_rank *mr)
{
    for (unsigned i = 0; i < mr->ntypes; i++)
        if (mr->types[i] != NULL)
            mpi_type_put(mr->types[i]);
    free(mr->types);
}

void mpi_type_pack(const struct mpi_type *type, const void *buf, uint64_t count, uint8_t *to)
{
    const uint8_t *from = buf;

    if (type->npieces == 1 && type->bytes == type->extent) {
        memcpy(to, from + type->pieces[0].offset, count * type->bytes);
        return;
    }
    for (uint64_t i = 0; i < count; i++, from += type->extent) {
        for (uint64_t k = 0; k < type->npieces; k++) {
            memcpy(to, from + type->pieces[k].offset, type->pieces[k].bytes);
            to += type->pieces[k].bytes;
        }
    }
}

void mpi_type_unpack(const struct mpi_type *type, void *buf, const uint8_t *from, uint64_t bytes)
{
    uint8_t *to = buf;

    if (bytes > 0 && type->npieces == 1 && type->bytes == type->extent) {
        memcpy(to + type->pieces[0].offset, from, bytes);
        return;
    }
    for (; bytes > 0; to += type->extent) {
        for (uint64_t k = 0; bytes > 0 && k < type->npieces; k++) {
            uint64_t n = type->pieces[k].bytes < bytes ? type->pieces[k].bytes : bytes;

            memcpy(to + type->pieces[k].offset, from, n);
            from += n;
            bytes -= n;
        }
    }
}

int mpi_type_copy(struct mpi_rank *mr, const struct mpi_type *from_type, const void *from,
                  uint64_t from_count, const struct mpi_type *to_type, void *to, uint64_t to_count)
{
    uint64_t bytes = from_count * from_type->bytes;
    uint8_t *packed;

    if (bytes > to_count * to_type->bytes)
        return mpi_fail(mr, MPI_ERR_TRUNCATE, "own block of %" PRIu64 " bytes, room for %" PRIu64,
                        bytes, to_count * to_type->bytes);
    if (bytes == 0)
        return MPI_SUCCESS;
    packed = malloc(bytes);
    if (packed == NULL)
        return mpi_fail(mr, MPI_ERR_NO_MEM, "out of memory");
    mpi_type_pack(from_type, from, from_count, packed);
    mpi_type_unpack(to_type, to, packed, bytes);
    free(packed);
    return MPI_SUCCESS;
}

static int type_add(struct mpi_rank *mr, struct mpi_type *type, MPI_Datatype *type_p)
{
    struct mpi_type **more;
    unsigned i = 0;

    while (i < mr->ntypes && mr->types[i] != NULL)
        i++;
    if (i == mr->ntypes) {
        more = realloc(mr->types, (i + 1) * sizeof(struct mpi_type *));
        if (more == NULL)
            return mpi_fail(mr, MPI_ERR_NO_MEM, "out of memory");
        mr->types = more;
        mr->ntypes++;
    }
    mr->types[i] = type;
    *type_p = DERIVED + (MPI_Datatype)i;
    return MPI_SUCCESS;
}

/* Pieces that touch become one. */
static void add_piece(struct mpi_type *t, int64_t offset, uint64_t bytes)
{
    struct mpi_piece *last = t->npieces > 0 ? &t->pieces[t->npieces - 1] : NULL;

    if (last != NULL && last->offset + (int64_t)last->bytes == offset)
        last->bytes += bytes;
    else
        t->pieces[t->npieces++] = (struct mpi_piece){ offset, bytes };
}

/* The extent spans the first to the last element of the old type, gaps at their ends included. */
static void fill(struct mpi_type *t, const struct mpi_type *old, uint64_t count, uint64_t length,
                 int64_t stride)
{
    int64_t low = 0, high = 0, extent = (int64_t)old->extent;

    for (uint64_t i = 0; i < count; i++) {
        for (uint64_t j = 0; j < length; j++) {
            int64_t at = ((int64_t)i * stride + (int64_t)j) * extent;

            if (t->npieces == 0 || at + old->low < low)
                low = at + old->low;
            if (t->npieces == 0 || at + old->low + extent > high)
                high = at + old->low + extent;
            for (uint64_t k = 0; k < old->npieces; k++)
                add_piece(t, at + old->pieces[k].offset, old->pieces[k].bytes);
        }
    }
    t->low = low;
    t->extent = (uint64_t)(high - low);
    t->bytes = count * length * old->bytes;
}

static int type_vector(struct mpi_rank *mr, int count, int length, int stride, MPI_Datatype oldtype,
                       MPI_Datatype *newtype)
{
    struct mpi_type *old, *t;
    int code;

    if (mr == NULL)
        return MPI_ERR_OTHER;
    old = mpi_type_of(mr, oldtype);
    if (old == NULL)
        return mpi_fail(mr, MPI_ERR_TYPE, "oldtype = %#x: no datatype", (unsigned)oldtype);
    if (count < 0 || length < 0)
        return mpi_fail(mr, MPI_ERR_COUNT, "count = %d, blocklength = %d: expected 0 or more",
                        count, length);
    if ((uint64_t)count * (uint64_t)length * (old->npieces + 1) > MAX_BYTES / 64)
        return mpi_fail(mr, MPI_ERR_COUNT, "count = %d: too many pieces", count);
    t = calloc(1, sizeof(*t));
    if (t != NULL)
        t->pieces =
            calloc((uint64_t)count * (uint64_t)length * old->npieces + 1, sizeof(*t->pieces));
    if (t == NULL || t->pieces == NULL) {
        free(t);
        return mpi_fail(mr, MPI_ERR_NO_MEM, "out of memory");
    }
    t->holders = 1;
    fill(t, old, (uint64_t)count, (uint64_t)length, stride);
    code = type_add(mr, t, newtype);
    if (code != MPI_SUCCESS) {
        free(t->pieces);
        free(t);
    }
    return code;
}

int MPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct mpi_rank *mr = mpi_self();

    return mpi_end(mr, __func__, type_vector(mr, 1, count, 1, oldtype, newtype));
}

int MPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype,
                    MPI_Datatype *newtype)
{
    struct mpi_rank *mr = mpi_self();

    return mpi_end(mr, __func__, type_vector(mr, count, blocklength, stride, oldtype, newtype));
}

static int type_get(struct mpi_rank *mr, MPI_Datatype type, struct mpi_type **type_p)
{
    if (mr == NULL)
        return MPI_ERR_OTHER;
    *type_p = mpi_type_of(mr, type);
    if (*type_p == NULL)
        return mpi_fail(mr, MPI_ERR_TYPE, "datatype = %#x: no datatype", (unsigned)type);
    return MPI_SUCCESS;
}

int MPI_Type_commit(MPI_Datatype *type)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_type *t = NULL;
    int code = type_get(mr, *type, &t);

    if (code == MPI_SUCCESS)
        t->committed = true;
    return mpi_end(mr, __func__, code);
}

int MPI_Type_free(MPI_Datatype *type)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_type *t = NULL;
    int code = type_get(mr, *type, &t);

    if (code == MPI_SUCCESS && *type < DERIVED)
        code = mpi_fail(mr, MPI_ERR_TYPE, "datatype = %#x: a basic datatype", (unsigned)*type);
    if (code == MPI_SUCCESS) {
        mpi_type_put(mr->types[*type - DERIVED]);
        mr->types[*type - DERIVED] = NULL;
        *type = MPI_DATATYPE_NULL;
    }
    return mpi_end(mr, __func__, code);
}

int MPI_Type_size(MPI_Datatype type, int *size)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_type *t = NULL;
    int code = type_get(mr, type, &t);

    if (code == MPI_SUCCESS)
        *size = (int)t->bytes;
    return mpi_end(mr, __func__, code);
}
