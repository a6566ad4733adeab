/* The operations of the standard on numbers (MPI 3.1, 5.9.2 and 5.9.4). */
#include "hosts/mpi/type/op.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): TYPE names a type */
/* The functions of a type, by operation. */
#define ROW(NAME, ...)    static const mpi_combine_fn NAME[MPI_NO_OP + 1] = { __VA_ARGS__ };
#define LOGICAL_ROW(NAME) [MPI_LAND] = NAME##_land, [MPI_LOR] = NAME##_lor, [MPI_LXOR] = NAME##_lxor
#define BITWISE_ROW(NAME) [MPI_BAND] = NAME##_band, [MPI_BOR] = NAME##_bor, [MPI_BXOR] = NAME##_bxor
#define FLOAT_ROW(NAME)                                                                            \
    [MPI_SUM] = NAME##_sum, [MPI_PROD] = NAME##_prod, [MPI_MAX] = NAME##_max, [MPI_MIN] = NAME##_min
#define INTEGER_ROW(NAME) FLOAT_ROW(NAME), BITWISE_ROW(NAME), LOGICAL_ROW(NAME)
#define COMPLEX_ROW(NAME) [MPI_SUM] = NAME##_sum, [MPI_PROD] = NAME##_prod
#define PAIR_ROW(NAME)    [MPI_MAXLOC] = NAME##_maxloc, [MPI_MINLOC] = NAME##_minloc

#define COMBINE(NAME, TYPE, EXPRESSION)                                                            \
    static void NAME(void *right, const void *left, uint64_t n)                                    \
    {                                                                                              \
        TYPE *b = right;                                                                           \
        const TYPE *a = left;                                                                      \
                                                                                                   \
        for (uint64_t i = 0; i < n; i++)                                                           \
            b[i] = EXPRESSION;                                                                     \
    }
