/* What a rank has left to do when it calls MPI_Finalize(), for `hubrun --check mpi`. */
#ifndef MPI_LEFT_H
#define MPI_LEFT_H

struct mpi_rank;

/** At its beginning: reports active requests, which no call has completed. */
void mpi_left_requests(const struct mpi_rank *mr);
/** At its end: reports receives whose handles were freed, and that no message has come for. */
void mpi_left_receives(const struct mpi_rank *mr);

#endif /* MPI_LEFT_H */
