/* What the operations of the standard do to numbers (MPI 3.1, 5.9.2 and 5.9.4). */
#include "hosts/mpi/type/op.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): TYPE names a type */
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
    LOGICAL(NAME, TYPE)
#define FLOATING(NAME, TYPE)                                                                       \
    COMBINE(NAME##_sum, TYPE, a[i] + b[i])                                                         \
    COMBINE(NAME##_prod, TYPE, a[i] * b[i])                                                        \
    COMBINE(NAME##_max, TYPE, a[i] > b[i] ? a[i] : b[i])                                           \
    COMBINE(NAME##_min, TYPE, a[i] < b[i] ? a[i] : b[i])
/* The product as its definition has it: that of the language would look for infinities. */
#define COMPLEX(NAME, TYPE)                                                                        \
    struct NAME {                                                                                  \
        TYPE re, im;                                                                               \
    };                                                                                             \
    COMBINE(NAME##_sum, struct NAME, ((struct NAME){ a[i].re + b[i].re, a[i].im + b[i].im }))      \
    COMBINE(NAME##_prod, struct NAME,                                                              \
            ((struct NAME){ a[i].re * b[i].re - a[i].im * b[i].im,                                 \
                            a[i].re * b[i].im + a[i].im * b[i].re }))
/* Of equal values the lower index. */
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
    static void NAME##_maxloc(void *right, const void *left, uint64_t n)                           \
    {                                                                                              \
        struct NAME *b = right;                                                                    \
        const struct NAME *a = left;                                                               \
                                                                                                   \
        for (uint64_t i = 0; i < n; i++)                                                           \
            if (!(a[i].value < b[i].value))                                                        \
                NAME##_take(&b[i], &a[i], a[i].value > b[i].value);                                \
    }                                                                                              \
    static void NAME##_minloc(void *right, const void *left, uint64_t n)                           \
    {                                                                                              \
        struct NAME *b = right;                                                                    \
        const struct NAME *a = left;                                                               \
                                                                                                   \
        for (uint64_t i = 0; i < n; i++)                                                           \
            if (!(a[i].value > b[i].value))                                                        \
                NAME##_take(&b[i], &a[i], a[i].value < b[i].value);                                \
    }

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
/* NOLINTEND(bugprone-macro-parentheses) */

#define LOGICAL_ROW(NAME) [MPI_LAND] = NAME##_land, [MPI_LOR] = NAME##_lor, [MPI_LXOR] = NAME##_lxor
#define BITWISE_ROW(NAME) [MPI_BAND] = NAME##_band, [MPI_BOR] = NAME##_bor, [MPI_BXOR] = NAME##_bxor
#define FLOAT_ROW(NAME)                                                                            \
    [MPI_SUM] = NAME##_sum, [MPI_PROD] = NAME##_prod, [MPI_MAX] = NAME##_max, [MPI_MIN] = NAME##_min
#define INTEGER_ROW(NAME) FLOAT_ROW(NAME), BITWISE_ROW(NAME), LOGICAL_ROW(NAME)
#define COMPLEX_ROW(NAME) [MPI_SUM] = NAME##_sum, [MPI_PROD] = NAME##_prod
#define PAIR_ROW(NAME)    [MPI_MAXLOC] = NAME##_maxloc, [MPI_MINLOC] = NAME##_minloc

enum row {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    I128,
    F32,
    F64,
    F80,
    F128,
    C32,
    C64,
    C80,
    C128,
    FLOAT_INT,
    DOUBLE_INT,
    LONG_INT,
    INT_INT,
    SHORT_INT,
    LONG_DOUBLE_INT,
    FLOAT_FLOAT,
    DOUBLE_DOUBLE,
    BYTE,
    BOOL,
    LOGICAL4,
    ROWS
};

static const mpi_combine_fn table[ROWS][MPI_NO_OP + 1] = {
    [I8] = { INTEGER_ROW(i8) },
    [U8] = { INTEGER_ROW(u8) },
    [I16] = { INTEGER_ROW(i16) },
    [U16] = { INTEGER_ROW(u16) },
    [I32] = { INTEGER_ROW(i32) },
    [U32] = { INTEGER_ROW(u32) },
    [I64] = { INTEGER_ROW(i64) },
    [U64] = { INTEGER_ROW(u64) },
    [I128] = { INTEGER_ROW(i128) },
    [F32] = { FLOAT_ROW(f32) },
    [F64] = { FLOAT_ROW(f64) },
    [F80] = { FLOAT_ROW(f80) },
    [F128] = { FLOAT_ROW(f128) },
    [C32] = { COMPLEX_ROW(c32) },
    [C64] = { COMPLEX_ROW(c64) },
    [C80] = { COMPLEX_ROW(c80) },
    [C128] = { COMPLEX_ROW(c128) },
    [FLOAT_INT] = { PAIR_ROW(float_int) },
    [DOUBLE_INT] = { PAIR_ROW(double_int) },
    [LONG_INT] = { PAIR_ROW(long_int) },
    [INT_INT] = { PAIR_ROW(int_int) },
    [SHORT_INT] = { PAIR_ROW(short_int) },
    [LONG_DOUBLE_INT] = { PAIR_ROW(long_double_int) },
    [FLOAT_FLOAT] = { PAIR_ROW(float_float) },
    [DOUBLE_DOUBLE] = { PAIR_ROW(double_double) },
    [BYTE] = { BITWISE_ROW(u8) },
    [BOOL] = { LOGICAL_ROW(u8) },
    [LOGICAL4] = { LOGICAL_ROW(i32) },
};

/* Which of a kind's rows is for numbers of 1, 2, 4, 8, 16 bytes. */
static enum row by_size(const enum row *rows, unsigned bytes)
{
    unsigned i = 0;

    while (bytes > 1) {
        bytes /= 2;
        i++;
    }
    return rows[i];
}

static bool is_c_long_double(const struct mpi_basic *b)
{
    return b->handle == MPI_LONG_DOUBLE || b->handle == MPI_C_LONG_DOUBLE_COMPLEX ||
           b->handle == MPI_CXX_LONG_DOUBLE_COMPLEX;
}

static enum row pair_row(MPI_Datatype type)
{
    switch (type) {
    case MPI_FLOAT_INT:
        return FLOAT_INT;
    case MPI_DOUBLE_INT:
        return DOUBLE_INT;
    case MPI_LONG_INT:
        return LONG_INT;
    case MPI_SHORT_INT:
        return SHORT_INT;
    case MPI_LONG_DOUBLE_INT:
        return LONG_DOUBLE_INT;
    case MPI_2REAL:
        return FLOAT_FLOAT;
    case MPI_2DOUBLE_PRECISION:
        return DOUBLE_DOUBLE;
    default: /* MPI_2INT, MPI_2INTEGER */
        return INT_INT;
    }
}

static enum row row_of(const struct mpi_basic *b)
{
    static const enum row integers[] = { I8, I16, I32, I64, I128 };
    static const enum row naturals[] = { U8, U16, U32, U64, ROWS };
    static const enum row reals[] = { ROWS, ROWS, F32, F64, F128 };
    static const enum row complexes[] = { ROWS, ROWS, C32, C64, C128 };

    switch (b->kind) {
    case MPI_NUMBER_BYTE:
        return BYTE;
    case MPI_NUMBER_SIGNED:
        return by_size(integers, b->unit);
    case MPI_NUMBER_UNSIGNED:
        return by_size(naturals, b->unit);
    case MPI_NUMBER_LOGICAL:
        return b->unit == 1 ? BOOL : LOGICAL4;
    case MPI_NUMBER_FLOAT:
        return is_c_long_double(b) ? F80 : by_size(reals, b->unit);
    case MPI_NUMBER_COMPLEX:
        return is_c_long_double(b) ? C80 : by_size(complexes, b->unit);
    case MPI_NUMBER_PAIR:
        return pair_row(b->handle);
    default:
        return ROWS;
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
    enum row row = type != NULL ? row_of(type) : ROWS;
    bool logical = op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR;

    if (row == ROWS || (logical && is_no_c_integer(type->handle)))
        return NULL;
    return table[row][op];
}
