/*
 * Inside of the MPI library:
 *
 *   mpi.c, collective.c   the interface; collectives by sends and receives
 *   match.c               which message is for which receive
 *   transport.c           envelopes over the bar interface's messages
 */
#ifndef MPI_INTERNAL_H
#define MPI_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "hosts/driver/bar.h"
#include "hosts/mpi/include/mpi.h"

/** What precedes the bytes of a message. */
struct mpi_envelope {
    int32_t source; /* rank in the world */
    int32_t tag;
    uint32_t context; /* of the communicator; see mpi_context() */
    uint32_t bytes;
};

/** A message that came before its receive. */
struct mpi_arrived {
    struct mpi_arrived *next;
    struct mpi_envelope env;
    uint8_t data[];
};

/** Of one rank, from MPI_Init() on. */
struct mpi_rank {
    struct host *host;
    struct mpi_arrived *first, **end; /* unexpected messages in order of arrival */
    bool finalized;
};

/** NULL outside MPI_Init() .. MPI_Finalize(). */
struct mpi_rank *mpi_self(void);

/* transport.c */
int mpi_transport_send(struct mpi_rank *mr, int dest, const struct mpi_envelope *env,
                       const void *data);
/** Waits for the next message from anybody. */
int mpi_transport_receive(struct mpi_rank *mr, struct mpi_envelope *env_p, const uint8_t **data_p);

/* match.c */
struct mpi_wanted {
    int source, tag; /* or MPI_ANY_SOURCE, MPI_ANY_TAG */
    uint32_t context;
    void *buf;
    uint64_t room;
};
/** Waits until a message that matches has come; first come, first matched. */
int mpi_match_receive(struct mpi_rank *mr, const struct mpi_wanted *want, MPI_Status *status);
void mpi_match_release(struct mpi_rank *mr);

/* mpi.c */
int mpi_send_bytes(struct mpi_rank *mr, const void *buf, uint64_t bytes, int dest, int tag,
                   uint32_t context);
static inline uint64_t mpi_type_bytes(MPI_Datatype type)
{
    return (uint64_t)type >> 8 & 0xff;
}
/** Collectives have a context of their own, so that no user's receive can match them. */
static inline uint32_t mpi_context(MPI_Comm comm, bool collective)
{
    return (uint32_t)comm * 2 + collective;
}
int mpi_check_comm(MPI_Comm comm);
int mpi_check_data(const void *buf, int count, MPI_Datatype type);
int mpi_comm_size(const struct mpi_rank *mr, MPI_Comm comm);
int mpi_comm_rank(const struct mpi_rank *mr, MPI_Comm comm);

#endif /* MPI_INTERNAL_H */
