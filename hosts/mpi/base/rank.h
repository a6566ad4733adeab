/*
 * What all rooms of the library stand on: the rank itself, its memory, errors, and what programs
 * attach to objects (env.h). A room includes only those before it:
 *
 *   base < type < comm < check < point < coll < create < rma < io < init
 *
 *   type/type.h, op.h           datatypes and operations
 *   comm/comm.h                 groups and communicators
 *   check/check.h               mistakes of programs, for `hubrun --check mpi`
 *   point/request.h, protocol.h messages between two ranks, over hosts/transport
 *   coll/collective.h           collectives: their steps (schedule.h), their calls (call.h)
 *   create/create.h             new communicators, and their topologies
 *   rma/win.h, io/io.h          windows; files
 *   init                        beginning and end, and what is around each call of a program
 */
#ifndef MPI_RANK_H
#define MPI_RANK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "hosts/mpi/base/env.h"
#include "hosts/mpi/base/table.h"
#include "hosts/mpi/include/mpi-hub.h"
#include "hosts/mpi/include/mpi.h"
#include "hosts/transport/transport.h"

struct mpi_comm;
struct mpi_type;
struct mpi_group;
struct mpi_request;
struct mpi_protocol;
struct mpi_schedule;
struct mpi_device_block;
struct mpi_check;

/** A whole status; MPI_Get_count() and its like read `bytes`. */
static inline MPI_Status mpi_status(int source, int tag, int error, uint64_t bytes)
{
    return (MPI_Status){ source, tag, error, (uint32_t)bytes, (uint32_t)(bytes >> 32), 0 };
}
/** Calls that end one operation hand this out: they leave MPI_ERROR as it was (MPI 3.1, 3.2.5). */
static inline void mpi_status_give(MPI_Status *to, const MPI_Status *from)
{
    int error;

    if (to == MPI_STATUS_IGNORE)
        return;
    error = to->MPI_ERROR;
    *to = *from;
    to->MPI_ERROR = error;
}
static inline uint64_t mpi_status_bytes(const MPI_Status *status)
{
    return (uint64_t)status->hub_bytes_high << 32 | status->hub_bytes;
}

#define MPI_POOL_SIZES 32u
#define MPI_WHY_BYTES  1024u /* as the text of a struct sim_error, which some end in */

/** Memory for data of messages: blocks of whole pages, by the power of two of their size. */
struct mpi_pool {
    struct mpi_block *all, *free[MPI_POOL_SIZES];
    uint64_t kept; /* bytes of large free ones that hold their pages */
};

/** Contexts that the rank has made up, see comm.h. */
struct mpi_contexts {
    uint64_t *used; /* bit map; NULL: none yet */
    uint32_t next;
};

/** Calls that do not wait have looked for this in vain since one of them found something. Up to two
 * are distinguished. */
struct mpi_look {
    struct mpi_sought {
        bool sends;
        int peer, tag; /* peer: in the communicator */
        MPI_Comm comm;
        uint64_t bytes;
    } sought[2];
    unsigned n;
};

/** Layers above messages that go on when some have ended. Whatever takes in messages calls them
 * when they are due, but not from within mpi_start(). */
enum mpi_follower { MPI_FOLLOWS_SCHEDULES, MPI_FOLLOWS_WINDOWS, MPI_FOLLOWERS };
struct mpi_follow {
    bool due;
    void (*advance)(struct mpi_rank *mr);
};

/** A call of the program, and where that goes on after it. No name: none, or MPI_Init(). */
struct mpi_call {
    const char *name;
    const void *from;
    uint64_t number; /* counts calls of the rank */
};

/** A rank, from MPI_Init() on. */
struct mpi_rank {
    struct host_state kept; /* first: see host_state_of() */
    struct host *host;
    struct transport *transport;
    struct mpi_protocol *protocol;
    struct mpi_pool pool;
    MPIX_Hub_counts counts;
    struct mpi_type *basic; /* predefined types, by number */
    struct mpi_table types, comms, groups, ops, wins, files,
        requests;                             /* the program's; by handle */
    struct mpi_errhandler **world_errhandler; /* of MPI_COMM_WORLD; NULL: there is none yet */
    struct mpi_errhandler *file_errhandler;   /* of MPI_FILE_NULL: of files that will be opened */
    struct mpi_request *spare_requests;       /* for reuse */
    struct mpi_chunk *chunks;                 /* all of them */
    struct mpi_group *no_group;               /* the empty one */
    struct mpi_contexts contexts;
    struct mpi_follow follows[MPI_FOLLOWERS];
    LIST_HEAD(, mpi_schedule) running, idle;
    TAILQ_HEAD(mpi_ready, mpi_schedule) ready; /* in the order in which they became so */
    bool advancing;                            /* schedules */
    unsigned moves;                            /* of schedules, so far */
    struct mpi_select *select;                 /* algorithms of collectives */
    struct mpi_device_block *device_blocks;
    uint8_t *device_stage; /* pinned; NULL: not yet */
    struct mpi_env env;
    struct mpi_blamed blamed;
    struct mpi_blames outer_blames;
    bool ended;              /* an error handler has been called for the present call */
    const char *outer;       /* the program's call, when it works by others of its kind; or NULL */
    struct mpi_call call;    /* the present one */
    uint64_t calls;          /* so far */
    struct mpi_check *check; /* NULL: none is asked for */
    struct mpi_look look;
    unsigned inside;               /* of calls, of each other: the helper may not interrupt it */
    bool interrupts;               /* the present call does another one: by a handler, or a jump */
    bool rung;                     /* something has come since the last look of mpi_help() */
    bool finalized, errors_return; /* after the end: calls return their errors */
    char why[MPI_WHY_BYTES];       /* what was wrong in the call that failed last */
};

