/* The predefined datatypes, in the order of their numbers. Sizes in "external32": MPI 3.1, 13.5.2.
 */
#include <stdlib.h>

#include "hosts/mpi/type/type.h"

#define FIELDS(KIND, TYPE, NAME, SIZE, EXTERNAL)                                                   \
    {                                                                                              \
        .handle = (TYPE), .name = (NAME), .kind = MPI_NUMBER_##KIND, .unit = (SIZE),               \
        .external = (EXTERNAL)                                                                     \
    }
/* The size of a type is in its handle; EXTERNAL is for types of another size there. */
#define BASIC(KIND, TYPE)              FIELDS(KIND, TYPE, #TYPE, (TYPE) >> 8, (TYPE) >> 8)
#define EXTERNAL(KIND, TYPE, EXTERNAL) FIELDS(KIND, TYPE, #TYPE, (TYPE) >> 8, EXTERNAL)
#define COMPLEX(TYPE)                  FIELDS(COMPLEX, TYPE, #TYPE, (TYPE) >> 9, (TYPE) >> 9)
#define PAIR(KIND, TYPE, SIZE, EXTERNAL, INDEX, EXTENT)                                            \
    {                                                                                              \
        .handle = (TYPE), .name = #TYPE, .kind = MPI_NUMBER_PAIR, .unit = (SIZE),                  \
        .external = (EXTERNAL), .value = MPI_NUMBER_##KIND, .index = (INDEX), .extent = (EXTENT)   \
    }

const struct mpi_basic mpi_basics[MPI_BASIC_TYPES] = {
    BASIC(BYTE, MPI_BYTE),
    BASIC(SIGNED, MPI_CHAR),
    BASIC(UNSIGNED, MPI_UNSIGNED_CHAR),
    BASIC(SIGNED, MPI_INT),
    BASIC(UNSIGNED, MPI_UNSIGNED),
    BASIC(FLOAT, MPI_FLOAT),
    BASIC(FLOAT, MPI_DOUBLE),
    EXTERNAL(SIGNED, MPI_LONG, 4),
    EXTERNAL(UNSIGNED, MPI_UNSIGNED_LONG, 4),
    BASIC(SIGNED, MPI_LONG_LONG_INT),
    BASIC(UNSIGNED, MPI_UNSIGNED_LONG_LONG),
    BASIC(SIGNED, MPI_SIGNED_CHAR),
    BASIC(SIGNED, MPI_SHORT),
    BASIC(UNSIGNED, MPI_UNSIGNED_SHORT),
    BASIC(SIGNED, MPI_INT8_T),
    BASIC(SIGNED, MPI_INT16_T),
    BASIC(SIGNED, MPI_INT32_T),
    BASIC(SIGNED, MPI_INT64_T),
    BASIC(UNSIGNED, MPI_UINT8_T),
    BASIC(UNSIGNED, MPI_UINT16_T),
    BASIC(UNSIGNED, MPI_UINT32_T),
    BASIC(UNSIGNED, MPI_UINT64_T),
    BASIC(FLOAT, MPI_LONG_DOUBLE),
    BASIC(LOGICAL, MPI_C_BOOL),
    EXTERNAL(CHARACTER, MPI_WCHAR, 2),
    BASIC(NONE, MPI_PACKED),
    BASIC(SIGNED, MPI_AINT),
    BASIC(SIGNED, MPI_OFFSET),
    BASIC(SIGNED, MPI_COUNT),
    COMPLEX(MPI_C_COMPLEX),
    COMPLEX(MPI_C_DOUBLE_COMPLEX),
    COMPLEX(MPI_C_LONG_DOUBLE_COMPLEX),
    BASIC(LOGICAL, MPI_CXX_BOOL),
    COMPLEX(MPI_CXX_FLOAT_COMPLEX),
    COMPLEX(MPI_CXX_DOUBLE_COMPLEX),
    COMPLEX(MPI_CXX_LONG_DOUBLE_COMPLEX),
    PAIR(FLOAT, MPI_FLOAT_INT, 4, 4, 4, 8),
    PAIR(FLOAT, MPI_DOUBLE_INT, 8, 8, 8, 16),
    PAIR(SIGNED, MPI_LONG_INT, 8, 4, 8, 16),
    PAIR(SIGNED, MPI_2INT, 4, 4, 4, 8),
    PAIR(SIGNED, MPI_SHORT_INT, 2, 2, 4, 8),
    PAIR(FLOAT, MPI_LONG_DOUBLE_INT, 16, 16, 16, 32),
    BASIC(CHARACTER, MPI_CHARACTER),
    BASIC(LOGICAL, MPI_LOGICAL),
    BASIC(SIGNED, MPI_INTEGER),
    BASIC(FLOAT, MPI_REAL),
    BASIC(FLOAT, MPI_DOUBLE_PRECISION),
    COMPLEX(MPI_COMPLEX),
    COMPLEX(MPI_DOUBLE_COMPLEX),
    BASIC(SIGNED, MPI_INTEGER1),
    BASIC(SIGNED, MPI_INTEGER2),
    BASIC(SIGNED, MPI_INTEGER4),
    BASIC(SIGNED, MPI_INTEGER8),
    BASIC(SIGNED, MPI_INTEGER16),
    BASIC(FLOAT, MPI_REAL4),
    BASIC(FLOAT, MPI_REAL8),
    BASIC(FLOAT, MPI_REAL16),
    COMPLEX(MPI_COMPLEX8),
    COMPLEX(MPI_COMPLEX16),
    COMPLEX(MPI_COMPLEX32),
    PAIR(FLOAT, MPI_2REAL, 4, 4, 4, 8),
    PAIR(FLOAT, MPI_2DOUBLE_PRECISION, 8, 8, 8, 16),
    PAIR(SIGNED, MPI_2INTEGER, 4, 4, 4, 8),
    BASIC(NONE, MPI_LB),
    BASIC(NONE, MPI_UB),
};

const struct mpi_basic *mpi_basic_of(MPI_Datatype type)
{
    unsigned index = (unsigned)(type & 0xff) - 1;

    return index < MPI_BASIC_TYPES && mpi_basics[index].handle == type ? &mpi_basics[index] : NULL;
}

bool mpi_basic_is_long_double(const struct mpi_basic *b)
{
    return b->handle == MPI_LONG_DOUBLE || b->handle == MPI_LONG_DOUBLE_INT ||
           b->handle == MPI_C_LONG_DOUBLE_COMPLEX || b->handle == MPI_CXX_LONG_DOUBLE_COMPLEX;
}

/* The gap of a pair lies behind a short value, or at the end. */
static void init_pair(struct mpi_rank *mr, struct mpi_type *t, const struct mpi_basic *b)
{
    t->extent = b->extent;
    t->true_extent = b->index + (int64_t)t->bytes - b->unit;
    t->elements = 2;
    if (b->index == b->unit)
        return;
    t->pieces = mpi_need(mr, calloc(2, sizeof(*t->pieces)));
    t->pieces[0] = (struct mpi_piece){ .count = 1, .bytes = b->unit };
    t->pieces[1] = (struct mpi_piece){ b->index, 0, 1, t->bytes - b->unit, b->unit, NULL };
    t->npieces = 2;
}

void mpi_basics_init(struct mpi_rank *mr)
{
    mr->basic = mpi_need(mr, calloc(MPI_BASIC_TYPES, sizeof(*mr->basic)));
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
        if (b->kind == MPI_NUMBER_PAIR)
            init_pair(mr, t, b);
    }
}
