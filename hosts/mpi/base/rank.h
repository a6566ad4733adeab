/*
 * Inside of the MPI library:
 *
 *   mpi.c, point.c, start.c, request.c, probe.c, buffer.c
 *                             the interface
 *   call.h                    collectives: collective.c, alltoall.c, reduction.c, inter.c
 *   collective.h              their algorithms: algo_*.c, select.c; schedule.h: their steps
 *   comm.h, error.c           what handles stand for; what is wrong with arguments
 *   type.h, env.h             datatypes; attributes, error handlers, Info
 *   request.h, protocol.h     messages between two ranks
 *   transport.h               the network below
 */
#ifndef MPI_RANK_H
#define MPI_RANK_H

#include <stdbool.h>
#include <stdint.h>

#include "hosts/driver/bar.h"
#include "hosts/mpi/base/env.h"
#include "hosts/mpi/base/table.h"
#include "hosts/mpi/comm/comm.h"
#include "hosts/mpi/include/mpi-hub.h"
#include "hosts/mpi/include/mpi.h"
#include "hosts/mpi/point/protocol.h"
#include "hosts/mpi/point/request.h"
#include "hosts/mpi/point/waits.h"
#include "hosts/mpi/type/type.h"
#include "hosts/transport/transport.h"

/** A whole status; MPI_Get_count() and its like read `bytes`. */
static inline MPI_Status mpi_status(int source, int tag, int error, uint64_t bytes)
{
    return (MPI_Status){ source, tag, error, (uint32_t)bytes, (uint32_t)(bytes >> 32), 0 };
}
/** What calls that end one operation hand out: they leave MPI_ERROR as it was (MPI 3.1, 3.2.5). */
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

/** Of one rank, from MPI_Init() on. */
struct mpi_rank {
    struct host *host;
    struct transport *transport;
    struct mpi_protocol protocol;
    struct mpi_pool pool;
    MPIX_Hub_counts counts;
    struct mpi_type basic[MPI_BASIC_TYPES];
    struct mpi_table types, comms, groups, ops, wins, files; /* the program's; by handle */
    struct mpi_errhandler *file_errhandler; /* of MPI_FILE_NULL: of files that will be opened */
    struct mpi_request **requests;          /* by handle; NULL: none */
    struct mpi_request *spare_requests;     /* for reuse */
    struct mpi_chunk *chunks;               /* all of them */
    MPI_Request *free_handles;
    unsigned nrequests, nfree;
    struct mpi_group *no_group; /* the empty one */
    struct mpi_contexts contexts;
    struct mpi_schedule *running, *idle;
    struct mpi_schedule *ready, **ready_end; /* in the order in which they became so */
    bool schedules_ready, advancing;         /* see mpi_schedules_advance() */
    unsigned moves;                          /* of schedules, so far */
    struct mpi_select *select;               /* algorithms of collectives */
    struct mpi_device_block *device_blocks;
    uint8_t *device_stage; /* pinned; NULL: not yet */
    bool windows_ready;    /* mpi_windows_advance() has something to do */
    struct mpi_env env;
    const struct mpi_comm
        *blamed;       /* whose error handler the present call ends with; NULL: the world's */
    const char *outer; /* the program's call, when it works by others of its kind; or NULL */
    struct mpi_look look;
    unsigned inside;               /* of calls, of each other: the helper may not interrupt it */
    bool interrupts;               /* the present call does another one: by a handler, or a jump */
    bool rung;                     /* something has come since the last look of mpi_help() */
    bool finalized, errors_return; /* after the end: calls return their errors */
    char why[160];                 /* what was wrong in the call that failed last */
};

/** As the program knows it: __func__ of the library's MPI_X is HMPI_X; see profile.sh. */
static inline const char *mpi_call_name(const char *func)
{
    return func[0] == 'H' ? func + 1 : func;
}

