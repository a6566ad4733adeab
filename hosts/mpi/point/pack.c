/* MPI_Pack() and its like. Packed data are the bytes of the elements; in "external32" each number
 * is big-endian, of the size that MPI 3.1, 13.5.2 gives. */
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/point/protocol.h"

static void spend_copy(uint64_t bytes)
{
    struct host *h = host_self();

    host_spend_cost(h, HOST_COST_CALL);
    h->cpu->spend(h, h->cpu->cost_ps(h, HOST_COST_COPY_KB) * bytes / 1024);
}

/* The data of `count` elements, at position `at` of a buffer of `size`. */
static int check_packed(MPI_Comm comm, const void *buf, int count, MPI_Datatype type, int64_t at,
                        int64_t size, struct mpi_type **type_p)
{
    struct mpi_rank *mr = mpi_self();
    int code;

    if (mpi_comm_of(mr, comm) == NULL)
        return MPI_ERR_COMM;
    code = mpi_check_data(mr, buf, count, type, type_p);
    if (code != MPI_SUCCESS)
        return code;
    if (at < 0 || size < 0 || at > size)
        return mpi_error(MPI_ERR_ARG, "position = %lld of %lld", (long long)at, (long long)size);
    return MPI_SUCCESS;
}

/* Of this machine's bytes. */
static int check_room(const struct mpi_type *t, int count, int room)
{
    if ((uint64_t)room >= (uint64_t)count * t->bytes)
        return MPI_SUCCESS;
    return mpi_error(MPI_ERR_TRUNCATE, "%d elements of %llu bytes: room for %d", count,
                     (unsigned long long)t->bytes, room);
}

int MPI_Pack(const void *inbuf, int incount, MPI_Datatype type, void *outbuf, int outsize,
             int *position, MPI_Comm comm)
{
    struct mpi_type *t;
    int code = check_packed(comm, inbuf, incount, type, *position, outsize, &t);

    if (code == MPI_SUCCESS)
        code = check_room(t, incount, outsize - *position);
    if (code == MPI_SUCCESS) {
        spend_copy((uint64_t)incount * t->bytes);
        mpi_type_pack(t, inbuf, (uint64_t)incount, (char *)outbuf + *position);
        *position += (int)((uint64_t)incount * t->bytes);
    }
    return code;
}

int MPI_Unpack(const void *inbuf, int insize, int *position, void *outbuf, int outcount,
               MPI_Datatype type, MPI_Comm comm)
{
    struct mpi_type *t;
    int code = check_packed(comm, outbuf, outcount, type, *position, insize, &t);

    if (code == MPI_SUCCESS)
        code = check_room(t, outcount, insize - *position);
    if (code == MPI_SUCCESS) {
        spend_copy((uint64_t)outcount * t->bytes);
        mpi_type_unpack(t, outbuf, (const char *)inbuf + *position, (uint64_t)outcount * t->bytes);
        *position += (int)((uint64_t)outcount * t->bytes);
    }
    return code;
}

int MPI_Pack_size(int count, MPI_Datatype type, MPI_Comm comm, int *size)
{
    struct mpi_type *t;
    int code = check_packed(comm, &count, count, type, 0, 0, &t);

    if (code == MPI_SUCCESS)
        *size = (int)((uint64_t)count * t->bytes);
    return code;
}

/** One of the two is written. */
struct external {
    bool out; /* to external32 */
    uint8_t *native, *external;
};

/* Between the processor's long double and IEEE's of 128 bits, the same where there is no other. */
static void convert_long_double(const uint8_t *from, uint8_t *to, bool out)
{
#if defined(__SIZEOF_FLOAT128__) && __LDBL_MANT_DIG__ != 113
    long double number = 0;
    __extension__ __float128 wide = 0;

    if (out) {
        memcpy(&number, from, sizeof(number));
        wide = number;
        memcpy(to, &wide, sizeof(wide));
        return;
    }
    memcpy(&wide, from, sizeof(wide));
    number = (long double)wide;
    memset(to, 0, sizeof(number));
    memcpy(to, &number, 10); /* the other six are no part of it */
#else
    (void)out;
    memcpy(to, from, 16);
#endif
}

/* One number of `size` bytes here and `external` there. */
static void convert_number(struct external *e, enum mpi_number kind, unsigned size,
                           unsigned external, bool long_double)
{
    uint8_t bytes[32];
    uint8_t *n = e->native, *x = e->external;

    e->native += size;
    e->external += external;
    if (e->out) {
        memcpy(bytes, n, size);
        if (long_double)
            convert_long_double(n, bytes, true);
        for (unsigned i = 0; i < external; i++)
            x[i] = bytes[external - 1 - i];
        return;
    }
    memset(bytes, kind == MPI_NUMBER_SIGNED && (x[0] & 0x80) != 0 ? 0xff : 0, sizeof(bytes));
    for (unsigned i = 0; i < external; i++)
        bytes[external - 1 - i] = x[i];
    if (long_double)
        convert_long_double(bytes, n, false);
    else
        memcpy(n, bytes, size);
}

