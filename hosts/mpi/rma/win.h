/*
 * One-sided communication by messages that the target's library handles. A header has the
 * displacement and layout at the target, and small data behind it. Other data follow as a message
 * of their own, right into or out of the window, and by remote write where the transport has it.
 *
 *   win.c    windows        rma.c      operations, as they are called
 *   sync.c   epochs         origin.c   from the origin's side
 *   lock.c   epochs that    target.c   from the target's side
 *            begin with a lock
 *
 * Each side counts operations by pair of ranks. An origin that wants to know them done at the
 * target says how many it has begun, and the target answers when it has finished so many. What has
 * brought a result is known to be done.
 *
 * A lock is asked for with the first operation of its epoch. Only a rank that may load from and
 * store to the memory itself waits for it: the target holds operations back until their lock is
 * granted. Operations on a rank's own memory are done at once, without a message.
 */
#ifndef MPI_WIN_H
#define MPI_WIN_H

#include <stdalign.h>

#include "hosts/mpi/create/create.h"

#include <mpi-workers.h> /* what c_bindings.py has calls with @ and $ do */

#define MPI_WIN_MESSAGE 512u                 /* bytes of a header with what fits behind it */
#define MPI_WIN_HEAD    0                    /* tag */
#define MPI_WIN_RESULTS (UINT64_C(16) << 20) /* bytes of results that may be on their way */

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
    int32_t op, basic;      /* of an accumulation; op of an epoch: an answer is wanted */
    int64_t at;             /* bytes from the window's base; of a dynamic window the address */
    uint64_t bytes;         /* of data in packed form */
    uint64_t count;         /* of epochs: operations begun so far; lock type */
    uint32_t nruns, inside; /* inside: bytes of runs and data in this message */
};

/** An operation at its origin; goes when all of its messages have ended. */
struct mpi_win_op {
    LIST_ENTRY(mpi_win_op) in_list; /* those under way, that have ended, or spare */
    struct mpi_win *win;
    int target;
    unsigned pending;
    struct mpi_request head, runs, data, reply, *handle; /* handle: of MPI_Rput() and its like */
    struct mpi_type *origin, *result;                    /* held, or NULL */
    uint64_t expects;                                    /* bytes of a result */
    struct mpi_win_run *more; /* with room for so many, which stays when the operation goes */
    uint32_t room;
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
    TAILQ_ENTRY(mpi_win_in) in_list;
    struct mpi_win *win;
    int source;
    struct mpi_win_head head;
    struct mpi_win_run *runs, few[2]; /* `few`, or else their own memory */
    struct mpi_type *type; /* where the data are in the window: so many of them at `at`; held */
    uint64_t count;
    char *at;
    uint8_t *data; /* packed; in `small`, or else its own */
    struct mpi_request rq;
    bool ended; /* `rq` */
    enum mpi_win_step step;
    uint64_t turn; /* of an accumulation: among those of its source */
    alignas(16) uint8_t small[MPI_WIN_MESSAGE];
};

/** What waits for operations of a source to end, or for a lock. */
struct mpi_win_waiting {
    struct mpi_win_waiting *next;
    int source;
    enum mpi_win_kind kind;
    uint64_t count;
    bool answered; /* when it is so far */
};

LIST_HEAD(mpi_win_ops, mpi_win_op);
TAILQ_HEAD(mpi_win_ins, mpi_win_in);

/** What a window knows of each rank. */
struct mpi_win_peer {
    char *base;
    MPI_Aint size;
    int disp_unit;
    uint64_t headers; /* that were sent there */
    uint64_t issued;  /* operations among them */
    uint64_t unsure;  /* those that may not be done there, and bring no result that would show it */
    unsigned pending; /* not locally complete */
    bool started, exposed, locked;
    int due;           /* the lock to be asked for with the first operation; 0: none */
    bool asked;        /* for the lock */
    bool excludes;     /* that lock is exclusive */
    bool granted;      /* or it need not be waited for */
    uint64_t finished; /* operations from there that are done here */
    unsigned posts;
    bool completed;
    uint64_t complete_count, fence_count;
    bool barred; /* its lock is not granted: operations from there are held back */
    struct mpi_win_ins held;
    uint64_t turns, turn; /* accumulations that came from there; that are done */
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
    struct mpi_request head; /* the next header from any rank */
    uint8_t message[MPI_WIN_MESSAGE];
    bool came, closing;
    uint64_t heads, expected; /* that came; in all, when it is freed */
    unsigned owed;            /* answers */
    uint64_t expects;         /* bytes of results that have not come */
    struct mpi_win_ops ops, ended, spare_ops;
    struct mpi_win_ins ins, spare_ins;
    struct mpi_win_waiting *waiting, *lock_queue;
    int lock_holders; /* -1: one exclusive */
    uint32_t numbers;
    struct mpi_attrs attrs;
    unsigned deleting; /* calls under way that may have a delete function run */
    struct mpi_errhandler *errhandler;
    struct mpi_info *info;
    char *name;
};

