/*
 * One-sided communication by messages that the target's library handles: a header with the
 * displacement and layout at the target, small data behind it; else the data follow as a message
 * of their own, right into or out of the window, and by remote write where the transport has it.
 *
 *   win.c    windows        rma.c   operations, from the origin's side
 *   sync.c   epochs         target.c   from the target's side
 *
 * Each side counts operations by pair of ranks. An origin that wants to know them done at the
 * target says how many it has begun, and the target answers when it has finished so many.
 */
#ifndef MPI_WIN_H
#define MPI_WIN_H

#include "hosts/mpi/internal.h"

#define MPI_WIN_MESSAGE 512u /* bytes of a header with what fits behind it */
#define MPI_WIN_HEAD    0    /* tag */

enum mpi_win_kind {
    MPI_WIN_PUT = 1,
    MPI_WIN_GET,
    MPI_WIN_ACCUMULATE,
    MPI_WIN_GET_ACCUMULATE,
    MPI_WIN_SWAP,
    MPI_WIN_POST, /* from here on: of epochs */
    MPI_WIN_COMPLETE,
    MPI_WIN_LOCK,
    MPI_WIN_GRANT,
    MPI_WIN_UNLOCK,
    MPI_WIN_FLUSH,
    MPI_WIN_ANSWER, /* to one of the last two */
};

/** Blocks of memory at the target, relative to the operation's displacement. */
struct mpi_win_run {
    int64_t offset, stride;
    uint64_t n, bytes;
};

struct mpi_win_head {
    uint32_t kind, number;  /* number: of the origin's operations; makes tags */
    int32_t op, basic;      /* of an accumulation */
    int64_t at;             /* bytes from the window's base; of a dynamic window the address */
    uint64_t bytes;         /* of data in packed form */
    uint64_t count;         /* of epochs: operations begun so far; lock type */
    uint32_t nruns, inside; /* inside: bytes of runs and data in this message */
};

/** An operation at its origin; goes when all of its messages have ended. */
struct mpi_win_op {
    struct mpi_win_op *next;
    struct mpi_win *win;
    int target;
    unsigned pending;
    struct mpi_request head, runs, data, reply, *handle; /* handle: of MPI_Rput() and its like */
    struct mpi_type *origin, *result;                    /* held, or NULL */
    struct mpi_win_run *more;
    uint8_t message[MPI_WIN_MESSAGE];
};

/** How far an operation at its target is: what it waits for. */
enum mpi_win_step {
    MPI_WIN_RUNS, /* its layout */
    MPI_WIN_DATA, /* its data */
    MPI_WIN_TURN, /* all are here: accumulations of one source are done in their order */
    MPI_WIN_REPLY /* until its answer has left */
};

/** An operation at its target. */
struct mpi_win_in {
    struct mpi_win_in *next;
    struct mpi_win *win;
    int source;
    struct mpi_win_head head;
    struct mpi_win_run *runs;
    struct mpi_type *type; /* where the data are in the window */
    uint8_t *data;         /* packed */
    struct mpi_request rq;
    bool ended; /* `rq` */
    enum mpi_win_step step;
};

/** What waits for operations of a source to end, or for a lock. */
struct mpi_win_waiting {
    struct mpi_win_waiting *next;
    int source;
    enum mpi_win_kind kind;
    uint64_t count;
};

/** Of each rank of the window. */
struct mpi_win_peer {
    char *base;
    MPI_Aint size;
    int disp_unit;
    uint64_t issued;   /* operations that were sent there */
    unsigned pending;  /* of them: not locally complete */
    uint64_t finished; /* operations from there that are done here */
    unsigned posts, answers;
    bool started, locked, granted, completed;
    uint64_t complete_count, fence_count;
};

struct mpi_win {
    struct mpi_rank *mr;
    MPI_Win handle;
    struct mpi_comm *comm;
    MPI_Comm comm_handle;
    int flavor, model;
    void *allocated; /* or NULL */
    struct mpi_win_peer *peers;
    struct mpi_group *start, *post; /* of open epochs, held, or NULL */
    bool fenced, locked_all;
    unsigned nlocked;
    struct mpi_request head; /* the next header from anybody */
    uint8_t message[MPI_WIN_MESSAGE];
    bool came, closing;
    struct mpi_win_op *ops;
    struct mpi_win_in *ins, **ins_end;
    struct mpi_win_waiting *waiting, *lock_queue;
    int lock_holders; /* -1: one exclusive */
    uint32_t numbers;
    struct mpi_attr *attrs;
    struct mpi_errhandler *errhandler;
    struct mpi_info *info;
    char *name;
};

/* win.c */
/** @return the code for no window, noted. */
int mpi_win_get(struct mpi_rank *mr, MPI_Win win, struct mpi_win **win_p);
int mpi_win_end(struct mpi_rank *mr, struct mpi_win *win, const char *call, int code);

/* rma.c */
/** Sends a header of an epoch. */
int mpi_win_tell(struct mpi_win *win, int target, enum mpi_win_kind kind, uint64_t count);
/** Frees what has ended. */
void mpi_win_collect(struct mpi_win *win);
void mpi_win_op_free(struct mpi_win_op *op);

/* sync.c */
/** Takes in what has come until `ready` says so. */
int mpi_win_wait(struct mpi_win *win, bool (*ready)(struct mpi_win *win, int rank), int rank);
bool mpi_win_local(struct mpi_win *win, int rank); /* rank -1: to all */

/* target.c */
int mpi_win_listen(struct mpi_win *win);
/** Goes on with what has come. */
void mpi_win_advance(struct mpi_win *win);
void mpi_win_in_free(struct mpi_win_in *in);

/** Of the messages of operation `number` but its header: layout and data, or the answer. Numbers
 * begin again before tags, which are positive, end. */
static inline int mpi_win_tag(uint32_t number, bool answers)
{
    return 1 + (int)(number % (INT32_MAX / 2)) * 2 + answers;
}

#endif /* MPI_WIN_H */