static void convert_basic(struct external *e, const struct mpi_basic *b)
{
    convert_number(e, b->kind == MPI_NUMBER_PAIR ? b->value : b->kind, b->unit, b->external,
                   mpi_basic_is_long_double(b));
    if (b->kind == MPI_NUMBER_COMPLEX)
        convert_number(e, b->kind, b->unit, b->external, mpi_basic_is_long_double(b));
    if (b->kind == MPI_NUMBER_PAIR) {
        unsigned rest = ((unsigned)b->handle >> 8) - b->unit; /* an int, or like the value */

        convert_number(e, rest == 4 ? MPI_NUMBER_SIGNED : b->value, rest, rest, false);
    }
}

static void convert_type(struct external *e, const struct mpi_type *t, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (t->nparts == 0 && t->bytes > 0)
            convert_basic(e, t->basic);
        for (uint64_t k = 0; k < t->nparts; k++)
            convert_type(e, t->parts[k].type, t->parts[k].count);
    }
}

static uint64_t external_bytes(const struct mpi_type *t)
{
    uint64_t bytes = 0;

    if (t->nparts == 0 && t->bytes > 0) {
        bytes = t->basic->external;
        if (t->basic->kind == MPI_NUMBER_COMPLEX)
            bytes *= 2;
        if (t->basic->kind == MPI_NUMBER_PAIR)
            bytes += t->bytes - t->basic->unit;
    }
    for (uint64_t k = 0; k < t->nparts; k++)
        bytes += t->parts[k].count * external_bytes(t->parts[k].type);
    return bytes;
}

static int external_check(const char *datarep, const void *buf, int count, MPI_Datatype type,
                          int64_t at, int64_t size, struct mpi_type **type_p)
{
    int code = check_packed(MPI_COMM_WORLD, buf, count, type, at, size, type_p);

    if (code != MPI_SUCCESS)
        return code;
    if (strcmp(datarep, "external32") != 0)
        return mpi_error(MPI_ERR_ARG, "datarep = %s: expected external32", datarep);
    if ((uint64_t)(size - at) < (uint64_t)count * external_bytes(*type_p))
        return mpi_error(MPI_ERR_TRUNCATE, "%d elements: room for %lld bytes", count,
                         (long long)(size - at));
    return MPI_SUCCESS;
}

/* By way of the packed bytes of this machine. */
static int pack_external(struct mpi_type *t, void *buf, int count, void *packed, MPI_Aint *position,
                         bool out)
{
    uint64_t bytes = (uint64_t)count * t->bytes;
    uint8_t *native = mpi_need(mpi_self(), malloc(bytes + 1));
    struct external e = { out, native, (uint8_t *)packed + *position };

    spend_copy(bytes);
    if (out)
        mpi_type_pack(t, buf, (uint64_t)count, native);
    convert_type(&e, t, (uint64_t)count);
    if (!out)
        mpi_type_unpack(t, buf, native, bytes);
    *position += (MPI_Aint)((uint64_t)count * external_bytes(t));
    free(native);
    return MPI_SUCCESS;
}

int MPI_Pack_external(const char datarep[], const void *inbuf, int incount, MPI_Datatype type,
                      void *outbuf, MPI_Aint outsize, MPI_Aint *position)
{
    struct mpi_type *t;
    int code = external_check(datarep, inbuf, incount, type, *position, outsize, &t);

    if (code == MPI_SUCCESS)
        code = pack_external(t, (void *)(uintptr_t)inbuf, incount, outbuf, position, true);
    return code;
}

int MPI_Unpack_external(const char datarep[], const void *inbuf, MPI_Aint insize,
                        MPI_Aint *position, void *outbuf, int outcount, MPI_Datatype type)
{
    struct mpi_type *t;
    int code = external_check(datarep, outbuf, outcount, type, *position, insize, &t);

    if (code == MPI_SUCCESS)
        code = pack_external(t, outbuf, outcount, (void *)(uintptr_t)inbuf, position, false);
    return code;
}

int MPI_Pack_external_size(const char datarep[], int count, MPI_Datatype type, MPI_Aint *size)
{
    struct mpi_type *t;
    int code = external_check(datarep, &count, count, type, 0, INT64_MAX, &t);

    if (code == MPI_SUCCESS)
        *size = (MPI_Aint)((uint64_t)count * external_bytes(t));
    return code;
}
