/* Chapter 4, datatypes. */
#include "check.h"

#include <limits.h>

static void extents(MPI_Datatype type, long lb, long extent, long true_lb, long true_extent,
                    int size, const char *text)
{
    MPI_Aint a = -7, b = -7, c = -7, d = -7;
    int n = -7;

    CHECK_OK(MPI_Type_get_extent(type, &a, &b), text);
    CHECK_OK(MPI_Type_get_true_extent(type, &c, &d), text);
    CHECK_OK(MPI_Type_size(type, &n), text);
    CHECK(a == lb && b == extent, "%s: lb %ld extent %ld, expected %ld %ld", text, (long)a, (long)b,
          lb, extent);
    CHECK(c == true_lb && d == true_extent, "%s: true lb %ld extent %ld, expected %ld %ld", text,
          (long)c, (long)d, true_lb, true_extent);
    CHECK(n == size, "%s: size %d, expected %d", text, n, size);
}

static const struct {
    MPI_Datatype type;
    int size, extent;
    const char *name;
} named[] = {
    { MPI_CHAR, 1, 1, "MPI_CHAR" },
    { MPI_SIGNED_CHAR, 1, 1, "MPI_SIGNED_CHAR" },
    { MPI_UNSIGNED_CHAR, 1, 1, "MPI_UNSIGNED_CHAR" },
    { MPI_BYTE, 1, 1, "MPI_BYTE" },
    { MPI_PACKED, 1, 1, "MPI_PACKED" },
    { MPI_SHORT, sizeof(short), sizeof(short), "MPI_SHORT" },
    { MPI_INT, sizeof(int), sizeof(int), "MPI_INT" },
    { MPI_LONG, sizeof(long), sizeof(long), "MPI_LONG" },
    { MPI_LONG_LONG, 8, 8, "MPI_LONG_LONG_INT" },
    { MPI_UNSIGNED, sizeof(int), sizeof(int), "MPI_UNSIGNED" },
    { MPI_FLOAT, 4, 4, "MPI_FLOAT" },
    { MPI_DOUBLE, 8, 8, "MPI_DOUBLE" },
    { MPI_LONG_DOUBLE, sizeof(long double), sizeof(long double), "MPI_LONG_DOUBLE" },
    { MPI_WCHAR, 4, 4, "MPI_WCHAR" },
    { MPI_C_BOOL, 1, 1, "MPI_C_BOOL" },
    { MPI_INT16_T, 2, 2, "MPI_INT16_T" },
    { MPI_UINT64_T, 8, 8, "MPI_UINT64_T" },
    { MPI_AINT, sizeof(MPI_Aint), sizeof(MPI_Aint), "MPI_AINT" },
    { MPI_COUNT, sizeof(MPI_Count), sizeof(MPI_Count), "MPI_COUNT" },
    { MPI_OFFSET, sizeof(MPI_Offset), sizeof(MPI_Offset), "MPI_OFFSET" },
    { MPI_C_DOUBLE_COMPLEX, 16, 16, "MPI_C_DOUBLE_COMPLEX" },
    { MPI_CXX_DOUBLE_COMPLEX, 16, 16, "MPI_CXX_DOUBLE_COMPLEX" },
    { MPI_FLOAT_INT, 8, 8, "MPI_FLOAT_INT" },
    { MPI_DOUBLE_INT, 12, 16, "MPI_DOUBLE_INT" },
    { MPI_LONG_INT, 12, 16, "MPI_LONG_INT" },
    { MPI_SHORT_INT, 6, 8, "MPI_SHORT_INT" },
    { MPI_LONG_DOUBLE_INT, 20, 32, "MPI_LONG_DOUBLE_INT" },
    { MPI_2INT, 8, 8, "MPI_2INT" },
    { MPI_INTEGER, 4, 4, "MPI_INTEGER" },
    { MPI_DOUBLE_PRECISION, 8, 8, "MPI_DOUBLE_PRECISION" },
    { MPI_COMPLEX, 8, 8, "MPI_COMPLEX" },
    { MPI_INTEGER8, 8, 8, "MPI_INTEGER8" },
    { MPI_2DOUBLE_PRECISION, 16, 16, "MPI_2DOUBLE_PRECISION" },
};

