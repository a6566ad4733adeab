/*
 * Requests: sends and receives that have begun, whether or not the program holds a handle, and
 * what there is to do with them. Who makes one fills in its upper part, the rest is zero, and
 * calls mpi_start(); it must stay where it is until it is done.
 */
#ifndef MPI_REQUEST_H
#define MPI_REQUEST_H

#include "hosts/mpi/check/check.h"

struct mpi_peer;
struct mpi_generalized;
struct mpi_arrived;

enum mpi_mode { MPI_MODE_STANDARD, MPI_MODE_BUFFERED, MPI_MODE_SYNCHRONOUS, MPI_MODE_READY };

/** In the order of their beginning; each request is in one list at most. */
TAILQ_HEAD(mpi_list, mpi_request);

/** How far a send is. */
enum mpi_phase {
    MPI_SEND_NEW,     /* nothing has left */
    MPI_SEND_PIECES,  /* eagerly, `filled` bytes have left */
    MPI_SEND_ASKED,   /* the receiver has been asked; waits for its answer */
    MPI_SEND_GRANTED, /* the answer is there: is to be written, or to go on in pieces */
    MPI_SEND_WRITING, /* until the data may be reused */
    MPI_SEND_SYNC,    /* until the receiver says that it has begun */
    MPI_SEND_CANCEL   /* until it says whether it could be taken back */
};

/** Those that a collective has under way. */
struct mpi_round {
    struct mpi_request *requests;
    unsigned used;
};

struct mpi_request {
    bool receives, persistent;
    bool of_program;    /* a message of its own, not one of the library's */
    bool in_slot;       /* between memory of the library that the network reaches: not copied */
    enum mpi_mode mode; /* in which a send goes */
    struct mpi_comm *comm;
    struct mpi_type *type;
    union {
        const void *out; /* the data, as a send reads them */
        void *in;        /* and a receive writes them */
    };
    uint64_t count;
    int peer, tag; /* a receive may also have MPI_ANY_SOURCE, MPI_ANY_TAG */
    uint32_t context;
    /** NULL, or called once when it is done, also from inside of mpi_start(). Starts nothing. */
    void (*ended)(struct mpi_rank *mr, struct mpi_request *rq);
    void *owner;                         /* whose it is, for `ended` */
    const struct mpi_round *collective;  /* a non-blocking collective: nothing else holds */
    struct mpi_generalized *generalized; /* the program's own: nothing else holds */
    struct mpi_arrived *message;         /* what a matched probe has found: nothing else holds */

    struct mpi_sent *sent;  /* for a check, as a send; NULL: none, or it has ended */
    struct mpi_place begun; /* for a check, where a handle has begun */

    bool active, done;
    bool freed;             /* the handle has gone: it goes when it is done */
    uint32_t arrived_bytes; /* the whole message, also when it was cut off */
    MPI_Status status;

    /* The protocols' own. */
    struct mpi_request *next_spare;
    struct mpi_list *list; /* that it is in, or NULL */
    TAILQ_ENTRY(mpi_request) in_list, in_held;
    struct mpi_peer *far; /* NULL for a receive from any source, until it has its message */
    uint64_t number;      /* a receive counts posts, a send messages */
    uint32_t bytes, room; /* the message; what there is room for at the receiver */
    uint32_t filled;      /* bytes that have left, or come */
    uint32_t id, far_id;  /* in entries: this one, and the other side's; 0: none */
    uint32_t expected;    /* bytes that come in pieces */
    enum mpi_phase phase;
    bool matched, asked, posted, held;
    bool open;                 /* counted in mpi_protocol.open */
    bool cancelling;           /* the sender of a receive has been asked */
    bool got, was_done;        /* a send was received; was done before it was to be taken back */
    bool exposed, far_exposed; /* `key`; `far_key` */
    struct transport_key key, far_key;
    unsigned copies;
    transport_ticket ticket;
    uint8_t *packed; /* all of the data in one piece; freed with the request's work */
    struct mpi_device_block *device; /* NULL, or where that is in memory of a GPU */
};

void mpi_list_add(struct mpi_list *list, struct mpi_request *rq);
void mpi_list_add_first(struct mpi_list *list, struct mpi_request *rq);
void mpi_list_remove(struct mpi_request *rq); /* no effect on one that is in none */

/**
 * Begins a send or receive; does not wait. It may be done at return.
 * @return an error of its data only. The cost of the call is the caller's.
 */
