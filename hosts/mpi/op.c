#include <string.h>

#include "hosts/mpi/op.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): TYPE names a type and a part of a name */
#define EACH(EXPRESSION)                                                                           \
    for (uint64_t i = 0; i < n; i++)                                                               \
        a[i] = EXPRESSION;                                                                         \
    return true
/* Sums and products of integers wrap: they are those of the unsigned type. */
#define INTEGER(NAME, TYPE)                                                                        \
    static bool combine_##NAME(void *into, const void *from, uint64_t n, MPI_Op op)                \
    {                                                                                              \
        TYPE *a = into;                                                                            \
        const TYPE *b = from;                                                                      \
                                                                                                   \
        switch (op) {                                                                              \
        case MPI_SUM:                                                                              \
            EACH((TYPE)((uint64_t)a[i] + (uint64_t)b[i]));                                         \
        case MPI_PROD:                                                                             \
            EACH((TYPE)((uint64_t)a[i] * (uint64_t)b[i]));                                         \
        case MPI_MAX:                                                                              \
            EACH(a[i] > b[i] ? a[i] : b[i]);                                                       \
        case MPI_MIN:                                                                              \
            EACH(a[i] < b[i] ? a[i] : b[i]);                                                       \
        case MPI_LAND:                                                                             \
            EACH(a[i] != 0 && b[i] != 0);                                                          \
        case MPI_LOR:                                                                              \
            EACH(a[i] != 0 || b[i] != 0);                                                          \
        case MPI_LXOR:                                                                             \
            EACH((a[i] != 0) != (b[i] != 0));                                                      \
        case MPI_BAND:                                                                             \
            EACH((TYPE)(a[i] & b[i]));                                                             \
        case MPI_BOR:                                                                              \
            EACH((TYPE)(a[i] | b[i]));                                                             \
        case MPI_BXOR:                                                                             \
            EACH((TYPE)(a[i] ^ b[i]));                                                             \
        default:                                                                                   \
            return false;                                                                          \
        }                                                                                          \
    }
#define FLOATING(NAME, TYPE)                                                                       \
    static bool combine_##NAME(void *into, const void *from, uint64_t n, MPI_Op op)                \
    {                                                                                              \
        TYPE *a = into;                                                                            \
        const TYPE *b = from;                                                                      \
                                                                                                   \
        switch (op) {                                                                              \
        case MPI_SUM:                                                                              \
            EACH(a[i] + b[i]);                                                                     \
        case MPI_PROD:                                                                             \
            EACH(a[i] * b[i]);                                                                     \
        case MPI_MAX:                                                                              \
            EACH(a[i] > b[i] ? a[i] : b[i]);                                                       \
        case MPI_MIN:                                                                              \
            EACH(a[i] < b[i] ? a[i] : b[i]);                                                       \
        default:                                                                                   \
            return false;                                                                          \
        }                                                                                          \
    }
INTEGER(i8, int8_t)
INTEGER(u8, uint8_t)
INTEGER(i16, int16_t)
INTEGER(u16, uint16_t)
INTEGER(i32, int32_t)
INTEGER(u32, uint32_t)
INTEGER(i64, int64_t)
INTEGER(u64, uint64_t)
FLOATING(float, float)
FLOATING(double, double)
FLOATING(long_double, long double)
/* NOLINTEND(bugprone-macro-parentheses) */

typedef bool (*combine_fn)(void *into, const void *from, uint64_t n, MPI_Op op);

static bool is_bitwise(MPI_Op op)
{
    return op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR;
}

static bool is_logical(MPI_Op op)
{
    return op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR;
}

static combine_fn combine_of(MPI_Datatype type, MPI_Op op)
{
    static const struct {
        MPI_Datatype type;
        combine_fn fn;
    } table[] = {
        { MPI_CHAR, combine_i8 },
        { MPI_SIGNED_CHAR, combine_i8 },
        { MPI_UNSIGNED_CHAR, combine_u8 },
        { MPI_SHORT, combine_i16 },
        { MPI_UNSIGNED_SHORT, combine_u16 },
        { MPI_INT, combine_i32 },
        { MPI_UNSIGNED, combine_u32 },
        { MPI_LONG, combine_i64 },
        { MPI_UNSIGNED_LONG, combine_u64 },
        { MPI_LONG_LONG, combine_i64 },
        { MPI_UNSIGNED_LONG_LONG, combine_u64 },
        { MPI_INT8_T, combine_i8 },
        { MPI_UINT8_T, combine_u8 },
        { MPI_INT16_T, combine_i16 },
        { MPI_UINT16_T, combine_u16 },
        { MPI_INT32_T, combine_i32 },
        { MPI_UINT32_T, combine_u32 },
        { MPI_INT64_T, combine_i64 },
        { MPI_UINT64_T, combine_u64 },
        { MPI_FLOAT, combine_float },
        { MPI_DOUBLE, combine_double },
        { MPI_LONG_DOUBLE, combine_long_double },
    };

    if (type == MPI_BYTE)
        return is_bitwise(op) ? combine_u8 : NULL;
    if (type == MPI_C_BOOL)
        return is_logical(op) ? combine_u8 : NULL;
    for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].type == type)
            return table[i].fn(NULL, NULL, 0, op) ? table[i].fn : NULL;
    return NULL;
}

const struct mpi_op *mpi_op_of(struct mpi_rank *mr, MPI_Op op)
{
    static const struct mpi_op ops[] = {
        { MPI_MAX, true },  { MPI_MIN, true },  { MPI_SUM, true }, { MPI_PROD, true },
        { MPI_LAND, true }, { MPI_BAND, true }, { MPI_LOR, true }, { MPI_BOR, true },
        { MPI_LXOR, true }, { MPI_BXOR, true },
    };

    (void)mr;
    for (unsigned i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
        if (ops[i].handle == op)
            return &ops[i];
    return NULL;
}

int mpi_op_check(struct mpi_rank *mr, const struct mpi_op *op, MPI_Datatype type)
{
    if (combine_of(type, op->handle) != NULL)
        return MPI_SUCCESS;
    return mpi_fail(mr, MPI_ERR_OP, "op = %d: not for datatype %#x", op->handle, (unsigned)type);
}

void mpi_op_apply(struct mpi_rank *mr, const struct mpi_op *op, const void *left, void *right,
                  uint64_t count, const struct mpi_type *type)
{
    static const MPI_Datatype handles[] = {
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

    for (unsigned i = 0; i < sizeof(handles) / sizeof(handles[0]); i++) {
        if (mpi_type_of(mr, handles[i]) == type) {
            combine_of(handles[i], op->handle)(right, left, count, op->handle);
            return;
        }
    }
}
