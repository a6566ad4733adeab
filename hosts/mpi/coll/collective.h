/*
 * Collectives and their algorithms.
 *
 * An MPI_ function checks its arguments, puts them into a struct mpi_coll and asks select.c for an
 * algorithm, whose build() writes the steps (schedule.h). An algorithm is a row of a table:
 *
 *   static const struct mpi_algorithm mine[] = {
 *       { MPI_COLL_ALLGATHER, "double-ring", is_double_ring, build_double_ring },
 *       { 0 },
 *   };
 *   mpi_algorithms_add(mr, mine);               in mpi_collectives_init()
 *   mpi_choices_add(mr, "allgather=double-ring@64K..");      looked at before those that are there
 *
 * Which algorithm is taken, and each step of it, must be the same on all ranks. So let a choice
 * depend on what the standard makes equal everywhere (see mpi_coll.bytes), on sizes, the operation
 * and the communicator. It must not depend on whether a datatype has gaps, on addresses or on what
 * has arrived.
 *
 * MPI_IN_PLACE is gone when build() runs: the caller's own block is where it would be without.
 */
#ifndef MPI_COLLECTIVE_H
#define MPI_COLLECTIVE_H

#include "hosts/mpi/coll/schedule.h"

/* In the order of names in select.c. The v and w forms of one kind have algorithms of their own. */
enum mpi_collective {
    MPI_COLL_BARRIER,
    MPI_COLL_BCAST,
    MPI_COLL_GATHER,
    MPI_COLL_GATHERV,
    MPI_COLL_SCATTER,
    MPI_COLL_SCATTERV,
    MPI_COLL_ALLGATHER,
    MPI_COLL_ALLGATHERV,
    MPI_COLL_ALLTOALL,
    MPI_COLL_ALLTOALLV, /* and w */
    MPI_COLL_REDUCE,
    MPI_COLL_ALLREDUCE,
    MPI_COLL_REDUCE_SCATTER, /* and _block */
    MPI_COLL_SCAN,
    MPI_COLL_EXSCAN,
    MPI_COLLECTIVES,
    MPI_COLL_NEIGHBOR_ALLGATHER, /* from here on: without a choice of algorithms */
    MPI_COLL_NEIGHBOR_ALLTOALL   /* and v, w */
};

/** What the meaning of a collective says of its calls (collective.c; MPI 3.1, chapter 5). */
struct mpi_coll_kind {
    bool rooted;              /* it names a root */
    bool sized;               /* the ranks of one group name one size */
    bool by_rank;             /* the v forms: a size for each rank */
    bool needs_others;        /* a rank cannot see by itself that nothing is to be moved */
    bool gives_all, gets_all; /* out, or in, has a block for each rank: with a root at the root */
    bool lends_out, lends_in; /* what the program may not touch until its request is complete */
};

extern const struct mpi_coll_kind mpi_coll_kinds[];

/** One block for each rank: of one size, or with counts and displacements, or types of each. */
struct mpi_blocks {
    char *at;
    uint64_t count;
    struct mpi_type *type;
    const int *counts, *displs; /* NULL: of one size, one behind the other */
    const MPI_Datatype *types;  /* then displs or far are in bytes */
    const MPI_Aint *far;
};

/** A collective call of this rank, while its schedule is built. */
struct mpi_coll {
    struct mpi_rank *mr;
    struct mpi_schedule *s;
    struct mpi_comm *comm; /* of one group; the local part of an inter-communicator */
    struct mpi_comm *far;  /* the inter-communicator, or NULL */
    enum mpi_collective kind;
    int rank, size, root; /* root: of an inter-communicator also MPI_ROOT, MPI_PROC_NULL */
    const struct mpi_op *op;
    bool commutes; /* the operation */
    /** Of one block for gather, scatter, allgather and alltoall; else of all that a rank gives or
     * gets. 0 where ranks cannot know (gatherv, scatterv, alltoallv). */
    uint64_t bytes;
    int code;                  /* MPI_SUCCESS while nothing is wrong with the arguments */
    struct mpi_blocks out, in; /* a single block where there are not blocks for all ranks */
    /* By way of the host: where `in` goes to when it is complete; NULL: it stays. Blocks that have
     * been sent on by mpi_coll_came(). */
    const struct mpi_blocks *behind;
    int came;
};

struct mpi_algorithm {
    enum mpi_collective kind;
    const char *name;
    bool (*applies)(const struct mpi_coll *c); /* NULL: always */
    void (*build)(struct mpi_coll *c);
};

/* select.c */
void mpi_select_init(struct mpi_rank *mr);
/** The table must stay; a row without a name ends it. */
int mpi_algorithms_add(struct mpi_rank *mr, const struct mpi_algorithm *algorithms);
/**
 * Choices as a text: "allgather=ring@4K..64K/16,bcast=binomial/3..9". Each is taken wherever its
 * algorithm applies, within limits of bytes and of ranks where they are given; the ends are
 * excluded, and /16 is one number of ranks. The latest one is looked at first. Where none is taken,
 * it is the first algorithm that was added and applies.
 */