int mpi_start(struct mpi_rank *mr, struct mpi_request *rq);
/** Waits until it is done, and hands over; `call` is a name for reports. */
void mpi_wait(struct mpi_rank *mr, struct mpi_request *rq, const char *call);
/** Of one that is done: hands out its status. @return the code of its error, noted. */
int mpi_finish(struct mpi_rank *mr, const struct mpi_request *rq, MPI_Status *status);
/** The same of a request that has no handle, but is the call's own. */
int mpi_finish_own(struct mpi_rank *mr, const struct mpi_request *rq, MPI_Status *status);
/** Asks for its end without its message, which need not come true. */
void mpi_cancel(struct mpi_rank *mr, struct mpi_request *rq);

/** Takes in what has come. Stops early when *stop, unless NULL, becomes true. */
void mpi_advance(struct mpi_rank *mr, const bool *stop);
/** Waits until something may have come, and takes it in. */
void mpi_progress(struct mpi_rank *mr);
/** Takes in all that has come so far; takes some time. */
void mpi_poll(struct mpi_rank *mr);
/** Before a call reports that something is complete: starts what this rank's processor would have
 * to start later, so that no rank waits for its next call. */
void mpi_hand_over(struct mpi_rank *mr);

/* complete.c */
/** What calls for so many handles begin with. @return the code for a wrong number, noted. */
int mpi_handles_begin(struct mpi_rank *mr, int count);

/* generalized.c */
/** Fills in the status of one that is done. */
int mpi_generalized_query(struct mpi_rank *mr, struct mpi_request *rq);
void mpi_generalized_cancel(struct mpi_rank *mr, const struct mpi_request *rq);
/** `calls`: the program's function as well. */
void mpi_generalized_free(struct mpi_request *rq, bool calls);

/** A handle for a copy of `from`; holds its datatype and communicator, if it has them. */
struct mpi_request *mpi_request_add(struct mpi_rank *mr, const struct mpi_request *from,
                                    MPI_Request *handle_p);
/** NULL: none. */
struct mpi_request *mpi_request_of(const struct mpi_rank *mr, MPI_Request handle);
/** Frees a handle; its request goes when it is done. */
void mpi_request_free(struct mpi_rank *mr, MPI_Request handle);
/** Zeroed, from the rank's store, and back to it, with the datatype and communicator it holds. */
struct mpi_request *mpi_request_new(struct mpi_rank *mr);
void mpi_request_drop(struct mpi_rank *mr, struct mpi_request *rq);
void mpi_requests_release(struct mpi_rank *mr);

/* uses.c: without effect where races are not looked for */
/** Memory of the program that the library uses, in the words of a datatype. */
struct mpi_race_use {
    struct mpi_rank *mr;
    const void *owner, *group; /* until mpi_race_end() of either; no owner: at once only */
    const void *at;
    bool writes;
    struct host_reach reach; /* a one-sided operation has it, whose `at` counts from the base */
};
static inline struct host_place mpi_race_place(const struct mpi_rank *mr)
{
    return (struct host_place){ mr->call.name, mr->call.from, mr->call.number };
}
typedef void mpi_race_fn(const struct mpi_race_use *what, struct host_rows rows);
/** Calls `fn` for the memory of `count` elements. */
void mpi_race_rows(const struct mpi_race_use *what, struct mpi_type *type, uint64_t count,
                   mpi_race_fn *fn);
void mpi_race_lend(const struct mpi_race_use *what, struct mpi_type *type, uint64_t count);
/** A call of the program begins a send or receive; `lends`: which is to be completed by another. */
void mpi_race_begin(struct mpi_rank *mr, const struct mpi_request *rq, bool lends);
/** The program knows that it is complete, or cannot know any more. `owner`: a request, or whose
 * else it was. */
void mpi_race_end(struct mpi_rank *mr, const void *owner);
/** The program gives up the handle of an operation: other ranks have to say that it is complete
 * (MPI 3.1, 3.7.3). */
void mpi_race_let_go(struct mpi_rank *mr, const struct mpi_request *rq);

/* start.c */
/** Fills in a request that knows whether it receives, and where its data are; checks all that.
 * `peer` may be MPI_PROC_NULL. */
int mpi_prepare(struct mpi_rank *mr, struct mpi_request *rq, int count, MPI_Datatype type, int peer,
                int tag, MPI_Comm comm);

#endif /* MPI_REQUEST_H */