static void predefined(void)
{
    char name[MPI_MAX_OBJECT_NAME];
    int size, length, ni, na, nd, combiner;

    for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
        MPI_Aint lb = -1, extent = -1;

        CHECK(MPI_Type_size(named[i].type, &size) == MPI_SUCCESS && size == named[i].size,
              "4.1.5 size of %s", named[i].name);
        CHECK(MPI_Type_get_extent(named[i].type, &lb, &extent) == MPI_SUCCESS && lb == 0 &&
                  extent == named[i].extent,
              "4.1.7 extent of %s", named[i].name);
        CHECK_OK(MPI_Type_get_name(named[i].type, name, &length), "6.8 name");
        CHECK(strcmp(name, named[i].name) == 0 && length == (int)strlen(name),
              "6.8 name of %s is %s", named[i].name, name);
        CHECK(MPI_Type_get_envelope(named[i].type, &ni, &na, &nd, &combiner) == MPI_SUCCESS &&
                  combiner == MPI_COMBINER_NAMED && ni == 0 && na == 0 && nd == 0,
              "4.1.13 envelope of %s", named[i].name);
        CHECK_OK(MPI_Type_commit(&(MPI_Datatype){ named[i].type }),
                 "4.1.9 commit of a predefined one");
    }
}

static void vectors(void)
{
    MPI_Datatype t, u;

    MPI_Type_contiguous(3, MPI_INT, &t);
    extents(t, 0, 12, 0, 12, 12, "4.1.2 contiguous");
    MPI_Type_free(&t);
    CHECK(t == MPI_DATATYPE_NULL, "4.1.9 free sets the handle");
    MPI_Type_contiguous(0, MPI_INT, &t);
    extents(t, 0, 0, 0, 0, 0, "4.1.2 contiguous of none");
    MPI_Type_free(&t);
    MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &t);
    extents(t, 0, 80, 0, 80, 48, "4.1.2 vector");
    MPI_Type_vector(2, 1, -1, t, &u);
    extents(u, -80, 160, -80, 160, 96, "4.1.2 vector of a vector, backwards");
    MPI_Type_free(&t);
    MPI_Type_free(&u);
    MPI_Type_vector(3, 1, -2, MPI_INT, &t);
    extents(t, -16, 20, -16, 20, 12, "4.1.2 negative stride");
    MPI_Type_free(&t);
    MPI_Type_create_hvector(3, 1, 5, MPI_SHORT, &t);
    extents(t, 0, 12, 0, 12, 6, "4.1.2 hvector");
    MPI_Type_free(&t);
}

static void indexed(void)
{
    int lens[3] = { 2, 1, 0 }, disps[3] = { 5, 1, 90 };
    MPI_Aint bytes[2] = { 16, 0 };
    MPI_Datatype t;

    MPI_Type_indexed(3, lens, disps, MPI_INT, &t);
    extents(t, 4, 24, 4, 24, 12, "4.1.2 indexed, out of order");
    MPI_Type_free(&t);
    MPI_Type_create_hindexed(2, lens, bytes, MPI_INT, &t);
    extents(t, 0, 24, 0, 24, 12, "4.1.2 hindexed");
    MPI_Type_free(&t);
    MPI_Type_create_indexed_block(2, 3, disps, MPI_CHAR, &t);
    extents(t, 1, 7, 1, 7, 6, "4.1.2 indexed_block");
    MPI_Type_free(&t);
    MPI_Type_create_hindexed_block(2, 1, bytes, MPI_INT, &t);
    extents(t, 0, 20, 0, 20, 8, "4.1.2 hindexed_block");
    MPI_Type_free(&t);
}

