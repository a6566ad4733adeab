/* The predefined datatypes, in the order of their numbers. Sizes in "external32": MPI 3.1, 13.5.2.
 */
#include <stdlib.h>

#include "hosts/mpi/type/type.h"

#define SIGNED(TYPE, SIZE, EXTERNAL)                                                               \
    {                                                                                              \
        .handle = (TYPE), .name = #TYPE, .kind = MPI_NUMBER_SIGNED, .unit = (SIZE),                \
        .external = (EXTERNAL)                                                                     \
    }
#define OTHER(KIND, TYPE, SIZE, EXTERNAL)                                                          \
    {                                                                                              \
        .handle = (TYPE), .name = #TYPE, .kind = MPI_NUMBER_##KIND, .unit = (SIZE),                \
        .external = (EXTERNAL)                                                                     \
    }
#define PAIR(KIND, TYPE, SIZE, EXTERNAL, INDEX, EXTENT)                                            \
    {                                                                                              \
        .handle = (TYPE), .name = #TYPE, .kind = MPI_NUMBER_PAIR, .unit = (SIZE),                  \
        .external = (EXTERNAL), .value = MPI_NUMBER_##KIND, .index = (INDEX), .extent = (EXTENT)   \
    }

const struct mpi_basic mpi_basics[MPI_BASIC_TYPES] = {
    OTHER(BYTE, MPI_BYTE, 1, 1),
    SIGNED(MPI_CHAR, 1, 1),
    OTHER(UNSIGNED, MPI_UNSIGNED_CHAR, 1, 1),
    SIGNED(MPI_INT, 4, 4),
    OTHER(UNSIGNED, MPI_UNSIGNED, 4, 4),
    OTHER(FLOAT, MPI_FLOAT, 4, 4),
    OTHER(FLOAT, MPI_DOUBLE, 8, 8),
    SIGNED(MPI_LONG, 8, 4),
    OTHER(UNSIGNED, MPI_UNSIGNED_LONG, 8, 4),
    SIGNED(MPI_LONG_LONG_INT, 8, 8),
    OTHER(UNSIGNED, MPI_UNSIGNED_LONG_LONG, 8, 8),
    SIGNED(MPI_SIGNED_CHAR, 1, 1),
    SIGNED(MPI_SHORT, 2, 2),
    OTHER(UNSIGNED, MPI_UNSIGNED_SHORT, 2, 2),
    SIGNED(MPI_INT8_T, 1, 1),
    SIGNED(MPI_INT16_T, 2, 2),
    SIGNED(MPI_INT32_T, 4, 4),
    SIGNED(MPI_INT64_T, 8, 8),
    OTHER(UNSIGNED, MPI_UINT8_T, 1, 1),
    OTHER(UNSIGNED, MPI_UINT16_T, 2, 2),
    OTHER(UNSIGNED, MPI_UINT32_T, 4, 4),
    OTHER(UNSIGNED, MPI_UINT64_T, 8, 8),
    OTHER(FLOAT, MPI_LONG_DOUBLE, 16, 16),
    OTHER(LOGICAL, MPI_C_BOOL, 1, 1),
    OTHER(CHARACTER, MPI_WCHAR, 4, 2),
    OTHER(NONE, MPI_PACKED, 1, 1),
    SIGNED(MPI_AINT, 8, 8),
    SIGNED(MPI_OFFSET, 8, 8),
    SIGNED(MPI_COUNT, 8, 8),
    OTHER(COMPLEX, MPI_C_COMPLEX, 4, 4),
    OTHER(COMPLEX, MPI_C_DOUBLE_COMPLEX, 8, 8),
    OTHER(COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX, 16, 16),
    OTHER(LOGICAL, MPI_CXX_BOOL, 1, 1),
    OTHER(COMPLEX, MPI_CXX_FLOAT_COMPLEX, 4, 4),
    OTHER(COMPLEX, MPI_CXX_DOUBLE_COMPLEX, 8, 8),
    OTHER(COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX, 16, 16),
    PAIR(FLOAT, MPI_FLOAT_INT, 4, 4, 4, 8),
    PAIR(FLOAT, MPI_DOUBLE_INT, 8, 8, 8, 16),
    PAIR(SIGNED, MPI_LONG_INT, 8, 4, 8, 16),
    PAIR(SIGNED, MPI_2INT, 4, 4, 4, 8),
    PAIR(SIGNED, MPI_SHORT_INT, 2, 2, 4, 8),
    PAIR(FLOAT, MPI_LONG_DOUBLE_INT, 16, 16, 16, 32),
    OTHER(CHARACTER, MPI_CHARACTER, 1, 1),
    OTHER(LOGICAL, MPI_LOGICAL, 4, 4),
    SIGNED(MPI_INTEGER, 4, 4),
    OTHER(FLOAT, MPI_REAL, 4, 4),
    OTHER(FLOAT, MPI_DOUBLE_PRECISION, 8, 8),
    OTHER(COMPLEX, MPI_COMPLEX, 4, 4),
    OTHER(COMPLEX, MPI_DOUBLE_COMPLEX, 8, 8),
    SIGNED(MPI_INTEGER1, 1, 1),
    SIGNED(MPI_INTEGER2, 2, 2),
    SIGNED(MPI_INTEGER4, 4, 4),
    SIGNED(MPI_INTEGER8, 8, 8),
    SIGNED(MPI_INTEGER16, 16, 16),
    OTHER(FLOAT, MPI_REAL4, 4, 4),
    OTHER(FLOAT, MPI_REAL8, 8, 8),
    OTHER(FLOAT, MPI_REAL16, 16, 16),
    OTHER(COMPLEX, MPI_COMPLEX8, 4, 4),
    OTHER(COMPLEX, MPI_COMPLEX16, 8, 8),
    OTHER(COMPLEX, MPI_COMPLEX32, 16, 16),
    PAIR(FLOAT, MPI_2REAL, 4, 4, 4, 8),
    PAIR(FLOAT, MPI_2DOUBLE_PRECISION, 8, 8, 8, 16),
    PAIR(SIGNED, MPI_2INTEGER, 4, 4, 4, 8),
    OTHER(NONE, MPI_LB, 0, 0),
    OTHER(NONE, MPI_UB, 0, 0),
};

