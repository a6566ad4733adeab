/* Section 5.9, operations: each on each type that the standard allows, and errors for the others.
 */
#include "check.h"

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

enum { SUM = 1, BITS = 2, LOGIC = 4, ORDER = 8, PAIRS = 16 };

static const struct {
    MPI_Datatype type;
    int ops;
    const char *name;
} types[] = {
    { MPI_INT, SUM | ORDER | BITS | LOGIC, "MPI_INT" },
    { MPI_LONG, SUM | ORDER | BITS | LOGIC, "MPI_LONG" },
    { MPI_SHORT, SUM | ORDER | BITS | LOGIC, "MPI_SHORT" },
    { MPI_UNSIGNED_SHORT, SUM | ORDER | BITS | LOGIC, "MPI_UNSIGNED_SHORT" },
    { MPI_UNSIGNED, SUM | ORDER | BITS | LOGIC, "MPI_UNSIGNED" },
    { MPI_UNSIGNED_LONG, SUM | ORDER | BITS | LOGIC, "MPI_UNSIGNED_LONG" },
    { MPI_LONG_LONG, SUM | ORDER | BITS | LOGIC, "MPI_LONG_LONG" },
    { MPI_UNSIGNED_LONG_LONG, SUM | ORDER | BITS | LOGIC, "MPI_UNSIGNED_LONG_LONG" },
    { MPI_SIGNED_CHAR, SUM | ORDER | BITS | LOGIC, "MPI_SIGNED_CHAR" },
    { MPI_UNSIGNED_CHAR, SUM | ORDER | BITS | LOGIC, "MPI_UNSIGNED_CHAR" },
    { MPI_INT8_T, SUM | ORDER | BITS | LOGIC, "MPI_INT8_T" },
    { MPI_INT16_T, SUM | ORDER | BITS | LOGIC, "MPI_INT16_T" },
    { MPI_INT32_T, SUM | ORDER | BITS | LOGIC, "MPI_INT32_T" },
    { MPI_INT64_T, SUM | ORDER | BITS | LOGIC, "MPI_INT64_T" },
    { MPI_UINT8_T, SUM | ORDER | BITS | LOGIC, "MPI_UINT8_T" },
    { MPI_UINT16_T, SUM | ORDER | BITS | LOGIC, "MPI_UINT16_T" },
    { MPI_UINT32_T, SUM | ORDER | BITS | LOGIC, "MPI_UINT32_T" },
    { MPI_UINT64_T, SUM | ORDER | BITS | LOGIC, "MPI_UINT64_T" },
    { MPI_INTEGER, SUM | ORDER | BITS, "MPI_INTEGER" },
    { MPI_INTEGER8, SUM | ORDER | BITS, "MPI_INTEGER8" },
    { MPI_AINT, SUM | ORDER | BITS | LOGIC, "MPI_AINT" },
    { MPI_OFFSET, SUM | ORDER | BITS | LOGIC, "MPI_OFFSET" },
    { MPI_COUNT, SUM | ORDER | BITS | LOGIC, "MPI_COUNT" },
    { MPI_FLOAT, SUM | ORDER, "MPI_FLOAT" },
    { MPI_DOUBLE, SUM | ORDER, "MPI_DOUBLE" },
    { MPI_LONG_DOUBLE, SUM | ORDER, "MPI_LONG_DOUBLE" },
    { MPI_REAL, SUM | ORDER, "MPI_REAL" },
    { MPI_DOUBLE_PRECISION, SUM | ORDER, "MPI_DOUBLE_PRECISION" },
    { MPI_REAL16, SUM | ORDER, "MPI_REAL16" },
    { MPI_C_BOOL, LOGIC, "MPI_C_BOOL" },
    { MPI_CXX_BOOL, LOGIC, "MPI_CXX_BOOL" },
    { MPI_LOGICAL, LOGIC, "MPI_LOGICAL" },
    { MPI_C_FLOAT_COMPLEX, SUM, "MPI_C_FLOAT_COMPLEX" },
    { MPI_C_DOUBLE_COMPLEX, SUM, "MPI_C_DOUBLE_COMPLEX" },
    { MPI_C_LONG_DOUBLE_COMPLEX, SUM, "MPI_C_LONG_DOUBLE_COMPLEX" },
    { MPI_CXX_DOUBLE_COMPLEX, SUM, "MPI_CXX_DOUBLE_COMPLEX" },
    { MPI_COMPLEX, SUM, "MPI_COMPLEX" },
    { MPI_DOUBLE_COMPLEX, SUM, "MPI_DOUBLE_COMPLEX" },
    { MPI_BYTE, BITS, "MPI_BYTE" },
    { MPI_FLOAT_INT, PAIRS, "MPI_FLOAT_INT" },
    { MPI_DOUBLE_INT, PAIRS, "MPI_DOUBLE_INT" },
    { MPI_LONG_INT, PAIRS, "MPI_LONG_INT" },
    { MPI_2INT, PAIRS, "MPI_2INT" },
    { MPI_SHORT_INT, PAIRS, "MPI_SHORT_INT" },
    { MPI_LONG_DOUBLE_INT, PAIRS, "MPI_LONG_DOUBLE_INT" },
    { MPI_2REAL, PAIRS, "MPI_2REAL" },
    { MPI_2DOUBLE_PRECISION, PAIRS, "MPI_2DOUBLE_PRECISION" },
    { MPI_2INTEGER, PAIRS, "MPI_2INTEGER" },
    { MPI_WCHAR, 0, "MPI_WCHAR" },
    { MPI_CHARACTER, 0, "MPI_CHARACTER" },
    { MPI_PACKED, 0, "MPI_PACKED" },
};