static void structs(void)
{
    int lens[3] = { 2, 1, 0 };
    MPI_Aint bytes[3] = { 16, 0, 99 };
    MPI_Datatype types[3] = { MPI_INT, MPI_DOUBLE, MPI_CHAR }, t, u;

    MPI_Type_create_struct(3, lens, bytes, types, &t);
    extents(t, 0, 24, 0, 24, 16, "4.1.2 struct");
    MPI_Type_free(&t);
    bytes[1] = 32;
    types[1] = MPI_CHAR;
    MPI_Type_create_struct(2, lens, bytes, types, &t);
    extents(t, 16, 20, 16, 17, 9, "4.1.6 struct rounded up to its alignment");
    MPI_Type_create_resized(t, -4, 100, &u);
    extents(u, -4, 100, 16, 17, 9, "4.1.7 resized");
    MPI_Type_free(&t);
    MPI_Type_contiguous(2, u, &t);
    extents(t, -4, 200, 16, 117, 18, "4.1.7 contiguous of resized ones");
    MPI_Type_free(&t);
    MPI_Type_create_resized(u, 0, 8, &t);
    extents(t, 0, 8, 16, 17, 9, "4.1.7 resized again");
    MPI_Type_free(&t);
    MPI_Type_free(&u);
}

static void markers(void)
{
    int lens[3] = { 1, 1, 1 };
    MPI_Aint bytes[3] = { -3, 0, 6 }, lb, ub;
    MPI_Datatype types[3] = { MPI_LB, MPI_INT, MPI_UB }, t, u;

    MPI_Type_struct(3, lens, bytes, types, &t);
    extents(t, -3, 9, 0, 4, 4, "MPI-1 markers");
    CHECK(MPI_Type_lb(t, &lb) == MPI_SUCCESS && lb == -3, "MPI-1 MPI_Type_lb");
    CHECK(MPI_Type_ub(t, &ub) == MPI_SUCCESS && ub == 6, "MPI-1 MPI_Type_ub");
    MPI_Type_contiguous(2, t, &u);
    extents(u, -3, 18, 0, 13, 8, "MPI-1 markers of two");
    MPI_Type_free(&t);
    MPI_Type_free(&u);
    MPI_Type_struct(1, lens, bytes, types, &t);
    extents(t, -3, 3, 0, 0, 0, "MPI-1 marker alone");
    MPI_Type_free(&t);
}

/* 24 of 120 elements, of C's or of Fortran's order. */
static void subarray(int fortran)
{
    int sizes[3] = { 4, 5, 6 }, sub[3] = { 2, 3, 4 }, starts[3] = { 1, 1, 2 };
    int a[120], b[120], bytes = 0, right = 0;
    MPI_Aint lb, extent;
    MPI_Datatype t;

    MPI_Type_create_subarray(3, sizes, sub, starts, fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C,
                             MPI_INT, &t);
    MPI_Type_commit(&t);
    for (int i = 0; i < 120; i++)
        a[i] = i;
    MPI_Pack(a, 1, t, b, sizeof(b), &bytes, MPI_COMM_SELF);
    CHECK(bytes == 96, "4.1.3 subarray: size");
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++) {
                int n = fortran ? (1 + i) + 4 * (1 + j) + 20 * (2 + k)
                                : (1 + i) * 30 + (1 + j) * 6 + 2 + k;

                right += b[fortran ? i + 2 * j + 6 * k : (i * 3 + j) * 4 + k] == n;
            }
    CHECK(right == 24, "4.1.3 subarray in order %d: %d of 24", fortran, right);
    MPI_Type_get_extent(t, &lb, &extent);
    CHECK(lb == 0 && extent == 480, "4.1.3 extent of the whole array");
    MPI_Type_free(&t);
    CHECK_ERROR(MPI_ERR_ARG,
                MPI_Type_create_subarray(1, sizes, sizes, starts, MPI_ORDER_C, MPI_INT, &t),
                "4.1.3 beyond the end");
}