/** Frees all; host_state_of() finds the rank by this function (init/mpi.c). */
void mpi_rank_release(void *rank);

/** The name that the program knows: __func__ of the library's MPI_X is HMPI_X; see
 * c_bindings.py. */
static inline const char *mpi_call_name(const char *func)
{
    return func[0] == 'H' ? func + 1 : func;
}

/* error.c */
struct mpi_rank *mpi_self(void); /* NULL outside MPI_Init() .. MPI_Finalize() */
/** Notes what is wrong; `mr` may be NULL. */
void mpi_note(struct mpi_rank *mr, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** Notes what the code means. */
void mpi_note_code(struct mpi_rank *mr, int code);
/** Notes what is wrong with this rank's present call, and yields `code`. */
#define mpi_error(code, ...) mpi_fail(mpi_self(), code, __VA_ARGS__)
/** Notes what is wrong, and yields `code`. */
#define mpi_fail(mr, code, ...) (mpi_note((mr), __VA_ARGS__), (code))
/** Ends a call of the program: calls the error handler of MPI_COMM_WORLD for an error, which ends
 * all ranks unless it is to be returned. `mr` may be NULL. @return `code` */
int mpi_end(struct mpi_rank *mr, const char *call, int code);
/** Before a call and after it: what is blamed in the call that it is in is kept. @return what the
 * end needs */
unsigned mpi_blame_begin(struct mpi_rank *mr);
void mpi_blame_end(struct mpi_rank *mr, unsigned kept);
/** An object ends: no call blames it from now on, but MPI_COMM_WORLD. */
void mpi_blame_drop(struct mpi_rank *mr, struct mpi_errhandler *const *handler);
/** Ends a call that has failed. @return `code` */
int mpi_end_blamed(struct mpi_rank *mr, const char *call, int code);
/** Ends a call before MPI_Init() or after MPI_Finalize(); `why` NULL: that is what is wrong. */
int mpi_end_outside(const char *call, const char *why, int code);
/** Ends a call with the error handler of an object, which gets `handle`. */
int mpi_end_object(struct mpi_rank *mr, const struct mpi_errhandler *handler, int handle,
                   const char *call, int code);
__attribute__((noreturn)) void mpi_abort(struct mpi_rank *mr, int exit_code);
/** Ends all ranks when `memory` is NULL. All that the library needs for itself is asked for in this
 * way, since others would wait for a rank that went on without it. MPI_ERR_NO_MEM is for memory
 * that the program asks for: MPI_Alloc_mem() and windows. @return `memory` */
void *mpi_need(struct mpi_rank *mr, void *memory) __attribute__((returns_nonnull));
/** Before anything that needs what is under way, which a call that was interrupted may have left
 * half done: ends all ranks in a call that interrupts another one. */
void mpi_refuse_interruption(struct mpi_rank *mr);

/** See host_process_ops.library. */
static inline bool mpi_library(struct host *h, bool inside)
{
    return h->process->library(h, inside);
}
/** Around a function of the program that a call may not go on without: attributes, requests of its
 * own, errors. It may call MPI, and even leave the call by a jump. */
struct mpi_aside {
    bool library;
    unsigned inside;
};
struct mpi_aside mpi_program_begin(struct mpi_rank *mr);
void mpi_program_end(struct mpi_rank *mr, struct mpi_aside aside);

/* block.c */
/** Memory that goes with the rank at the latest, aligned to 64. All that messages are sent from or
 * received into and that is not the program's is of this kind. */
void *mpi_block_new(struct mpi_rank *mr, uint64_t bytes);
void *mpi_block_zero(struct mpi_rank *mr, uint64_t bytes); /* all zero */
void mpi_block_free(void *bytes);                          /* NULL: no effect */
void mpi_pool_release(struct mpi_rank *mr);
/** Memory to memory; takes the time that it takes the platform. */
void mpi_copy(struct mpi_rank *mr, void *to, const void *from, uint64_t bytes);
/** The time alone. */
void mpi_spend_copy(struct mpi_rank *mr, uint64_t bytes);

#endif /* MPI_RANK_H */
