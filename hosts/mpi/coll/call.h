/* What the MPI_ functions of collectives begin and end with. */
#ifndef MPI_CALL_H
#define MPI_CALL_H

#include "hosts/mpi/coll/collective.h"

/** Finds the communicator and takes a schedule. Without MPI_SUCCESS only mpi_coll_end() may follow.
 */
int mpi_coll_begin(struct mpi_coll *c, enum mpi_collective kind, MPI_Comm comm);
/** The same for what is no collective by its standard's chapter: not on inter-communicators. */
int mpi_coll_begin_intra(struct mpi_coll *c, enum mpi_collective kind, MPI_Comm comm);
int mpi_coll_check_root(struct mpi_coll *c, int root);
/** Of this rank's own group; of an inter-communicator: whether this process is MPI_ROOT. */
bool mpi_coll_is_root(const struct mpi_coll *c);
/** Blocks of one size; also a single one. */
int mpi_coll_check(struct mpi_coll *c, struct mpi_blocks *b, const void *buf, int count,
                   MPI_Datatype type);
/** Blocks of `n` ranks; displs NULL: one behind the other. */
int mpi_coll_check_v(struct mpi_coll *c, struct mpi_blocks *b, const void *buf, int n,
                     const int counts[], const int displs[], MPI_Datatype type);
int mpi_coll_check_w(struct mpi_coll *c, struct mpi_blocks *b, const void *buf, int n,
                     const int counts[], const int displs[], const MPI_Aint far[],
                     const MPI_Datatype types[]);
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
void mpi_inter_allgather(struct mpi_coll *c);
void mpi_inter_alltoall(struct mpi_coll *c);
void mpi_inter_reduce(struct mpi_coll *c);
void mpi_inter_allreduce(struct mpi_coll *c);
void mpi_inter_reduce_scatter(struct mpi_coll *c);

#endif /* MPI_CALL_H */
