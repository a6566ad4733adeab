/* What a call waits for, while it does, for reports of ranks that wait for ever. */
#ifndef MPI_WAITS_H
#define MPI_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "hosts/mpi/include/mpi.h"

#define MPI_WAITS_NO_TAG (-2) /* of host_wait: what has no tag that a program knows */

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

/** What calls that do not wait have looked for in vain since one of them found something. Several
 * are told apart as far as two. */
struct mpi_look {
    struct mpi_sought {
        bool sends;
        int peer, tag; /* peer: in the communicator */
        MPI_Comm comm;
        uint64_t bytes;
    } sought[2];
    unsigned n;
};

/** *w must stay until the end. */
void mpi_waits_begin(const struct mpi_waits *w, const char *call);
void mpi_waits_end(const struct mpi_waits *w);

/** Of a call that does not wait, before it takes time; `mr` may be NULL. */
void mpi_look_begin(struct mpi_rank *mr);
/** `found`: or it failed. */
void mpi_look_end(const struct mpi_waits *w, const char *call, bool found);

#endif /* MPI_WAITS_H */
