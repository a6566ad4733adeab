/*
 * Inside of the launcher: nodes, and threads of control on their cores. A thread
 * asks its core for an operation, suspends its task, and is resumed by the
 * core's callback, in phase SIM_TASK.
 */
#ifndef LAUNCH_INTERNAL_H
#define LAUNCH_INTERNAL_H

#include "ether/ether.h"
#include "hosts/host/range.h"
#include "hosts/launch/heap.h"
#include "hosts/launch/launch.h"
#include "hosts/launch/program.h"
#include "hosts/launch/task.h"
#include "node/gpu.h"
#include "node/host.h"

#define LAUNCH_GPUS        8u
#define LAUNCH_VECTORS     32u                 /* of interrupts: bit i of the pending set */
#define LAUNCH_RESERVED    (UINT64_C(1) << 20) /* bytes at the start of DRAM that nobody gets */
#define LAUNCH_KERNEL      (UINT64_C(8) << 20) /* bytes after them for the driver */
#define LAUNCH_ARENA_ALIGN UINT64_C(65536)
#define LAUNCH_POLL_WORDS  64u

struct launch;
struct launch_polls;
struct launch_helper;

struct launch_message {
    struct launch_message *next;
    unsigned from;
    uint32_t bytes;
    uint8_t data[];
};

/** Sent, and still in its sender's queue. */
struct launch_outgoing {
    struct launch_outgoing *next;
    sim_time_t due;
    unsigned node; /* of the receiver */
    uint32_t bytes;
    uint8_t packet[];
};
struct launch_outbox {
    struct launch_outgoing *first, **end;
};
/** Within the node, or over the control network. */
enum launch_way { LAUNCH_LOCAL, LAUNCH_NET, LAUNCH_WAYS };

struct launch_gpu {
    struct launch_node *node;
    struct node_gpu *gpu;
    uint8_t *bytes;
    uint16_t bdf;
    struct range_alloc memory; /* offsets */
    struct launch_copies {
        struct launch_gpu *gpu;
        uint64_t started, done; /* numbers of the last ones; 0: none */
    } copies[HOST_COPY_ENGINES];
    struct host_stamp *stamps; /* of copies that have not ended */
};

/** Memory of the program that devices reach; each has bus addresses of its own. */
struct launch_pins {
    unsigned segment;         /* of the node's pins (memory/ram.h) */
    struct range_alloc pages; /* bus addresses; no blocks before the first pin */
    struct launch_pin {
        uint64_t bus, bytes; /* whole pages */
        uint8_t *at;
    } * pins;
    unsigned n, room;
};

/** One of the three that a rank sets by setitimer(). */
struct launch_timer {
    struct launch_thread *thread;
    sim_time_t due, every; /* 0: it does not run; it runs once */
    struct sim_event end;
};

/** A rank, or what the node itself runs: boot and interrupts. */
struct launch_thread {
    struct host host; /* first: what host_self() yields */
    struct launch_node *node;
    struct node_core *core;
    struct task *task;
    struct launch_thread *above;   /* of a helper: its rank; else NULL */
    struct launch_helper *helper;  /* of a rank; or NULL */
    struct launch_thread *running; /* of a rank: its helper, while that has the core; else NULL */
    void (*run)(struct launch_thread *t);
    uint64_t value;     /* of the last operation */
    const char *waits;  /* its name while it lasts, for reports */
    bool asleep, woken; /* sleeps; and was woken */
    bool late;          /* is to wake up when its core is free again */
    struct sim_event wakeup;
    struct range_alloc arena; /* bus addresses */
    struct launch_pins pins;
    /* the rest of a block of stores */
    struct {
        const struct host_bar *bar;
        const uint8_t *bytes;
        uint64_t offset, left;
    } block;
    /* ranks */
    struct launch_message *first, **end, *taken;
    uint64_t messages;                      /* that have come */
    volatile void *counted;                 /* where the rank wants their number; NULL: nowhere */
    volatile uint64_t *copies[LAUNCH_GPUS]; /* see host_gpu_ops.count */
    struct launch_outbox out_box[LAUNCH_WAYS];
    struct program *program;
    struct heap *heap; /* of the program */
    bool heap_full;    /* has been told */
    enum launch_compute compute;
    bool in_library;            /* see host_process_ops.library */
    const uint64_t *blocks;     /* the program's count */
    uint64_t computed;          /* what was charged for: ns of the processor, or blocks */
    struct launch_polls *polls; /* NULL: it has not polled by itself */
    char **argv;
    FILE *out, *err;
    bool is_rank; /* nothing but its own task runs in the events that resume it */
    bool ended;
    int signal;        /* that has ended it, or 0 */
    const char *fault; /* what went wrong, when the program crashed */
    uint64_t fault_at; /* and where in it */
    uint64_t resumed;  /* times, to tell one that does not come back */
    uint64_t busy;     /* operations but those of looks (host_looks) and timers */
    struct {
        uint64_t busy, found, vain;
    } before; /* when it was last asked whether ranks only look */
    int exit_code;
    sim_time_t end_ps;
    struct sim_event start;
    struct {
        struct hub_program_signals program;
        uint64_t sent; /* by other ranks, and on their way */
        int senders[HUB_SIGNALS];
        struct sim_event arrival;
        struct launch_timer timers[HUB_TIMERS];
    } signals;
};

