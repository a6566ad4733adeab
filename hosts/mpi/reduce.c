#include <string.h>

#include "hosts/mpi/internal.h"

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

/* NULL: the operation is not for this type. */
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

/* To rank 0 along a binomial tree, lower ranks left: the order of floating-point operations depends
 * on the number of ranks only. `part` has room for as much as `sum`. */
static int reduce_to_0(const struct mpi_group *g, void *sum, void *part, uint64_t count,
                       struct mpi_type *type, combine_fn combine, MPI_Op op)
{
    int code = MPI_SUCCESS;

    for (int step = 1; code == MPI_SUCCESS && step < g->size; step *= 2) {
        if ((g->rank & step) != 0)
            return mpi_group_send(g, g->rank - step, type, sum, count);
        if (g->rank + step >= g->size)
            continue;
        code = mpi_group_receive(g, g->rank + step, type, part, count);
        if (code == MPI_SUCCESS)
            combine(sum, part, count, op);
    }
    return code;
}

/* What each rank gives is in `own`; the result is in the rank's scratch memory on rank 0. */
static int reduce(const struct mpi_group *g, const void *own, int count, MPI_Datatype type,
                  MPI_Op op, struct mpi_type **type_p)
{
    combine_fn combine = combine_of(type, op);
    int code = mpi_check_data(g->mr, own, count, type, type_p);
    uint64_t bytes;
    char *sum;

    if (code != MPI_SUCCESS)
        return code;
    if (combine == NULL)
        return mpi_fail(g->mr, MPI_ERR_OP, "op = %d: not for datatype %#x", op, (unsigned)type);
    bytes = (uint64_t)count * (*type_p)->bytes;
    sum = mpi_scratch(g->mr, 2 * bytes);
    if (sum == NULL)
        return MPI_ERR_NO_MEM;
    if (bytes > 0)
        memcpy(sum, own, bytes);
    return reduce_to_0(g, sum, sum + bytes, (uint64_t)count, *type_p, combine, op);
}

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_group g;
    struct mpi_type *t = NULL;
    int code = mpi_group_init(&g, mr, comm, MPI_TAG_REDUCE);

    if (code == MPI_SUCCESS)
        code = mpi_check_data(mr, recvbuf, count, type, &t);
    if (code == MPI_SUCCESS)
        code = reduce(&g, sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, type, op, &t);
    if (code == MPI_SUCCESS && count > 0) {
        if (g.rank == 0)
            memcpy(recvbuf, mr->scratch, (uint64_t)count * t->bytes);
        code = mpi_group_bcast(&g, 0, t, recvbuf, (uint64_t)count);
    }
    return mpi_end(mr, __func__, code);
}

/* By way of rank 0, so that the result has the same bits for every root. */
int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
               int root, MPI_Comm comm)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_group g;
    struct mpi_type *t = NULL;
    int code = mpi_group_init(&g, mr, comm, MPI_TAG_REDUCE);

    if (code == MPI_SUCCESS)
        code = mpi_group_root(&g, root);
    if (code == MPI_SUCCESS && g.rank == root)
        code = mpi_check_data(mr, recvbuf, count, type, &t);
    if (code == MPI_SUCCESS)
        code = reduce(&g, sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, type, op, &t);
    if (code != MPI_SUCCESS || count == 0)
        return mpi_end(mr, __func__, code);
    if (root == 0 && g.rank == 0)
        memcpy(recvbuf, mr->scratch, (uint64_t)count * t->bytes);
    else if (g.rank == 0)
        code = mpi_group_send(&g, root, t, mr->scratch, (uint64_t)count);
    else if (g.rank == root)
        code = mpi_group_receive(&g, 0, t, recvbuf, (uint64_t)count);
    return mpi_end(mr, __func__, code);
}