static const struct {
    MPI_Op op;
    int kind;
    const char *name;
} ops[] = {
    { MPI_SUM, SUM, "MPI_SUM" },         { MPI_PROD, SUM, "MPI_PROD" },
    { MPI_MAX, ORDER, "MPI_MAX" },       { MPI_MIN, ORDER, "MPI_MIN" },
    { MPI_BAND, BITS, "MPI_BAND" },      { MPI_BOR, BITS, "MPI_BOR" },
    { MPI_BXOR, BITS, "MPI_BXOR" },      { MPI_LAND, LOGIC, "MPI_LAND" },
    { MPI_LOR, LOGIC, "MPI_LOR" },       { MPI_LXOR, LOGIC, "MPI_LXOR" },
    { MPI_MAXLOC, PAIRS, "MPI_MAXLOC" }, { MPI_MINLOC, PAIRS, "MPI_MINLOC" },
};

static void which(void)
{
    char zeros[256] = { 0 }, more[256] = { 0 };

    for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
        for (size_t o = 0; o < sizeof(ops) / sizeof(ops[0]); o++) {
            int allowed = (types[t].ops & ops[o].kind) != 0, class = -1;
            int code = MPI_Reduce_local(zeros, more, 3, types[t].type, ops[o].op);

            MPI_Error_class(code, &class);
            CHECK(class == (allowed ? MPI_SUCCESS : MPI_ERR_OP), "5.9.2 %s of %s: class %d",
                  ops[o].name, types[t].name, class);
        }
    }
}

