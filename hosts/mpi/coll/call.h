/* What the MPI_ functions of collectives begin and end with. */
#ifndef MPI_CALL_H
#define MPI_CALL_H

#include "hosts/mpi/coll/collective.h"

/** What a program passes for one side of a collective: a block, or blocks for all ranks. */
struct mpi_side {
    const void *buf;
    int count;
    MPI_Datatype type;
    const int *counts, *displs; /* the v and w forms */
    const MPI_Datatype *types;  /* the w form */
    const MPI_Aint *far;        /* instead of displs, among neighbours */
    enum { MPI_SIDE, MPI_SIDE_V, MPI_SIDE_W } form;
};

struct mpi_sides;
/** Checks what the program passes, and copies what a rank has for itself. */
typedef void mpi_prepare_fn(struct mpi_coll *c, const struct mpi_sides *a);
extern mpi_prepare_fn mpi_prepare_bcast, mpi_prepare_rooted, mpi_prepare_to_all,
    mpi_prepare_neighbors, mpi_prepare_reduce, mpi_prepare_sums, mpi_prepare_reduce_scatter;

/** What a program passes to a collective (c_bindings.py). Reductions have one count and type,
 * `in`'s.
 */
struct mpi_sides {
    enum mpi_collective kind;
    mpi_prepare_fn *prepare; /* or NULL */
    struct mpi_side out, in;
    MPI_Op op;
    int root;
    MPI_Request *request; /* NULL: the blocking form */
};

/* Checks return whether all is well, else what is wrong is in c->code. */
/** Finds the communicator and takes a schedule. @return c->code; mpi_coll_end() is due anyhow. */
int mpi_coll_begin(struct mpi_coll *c, enum mpi_collective kind, MPI_Comm comm);
/** Is it a communicator of one group? */
bool mpi_coll_check_intra(struct mpi_coll *c);
/** Also false where this rank takes no part: its root is MPI_PROC_NULL. */
bool mpi_coll_check_root(struct mpi_coll *c, int root);
/** Blocks of one size, also a single one; or of `n` ranks, displs NULL: one behind the other. */
bool mpi_coll_check(struct mpi_coll *c, struct mpi_blocks *b, const struct mpi_side *side, int n);
/** How many ranks there are blocks for. */
static inline int mpi_coll_peers(const struct mpi_coll *c)
{
    return c->far != NULL ? c->far->npeers : c->size;
}
/** The caller's own block as it gives and as it gets it: two places, as only MPI_IN_PLACE makes
 * them one (MPI 3.1, 5.2.1). */
bool mpi_coll_check_own(struct mpi_coll *c, struct mpi_data given, struct mpi_data got);
bool mpi_coll_check_op(struct mpi_coll *c, MPI_Op op, MPI_Datatype type);
/** A whole call: unless what prepares it leaves nothing to do, the algorithm is built. */
int mpi_do_coll(const char *call, MPI_Comm comm, const struct mpi_sides *a);
/** Starts what has been built, and waits for it unless there is a request. @return what the MPI_
 * function returns. */
int mpi_coll_end(struct mpi_coll *c, const char *call, int code, MPI_Request *request);
/** Runs what has been built to its end, within another call. */
int mpi_coll_run(struct mpi_coll *c, const char *call);

/* compare.c */
/** A call of the program, before it begins: for a check, with those of other ranks. */
void mpi_coll_compare(const struct mpi_coll *c);

/* inter.c */
/** Writes the steps between two groups. */
void mpi_inter_build(struct mpi_coll *c);

#endif /* MPI_CALL_H */
