/* What a call waits for, while it does, for reports of ranks that wait for ever. */
#ifndef MPI_WAITS_H
#define MPI_WAITS_H

#include <stdbool.h>

#include "hosts/mpi/include/mpi.h"

struct mpi_rank;
struct mpi_request;
struct mpi_schedule;

/** Handles, a request or a schedule; those that are done do not count. */
struct mpi_waits {
    struct mpi_rank *mr;
    int count;
    const MPI_Request *handles;
    const struct mpi_request *request;
    const struct mpi_schedule *schedule;
    bool any; /* one of them is enough */
};

/** *w must stay until the end. */
void mpi_waits_begin(const struct mpi_waits *w, const char *call);
void mpi_waits_end(const struct mpi_waits *w);

#endif /* MPI_WAITS_H */