/* left = 6, right = 3 in each type: every result is known. */
#define NUMBERS(TYPE, MPI_TYPE)                                                                    \
    do {                                                                                           \
        static const MPI_Op which[] = { MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN };                     \
        static const int want[] = { 9, 18, 6, 3 };                                                 \
                                                                                                   \
        for (int k = 0; k < 4; k++) {                                                              \
            TYPE a[3] = { 6, 6, 6 }, b[3] = { 3, 3, 3 };                                           \
                                                                                                   \
            CHECK_OK(MPI_Reduce_local(a, b, 2, MPI_TYPE, which[k]), "5.9.2 " #MPI_TYPE);           \
            CHECK(b[0] == (TYPE)want[k] && b[1] == (TYPE)want[k] && b[2] == 3 && a[0] == 6,        \
                  "5.9.2 operation %d of " #MPI_TYPE, k);                                          \
        }                                                                                          \
    } while (0)
#define INTEGERS(TYPE, MPI_TYPE)                                                                   \
    do {                                                                                           \
        static const MPI_Op which[] = {                                                            \
            MPI_BAND, MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR                               \
        };                                                                                         \
        static const int want[] = { 2, 7, 5, 1, 1, 0 };                                            \
                                                                                                   \
        NUMBERS(TYPE, MPI_TYPE);                                                                   \
        for (int k = 0; k < 6; k++) {                                                              \
            TYPE a[1] = { 6 }, b[1] = { 3 };                                                       \
                                                                                                   \
            MPI_Reduce_local(a, b, 1, MPI_TYPE, which[k]);                                         \
            CHECK(b[0] == (TYPE)want[k], "5.9.2 integer operation %d of " #MPI_TYPE, k);           \
        }                                                                                          \
    } while (0)
#define COMPLEXES(TYPE, MPI_TYPE)                                                                  \
    do {                                                                                           \
        TYPE complex a[1] = { 1 + 2 * I }, b[1] = { 3 - I };                                       \
                                                                                                   \
        MPI_Reduce_local(a, b, 1, MPI_TYPE, MPI_SUM);                                              \
        CHECK(b[0] == 4 + I, "5.9.2 sum of " #MPI_TYPE);                                           \
        MPI_Reduce_local(a, b, 1, MPI_TYPE, MPI_PROD);                                             \
        CHECK(b[0] == 2 + 9 * I, "5.9.2 product of " #MPI_TYPE);                                   \
    } while (0)
#define LOCATIONS(TYPE, INDEX, MPI_TYPE)                                                           \
    do {                                                                                           \
        struct {                                                                                   \
            TYPE value;                                                                            \
            INDEX index;                                                                           \
        } a[4] = { { 5, 1 }, { 2, 7 }, { 4, 3 }, { 4, 9 } },                                       \
          b[4] = { { 3, 2 }, { 6, 8 }, { 4, 5 }, { 4, 6 } }, c[4];                                 \
                                                                                                   \
        memcpy(c, b, sizeof(b));                                                                   \
        MPI_Reduce_local(a, b, 4, MPI_TYPE, MPI_MAXLOC);                                           \
        CHECK(b[0].value == 5 && b[0].index == 1 && b[1].value == 6 && b[1].index == 8 &&          \
                  b[2].index == 3 && b[3].index == 6,                                              \
              "5.9.4 maxloc of " #MPI_TYPE);                                                       \
        MPI_Reduce_local(a, c, 4, MPI_TYPE, MPI_MINLOC);                                           \
        CHECK(c[0].value == 3 && c[0].index == 2 && c[1].value == 2 && c[1].index == 7 &&          \
                  c[2].index == 3 && c[3].index == 6,                                              \
              "5.9.4 minloc of " #MPI_TYPE);                                                       \
    } while (0)

static void values(void)
{
    bool yes[4] = { true, true, false, false }, no[4] = { true, false, true, false };

    INTEGERS(int, MPI_INT);
    INTEGERS(short, MPI_SHORT);
    INTEGERS(long, MPI_LONG);
    INTEGERS(long long, MPI_LONG_LONG);
    INTEGERS(unsigned, MPI_UNSIGNED);
    INTEGERS(unsigned short, MPI_UNSIGNED_SHORT);
    INTEGERS(unsigned long, MPI_UNSIGNED_LONG);
    INTEGERS(signed char, MPI_SIGNED_CHAR);
    INTEGERS(unsigned char, MPI_UNSIGNED_CHAR);
    INTEGERS(int8_t, MPI_INT8_T);
    INTEGERS(uint16_t, MPI_UINT16_T);
    INTEGERS(int64_t, MPI_INT64_T);
    NUMBERS(MPI_Aint, MPI_AINT);
    NUMBERS(MPI_Count, MPI_COUNT);
    NUMBERS(float, MPI_FLOAT);
    NUMBERS(double, MPI_DOUBLE);
    NUMBERS(long double, MPI_LONG_DOUBLE);
    NUMBERS(float, MPI_REAL4);
    NUMBERS(double, MPI_REAL8);
    COMPLEXES(float, MPI_C_FLOAT_COMPLEX);
    COMPLEXES(double, MPI_C_DOUBLE_COMPLEX);
    COMPLEXES(long double, MPI_C_LONG_DOUBLE_COMPLEX);
    LOCATIONS(float, int, MPI_FLOAT_INT);
    LOCATIONS(double, int, MPI_DOUBLE_INT);
    LOCATIONS(long, int, MPI_LONG_INT);
    LOCATIONS(int, int, MPI_2INT);
    LOCATIONS(short, int, MPI_SHORT_INT);
    LOCATIONS(long double, int, MPI_LONG_DOUBLE_INT);
    LOCATIONS(float, float, MPI_2REAL);
    LOCATIONS(double, double, MPI_2DOUBLE_PRECISION);
    MPI_Reduce_local(yes, no, 4, MPI_C_BOOL, MPI_LXOR);
    CHECK(!no[0] && no[1] && no[2] && !no[3], "5.9.2 exclusive or of MPI_C_BOOL");
}

static MPI_Datatype seen = MPI_DATATYPE_NULL;

/* Matrices of two by two: the product does not commute. */
static void multiply(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int(*a)[4] = in, (*b)[4] = inout;

    seen = *type;
    for (int i = 0; i < *count; i++) {
        int c[4] = { a[i][0] * b[i][0] + a[i][1] * b[i][2], a[i][0] * b[i][1] + a[i][1] * b[i][3],
                     a[i][2] * b[i][0] + a[i][3] * b[i][2], a[i][2] * b[i][1] + a[i][3] * b[i][3] };

        memcpy(b[i], c, sizeof(c));
    }
}

static void of_the_program(void)
{
    int mine[4] = { 1, check_rank + 1, 0, 1 }, got[4] = { 0 }, want[4] = { 1, 0, 0, 1 }, flag = -1;
    int skew[4] = { 0, 1, -1, check_rank }, result[4] = { 0 };
    MPI_Datatype matrix;
    MPI_Op op;

    MPI_Type_contiguous(4, MPI_INT, &matrix);
    MPI_Type_commit(&matrix);
    CHECK_OK(MPI_Op_create(multiply, 0, &op), "5.9.5 create");
    CHECK(MPI_Op_commutative(op, &flag) == MPI_SUCCESS && flag == 0, "5.9.7 it does not commute");
    CHECK(MPI_Op_commutative(MPI_SUM, &flag) == MPI_SUCCESS && flag == 1, "5.9.7 a sum commutes");
    CHECK_OK(MPI_Allreduce(mine, got, 1, matrix, op, MPI_COMM_WORLD), "5.9.5 allreduce");
    want[1] = check_size * (check_size + 1) / 2;
    CHECK(memcmp(got, want, sizeof(got)) == 0, "5.9.5 a product of matrices");
    CHECK(seen == MPI_DATATYPE_NULL || seen == matrix, "5.9.5 the function is told the datatype");
    MPI_Allreduce(skew, result, 1, matrix, op, MPI_COMM_WORLD);
    memcpy(want, (int[]){ 1, 0, 0, 1 }, sizeof(want));
    for (int r = check_size - 1; r >= 0; r--) {
        int a[4] = { 0, 1, -1, r }, n = 1;

        multiply(a, want, &n, &matrix);
    }
    CHECK(memcmp(result, want, sizeof(want)) == 0, "5.9.5 in the order of ranks");
    CHECK_OK(MPI_Op_free(&op), "5.9.5 free");
    CHECK(op == MPI_OP_NULL, "5.9.5 free sets the handle");
    CHECK_ERROR(MPI_ERR_OP, MPI_Op_free(&op), "5.9.5 free of none");
    op = MPI_SUM;
    CHECK_ERROR(MPI_ERR_OP, MPI_Op_free(&op), "5.9.5 free of a predefined one");
    CHECK_ERROR(MPI_ERR_OP, MPI_Allreduce(mine, got, 1, matrix, MPI_SUM, MPI_COMM_WORLD),
                "5.9.2 a sum of a derived type");
    MPI_Type_free(&matrix);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv, "ops");
    which();
    values();
    of_the_program();
    return check_end();
}