/* Rank `r` of 2 x 3, of 10 rows in blocks and 9 columns in turns of two. Counts what it has. */
static int darray_of(int r, int fortran, int seen[90])
{
    int sizes[2] = { 10, 9 }, procs[2] = { 2, 3 };
    int distribs[2] = { MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC };
    int dargs[2] = { MPI_DISTRIBUTE_DFLT_DARG, 2 }, a[90], b[90], bytes = 0, own = 0;
    MPI_Datatype t;

    CHECK_OK(MPI_Type_create_darray(6, r, 2, sizes, distribs, dargs, procs,
                                    fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C, MPI_INT, &t),
             "4.1.4 darray");
    MPI_Type_commit(&t);
    for (int i = 0; i < 90; i++)
        a[i] = i;
    MPI_Pack(a, 1, t, b, sizeof(b), &bytes, MPI_COMM_SELF);
    for (int i = 0; i < bytes / 4; i++) {
        int row = fortran ? b[i] % 10 : b[i] / 9, column = fortran ? b[i] / 10 : b[i] % 9;

        seen[b[i]]++;
        own += row / 5 == r / 3 && column / 2 % 3 == r % 3;
    }
    CHECK(own == bytes / 4, "4.1.4 darray of rank %d: %d of %d are its own", r, own, bytes / 4);
    MPI_Type_free(&t);
    return bytes / 4;
}

static void arrays(void)
{
    for (int fortran = 0; fortran < 2; fortran++) {
        int seen[90] = { 0 }, total = 0, once = 0;

        subarray(fortran);
        for (int r = 0; r < 6; r++)
            total += darray_of(r, fortran, seen);
        for (int i = 0; i < 90; i++)
            once += seen[i] == 1;
        CHECK(total == 90 && once == 90, "4.1.4 darrays of all ranks are the array");
    }
}

static void contents(void)
{
    int ints[4], lens[2] = { 3, 1 }, ni, na, nd, combiner;
    MPI_Aint addresses[2], bytes[2] = { 0, 64 };
    MPI_Datatype types[2] = { MPI_INT, MPI_CHAR }, t, u, got[2];

    MPI_Type_vector(2, 3, 4, MPI_FLOAT, &t);
    CHECK_OK(MPI_Type_get_envelope(t, &ni, &na, &nd, &combiner), "4.1.13 envelope");
    CHECK(ni == 3 && na == 0 && nd == 1 && combiner == MPI_COMBINER_VECTOR, "4.1.13 of a vector");
    CHECK_OK(MPI_Type_get_contents(t, 3, 0, 1, ints, addresses, got), "4.1.13 contents");
    CHECK(ints[0] == 2 && ints[1] == 3 && ints[2] == 4 && got[0] == MPI_FLOAT,
          "4.1.13 of a vector");
    CHECK_ERROR(MPI_ERR_ARG, MPI_Type_get_contents(t, 2, 0, 1, ints, addresses, got),
                "4.1.13 too little room");
    types[1] = t;
    MPI_Type_create_struct(2, lens, bytes, types, &u);
    MPI_Type_get_envelope(u, &ni, &na, &nd, &combiner);
    CHECK(ni == 3 && na == 2 && nd == 2 && combiner == MPI_COMBINER_STRUCT, "4.1.13 of a struct");
    CHECK_OK(MPI_Type_get_contents(u, 3, 2, 2, ints, addresses, got), "4.1.13 contents");
    CHECK(ints[0] == 2 && ints[1] == 3 && ints[2] == 1 && addresses[1] == 64 && got[0] == MPI_INT,
          "4.1.13 of a struct");
    CHECK(MPI_Type_get_envelope(got[1], &ni, &na, &nd, &combiner) == MPI_SUCCESS &&
              combiner == MPI_COMBINER_VECTOR,
          "4.1.13 the inner type is a vector");
    extents(got[1], 0, 28, 0, 28, 24, "4.1.13 the inner type");
    CHECK_OK(MPI_Type_free(&got[1]), "4.1.13 the inner handle is the caller's");
    MPI_Type_free(&u);
    MPI_Type_free(&t);
    MPI_Type_create_resized(MPI_INT, -2, 9, &t);
    MPI_Type_get_envelope(t, &ni, &na, &nd, &combiner);
    CHECK(ni == 0 && na == 2 && nd == 1 && combiner == MPI_COMBINER_RESIZED, "4.1.13 of resized");
    MPI_Type_free(&t);
    CHECK_ERROR(MPI_ERR_TYPE, MPI_Type_get_contents(MPI_INT, 0, 0, 0, ints, addresses, got),
                "4.1.13 of a predefined type");
}

