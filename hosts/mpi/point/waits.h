/* What a call waits for, while it does, for reports of ranks that wait for ever. */
#ifndef MPI_WAITS_H
#define MPI_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "hosts/mpi/include/mpi.h"

#define MPI_WAITS_NO_TAG (-2) /* of host_wait: what has no tag that a program knows */

struct mpi_rank;
struct mpi_request;
struct mpi_round;

/** Handles, a request or a round; those that are done do not count. */
struct mpi_waits {
    struct mpi_rank *mr;
    int count;
    const MPI_Request *handles;
    const struct mpi_request *request;
    const struct mpi_round *round;
    bool any; /* one of them is enough */
};

/** *w must stay until the end. */
void mpi_waits_begin(const struct mpi_waits *w, const char *call);
void mpi_waits_end(const struct mpi_waits *w);

/** A call that does not wait begins, and has not taken time yet. */
void mpi_look_begin(struct mpi_rank *mr);
/** `found`: or it failed. */
void mpi_look_end(const struct mpi_waits *w, const char *call, bool found);

#endif /* MPI_WAITS_H */