struct launch_node {
    struct launch *run;
    struct host_node shared;
    struct node_host *host;
    struct mem_ram *ram;
    unsigned ngpus, nranks, arenas; /* arenas: given to ranks so far */
    struct launch_gpu gpus[LAUNCH_GPUS];
    struct launch_thread kernel, irq; /* boot; interrupt handlers */
    host_interrupt_fn irq_fn;
    void *irq_arg;
    uint32_t irq_pending;
    struct {
        struct ether_adapter *adapter; /* NULL: none */
        host_ether_fn fn;
        void *arg;
        uint32_t pending; /* bits by enum host_ether_event */
        bool handling;    /* from the interrupt to the end of its handler */
        struct sim_event timer;
    } ether;
    int boot_code;
    struct sim_event boot, send[LAUNCH_WAYS];
};

struct launch {
    struct machine *m;
    const struct launch_config *cfg;
    const struct launch_software *software;
    unsigned nnodes, nranks;
    struct launch_node *nodes;
    struct launch_thread *ranks;
    struct output *output;
    FILE *nothing;       /* what ranks other than 0 read */
    unsigned left;       /* threads of this phase that have not ended */
    uint64_t idle_turns; /* ends of polls of programs in vain */
    struct launch_abort {
        bool done;
        unsigned rank;
        int code;
        sim_time_t time;
    } abort;
};

extern const struct host_ether_ops launch_ether_ops;
extern const struct host_gpu_ops launch_gpu_ops;
extern const struct host launch_host; /* with these tables, and no rank */

static inline struct launch_thread *launch_thread_of(struct host *h)
{
    return SIM_CONTAINER_OF(h, struct launch_thread, host);
}
static inline struct sim_domain *launch_domain(const struct launch_thread *t)
{
    return node_host_domain(t->node->host);
}

/* thread.c */
/** Lets the task run until it waits or ends. */
void launch_resume(struct launch_thread *t);
/** From the thread itself: waits until it is resumed. */
void launch_suspend(struct launch_thread *t, const char *what);
/** From the thread itself: waits for the operation that it has just begun. @return its value. */
uint64_t launch_wait(struct launch_thread *t, const char *what);
/** From the thread itself: the operation was over at once; `timer`: it read the core's counter. */
void launch_passed(struct launch_thread *t, bool timer);
/** As launch_wait(), for the core's counter. */
uint64_t launch_wait_timer(struct launch_thread *t, const char *what);
/** The callback of a core's operation; `arg` is the thread. */
void launch_done(void *arg, uint64_t value);
/** @return false when the deadline came. */
bool launch_sleep(struct launch_thread *t, sim_time_t deadline, const char *what);
void launch_wake(struct launch_thread *t);
/** It has ended, at `at`, however that came; what it still waits for never resumes it. */
void launch_end(struct launch_thread *t, int code, sim_time_t at);
/** Ends all ranks and their launcher where they are, with a line on stderr. Safe in a signal
 * handler and in any thread. */
_Noreturn void launch_end_process(const char *line, int code);
/** As launch_end_process(), from code of a program in no rank, where there is no task that it could
 * leave. */
_Noreturn void launch_end_outside(int code);
int launch_thread_init(struct launch_thread *t, struct launch_node *node, struct node_core *core,
                       void (*run)(struct launch_thread *t), struct sim_error *err);
void launch_thread_fini(struct launch_thread *t);

/** Threads of the node that were woken while their core was held get it now, if it is free. */
void launch_let_go(struct launch_node *node);

/* helper.c */
bool launch_set_helper(struct host *h, const struct host_helper *what);
/** No effect on a rank without a helper. */
void launch_ring(struct launch_thread *rank);
/** The rank has ended, and its helper never runs again. */
void launch_helper_cancel(struct launch_thread *rank);
void launch_helper_fini(struct launch_thread *rank);
/** What runs on the rank's core now, and waits for its operations: the rank, or its helper. What a
 * rank has is of launch_thread_of(). */
static inline struct launch_thread *launch_running(struct host *h)
{
    struct launch_thread *rank = launch_thread_of(h);

    return rank->running != NULL ? rank->running : rank;
}
/** The thread of a helper; NULL: the rank has none. */
struct launch_thread *launch_helper_thread(const struct launch_thread *rank);

/* node.c */
int launch_nodes_init(struct launch *run, struct sim_error *err);
void launch_nodes_fini(struct launch *run);
int launch_boot(struct launch *run, struct sim_error *err);