static void duplicates(void)
{
    int ni, na, nd, combiner;
    MPI_Datatype t, u;
    char name[MPI_MAX_OBJECT_NAME];

    MPI_Type_vector(2, 3, 4, MPI_FLOAT, &t);
    MPI_Type_set_name(t, "a vector");
    MPI_Type_dup(t, &u);
    MPI_Type_get_envelope(u, &ni, &na, &nd, &combiner);
    CHECK(combiner == MPI_COMBINER_DUP && nd == 1, "4.1.10 dup");
    MPI_Type_get_name(t, name, &ni);
    CHECK(strcmp(name, "a vector") == 0 && ni == 8, "6.8 name");
    MPI_Type_get_name(u, name, &ni);
    CHECK(ni == 0 && name[0] == '\0', "6.8 a duplicate has no name");
    extents(u, 0, 28, 0, 28, 24, "4.1.10 dup");
    MPI_Type_free(&t);
    extents(u, 0, 28, 0, 28, 24, "4.1.9 parts stay when their handle is freed");
    MPI_Type_free(&u);
    CHECK(MPI_Type_get_name(MPI_C_FLOAT_COMPLEX, name, &ni) == MPI_SUCCESS &&
              strcmp(name, "MPI_C_COMPLEX") == 0,
          "3.2.2 one type with two names has the first");
}

static void of_fortran(void)
{
    int ints[2], ni, na, nd, combiner;
    MPI_Datatype t;

    CHECK(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &t) == MPI_SUCCESS && t == MPI_REAL8,
          "17.2.9 match_size");
    CHECK_OK(MPI_Type_create_f90_real(10, 30, &t), "17.2.9 f90_real");
    MPI_Type_get_envelope(t, &ni, &na, &nd, &combiner);
    CHECK(combiner == MPI_COMBINER_F90_REAL && ni == 2 && nd == 0, "17.2.9 its envelope");
    CHECK(MPI_Type_get_contents(t, 2, 0, 0, ints, NULL, NULL) == MPI_SUCCESS && ints[0] == 10 &&
              ints[1] == 30,
          "17.2.9 its contents have no type");
}

static void addresses(void)
{
    struct {
        int a;
        char gap;
        double b[3];
    } in = { 5, 'x', { 1, 2, 3 } }, out = { 0, 'y', { 0, 0, 0 } };
    int lens[2] = { 1, 2 }, n = -1;
    MPI_Aint at[2], there[2];
    MPI_Datatype types[2] = { MPI_INT, MPI_DOUBLE }, from, to;
    MPI_Status status;

    MPI_Get_address(&in.a, &at[0]);
    MPI_Get_address(&in.b[1], &at[1]);
    CHECK(MPI_Aint_diff(at[1], at[0]) == (char *)&in.b[1] - (char *)&in.a, "4.1.5 Aint_diff");
    CHECK(MPI_Aint_add(at[0], 8) == at[0] + 8, "4.1.5 Aint_add");
    MPI_Type_create_struct(2, lens, at, types, &from);
    MPI_Type_commit(&from);
    MPI_Address(&out.a, &there[0]);
    MPI_Address(&out.b[1], &there[1]);
    MPI_Type_create_struct(2, lens, there, types, &to);
    MPI_Type_commit(&to);
    CHECK_OK(
        MPI_Sendrecv(MPI_BOTTOM, 1, from, 0, 9, MPI_BOTTOM, 1, to, 0, 9, MPI_COMM_SELF, &status),
        "4.1.12 MPI_BOTTOM");
    CHECK(out.a == 5 && out.b[0] == 0 && out.b[1] == 2 && out.b[2] == 3, "4.1.12 MPI_BOTTOM");
    MPI_Get_elements(&status, to, &n);
    CHECK(n == 3, "4.1.11 elements of a struct");
    MPI_Type_free(&from);
    MPI_Type_free(&to);
    { /* part of a struct arrives */
        int length[2] = { 1, 1 };
        MPI_Aint where[2] = { 0, 8 };

        MPI_Type_create_struct(2, length, where, types, &to);
        MPI_Type_commit(&to);
        MPI_Sendrecv(&in.a, 1, MPI_INT, 0, 9, &out, 4, to, 0, 9, MPI_COMM_SELF, &status);
        MPI_Get_count(&status, to, &n);
        CHECK(n == MPI_UNDEFINED, "3.2.5 count of a part");
        MPI_Get_elements(&status, to, &n);
        CHECK(n == 1, "4.1.11 elements of a part");
        MPI_Type_free(&to);
    }
    CHECK_OK(MPI_Status_set_elements(&status, MPI_DOUBLE_INT, 3), "12.3 set_elements");
    MPI_Get_elements(&status, MPI_DOUBLE_INT, &n);
    CHECK(n == 3, "12.3 set_elements of pairs: %d", n);
    CHECK_ERROR(MPI_ERR_COUNT, MPI_Status_set_elements(&status, MPI_INT, -1), "2.8 elements");
    CHECK_ERROR(MPI_ERR_COUNT, MPI_Status_set_elements_x(&status, MPI_DOUBLE, (MPI_Count)1 << 62),
                "2.8 more bytes than a message has");
}