/** For a network. */
int mpi_choices_add(struct mpi_rank *mr, const char *text);
/** The user's, which are looked at before those of networks. NULL or empty: none.
 * @return MPI_ERR_ARG, noted. */
int mpi_algorithms_force(struct mpi_rank *mr, const char *text);
/** The i-th algorithm there is, as mpi_algorithms_force() takes it. @return false: there are fewer.
 */
bool mpi_algorithm_text(const struct mpi_rank *mr, unsigned i, char *text, size_t room);
/** Writes the steps of `c` by the algorithm of its kind. */
void mpi_coll_build(struct mpi_coll *c);
void mpi_select_release(struct mpi_rank *mr);
/* algorithms.c */
/** Adds all algorithms, with choices for the transport's network. */
int mpi_collectives_init(struct mpi_rank *mr);
/* cables.c */
/** No effect over another network. */
int p2_collectives(struct mpi_rank *mr);

/** Does each rank give one block to all that get it? */
static inline bool mpi_coll_gathers(const struct mpi_coll *c)
{
    return mpi_coll_kinds[c->kind].gets_all && !mpi_coll_kinds[c->kind].gives_all;
}

/** Is this rank the root, on an inter-communicator by MPI_ROOT? */
static inline bool mpi_coll_is_root(const struct mpi_coll *c)
{
    return c->far != NULL ? c->root == MPI_ROOT : c->root == c->rank;
}

/* What builders are made of. Ranks are of c->comm. */
struct mpi_data mpi_block(const struct mpi_coll *c, const struct mpi_blocks *b, int rank);
/** [first, first + n) of blocks of one size; the whole, if there is but one block, is (b, 0, 1). */
struct mpi_data mpi_block_range(const struct mpi_blocks *b, int first, int n);
static inline struct mpi_data mpi_coll_in(const struct mpi_coll *c)
{
    return mpi_block_range(&c->in, 0, 1);
}
static inline struct mpi_data mpi_coll_out(const struct mpi_coll *c)
{
    return mpi_block_range(&c->out, 0, 1);
}
static inline struct mpi_data mpi_block_in(const struct mpi_coll *c, int rank)
{
    return mpi_block(c, &c->in, rank);
}
static inline struct mpi_data mpi_block_out(const struct mpi_coll *c, int rank)
{
    return mpi_block(c, &c->out, rank);
}
struct mpi_data mpi_bytes(const struct mpi_coll *c, char *at, uint64_t bytes);
uint64_t mpi_data_bytes(struct mpi_data d);
static inline uint64_t mpi_block_bytes(const struct mpi_blocks *b) /* of one size: of one */
{
    return b->count * b->type->bytes;
}
/** Memory for so many bytes. */
static inline struct mpi_data mpi_coll_memory(const struct mpi_coll *c, uint64_t bytes)
{
    return mpi_bytes(c, (char *)mpi_schedule_memory(c->s, bytes), bytes);
}
/** Memory for `count` elements of a type, as the program would have it. */
struct mpi_data mpi_coll_scratch(const struct mpi_coll *c, uint64_t count, struct mpi_type *type);
/** Memory for as much as `d` is. */
static inline struct mpi_data mpi_coll_like(const struct mpi_coll *c, struct mpi_data d)
{
    return mpi_coll_scratch(c, d.count, d.type);
}
/** The same data without gaps: itself, or scratch memory, filled when `load`. */
struct mpi_data mpi_coll_packed(const struct mpi_coll *c, struct mpi_data d, bool load);
/** Brings it back, if it was not itself. */
void mpi_coll_unpacked(const struct mpi_coll *c, struct mpi_data packed, struct mpi_data d);

/* Steps; see schedule.h. */
void mpi_coll_send(const struct mpi_coll *c, int to, struct mpi_data d);
void mpi_coll_receive(const struct mpi_coll *c, int from, struct mpi_data d);
void mpi_coll_send_far(const struct mpi_coll *c, int to, struct mpi_data d); /* to c->far */
void mpi_coll_receive_far(const struct mpi_coll *c, int from, struct mpi_data d);
void mpi_coll_copy(const struct mpi_coll *c, struct mpi_data from, struct mpi_data to);
/** right[i] = left[i] op right[i], with the call's operation. */
void mpi_coll_sum(const struct mpi_coll *c, struct mpi_data left, struct mpi_data right);
void mpi_coll_fence(const struct mpi_coll *c);
/** Behind a fence: block `rank` is there and will not change. By way of the host it can go on to
 * the GPU while others come. */
void mpi_coll_came(struct mpi_coll *c, int rank);
/** A round: one message each way. */
static inline void mpi_coll_exchange(const struct mpi_coll *c, int from, struct mpi_data in, int to,
                                     struct mpi_data out)
{
    mpi_coll_receive(c, from, in);
    mpi_coll_send(c, to, out);
    mpi_coll_fence(c);
}
/** The sum of lower ranks' and higher ranks' data comes to be in *sum_p, which then is one of the
 * two that were given; the other one, free for other use, in *got_p. Where several ranks combine
 * the same data each for itself, this gives them all the same bits. */
