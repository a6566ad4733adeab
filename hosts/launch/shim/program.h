/*
 * What a program object and its loader agree on. Each program is linked with
 * shim/program.c, which asks the loader for its hooks while it is being loaded.
 */
#ifndef LAUNCH_SHIM_PROGRAM_H
#define LAUNCH_SHIM_PROGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** What a launcher tells each rank in its environment. */
enum { HUB_RANK, HUB_RANKS, HUB_LOCAL_RANK, HUB_LOCAL_RANKS, HUB_PLACES };

#define HUB_PROGRAM_ABI 4 /* `const uint32_t hub_program_abi` of the object */

/** Where the program loads a word, and what state it is in; see shim/poll.c. */
struct hub_program_place {
    uint64_t from; /* return address of the load's hook */
    const uint64_t
        *frame;    /* registers that survive calls, then the caller's frame; NULL: not known */
    uint64_t base; /* the frame pointer, if it is used as one */
    int written;   /* did the program store anything since its last such load? */
};

struct hub_program_hooks {
    FILE *in, *out, *err;      /* of this rank, set by the loader */
    void (*exit)(int code);    /* ends the calling rank; does not return */
    uint64_t (*time_ps)(void); /* simulated time */
    void (*sleep_ps)(uint64_t ps);
    /* memory of the rank; also takes what libc or a library allocated for it, as strdup() does */
    void *(*alloc)(void *heap, size_t bytes, size_t align, int *zeroed_p);
    void (*free)(void *heap, void *p);
    size_t (*size)(void *heap, void *p);
    void *heap;
    /* a volatile or atomic load of [poll_low, + poll_bytes), the memory that devices write */
    void (*poll)(const volatile void *p, uint32_t size, const struct hub_program_place *place);
    uintptr_t poll_low, poll_bytes;
    int pid;       /* what the rank takes for the number of its process; */
    char host[64]; /* and for the name of its node */
    unsigned place[HUB_PLACES];
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