#define LOGICAL(NAME, TYPE)                                                                        \
    COMBINE(NAME##_land, TYPE, (TYPE)(a[i] != 0 && b[i] != 0))                                     \
    COMBINE(NAME##_lor, TYPE, (TYPE)(a[i] != 0 || b[i] != 0))                                      \
    COMBINE(NAME##_lxor, TYPE, (TYPE)((a[i] != 0) != (b[i] != 0)))
/* Sums and products of integers wrap: they are those of the unsigned type WIDE. */
#define INTEGER(NAME, TYPE, WIDE)                                                                  \
    COMBINE(NAME##_sum, TYPE, (TYPE)((WIDE)a[i] + (WIDE)b[i]))                                     \
    COMBINE(NAME##_prod, TYPE, (TYPE)((WIDE)a[i] * (WIDE)b[i]))                                    \
    COMBINE(NAME##_max, TYPE, a[i] > b[i] ? a[i] : b[i])                                           \
    COMBINE(NAME##_min, TYPE, a[i] < b[i] ? a[i] : b[i])                                           \
    COMBINE(NAME##_band, TYPE, (TYPE)(a[i] & b[i]))                                                \
    COMBINE(NAME##_bor, TYPE, (TYPE)(a[i] | b[i]))                                                 \
    COMBINE(NAME##_bxor, TYPE, (TYPE)(a[i] ^ b[i]))                                                \
    LOGICAL(NAME, TYPE)                                                                            \
    ROW(NAME, INTEGER_ROW(NAME))
#define FLOATING(NAME, TYPE)                                                                       \
    COMBINE(NAME##_sum, TYPE, a[i] + b[i])                                                         \
    COMBINE(NAME##_prod, TYPE, a[i] * b[i])                                                        \
    COMBINE(NAME##_max, TYPE, a[i] > b[i] ? a[i] : b[i])                                           \
    COMBINE(NAME##_min, TYPE, a[i] < b[i] ? a[i] : b[i])                                           \
    ROW(NAME, FLOAT_ROW(NAME))
/* The product as its definition has it: that of the language would look for infinities. */
#define COMPLEX(NAME, TYPE)                                                                        \
    struct NAME {                                                                                  \
        TYPE re, im;                                                                               \
    };                                                                                             \
    COMBINE(NAME##_sum, struct NAME, ((struct NAME){ a[i].re + b[i].re, a[i].im + b[i].im }))      \
    COMBINE(NAME##_prod, struct NAME,                                                              \
            ((struct NAME){ a[i].re * b[i].re - a[i].im * b[i].im,                                 \
                            a[i].re * b[i].im + a[i].im * b[i].re }))                              \
    ROW(NAME, COMPLEX_ROW(NAME))
#define LOCATE(NAME, TYPE, BETTER, WORSE)                                                          \
    static void NAME(void *right, const void *left, uint64_t n)                                    \
    {                                                                                              \
        struct TYPE *b = right;                                                                    \
        const struct TYPE *a = left;                                                               \
                                                                                                   \
        for (uint64_t i = 0; i < n; i++)                                                           \
            if (!(a[i].value WORSE b[i].value))                                                    \
                TYPE##_take(&b[i], &a[i], a[i].value BETTER b[i].value);                           \
    }
/* Among equal values the lower index wins. */
#define PAIR(NAME, TYPE, INDEX)                                                                    \
    struct NAME {                                                                                  \
        TYPE value;                                                                                \
        INDEX index;                                                                               \
    };                                                                                             \
    static void NAME##_take(struct NAME *b, const struct NAME *a, bool better)                     \
    {                                                                                              \
        if (better)                                                                                \
            b->value = a->value;                                                                   \
        if (better || a->index < b->index)                                                         \
            b->index = a->index;                                                                   \
    }                                                                                              \
    LOCATE(NAME##_maxloc, NAME, >, <)                                                              \
    LOCATE(NAME##_minloc, NAME, <, >)                                                              \
    ROW(NAME, PAIR_ROW(NAME))

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;
#else /* no such type: what the numbers are is not known */
typedef int64_t int128;
typedef uint64_t uint128;
#endif
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 float128;
#else
typedef long double float128;
#endif

INTEGER(i8, int8_t, uint64_t)
INTEGER(u8, uint8_t, uint64_t)
INTEGER(i16, int16_t, uint64_t)
INTEGER(u16, uint16_t, uint64_t)
INTEGER(i32, int32_t, uint64_t)
INTEGER(u32, uint32_t, uint64_t)
INTEGER(i64, int64_t, uint64_t)
INTEGER(u64, uint64_t, uint64_t)
INTEGER(i128, int128, uint128)
FLOATING(f32, float)
FLOATING(f64, double)
FLOATING(f80, long double)
FLOATING(f128, float128)
COMPLEX(c32, float)
COMPLEX(c64, double)
COMPLEX(c80, long double)
COMPLEX(c128, float128)
PAIR(float_int, float, int)
PAIR(double_int, double, int)
PAIR(long_int, long, int)
PAIR(int_int, int, int)
PAIR(short_int, short, int)
PAIR(long_double_int, long double, int)
PAIR(float_float, float, float)
PAIR(double_double, double, double)
ROW(byte, BITWISE_ROW(u8))
ROW(bool1, LOGICAL_ROW(u8))
ROW(logical4, LOGICAL_ROW(i32))
/* NOLINTEND(bugprone-macro-parentheses) */

/* Which of a kind's rows is for numbers of 1, 2, 4, 8, 16 bytes. */
static const mpi_combine_fn *row_by_size(const mpi_combine_fn *const rows[5], unsigned bytes)
{
    unsigned i = 0;

    while (bytes > 1) {
        bytes /= 2;
        i++;
    }
    return rows[i];
}

static const mpi_combine_fn *pair_row(MPI_Datatype type)
{
    static const struct {
        MPI_Datatype type;
        const mpi_combine_fn *row;
    } pairs[] = {
        { MPI_FLOAT_INT, float_int }, { MPI_DOUBLE_INT, double_int },
        { MPI_LONG_INT, long_int },   { MPI_SHORT_INT, short_int },
        { MPI_2REAL, float_float },   { MPI_2DOUBLE_PRECISION, double_double },
        { MPI_2INT, int_int },        { MPI_LONG_DOUBLE_INT, long_double_int },
        { MPI_2INTEGER, int_int },
    };
    unsigned i = 0;

    while (pairs[i].type != type)
        i++;
    return pairs[i].row;
}

/* NULL: no operation is for the type. */
static const mpi_combine_fn *row_of(const struct mpi_basic *b)
{
    static const mpi_combine_fn *const integers[] = { i8, i16, i32, i64, i128 };
    static const mpi_combine_fn *const naturals[] = { u8, u16, u32, u64, NULL };
    static const mpi_combine_fn *const reals[] = { NULL, NULL, f32, f64, f128 };
    static const mpi_combine_fn *const complexes[] = { NULL, NULL, c32, c64, c128 };

    switch (b->kind) {
    case MPI_NUMBER_BYTE:
        return byte;
    case MPI_NUMBER_SIGNED:
        return row_by_size(integers, b->unit);
    case MPI_NUMBER_UNSIGNED:
        return row_by_size(naturals, b->unit);
    case MPI_NUMBER_LOGICAL:
        return b->unit == 1 ? bool1 : logical4;
    case MPI_NUMBER_FLOAT:
        return mpi_basic_is_long_double(b) ? f80 : row_by_size(reals, b->unit);
    case MPI_NUMBER_COMPLEX:
        return mpi_basic_is_long_double(b) ? c80 : row_by_size(complexes, b->unit);
    case MPI_NUMBER_PAIR:
        return pair_row(b->handle);
    default:
        return NULL;
    }
}

/* Logical operations are for C integers, those that all languages share among them, and logical
 * types. */
static bool is_no_c_integer(MPI_Datatype type)
{
    return type == MPI_INTEGER || type == MPI_INTEGER1 || type == MPI_INTEGER2 ||
           type == MPI_INTEGER4 || type == MPI_INTEGER8 || type == MPI_INTEGER16;
}

mpi_combine_fn mpi_combine_of(const struct mpi_basic *type, MPI_Op op)
{
    const mpi_combine_fn *row = type != NULL ? row_of(type) : NULL;
    bool logical = op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR;

    return row == NULL || (logical && is_no_c_integer(type->handle)) ? NULL : row[op];
}
