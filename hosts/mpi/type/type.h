/*
 * Datatypes. The layout of one element is a list of pieces in the order of packing; a piece is a
 * block of bytes, or another type's layout, once or several times at a stride. So a vector of a
 * million elements is one piece, and the column of a matrix of columns a piece of a piece.
 *
 *   basic.c      the predefined types        layout.c     pieces; packing and walking
 *   type.c       handles, queries            construct.c  constructors; array.c: of arrays
 *   contents.c   envelopes                   type_attr.c  what programs attach
 *   op.h         operations of reductions
 */
#ifndef MPI_TYPE_H
#define MPI_TYPE_H

#include "hosts/mpi/base/rank.h"

#define MPI_BASIC_TYPES 65      /* the highest number, bits 7..0 of a handle */
#define MPI_DERIVED     0x10000 /* handles of derived types begin here */

struct mpi_rank;

/** Blocks of data, or elements of `child`, `count` times. */
struct mpi_piece {
    int64_t offset;         /* bytes of memory from the element's address to the first */
    int64_t stride;         /* from one to the next */
    uint64_t count;         /* >= 1 */
    uint64_t bytes;         /* of data in one, >= 1 */
    uint64_t start;         /* bytes of data in the pieces before */
    struct mpi_type *child; /* held; NULL: the bytes are a block without gaps */
};

/** Types of which the data consist, in the order of packing. */
struct mpi_part {
    struct mpi_type *type; /* held */
    uint64_t count;
};

/** The arguments of a constructor, for MPI_Type_get_contents(). */
struct mpi_contents {
    unsigned holders;
    int combiner;
    int nints, naddresses, ntypes;
    int *ints;
    MPI_Aint *addresses;
    struct mpi_type **types; /* held */
};

/** The meaning of the bytes of a predefined type. */
enum mpi_number {
    MPI_NUMBER_NONE,      /* MPI_PACKED, markers */
    MPI_NUMBER_BYTE,      /* no number */
    MPI_NUMBER_CHARACTER, /* no number, but of a character set */
    MPI_NUMBER_SIGNED,
    MPI_NUMBER_UNSIGNED,
    MPI_NUMBER_LOGICAL,
    MPI_NUMBER_FLOAT,
    MPI_NUMBER_COMPLEX, /* two FLOATs */
    MPI_NUMBER_PAIR     /* of MPI_MAXLOC: see mpi_pair */
};

/** A predefined type. */
struct mpi_basic {
    const char *name;
    MPI_Datatype handle;
    enum mpi_number kind;
    enum mpi_number value; /* a PAIR's */
    uint8_t unit;          /* bytes of a number; of a PAIR's value */
    uint8_t external;      /* bytes of a number in "external32"; of a PAIR's value */
    /* a PAIR's: */
    uint8_t index; /* offset of the index, which is an int or, in Fortran, like the value */
    uint8_t extent;
};

/** Holders are counted: a datatype may be freed while a receive of it is pending. */
struct mpi_type {
    unsigned holders;
    bool committed;
    MPI_Datatype handle;           /* 0: only part of another type */
    uint64_t bytes;                /* of data */
    int64_t low, extent;           /* lower bound; from one element to the next */
    int64_t true_low, true_extent; /* without gaps around the data */
    bool marked_low, marked_high;  /* bounds that were set, which a type made of it inherits */
    uint32_t align;                /* extents are rounded up to it */
    uint64_t npieces;
    struct mpi_piece *pieces;
    struct mpi_piece whole; /* the only piece of a basic type */
    uint64_t nparts;
    struct mpi_part *parts;
    uint64_t elements;             /* basic ones */
    const struct mpi_basic *basic; /* the type of all elements; NULL: of several */
    struct mpi_contents *contents; /* NULL: predefined */
    char *name;                    /* NULL: as predefined, or "" */
    struct mpi_attrs attrs;
};

/* basic.c */
extern const struct mpi_basic mpi_basics[];
/** @return NULL: no predefined type. */
const struct mpi_basic *mpi_basic_of(MPI_Datatype type);
/** Is it C's, or of two, or with an index? */
bool mpi_basic_is_long_double(const struct mpi_basic *b);
void mpi_basics_init(struct mpi_rank *mr);

