/*
 * What the library keeps of a rank, its errors, and what is around each call of a program. The
 * rooms of the library, each of which includes only those before it:
 *
 *   core < extended < vis < coll
 *
 *   rank.h       the rank; errors; entering and leaving the library
 *   message.h    active messages over hosts/transport, to handlers of programs and of the library
 *   ticket.h     what the transport has not ended yet
 *   control.c    init, attach           hsl.c       locks, no-interrupt sections
 *   exit.c       the end of a job       error.c     names of codes
 */
#ifndef GASNET_RANK_H
#define GASNET_RANK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "hosts/transport/transport.h"

/* The library is the same for all modes. */
#define GASNET_SEQ 1
#include "hosts/gasnet/include/gasnet-hub.h"
#include "hosts/gasnet/include/gasnet.h"

#define GASNET_WHY_BYTES    512u
#define GASNET_ARGS_MAX     16u
#define GASNET_HANDLERS     256u
#define GASNET_FIRST_CLIENT 128u /* handlers below are the library's */

struct gasnet_extended;
struct gasnet_vis;
struct gasnet_coll;
struct gasnet_ticket;

/** Another rank, and the own one. */
struct gasnet_peer {
    uint64_t segment, bytes; /* its segment: address there */
    bool exposed, attached, on_gpu;
    struct transport_key key; /* for its segment, if exposed */
};

/** A request that was taken out of its FIFO while a reply had to wait. */
struct gasnet_deferred {
    STAILQ_ENTRY(gasnet_deferred) in_list;
    unsigned source;
    uint32_t size, at; /* behind the beginning of: */
    _Alignas(8) uint8_t bytes[];
};

enum gasnet_phase { GASNET_IS_INIT, GASNET_IS_ATTACHED, GASNET_IS_EXITING };
/** What runs: the program itself, or one of its handlers. */
enum gasnet_level { GASNET_IN_PROGRAM, GASNET_IN_REQUEST, GASNET_IN_REPLY };

/** What the present call waits for, for reports. */
struct gasnet_waits {
    const char *what; /* "a message from" */
    int peer;         /* -1: any; -2: several */
};

/** See ticket.h. */
struct gasnet_tickets {
    struct gasnet_ticket *list;
    unsigned n, room;
};

/** An entry whose handler runs. It may end the rank, and then never returns. */
struct gasnet_handled {
    struct gasnet_handled *outer;
    struct transport_buffer copy;
    struct gasnet_deferred *deferred; /* NULL: it is the copy */
};

struct gasnet_rank {
    struct host_state kept; /* first: see host_state_of() */
    void (*release)(struct gasnet_rank *gr);
    void (*look)(struct gasnet_rank *gr); /* gasnet_look() */
    struct host *host;
    struct transport *transport;
    gasneti_getenv_fn *environment; /* the program's getenv(); see gasnet_environment() */
    enum gasnet_phase phase;
    enum gasnet_level level;
    const struct gasneti_token *token; /* that the running handler has got; NULL: none */
    bool held;                         /* between hold and resume of interrupts */
    gasnet_hsl_t *hsls;                /* locked, the last one first */
    uint32_t hsl_count;                /* that have been locked, for their numbers */
    gasneti_handler_fn handlers[GASNET_HANDLERS];
    uint32_t handler_count; /* handlers of the program's table */
    struct gasnet_peer *peers;
    struct gasnet_sent {
        uint64_t messages, bytes;
    } * sent; /* to each rank */
    uint8_t *segment;
    uint64_t segment_bytes;
    bool segment_on_gpu;
    unsigned segment_gpu;
    uint32_t medium_max;
    uint32_t packed_bytes;          /* longest Long that travels in the entry of its header */
    unsigned ready, exited;         /* ranks that have said so */
    uint64_t exit_wait_ps;          /* how long this one waits for the others to exit; */
    uint64_t exit_end_ps;           /* while it does: until when, */
    int exit_code;                  /* and what it ends with */
    unsigned turn[TRANSPORT_FIFOS]; /* the source that was taken from last */
    STAILQ_HEAD(, gasnet_deferred) deferred;
    const char *call;  /* that the program has made; NULL: none */
    const void *from;  /* where it goes on behind it */
    unsigned inside;   /* calls of the program that last: a handler's in another one */
    unsigned unlooked; /* calls since the last look at the network: of own memory, or of nothing */
    struct gasnet_waits waits;
    struct gasnet_tickets tickets;
    struct gasnet_extended *extended;
    struct gasnet_vis *vis;
    gasnet_hub_counts counts;
    uint64_t named_bytes; /* that calls of the program have sent, put or got */
    struct gasnet_coll *coll;
    struct transport_buffer scratch;
    struct gasnet_handled *handled; /* the innermost one */
    char why[GASNET_WHY_BYTES];
};

/** @return NULL: outside a rank, or before gasnet_init(). */
struct gasnet_rank *gasnet_self(void);
void gasnet_rank_release(void *rank);

/** What a call of the program was before this one began. */
struct gasnet_visit {
    struct gasnet_rank *gr;
    const char *call;
    const void *from;
    struct host_entry entry;
    bool library;
    bool counts, times; /* it is counted for a profile, and its time is */
    uint64_t start_ps, named_bytes;
};

enum gasnet_need {
    GASNET_NEEDS_INIT,   /* legal from gasnet_init() on */
    GASNET_NEEDS_ATTACH, /* only after gasnet_attach() */
    GASNET_NEEDS_OUTSIDE /* that, and in no handler, no no-interrupt section and under no HSL */
};
/** A call of the program begins; one that is not legal here ends all ranks with a line. */
struct gasnet_visit gasnet_enter(const char *call, const void *from, enum gasnet_need need);
void gasnet_leave(const struct gasnet_visit *v);
#define GASNET_ENTER(need) gasnet_enter(__func__, __builtin_return_address(0), need)

/** The program runs for a while: a handler, or a function that it has given. @return for end() */
bool gasnet_program_begin(struct gasnet_rank *gr);
void gasnet_program_end(struct gasnet_rank *gr, bool library);

/** One line that names rank, time, call and place; then all ranks end. */
_Noreturn void gasnet_fail(struct gasnet_rank *gr, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** Ends all ranks for a call by what is no rank. */
_Noreturn void gasnet_end_outside(const char *call, const void *from);
/** Memory, or the end of all ranks. */
void *gasnet_need(struct gasnet_rank *gr, void *memory) __attribute__((returns_nonnull));
/** The rank must be one. */
void gasnet_check_node(struct gasnet_rank *gr, gasnet_node_t node);
/** [to, to + bytes) must be in the segment of `node`. @return its offset there */
uint64_t gasnet_check_segment(struct gasnet_rank *gr, gasnet_node_t node, const void *to,
                              uint64_t bytes);

#endif /* GASNET_RANK_H */
