/* What the MPI_ functions of collectives begin and end with. */
#ifndef MPI_CALL_H
#define MPI_CALL_H

#include "hosts/mpi/coll/collective.h"

/** What a program passes for one side of a collective: a block, or blocks for all ranks. */
struct mpi_side {
    const void *buf;
    int count;
    MPI_Datatype type;
    const int *counts, *displs; /* of the v form, */
    const MPI_Datatype *types;  /* and w: */
    const MPI_Aint *far;        /* among neighbours, instead of displs */
    enum { MPI_SIDE, MPI_SIDE_V, MPI_SIDE_W } form;
};

struct mpi_sides {
    struct mpi_side out, in;
    MPI_Op op;
    int root;
};

/** Finds the communicator and takes a schedule. Without MPI_SUCCESS only mpi_coll_end() may follow.
 */
int mpi_coll_begin(struct mpi_coll *c, enum mpi_collective kind, MPI_Comm comm);
/** The same for what is no collective by its standard's chapter: not on inter-communicators. */
int mpi_coll_begin_intra(struct mpi_coll *c, enum mpi_collective kind, MPI_Comm comm);
int mpi_coll_check_root(struct mpi_coll *c, int root);
/** Of this rank's own group; of an inter-communicator: whether this process is MPI_ROOT. */
bool mpi_coll_is_root(const struct mpi_coll *c);
/** Blocks of one size, also a single one; or of `n` ranks, displs NULL: one behind the other. */
int mpi_coll_check(struct mpi_coll *c, struct mpi_blocks *b, const struct mpi_side *side, int n);
/** How many ranks there are blocks for. */
static inline int mpi_coll_peers(const struct mpi_coll *c)
{
    return c->far != NULL ? c->far->npeers : c->size;
}
/** The caller's own block as it gives and as it gets it: two places, as only MPI_IN_PLACE makes
 * them one (MPI 3.1, 5.2.1). */
int mpi_coll_check_own(struct mpi_coll *c, struct mpi_data given, struct mpi_data got);
int mpi_coll_check_op(struct mpi_coll *c, MPI_Op op, MPI_Datatype type);
/** Starts what has been built, and waits for it unless there is a request. @return what the MPI_
 * function returns. */
int mpi_coll_end(struct mpi_coll *c, const char *call, int code, MPI_Request *request);
/** Runs what has been built to its end, within another call. */
int mpi_coll_run(struct mpi_coll *c, const char *call);

/* inter.c: the steps between two groups */
void mpi_inter_barrier(struct mpi_coll *c);
void mpi_inter_bcast(struct mpi_coll *c);
void mpi_inter_gather(struct mpi_coll *c);
void mpi_inter_scatter(struct mpi_coll *c);
void mpi_inter_to_all(struct mpi_coll *c, bool gathers);
void mpi_inter_reduce(struct mpi_coll *c);
void mpi_inter_allreduce(struct mpi_coll *c);
void mpi_inter_reduce_scatter(struct mpi_coll *c);

#endif /* MPI_CALL_H */