/* type.c */
void mpi_types_release(struct mpi_rank *mr);
struct mpi_type *mpi_type_of(struct mpi_rank *mr, MPI_Datatype type); /* NULL: none */
/** Finds a type for a call of the program. @return an error code, noted. */
int mpi_type_get(MPI_Datatype type, struct mpi_type **type_p);
/** Finds a type that another one is made of. @return an error code, noted. */
int mpi_type_get_old(MPI_Datatype oldtype, struct mpi_type **old_p);
void mpi_type_put(struct mpi_type *type);
/** A type with the layout of another one. */
struct mpi_type *mpi_type_equal(struct mpi_type *old);
/** Checks a call's buffer: what the type is, that it is committed, that there is memory.
 * @return an error code, noted. */
int mpi_check_memory(struct mpi_rank *mr, const void *buf, int count, MPI_Datatype type,
                     struct mpi_type **type_p);
/** Checks the buffer of a message, which has a limit, too. */
int mpi_check_data(struct mpi_rank *mr, const void *buf, int count, MPI_Datatype type,
                   struct mpi_type **type_p);
/** A handle for a type that the library has kept, for the program to free: of a predefined one its
 * own, else of a duplicate. */
int mpi_type_again(struct mpi_type *type, MPI_Datatype *handle_p);
/** A handle for a new type, which it takes. @return MPI_SUCCESS */
int mpi_type_add(struct mpi_type *type, MPI_Datatype *handle_p);

/* layout.c */
void mpi_type_pack(const struct mpi_type *type, const void *buf, uint64_t count, void *to);
/** Unpacks as many elements as `bytes` have. */
void mpi_type_unpack(const struct mpi_type *type, void *buf, const void *from, uint64_t bytes);
/** Packs bytes [offset, offset + bytes) of the packed data, in any order of calls. */
void mpi_type_pack_range(const struct mpi_type *type, const void *buf, uint64_t offset,
                         uint64_t bytes, void *to);
void mpi_type_unpack_range(const struct mpi_type *type, void *buf, uint64_t offset, uint64_t bytes,
                           const void *from);
/** Within this rank; takes no simulated time. MPI_ERR_TRUNCATE: `to` has less room. */
int mpi_type_copy(const struct mpi_type *from_type, const void *from, uint64_t from_count,
                  const struct mpi_type *to_type, void *to, uint64_t to_count);
/** Are the data of `count` elements one block of memory? Then it begins at *offset_p. */
bool mpi_type_is_block(const struct mpi_type *type, uint64_t count, int64_t *offset_p);
/** `n` blocks of `bytes`, the first at `offset` from the buffer, the next `stride` further on. */
typedef void (*mpi_run_fn)(void *arg, int64_t offset, int64_t stride, uint64_t n, uint64_t bytes);
/** Calls `fn` for the memory of packed bytes [offset, offset + bytes), in their order. */
void mpi_type_walk(const struct mpi_type *type, uint64_t offset, uint64_t bytes, mpi_run_fn fn,
                   void *arg);

/** A type while it is made. */
struct mpi_making {
    struct mpi_type *type;
    uint64_t room, parts_room;
    bool any, any_true;
    int64_t low, high;      /* of what has no marked bounds */
    bool any_low, any_high; /* marked ones: */
    int64_t marked_low, marked_high;
    int64_t true_low, true_high;
};
void mpi_making_begin(struct mpi_making *m);
/** `count` elements of `old`, the first at `offset`. */
void mpi_making_add(struct mpi_making *m, struct mpi_type *old, int64_t offset, uint64_t count,
                    int64_t stride);
/** @return the type, held once. */
struct mpi_type *mpi_making_end(struct mpi_making *m);
/** A type of `count` elements of `old`, made whole. */
struct mpi_type *mpi_making_repeat(struct mpi_type *old, uint64_t count, int64_t stride);

/* contents.c */
/** Copies all; holds the types. @return the type */
struct mpi_type *mpi_contents_set(struct mpi_type *type, int combiner, int nints, const int *ints,
                                  int naddresses, const MPI_Aint *addresses, int ntypes,
                                  struct mpi_type *const *types);
void mpi_contents_put(struct mpi_contents *contents);

#endif /* MPI_TYPE_H */