const struct mpi_basic *mpi_basic_of(MPI_Datatype type)
{
    unsigned index = (unsigned)(type & 0xff) - 1;

    return index < MPI_BASIC_TYPES && mpi_basics[index].handle == type ? &mpi_basics[index] : NULL;
}

/* The gap of a pair lies behind a short value, or at the end. */
static bool init_pair(struct mpi_type *t, const struct mpi_basic *b)
{
    t->extent = b->extent;
    t->true_extent = b->index + (int64_t)t->bytes - b->unit;
    t->elements = 2;
    if (b->index == b->unit)
        return true;
    t->pieces = calloc(2, sizeof(*t->pieces));
    if (t->pieces == NULL)
        return false;
    t->pieces[0] = (struct mpi_piece){ .count = 1, .bytes = b->unit };
    t->pieces[1] = (struct mpi_piece){ b->index, 0, 1, t->bytes - b->unit, b->unit, NULL };
    t->npieces = 2;
    return true;
}

bool mpi_basics_init(struct mpi_rank *mr)
{
    mr->basic = calloc(MPI_BASIC_TYPES, sizeof(*mr->basic));
    if (mr->basic == NULL)
        return false;
    for (unsigned i = 0; i < MPI_BASIC_TYPES; i++) {
        const struct mpi_basic *b = &mpi_basics[i];
        struct mpi_type *t = &mr->basic[i];

        *t = (struct mpi_type){ .holders = 1, .committed = true, .handle = b->handle, .basic = b };
        t->bytes = (uint64_t)b->handle >> 8;
        t->extent = t->true_extent = (int64_t)t->bytes;
        t->elements = t->bytes > 0;
        t->npieces = t->bytes > 0;
        t->align = b->unit > 0 ? b->unit : 1;
        t->whole = (struct mpi_piece){ .count = 1, .bytes = t->bytes };
        t->pieces = &t->whole;
        t->marked_low = b->handle == MPI_LB;
        t->marked_high = b->handle == MPI_UB;
        if (b->kind == MPI_NUMBER_PAIR && !init_pair(t, b))
            return false;
    }
    return true;
}
