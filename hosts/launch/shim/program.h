/*
 * What a program object and its loader agree on. Each program is linked with
 * shim/program.c, which asks the loader for its hooks while it is being loaded.
 */
#ifndef LAUNCH_SHIM_PROGRAM_H
#define LAUNCH_SHIM_PROGRAM_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** What a launcher puts into the environment of each rank. */
enum { HUB_RANK, HUB_RANKS, HUB_LOCAL_RANK, HUB_LOCAL_RANKS, HUB_PLACES };

/* Of all that is below: it is part of the one name by which a program object finds its launcher, so
 * that the object of another hubsim does not load. */
#define HUB_PROGRAM_ABI        9
#define HUB_OF_ABI_(name, abi) name##_##abi
#define HUB_OF_ABI(name, abi)  HUB_OF_ABI_(name, abi)
#define hub_program_loading    HUB_OF_ABI(hub_program_loading, HUB_PROGRAM_ABI)

/** Where the program loads a word, and what state it is in; see shim/poll.c. */
struct hub_program_place {
    uint64_t from;         /* return address of the load's hook */
    const uint64_t *frame; /* registers that survive calls, then the caller's frame */
    uint64_t base;         /* the frame pointer, if it is used as one */
    int written;           /* did the program store anything since its last such load? */
};

/** What the program does with memory; see shim/poll.c. */
enum hub_program_access {
    HUB_LOADS,
    HUB_STORES,
    HUB_POLLS /* a volatile or atomic load, which has been made */
};

/** Memory whose accesses are announced. It changes while the program runs. */
struct hub_program_range {
    uintptr_t low, bytes;
};

#define HUB_SIGNALS 64
#define HUB_TIMERS  3 /* of setitimer() */

/** What a rank does at signals; sets have bit sig - 1. */
struct hub_program_signals {
    uint64_t pending, blocked;
    uint64_t ignored, handled; /* by the program: in neither, the default */
    uint64_t wanted;           /* that it waits for though they are blocked */
    uint64_t ran;              /* handlers so far */
    int senders[HUB_SIGNALS];  /* who sent the last one of each: a pid, 0: a timer */
    void (*take)(void);        /* the copy's function: acts on those that are pending */
};

struct hub_program_timer {
    uint64_t left_ps, every_ps; /* 0: it does not run; it runs once */
};

static inline uint64_t hub_signal_bit(int sig)
{
    return UINT64_C(1) << (sig - 1);
}
static inline int hub_is_signal(int sig)
{
    return sig >= 1 && sig <= HUB_SIGNALS;
}

enum hub_signal_meaning { HUB_SIGNAL_NOTHING, HUB_SIGNAL_HANDLER, HUB_SIGNAL_END };

/** Ranks do not stop and go on. */
static inline enum hub_signal_meaning hub_signal_means(const struct hub_program_signals *s, int sig)
{
    if ((s->handled & hub_signal_bit(sig)) != 0)
        return HUB_SIGNAL_HANDLER;
    if ((s->ignored & hub_signal_bit(sig)) != 0 || sig == SIGCHLD || sig == SIGCONT ||
        sig == SIGURG || sig == SIGWINCH || sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN ||
        sig == SIGTTOU)
        return HUB_SIGNAL_NOTHING;
    return HUB_SIGNAL_END;
}

struct hub_program_hooks {
    FILE *in, *out, *err;      /* of this rank, set by the loader */
    void (*exit)(int code);    /* ends the calling rank; does not return */
    uint64_t (*time_ps)(void); /* simulated time */
    /* Until then (UINT64_MAX: for ever), a signal that it waits for, or a handler beyond the first
     * `ran` of the rank; NULL: a handler after what it has computed so far. @return what is left */
    uint64_t (*sleep_ps)(uint64_t ps, const uint64_t *ran);
    void (*system_call)(void);              /* lets pass what one takes */
    void (*killed)(int sig, uint64_t from); /* ends the calling rank; does not return */
    /* To a rank of this node, 0: all others of them. @return an error number, or 0 */
    int (*kill)(int pid, int sig);
    /* Sets one, NULL: does not. @return what it was */
    struct hub_program_timer (*timer)(int which, const struct hub_program_timer *timer);
    struct hub_program_signals *signals;
    /* memory of the rank; all but the first also take what libc or a library allocated for it, as
     * getline() does. `from`: address of the call */
    void *(*alloc)(void *rank, size_t bytes, size_t align, int *zeroed_p, uint64_t from);
    void *(*realloc)(void *rank, void *p, size_t bytes, uint64_t from);
    void (*free)(void *rank, void *p, uint64_t from);
    size_t (*size)(void *rank, void *p);
    void *rank;
    /* a volatile or atomic load of [poll_low, + poll_bytes), the memory that devices write */
    void (*poll)(const volatile void *p, uint32_t size, const struct hub_program_place *place);
    uintptr_t poll_low, poll_bytes;
    /* an access to *accessed, before it; NULL: none is wanted */
    void (*access)(const volatile void *p, size_t bytes, enum hub_program_access access,
                   const void *from);
    const struct hub_program_range *accessed;
    int pid, launcher_pid; /* what the rank takes for the numbers of its process and its parent; */
    char host[64];         /* and for the name of its node */
    char name[64];         /* the program's, with which messages begin */
    unsigned place[HUB_PLACES];
    char **visible; /* the rank's CUDA_VISIBLE_DEVICES, NULL: it has none; the copy sets it */
};

#ifdef __cplusplus
extern "C" {
#endif
/** The hooks of the copy that is being loaded; the loader has it. */
const struct hub_program_hooks *hub_program_loading(void);
#ifdef __cplusplus
}
#endif

#endif /* LAUNCH_SHIM_PROGRAM_H */