static void external(void)
{
    int i = 0x01020304;
    long l = -2, back = 0;
    double d = 1.0;
    long double ld = 2.5L, ld_back = 0;
    unsigned char out[64];
    int grid[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };
    MPI_Datatype vector, outer;
    MPI_Aint at = 0, size = 0;

    CHECK_OK(MPI_Pack_external("external32", &i, 1, MPI_INT, out, sizeof(out), &at), "4.3");
    CHECK(at == 4 && out[0] == 1 && out[3] == 4, "4.3 an int is big-endian");
    CHECK_OK(MPI_Pack_external("external32", &l, 1, MPI_LONG, out, sizeof(out), &at), "4.3");
    CHECK(at == 8 && out[4] == 0xff && out[7] == 0xfe, "13.5.2 a long has 4 bytes");
    CHECK_OK(MPI_Pack_external("external32", &d, 1, MPI_DOUBLE, out, sizeof(out), &at), "4.3");
    CHECK(at == 16 && out[8] == 0x3f && out[9] == 0xf0 && out[15] == 0, "4.3 a double");
    CHECK_OK(MPI_Pack_external("external32", &ld, 1, MPI_LONG_DOUBLE, out, sizeof(out), &at),
             "4.3");
    CHECK(at == 32 && out[16] == 0x40 && out[17] == 0 && out[18] == 0x40, "13.5.2 a long double");
    at = sizeof(out) + 1;
    CHECK_ERROR(MPI_ERR_ARG, MPI_Pack_external("external32", &i, 1, MPI_INT, out, sizeof(out), &at),
                "4.3 a position behind the end");
    at = 4;
    CHECK_OK(MPI_Unpack_external("external32", out, 32, &at, &back, 1, MPI_LONG), "4.3");
    CHECK(back == -2, "4.3 a long comes back");
    at = 16;
    CHECK_OK(MPI_Unpack_external("external32", out, 32, &at, &ld_back, 1, MPI_LONG_DOUBLE), "4.3");
    CHECK(ld_back == 2.5L, "4.3 a long double comes back");
    MPI_Type_vector(2, 1, 2, MPI_INT, &vector);
    MPI_Type_vector(2, 1, 2, vector, &outer);
    MPI_Type_commit(&outer);
    MPI_Pack_external_size("external32", 1, outer, &size);
    CHECK(size == 16, "4.3 size of a vector of vectors: %d", (int)size);
    at = 0;
    MPI_Pack_external("external32", grid, 1, outer, out, sizeof(out), &at);
    CHECK(at == 16 && out[3] == 0 && out[7] == 2 && out[11] == 6 && out[15] == 8,
          "4.3 its elements");
    MPI_Type_free(&vector);
    MPI_Type_free(&outer);
    MPI_Pack_external_size("external32", 3, MPI_LONG_INT, &size);
    CHECK(size == 24, "4.3 size of pairs");
    CHECK_ERROR(MPI_ERR_ARG, MPI_Pack_external_size("internal", 3, MPI_INT, &size), "4.3 datarep");
}

