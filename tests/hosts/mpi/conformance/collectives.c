/* Collectives: chapter 5 of MPI-3.1. */
#include "check.h"
#include <stdbool.h>
#include <stdint.h>

#define LENGTH 5

/* ---- every operation on every type ------------------------------------------------------ */

/* What rank r gives: small, so that no product overflows; also 0, for the logical ones. */
static int given(int r, int i)
{
    return (r * 3 + i) % 4;
}

#define INTEGER_OPS(TYPE, MPI)                                                                     \
    static void ops_##MPI(void)                                                                    \
    {                                                                                              \
        TYPE in[LENGTH], out[LENGTH] = { 0 };                                                      \
                                                                                                   \
        one_op(MPI, #MPI, MPI_BAND, 3);                                                            \
        ORDERED_OPS(TYPE, MPI, SUM, a + b)                                                         \
        ORDERED_OPS(TYPE, MPI, PROD, a *b)                                                         \
        ORDERED_OPS(TYPE, MPI, MAX, a > b ? a : b)                                                 \
        ORDERED_OPS(TYPE, MPI, MIN, a < b ? a : b)                                                 \
        ORDERED_OPS(TYPE, MPI, LAND, a &&b)                                                        \
        ORDERED_OPS(TYPE, MPI, LOR, a || b)                                                        \
        ORDERED_OPS(TYPE, MPI, LXOR, !a != !b)                                                     \
        ORDERED_OPS(TYPE, MPI, BAND, a &b)                                                         \
        ORDERED_OPS(TYPE, MPI, BOR, a | b)                                                         \
        ORDERED_OPS(TYPE, MPI, BXOR, a ^ b)                                                        \
    }
#define FLOATING_OPS(TYPE, MPI)                                                                    \
    static void ops_##MPI(void)                                                                    \
    {                                                                                              \
        TYPE in[LENGTH], out[LENGTH] = { 0 };                                                      \
                                                                                                   \
        ORDERED_OPS(TYPE, MPI, SUM, a + b)                                                         \
        ORDERED_OPS(TYPE, MPI, PROD, a *b)                                                         \
        ORDERED_OPS(TYPE, MPI, MAX, a > b ? a : b)                                                 \
        ORDERED_OPS(TYPE, MPI, MIN, a < b ? a : b)                                                 \
    }
#define ORDERED_OPS(TYPE, MPI, OP, EXPRESSION)                                                     \
    {                                                                                              \
        int bad = 0;                                                                               \
                                                                                                   \
        for (int i = 0; i < LENGTH; i++)                                                           \
            out[i] = (TYPE)given(check_rank, i);                                                   \
        MPI_Allreduce(out, in, LENGTH, MPI, MPI_##OP, MPI_COMM_WORLD);                             \
        for (int i = 0; i < LENGTH; i++) {                                                         \
            TYPE a = (TYPE)given(0, i);                                                            \
            for (int r = 1; r < check_size; r++) {                                                 \
                TYPE b = (TYPE)given(r, i);                                                        \
                a = (TYPE)(EXPRESSION);                                                            \
            }                                                                                      \
            bad += check_size > 1 ? in[i] != a : in[i] != out[i];                                  \
        }                                                                                          \
        CHECK(bad == 0, "5.9.2 MPI_" #OP " of " #MPI);                                             \
    }

/* Ints give the same as bytes of any kind would: it only has to be there. */
static void one_op(MPI_Datatype type, const char *name, MPI_Op op, int value)
{
    char out[16], in[16];
    int size;

    MPI_Type_size(type, &size);
    memset(out, value, sizeof(out));
    MPI_Allreduce(out, in, 1, type, op, MPI_COMM_WORLD);
    CHECK(memcmp(in, out, (size_t)size) == 0, "5.9.2 bits of %s", name);
}

INTEGER_OPS(signed char, MPI_SIGNED_CHAR)
INTEGER_OPS(unsigned char, MPI_UNSIGNED_CHAR)
INTEGER_OPS(short, MPI_SHORT)
INTEGER_OPS(unsigned short, MPI_UNSIGNED_SHORT)
INTEGER_OPS(int, MPI_INT)
INTEGER_OPS(unsigned, MPI_UNSIGNED)
INTEGER_OPS(long, MPI_LONG)
INTEGER_OPS(unsigned long, MPI_UNSIGNED_LONG)
INTEGER_OPS(long long, MPI_LONG_LONG)
INTEGER_OPS(unsigned long long, MPI_UNSIGNED_LONG_LONG)
INTEGER_OPS(int8_t, MPI_INT8_T)
INTEGER_OPS(int16_t, MPI_INT16_T)
INTEGER_OPS(int32_t, MPI_INT32_T)
INTEGER_OPS(int64_t, MPI_INT64_T)
INTEGER_OPS(uint8_t, MPI_UINT8_T)
INTEGER_OPS(uint16_t, MPI_UINT16_T)
INTEGER_OPS(uint32_t, MPI_UINT32_T)
INTEGER_OPS(uint64_t, MPI_UINT64_T)
FLOATING_OPS(float, MPI_FLOAT)
FLOATING_OPS(double, MPI_DOUBLE)
FLOATING_OPS(long double, MPI_LONG_DOUBLE)

static void other_types(void)
{
    bool b = check_rank == 0, any = false, all = true;
    unsigned char byte = (unsigned char)(1 << (check_rank % 8)), bytes = 0;
    int out;

    MPI_Allreduce(&b, &any, 1, MPI_C_BOOL, MPI_LOR, MPI_COMM_WORLD);
    MPI_Allreduce(&b, &all, 1, MPI_C_BOOL, MPI_LAND, MPI_COMM_WORLD);
    CHECK(any && all == (check_size == 1), "5.9.2 logical operations of MPI_C_BOOL");
    MPI_Allreduce(&byte, &bytes, 1, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    CHECK(bytes == (check_size >= 8 ? 255 : (1 << check_size) - 1), "5.9.2 MPI_BOR of MPI_BYTE");
    CHECK_ERROR(MPI_ERR_OP, MPI_Allreduce(&byte, &bytes, 1, MPI_BYTE, MPI_SUM, MPI_COMM_WORLD),
                "5.9.2 no sum of bytes");
    CHECK_ERROR(MPI_ERR_OP,
                MPI_Allreduce(&(float){ 1 }, &(float){ 0 }, 1, MPI_FLOAT, MPI_BAND, MPI_COMM_WORLD),
                "5.9.2 no bits of floating point");
    CHECK_ERROR(MPI_ERR_OP,
                MPI_Allreduce(&check_rank, &out, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD),
                "5.9.2 no operation");
}

static void locations(void)
{
    struct {
        double value;
        int at;
    } d = { (check_rank * 5) % 4, check_rank }, got;
    int pair[2] = { -((check_rank * 5) % 4), 100 - check_rank }, low[2], first = 0, last = 0;

    for (int r = 1; r < check_size; r++) {
        if (r * 5 % 4 > first * 5 % 4)
            first = r;
        if (r * 5 % 4 >= last * 5 % 4)
            last = r;
    }
    MPI_Allreduce(&d, &got, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    CHECK(got.value == first * 5 % 4 && got.at == first, "5.9.4 MPI_MAXLOC, the lowest place");
    MPI_Allreduce(pair, low, 1, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD);
    CHECK(low[0] == -(first * 5 % 4) && low[1] == 100 - last, "5.9.4 MPI_MINLOC, the lowest index");
}

/* ---- operations of the program's --------------------------------------------------------- */

/* x -> a x + b, modulo a prime; one after the other does not commute. */
struct map {
    int a, b;
};
#define PRIME 9973

static void compose(void *in, void *inout, int *count, MPI_Datatype *type)
{
    struct map *f = in, *g = inout;

    (void)type;
    for (int i = 0; i < *count; i++) { /* first f, then g */
        g[i].b = (g[i].a * f[i].b + g[i].b) % PRIME;
        g[i].a = g[i].a * f[i].a % PRIME;
    }
}

static struct map map_of(int r, int i)
{
    return (struct map){ 2 + (r * 7 + i) % 11, 1 + (r * 5 + i) % 13 };
}

/* Of ranks [0, n). */
static struct map composed(int n, int i)
{
    struct map all = map_of(0, i);

    for (int r = 1; r < n; r++) {
        struct map g = map_of(r, i);
        int one = 1;
        compose(&all, &g, &one, NULL);
        all = g;
    }
    return all;
}

static int bad_maps(const struct map *m, int ranks, int first, int n)
{
    int bad = 0;

    for (int i = 0; i < n; i++) {
        struct map want = composed(ranks, first + i);
        bad += m[i].a != want.a || m[i].b != want.b;
    }
    return bad;
}

static void user_ops(void)
{
    enum { MAPS = 40 };
    struct map own[MAPS], got[MAPS];
    int commutes = -1, counts[64], first = 0;
    MPI_Datatype type;
    MPI_Op op;

    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    CHECK_OK(MPI_Op_create(compose, 0, &op), "5.9.5 create");
    CHECK_OK(MPI_Op_commutative(op, &commutes), "5.9.7 commutative");
    CHECK(commutes == 0, "5.9.7 it is not");
    for (int i = 0; i < MAPS; i++)
        own[i] = map_of(check_rank, i);
    for (int n = 1; n <= MAPS; n += 13) {
        CHECK_OK(MPI_Allreduce(own, got, n, type, op, MPI_COMM_WORLD), "5.9.6 allreduce");
        CHECK(bad_maps(got, check_size, 0, n) == 0, "5.9.6 in the order of ranks");
        CHECK_OK(MPI_Scan(own, got, n, type, op, MPI_COMM_WORLD), "5.11.1 scan");
        CHECK(bad_maps(got, check_rank + 1, 0, n) == 0, "5.11.1 in the order of ranks");
        CHECK_OK(MPI_Exscan(own, got, n, type, op, MPI_COMM_WORLD), "5.11.2 exscan");
        CHECK(check_rank == 0 || bad_maps(got, check_rank, 0, n) == 0, "5.11.2 in order");
        for (int root = 0; root < check_size; root++) {
            memcpy(got, own, sizeof(own));
            CHECK_OK(MPI_Reduce(check_rank == root && root % 2 ? MPI_IN_PLACE : own, got, n, type,
                                op, root, MPI_COMM_WORLD),
                     "5.9.1 reduce");
            CHECK(check_rank != root || bad_maps(got, check_size, 0, n) == 0, "5.9.1 in order");
        }
    }
    for (int r = 0; r < check_size; r++) {
        counts[r] = r % 3;
        first += r < check_rank ? r % 3 : 0;
    }
    CHECK_OK(MPI_Reduce_scatter(own, got, counts, type, op, MPI_COMM_WORLD), "5.10.2 scatter");
    CHECK(bad_maps(got, check_size, first, check_rank % 3) == 0, "5.10.2 in the order of ranks");
    CHECK_OK(MPI_Reduce_scatter_block(own, got, 1, type, op, MPI_COMM_WORLD), "5.10.1 blocks");
    CHECK(bad_maps(got, check_size, check_rank, 1) == 0, "5.10.1 in the order of ranks");
    memcpy(got, &(struct map){ 3, 4 }, sizeof(struct map));
    CHECK_OK(MPI_Reduce_local(own, got, 1, type, op), "5.9.7 local");
    CHECK(got[0].a == 3 * own[0].a % PRIME, "5.9.7 left, then right");
    CHECK_OK(MPI_Op_free(&op), "5.9.5 free");
    CHECK(op == MPI_OP_NULL, "5.9.5 a freed handle is null");
    MPI_Type_free(&type);
}

/* ---- moving data ---------------------------------------------------------------------------- */

/* A row is sent, a column of a matrix is received. */
static void types_of_both_sides(void)
{
    int n = check_size, row[3], *matrix = calloc((size_t)(3 * n), sizeof(int)), bad = 0;
    MPI_Datatype column, place;

    MPI_Type_vector(3, 1, n, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, sizeof(int), &place);
    MPI_Type_commit(&place);
    for (int i = 0; i < 3; i++)
        row[i] = 10 * check_rank + i;
    CHECK_OK(MPI_Gather(row, 3, MPI_INT, matrix, 1, place, 0, MPI_COMM_WORLD),
             "5.5 gather columns");
    for (int r = 0; check_rank == 0 && r < n; r++)
        for (int i = 0; i < 3; i++)
            bad += matrix[i * n + r] != 10 * r + i;
    CHECK(bad == 0, "5.5 rows become columns");
    memset(row, -1, sizeof(row));
    CHECK_OK(MPI_Scatter(matrix, 1, place, row, 3, MPI_INT, 0, MPI_COMM_WORLD),
             "5.6 scatter columns");
    for (int i = 0; i < 3; i++)
        bad += row[i] != 10 * check_rank + i;
    CHECK(bad == 0, "5.6 columns become rows");
    CHECK_OK(MPI_Allgather(row, 3, MPI_INT, matrix, 1, place, MPI_COMM_WORLD),
             "5.7 allgather columns");
    for (int r = 0; r < n; r++)
        for (int i = 0; i < 3; i++)
            bad += matrix[i * n + r] != 10 * r + i;
    CHECK(bad == 0, "5.7 rows become columns");
    MPI_Type_free(&column);
    MPI_Type_free(&place);
    free(matrix);
}

static void nothing(void)
{
    int counts[64] = { 0 }, displs[64] = { 0 }, root = check_size - 1;
    MPI_Datatype types[64] = { 0 };

    for (int r = 0; r < check_size; r++)
        types[r] = MPI_INT;
    CHECK_OK(MPI_Bcast(NULL, 0, MPI_INT, root, MPI_COMM_WORLD), "5.4 nothing");
    CHECK_OK(MPI_Gather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, root, MPI_COMM_WORLD), "5.5 nothing");
    CHECK_OK(MPI_Gatherv(NULL, 0, MPI_INT, NULL, counts, displs, MPI_INT, root, MPI_COMM_WORLD),
             "5.5 nothing, v");
    CHECK_OK(MPI_Scatter(NULL, 0, MPI_INT, NULL, 0, MPI_INT, root, MPI_COMM_WORLD), "5.6 nothing");
    CHECK_OK(MPI_Scatterv(NULL, counts, displs, MPI_INT, NULL, 0, MPI_INT, root, MPI_COMM_WORLD),
             "5.6 nothing, v");
    CHECK_OK(MPI_Allgather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, MPI_COMM_WORLD), "5.7 nothing");
    CHECK_OK(MPI_Allgatherv(NULL, 0, MPI_INT, NULL, counts, displs, MPI_INT, MPI_COMM_WORLD),
             "5.7 nothing, v");
    CHECK_OK(MPI_Alltoall(NULL, 0, MPI_INT, NULL, 0, MPI_INT, MPI_COMM_WORLD), "5.8 nothing");
    CHECK_OK(
        MPI_Alltoallv(NULL, counts, displs, MPI_INT, NULL, counts, displs, MPI_INT, MPI_COMM_WORLD),
        "5.8 nothing, v");
    CHECK_OK(
        MPI_Alltoallw(NULL, counts, displs, types, NULL, counts, displs, types, MPI_COMM_WORLD),
        "5.8 nothing, w");
    CHECK_OK(MPI_Reduce(NULL, NULL, 0, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD), "5.9 nothing");
    CHECK_OK(MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD), "5.9 nothing");
    CHECK_OK(MPI_Reduce_scatter(NULL, NULL, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
             "5.10 nothing");
    CHECK_OK(MPI_Reduce_scatter_block(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
             "5.10 nothing, blocks");
    CHECK_OK(MPI_Scan(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD), "5.11 nothing");
    CHECK_OK(MPI_Exscan(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD), "5.11 nothing");
}

/* Types and counts that differ from pair to pair: rank a sends (a + b) % 4 of them to b. */
static void alltoallw(void)
{
    int n = check_size, counts[64] = { 0 }, displs[64] = { 0 }, bad = 0;
    double out[64 * 4] = { 0 }, in[64 * 4];
    MPI_Datatype types[64] = { 0 };

    for (int r = 0; r < n; r++) {
        counts[r] = (check_rank + r) % 4;
        displs[r] = 4 * r * (int)sizeof(double);
        types[r] = (check_rank + r) % 2 ? MPI_DOUBLE : MPI_INT;
        for (int i = 0; i < 4; i++) {
            if (types[r] == MPI_DOUBLE)
                out[4 * r + i] = 100 * check_rank + 10 * r + i;
            else
                ((int *)&out[4 * r])[i] = 100 * check_rank + 10 * r + i;
        }
    }
    memset(in, -1, sizeof(in));
    CHECK_OK(MPI_Alltoallw(out, counts, displs, types, in, counts, displs, types, MPI_COMM_WORLD),
             "5.8 all to all, w");
    for (int r = 0; r < n; r++)
        for (int i = 0; i < counts[r]; i++)
            bad += (types[r] == MPI_DOUBLE ? (int)in[4 * r + i] : ((int *)&in[4 * r])[i]) !=
                   100 * r + 10 * check_rank + i;
    CHECK(bad == 0, "5.8 types and counts of each pair");
    memcpy(in, out, sizeof(in));
    CHECK_OK(
        MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, counts, displs, types, MPI_COMM_WORLD),
        "5.8 all to all, w, in place");
    for (int r = 0; r < n; r++)
        for (int i = 0; i < counts[r]; i++)
            bad += (types[r] == MPI_DOUBLE ? (int)in[4 * r + i] : ((int *)&in[4 * r])[i]) !=
                   100 * r + 10 * check_rank + i;
    CHECK(bad == 0, "5.8 the same in place");
}

static void large(void)
{
    int n = 50000, *a = malloc((size_t)n * sizeof(int)), *b = malloc((size_t)n * sizeof(int)),
        bad = 0;

    for (int i = 0; i < n; i++)
        a[i] = check_rank + i;
    MPI_Allreduce(a, b, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        bad += b[i] != i * check_size + check_size * (check_size - 1) / 2;
    CHECK(bad == 0, "5.9.6 a long sum");
    MPI_Bcast(a, n, MPI_INT, check_size - 1, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        bad += a[i] != check_size - 1 + i;
    CHECK(bad == 0, "5.4 a long broadcast");
    MPI_Reduce(a, b, n, MPI_INT, MPI_MAX, check_size / 2, MPI_COMM_WORLD);
    for (int i = 0; check_rank == check_size / 2 && i < n; i++)
        bad += b[i] != a[i];
    CHECK(bad == 0, "5.9.1 a long maximum");
    free(a);
    free(b);
}

/* Sums of floating-point numbers have the same bits on every rank and in every run. */
static void same_bits(void)
{
    double x[100], y[100], low[100], high[100];

    for (int n = 1; n <= 100; n += 33) {
        for (int i = 0; i < n; i++)
            x[i] = 1.0 / (3 + check_rank * 17 + i);
        MPI_Allreduce(x, y, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(y, low, n, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
        MPI_Allreduce(y, high, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        CHECK(memcmp(low, high, (size_t)n * sizeof(double)) == 0,
              "5.9.6 the same bits on each rank");
        MPI_Allreduce(x, low, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        CHECK(memcmp(low, y, (size_t)n * sizeof(double)) == 0, "5.9.1 the same bits again");
    }
}

static void errors(void)
{
    int v = 0, w = 0, out[64] = { 0 };

    CHECK_ERROR(MPI_ERR_ROOT, MPI_Bcast(&v, 1, MPI_INT, check_size, MPI_COMM_WORLD),
                "5.4 no such root");
    CHECK_ERROR(MPI_ERR_ROOT, MPI_Reduce(&v, &w, 1, MPI_INT, MPI_SUM, -1, MPI_COMM_WORLD),
                "5.9.1 no such root");
    CHECK_ERROR(MPI_ERR_COUNT, MPI_Bcast(&v, -1, MPI_INT, 0, MPI_COMM_WORLD),
                "5.4 a negative count");
    CHECK_ERROR(MPI_ERR_TYPE, MPI_Bcast(&v, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD),
                "5.4 no datatype");
    CHECK_ERROR(MPI_ERR_COMM, MPI_Barrier(MPI_COMM_NULL), "5.3 no communicator");
    CHECK_ERROR(MPI_ERR_BUFFER,
                MPI_Allgather(&v, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, MPI_COMM_WORLD),
                "5.7 the wrong buffer in place");
    out[0] = -1;
    CHECK_ERROR(MPI_ERR_COUNT,
                MPI_Allgatherv(&v, 1, MPI_INT, out, out, out, MPI_INT, MPI_COMM_WORLD),
                "5.7 a negative count");
    if (check_size == 2) { /* the root's message is longer than the room for it */
        int code = MPI_Bcast(out, check_rank == 0 ? 4 : 2, MPI_INT, 0, MPI_COMM_WORLD), class = -1;
        MPI_Error_class(code, &class);
        CHECK(class == (check_rank == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE), "5.4 truncated");
    } else if (check_size > 2) { /* who passes it on goes on after the error */
        (void)MPI_Bcast(out, check_rank == 0 ? 4 : 2, MPI_INT, 0, MPI_COMM_WORLD);
    }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD), "5.3 it goes on after errors");
}

/* One place for both sides is an error of the rank that gives both; the call may be repeated. */
static void aliases(void)
{
    int v[64] = { 1 }, w[64] = { 0 }, ones[64];

    for (int r = 0; r < 64; r++)
        ones[r] = 1;
#define ALIAS(call, text) CHECK_ERROR(MPI_ERR_BUFFER, call, "5.2.1 one place for both: " text)
    ALIAS(MPI_Allreduce(v, v, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), "allreduce");
    ALIAS(MPI_Reduce_scatter(v, v, ones, MPI_INT, MPI_SUM, MPI_COMM_WORLD), "reduce_scatter");
    ALIAS(MPI_Exscan(v, v, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), "exscan");
    ALIAS(MPI_Allgather(v + check_rank, 1, MPI_INT, v, 1, MPI_INT, MPI_COMM_WORLD), "allgather");
    ALIAS(MPI_Alltoall(v, 1, MPI_INT, v, 1, MPI_INT, MPI_COMM_WORLD), "alltoall");
    ALIAS(MPI_Reduce_local(v, v, 1, MPI_INT, MPI_SUM), "reduce_local");
    CHECK_ERROR(MPI_ERR_BUFFER, MPI_Reduce_local(MPI_IN_PLACE, v, 1, MPI_INT, MPI_SUM),
                "5.9.7 nothing in place");
    CHECK_OK(MPI_Allreduce(v, v, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD), "5.9.6 of nothing");
    v[0] = check_rank + 1;
    if (check_rank == 0) {
        ALIAS(MPI_Gather(v, 1, MPI_INT, v, 1, MPI_INT, 0, MPI_COMM_WORLD), "gather");
        CHECK_OK(MPI_Gather(v, 1, MPI_INT, w, 1, MPI_INT, 0, MPI_COMM_WORLD), "5.5 once more");
        CHECK(w[check_size - 1] == check_size, "5.5 what the others gave at once");
    } else {
        CHECK_OK(MPI_Gather(v, 1, MPI_INT, v, 1, MPI_INT, 0, MPI_COMM_WORLD), "5.5 no root");
    }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv, "collectives");
    ops_MPI_SIGNED_CHAR();
    ops_MPI_UNSIGNED_CHAR();
    ops_MPI_SHORT();
    ops_MPI_UNSIGNED_SHORT();
    ops_MPI_INT();
    ops_MPI_UNSIGNED();
    ops_MPI_LONG();
    ops_MPI_UNSIGNED_LONG();
    ops_MPI_LONG_LONG();
    ops_MPI_UNSIGNED_LONG_LONG();
    ops_MPI_INT8_T();
    ops_MPI_INT16_T();
    ops_MPI_INT32_T();
    ops_MPI_INT64_T();
    ops_MPI_UINT8_T();
    ops_MPI_UINT16_T();
    ops_MPI_UINT32_T();
    ops_MPI_UINT64_T();
    ops_MPI_FLOAT();
    ops_MPI_DOUBLE();
    ops_MPI_LONG_DOUBLE();
    other_types();
    locations();
    user_ops();
    types_of_both_sides();
    nothing();
    alltoallw();
    large();
    same_bits();
    errors();
    aliases();
    return check_end();
}
