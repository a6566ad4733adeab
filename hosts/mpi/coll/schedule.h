/*
 * Schedules: a collective as a list of steps. A builder writes all steps down, then the schedule
 * starts; it goes on inside any call that makes progress, so blocking and non-blocking collectives
 * are one thing. Steps start in their order; a fence holds the later ones until the sends and
 * receives before it have ended. What is between two fences is a round:
 *
 *   receive, send, fence, combine, receive, send, fence, copy
 *
 * Put the receives of a round before its sends. Copies and combinations are done when they start,
 * so one that needs received data follows a fence. A send's memory stays as it is until the fence.
 * Steps of an empty block or with MPI_PROC_NULL may be written like others: with the null process
 * nothing happens, an empty message travels.
 *
 * Builders return nothing: arguments have been checked before them.
 */
#ifndef MPI_SCHEDULE_H
#define MPI_SCHEDULE_H

#include "hosts/mpi/point/protocol.h"
#include "hosts/mpi/type/op.h"

/** Typed memory, as a program passes it. */
struct mpi_data {
    char *at;
    uint64_t count;
    struct mpi_type *type;
    bool in_slot; /* memory of the library that the network reaches: messages between such are not
                     copied */
};

enum mpi_step_kind {
    MPI_STEP_SEND,
    MPI_STEP_RECEIVE,
    MPI_STEP_COPY,
    MPI_STEP_BESIDE, /* a copy from pinned host memory, by an engine until the end of the schedule
                      */
    MPI_STEP_COMBINE,
    MPI_STEP_FENCE
};

struct mpi_step {
    enum mpi_step_kind kind;
    bool pinned;           /* a copy between a GPU and the host: the latter's memory is pinned */
    int peer;              /* rank in what `comm` addresses */
    struct mpi_comm *comm; /* the communicator, or its local part */
    struct mpi_data from, to;
};

struct mpi_scratch; /* of scratch memory */

struct mpi_schedule {
    LIST_ENTRY(mpi_schedule) in_list; /* the rank's running ones, or its idle ones */
    TAILQ_ENTRY(mpi_schedule) in_ready;
    struct mpi_rank *mr;
    struct mpi_comm *comm; /* held while the schedule is */
    const struct mpi_op *op;
    int tag;
    struct mpi_step *steps;
    unsigned nsteps, step_room, at;
    struct mpi_round round;  /* the present one */
    unsigned in_round, most; /* messages: of the round that is being built, of the largest one */
    unsigned request_room, pending;
    struct mpi_scratch *memory;
    struct mpi_request *handle; /* NULL: a blocking one */
    int (*then)(void *arg);     /* when it has ended well; NULL: nothing */
    void *then_arg;
    bool running, ready, done;     /* ready: it can go on */
    bool pinned;                   /* steps that are written down now have it */
    struct mpi_engine_copy beside; /* of MPI_STEP_BESIDE, the last one */
    int code;
};

/** Takes an idle schedule of the rank, or a new one. */
struct mpi_schedule *mpi_schedule_get(struct mpi_rank *mr, struct mpi_comm *comm, int tag);
/** Of one that is done, or that will never be: takes its requests back. NULL is none. */
void mpi_schedule_put(struct mpi_schedule *s);
void mpi_schedules_release(struct mpi_rank *mr);

/** One more step, which its builder fills in. */
struct mpi_step *mpi_schedule_step(struct mpi_schedule *s, enum mpi_step_kind kind);
/** Memory until the schedule is put. */
void *mpi_schedule_memory(struct mpi_schedule *s, uint64_t bytes);

/** With a `handle` the schedule may be gone at return: an error is the request's, as its end is. */
void mpi_schedule_start(struct mpi_schedule *s);
/** Waits until it is done; `call` is a name for reports. @return its code. */
int mpi_schedule_wait(struct mpi_schedule *s, const char *call);
/** Goes on with what can. */
void mpi_schedules_advance(struct mpi_rank *mr);

#endif /* MPI_SCHEDULE_H */