static void errors(void)
{
    MPI_Datatype t = MPI_DATATYPE_NULL, u = MPI_INT;
    int size, one = 1;

    CHECK_ERROR(MPI_ERR_TYPE, MPI_Type_size(MPI_DATATYPE_NULL, &size), "4.1.5 no type");
    CHECK_ERROR(MPI_ERR_ARG, MPI_Type_size(MPI_INT, NULL), "2.8 no place for the size");
    CHECK_ERROR(MPI_ERR_ARG, MPI_Type_contiguous(2, MPI_INT, NULL), "2.8 no place for the type");
    CHECK_ERROR(MPI_ERR_ARG, MPI_Type_get_extent(MPI_INT, NULL, NULL), "2.8 no place for bounds");
    CHECK_ERROR(MPI_ERR_TYPE, MPI_Type_free(&t), "4.1.9 free of no type");
    CHECK_ERROR(MPI_ERR_TYPE, MPI_Type_free(&u), "4.1.9 free of a predefined type");
    CHECK_ERROR(MPI_ERR_TYPE, MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &t), "4.1.2 no old type");
    CHECK_ERROR(MPI_ERR_COUNT, MPI_Type_contiguous(-1, MPI_INT, &t), "4.1.2 negative count");
    CHECK_ERROR(MPI_ERR_ARG, MPI_Type_vector(1, -1, 1, MPI_INT, &t), "4.1.2 negative length");
    MPI_Type_contiguous(1, MPI_INT, &t);
    CHECK_ERROR(MPI_ERR_TYPE, MPI_Send(&one, 1, t, 0, 0, MPI_COMM_SELF), "4.1.9 not committed");
    MPI_Type_free(&t);
    size = 0;
    CHECK_ERROR(MPI_ERR_TRUNCATE, MPI_Pack(&one, 1, MPI_INT, &u, 3, &size, MPI_COMM_SELF),
                "4.2 too little room");
}

/* Types that no message could have are fit to count with. */
static void counts_of_large_types(void)
{
    MPI_Datatype large, larger;
    MPI_Count elements = -1, many = (MPI_Count)3 * INT_MAX;
    char byte[8] = { 0 };
    int n = -1;
    MPI_Status status;

    MPI_Type_contiguous(INT_MAX, MPI_CHAR, &large);
    MPI_Type_contiguous(4, large, &larger);
    MPI_Type_commit(&large);
    MPI_Type_commit(&larger);
    MPI_Sendrecv(byte, 0, MPI_CHAR, 0, 1, byte, 8, MPI_CHAR, 0, 1, MPI_COMM_SELF, &status);
    CHECK_OK(MPI_Get_count(&status, large, &n), "3.2.5 count of large ones");
    CHECK(n == 0, "3.2.5 none of %d bytes", INT_MAX);
    MPI_Sendrecv(byte, 8, MPI_CHAR, 0, 1, byte, 8, MPI_CHAR, 0, 1, MPI_COMM_SELF, &status);
    CHECK_OK(MPI_Get_count(&status, larger, &n), "3.2.5 count of larger ones");
    CHECK(n == MPI_UNDEFINED, "3.2.5 a part of one");
    CHECK_OK(MPI_Get_elements(&status, larger, &n), "4.1.11 elements of larger ones");
    CHECK(n == 8, "4.1.11 %d elements", n);
    MPI_Status_set_elements_x(&status, MPI_CHAR, many);
    CHECK(MPI_Get_count(&status, large, &n) == MPI_SUCCESS && n == 3, "3.2.5 three of them");
    CHECK(MPI_Get_count(&status, MPI_CHAR, &n) == MPI_SUCCESS && n == MPI_UNDEFINED,
          "3.2.5 more than an int holds");
    CHECK(MPI_Get_elements(&status, large, &n) == MPI_SUCCESS && n == MPI_UNDEFINED,
          "4.1.11 more than an int holds");
    CHECK(MPI_Get_elements_x(&status, large, &elements) == MPI_SUCCESS && elements == many,
          "4.1.11 elements_x");
    MPI_Type_free(&large);
    MPI_Type_free(&larger);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv, "types");
    predefined();
    vectors();
    indexed();
    structs();
    markers();
    arrays();
    contents();
    duplicates();
    of_fortran();
    addresses();
    external();
    errors();
    counts_of_large_types();
    return check_end();
}