void mpi_coll_combine(const struct mpi_coll *c, bool got_is_left, struct mpi_data *sum_p,
                      struct mpi_data *got_p);
/** All that this rank gives. Blocks for all ranks lie one behind the other to be summed. */
struct mpi_data mpi_coll_given(const struct mpi_coll *c);
/** Does the library have a broadcast or an allgather of GPU memory go by way of the host? By its
 * settings and the size, which are the same everywhere; ranks may differ in whose memory it is. */
bool mpi_coll_by_host(const struct mpi_coll *c);
/** Has `build` see these data in host memory. */
void mpi_build_by_host(struct mpi_coll *c, void (*build)(struct mpi_coll *c));
/** Does this one call mpi_coll_came() for each block? (algo_allgather.c) */
bool mpi_coll_one_by_one(void (*build)(struct mpi_coll *c));
/** Has `build` see data of a GPU in host memory, since cores combine them. */
void mpi_build_sums(struct mpi_coll *c, void (*build)(struct mpi_coll *c));
/** A copy, unless it is there already. */
void mpi_coll_move(const struct mpi_coll *c, struct mpi_data from, struct mpi_data to);
/** Elements [first, end). */
struct mpi_data mpi_part(struct mpi_data d, uint64_t first, uint64_t end);
/** `n` pieces of `each` elements, from piece `first` on. */
static inline struct mpi_data mpi_pieces(struct mpi_data d, uint64_t each, int first, int n)
{
    return mpi_part(d, (uint64_t)first * each, (uint64_t)(first + n) * each);
}
static inline int mpi_wrap(int rank, int size)
{
    return (rank % size + size) % size;
}
/** One of `n` equal parts, that with number i modulo n. */
static inline struct mpi_data mpi_nth_part(struct mpi_data d, int n, int i)
{
    uint64_t k = (uint64_t)mpi_wrap(i, n);

    return mpi_part(d, d.count * k / (uint64_t)n, d.count * (k + 1) / (uint64_t)n);
}
/** The rank that is `steps` further on in a ring of all. */
static inline int mpi_coll_beside(const struct mpi_coll *c, int steps)
{
    return mpi_wrap(c->rank + steps, c->size);
}

/* What several algorithms are made of */
/** For tables of algorithms. */
bool mpi_coll_commutes(const struct mpi_coll *c);
bool mpi_coll_is_cube(const struct mpi_coll *c); /* a power of two of ranks */
static inline int mpi_cube_below(int size)       /* the largest power of two that is not above */
{
    int cube = 1;

    while (2 * cube <= size)
        cube *= 2;
    return cube;
}
/** Ranks from `me` on that are in its part of a binomial tree of `size` ranks with rank 0 at its
 * root, if all of them exist: as many ranks before it is its parent. */
static inline int mpi_tree_span(int me, int size)
{
    int span = 1;

    while (span < size && (me & span) == 0)
        span *= 2;
    return span;
}
/** To all ranks at once, each rank beginning with the next one further on. */
void mpi_spread(struct mpi_coll *c);
/** Binomial tree of ranks relative to the root, which sends to the upper half first. */
void mpi_bcast_tree(const struct mpi_coll *c, int root, struct mpi_data all);
/** The other way round: all ranks' c->out to `to` on rank `top`; others ignore `to`. With top = 0
 * the operation need not commute. */
void mpi_reduce_tree(const struct mpi_coll *c, int top, struct mpi_data to);

/** Recursive halving (Rabenseifner): the data in as many parts as the largest power of two of
 * ranks, one for each of these; of the ranks beyond it, each stands back for its neighbour. */
struct mpi_halves {
    int cube;       /* that power of two */
    int pairs;      /* ranks 2 i and 2 i + 1 with i below this are a pair */
    int root;       /* never stands back; -1: no root */
    int place;      /* of this rank in the cube, or -1: stands back */
    uint64_t *cuts; /* first element of each part, and the end */
};
/** Cuts `count` elements into equal parts. */
void mpi_halves_init(const struct mpi_coll *c, struct mpi_halves *h, int root, uint64_t count);
/** Place i has the sum of part i in its `sum`, where all its own data were. */
void mpi_halves_reduce(const struct mpi_coll *c, const struct mpi_halves *h, struct mpi_data sum);
void mpi_halves_allgather(const struct mpi_coll *c, const struct mpi_halves *h,
                          struct mpi_data sum);
void mpi_halves_gather(const struct mpi_coll *c, const struct mpi_halves *h, struct mpi_data sum);

/* the algorithms that come along, by file */
extern const struct mpi_algorithm mpi_bcast_algorithms[], mpi_gather_algorithms[],
    mpi_allgather_algorithms[], mpi_alltoall_algorithms[], mpi_reduce_algorithms[],
    mpi_allreduce_algorithms[], mpi_reduce_scatter_algorithms[], mpi_scan_algorithms[];

#endif /* MPI_COLLECTIVE_H */
