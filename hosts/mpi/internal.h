/*
 * Inside of the MPI library:
 *
 *   mpi.c, point.c, request.c, collective.c, reduce.c, exchange.c   the interface
 *   comm.c, type.c, error.c   what handles stand for; what is wrong with arguments
 *   match.c                   which message is for which receive
 *   transport.h               the network below; protocol.c: messages over it
 */
#ifndef MPI_INTERNAL_H
#define MPI_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "hosts/driver/bar.h"
#include "hosts/mpi/include/mpi.h"
#include "hosts/mpi/transport.h"

#define MPI_BASIC_TYPES 24

/** A whole status; MPI_Get_count() and its like read `bytes`. */
static inline MPI_Status mpi_status(int source, int tag, int error, uint64_t bytes)
{
    return (MPI_Status){ source, tag, error, (uint32_t)bytes, (uint32_t)(bytes >> 32), 0 };
}
static inline uint64_t mpi_status_bytes(const MPI_Status *status)
{
    return (uint64_t)status->hub_bytes_high << 32 | status->hub_bytes;
}

/** What precedes the bytes of a message. */
struct mpi_envelope {
    int32_t source; /* rank in the communicator */
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

/** A piece of memory of a datatype without gaps. */
struct mpi_piece {
    int64_t offset;
    uint64_t bytes;
};

/** Holders are counted: a datatype may be freed while a receive of it is pending. */
struct mpi_type {
    unsigned holders;
    bool committed;
    uint64_t bytes;   /* of data */
    int64_t low;      /* offset of the first byte */
    uint64_t extent;  /* from one element to the next */
    uint64_t npieces; /* in order of packing */
    struct mpi_piece *pieces;
    struct mpi_piece whole; /* the only piece of a basic type */
};

/** The group is the same for all its life. */
struct mpi_comm {
    unsigned holders; /* as of a datatype */
    int rank, size;
    uint32_t context; /* even; one more for collectives */
    int world[];      /* rank in the world by rank in the group */
};

/** A receive that is posted, or what a handle of the program stands for. */
struct mpi_request {
    struct mpi_request *next; /* of the posted receives */
    bool receives, persistent;
    bool active, done;
    struct mpi_comm *comm; /* of a persistent one: what to start */
    struct mpi_type *type;
    const void *out;
    void *in;
    uint64_t count;
    int peer, tag; /* of a receive: or MPI_ANY_SOURCE, MPI_ANY_TAG */
    uint32_t context;
    uint32_t arrived_bytes; /* of the whole message, also when it was cut off */
    MPI_Status status;
};

/** Of one rank, from MPI_Init() on. */
struct mpi_rank {
    struct host *host;
    struct mpi_transport *transport;
    struct mpi_arrived *first, **end;         /* unexpected messages in order of arrival */
    struct mpi_request *posted, **posted_end; /* receives in the order of their calls */
    struct mpi_type basic[MPI_BASIC_TYPES];
    struct mpi_type **types; /* by handle; NULL: freed */
    struct mpi_comm **comms;
    struct mpi_request **requests;
    unsigned ntypes, ncomms, nrequests;
    uint32_t next_context;
    void *scratch; /* of a collective; kept here because an abort does not return */
    bool finalized, errors_return;
    char why[160]; /* what was wrong in the call that failed last */
};

/** As the program knows it: __func__ of the library's MPI_X is PMPI_X; see profile.sh. */
static inline const char *mpi_call_name(const char *func)
{
    return func[0] == 'P' ? func + 1 : func;
}

/* error.c */
struct mpi_rank *mpi_self(void); /* NULL outside MPI_Init() .. MPI_Finalize() */
/** Notes what is wrong; `mr` may be NULL. */
void mpi_note(struct mpi_rank *mr, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** The same, and yields `code`. */
#define mpi_fail(mr, code, ...) (mpi_note((mr), __VA_ARGS__), (code))
/** Ends a call of the program: an error ends all ranks unless it is to be returned. `mr` may be
 * NULL. @return `code` */
int mpi_end(struct mpi_rank *mr, const char *call, int code);
_Noreturn void mpi_abort(struct mpi_rank *mr, int exit_code);

/* protocol.c */
/** `dest` is a rank of the world. */
int mpi_protocol_send(struct mpi_rank *mr, int dest, const struct mpi_envelope *env,
                      const struct mpi_type *type, const void *buf, uint64_t count);
/** The next message that has come. @return false: none. */
bool mpi_protocol_take(struct mpi_rank *mr, struct mpi_envelope *env_p, const uint8_t **data_p,
                       unsigned *source_p);
void mpi_protocol_release(struct mpi_rank *mr, unsigned source);

/* match.c */
/** Posts a receive: an earlier message or else a later one completes it. */
int mpi_match_post(struct mpi_rank *mr, struct mpi_request *rq);
/** Waits for one message and gives it to its receive, if any. */
int mpi_match_progress(struct mpi_rank *mr);
/** Takes in all messages that have come so far. */
int mpi_match_poll(struct mpi_rank *mr);
int mpi_match_wait(struct mpi_rank *mr, const struct mpi_request *rq);
/** @return the first message that `rq` would receive, NULL: none has come. */
const struct mpi_arrived *mpi_match_find(const struct mpi_rank *mr, const struct mpi_request *rq);
void mpi_match_cancel(struct mpi_rank *mr, const struct mpi_request *rq);
void mpi_match_release(struct mpi_rank *mr);

/* type.c */
void mpi_types_init(struct mpi_rank *mr);
void mpi_types_release(struct mpi_rank *mr);
struct mpi_type *mpi_type_of(struct mpi_rank *mr, MPI_Datatype type); /* NULL: none */
void mpi_type_put(struct mpi_type *type);
void mpi_type_pack(const struct mpi_type *type, const void *buf, uint64_t count, uint8_t *to);
/** As many of `bytes` as there are. */
void mpi_type_unpack(const struct mpi_type *type, void *buf, const uint8_t *from, uint64_t bytes);
/** Within this rank; takes no simulated time. */
int mpi_type_copy(struct mpi_rank *mr, const struct mpi_type *from_type, const void *from,
                  uint64_t from_count, const struct mpi_type *to_type, void *to, uint64_t to_count);

/* comm.c */
void mpi_comm_put(struct mpi_comm *comm);
int mpi_comms_init(struct mpi_rank *mr);
void mpi_comms_release(struct mpi_rank *mr);
/** @return NULL when there is none; the reason is noted. */
struct mpi_comm *mpi_comm_of(struct mpi_rank *mr, MPI_Comm comm);

/* point.c */
int mpi_check_data(struct mpi_rank *mr, const void *buf, int count, MPI_Datatype type,
                   struct mpi_type **type_p);
int mpi_send_data(struct mpi_rank *mr, const struct mpi_comm *comm, uint32_t context,
                  const struct mpi_type *type, const void *buf, uint64_t count, int dest, int tag);
/** Fills in a request to receive into `buf`, checked. `source` may be MPI_PROC_NULL. */
int mpi_prepare(struct mpi_rank *mr, struct mpi_request *rq, bool receives, int count,
                MPI_Datatype type, int peer, int tag, MPI_Comm comm);
/** Sends, or posts the receive. */
int mpi_start(struct mpi_rank *mr, struct mpi_request *rq);
/** Of one that is done: hands out its status. @return the code of its error, noted. */
int mpi_finish(struct mpi_rank *mr, const struct mpi_request *rq, MPI_Status *status);

/* request.c */
void mpi_requests_release(struct mpi_rank *mr);

/* collective.c */
/** A collective on one communicator: the order of collectives is the same on all ranks and messages
 * of a pair keep their order, so one tag for each kind is enough. */
struct mpi_group {
    struct mpi_rank *mr;
    const struct mpi_comm *comm;
    int rank, size, tag;
};
enum {
    MPI_TAG_BARRIER = 1,
    MPI_TAG_BCAST,
    MPI_TAG_ALLGATHER,
    MPI_TAG_REDUCE,
    MPI_TAG_GATHER,
    MPI_TAG_SCATTER,
    MPI_TAG_ALLTOALL,
    MPI_TAG_COMM
};
int mpi_group_init(struct mpi_group *g, struct mpi_rank *mr, MPI_Comm comm, int tag);
int mpi_group_root(const struct mpi_group *g, int root);
int mpi_group_send(const struct mpi_group *g, int to, const struct mpi_type *type, const void *buf,
                   uint64_t count);
int mpi_group_receive(const struct mpi_group *g, int from, struct mpi_type *type, void *buf,
                      uint64_t count);
int mpi_group_bcast(const struct mpi_group *g, int root, struct mpi_type *type, void *buf,
                    uint64_t count);
int mpi_group_allgather(const struct mpi_group *g, void *all, uint64_t bytes);
/** NULL: out of memory, noted. Until the next call. */
void *mpi_scratch(struct mpi_rank *mr, uint64_t bytes);

#endif /* MPI_INTERNAL_H */
