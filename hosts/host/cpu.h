/*
 * The core that a rank runs on: its time, what software costs on it, and what interrupts it.
 */
#ifndef HOST_CPU_H
#define HOST_CPU_H

#include <stdbool.h>
#include <stdint.h>

#define HOST_NEVER UINT64_MAX

struct host;

/** Software costs by kind of operation; the back end knows the platform's numbers. */
enum host_cost {
    HOST_COST_CALL,        /* entering a library function */
    HOST_COST_SYSCALL,     /* into the kernel and back */
    HOST_COST_INTERRUPT,   /* from the message to the first instruction of the handler */
    HOST_COST_HELPER,      /* a rank's helper gets its core, and gives it back */
    HOST_COST_CUDA_CALL,   /* a call of the CUDA runtime that starts nothing */
    HOST_COST_CUDA_COPY,   /* starting a copy and learning of its end */
    HOST_COST_CUDA_KERNEL, /* so much longer for a kernel, as a copy inside of a GPU is */
    HOST_COST_COPY_KB,     /* the CPU copies 1024 bytes from memory to memory */
    HOST_COST_PIN,         /* the kernel pins a page and gives it a bus address */
    /* an operation in a loop of the program, by the kinds of hub-work.h in their order */
    HOST_COST_LOOP,
    HOST_COST_LOOP_LAST = HOST_COST_LOOP + 6,
    HOST_COSTS
};

/** What a library does for a message: phases of `hubsim explain`. As enum node_phase. */
enum host_phase {
    HOST_PHASE_CALL,
    HOST_PHASE_STAGE,
    HOST_PHASE_COPY,
    HOST_PHASE_CACHE,
    HOST_PHASE_DESCRIPTOR,
    HOST_PHASE_DOORBELL,
    HOST_PHASE_PACKET,
    HOST_PHASE_LAND,
    HOST_PHASE_HANDLER,
    HOST_PHASES
};

/** Runs as a task of higher priority; `h` is the host to use inside. */
typedef void (*host_interrupt_fn)(struct host *h, void *arg, uint32_t vector);

/**
 * What runs above a rank, on its core. Both are called with the rank's own host, which is blocked
 * while run() lasts.
 */
struct host_helper {
    bool (*wanted)(void *arg); /* is there anything to do, and may the rank be interrupted? */
    void (*run)(void *arg);
    void *arg;
};

struct host_cpu_ops {
    void (*spend)(struct host *h, uint64_t ps);
    uint64_t (*cost_ps)(struct host *h, enum host_cost cost);
    /** From here on it does that; takes no time. */
    void (*phase)(struct host *h, enum host_phase phase);
    uint64_t (*tsc)(struct host *h);
    uint64_t (*tsc_khz)(struct host *h);
    uint64_t (*time_ps)(struct host *h); /* costs nothing */
    /** Until wake(), a signal or the time `deadline_ps`. @return false when the deadline ended it.
     */
    bool (*sleep)(struct host *h, uint64_t deadline_ps);
    void (*wake)(struct host *h, struct host *sleeper); /* both on one node */
    void (*set_interrupt)(struct host *h, host_interrupt_fn fn, void *arg);
    /**
     * From now on ring() of this rank runs the helper, copied, if it is wanted. Messages of the
     * control network and ends of copies of GPUs ring as well. @return false: there is no context
     * for it above the rank's core, or the rank has one.
     */
    bool (*set_helper)(struct host *h, const struct host_helper *helper);
    void (*ring)(struct host *h, struct host *rank); /* by a handler, both on one node */
};

#endif /* HOST_CPU_H */