/* error.c */
struct mpi_rank *mpi_self(void); /* NULL outside MPI_Init() .. MPI_Finalize() */
/** Notes what is wrong; `mr` may be NULL. */
void mpi_note(struct mpi_rank *mr, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** With what the code means. */
void mpi_note_code(struct mpi_rank *mr, int code);
/** The same, and yields `code`. */
#define mpi_fail(mr, code, ...) (mpi_note((mr), __VA_ARGS__), (code))
/** Of an argument that the result goes to. @return MPI_ERR_ARG, noted, for NULL. */
static inline int mpi_check_out(struct mpi_rank *mr, const void *p, const char *name)
{
    return p != NULL ? MPI_SUCCESS : mpi_fail(mr, MPI_ERR_ARG, "%s = NULL", name);
}
/** Ends a call of the program on a communicator: calls its error handler for an error, which ends
 * all ranks unless it is to be returned. `c` NULL: the handler of MPI_COMM_WORLD. `mr` may be NULL.
 * @return `code` */
int mpi_end_comm(struct mpi_rank *mr, const struct mpi_comm *c, const char *call, int code);
int mpi_end(struct mpi_rank *mr, const char *call, int code);
/** The same before MPI_Init() and after MPI_Finalize(); `why` NULL: that is what is wrong. */
int mpi_end_outside(const char *call, const char *why, int code);
/** The same for any object with an error handler; `handle` is what the handler is told. */
int mpi_end_object(struct mpi_rank *mr, const struct mpi_errhandler *handler, int handle,
                   const char *call, int code);
__attribute__((noreturn)) void mpi_abort(struct mpi_rank *mr, int exit_code);

/* peer.c */
int mpi_protocol_init(struct mpi_rank *mr);
void mpi_protocol_release(struct mpi_rank *mr);

/* device.c */
/** Memory for all data of a request in one piece: of the GPU that `buf` is of, if it is of one. */
void mpi_pack_new(struct mpi_rank *mr, struct mpi_request *rq, const void *buf, uint32_t bytes);
void mpi_pack_free(struct mpi_request *rq);
/** What is to be sent, into such memory; takes the time of that. */
void mpi_pack(struct mpi_rank *mr, struct mpi_request *rq);
/** `bytes` of packed data, wherever they are, to where they are received; takes its time. */
void mpi_unpack(struct mpi_rank *mr, struct mpi_request *rq, const uint8_t *data, uint32_t bytes);
/** Is it memory of a GPU that the transport takes as it is? */
bool mpi_on_device(const struct mpi_rank *mr, const void *p);
/** The time in which a core of the host, or an engine for it, copies between these places; the
 * caller moves the data. What has been stored to a GPU before has arrived when it is read. */
void mpi_spend_between(struct mpi_rank *mr, const void *to, const void *from, uint64_t bytes);
void mpi_device_release(struct mpi_rank *mr);

/* help.c */
/** See host_ops.library. */
static inline bool mpi_library(struct host *h, bool inside)
{
    return h->ops->library != NULL ? h->ops->library(h, inside) : inside;
}
/** Around a function of the program that a call may not go on without: attributes, requests of its
 * own, errors. It may call MPI, and even leave the call by a jump. */
struct mpi_aside {
    bool library;
    unsigned inside;
};
struct mpi_aside mpi_program_begin(struct mpi_rank *mr);
void mpi_program_end(struct mpi_rank *mr, struct mpi_aside aside);
/** Before anything that needs what is under way, which a call that was interrupted may have left
 * half done: ends all ranks in a call that interrupts another one. */
void mpi_refuse_interruption(struct mpi_rank *mr);
/** By the setting "mpi.progress": interrupts go on with what is pending while the program computes.
 * @return an error, noted, where there can be none. */
int mpi_help_init(struct mpi_rank *mr);
/** Has something rung since mpi_help() looked last, and is anything pending? */
bool mpi_help_is_due(const struct mpi_rank *mr);
/** Goes on with what is pending; does not wait. */
void mpi_help(struct mpi_rank *mr);

/* win.c */
/** Goes on with one-sided operations; not from within mpi_start(). */
void mpi_windows_advance(struct mpi_rank *mr);
void mpi_windows_release(struct mpi_rank *mr);

/* io.c */
int mpi_files_init(struct mpi_rank *mr);
void mpi_files_release(struct mpi_rank *mr);

/* start.c */
/** Fills in a request of data at rq->in or rq->out, checked. `peer` may be MPI_PROC_NULL. */
int mpi_prepare(struct mpi_rank *mr, struct mpi_request *rq, bool receives, int count,
                MPI_Datatype type, int peer, int tag, MPI_Comm comm);

#endif /* MPI_RANK_H */