/* message.c */
void launch_messages_init(struct launch_node *node);
void launch_messages_cancel(struct launch_node *node);
void launch_outboxes_init(struct launch_thread *t);
/** Those that it has not received, and those that it has sent and the node not taken. */
void launch_messages_free(struct launch_thread *t);
/** Writes the number of messages that have come to where the rank wants it. */
void launch_count(struct launch_thread *t);
void launch_send(struct launch_thread *t, unsigned to, const void *bytes, uint32_t size);

/* ether.c */
void launch_ether_init(struct launch_node *node);
void launch_ether_fini(struct launch_node *node);
/** By the node's handler, before it looks for other interrupts and sleeps. */
void launch_ether_handle(struct launch_node *node);

/* place.c */
/** The core of the node's rank number `rank`: of its home first, never the one of interrupts. */
unsigned launch_core_of(const struct launch_node *node, unsigned rank);
/** Tells the host whose memory is where: `share` bytes for each rank, from `first` on. */
void launch_set_home(struct launch_node *node, uint64_t first, uint64_t share);

/* pin.c */
/** @return false: not memory of the node. */
bool launch_bus_of(const struct launch_node *node, const volatile void *p, uint64_t *bus_p);
uint64_t launch_pin(struct launch_thread *t, const void *p, uint64_t bytes);
void launch_unpin(struct launch_thread *t, uint64_t bus);
/** The bus addresses at which [p, p + size) is pinned, at most `room`. @return how many. */
unsigned launch_pinned(const struct launch_thread *t, const volatile void *p, uint32_t size,
                       uint64_t *bus, unsigned room);
void launch_pins_fini(struct launch_thread *t);

/* poll.c */
/** The program of the thread, which runs, is about to load a word. */
void launch_poll(struct launch_thread *t, const volatile void *at, uint32_t size,
                 const struct hub_program_place *place);
/** It does anything else: no loop goes on beyond that, unless it only reads a timer. */
void launch_polls_end(struct launch_thread *t, bool timer);
void launch_polls_fini(struct launch_thread *t);
/** It printed: each turn of the loop does. */
void launch_polls_printed(struct launch_thread *t);

/** What the program of the thread polls, while it waits; false: it does not. */
bool launch_polled(const struct launch_thread *t, char *text, size_t room);

/* compute.c */
void launch_compute_charge(struct launch_thread *t);
void launch_compute_begin(struct launch_thread *t);
/** What the rank has computed since the last call, as simulated time. */
sim_time_t launch_compute_take(struct launch_thread *t);
void launch_compute_pass(struct launch_thread *t, sim_time_t ps);
/** Lets the time pass that the rank has computed since the last call. */
static inline void launch_charge(struct launch_thread *t)
{
    if (t->compute != LAUNCH_COMPUTE_NONE)
        launch_compute_charge(t);
}
/** Computing begins here: what came before is not the program's, or paid for otherwise. */
static inline void launch_charged(struct launch_thread *t)
{
    if (t->compute != LAUNCH_COMPUTE_NONE)
        launch_compute_begin(t);
}

/* report.c */
/** The program counter in what a signal handler got. */
uint64_t launch_counter_of(const void *context);
/** Since the last time no rank has done anything but look in vain, nor can anything else happen. */
bool launch_only_looks(struct launch *run);
/** What the rank does, in words. */
void launch_where(const struct launch_thread *t, char *text, size_t room);
/** Ranks that wait for each other's messages, in words; false: there are none. */
bool launch_circle(const struct launch *run, char *text, size_t room);
/** One that waits for a message of a rank that has ended. */
bool launch_bereft(const struct launch *run, char *text, size_t room);
/** " at PROGRAM+0x123", or nothing when that is not in the program. */
void launch_place(const struct launch_thread *t, uint64_t addr, char *text, size_t room);

/* signal.c */
void launch_signals_init(struct launch_thread *t);
void launch_signals_hook(struct launch_thread *t, struct hub_program_hooks *hooks);
/** Timers, and what is on its way to the rank. */
void launch_signals_cancel(struct launch_thread *t);
void launch_signals_run(struct launch_thread *t);
/** From the thread itself, which is not in the midst of an operation: runs handlers that are due.
 */
static inline void launch_signals_take(struct launch_thread *t)
{
    if ((t->signals.program.pending & ~t->signals.program.blocked) != 0)
        launch_signals_run(t);
}

/** As launch_signals_take(), before the thread waits. @return false: some ran, or a signal came
 * that it waits for, so that what it found before may no longer hold. */
static inline bool launch_signals_none(struct launch_thread *t)
{
    const struct hub_program_signals *s = &t->signals.program;
    uint64_t ran = s->ran;

    launch_signals_take(t);
    return s->ran == ran && (s->pending & s->wanted) == 0;
}

/** From the thread itself, before an operation: what it computed takes its time, and handlers that
 * have come due meanwhile run. */
static inline void launch_begin(struct launch_thread *t)
{
    launch_charge(t);
    launch_signals_take(t);
}

/* rank.c */
int launch_ranks_init(struct launch *run, struct sim_error *err);
void launch_ranks_fini(struct launch *run);
void launch_ranks_start(struct launch *run, sim_time_t at);

#endif /* LAUNCH_INTERNAL_H */