/* win.c */
/** Goes on with one-sided operations. */
void mpi_windows_advance(struct mpi_rank *mr);
void mpi_windows_release(struct mpi_rank *mr);
/** NULL: no window, noted. */
struct mpi_win *mpi_win_of(MPI_Win win);
/** Ends a call of the program with the error handler of the window, unless that is NULL. */
int mpi_win_end(struct mpi_win *win, const char *call, int code);
/** Is an epoch open that begins with a lock or MPI_Win_start()? */
static inline bool mpi_win_has_epoch(const struct mpi_win *win)
{
    return win->nlocked > 0 || win->locked_all || win->start != NULL;
}

/* origin.c */
/** Sends a header of an epoch. `asks`: for a grant or an answer. */
void mpi_win_announce(struct mpi_win *win, int target, enum mpi_win_kind kind, uint64_t count,
                      bool asks);
/** Frees what has ended. */
void mpi_win_collect(struct mpi_win *win);
/** After the run. */
void mpi_win_drop_ops(struct mpi_win *win);

/* sync.c */
/** What calls begin with that take time. @return NULL: no window, noted. */
struct mpi_win *mpi_win_begin(const char *call, MPI_Win win);
/** @return the code for a rank that is none of the window's. */
int mpi_win_check_rank(const struct mpi_win *win, int rank);
/** What a call waits for of one rank. */
typedef bool mpi_win_ready_fn(const struct mpi_win *win, int rank);
/** Takes in what has come until it is so of `rank`, or of all ranks (-1). @return whether it had to
 * wait. */
bool mpi_win_wait(struct mpi_win *win, mpi_win_ready_fn *ready, int rank);
/** Waits like that; where there was nothing to wait for, others get on. */
void mpi_win_wait_or_let_others(struct mpi_win *win, mpi_win_ready_fn *ready, int rank);
/** For a program that spins on calls that have nothing to wait for. */
void mpi_win_let_others(struct mpi_win *win);
/** Is all that was begun for `rank` done on this side? */
bool mpi_win_is_local(const struct mpi_win *win, int rank);

/* target.c */
/** Begins a message of the window, of which the rest is filled in. */
void mpi_win_start(struct mpi_win *win, struct mpi_request *rq);
void mpi_win_listen(struct mpi_win *win);
/** A header of an epoch has come. */
void mpi_win_announced(struct mpi_win *win, int source, const struct mpi_win_head *head);
/** Of an operation, in packed form. */
uint64_t mpi_win_data_bytes(const struct mpi_win_head *head);
/** Memory for them. */
void mpi_win_data_new(struct mpi_win_in *in);
/** Combines in->data, packed, with what is in the window, which is then there instead. */
void mpi_win_accumulate(struct mpi_win_in *in);
void mpi_win_drop_ins(struct mpi_win *win);
/** Goes on with what has come. */
void mpi_win_advance(struct mpi_win *win);

/** The tag of all messages of operation `number` but its header: layout and data, or the answer.
 * Numbers begin again before tags, which are positive, end. */
static inline int mpi_win_tag(uint32_t number, bool answers)
{
    return 1 + (int)(number % (INT32_MAX / 2)) * 2 + answers;
}

/* reach.c: of one rank, or of all (-1) */
/** The operations there are done, or will be when another rank hears of this one. */
void mpi_win_race_done(struct mpi_win *win, int rank, bool unlocks);
/** At the target: the source gives its lock back. */
void mpi_win_race_unlocked(const struct mpi_win *win, int source);
/** The rank has the lock of one, which may be its own, or has it no more. */
void mpi_win_race_locked(struct mpi_win *win, int rank, enum host_lock lock);
/** They are complete here, so that their memory is the program's again. */
void mpi_win_race_local(struct mpi_win *win, int rank);

#endif /* MPI_WIN_H */
