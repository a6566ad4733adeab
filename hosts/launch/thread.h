/*
 * Threads of control on the cores of nodes: ranks, their helpers, and what a node itself runs. A
 * thread asks its core for an operation, suspends its task, and is resumed by the core's callback,
 * in phase SIM_TASK.
 */
#ifndef LAUNCH_THREAD_H
#define LAUNCH_THREAD_H

#include "hosts/host/host.h"
#include "hosts/host/range.h"
#include "hosts/launch/launch.h"
#include "hosts/launch/process/guard.h"
#include "hosts/launch/process/program.h"
#include "hosts/launch/process/task.h"
#include "node/host.h"

#define LAUNCH_GPUS 8u

struct launch_helper;
struct launch_message;
struct launch_node;
struct launch_polls;
struct launch_worker;

/** Messages of a rank, the oldest one first. */
struct launch_mail {
    struct launch_message *first, **end;
};
/** Sent within the node or over the control network, and still there; received, by user. */
enum launch_way { LAUNCH_LOCAL, LAUNCH_NET, LAUNCH_INBOX, LAUNCH_WAYS = LAUNCH_INBOX + HOST_USERS };

/** Memory of the program that devices reach; each has bus addresses of its own. */
struct launch_pins {
    unsigned segment;         /* its own of the node's pins (memory/ram.h) */
    struct range_alloc pages; /* bus addresses; no blocks before the first pin */
    struct launch_pin {
        uint64_t bus, bytes; /* whole pages */
        uint8_t *at;
        uint64_t address, length; /* what was pinned of them, see host_memory_ops.address */
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
    struct sim_domain *dom; /* the node's */
    struct node_core *core;
    struct task *task;
    struct launch_thread *above;   /* a helper's rank, or a worker's; NULL: it is neither */
    struct launch_helper *helper;  /* a rank's; or NULL */
    struct launch_worker *worker;  /* a rank's, for functions of kernels; or NULL */
    struct launch_thread *running; /* a rank's helper, while that has the core, or its worker, while
                                    * that runs; else NULL */
    bool works;                    /* a worker, which has no core */
    void (*run)(struct launch_thread *t);
    uint64_t value;     /* the last operation's */
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
    struct launch_mail mail[LAUNCH_WAYS];
    struct launch_message *taken[HOST_USERS];           /* by the last call that received one */
    uint64_t messages[HOST_USERS];                      /* that have come */
    volatile void *counted[HOST_USERS];                 /* their number goes there; or NULL */
    volatile uint64_t *copies[HOST_USERS][LAUNCH_GPUS]; /* see host_gpu_ops.count */
    struct program *program;
    struct heap *heap;            /* the program's */
    bool heap_full;               /* has been reported */
    struct guard *guard;          /* the heap's check; NULL: none */
    struct guard_mistake mistake; /* by which the program crashed, if that is one of the heap */
    enum launch_compute compute;
    bool in_library;            /* see host_process_ops.library */
    char *visible;              /* see host_gpu_ops.visible */
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
    uint64_t resumed;  /* times, to recognise one that does not come back */
    uint64_t busy;     /* operations but those of looks (host_looks) and timers */
    struct {
        uint64_t busy, found, vain;
    } before; /* when it was last asked whether ranks only look */
    int exit_code;
    struct sim_event start;
    struct {
        struct hub_program_signals program;
        uint64_t sent; /* by other ranks, and on their way */
        int senders[HUB_SIGNALS];
        struct sim_event arrival;
        struct launch_timer timers[HUB_TIMERS];
    } signals;
};

static inline struct launch_thread *launch_thread_of(struct host *h)
{
    return SIM_CONTAINER_OF(h, struct launch_thread, host);
}
/** The calling rank; NULL: the event loop, which loads and unloads programs, or a
 * thread that a program has started. */
static inline struct launch_thread *launch_self(void)
{
    struct host *h = host_self();

    return h != NULL ? launch_thread_of(h) : NULL;
}
/** What runs for the rank now, and waits for its operations: the rank, or its helper. What a
 * rank has belongs to launch_thread_of(). */
static inline struct launch_thread *launch_running(struct host *h)
{
    struct launch_thread *rank = launch_thread_of(h);

    return rank->running != NULL ? rank->running : rank;
}

/** With a task that does run(), and then exits. */
int launch_thread_init(struct launch_thread *t, struct launch_node *node, struct node_core *core,
                       void (*run)(struct launch_thread *t), struct sim_error *err);
void launch_thread_fini(struct launch_thread *t);
/** Lets the task run until it waits or ends. */
void launch_resume(struct launch_thread *t);
/** From the thread itself: waits until it is resumed. */
void launch_suspend(struct launch_thread *t, const char *what);
/** From the thread itself: waits for the operation that it has just begun. @return its value. */
uint64_t launch_wait(struct launch_thread *t, const char *what);
/** From the thread itself: the operation was over at once; `timer`: it read the core's counter. */
void launch_passed(struct launch_thread *t, bool timer);
/** A line of ours about the rank, among those that it prints. */
void launch_say(struct launch_thread *t, const char *line);
/** As launch_wait(), for the core's counter. */
uint64_t launch_wait_timer(struct launch_thread *t, const char *what);
/** The callback of a core's operation; `arg` is the thread. */
void launch_done(void *arg, uint64_t value);
/** @return false when the deadline came. */
bool launch_sleep(struct launch_thread *t, sim_time_t deadline, const char *what);
void launch_wake(struct launch_thread *t);
/** If it was woken while its core was held, and that is free now, it gets the core. */
void launch_let_go(struct launch_thread *t);
/** The core computes for so long. */
void launch_compute_pass(struct launch_thread *t, sim_time_t ps);

#endif /* LAUNCH_THREAD_H */
