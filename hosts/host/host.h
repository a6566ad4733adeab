/*
 * The only way from software to hardware: what a library under hosts/ may ask of
 * the machine it runs on. A back end fills the tables (hosts/launch: the
 * simulation). Every operation belongs to the calling rank's core and returns when
 * that core may go on; others run meanwhile.
 */
#ifndef HOST_HOST_H
#define HOST_HOST_H

#include "hosts/host/bus.h"
#include "hosts/host/check.h"
#include "hosts/host/cpu.h"
#include "hosts/host/ether.h"
#include "hosts/host/gpu.h"
#include "hosts/host/memory.h"
#include "hosts/host/net.h"
#include "hosts/host/process.h"
#include "hosts/host/race.h"
#include "hosts/host/report.h"
#include "hosts/host/state.h"

#ifdef __cplusplus
extern "C" {
#endif

struct host_profile;

/** What a kernel driver would keep for all ranks of one node. */
struct host_node {
    unsigned index;
    struct host_state *states;
};

/** How a run has ended, for what its states report when they are released. */
enum host_end {
    HOST_END_EARLY,   /* it was stopped, or a rank has failed */
    HOST_END_STALLED, /* ranks wait for what cannot happen any more */
    HOST_END_WELL
};

/** What all ranks of a run share beside the machine. Its states are released when the run has
 * ended, while all ranks are still there. */
struct host_run {
    struct host_state *states;
    enum host_end end;
};

/** What the platform or the user has set for a library: "mpi.transport" for example. */
struct host_setting {
    const char *key;
    uint64_t number;
    char word[16];    /* the value of a choice; else empty */
    const char *text; /* what a setting is that is neither; else NULL */
};

/** The rank that runs now. A back end embeds it. */
struct host {
    unsigned rank, size;
    struct host_node *node;
    struct host_run *run;
    const struct host_bus_ops *bus;
    const struct host_cpu_ops *cpu;
    const struct host_ether_ops *ether;
    const struct host_gpu_ops *gpus;
    const struct host_memory_ops *memory;
    const struct host_net_ops *net;
    const struct host_process_ops *process;
    const struct host_race_ops *race; /* NULL: races are not looked for */
    enum host_mapping pio_mapping;    /* how PIO sees the window */
    unsigned gpu;                     /* current device of the rank; see driver_visible() */
    unsigned hub;                     /* that it uses, of those of its node by root port */
    unsigned checks;                  /* bits of enum host_check; 0: nothing is looked after */
    bool ends_all;                    /* a signal that ends it ends all ranks */
    bool ended_well;                  /* with status 0 */
    uint64_t end_ps;                  /* when it has ended */
    struct host_state *states;
    struct host_call call;
    struct host_entry entry; /* the call of the program that lasts, whether it waits or not */
    struct host_looks looks;
    const struct host_setting *settings; /* the last one has no key; NULL: none */
    struct host_profile *profile;        /* see profile.h; NULL: it is not asked for */
};

/** NULL outside a rank. Set at each task switch; the only thread-local of the project. */
struct host *host_self(void);
void host_set_self(struct host *h);
/**
 * A call by what is no rank: a thread of the program's own, or the program while it is loaded. Ends
 * all ranks and their launcher with status 1 and a line, which names the rank by the place of
 * the call in its program. A back end defines it. Safe in any thread.
 * @param call NULL: `why` is the whole line
 * @param from where the call returns to; or NULL
 */
void host_end_outside(const char *call, const void *from, const char *why)
    __attribute__((noreturn));
/** @return NULL: not set. */
const struct host_setting *host_setting_of(const struct host *h, const char *key);

static inline void host_phase(struct host *h, enum host_phase phase)
{
    h->cpu->phase(h, phase);
}

static inline void host_spend_cost(struct host *h, enum host_cost cost)
{
    h->cpu->spend(h, h->cpu->cost_ps(h, cost));
}

#ifdef __cplusplus
}
#endif
#endif /* HOST_HOST_H */
